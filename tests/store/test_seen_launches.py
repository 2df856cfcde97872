"""Traces of other launches of one kernel, among the recordings of a folder."""

import dataclasses
from pathlib import Path

from lnexplorer.domain.residents import kernel_of
from lnexplorer.store.recordings import read_recording, seen_launches

RECORDINGS = Path(__file__).parents[2] / "resources" / "recordings"


def kernel(name):
    result = read_recording(RECORDINGS / f"h200_{name}.lnrec").result
    return kernel_of(result.resolved, result.provenance.environment)


def test_all_group_sizes_of_a_kernel_are_found_and_nothing_else():
    found = seen_launches(RECORDINGS, kernel("4096x1024_g256"))
    assert {1, 2, 16, 256, 512} <= {launch.group_size_m for launch in found}
    assert all(launch.programs <= 12 * 132 for launch in found)


def test_another_gpu_or_compiler_has_seen_nothing_of_it():
    own = kernel("4096x1024_g256")
    for other in ({"gpu": "NVIDIA A100"}, {"gpu": None}, {"triton": "3.0.0"}, {"num_warps": 8}):
        assert seen_launches(RECORDINGS, dataclasses.replace(own, **other)) == []


def test_files_that_cannot_be_read_are_passed_over(tmp_path):
    whole = (RECORDINGS / "h200_4096x1024_g1.lnrec").read_bytes()
    (tmp_path / "cut.lnrec").write_bytes(whole[:2000])
    (tmp_path / "letter.lnrec").write_text("Dear reader")
    (tmp_path / "good.lnrec").write_bytes(whole)
    assert [launch.group_size_m for launch in seen_launches(tmp_path, kernel("4096x1024_g2"))] == [1]

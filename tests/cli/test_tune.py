"""`lnexplorer tune` where there is no GPU: it says so, and shows and forgets what was kept."""

from pathlib import Path

import pytest

from lnkernels.launch import limits_for_architecture
from lnkernels.launch.candidates import WIDTHS
from lnkernels.launch.measured import SplitEntry
from lnkernels.launch.tuned import read_tuned, write_tuned
from tests.cli.conftest import Command
from tests.engine.sweep.conftest import FAKE_WORKER


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Also where there is a GPU: measuring takes minutes, and the test of the GPU does it.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path))
    return tmp_path


def test_without_a_gpu_nothing_is_measured_and_nothing_kept(
    home: Path, lnexplorer: Command
) -> None:
    out, err = lnexplorer("tune --n 1024", status=3)
    assert "failed: device = cuda:0 cannot be used." in err
    assert out == ""
    assert list(home.iterdir()) == []


def test_what_is_found_is_kept_width_by_width_and_printed(
    home: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    monkeypatch.setattr("lnexplorer.engine.spawn.WORKER_COMMAND", FAKE_WORKER)
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(home / "asked"))
    monkeypatch.setenv("LNEXPLORER_FAKE_SECONDS", "0")
    said = lnexplorer("tune --n 1024,8192 --kind split,rows --minutes 0.02")
    assert said.err.startswith("1/3 rows, N = 1024, float16\n")
    assert f"kept in {home / 'tuned.json'}" in said.err
    stamp, *entries = said.out.splitlines()
    assert stamp.startswith("# NVIDIA H200")
    assert entries[0].startswith("RowsEntry(element_bytes=2, up_to_n=1024")
    assert entries[0].endswith(" µs")
    (device,) = read_tuned()
    assert [entry.up_to_n for entry in device.entries][:1] == [1024]


@pytest.mark.usefixtures("home")
def test_what_was_kept_is_shown_and_forgotten(lnexplorer: Command) -> None:
    assert "Nothing was tuned yet" in lnexplorer("tune --show").out
    entry = SplitEntry(element_bytes=2, up_to_n=16384, block_n=4096, num_warps=8, num_stages=3)
    file = write_tuned(limits_for_architecture("sm_80"), "2026-01-01T00:00:00+00:00", [entry])
    shown = lnexplorer("tune --show").out
    assert "NVIDIA A100, compute capability 8.0, 108 SMs" in shown
    assert "split      N 16384    2 bytes: block_n 4096, num_warps 8, num_stages 3" in shown
    assert lnexplorer("tune --forget").out == f"{file} is removed.\n"
    assert not file.exists()


def test_a_damaged_file_is_named(home: Path, lnexplorer: Command) -> None:
    (home / "tuned.json").write_text("{")
    assert str(home / "tuned.json") in lnexplorer("tune --show", status=3).err
    lnexplorer("tune --forget")


def test_its_help_breaks_no_number_at_the_end_of_a_line(lnexplorer: Command) -> None:
    assert {f"{width}," for width in WIDTHS[:-1]} <= set(lnexplorer("tune --help").out.split())

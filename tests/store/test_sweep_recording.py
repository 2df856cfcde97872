"""A recorded sweep comes back as it was, and whatever is not one is refused in a sentence."""

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lnexplorer.store.recorded_file import heads_in

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.store.files import StoreError
from lnexplorer.store.recorded_sweep import (
    FILE,
    SUFFIX,
    RecordedSweep,
    default_title,
    read_recorded_sweep,
    recorded_sweep,
    recorded_sweeps_in,
    write_recorded_sweep,
)
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from tests.gui.sample_sweeps import invented_rows

CURVE = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048)),), providers=("torch",))
RECORDED = sorted(resource("recordings").glob(f"*{SUFFIX}"))


def curve(title: str = "") -> RecordedSweep:
    return recorded_sweep(CURVE, invented_rows(CURVE), title=title, ended="finished")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path, written = tmp_path / f"one{SUFFIX}", curve("A title")
    write_recorded_sweep(path, written)
    read = read_recorded_sweep(path)
    assert (read.sweep, read.title, read.date, read.ended) == (CURVE, "A title", written.date, "finished")
    assert {result.kind for result in read.results} == {Kind.RECORDED}
    samples = [[figure.samples_ms for figure in result.figures] for result in written.results]
    for mine, theirs in zip([[f.samples_ms for f in result.figures] for result in read.results], samples, strict=True):
        assert all(np.array_equal(one, other) for one, other in zip(mine, theirs, strict=True))
    assert recorded_sweeps_in(tmp_path) == [("A title", path)]
    ((_, head),) = heads_in(tmp_path, FILE)
    assert (head["title"], head["kind"], head["environment"]["gpu"]) == ("A title", "measured", "NVIDIA H200")


def test_one_that_is_written_again_is_still_recorded(tmp_path: Path) -> None:
    path = tmp_path / f"one{SUFFIX}"
    write_recorded_sweep(path, curve())
    write_recorded_sweep(path, read_recorded_sweep(path))
    assert {result.kind for result in read_recorded_sweep(path).results} == {Kind.RECORDED}


def test_one_without_a_title_is_called_by_what_varies(tmp_path: Path) -> None:
    assert default_title(curve()) == "N, M = 4096, float16, NVIDIA H200"
    sweep = replace(CURVE, axes=(Axis(name="dtype", values=("float16", "float32")), Axis(name="num_warps", values=(4, 8))))
    assert default_title(replace(curve(), sweep=sweep)) == "dtype × num_warps, M = 4096, NVIDIA H200"
    write_recorded_sweep(tmp_path / "one", curve())
    assert read_recorded_sweep(tmp_path / "one").title == default_title(curve())


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9])
def test_a_truncated_file_is_refused(kept: float, tmp_path: Path) -> None:
    path = tmp_path / f"one{SUFFIX}"
    write_recorded_sweep(path, curve())
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(StoreError, match=r"one\.lnsweep cannot be opened: .*\.$"):
        read_recorded_sweep(path)


def _without_first_row(content: Any) -> None:
    content["results"].pop(0)


@pytest.mark.parametrize(
    ("member", "change", "words"),
    [
        ("manifest.json", lambda head: head.update(format="lnexplorer recording"), "not a recorded sweep of this program"),
        ("manifest.json", lambda head: head.update(version=2), "version 2 of the format, and this program reads version 1"),
        ("manifest.json", lambda head: head.update(version="new"), "version is not known"),
        ("manifest.json", lambda head: head.update(version={"array": "0"}), "version is not known"),
        ("manifest.json", lambda head: head.update(format={"array": "0"}), "not a recorded sweep of this program"),
        ("manifest.json", lambda head: head.update(kind="invented"), "not complete"),
        ("manifest.json", lambda head: head.update(kind="x" * 9999), r"cannot be opened: .{1,400} …\.$"),
        ("content.json", lambda content: content.update(samples_ms={"array": "\x1b[2J"}), r"array  \[2J is missing"),
        ("content.json", _without_first_row, "samples"),
        ("content.json", lambda content: content.update(samples_ms={"array": "7"}), "array 7 is missing"),
        ("content.json", lambda content: content.update(sweep=None), "not complete"),
    ],
)
def test_a_foreign_or_newer_or_damaged_one_is_refused(
    member: str, change: Callable[[Any], None], words: str, tmp_path: Path
) -> None:
    path = tmp_path / f"one{SUFFIX}"
    write_recorded_sweep(path, curve())
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members[member])
    change(document)
    members[member] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(StoreError, match=words):
        read_recorded_sweep(path)


def test_impossible_rows_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no row"):
        write_recorded_sweep(tmp_path / "one", replace(curve(), results=()))
    assert not (tmp_path / "one").exists()


def test_a_place_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="The recorded sweep cannot be saved as"):
        write_recorded_sweep(tmp_path / "file" / "one", curve())
    with pytest.raises(StoreError, match="cannot be read"):
        read_recorded_sweep(tmp_path / "none")
    with pytest.raises(StoreError, match="cannot be read"):
        read_recorded_sweep(Path("/dev/zero"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_those_that_come_with_the_program_are_small_and_of_a_gpu(path: Path) -> None:
    read = read_recorded_sweep(path)
    assert {result.kind for result in read.results} == {Kind.RECORDED}
    assert "CPU" not in read.gpus
    assert path.stat().st_size < 300_000

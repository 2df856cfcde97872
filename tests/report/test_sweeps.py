"""Sweeps as the history shows them and hands them on."""

import csv
import importlib
import json
from pathlib import Path

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest, sweep_command
from lnexplorer.report.sweeps import sweep_rows, write_sweep
from lnexplorer.report.tables import ExportError
from lnexplorer.store.sweep_csv import resume
from lnexplorer.store.sweeps import NAME, SweepStore
from tests.domain.sweep.results import row

SWEEP = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),))
CELLS = all_cells(SWEEP)


def test_without_sweeps_no_file_is_made(tmp_path: Path) -> None:
    assert sweep_rows(tmp_path, pytest.fail) == []
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_is_listed_and_its_rows_are_written(tmp_path: Path) -> None:
    store = SweepStore(tmp_path / NAME, pytest.fail)
    number = store.begin(SWEEP, 3)
    store.add(number, row(CELLS[0], time_ms=2.0))
    store.add(number, row(CELLS[1], status="timed_out", reason="It hung."))
    store.close()
    (found,) = sweep_rows(tmp_path, pytest.fail)
    assert (found.command, found.total, found.done) == (sweep_command(SWEEP), 3, 2)
    file = tmp_path / "rows.csv"
    write_sweep(tmp_path, number, file, pytest.fail)
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [(line["cell"], line["n"], line["status"]) for line in rows] == [("0", "512", "ok"), ("1", "1024", "timed_out")]
    with pytest.raises(ExportError, match="no sweep 9"):
        write_sweep(tmp_path, 9, file, pytest.fail)


def test_a_sweep_is_written_as_json_and_as_parquet(tmp_path: Path) -> None:
    store = SweepStore(tmp_path / NAME, pytest.fail)
    number = store.begin(SWEEP, 3)
    store.add(number, row(CELLS[0], time_ms=2.0))
    store.add(number, row(CELLS[1], status="timed_out", reason="It hung."))
    store.close()
    file = tmp_path / "rows.json"
    write_sweep(tmp_path, number, file, pytest.fail)
    document = json.loads(file.read_text(), parse_constant=pytest.fail)
    assert (document["counts"]["ok"], document["counts"]["timed_out"]) == (1, 1)
    assert document["ended"] == ""
    assert [line["n"] for line in document["rows"]] == [512, 1024]
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    write_sweep(tmp_path, number, tmp_path / "rows.parquet", pytest.fail)
    found = importlib.import_module("pyarrow.parquet").read_table(tmp_path / "rows.parquet").to_pydict()
    assert found["n"] == [512, 1024]
    assert found["reason"] == ["", "It hung."]


def test_damaged_sweeps_are_told_of(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"This is a letter.\n" * 100)
    said: list[str] = []
    assert sweep_rows(tmp_path, said.append) == []
    assert "kept as" in said[0]


@pytest.mark.parametrize("first", ["group_size_m", "num_warps"])
def test_the_command_can_go_on_with_what_the_window_wrote(tmp_path: Path, first: str) -> None:
    """A command tells no order of axes: it has that of its options, whichever axis is which in the pane."""
    axes = {"group_size_m": Axis(name="group_size_m", values=(1, 2, 4)), "num_warps": Axis(name="num_warps", values=(1, 2))}
    other = "num_warps" if first == "group_size_m" else "group_size_m"
    shown = SweepRequest(base=RunRequest(m=64, n=512, barrier=False), axes=(axes[first], axes[other]), providers=("torch",))
    asked = SweepRequest(base=shown.base, axes=(axes["num_warps"], axes["group_size_m"]), providers=("torch",))
    assert sweep_command(shown) == sweep_command(asked)
    tried = all_cells(shown)[1:]
    store = SweepStore(tmp_path / NAME, pytest.fail)
    number = store.begin(shown, len(tried) + 1)
    for cell in tried:
        store.add(number, row(cell, time_ms=2.0))
    store.close()
    file = tmp_path / "rows.csv"
    write_sweep(tmp_path, number, file, pytest.fail)
    resumed = resume(file, asked)
    resumed.close(complete=False)
    left = [cell for cell in all_cells(asked) if cell.number not in resumed.done]
    assert [(cell.request, cell.provider) for cell in left] == [(all_cells(shown)[0].request, all_cells(shown)[0].provider)]
    with file.open() as lines:
        found = {int(line["cell"]): (line["group_size_m"], line["num_warps"]) for line in csv.DictReader(lines)}
    wanted = {cell.number: (cell.request.group_size_m, cell.request.num_warps) for cell in all_cells(asked) if not cell.peer}
    assert {number: found[number] for number in wanted if number in found} == {
        number: (str(groups), str(warps)) for number, (groups, warps) in wanted.items() if number in found
    }
    assert len(found) == len(tried)

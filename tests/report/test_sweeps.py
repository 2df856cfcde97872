"""The rows of a sweep as files, and the files that the tutorial's curve leaves."""

import csv
import importlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import TUTORIAL
from lnexplorer.report import files as report_files
from lnexplorer.report.files import write_tutorial_files
from lnexplorer.report.tables import write_rows
from lnexplorer.store.recordings import RecordedSweep
from lnexplorer.store.sweep_csv import rows_of_file
from tests.domain.sweep.results import OVER_N, row
from tests.gui.sample_sweeps import invented_rows

CELLS = all_cells(OVER_N)
RESULTS = (row(CELLS[0], time_ms=2.0), row(CELLS[1], status="timed_out", reason="It hung."))
SWEEP = RecordedSweep(sweep=OVER_N, results=RESULTS)


def test_rows_are_written_as_the_command_writes_them_and_it_goes_on_with_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.csv"
    write_rows(path, RecordedSweep(sweep=OVER_N, results=RESULTS, ended="cancelled"))
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [(line["cell"], line["n"], line["status"]) for line in rows] == [
        ("0", "512", "ok"),
        ("1", "1024", "timed_out"),
    ]
    assert set(rows_of_file(path).stamps) == {0, 1}


def test_rows_are_written_as_json_and_as_parquet(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    write_rows(file, SWEEP)
    document = json.loads(file.read_text(), parse_constant=pytest.fail)
    assert (document["counts"]["ok"], document["counts"]["timed_out"]) == (1, 1)
    assert document["ended"] == ""
    assert [line["n"] for line in document["rows"]] == [512, 1024]
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    write_rows(tmp_path / "rows.parquet", SWEEP)
    found = (
        importlib.import_module("pyarrow.parquet").read_table(tmp_path / "rows.parquet").to_pydict()
    )
    assert found["n"] == [512, 1024]
    assert found["reason"] == ["", "It hung."]


NAMES = {"layer-norm-backward.csv", "layer-norm-backward.png"}


def test_window_and_command_line_write_the_same(tmp_path: Path) -> None:
    sweep = replace(TUTORIAL.sweep, directions=("backward",))  # of one pass: drawing takes seconds
    rows = invented_rows(sweep)
    apart = report_files.in_a_process(write_tutorial_files, tmp_path / "window", sweep, rows)
    here = write_tutorial_files(tmp_path / "command", sweep, rows)
    assert apart.complete
    assert here.complete
    assert set(apart.names) == set(here.names) == NAMES
    for name in NAMES:
        data = (tmp_path / "window" / name).read_bytes()
        assert data.startswith(
            b"N,Triton (GB/s),Torch (GB/s)\n1024.000000," if name.endswith(".csv") else b"\x89PNG"
        )
        assert data == (tmp_path / "command" / name).read_bytes()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = write_tutorial_files(
        tmp_path / "file" / "below", TUTORIAL.sweep, invented_rows(TUTORIAL.sweep)[:1]
    )
    assert not found.complete
    assert "cannot be written" in found.remarks[0]

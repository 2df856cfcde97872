"""The rows of a sweep as files."""

import csv
import importlib
import json
from pathlib import Path

import pytest

from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.report.tables import write_rows
from lnexplorer.store.sweep_csv import rows_of_file
from tests.domain.sweep.results import OVER_N, row

CELLS = all_cells(OVER_N)
RESULTS = [row(CELLS[0], time_ms=2.0), row(CELLS[1], status="timed_out", reason="It hung.")]


def test_rows_are_written_as_the_command_writes_them_and_it_goes_on_with_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.csv"
    write_rows(path, OVER_N, RESULTS, "cancelled")
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [(line["cell"], line["n"], line["status"]) for line in rows] == [
        ("0", "512", "ok"),
        ("1", "1024", "timed_out"),
    ]
    assert set(rows_of_file(path).stamps) == {0, 1}


def test_rows_are_written_as_json_and_as_parquet(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    write_rows(file, OVER_N, RESULTS, "")
    document = json.loads(file.read_text(), parse_constant=pytest.fail)
    assert (document["counts"]["ok"], document["counts"]["timed_out"]) == (1, 1)
    assert document["ended"] == ""
    assert [line["n"] for line in document["rows"]] == [512, 1024]
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    write_rows(tmp_path / "rows.parquet", OVER_N, RESULTS, "")
    found = (
        importlib.import_module("pyarrow.parquet").read_table(tmp_path / "rows.parquet").to_pydict()
    )
    assert found["n"] == [512, 1024]
    assert found["reason"] == ["", "It hung."]

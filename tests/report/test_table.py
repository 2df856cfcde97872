"""Runs as CSV, JSON and Parquet."""

import csv
import importlib
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from lnexplorer.report.table import ExportError, KeptRun, csv_text, json_text, parquet_bytes, table, write
from lnkernels.values.environment import Kind
from tests.store.examples import files_of_at_most, small_result

RUNS = (
    KeptRun(7, 'first, with "quotes"\nand lines', small_result()),
    KeptRun(8, "", small_result(Kind.INTERPRETED)),
)


def test_a_row_holds_request_environment_errors_and_speeds() -> None:
    columns = table(RUNS)
    assert {len(values) for values in columns.values()} == {2}
    assert columns["id"] == [7, 8]
    assert columns["kind"] == ["measured", "interpreted"]
    assert columns["gpu"] == ["NVIDIA H200", None]
    assert columns["strategy"] == ["locked", "locked"]
    assert columns["group_size_m"] == [RUNS[0].result.resolved.launch.group_size_m] * 2
    throughput = RUNS[0].result.throughput
    assert throughput is not None
    figure = throughput.find("locked", "backward", "kernel_cold")
    assert figure is not None
    assert columns["kernel_backward_kernel_cold_gbps"] == [figure.gbps, None]
    assert columns["kernel_backward_kernel_cold_counted_gbps"] == [figure.counted_gbps, None]
    assert columns["kernel_backward_kernel_cold_settled"] == [figure.settled, None]
    assert columns["torch_forward_autograd_p50_ms"][0] is not None


def test_a_row_says_what_makes_its_figures_doubtful_and_how_much_power_was_drawn() -> None:
    result = RUNS[0].result
    environment = replace(result.provenance.environment, power_w=612.5)
    doubtful = replace(
        result,
        notes=("Something held the GPU's clocks down: power cap.", "Two\nlines."),
        provenance=replace(result.provenance, environment=environment),
    )
    columns = table([KeptRun(1, "=1+1", doubtful)])
    assert columns["notes"] == ["Something held the GPU's clocks down: power cap. Two lines."]
    assert columns["power_w"] == [612.5]
    assert columns["note"] == ["'=1+1"]


def test_csv_is_read_back_by_whoever_reads_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(RUNS))))
    assert [row["note"] for row in rows] == [RUNS[0].note, ""]
    assert float(rows[0]["kernel_forward_kernel_cold_gbps"]) > 0
    assert rows[1]["kernel_forward_kernel_cold_gbps"] == ""


def test_json_holds_the_samples_and_no_number_that_json_lacks() -> None:
    check = RUNS[0].result.correctness.checks[0]
    broken = replace(check, kernel_vs_truth=replace(check.kernel_vs_truth, max_rel=float("inf")))
    correctness = replace(RUNS[0].result.correctness, checks=(broken, *RUNS[0].result.correctness.checks[1:]))
    text = json_text([replace(RUNS[0], result=replace(RUNS[0].result, correctness=correctness))])
    whole = json.loads(text, parse_constant=pytest.fail)
    (run,) = whole["runs"]
    assert (whole["format"], whole["version"]) == ("lnexplorer runs", 1)
    assert run["correctness"]["y"]["kernel_vs_truth"]["max_rel"] is None
    assert len(run["samples_ms"]["locked/forward/kernel_cold"]) == 100


def test_without_pyarrow_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExportError, match=r"lnexplorer\[parquet\]"):
        parquet_bytes(RUNS)


def test_parquet_gets_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    arrow = SimpleNamespace(table=lambda columns: columns)
    parquet = SimpleNamespace(write_table=lambda columns, stream: stream.write(",".join(columns).encode()))
    monkeypatch.setitem(sys.modules, "pyarrow", arrow)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    assert parquet_bytes(RUNS).decode().split(",") == list(table(RUNS))


def test_real_parquet_is_read_back() -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    found = importlib.import_module("pyarrow.parquet").read_table(io.BytesIO(parquet_bytes(RUNS))).to_pydict()
    assert found == table(RUNS)


def test_a_file_that_cannot_be_written_is_named_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("old")
    with files_of_at_most(10), pytest.raises(ExportError, match=r"runs\.csv cannot be written"):
        write(path, csv_text(RUNS))
    assert path.read_text() == "old"

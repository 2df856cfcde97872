"""Runs as CSV, JSON and Parquet."""

import csv
import io
import json
import sys
from dataclasses import replace

import pytest

from lnexplorer.domain.history import KeptRun
from lnexplorer.domain.sweep.table import FORMULA
from lnexplorer.report.tables import (
    csv_of,
    json_text,
    parquet_of,
    table_of,
    table_of_figures,
    table_of_runs,
)
from lnexplorer.store.files import StoreError
from lnkernels.values.environment import Kind
from tests.store.examples import small_result

RUNS = (
    KeptRun(7, 'first, with "quotes"\nand lines', small_result()),
    KeptRun(8, "", small_result(Kind.INTERPRETED)),
)


def lines(runs: tuple[KeptRun, ...] = RUNS) -> list[dict[str, str]]:
    """What somebody who reads the CSV reads."""
    return list(csv.DictReader(io.StringIO(csv_of(table_of_runs(runs)))))


def test_a_row_holds_request_environment_errors_and_speeds() -> None:
    measured, interpreted = lines()
    assert (measured["id"], measured["note"], measured["kind"], measured["gpu"]) == (
        "7",
        RUNS[0].note,
        "measured",
        "NVIDIA H200",
    )
    assert (interpreted["id"], interpreted["note"], interpreted["gpu"]) == ("8", "", "")
    assert measured["group_size_m"] == str(RUNS[0].result.resolved.launch.group_size_m)
    throughput = RUNS[0].result.throughput
    assert throughput is not None
    figure = throughput.find("locked", "backward", "kernel_cold")
    assert figure is not None
    assert float(measured["kernel_backward_kernel_cold_gbps"]) == pytest.approx(figure.gbps)
    assert measured["kernel_backward_kernel_cold_settled"] == str(figure.settled)
    assert measured["torch_forward_autograd_p50_ms"]
    assert interpreted["kernel_backward_kernel_cold_gbps"] == ""


def test_a_setting_that_the_strategy_does_not_have_is_empty() -> None:
    measured, _ = lines()
    assert (measured["slices"], measured["rows"]) == ("", "")
    assert measured["num_warps"]


def test_the_long_form_has_a_row_a_figure_in_twenty_two_columns() -> None:
    found = list(csv.DictReader(io.StringIO(csv_of(table_of_figures(RUNS)))))
    throughput = RUNS[0].result.throughput
    assert throughput is not None
    assert len(found) == len(throughput.figures)
    assert all(len(line) == 22 for line in found)
    first, figure = found[0], throughput.figures[0]
    assert (first["id"], first["strategy"], first["provider"], first["note"]) == (
        "7",
        "locked",
        figure.provider,
        RUNS[0].note,
    )
    assert float(first["gbps"]) == pytest.approx(figure.gbps)


def test_whole_numbers_stay_whole_where_some_are_missing() -> None:
    assert (
        csv_of(table_of([{"n": 1024, "ms": 1.0}, {"n": None, "ms": 2}])) == "n,ms\n1024,1.0\n,2.0\n"
    )


def test_json_holds_the_samples_and_no_number_that_json_lacks() -> None:
    check = RUNS[0].result.correctness.checks[0]
    broken = replace(check, kernel_vs_truth=replace(check.kernel_vs_truth, max_rel=float("inf")))
    correctness = replace(
        RUNS[0].result.correctness, checks=(broken, *RUNS[0].result.correctness.checks[1:])
    )
    text = json_text([replace(RUNS[0], result=replace(RUNS[0].result, correctness=correctness))])
    whole = json.loads(text, parse_constant=pytest.fail)
    (run,) = whole["runs"]
    assert (whole["format"], whole["version"]) == ("lnexplorer runs", 1)
    assert run["correctness"]["y"]["kernel_vs_truth"]["max_rel"] is None
    assert len(run["samples_ms"]["locked/forward/kernel_cold"]) == 100


def test_without_pyarrow_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(StoreError, match=r"\.\[parquet\]"):
        parquet_of(table_of_runs(RUNS))


def test_no_cell_and_no_name_of_a_column_is_a_formula_whoever_wrote_it() -> None:
    """A recording of somebody else names its GPU, its driver and its providers as it likes."""
    evil = '=HYPERLINK("http://x","y")'
    result = small_result()
    assert result.throughput is not None
    figures = tuple(replace(one, provider=evil) for one in result.throughput.figures)
    foreign = replace(result.provenance.environment, gpu=evil, driver="@x", torch="+1", date="-1")
    run = KeptRun(
        1,
        evil,
        replace(
            result,
            provenance=replace(result.provenance, environment=foreign),
            throughput=replace(result.throughput, figures=figures),
            providers=(evil,),
        ),
    )
    for table in (table_of_runs([run]), table_of_figures([run])):
        cells = [cell for line in csv.reader(io.StringIO(csv_of(table))) for cell in line]
        numbers = [cell for cell in cells if cell.lstrip("-").replace(".", "").isdigit()]
        assert [cell for cell in cells if cell.startswith(FORMULA) and cell not in numbers] == []
        assert f"'{evil}" in cells
    assert table_of_runs([run])["gpu"][0] == evil, "Parquet takes it as it is"

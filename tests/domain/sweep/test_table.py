from dataclasses import replace

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest, sweep_command
from lnexplorer.domain.sweep.table import as_text, columns, row
from lnkernels.values.accuracy import TensorErrors
from tests.domain.sweep import results

SWEEP = SweepRequest(
    base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 100_000)),), providers=("torch",)
)
LOCKED, TORCH, WIDE, _ = all_cells(SWEEP)


def test_a_row_has_every_column_once_and_in_order() -> None:
    assert tuple(row(SWEEP, results.row(LOCKED))) == columns(SWEEP)
    assert len(set(columns(SWEEP))) == len(columns(SWEEP))


def test_a_row_says_what_was_resolved_and_how_fast_it_was() -> None:
    found = row(SWEEP, results.row(LOCKED, time_ms=2.0))
    assert (found["provider"], found["strategy"], found["group_size_m"]) == (
        "locked",
        "locked",
        256,
    )
    assert (found["status"], found["reason"], found["kind"], found["gpu"]) == (
        "ok",
        "",
        "measured",
        "NVIDIA H200",
    )
    assert found["forward_gbps"] == 50.0
    assert found["forward_p20_gbps"] < found["forward_gbps"] < found["forward_p80_gbps"]  # type: ignore[operator]
    assert found["sweep"] == sweep_command(SWEEP)


def test_a_setting_that_is_not_possible_is_told_as_it_was_asked_for() -> None:
    result = replace(
        results.row(LOCKED, status="invalid", reason="N is\ntoo wide."), cell=WIDE, resolved=None
    )
    found = row(SWEEP, result)
    assert (found["n"], found["group_size_m"], found["reason"]) == (100_000, None, "N is too wide.")
    assert found["forward_gbps"] is None


def test_errors_that_are_not_finite_are_empty() -> None:
    error = TensorErrors(
        name="dw", max_abs=float("nan"), torch_max_abs=1e-3, tolerance=1e-2, passed=False
    )
    found = row(SWEEP, replace(results.row(LOCKED, status="incorrect"), errors=(error,)))
    assert found["dw_max_abs_error"] is None
    assert found["dw_tolerance"] == 1e-2
    assert found["dw_passed"] is False


def test_other_modes_have_their_names_in_their_columns() -> None:
    names = columns(replace(SWEEP, directions=("backward",), modes=("kernel_cold", "autograd")))
    assert "backward_gbps" in names
    assert "backward_autograd_gbps" in names
    assert not [name for name in names if name.startswith("forward_") and name.endswith("gbps")]


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x"]
)
def test_what_begins_as_a_formula_is_marked_as_text(text: str) -> None:
    assert as_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "NVIDIA H200", "a = b", "'=1", "1e-3"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert as_text(text) == text

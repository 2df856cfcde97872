"""A run as a line of the history."""

from lnexplorer.domain.history import history_row
from lnkernels.values.environment import Kind
from tests.sample_results import make_correctness, make_result


def test_a_measured_run_keeps_its_shape_errors_and_speeds() -> None:
    result = make_result()
    row = history_row(7, "2025-11-20T09:30:00+00:00", result)
    assert (row.id, row.kind, row.device) == (7, Kind.MEASURED, "NVIDIA H200")
    assert (row.m, row.n, row.dtype, row.strategy, row.group_size_m) == (4096, 8192, "float16", "locked", 96)
    assert row.passed
    assert row.failed == ()
    assert row.dw_error == result.correctness.checks[2].kernel_vs_truth.max_abs
    assert (row.forward_gbps, row.backward_gbps) == (2765, 1689)
    assert row.backward_share == 1689 / 3795


def test_a_run_on_the_interpreter_has_no_speed() -> None:
    row = history_row(1, "", make_result(64, 512, kind=Kind.INTERPRETED))
    assert row.device == "CPU"
    assert (row.forward_gbps, row.backward_gbps, row.forward_share, row.backward_share) == (None, None, None, None)


def test_a_wrong_result_is_named_and_its_speed_left_out() -> None:
    row = history_row(1, "", make_result(correctness=make_correctness(32, 64, failing=("dw", "db"))))
    assert not row.passed
    assert row.failed == ("dw", "db")
    assert row.forward_gbps is None
    assert row.backward_gbps is None

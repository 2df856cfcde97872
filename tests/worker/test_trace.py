"""A small trace on the interpreter has the order, the steps and the numbers of the kernels."""

from typing import Any

import numpy as np
import pytest
import torch

from lnexplorer.domain.ordered_sums import ordered_sums, recorded_sums
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.violations import violations
from lnexplorer.store.check import check_timeline
from lnexplorer.worker.connection import Cancellation, Task
from lnexplorer.worker.trace import trace
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, ReductionTimeline
from tests.worker.conftest import Wire


def traced(**changed: Any) -> ReductionTimeline | list[Any]:
    task = Task(1, Wire(), Cancellation())  # type: ignore[arg-type]
    return trace(task, resolve(RunRequest.of(**changed), "interpreter"), torch.device("cpu"))


@pytest.mark.parametrize(
    ("dtype", "partial_dtype"),
    [("float16", "same"), ("bfloat16", "same"), ("float16", "float32")],
)
def test_replaying_the_recorded_order_gives_the_run_s_own_numbers(
    dtype: str, partial_dtype: str
) -> None:
    timeline = traced(m=5, n=40, group_size_m=3, dtype=dtype, partial_dtype=partial_dtype)
    assert isinstance(timeline, ReductionTimeline)
    assert violations(timeline) == []
    sums = timeline.sums
    assert sums is not None
    assert sums.partial_dtype == ("float32" if partial_dtype == "float32" else dtype)
    rows = PartialRows(dw=sums.row_dw, db=sums.row_db, dw_total=sums.dw, db_total=sums.db)
    replayed, own = ordered_sums(rows, timeline, sums.partial_dtype), recorded_sums(timeline)
    assert own is not None
    assert np.array_equal(own.previous, replayed.previous)
    for name in ("dw_after", "db_after"):
        assert np.array_equal(getattr(own, name), getattr(replayed, name))
    for name in ("dw", "db"):
        # Stage 2 adds the buffers in float32, in an order of its own, and rounds to the type of the
        # result.
        assert np.allclose(
            getattr(own, name),
            getattr(replayed, name),
            rtol=2**-7 if dtype == "bfloat16" else 2**-10,
            atol=1e-6,
        )


@pytest.mark.parametrize(
    ("m", "n", "group_size_m", "data", "dtype"),
    [
        (1, 1, 1, "constant", "float16"),
        (1, 17, 64, "inf", "bfloat16"),
        (7, 1, 3, "nan", "float32"),
        (9, 5, 64, "spike", "float16"),
    ],
)
def test_no_trace_is_refused_for_its_shape_or_its_data(
    m: int, n: int, group_size_m: int, data: str, dtype: str
) -> None:
    problem = {"m": m, "n": n, "data": data, "dtype": dtype, "eps": 0.0}
    asked: dict[str, Any] = problem | {"group_size_m": group_size_m}
    timeline = traced(**asked)
    assert isinstance(timeline, ReductionTimeline)
    check_timeline(timeline, resolve(RunRequest.of(**asked), "interpreter"))


def test_the_interpreter_counts_steps_and_says_so() -> None:
    timeline = traced(m=4, n=8, group_size_m=2)
    assert isinstance(timeline, ReductionTimeline)
    assert timeline.kind is Kind.INTERPRETED
    assert timeline.clock is Clock.STEPS
    assert timeline.order.tolist() == [0, 0, 1, 1]
    assert timeline.start_ns.tolist() == [0, 4, 8, 12]
    assert timeline.released_ns.tolist() == [3, 7, 11, 15]
    assert timeline.cost is None
    assert timeline.tries is not None
    assert timeline.tries.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"m": 65, "n": 8}, "m"),
        ({"m": 64, "n": 65}, "n"),
        ({"m": 4, "n": 8, "strategy": "atomic"}, "strategy"),
    ],
)
def test_what_has_nothing_to_trace_is_refused_with_the_field_and_what_is_allowed(
    changed: dict[str, Any], field: str
) -> None:
    problems = traced(**changed)
    assert isinstance(problems, list)
    assert [problem.field for problem in problems] == [field]
    assert problems[0].value == str(changed[field])

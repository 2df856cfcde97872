"""Every experiment on a GPU, through the engine, with what has to be true of it there."""

from typing import Any

import numpy as np
import pytest
import torch

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.domain.experiments.group_size import SIZES as GROUP_SIZES
from lnexplorer.domain.experiments.group_size import GroupSizes
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.timeline import shares
from lnexplorer.domain.violations import violations
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Finished
from lnkernels.values.environment import Kind

pytestmark = pytest.mark.gpu


def done(name: str, problem: RunRequest | None = None, **given: Any) -> ExperimentResult:
    (outcome,) = run_in_turn(
        [ExperimentRequest(name=name, problem=problem or RunRequest(), **given)]
    )
    assert isinstance(outcome, Finished), outcome
    assert isinstance(outcome.value, ExperimentResult)
    result = outcome.value
    assert result.provenance.kind is Kind.MEASURED
    assert isinstance(result.findings, EXPERIMENTS[name].findings)
    assert result.seen()
    return result


def test_more_buffers_wait_less_and_those_of_the_same_type_are_further_off() -> None:
    found = done("group_size").findings_of(GroupSizes)
    assert [point.group_size_m for point in found.points] == list(GROUP_SIZES)
    for point in found.points:
        assert point.reason is None
        assert point.ms_float32 is not None
        assert point.ms_same is not None
        assert point.error_float32 is not None
        assert point.error_same is not None
        assert point.bytes_float32 == 2 * point.bytes_same
    for waits in (
        [point.wait for point in found.points],
        [point.wait_same for point in found.points],
    ):
        queued = [wait.queued_ns for wait in waits if wait is not None]
        assert len(queued) == len(waits)
        assert queued[0] > queued[-1] >= 0
        assert all(wait.trying_ns > 0 for wait in waits if wait is not None)
    first = found.points[0]
    assert first.error_same is not None
    assert first.error_float32 is not None
    assert first.error_same > first.error_float32


def test_without_barrier_and_atomic_count_rows_are_lost_where_they_were_seen_to_be() -> None:
    # On an H200 this shape loses a row in about 5 of 100 runs, so 2000 runs without any cannot be
    # chance. Whether it does with the atomic count is what the recording tells.
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("seen on compute capability 9.0")
    found = done("barrier", runs=2000).findings_of(Barriers)
    assert found.plain_count.wrong_runs > 0
    for side in found.without:
        assert all(wrong.error == round(wrong.error) != 0 for wrong in side.first)
    assert found.put_back.wrong_runs == 0


def test_only_what_has_locks_depends_on_the_order() -> None:
    found = done("order", runs=100).findings_of(Orders)
    same, wide, without = found.sides
    assert (same.partial_dtype, wide.partial_dtype, without.partial_dtype) == (
        "same",
        "float32",
        None,
    )
    assert same.distinct > 1
    assert np.median(same.spread) > np.median(wide.spread)
    assert without.distinct == 1
    assert not without.spread.any()


def test_strategies_without_locks_keep_what_they_promise() -> None:
    found = done("strategies").findings_of(Strategies)
    rows = {row.strategy: row for row in found.rows}
    assert set(rows) == {"locked", "atomic", "persistent", "split"}
    assert all(row.ms is not None and row.reason is None for row in rows.values())
    assert all(row.share is not None and 0 < row.share < 2 for row in rows.values())
    assert rows["persistent"].distinct == rows["split"].distinct == 1
    assert found.timeline is not None
    assert violations(found.timeline) == []
    timelines = found.timelines()
    assert [timeline.strategy for timeline in timelines] == [
        "locked",
        "atomic",
        "persistent",
        "split",
    ]
    for timeline in timelines:
        assert violations(timeline) == []
        assert timeline.cost is not None
        assert timeline.cost.plain_ns > 0
    told = {timeline.strategy: shares(timeline) for timeline in timelines}
    assert told["locked"].waiting + told["locked"].trying > 0.2  # 4096 rows share 128 locks
    assert told["atomic"].waiting == 0.0
    assert told["persistent"].waiting < 0.05
    assert 0.0 <= told["split"].waiting < 1.0
    assert told["persistent"].compute > 0.5

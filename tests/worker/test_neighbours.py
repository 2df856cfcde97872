"""Settings one step away, checked on the interpreter and timed with planted times."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
import torch

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import Change, ExperimentRequest
from lnexplorer.domain.experiments.neighbours import LEAST_ROUNDS, Neighbour, Neighbours, limits_of
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.worker import timing
from lnexplorer.worker.connection import Connection, JobCancelled, Task
from lnexplorer.worker.device import open_device
from lnexplorer.worker.experiments import neighbours
from lnexplorer.worker.experiments.work import Work
from lnexplorer.worker.measuring import Measurer
from lnkernels.launch import Launch
from lnkernels.values.environment import Device
from lnkernels.values.figures import DIRECTIONS, Figure, Throughput
from tests.sample_results import figure_of, make_device
from tests.worker.conftest import Patience, Wire

PROBLEM = RunRequest.of(m=4, n=32, group_size_m=2, num_warps=8)
CHANGES = (
    Change("strategy", "locked", "atomic"),
    Change("num_warps", 8, 4),
    Change("num_warps", 8, 16),
    Change("num_stages", 3, 2),
    Change("group_size_m", 2, 1),
)
NOISE = 0.004  # standard deviation of a round
Milliseconds = Callable[[Launch, str], float]


@pytest.fixture(scope="module")
def opened() -> tuple[torch.device, Device]:
    return open_device("interpreter")


@pytest.fixture
def work(
    opened: tuple[torch.device, Device],
    wire: Wire,
    patience: Patience,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Work]:
    """Return what makes an experiment that times as `milliseconds` has it, without a trace."""

    def work(milliseconds: Milliseconds, problem: RunRequest = PROBLEM, **given: Any) -> Work:
        random = np.random.default_rng(1)

        def figure(provider: Any, direction: str) -> Figure:
            launch = provider._launch
            noise = NOISE * (3 if launch.strategy == "atomic" else 1)
            ms = milliseconds(launch, direction) * random.normal(1.0, noise)
            return figure_of(np.full(30, ms), 1.0, provider.name, direction)

        def measure(_case: object, providers: list[Any], **others: Any) -> Throughput:
            figures = [figure(each, way) for each in providers for way in DIRECTIONS]
            for each in figures:
                others["on_turn"](each.subject)
            return Throughput(figures=tuple(figures))

        monkeypatch.setattr(timing, "measure", measure)
        monkeypatch.setattr(neighbours, "_traced", lambda _work: None)
        monkeypatch.setattr(neighbours, "changes_beside", lambda *_: list(CHANGES))
        own = EXPERIMENTS["neighbours"]
        request = own.complete(
            ExperimentRequest(name="neighbours", problem=problem, **given), "cuda"
        )
        told: list[Any] = []
        return Work(
            task=Task(7, cast("Connection", wire), cast("Any", patience)),
            request=request,
            resolved=own.resolve(request, "cuda", None),
            measurer=Measurer(*opened),
            torch_device=torch.device("cpu"),
            device=make_device("cuda"),
            tell=told.append,
        )

    return work


def fewer_warps_are_faster(launch: Launch, direction: str) -> float:
    """Return 0.1 ms forward and 0.2 ms backward with 8 warps, and 6 % less with 4."""
    ms = 0.1 if direction == "forward" else 0.2
    if launch.strategy != "locked":
        return 2 * ms
    return ms * {4: 1 / 1.06, 8: 1.0, 16: 1.2}[launch.num_warps]


def rows_of(found: Neighbours) -> dict[str, Neighbour]:
    return {str(row.change.text): row for row in found.rows}


def test_planted_differences_are_found_to_half_a_per_cent(work: Callable[..., Work]) -> None:
    found = neighbours.measure(work(fewer_warps_are_faster, budget_seconds=30.0))
    rows = rows_of(found)
    assert str(found.ranked()[0].change.text) == "num_warps 8 → 4"
    assert found.ms == pytest.approx(0.3, rel=0.01)
    for text, true in (
        ("num_warps 8 → 4", 1.06),
        ("num_warps 8 → 16", 1 / 1.2),
        ("strategy locked → atomic", 0.5),
        ("GROUP_SIZE_M 2 → 1", 1.0),
    ):
        gain = rows[text].gain
        assert rows[text].settled, text
        assert gain.low * 0.997 <= true <= gain.high * 1.003, text
        assert (gain.high - gain.low) / 2 <= 0.005 * gain.value
    assert [str(step.change.text) for step in found.steps()] == ["num_warps 8 → 4"]
    # What is known takes no more turns.
    counts = {row.rounds for row in found.rows}
    assert LEAST_ROUNDS <= min(counts) < max(counts) == found.rounds < 100


def test_the_budget_and_the_most_rounds_end_it(work: Callable[..., Work]) -> None:
    assert neighbours.measure(work(fewer_warps_are_faster, budget_seconds=0.0)).rounds == 0
    found = neighbours.measure(work(fewer_warps_are_faster, runs=3))
    assert found.rounds == 3
    assert str(found.rows[0].verdict) == "too few times"
    assert not found.steps()


def test_stop_ends_it_between_two_rounds_with_what_was_told(
    work: Callable[..., Work], patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = work(fewer_warps_are_faster, runs=9)
    told: list[Neighbours] = []

    def tell(found: Neighbours) -> None:
        told.append(found)
        if found.rounds == 2:
            monkeypatch.setattr(patience, "check", leave)

    def leave() -> None:
        raise JobCancelled

    object.__setattr__(planted, "tell", tell)
    with pytest.raises(JobCancelled):
        neighbours.measure(planted)
    assert [found.rounds for found in told] == [1, 2], "after each round"


def test_what_is_wrong_gets_no_time(
    work: Callable[..., Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    def losing(launch: Launch, direction: str) -> float:
        assert launch.num_stages != 2, "a wrong setting is not timed"
        return fewer_warps_are_faster(launch, direction)

    planted = work(losing, runs=1)
    honest = Measurer._check_one

    def check(self: Measurer, task: Any, request: Any, tensors: Any, one: Any, at: Any) -> None:
        honest(self, task, request, tensors, one, at)
        if one.provider._launch.num_stages == 2:
            one.refuse("incorrect", neighbours.say("dw is wrong"))

    monkeypatch.setattr(Measurer, "_check_one", check)
    row = rows_of(neighbours.measure(planted))["num_stages 3 → 2"]
    assert (row.right, row.rounds, str(row.reason)) == (False, 0, "dw is wrong")
    assert str(row.verdict) == "no time"


@pytest.mark.parametrize("strategy", ["locked", "split"])
def test_every_strategy_is_traced_once_for_its_limits(
    strategy: str,
    work: Callable[..., Work],
    opened: tuple[torch.device, Device],
    patience: Patience,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On the interpreter, where the order of events stands for times."""
    made = work(fewer_warps_are_faster, RunRequest.of(m=6, n=32, strategy=strategy))
    monkeypatch.undo()
    made = replace(made, device=opened[1], resolved=resolve(made.problem, "interpreter"))
    resolved = made.resolved
    patience.interruptible = lambda **_: nullcontext()  # type: ignore[assignment]
    traced = neighbours._traced(made)
    assert traced is not None
    assert (getattr(traced, "strategy", "locked"), traced.m) == (strategy, 6)
    figures = [figure_of(np.full(30, 0.1), 1.0, "locked", way) for way in DIRECTIONS]
    shares = [limit.share for limit in limits_of(resolved, figures, (), traced)]
    assert len(shares) >= 2
    assert all(share is not None and 0 < share <= 1 for share in shares)

"""A process that never loads a user's file judges what it gave."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.referee import Referee, RefereeError
from lnkernels.check.judging import Since, change, judge
from lnkernels.check.results import torch_results
from lnkernels.check.shuffling import Shuffle

CPU = torch.device("cpu")
PROBLEM = resolve(RunRequest(m=6, n=40, dtype="float32"), "interpreter")


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    made = Referee(CPU)
    yield made
    made.close()


def given(problem: ResolvedRequest, since: Since) -> dict[str, torch.Tensor]:
    """PyTorch's results of a problem's inputs, after all that was done to them."""
    inputs = inputs_of(problem, CPU)
    for _ in range(since.changes):
        change(inputs)
    if since.shuffled:
        shuffle = Shuffle(getattr(inputs, since.shuffled), since.seed)
        for _ in range(since.calls):
            shuffle()
    found = torch_results(inputs, problem.eps)
    return {name: getattr(found, name) for name in ("y", "dx", "dw", "db")}


@pytest.mark.parametrize(
    "since",
    [
        Since(),
        Since(changes=1),
        Since(shuffled="x", seed=3, calls=1030),
    ],
)
def test_it_makes_the_same_inputs_and_gives_the_verdict_of_this_process(
    since: Since, referee: Referee
) -> None:
    results, ask = given(PROBLEM, since), referee.judge_of(PROBLEM)
    right = ask(results, since)
    assert right.wrong is None
    assert right.correctness is not None
    assert [each.name for each in right.correctness.checks] == ["y", "dx", "dw", "db"]
    other = replace(since, calls=since.calls + 1) if since.shuffled else Since(changes=2)
    assert ask(results, other).wrong is not None, "these are not its inputs"
    results["dw"][3] += 1
    inputs = inputs_of(PROBLEM, CPU)
    theirs = torch_results(inputs, PROBLEM.eps)
    if since == Since():
        here = judge(results, inputs, PROBLEM.eps, PROBLEM.launch, theirs)
        assert str(ask(results, since).wrong) == str(here.wrong)


def test_of_a_pass_alone_only_its_results_are_judged(referee: Referee) -> None:
    results, ask = given(PROBLEM, Since()), referee.judge_of(PROBLEM)
    assert ask({"y": results["y"]}, Since()).wrong is None
    gradients = {"dx": results["dx"], "dw": results["dw"].float(), "db": results["db"]}
    assert ask(gradients, Since()).wrong is None
    gradients["dx"][0, 0] += 1
    assert str(ask(gradients, Since()).wrong).startswith("dx is wrong in 1 of its elements")


def test_one_that_ended_is_told_and_replaced(referee: Referee) -> None:
    results, ask = given(PROBLEM, Since()), referee.judge_of(PROBLEM)
    ask(results, Since())
    assert referee._process is not None
    os.kill(referee._process.pid, signal.SIGKILL)
    referee._process.wait()
    assert ask(results, Since()).wrong is None
    broken = replace(PROBLEM, data="none such")
    with pytest.raises(RefereeError, match=r"it could not be judged: .*none such"):
        referee.judge_of(broken)(results, Since())

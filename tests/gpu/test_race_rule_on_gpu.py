"""Sums are wrong only where the rule has found the fault."""

import pytest

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Finished

pytestmark = pytest.mark.gpu

PROBLEM = RunRequest.of(
    m=8192, n=2048, dtype="float16", strategy="locked", group_size_m=128, partial_dtype="same"
)
SWITCHES = ((False, True), (False, False), (True, True))  # barrier and atomic count


def test_sums_are_wrong_only_where_the_rule_finds_a_fault() -> None:
    jobs = [
        CompileJob(problem=PROBLEM.changed(barrier=barrier, atomic_count=atomic))
        for barrier, atomic in SWITCHES
    ]
    outcomes = run_in_turn([*jobs, ExperimentRequest(name="barrier", problem=PROBLEM, runs=1000)])
    *kernels, counted = [outcome.value for outcome in outcomes if isinstance(outcome, Finished)]
    assert len(kernels) == len(SWITCHES), outcomes
    assert isinstance(counted, ExperimentResult)
    found = counted.findings_of(Barriers)
    assert [(side.barrier, side.atomic_count) for side in found.sides] == [*SWITCHES]
    for compiled, side in zip(kernels, found.sides, strict=True):
        assert isinstance(compiled, Compiled)
        (stage1,) = (
            kernel for kernel in compiled.kernels if kernel.facts.name == "backward_stage1"
        )
        faults = {release.stage for release in stage1.releases if release.unguarded}
        assert faults == (set() if side.barrier else {"ptx", "sass"})
        assert faults or not side.wrong_runs
    assert found.plain_count.wrong_runs > 0, "else the race did not happen in these runs"

"""Wrong sums are counted exactly where the rule has found the fault."""

import pytest

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Finished

pytestmark = pytest.mark.gpu

PROBLEM = RunRequest.of(m=8192, n=2048, dtype="float16", strategy="locked", group_size_m=128)


def test_sums_are_wrong_exactly_where_the_rule_finds_a_fault() -> None:
    jobs = [CompileJob(problem=PROBLEM.changed(barrier=barrier)) for barrier in (False, True)]
    outcomes = run_in_turn([*jobs, ExperimentRequest(name="barrier", problem=PROBLEM, runs=1000)])
    values = [outcome.value for outcome in outcomes if isinstance(outcome, Finished)]
    assert len(values) == 3, outcomes
    left_out, put_back, counted = values
    assert isinstance(left_out, Compiled)
    assert isinstance(put_back, Compiled)
    assert isinstance(counted, ExperimentResult)
    sides = counted.findings_of(Barriers)
    for compiled, side in ((left_out, sides.left_out), (put_back, sides.put_back)):
        (stage1,) = (
            kernel for kernel in compiled.kernels if kernel.facts.name == "backward_stage1"
        )
        assert {
            release.stage
            for release in stage1.releases
            if bool(release.unguarded) == (side.wrong_runs > 0)
        } == {
            "ptx",
            "sass",
        }
    assert sides.left_out.wrong_runs > 0, "else the race did not happen in these runs"

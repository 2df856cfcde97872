"""An experiment of a real worker on the interpreter."""

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import run_to_end
from lnexplorer.protocol.messages import EngineEvent, Finished, JobPart


def test_what_an_experiment_has_found_is_told_before_its_end() -> None:
    heard: list[EngineEvent] = []
    request = ExperimentRequest(name="order", problem=RunRequest.of(m=4, n=16, group_size_m=2), runs=2)
    outcome = run_to_end(request, "interpreter", heard.append)
    assert isinstance(outcome, Finished), outcome
    assert isinstance(outcome.value, ExperimentResult)
    parts = [event.part for event in heard if isinstance(event, JobPart)]
    assert [len(part.order.sides) for part in parts if isinstance(part, ExperimentResult) and part.order is not None] == [1, 2, 3]
    assert all(isinstance(part, ExperimentResult) and part.request == outcome.value.request for part in parts)

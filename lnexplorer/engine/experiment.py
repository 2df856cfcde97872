"""Records an experiment, however it ends."""

from datetime import UTC, datetime

from lnexplorer.domain.experiments.catalogue import (
    FAILED,
    STOPPED,
    ExperimentRecord,
    ended_early,
    finished,
)
from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.protocol.messages import (
    Broken,
    EngineEvent,
    Finished,
    JobPart,
    JobProgress,
    Outcome,
    Stopped,
    WorkerReady,
)
from lnkernels.values import Sentence
from lnkernels.values.environment import Device


class ExperimentRecorder:
    """Follows the job of one experiment, and makes its record."""

    def __init__(self, request: ExperimentRequest, device: Device | None = None) -> None:
        self.request = request
        self._device = device
        self._steps = (0, 0)  # behind it, and of how many
        self.result: ExperimentResult | None = None  # so far

    def hear(self, event: EngineEvent) -> None:
        """Take an event of the job or of its worker; others change nothing."""
        match event:
            case WorkerReady(device=device):
                self._device = device
            case JobProgress(done=done, total=total):
                self._steps = (done, total)
            case JobPart(part=ExperimentResult() as result):
                self.result = result

    def record(self, outcome: Outcome) -> ExperimentRecord | None:
        """Return the record of a job that has ended; None if it never began."""
        match outcome:
            case Finished(ExperimentResult() as result):
                return finished(result)
            case Stopped():
                return self._early(STOPPED)
            case Broken(sentence=sentence):
                return self._early(FAILED, sentence)
            case _:
                return None

    def _early(self, how: str, reason: Sentence | None = None) -> ExperimentRecord | None:
        if self._device is None:
            return None
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return ended_early(self.request, self._device, now, how, reason, self._steps, self.result)

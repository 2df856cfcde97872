"""A worker that has no kernels and answers at once, with invented figures of a GPU that is not
there: for `live_times.py`.

What a window takes between a move and a drawn point can then be measured without a GPU. Nothing
that it says was measured.
"""

from dataclasses import replace

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.messages import (
    Broken,
    Do,
    Finished,
    JobEnded,
    JobPart,
    JobProgress,
    WorkerReady,
)
from lnexplorer.worker.connection import Connection
from lnkernels.values.environment import Kind, Provenance
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import verbatim
from tests.engine.stand_in import connect
from tests.sample_results import (
    make_correctness,
    make_device,
    make_environment,
    make_figure,
    make_throughput,
)


class Worker:
    """Answers each command before it takes the next."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._send = connection.send
        self._device = make_device()
        self._environment = make_environment()

    def serve(self) -> None:
        self._send(WorkerReady(self._device))
        while command := self._connection.next_job():
            match command:
                case Do(job, MeasureRequest() as request):
                    self._measure(job, request)
                case Do(job, RunJob(request)):
                    self._send(JobEnded(job, Finished(self._result(request))))
                case Do(job):
                    self._send(
                        JobEnded(job, Broken("run", verbatim("This worker has no kernels."), ""))
                    )
                case _:
                    pass  # nothing is compiled here

    def _measure(self, job: int, request: MeasureRequest) -> None:
        self._send(JobProgress(job, "run", None, 0, 0))
        label, setting = request.labels[0], request.settings[0]
        figures = tuple(
            self._figure(label, setting, direction, request) for direction in request.directions
        )
        for figure in figures:
            self._send(JobPart(job, figure))
        measured = Measured(
            request=request,
            problem=request.subject,
            kind=Kind.MEASURED,
            outcomes=(
                CandidateOutcome(label=label, status="ok", setting=setting, figures=figures),
            ),
            before=self._environment,
            after=self._environment,
        )
        self._send(JobEnded(job, Finished(measured)))

    def _figure(
        self, label: str, setting: RunRequest, direction: str, request: MeasureRequest
    ) -> Figure:
        gbps = 1000.0 + (setting.launch.group_size_m or 64)
        resolved = resolve(setting, "cuda", self._device.limits)
        return replace(
            make_figure("locked", direction, gbps, resolved, mode=request.modes[0]), provider=label
        )

    def _result(self, request: RunRequest) -> RunResult:
        resolved = resolve(request, "cuda", self._device.limits)
        return RunResult(
            request=request,
            resolved=resolved,
            provenance=Provenance(kind=Kind.MEASURED, environment=self._environment),
            correctness=make_correctness(),
            compiled=(),
            throughput=make_throughput(resolved),
        )


if __name__ == "__main__":
    Worker(connect()[0]).serve()

"""A worker that has no kernels and answers at once, with invented figures of a GPU that is not there: for
`live_times.py`.

What a window takes between a move and a drawn point can then be measured without a GPU. Nothing that it says was
measured.
"""

import argparse
import os
import sys
import threading
import time
from dataclasses import replace

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.codec import read_frame, write_frame
from lnexplorer.protocol.messages import (
    Broken,
    Do,
    Finished,
    Heartbeat,
    JobEnded,
    JobPart,
    JobProgress,
    WorkerEvent,
    WorkerReady,
    decode_command,
    encode_message,
)
from lnkernels.sentence import verbatim
from lnkernels.values.environment import Kind, Provenance
from lnkernels.values.figures import Figure
from tests.sample_results import make_correctness, make_device, make_environment, make_figure, make_throughput

BEAT_SECONDS = 0.3


class Worker:
    """Reads commands until there are none any more."""

    def __init__(self, commands: int, events: int) -> None:
        self._commands = os.fdopen(commands, "rb")
        self._events = os.fdopen(events, "wb")
        self._writing = threading.Lock()
        self._device = make_device()
        self._environment = make_environment()

    def serve(self) -> None:
        """Answer each command before the next is read."""
        self._send(WorkerReady(self._device))
        threading.Thread(target=self._beat, daemon=True).start()
        while (frame := read_frame(self._commands)) is not None:
            match decode_command(frame):
                case Do(job, MeasureRequest() as request):
                    self._measure(job, request)
                case Do(job, RunJob(request)):
                    self._send(JobEnded(job, Finished(self._result(request))))
                case Do(job):
                    self._send(JobEnded(job, Broken("run", verbatim("This worker has no kernels."), "")))
                case _:
                    pass  # nothing is compiled here, and every job has ended when the next command is read

    def _measure(self, job: int, request: MeasureRequest) -> None:
        self._send(JobProgress(job, "run", None, 0, 0))
        label, setting = request.labels[0], request.settings[0]
        figures = tuple(self._figure(label, setting, direction, request) for direction in request.directions)
        for figure in figures:
            self._send(JobPart(job, figure))
        measured = Measured(
            request=request,
            problem=request.subject,
            kind=Kind.MEASURED,
            outcomes=(CandidateOutcome(label=label, status="ok", setting=setting, figures=figures),),
            ceilings=(),
            before=self._environment,
            after=self._environment,
            warnings=(),
            timing_seconds=0.0,
            total_seconds=0.0,
        )
        self._send(JobEnded(job, Finished(measured)))

    def _figure(self, label: str, setting: RunRequest, direction: str, request: MeasureRequest) -> Figure:
        gbps = 1000.0 + (setting.launch.group_size_m or 64)
        resolved = resolve(setting, "cuda", self._device.limits)
        return replace(make_figure("locked", direction, gbps, resolved, mode=request.modes[0]), provider=label)

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

    def _send(self, event: WorkerEvent) -> None:
        try:
            with self._writing:
                write_frame(self._events, encode_message(event))
        except OSError:
            os._exit(0)

    def _beat(self) -> None:
        while True:
            time.sleep(BEAT_SECONDS)
            self._send(Heartbeat())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option, kind in (("--commands", int), ("--events", int), ("--device", str), ("--parent", int)):
        parser.add_argument(option, type=kind)
    options = parser.parse_args()
    Worker(options.commands, options.events).serve()
    sys.exit(0)

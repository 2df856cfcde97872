"""A worker that measures nothing: it answers at once with invented figures, and misbehaves for some
settings.

GROUP_SIZE_M = 7 hangs, 9 kills the process, 11 is not within tolerance, 17 kills who hosts the
worker; each time it is asked. 19 waits for its turn. "cuda:5" is another kind of GPU. What it is
asked is written to the file that LNEXPLORER_FAKE_LOG names, a line for every candidate: device and
label. While the file that LNEXPLORER_FAKE_HOLD names is there, it does no more jobs than that says.
"""

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from lnexplorer.domain.measuring import WAITING, CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.protocol.messages import (
    Do,
    Finished,
    JobEnded,
    JobPart,
    JobProgress,
    WorkerReady,
    WorkerUnusable,
)
from lnexplorer.worker.connection import Connection
from lnkernels.launch import limits_for_architecture
from lnkernels.values.accuracy import TensorErrors
from lnkernels.values.environment import Device, Environment, Kind
from lnkernels.values.sentence import say, verbatim
from tests.engine.stand_in import connect
from tests.sample_results import figure_of

HANGS, DIES, WRONG, HOST_DIES, WAITS = 7, 9, 11, 17, 19
CELL_SECONDS = float(os.environ.get("LNEXPLORER_FAKE_SECONDS", "0.01"))
HOLD = Path(os.environ.get("LNEXPLORER_FAKE_HOLD", "/nonexistent"))
ENVIRONMENT = Environment(
    date="2026-01-01T00:00:00+00:00", python="3.12", torch="2.11", triton="3.6", gpu="NVIDIA H200"
)


class Worker:
    def __init__(self, connection: Connection, device: str) -> None:
        self._connection = connection
        self.send = connection.send
        self._name = "cuda:0" if device == "auto" else device
        self._environment = (
            replace(ENVIRONMENT, gpu="NVIDIA A100") if device == "cuda:5" else ENVIRONMENT
        )
        self._begun = 0  # jobs
        self._log = Path(os.environ["LNEXPLORER_FAKE_LOG"])

    def serve(self) -> None:
        if self._name == "cuda:9":
            self.send(WorkerUnusable(verbatim("There is no GPU 9.")))
            return
        self.send(WorkerReady(self._device()))
        while command := self._connection.next_job():
            if isinstance(command, Do):
                threading.Thread(target=self._measure, args=(command,), daemon=True).start()

    def _measure(self, command: Do) -> None:
        request = command.request
        assert isinstance(request, MeasureRequest)
        self._begun += 1
        while self._is_held():
            time.sleep(0.01)
        outcomes = []
        settings = (*request.settings, *[None] * len(request.providers))
        for number, (label, setting) in enumerate(zip(request.labels, settings, strict=True)):
            self.send(JobProgress(command.job, "run", verbatim(label), number, len(request.labels)))
            with self._log.open("a") as log:
                log.write(f"{self._name} {request.subject.n} {label}\n")
            group = None if setting is None else setting.launch.group_size_m
            if group == WAITS:
                self.send(
                    JobProgress(
                        command.job, "run", say(WAITING.template, who="ada (process 7)"), 0, 0
                    )
                )
            elif group == HANGS:
                time.sleep(3600)
            elif group == DIES:
                os.kill(os.getpid(), signal.SIGKILL)
            elif group == HOST_DIES:
                os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(CELL_SECONDS)
            outcomes.append(_outcome(label, setting, request, correct=group != WRONG))
            self.send(JobPart(command.job, outcomes[-1]))
        measured = Measured(
            request=request,
            problem=request.subject,
            kind=Kind.MEASURED,
            outcomes=tuple(outcomes),
            ceilings=(),
            before=self._environment,
            after=self._environment,
            warnings=(),
            timing_seconds=CELL_SECONDS * len(outcomes),
            total_seconds=2 * CELL_SECONDS * len(outcomes),
        )
        self.send(JobEnded(command.job, Finished(measured)))

    def _is_held(self) -> bool:
        try:
            return self._begun > int(HOLD.read_text())
        except FileNotFoundError:
            return False

    def _device(self) -> Device:
        return Device(
            backend="cuda",
            name="NVIDIA H200",
            index=int(self._name.removeprefix("cuda:")),
            limits=limits_for_architecture("sm_90"),
            free_memory_bytes=128 << 30,
            notes=(),
            environment=self._environment,
        )


def _outcome(
    label: str, setting: RunRequest | None, request: MeasureRequest, *, correct: bool
) -> CandidateOutcome:
    time_ms = 1.0 + (
        0.0
        if setting is None
        else 1.0 / (setting.launch.group_size_m or 96) + 0.1 / (setting.launch.num_warps or 8)
    )
    samples = time_ms * np.linspace(0.99, 1.01, 51)
    wanted = [(direction, mode) for direction in request.directions for mode in request.modes]
    figures = [
        figure_of(samples, 1000 / time_ms, label, direction, mode) for direction, mode in wanted
    ]
    return CandidateOutcome(
        label=label,
        status="ok" if correct else "incorrect",
        setting=setting,
        reason=None if correct else say("dw is not within its tolerance."),
        errors=tuple(
            TensorErrors(
                name=name,
                max_abs=1e-3,
                torch_max_abs=2e-3,
                tolerance=1e-2,
                passed=correct or name != "dw",
            )
            for name in ("y", "dx", "dw", "db")
        ),
        figures=tuple(figures) if correct else (),
    )


if __name__ == "__main__":
    Worker(*connect(lambda _: os._exit(0))).serve()

"""From a command to its one answer."""

from dataclasses import replace
from typing import assert_never

import torch

from lnexplorer.domain.experiments.request import check_experiment
from lnexplorer.domain.measuring import check_measure
from lnexplorer.domain.peers import check_peers
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.protocol.codec import encode
from lnexplorer.protocol.messages import (
    Cancelled,
    Conduct,
    Conducted,
    Inspect,
    Inspected,
    JobEvent,
    Measure,
    MeasureFinished,
    Prepare,
    Rejected,
    Run,
    RunFinished,
    Touch,
    TouchFinished,
    Trace,
    TraceFinished,
    Work,
)
from lnexplorer.worker.cancellation import Cancellation, JobCancelled
from lnexplorer.worker.compile_facts import CompileFacts
from lnexplorer.worker.device import free_memory_bytes
from lnexplorer.worker.experiment import Experiment
from lnexplorer.worker.experiments.conduct import conduct
from lnexplorer.worker.experiments.waits import with_waits
from lnexplorer.worker.failure import failed
from lnexplorer.worker.inspection import KEPT_BYTES, LastRun, impossible, inspect
from lnexplorer.worker.link import Link
from lnexplorer.worker.measuring.job import Measurer
from lnexplorer.worker.offered import offered
from lnexplorer.worker.task import Task
from lnexplorer.worker.touch import touch
from lnexplorer.worker.trace import trace
from lnkernels.compiled.ahead import Ahead
from lnkernels.launch import Problem
from lnkernels.providers.discovery import discover
from lnkernels.strategies.registry import use_what_was_tuned
from lnkernels.values.environment import Device


class Dispatch:
    """Does jobs, one after another, and sends exactly one last event for each."""

    def __init__(
        self, link: Link, cancellation: Cancellation, torch_device: torch.device, device: Device, ahead: Ahead | None = None
    ) -> None:
        self._link = link
        self._cancellation = cancellation
        self._torch_device = torch_device
        found = discover()
        self._device = device = replace(device, offered=offered(found))
        self._experiment = Experiment(torch_device, device, CompileFacts(), found)
        self._measurer = Measurer(torch_device, device, found, ahead)
        self._last: LastRun | None = None

    @property
    def device(self) -> Device:
        """What jobs are done on, with who can be timed there."""
        return self._device

    @property
    def has_leisure_work(self) -> bool:
        """Whether `at_leisure` has something to do."""
        return self._measurer.compilation.busy

    def at_leisure(self) -> None:
        """Use a moment between two jobs."""
        self._measurer.compilation.top_up()

    def prepare(self, command: Prepare) -> None:
        """Have settings compiled ahead."""
        self._measurer.compilation.later(command.requests)

    def do(self, command: Work) -> bool:
        """Do a job; whether the device is still there after it."""
        task = Task(command.job, self._link, self._cancellation)
        try:
            last_words = encode(self._answer(task, command))
        except JobCancelled:
            last_words = encode(Cancelled(job=task.number))
        except Exception as error:  # noqa: BLE001 - whatever ends a job, it is told
            failure = failed(task.number, task.phase, error, self._torch_device)
            self._link.send(failure)
            return not failure.device_lost
        self._link.send_bytes(last_words)
        return True

    def _answer(self, task: Task, command: Work) -> JobEvent:
        task.check()
        use_what_was_tuned()
        match command:
            case Run():
                return self._run(task, command)
            case Trace():
                return self._trace(task, command)
            case Inspect():
                return self._inspect(task, command)
            case Measure():
                return self._measure(task, command)
            case Conduct():
                return self._conduct(task, command)
            case Touch():
                return self._touch(task, command)
            case _:
                assert_never(command)

    def _run(self, task: Task, command: Run) -> RunFinished | Rejected:
        self._last = None  # its tensors make room before memory is counted
        self._measurer.forget()
        problems = (*self._problems(command.request), *check_peers(command.providers))
        if problems:
            return Rejected(job=task.number, problems=problems)
        # Its autograd path comes last: what is being compiled now will hardly last until then.
        with self._measurer.compilation.quiet(task.check, wait_seconds=0.0):
            result, last = self._experiment.run(task, command.request, command.providers)
        self._last = last if last.nbytes <= KEPT_BYTES else None
        return RunFinished(job=task.number, result=result)

    def _trace(self, task: Task, command: Trace) -> TraceFinished | Rejected:
        problems = self._problems(command.request)
        if problems:
            return Rejected(job=task.number, problems=problems)
        outcome = trace(task, command.request, self._device.backend, self._torch_device)
        if isinstance(outcome, list):
            return Rejected(job=task.number, problems=tuple(outcome))
        return TraceFinished(job=task.number, timeline=outcome)

    def _measure(self, task: Task, command: Measure) -> MeasureFinished | Rejected:
        if free_memory_bytes(self._torch_device) < 4 * KEPT_BYTES:
            self._last = None  # else the errors of the last run can still be looked at
        problems = check_measure(command.request)
        if not problems and command.request.modes and self._device.backend != "cuda":
            allowed = "choose a GPU to time on: the interpreter's times mean nothing"
            problems = [Problem("device", self._device.backend, allowed)]
        if not problems:
            problems = check(command.request.subject, self._device.backend, limits=self._device.limits)
        if problems:
            return Rejected(job=task.number, problems=tuple(problems))
        measured = self._measurer.measure(task, command.request)
        if command.request.waits:
            measured = with_waits(task, measured, self._device.backend, self._torch_device)
        return MeasureFinished(job=task.number, measured=measured)

    def _conduct(self, task: Task, command: Conduct) -> Conducted | Rejected:
        self._last = None
        self._measurer.forget()
        problems = check_experiment(command.request, self._device.backend, self._device.limits)
        if problems:
            return Rejected(job=task.number, problems=tuple(problems))
        result = conduct(task, command.request, self._measurer, self._torch_device, self._device)
        return Conducted(job=task.number, result=result)

    def _touch(self, task: Task, command: Touch) -> TouchFinished | Rejected:
        outcome = check(command.request.problem, "interpreter") or touch(task, command.request)
        if isinstance(outcome, list):
            return Rejected(job=task.number, problems=tuple(outcome))
        return TouchFinished(job=task.number, touched=outcome)

    def _inspect(self, task: Task, command: Inspect) -> Inspected | Rejected:
        problems = impossible(self._last, command)
        if problems or self._last is None:
            return Rejected(job=task.number, problems=tuple(problems))
        task.begin("run")
        return Inspected(job=task.number, map=inspect(self._last, command))

    def _problems(self, request: RunRequest) -> tuple[Problem, ...]:
        return tuple(check(request, self._device.backend, free_memory_bytes(self._torch_device), self._device.limits))

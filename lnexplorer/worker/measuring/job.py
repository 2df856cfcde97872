"""One measurement from its request to its end."""

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import torch

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest, Status
from lnexplorer.protocol.messages import CandidateMeasured, FigureReady, PhaseStarted, Progress
from lnexplorer.worker.device import free_memory_bytes
from lnexplorer.worker.measuring.candidates import Candidate, candidates
from lnexplorer.worker.measuring.checks import Verdict, check_candidate
from lnexplorer.worker.measuring.compilation import Compilation
from lnexplorer.worker.measuring.problem import Problem, Problems
from lnexplorer.worker.measuring.spending import Spending
from lnexplorer.worker.task import Task
from lnkernels.compiled.ahead import Ahead
from lnkernels.device import environment
from lnkernels.failures import free_what_was_left, in_one_line
from lnkernels.measure import MEASURED, measure
from lnkernels.providers.discovery import Found, discover
from lnkernels.timing.rounds import Effort
from lnkernels.values.environment import Device, Kind
from lnkernels.values.figures import CEILINGS, DIRECTIONS, MODES, Direction, Figure, Measurement, Mode, Subject

TELL_SECONDS = 0.1  # between two messages about the same figure
# Of a measurement that gives each figure a time of its own: turns long enough that what happens between them costs little.
LONG_TURN = 200
LONG_TURN_MS = 25.0


class Measurer:
    """What all measurements of a worker share."""

    def __init__(
        self, torch_device: torch.device, device: Device, found: Found | None = None, ahead: Ahead | None = None
    ) -> None:
        self._torch_device = torch_device
        self._device = device
        self._problems = Problems(torch_device, device)
        self._found = found or discover()  # which looks through all installed packages
        self.compilation = Compilation(torch_device, device, self._found, ahead)

    def forget(self) -> None:
        """Give the memory of the newest problem back."""
        self._problems.forget()

    def measure(self, task: Task, request: MeasureRequest) -> Measured:
        """Check every candidate, time those that are right, and tell of each as soon as it is final.

        Args:
            task: the job.
            request: one that `lnexplorer.domain.measuring.check_measure` passes, with modes to time on a GPU only.

        Raises:
            JobCancelled: the job was cancelled.
        """
        began = time.perf_counter()
        spending = Spending()
        spending.enter("inputs")
        task.begin("compile")
        task.step("inputs", 0, 0)
        free = free_memory_bytes(self._torch_device)
        found = candidates(request, self._device, free, self._found)
        try:
            problem = self._problems.make(request.subject)
        except torch.OutOfMemoryError as error:
            return self._too_large(task, request, found, error, began)
        settings = [one.provider for one in found if one.setting is not None and one.provider is not None]
        spending.enter("compile")
        self.compilation.begin(settings, problem.case)
        verdicts = []
        for number, candidate in enumerate(found):
            begin = self._beginner(task, spending, candidate.label, number, len(found))
            spending.enter("compile")
            self.compilation.top_up()
            verdict = check_candidate(
                candidate,
                problem,
                self.compilation,
                autograd="autograd" in request.modes,
                begin=begin,
                check_in=task.check,
            )
            verdicts.append(verdict)
            if verdict.status != "ok":
                task.link.send(CandidateMeasured(job=task.number, outcome=_outcome(verdict, ())))
        spending.leave()
        return self._timed(task, request, problem, verdicts, spending, began)

    def _too_large(self, task: Task, request: MeasureRequest, found: list[Candidate], error: Exception, began: float) -> Measured:
        """Everybody's outcome where not even the inputs fit into memory."""
        reason = in_one_line(error)
        free_what_was_left(error)
        verdicts = [
            Verdict(one, one.status, one.reason) if one.status != "ok" else Verdict(one, "out_of_resources", reason)
            for one in found
        ]
        outcomes = tuple(_outcome(verdict, ()) for verdict in verdicts)
        for outcome in outcomes:
            task.link.send(CandidateMeasured(job=task.number, outcome=outcome))
        now = environment(self._torch_device)
        return Measured(
            request=request,
            problem=self._problems.pinned(request.subject),
            kind=self._kind,
            outcomes=outcomes,
            ceilings=(),
            before=now,
            after=now,
            warnings=(),
            timing_seconds=0.0,
            total_seconds=time.perf_counter() - began,
        )

    @property
    def _kind(self) -> Kind:
        return Kind.MEASURED if self._device.backend == "cuda" else Kind.INTERPRETED

    def _beginner(self, task: Task, spending: Spending, label: str, number: int, total: int) -> Callable[[str], None]:
        def begin(phase: str) -> None:
            spending.enter("compile" if phase == "compile" else "check")
            task.begin(phase)
            task.step(label, number, total)

        return begin

    def _timed(
        self,
        task: Task,
        request: MeasureRequest,
        problem: Problem,
        verdicts: list[Verdict],
        spending: Spending,
        began: float,
    ) -> Measured:
        spending.enter("environment")
        # Here, when the GPU has just worked, its clocks are those of work.
        before = environment(self._torch_device)
        spending.enter("quiet")
        with self.compilation.quiet(task.check) if "autograd" in request.modes else nullcontext():
            spending.leave()
            timed = self._time(task, request, problem, verdicts) if request.modes else Measurement()
        spending.add("capture", timed.preparing_seconds)
        spending.enter("environment")
        after = environment(self._torch_device) if request.modes else before
        spending.leave()
        task.check()
        outcomes = [_with_times(verdict, timed) for verdict in verdicts]
        for verdict, outcome in zip(verdicts, outcomes, strict=True):
            if verdict.status == "ok":
                ahead = replace(outcome, around=(before, after)) if outcome.figures else outcome
                task.link.send(CandidateMeasured(job=task.number, outcome=ahead))
        shown = tuple(figure for outcome in outcomes for figure in outcome.figures)
        ceilings = tuple(each for each in timed.figures if each.provider in CEILINGS.values())
        return Measured(
            request=request,
            problem=problem.request,
            kind=self._kind,
            outcomes=tuple(outcomes),
            ceilings=ceilings,
            before=before,
            after=after,
            warnings=doubts(before, after, shown + ceilings),
            timing_seconds=timed.timing_seconds,
            total_seconds=time.perf_counter() - began,
            spent=spending.spent,
        )

    def _time(self, task: Task, request: MeasureRequest, problem: Problem, verdicts: list[Verdict]) -> Measurement:
        right = [one.candidate.provider for one in verdicts if one.status == "ok" and one.candidate.provider is not None]
        if not right and not request.with_ceilings:
            return Measurement()
        labels = {provider.name: number for number, provider in enumerate(right)}

        def turn(subject: Subject) -> None:
            number = labels.get(subject.provider, 0)
            task.link.send(Progress(job=task.number, step=subject.provider, done=number, total=len(right)))
            self.compilation.top_up()

        told: dict[Subject, float] = {}

        def tell(figure: Figure) -> None:
            # Samples come along every time, so that a message a turn would be more of them than there are.
            now = time.monotonic()
            if now - told.get(figure.subject, -math.inf) < TELL_SECONDS:
                return
            told[figure.subject] = now
            task.link.send(FigureReady(job=task.number, figure=figure))

        task.check()
        task.link.send(PhaseStarted(job=task.number, phase="run"))
        return measure(
            problem.case,
            right,
            which=_which(request),
            effort=_effort(request),
            should_stop=lambda: task.cancelled,
            on_figure=tell,
            on_turn=turn,
            check=lambda _: None,
            ceilings=MEASURED if request.with_ceilings else None,
            ceilings_last=request.ceilings_last,
        )


def _which(request: MeasureRequest) -> list[tuple[Direction, Mode]]:
    """Cold kernels first, and of each way of calling the forward pass first."""
    modes = [mode for mode in MODES if mode in request.modes]
    return [(direction, mode) for mode in modes for direction in DIRECTIONS if direction in request.directions]


def _effort(request: MeasureRequest) -> Effort:
    effort = Effort(seconds=request.seconds, most=request.most, within=request.within, least_seconds=request.least_seconds)
    return replace(effort, turn=LONG_TURN, turn_ms=LONG_TURN_MS) if request.least_seconds > 0 else effort


def _with_times(verdict: Verdict, timed: Measurement) -> CandidateOutcome:
    label = verdict.candidate.label
    found = tuple(figure for figure in timed.figures if figure.provider == label)
    refused = [refusal for refusal in timed.refusals if refusal.provider == label]
    if verdict.status == "ok" and refused:
        reason = "; ".join(f"{each.direction}, {each.mode}: {each.reason}" if each.mode else each.reason for each in refused)
        kind = refused[0].kind
        status: Status = "ok" if found else "invalid" if kind == "unavailable" else kind
        verdict = replace(verdict, status=status, reason=reason)
    return _outcome(verdict, found)


def _outcome(verdict: Verdict, found: tuple[Figure, ...]) -> CandidateOutcome:
    return CandidateOutcome(
        label=verdict.candidate.label,
        status=verdict.status,
        setting=verdict.candidate.setting,
        reason=verdict.reason,
        errors=verdict.errors,
        compiled=verdict.compiled,
        figures=found,
    )

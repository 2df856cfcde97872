"""One measurement from its request to its end: each candidate is checked, and those that are right
are timed in turns.
"""

import math
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace

import torch

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest, Status
from lnexplorer.domain.peers import with_hint
from lnexplorer.domain.request import RunRequest, check, resolve
from lnexplorer.worker import turns
from lnexplorer.worker.compilation import Compilation
from lnexplorer.worker.connection import Task
from lnexplorer.worker.device import free_memory_bytes
from lnexplorer.worker.run import LastRun, inputs_of
from lnexplorer.worker.throughput import why_missing
from lnkernels.check.inputs import Inputs
from lnkernels.check.results import Results, torch_results
from lnkernels.check.verifier import Verifier
from lnkernels.compiled.ahead import Ahead
from lnkernels.device import environment
from lnkernels.failures import device_is_lost, free_what_was_left, kind_of, reason_of
from lnkernels.launch.settings import problems_sentence
from lnkernels.providers.discovery import Found, discover
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Case, Provider, is_unproven
from lnkernels.timing.measure import MEASURED, measure
from lnkernels.timing.rounds import Effort
from lnkernels.values.environment import Device, Kind
from lnkernels.values.figures import (
    CEILINGS,
    DIRECTIONS,
    MODES,
    Direction,
    Figure,
    Measurement,
    Mode,
    Subject,
)
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim

TELL_SECONDS = 0.1  # between two messages about the same figure
# Of a measurement that gives each figure a time of its own: turns long enough that what happens
# between them costs little.
LONG_TURN = 200
LONG_TURN_MS = 25.0


@dataclass(slots=True)
class MeasuredCandidate:
    """One of a request: what became of it so far, and who it is, where it can be launched here."""

    outcome: CandidateOutcome
    provider: Provider | None = None

    def end(self, status: Status, reason: Sentence | None) -> None:
        self.outcome = replace(self.outcome, status=status, reason=reason)


@dataclass(frozen=True, slots=True)
class ProblemTensors:
    """Tensors that every candidate is given."""

    request: RunRequest  # with m and n written out
    case: Case  # its launch is the heuristics'
    theirs: Results  # PyTorch's


class Measurer:
    """What all measurements of a worker share."""

    def __init__(
        self,
        torch_device: torch.device,
        device: Device,
        found: Found | None = None,
        ahead: Ahead | None = None,
    ) -> None:
        self._torch_device = torch_device
        self._device = device
        self._kept: ProblemTensors | None = None  # the newest
        self.last: LastRun | None = None  # of a kernel of one's own; an inspection looks at it
        self._found = found or discover()  # which looks through all installed packages
        self.compilation = Compilation(torch_device, device, ahead)

    def forget(self) -> None:
        self._kept = self.last = None

    def measure(self, task: Task, request: MeasureRequest, found: Found | None = None) -> Measured:
        """Check every candidate, time those that are right, and tell of each as soon as it is
        final; `found` has others than those that are declared.

        Raises:
            JobCancelled: the job was cancelled.
        """
        began = time.perf_counter()
        task.begin("compile")
        task.step(say("inputs"), 0, 0)
        candidates = self._candidates(request, found or self._found)
        material, timed = self._try_material(request.subject, candidates), Measurement()
        if material is not None:
            settings = [
                one.provider
                for one in candidates
                if one.outcome.setting is not None and one.provider is not None
            ]
            self.compilation.begin(settings, material.case)
            for number, candidate in enumerate(candidates):
                self.compilation.top_up()
                self._check(task, request, candidate, material, (number, len(candidates)))
                if candidate.outcome.status != "ok":
                    task.tell(candidate.outcome)
        # Here, when the GPU has just worked, its clocks are those of work.
        before = after = environment(self._torch_device)
        if material is not None and request.modes:
            with (
                self.compilation.quiet(task.check) if "autograd" in request.modes else nullcontext()
            ):
                timed = self._time(task, request, material, candidates)
            after = environment(self._torch_device)
        task.check()
        for candidate in candidates:
            if candidate.outcome.status == "ok":
                candidate.outcome = _with_times(candidate.outcome, timed)
                task.tell(
                    replace(
                        candidate.outcome,
                        around=(before, after) if candidate.outcome.figures else None,
                    )
                )
        outcomes = tuple(candidate.outcome for candidate in candidates)
        ceilings = tuple(each for each in timed.figures if each.provider in CEILINGS.values())
        shown = tuple(figure for outcome in outcomes for figure in outcome.figures)
        return Measured(
            request=request,
            problem=self._pinned(request.subject),
            kind=Kind.MEASURED if self._device.backend == "cuda" else Kind.INTERPRETED,
            outcomes=outcomes,
            ceilings=ceilings,
            before=before,
            after=after,
            warnings=doubts(before, after, shown + ceilings),
            timing_seconds=timed.timing_seconds,
            total_seconds=time.perf_counter() - began,
        )

    def _candidates(self, request: MeasureRequest, found: Found) -> list[MeasuredCandidate]:
        """Everybody in the request, in the order of its labels."""
        free = free_memory_bytes(self._torch_device)
        labels = iter(request.labels)
        settings = [self._of_setting(next(labels), setting, free) for setting in request.settings]
        return settings + [
            self._of_provider(next(labels), name, found) for name in request.providers
        ]

    def _of_setting(self, label: str, setting: RunRequest, memory_bytes: int) -> MeasuredCandidate:
        made = MeasuredCandidate(CandidateOutcome(label=label, status="ok", setting=setting))
        backend, limits = self._device.backend, self._device.limits
        if problems := check(setting, backend, limits=limits):
            made.end("invalid", problems_sentence(problems))
        elif problems := check(setting, backend, memory_bytes, limits):
            made.end("out_of_resources", problems_sentence(problems))
        else:
            launch = resolve(setting, backend, limits).launch
            made.provider = Own(launch.strategy, label, launch)
        return made

    def _of_provider(self, label: str, name: str, found: Found) -> MeasuredCandidate:
        made = MeasuredCandidate(CandidateOutcome(label=label, status="ok"))
        provider = found.providers.get(name)
        if provider is None:
            made.end("failed" if name in found.broken else "invalid", why_missing(name, found))
        elif (missing := provider.unavailable()) is not None:
            made.end("invalid", with_hint(name, missing))
        else:
            made.provider = Own(name, label) if isinstance(provider, Own) else provider
        return made

    def _pinned(self, subject: RunRequest) -> RunRequest:
        resolved = resolve(subject, self._device.backend, self._device.limits)
        return replace(subject.problem(subject.strategy), m=resolved.m, n=resolved.n)

    def _try_material(
        self, subject: RunRequest, candidates: list[MeasuredCandidate]
    ) -> ProblemTensors | None:
        """Tensors of a problem; None where there is no memory for them, which is every candidate's
        end.
        """
        request = self._pinned(subject)
        if self._kept is None or self._kept.request != request:
            self._kept = None  # its memory is needed now
            try:
                self._kept = self._make(request)
            except torch.OutOfMemoryError as error:
                free_what_was_left(error)
                for each in candidates:
                    if each.outcome.status == "ok":
                        each.end("out_of_resources", reason_of(error))
        return self._kept

    def _make(self, request: RunRequest) -> ProblemTensors:
        resolved = resolve(request, self._device.backend, self._device.limits)
        inputs = inputs_of(resolved, self._torch_device)
        case = Case.of(inputs, request.eps, resolved.launch)
        return ProblemTensors(request, case, torch_results(inputs, request.eps))

    def _check(
        self,
        task: Task,
        request: MeasureRequest,
        candidate: MeasuredCandidate,
        material: ProblemTensors,
        place: tuple[int, int],
    ) -> None:
        """Check one candidate, whatever it does.

        Raises:
            Exception: the device is lost, and nobody can be checked any more.
        """
        provider, label = candidate.provider, verbatim(candidate.outcome.label)
        if provider is None:
            return
        try:
            task.begin("compile")
            task.step(label, *place)
            if candidate.outcome.setting is not None:
                compiled = self.compilation.finish(provider, material.case, task.check)
                candidate.outcome = replace(candidate.outcome, compiled=compiled)
            task.begin("run")
            task.step(label, *place)
            case = provider.case(material.case) if isinstance(provider, Own) else material.case
            verifier = Verifier(case, theirs=material.theirs, autograd="autograd" in request.modes)
            wrong = verifier(provider)
            if (
                len(request.labels) == 1
                and is_unproven(provider)
                and verifier.correctness
                and verifier.results
            ):
                task.tell(verifier.correctness)  # somebody looks at this one alone
                inputs = Inputs(
                    material.case.x, material.case.weight, material.case.bias, material.case.dy
                )
                self.last = LastRun(inputs, verifier.results, material.case.eps)
            if verifier.correctness is not None:
                candidate.outcome = replace(
                    candidate.outcome,
                    errors=tuple(each.errors for each in verifier.correctness.checks),
                )
            if wrong is not None:
                candidate.end("incorrect", wrong)
        except (
            Exception
        ) as error:  # a candidate is somebody's code: whatever it raises is its reason
            if device_is_lost():
                raise
            free_what_was_left(error)
            kind = kind_of(error)
            candidate.end("invalid" if kind == "unavailable" else kind, reason_of(error))

    def _time(
        self,
        task: Task,
        request: MeasureRequest,
        material: ProblemTensors,
        candidates: list[MeasuredCandidate],
    ) -> Measurement:
        right = [
            one.provider
            for one in candidates
            if one.outcome.status == "ok" and one.provider is not None
        ]
        if not right and not request.with_ceilings:
            return Measurement()
        labels = {provider.name: number for number, provider in enumerate(right)}
        told: dict[Subject, float] = {}

        def turn(subject: Subject) -> None:
            task.tell_step(verbatim(subject.provider), labels.get(subject.provider, 0), len(right))
            self.compilation.top_up()

        def tell(figure: Figure) -> None:
            # Samples come along every time, so that a message a turn would be more of them than
            # there are.
            now = time.monotonic()
            if now - told.get(figure.subject, -math.inf) >= TELL_SECONDS:
                told[figure.subject] = now
                task.tell(figure)

        task.begin("run")
        with turns.turn(task, self._torch_device):
            return measure(
                material.case,
                right,
                which=_which(request),
                effort=_effort(request),
                should_stop=lambda: task.cancelled,
                on_figure=tell,
                on_turn=turn,
                check=lambda _: None,
                ceilings=MEASURED if request.with_ceilings else None,
            )


def _which(request: MeasureRequest) -> list[tuple[Direction, Mode]]:
    """Cold kernels first, and of each way of calling the forward pass first."""
    modes = [mode for mode in MODES if mode in request.modes]
    return [
        (direction, mode)
        for mode in modes
        for direction in DIRECTIONS
        if direction in request.directions
    ]


def _effort(request: MeasureRequest) -> Effort:
    effort = Effort(
        seconds=request.seconds,
        most=request.most,
        within=request.within,
        least_seconds=request.least_seconds,
    )
    return (
        replace(effort, turn=LONG_TURN, turn_ms=LONG_TURN_MS)
        if request.least_seconds > 0
        else effort
    )


def _with_times(outcome: CandidateOutcome, timed: Measurement) -> CandidateOutcome:
    figures = tuple(figure for figure in timed.figures if figure.provider == outcome.label)
    refused = [refusal for refusal in timed.refusals if refusal.provider == outcome.label]
    if not refused:
        return replace(outcome, figures=figures)
    kind = refused[0].kind
    status: Status = "ok" if figures else "invalid" if kind == "unavailable" else kind
    return replace(
        outcome,
        figures=figures,
        status=status,
        reason=join_sentences([each.sentence for each in refused]),
    )

"""One measurement from its request to its end: each candidate is checked, and those that are right are timed in turns."""

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

import torch

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest, Spent, Status
from lnexplorer.domain.peers import with_hint
from lnexplorer.domain.request import RunRequest, check, resolve
from lnexplorer.worker.compilation import Compilation, Labelled
from lnexplorer.worker.device import free_memory_bytes
from lnexplorer.worker.task import Task
from lnexplorer.worker.throughput import why_missing
from lnkernels.compiled.ahead import Ahead
from lnkernels.device import environment
from lnkernels.failures import device_is_lost, free_what_was_left, in_one_line, kind_of
from lnkernels.inputs import make_inputs
from lnkernels.launch.settings import problems_sentence
from lnkernels.measure import MEASURED, measure
from lnkernels.providers.discovery import Found, discover
from lnkernels.providers.protocol import Case
from lnkernels.providers.verify import Verifier
from lnkernels.results import Results, torch_results
from lnkernels.sentence import Sentence, join_sentences, say, verbatim
from lnkernels.timing.rounds import Effort
from lnkernels.values.accuracy import TENSORS, TensorErrors
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Device, Kind
from lnkernels.values.figures import CEILINGS, DIRECTIONS, MODES, Direction, Figure, Measurement, Mode, Subject

TELL_SECONDS = 0.1  # between two messages about the same figure
# Of a measurement that gives each figure a time of its own: turns long enough that what happens between them costs
# little.
LONG_TURN = 200
LONG_TURN_MS = 25.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of a request: a provider under its label, or why there is none."""

    label: str
    setting: RunRequest | None
    provider: Labelled | None = None
    status: Status = "ok"
    reason: Sentence | None = None


def candidates(request: MeasureRequest, device: Device, memory_bytes: int, found: Found) -> list[Candidate]:
    """Everybody in `request`, in the order of its labels.

    Args:
        request: one that `check_measure` passes.
        device: where they are to be run.
        memory_bytes: memory that is free.
        found: the providers that are declared here.
    """
    labels = iter(request.labels)
    settings = [_of_setting(next(labels), setting, device, memory_bytes, found) for setting in request.settings]
    return settings + [_of_provider(next(labels), name, found) for name in request.providers]


def _of_setting(label: str, setting: RunRequest, device: Device, memory_bytes: int, found: Found) -> Candidate:
    problems = check(setting, device.backend, limits=device.limits)
    if problems:
        return Candidate(label, setting, status="invalid", reason=problems_sentence(problems))
    problems = check(setting, device.backend, memory_bytes, device.limits)
    if problems:
        return Candidate(label, setting, status="out_of_resources", reason=problems_sentence(problems))
    launch = resolve(setting, device.backend, device.limits).launch
    provider = found.providers.get(launch.strategy)
    if provider is None:
        return Candidate(label, setting, status="failed", reason=why_missing(launch.strategy, found))
    return Candidate(label, setting, Labelled(label, provider, launch))


def _of_provider(label: str, name: str, found: Found) -> Candidate:
    provider = found.providers.get(name)
    if provider is None:
        status: Status = "failed" if name in found.broken else "invalid"
        return Candidate(label, None, status=status, reason=why_missing(name, found))
    missing = provider.unavailable()
    if missing is not None:
        return Candidate(label, None, status="invalid", reason=with_hint(name, missing))
    return Candidate(label, None, Labelled(label, provider, None))


@dataclass(frozen=True, slots=True)
class Material:
    """Tensors that every candidate is given."""

    request: RunRequest  # with m and n written out
    case: Case  # its launch is the heuristics'
    theirs: Results  # PyTorch's


class Materials:
    """Makes problems, and keeps the newest."""

    def __init__(self, torch_device: torch.device, device: Device) -> None:
        self._torch_device = torch_device
        self._device = device
        self._kept: Material | None = None

    def pinned(self, subject: RunRequest) -> RunRequest:
        """The problem alone, with m and n written out."""
        resolved = resolve(subject, self._device.backend, self._device.limits)
        return replace(subject.problem(subject.strategy), m=resolved.m, n=resolved.n)

    def forget(self) -> None:
        """Give the memory back."""
        self._kept = None

    def make(self, subject: RunRequest) -> Material:
        """The tensors of a problem."""
        request = self.pinned(subject)
        if self._kept is None or self._kept.request != request:
            self._kept = None  # its memory is needed now
            self._kept = self._made(request)
        return self._kept

    def _made(self, request: RunRequest) -> Material:
        m, n = request.m, request.n
        assert m is not None and n is not None, "they are written out"  # noqa: PT018
        inputs = make_inputs(m, n, getattr(torch, request.dtype), request.data, request.seed, self._torch_device)
        case = Case.of(inputs, request.eps, resolve(request, self._device.backend, self._device.limits).launch)
        return Material(request, case, torch_results(inputs, request.eps))


@dataclass(slots=True)
class Verdict:
    """What is known of a candidate before it is timed."""

    candidate: Candidate
    status: Status
    reason: Sentence | None = None
    errors: tuple[TensorErrors, ...] = ()
    compiled: tuple[KernelFacts, ...] = ()


def check_candidate(
    candidate: Candidate,
    problem: Material,
    compilation: Compilation,
    *,
    autograd: bool,
    begin: Callable[[str], None],
    check_in: Callable[[], None],
) -> Verdict:
    """Check one candidate, whatever it does.

    Args:
        candidate: whom.
        problem: on what.
        compilation: what compiles settings, and may have begun with that.
        autograd: whether the autograd path is checked, too.
        begin: told the phase, "compile" or "run", as it begins.
        check_in: called while others are waited for; may raise.

    Raises:
        Exception: the device is lost, and nobody can be checked any more.
    """
    if candidate.provider is None:
        return Verdict(candidate, candidate.status, candidate.reason)
    verdict = Verdict(candidate, "ok")
    try:
        begin("compile")
        if candidate.setting is not None:
            verdict.compiled = compilation.finish(candidate.provider, problem.case, check_in)
        begin("run")
        _check(verdict, candidate.provider, problem, autograd)
    except Exception as error:  # a candidate is somebody's code: whatever it raises is its reason
        if device_is_lost():
            raise
        free_what_was_left(error)
        kind = kind_of(error)
        verdict.status = "invalid" if kind == "unavailable" else kind
        verdict.reason = verbatim(in_one_line(error))
    return verdict


def _check(verdict: Verdict, provider: Labelled, problem: Material, autograd: bool) -> None:
    verifier = Verifier(provider.case(problem.case), theirs=problem.theirs, autograd=autograd)
    wrong = verifier(provider)
    found = verifier.judgements
    verdict.errors = tuple(found[name] for name in TENSORS if name in found)
    if wrong is not None:
        verdict.status, verdict.reason = "incorrect", wrong


class Spending:
    """A stopwatch that is always at one of the kinds that `Spent` has, or at none."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._at: str | None = None
        self._since = 0.0

    def enter(self, kind: str) -> None:
        """From now on it is this, and no more what it was."""
        now = time.perf_counter()
        if self._at is not None:
            self.add(self._at, now - self._since)
        self._at, self._since = kind, now

    def leave(self) -> None:
        """From now on it is none of these."""
        if self._at is not None:
            self.enter(self._at)
            self._at = None

    def add(self, kind: str, seconds: float) -> None:
        """Count what somebody else has measured."""
        self._seconds[kind] = self._seconds.get(kind, 0.0) + seconds

    @property
    def spent(self) -> Spent:
        """All that was counted so far."""
        return Spent(**self._seconds)


class Measurer:
    """What all measurements of a worker share."""

    def __init__(
        self, torch_device: torch.device, device: Device, found: Found | None = None, ahead: Ahead | None = None
    ) -> None:
        self._torch_device = torch_device
        self._device = device
        self._problems = Materials(torch_device, device)
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
        task.step(say("inputs"), 0, 0)
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
                task.tell(_outcome(verdict, ()))
        spending.leave()
        return self._timed(task, request, problem, verdicts, spending, began)

    def _too_large(self, task: Task, request: MeasureRequest, found: list[Candidate], error: Exception, began: float) -> Measured:
        """Everybody's outcome where not even the inputs fit into memory."""
        reason = verbatim(in_one_line(error))
        free_what_was_left(error)
        verdicts = [
            Verdict(one, one.status, one.reason) if one.status != "ok" else Verdict(one, "out_of_resources", reason)
            for one in found
        ]
        outcomes = tuple(_outcome(verdict, ()) for verdict in verdicts)
        for outcome in outcomes:
            task.tell(outcome)
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
            task.step(verbatim(label), number, total)

        return begin

    def _timed(
        self,
        task: Task,
        request: MeasureRequest,
        problem: Material,
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
                task.tell(ahead)
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

    def _time(self, task: Task, request: MeasureRequest, problem: Material, verdicts: list[Verdict]) -> Measurement:
        right = [one.candidate.provider for one in verdicts if one.status == "ok" and one.candidate.provider is not None]
        if not right and not request.with_ceilings:
            return Measurement()
        labels = {provider.name: number for number, provider in enumerate(right)}

        def turn(subject: Subject) -> None:
            number = labels.get(subject.provider, 0)
            task.tell_step(verbatim(subject.provider), number, len(right))
            self.compilation.top_up()

        told: dict[Subject, float] = {}

        def tell(figure: Figure) -> None:
            # Samples come along every time, so that a message a turn would be more of them than there are.
            now = time.monotonic()
            if now - told.get(figure.subject, -math.inf) < TELL_SECONDS:
                return
            told[figure.subject] = now
            task.tell(figure)

        task.begin("run")
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
        reason = join_sentences([each.sentence for each in refused])
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

"""The pipeline of all measurements: candidates are compiled, checked, timed in turns and traced.

A run is one candidate that is looked at closely, with its peers beside it; a measurement is any
number of candidates, each reported as soon as it is final.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace

import torch

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.peers import DEFAULT_PEERS, beside, preparing
from lnexplorer.domain.request import ResolvedRequest, RunPlan, RunRequest, plan_run
from lnexplorer.domain.result import RunResult
from lnexplorer.worker.candidates import Candidate
from lnexplorer.worker.checking import (
    KEPT_BYTES,
    KERNELS,
    LastRun,
    check_kernels,
    compile_kernels,
    inputs_of,
)
from lnexplorer.worker.compilation import Compilation
from lnexplorer.worker.compiling import KEPT_FACTS, CompilerAnswers, compile_request, wait_for
from lnexplorer.worker.connection import Task
from lnexplorer.worker.device import free_memory_bytes
from lnexplorer.worker.referee import Referee
from lnexplorer.worker.timing import effort_of, time_candidates, which_of
from lnexplorer.worker.trace import mean_wait
from lnkernels.check.judging import Judge
from lnkernels.check.results import Results, torch_results
from lnkernels.check.verifier import Verifier, why_wrong
from lnkernels.compiled.facts import CompileError, facts_in_own_process
from lnkernels.compiled.process_pool import CompilerPool
from lnkernels.device import environment
from lnkernels.failures import free_what_was_left, reason_of
from lnkernels.launch.settings import problems_sentence
from lnkernels.launch.source import KernelSource
from lnkernels.providers.discovery import Found, discover
from lnkernels.providers.file import FileProvider
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Case, is_unproven
from lnkernels.timing.measure import MEASURED
from lnkernels.timing.rounds import Effort
from lnkernels.values.accuracy import Correctness
from lnkernels.values.compiled import CompiledKernels, KernelFacts
from lnkernels.values.environment import Device, Environment, Kind, Provenance
from lnkernels.values.figures import (
    CEILINGS,
    RefusalKind,
    Subject,
    Throughput,
)
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim

STEPS = (say("inputs"), KERNELS, say("errors"), say("compiler"), say("throughput"))
INPUTS, _, ERRORS, COMPILER, THROUGHPUT = STEPS
# A run of the strategy and PyTorch has the usual time for all; with each more it is longer, or
# medians would not settle.
SECONDS_EACH = Effort().seconds / 2
UNTIMED = say("Its results are not within tolerance, so it gets no time.")
WRONG = say("its results are not within tolerance")
NO_ADDITION = say(
    "The strategies' kernels do not add: PyTorch adds the residual before them, and the gradient of"
    " the sum after them."
)
NO_BARRIER = say(
    "The barrier is left out: on the interpreter, which runs one program after the other, that"
    " changes nothing."
)


@frozen
class ProblemTensors:
    """The tensors that every candidate is given."""

    request: RunRequest  # with m and n written out
    case: Case  # its launch is the heuristics'
    theirs: Results  # PyTorch's


class Measurer:
    """Measures on a worker's device, and keeps what its jobs share."""

    def __init__(
        self,
        torch_device: torch.device,
        device: Device,
        found: Found | None = None,
        ahead: CompilerPool | None = None,
    ) -> None:
        self.torch_device = torch_device
        self.device = device
        self.last: LastRun | None = None  # of a run, or of a kernel of one's own, for inspections
        self.found = found or discover()  # which looks through all installed packages
        self.compilation = Compilation(torch_device, device, ahead)
        self._kept: ProblemTensors | None = None  # the newest
        self._facts = CompilerAnswers(facts_in_own_process, KEPT_FACTS)
        self._referee = Referee(torch_device)
        self._own: dict[KernelSource, FileProvider] = {}  # each with the text it had

    @property
    def kind(self) -> Kind:
        return Kind.MEASURED if self.device.backend == "cuda" else Kind.INTERPRETED

    def plan(self, request: RunRequest, memory_bytes: int | None = None) -> RunPlan:
        """Resolve a request on the device, and check it there."""
        return plan_run(request, self.device.backend, self.device.limits, memory_bytes)

    def found_with(self, kernels: Sequence[KernelSource]) -> Found:
        """Return the providers that can be timed, kernels that a person has named among them."""
        return self.found.beside(
            [
                self._own.setdefault(kernel, FileProvider(kernel, self.device.limits))
                for kernel in kernels
            ]
        )

    def forget(self) -> None:
        """Let go of tensors, so that their memory is free."""
        self._kept = self.last = None

    def run(self, task: Task, job: RunJob, resolved: ResolvedRequest) -> RunResult:
        """Do one run, and report its parts as they become known.

        Args:
            task: the job.
            job: what is asked for.
            resolved: its request on this device.

        Raises:
            JobCancelled: the job was cancelled.
        """
        task.begin("compile")
        found = self.found_with(job.kernels)
        if job.kernels:
            self._referee.start()  # it takes a while to come up
        _step(task, INPUTS)
        answer = self._facts.ask(compile_request(resolved, self.device.limits.architecture))
        inputs = inputs_of(resolved, self.torch_device)
        compile_kernels(inputs, resolved.eps, resolved.launch)
        task.begin("run")
        _step(task, KERNELS)
        theirs = torch_results(inputs, resolved.eps)
        checked, last = check_kernels(
            task, inputs, resolved, theirs, lambda: _step(task, ERRORS), watched=job.autopsy
        )
        task.tell(checked)
        _step(task, COMPILER)
        facts, notes = _facts_or_note(task, answer)
        _step(task, THROUGHPUT)
        case = Case.of(inputs, resolved.eps, resolved.launch)
        times, candidates = self.times_beside(task, case, checked, theirs, job, found)
        self.last = last if last.nbytes <= KEPT_BYTES else None
        warnings: Sequence[Sentence] = ()
        if times.before is not None and times.after is not None:
            warnings = doubts(times.before, times.after, times.figures)
        return RunResult(
            request=job.request,
            resolved=resolved,
            provenance=Provenance(kind=self.kind, environment=environment(self.torch_device)),
            correctness=checked,
            compiled=facts,
            throughput=times if self.kind is Kind.MEASURED else None,
            notes=(
                *notes,
                *([NO_ADDITION] if inputs.residual is not None else []),
                *([] if resolved.launch.barrier or self.kind is Kind.MEASURED else [NO_BARRIER]),
                *warnings,
                *_told(candidates, timed=self.kind is Kind.MEASURED),
            ),
            providers=job.providers,
            inexact=tuple(each.label for each in candidates if each.inexact),
            wrong_providers=_wrong_providers(times, job.providers),
            launched={each.label: each.launched for each in candidates if each.launched},
            own_checks={
                each.label: each.checks
                for each in candidates
                if each.checks and each.provider and is_unproven(each.provider)
            },
        )

    def times_beside(
        self,
        task: Task,
        case: Case,
        checked: Correctness,
        theirs: Results,
        job: RunJob,
        found: Found,
    ) -> tuple[Throughput, list[Candidate]]:
        """Check the peers of a run, and time those that are right in turns with the run's strategy,
        if its results are; wrong ones, too, where the job insists. On the interpreter, where nobody
        is timed, there are refusals alone.

        Returns:
            The times, and the strategy and its peers with their verdicts.

        Raises:
            JobCancelled: the job was cancelled, between two turns or while a peer was prepared.
        """
        timed, own = self.kind is Kind.MEASURED, Candidate(case.launch.strategy)
        own.time_anyway = job.time_anyway
        names = beside(job.providers, own.label, *(() if timed else DEFAULT_PEERS))
        referee = self._referee_of(job.kernels, job.request)
        candidates, verifier = [own], Verifier(case, theirs=theirs, referee=referee)
        if timed:
            own.provider = found.providers[own.label]
            if not checked.passed:
                own.refuse("incorrect", WRONG if job.time_anyway else UNTIMED)
            own.verify(task, verifier)
        for number, name in enumerate(names):
            task.step(preparing(name), number, len(names))
            candidates.append(Candidate.of_provider(name, name, found))
            candidates[-1].time_anyway = job.time_anyway
            candidates[-1].verify(task, verifier)
        times = Throughput()
        if timed:
            task.step(THROUGHPUT, 0, 0)
            right = sum(each.is_timed for each in candidates)
            times, before, after = time_candidates(
                task,
                case,
                candidates,
                effort=Effort(seconds=SECONDS_EACH * max(right, 2)),
                on_turn=lambda _: task.count(THROUGHPUT, 0, 0),
                referee=referee,
            )
            times = replace(times, before=before.state, after=after.state)
        refusals = tuple(no for each in candidates for no in each.refusals)
        return replace(times, refusals=refusals), candidates

    def measure(self, task: Task, request: MeasureRequest) -> Measured:
        """Check every candidate, time those that are right, and report each as soon as it is final.

        Args:
            task: the job.
            request: what is asked for.

        Raises:
            JobCancelled: the job was cancelled.
        """
        began = time.perf_counter()
        tensors, candidates = self.checked(task, request)
        right = [each for each in candidates if each.is_timed]
        timed, before, after = self.time_request(task, request, tensors, candidates)
        for each in right:
            outcome = each.outcome()
            task.tell(replace(outcome, around=(before, after) if outcome.figures else None))
        outcomes = [each.outcome() for each in candidates]
        if request.waits:
            outcomes = [self._with_wait(task, each) for each in outcomes]
        ceilings = tuple(each for each in timed.figures if each.provider in CEILINGS.values())
        shown = tuple(figure for outcome in outcomes for figure in outcome.figures)
        return Measured(
            request=request,
            problem=self.plan(request.subject).shaped,
            kind=self.kind,
            outcomes=tuple(outcomes),
            ceilings=ceilings,
            before=before,
            after=after,
            warnings=doubts(before, after, shown + ceilings),
            timing_seconds=timed.timing_seconds,
            total_seconds=time.perf_counter() - began,
        )

    def checked(
        self, task: Task, request: MeasureRequest
    ) -> tuple[ProblemTensors | None, list[Candidate]]:
        """Check every candidate, and report those that are refused; return what they are given,
        None where there is no memory for it, and the candidates.
        """
        if request.kernels:
            self._referee.start()  # it takes a while to come up
        task.begin("compile")
        task.step(INPUTS, 0, 0)
        candidates = self._candidates(request)
        tensors = self._try_tensors(self.plan(request.subject), candidates)
        if tensors is not None:
            self._check(task, request, tensors, candidates)
        return tensors, candidates

    def _referee_of(self, kernels: Sequence[KernelSource], problem: RunRequest) -> Judge | None:
        """Return who judges users' kernels on a problem; None where there are none."""
        return self._referee.judge_of(self.plan(problem).resolved) if kernels else None

    def _candidates(self, request: MeasureRequest) -> list[Candidate]:
        """Make the candidates of a request, in the order of its labels."""
        found = self.found_with(request.kernels)
        free = free_memory_bytes(self.torch_device)
        labels = iter(request.labels)
        settings = [self._of_setting(next(labels), setting, free) for setting in request.settings]
        providers = [Candidate.of_provider(next(labels), name, found) for name in request.providers]
        for each in (made := settings + providers):
            each.time_anyway = request.time_anyway
        return made

    def _of_setting(self, label: str, setting: RunRequest, memory_bytes: int) -> Candidate:
        made, plan = Candidate(label, setting), self.plan(setting, memory_bytes)
        if plan.problems:
            kind: RefusalKind = "invalid" if self.plan(setting).problems else "out_of_resources"
            made.refuse(kind, problems_sentence(plan.problems) or INPUTS)
        else:
            launch = plan.resolved.launch
            made.provider = Own(launch.strategy, label, launch)
        return made

    def _try_tensors(self, plan: RunPlan, candidates: list[Candidate]) -> ProblemTensors | None:
        """The tensors of a problem; None where there is no memory for them, which is every
        candidate's end.
        """
        if self._kept is None or self._kept.request != plan.shaped:
            self._kept = None  # its memory is needed now
            try:
                self._kept = self._make(plan)
            except torch.OutOfMemoryError as error:
                free_what_was_left(error)
                for each in candidates:
                    if each.is_right:
                        each.refuse("out_of_resources", reason_of(error))
        return self._kept

    def _make(self, plan: RunPlan) -> ProblemTensors:
        inputs, eps = inputs_of(plan.resolved, self.torch_device), plan.request.eps
        case = Case.of(inputs, eps, plan.resolved.launch)
        return ProblemTensors(plan.shaped, case, torch_results(inputs, eps))

    def _check(
        self,
        task: Task,
        request: MeasureRequest,
        tensors: ProblemTensors,
        candidates: list[Candidate],
    ) -> None:
        """Compile and check every candidate, and report those that are refused.

        Raises:
            Exception: the device is lost, and nobody can be checked any more.
        """
        settings = [each.provider for each in candidates if each.provider and each.setting]
        self.compilation.begin(settings, tensors.case)
        for number, each in enumerate(candidates):
            self.compilation.top_up()
            if each.is_right:
                with each.blamed():
                    self._check_one(task, request, tensors, each, (number, len(candidates)))
            if not each.is_timed:
                task.tell(each.outcome())

    def _check_one(
        self,
        task: Task,
        request: MeasureRequest,
        tensors: ProblemTensors,
        candidate: Candidate,
        place: tuple[int, int],
    ) -> None:
        provider, case, label = candidate.provider, tensors.case, verbatim(candidate.label)
        assert provider is not None, "it can be launched"
        task.begin("compile")
        task.step(label, *place)
        if candidate.setting is not None:
            candidate.compiled = self.compilation.finish(provider, case, task.check)
        task.begin("run")
        task.step(label, *place)
        case = provider.case(case) if isinstance(provider, Own) else case
        referee = self._referee_of(request.kernels, tensors.request)
        if request.layout:
            wrong = why_wrong(provider, case, request.layout, referee)
            if wrong is not None:
                candidate.refuse("incorrect", wrong)
            return
        # Where nothing is timed, a user's kernel is checked in every way of calling it.
        through_autograd = "autograd" in request.modes or (
            is_unproven(provider) and not request.modes
        )
        verifier = Verifier(
            case,
            theirs=tensors.theirs,
            autograd=through_autograd,
            referee=referee,
        )
        candidate.verify(task, verifier)
        alone = len(request.labels) == 1 and is_unproven(provider)
        if alone and verifier.correctness and verifier.results:
            task.tell(verifier.correctness)  # somebody looks at this one alone
            self.last = LastRun(case, verifier.results, case.eps)

    def time_request(
        self,
        task: Task,
        request: MeasureRequest,
        tensors: ProblemTensors | None,
        candidates: list[Candidate],
        on_turn: Callable[[Subject], None] | None = None,
    ) -> tuple[Throughput, Environment, Environment]:
        """Time what a request wants of the candidates that are right, and report each turn, or call
        `on_turn`.
        """
        labels = [each.label for each in candidates if each.is_timed]
        wanted = request.modes and (labels or request.with_ceilings)
        if tensors is None or not wanted:
            task.check()
            here = environment(self.torch_device)
            return Throughput(), here, here

        def tell_turn(subject: Subject) -> None:
            number = labels.index(subject.provider) if subject.provider in labels else 0
            task.tell_step(verbatim(subject.provider), number, len(labels))
            self.compilation.top_up()

        task.begin("run")
        autograd = "autograd" in request.modes
        with self.compilation.quiet(task.check) if autograd else nullcontext():
            return time_candidates(
                task,
                tensors.case,
                candidates,
                effort=effort_of(request),
                on_turn=on_turn or tell_turn,
                which=which_of(request),
                ceilings=MEASURED if request.with_ceilings else None,
                referee=self._referee_of(request.kernels, tensors.request),
            )

    def _with_wait(self, task: Task, outcome: CandidateOutcome) -> CandidateOutcome:
        """Add to an outcome how long rows wait for their locks, traced once."""
        if outcome.setting is None or outcome.status != "ok":
            return outcome
        resolved = self.plan(outcome.setting).resolved
        return replace(outcome, wait=mean_wait(task, resolved, self.torch_device))


def _step(task: Task, name: Sentence) -> None:
    task.step(name, STEPS.index(name), len(STEPS))


def _facts_or_note(
    task: Task, answer: "Future[tuple[KernelFacts, ...]]"
) -> tuple[tuple[KernelFacts, ...], tuple[Sentence, ...]]:
    """Wait for the compiler: its facts, or a note why there are none, which is no failure of the
    run.
    """
    try:
        facts = wait_for(task, answer)
    except CompileError as error:
        return (), (
            say(
                "What the compiler makes of the kernels is not known: {error}", error=error.sentence
            ),
        )
    task.tell(CompiledKernels(facts))
    return facts, ()


def _told(candidates: Sequence[Candidate], *, timed: bool) -> Iterator[Sentence]:
    """Say the verdict on each peer, where nobody is timed; why one is inexact, which results it
    does not give, what it launches, and which statements of its file were not run.
    """
    for number, each in enumerate(candidates):
        name, ran = each.label, each.launched
        if not timed and number > 0:
            for no in each.refusals[:1]:
                yield say("{provider}: {reason}", provider=name, reason=no.reason, kind=no.kind)
            if each.is_right and not each.inexact:
                yield say("{provider}: all results are within tolerance", provider=name)
        if each.is_right and each.remarks:
            yield say("{provider}: {remark}", provider=name, remark=join_sentences(each.remarks))
        if each.is_right and ran and ran.own:
            yield say("{provider}: {launched}", provider=name, launched=ran.sentence)
        yield from getattr(each.provider, "left_out", ())


def _wrong_providers(times: Throughput, providers: Sequence[str]) -> tuple[str, ...]:
    """List the providers that were asked for, and are wrong, failed, found no room or are not here.
    One that does not take such a problem is none of these.
    """
    wrong = {no.provider for no in times.refusals if no.mode is None and no.kind != "invalid"}
    return tuple(name for name in providers if name in wrong.difference(DEFAULT_PEERS))

"""Have the newest version of a kernel checked, timed and traced, each in a new worker."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain.jobs import InspectJob, JobFinding, JobRequest, TraceJob
from lnexplorer.domain.kernel_versions import (
    HardInputs,
    hard_inputs,
    hard_sentence,
    line_in,
    version_of,
    version_of_measurement,
)
from lnexplorer.domain.machines import is_remote
from lnexplorer.domain.measuring import Measured, MeasuredCandidate, MeasureRequest
from lnexplorer.domain.request import RunPlan, RunRequest
from lnexplorer.domain.wording import duration
from lnexplorer.engine.verdicts import is_inexact, why_unfinished, why_wrong
from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.session.services import OwnWorker, Services
from lnexplorer.gui.session.state import LONG_SECONDS
from lnexplorer.protocol.messages import Broken, Finished, Outcome, Stopped
from lnkernels.launch.settings import problems_sentence
from lnkernels.launch.source import KernelSource, with_settings
from lnkernels.values import Sentence, as_sentence, say, verbatim
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.timeline import ReductionTimeline

LIMIT_SECONDS = 60.0  # for a version's check: an autotuner in somebody's kernel takes some time
MOST_TIMES = 4  # … or so many times what our own would take on the interpreter

# From a check and the backend to others of the same kernel, with names.
ListChecks: TypeAlias = Callable[[MeasureRequest, str], list[tuple[Sentence, MeasureRequest]]]


class VersionChecks(QObject):
    """Checks the session's own kernel, and shows what it finds."""

    found = Signal(object)  # a KernelVersion

    def __init__(self, pane: OwnKernelsPane, services: Services) -> None:
        super().__init__(pane)
        self._pane = pane
        self._services = services
        self._session = services.session
        # Each version has a new process, so that whatever an earlier one did to its own is gone; a
        # spare one is ready for the next.
        self._worker, self._spare = (OwnWorker(services, self) for _ in range(2))
        self.problem: RunRequest | None = None  # on which the newest version was checked
        self._has_errors = False  # whether the pane shows those of the newest version

    @property
    def source(self) -> KernelSource:
        """The newest version, named by the settings that are not at the first of their values."""
        kernel = self._session.state.own.source
        assert kernel is not None, "a file is watched that can be read"
        first = {name: values[0] for name, values in kernel.offered}
        chosen = {name: value for name, value in kernel.settings if value != first[name]}
        return with_settings(kernel, chosen)

    def leave(self) -> None:
        """End the worker of the newest version."""
        self._worker.close(wait=False)

    def begin(self) -> None:
        """Check a new version, by the spare worker."""
        self.leave()
        self._worker, self._spare = self._spare, self._worker
        self.measure()

    def close(self) -> None:
        """End both workers."""
        self._worker.close()
        self._spare.close()

    def measure(self, *, wanted: bool = False) -> None:
        """Check the newest version: on the interpreter as many rows as take a second first, then
        all of them, which is `wanted` by a person where it takes minutes.
        """
        plan = self._plan
        self._pane.show_hard_inputs(None)
        self._pane.show_left(None)
        few = not (wanted or plan.problems) and plan.rows_of_a_second < plan.resolved.m
        if few:
            self._check(replace(plan.request, m=plan.rows_of_a_second), plan.request)
        else:
            self._check(plan.request, None)

    def try_all(self, list_checks: ListChecks) -> None:
        """Do checks with names one after the other, on the interpreter with as many rows as take a
        second; a new version ends it. What hard inputs found is kept with the version.
        """
        plan = self._plan
        if why := problems_sentence(plan.problems):
            self._session.remark(why)
            return
        request = self._request(replace(plan.shaped, m=plan.rows_of_a_second), ())
        checks = list_checks(request, self._session.state.backend)
        of, source = plan.resolved, self.source
        shape = (plan.rows_of_a_second, of.n, of.dtype, of.norm)

        def go_on(hard: HardInputs) -> None:
            self._pane.show_hard_inputs(hard_sentence(hard))
            if hard.left:
                self._ask(checks[-hard.left][1], partial(take, hard))
            else:
                keep(hard)

        def take(hard: HardInputs, outcome: Outcome) -> None:
            if isinstance(outcome, Stopped):
                keep(hard)
            else:
                name, why = checks[-hard.left][0], why_wrong(outcome)
                go_on(hard.with_verdict(name, why, inexact=is_inexact(outcome)))

        def keep(hard: HardInputs) -> None:
            version = self._session.state.own.version
            if version is None or version.sha256 != source.sha256 or not hard.is_verdict:
                return
            if list_checks is hard_inputs:
                self.found.emit(replace(version, hard=hard))

        go_on(HardInputs(shape, left=len(checks)))

    def trace(self) -> None:
        """Show what the kernel stamps in the Reduction pane."""

        def show(outcome: Outcome) -> None:
            device = self._session.state.device
            timeline = outcome.value if isinstance(outcome, Finished) else None
            if timeline is None:
                self._pane.show_problem(why_unfinished(outcome))
            if isinstance(outcome, Broken) and outcome.hang is not None:
                timeline = outcome.hang.timeline
            if isinstance(timeline, ReductionTimeline):
                environment = device.environment if device is not None else None
                self._session.show_timeline(timeline, None, environment)
                self._services.window.show_part("reduction")

        self._ask(TraceJob(self._session.state.request.problem("auto"), self.source), show)

    def inspect(self, tensor: str, *part: int) -> None:
        """Have a part of a map of errors in full resolution."""

        def show(outcome: Outcome) -> None:
            if isinstance(outcome, Finished) and isinstance(outcome.value, ErrorMap):
                self._pane.views.show_map(outcome.value)

        if not self._pane.busy:  # its worker answers the newest question alone
            self._ask(InspectJob(tensor, *part), show)

    @property
    def _plan(self) -> RunPlan:
        """The problem in force, for any kernel."""
        state = self._session.state
        return state.plan_of(state.request.problem("auto"))

    @property
    def _device(self) -> str:
        wish = self._services.preferences.device
        return wish if is_remote(wish) else self._session.state.gpu or "interpreter"

    def _request(self, problem: RunRequest, modes: tuple[str, ...]) -> MeasureRequest:
        source, seconds = self.source, self._session.state.plan_of(problem).seconds
        return MeasureRequest(
            providers=(source.name,),
            kernels=(source,),
            problem=problem,
            modes=modes,
            seconds=1.0,
            limit_seconds=max(LIMIT_SECONDS, MOST_TIMES * seconds),
        )

    def _check(self, problem: RunRequest, then: RunRequest | None) -> None:
        """Check the newest version on a problem and, where it is right, on another one."""
        self.problem = problem
        self._has_errors = False
        modes = ("kernel_cold",) if self._session.state.backend == "cuda" else ()
        end = partial(self._end, self.source, problem, then)
        self._ask(self._request(problem, modes), end, partial(self._hear, problem))

    def _go_on(self, problem: RunRequest) -> None:
        """Check all rows; where they take minutes, say so and leave it to a person."""
        plan = self._session.state.plan_of(problem)
        shape, time = verbatim(f"{plan.resolved.m}×{plan.resolved.n}"), duration(plan.seconds)
        if plan.seconds < LONG_SECONDS:
            self._check(problem, None)
        else:
            self._pane.show_left(
                say("{shape} takes about {time} here: Check again runs it.", shape=shape, time=time)
            )

    def _ask(
        self,
        job: JobRequest,
        answer: Callable[[Outcome], object],
        hear: Callable[[JobFinding], object] = lambda _: None,
    ) -> None:
        """Ask the worker of the newest version."""
        worker = self._worker

        def end(outcome: Outcome) -> None:
            self._pane.set_busy(busy=False)
            if not isinstance(job, InspectJob):  # which runs nothing of the kernel
                traceback = str(outcome.detail) if isinstance(outcome, Broken) else ""
                lines = filter(None, (worker.printed.rstrip("\n"), traceback))
                self._pane.views.show_printed("\n".join(lines))
            answer(outcome)
            self._services.steps.add("own kernel", lambda: None)  # behind which a picture looks

        if held := self._session.held:  # a sweep has the GPU, and its times are not to be disturbed
            self._pane.show_problem(as_sentence(held))
        else:
            self._pane.set_busy(busy=True)
            problem = job.problem if isinstance(job, MeasureRequest) else None
            seconds = self._session.state.plan_of(problem).seconds if problem else 0.0
            worker.ask(job, end, self._device, hear, seconds)

    def _hear(self, problem: RunRequest, part: JobFinding) -> None:
        state = self._session.state
        if isinstance(part, Correctness):
            self._has_errors = True
            resolved = state.plan_of(problem).resolved
            named = replace(resolved, launch=replace(resolved.launch, strategy=self.source.name))
            self._pane.views.show_errors((part, named, state.kind))

    def _end(
        self,
        source: KernelSource,
        problem: RunRequest,
        then: RunRequest | None,
        outcome: Outcome,
    ) -> None:
        self._spare.start(self._device)
        why, plan = why_unfinished(outcome), self._session.state.plan_of(problem)
        device = self._session.state.device
        if isinstance(outcome, Broken) and outcome.timed_out:
            m, n = plan.resolved.m, plan.resolved.n
            why = say("{why} That was at {m}×{n}, where it may be slow or hang.", why=why, m=m, n=n)
            newest = self._pane.views.table.newest
            if newest is not None and (newest.sha256, newest.refused) == (source.sha256, None):
                self._pane.show_problem(why, is_wrong=False)  # fewer rows were right
                return
        if isinstance(outcome, Finished) and isinstance(outcome.value, Measured):
            version = version_of_measurement(source, outcome.value)
        elif line_in(why) is not None and device is not None:
            # The kernel took its worker along.
            now = datetime.now(UTC).isoformat(timespec="seconds")
            environment = replace(device.environment, date=now)
            lost = MeasuredCandidate(status="failed", reason=why)
            version = version_of(source, environment, plan.resolved, lost)
        else:
            stopped = isinstance(outcome, Stopped)
            why = say("Stopped: Check again runs it.") if stopped else why
            self._pane.show_problem(why, is_wrong=not stopped)
            return
        if version.refused is not None and not self._has_errors:
            self._pane.views.show_errors(None)
        self._pane.show_problem(None)
        self.found.emit(version)
        if then is not None and version.refused is None:
            self._go_on(then)

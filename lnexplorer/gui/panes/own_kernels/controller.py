"""The controller of the user's own kernel: has each text that is saved checked and timed in a new
worker.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from lnexplorer.domain.jobs import InspectJob, JobFinding, JobRequest, TraceJob
from lnexplorer.domain.kernel_versions import (
    KernelVersion,
    as_tuned,
    hard_inputs,
    hard_sentence,
    line_in,
    several_shapes,
    version_of,
    version_of_measurement,
)
from lnexplorer.domain.machines import is_remote
from lnexplorer.domain.measuring import Measured, MeasuredCandidate, MeasureRequest
from lnexplorer.domain.request import RunPlan, RunRequest
from lnexplorer.domain.wording import duration
from lnexplorer.engine.verdicts import why_unfinished, why_wrong
from lnexplorer.gui.kit.code import Text
from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.panes.own_kernels.versions import changed_text
from lnexplorer.gui.session.files import ask_where_to_save, open_in_editor
from lnexplorer.gui.session.services import COMPILED, Controller, OwnWorker, Services
from lnexplorer.gui.session.state import LONG_SECONDS, SessionState
from lnexplorer.protocol.messages import Broken, Finished, Outcome, Stopped
from lnexplorer.store.files import write_whole
from lnexplorer.store.kernels import new_kernel_text
from lnkernels.launch.settings import problems_sentence
from lnkernels.launch.source import (
    KernelSource,
    SourceError,
    find_source,
    whole_path,
    with_settings,
)
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.sentence import Sentence, as_sentence, say, verbatim
from lnkernels.values.timeline import ReductionTimeline

if TYPE_CHECKING:
    from lnexplorer.store.history import History

LOOK_MS = 60  # between two looks at the file
LIMIT_SECONDS = 60.0  # for a version's check: an autotuner in somebody's kernel takes some time
MOST_TIMES = 4  # … or so many times what our own would take on the interpreter


class FileWatcher(QObject):
    """Reports each change of one file, also where it or its folder is removed and comes back.

    It looks at the file again and again, which needs no folder to be there.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._place = ""
        self._seen: tuple[int, ...] = ()  # state of the file at the last look
        self._told: tuple[int, ...] = ()  # state that was reported
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    def watch(self, place: str) -> None:
        """Watch a file instead of the one before, and report it now."""
        self._place = place
        self._told = self._state()
        self._timer.start()
        self.changed.emit()

    def _look(self) -> None:
        before = self._seen
        self._seen = self._state()
        if before == self._seen != self._told:  # an editor writes a file in several steps
            self._told = self._seen
            self.changed.emit()

    def _state(self) -> tuple[int, ...]:
        try:
            found = Path(self._place).stat()
        except OSError:
            return ()
        return found.st_ino, found.st_size, found.st_mtime_ns


class OwnKernels(Controller):
    """Watches one file. Its newest text, with the values that are chosen of its settings, is the
    session's kernel.
    """

    def __init__(self, pane: OwnKernelsPane, services: Services) -> None:
        super().__init__(pane)
        self._pane = pane
        self._services = services
        self._session = services.session
        self._place = ""  # of the file
        # Each version has a new process, so that whatever an earlier one did to its own is gone; a
        # spare one is ready for the next.
        self._worker, self._spare = (OwnWorker(services, self) for _ in range(2))
        self._problem: RunRequest | None = None  # on which the newest version was checked
        self._has_errors = False  # whether the pane shows those of the newest version
        self._watcher = FileWatcher(self)
        self._watcher.changed.connect(self._read)
        self._session.changed.connect(self._on_changed)
        pane.notice.acted.connect(self._take_offer)
        actions: dict[str, Callable[[], object]] = {
            "open": self.choose,
            "new": self._choose_new,
            "edit": self._edit,
            "again": lambda: self._measure(wanted=True),
            "shapes": lambda: self._try(several_shapes),
            "hard": lambda: self._try(partial(hard_inputs, backend=self._session.state.backend)),
            "phases": self._trace,
            "code": self._show_code,
            "save": self._choose_copy,
        }
        for name, action in actions.items():
            pane.buttons[name].clicked.connect(action)
        pane.views.inspectRequested.connect(self._inspect)
        pane.views.table.selectionModel().selectionChanged.connect(lambda *_: self._show_text())

    @property
    def shows_soon(self) -> bool:
        """A version is being checked."""
        return self._pane.busy

    def choose(self) -> None:
        """Ask for a file."""
        name, _ = QFileDialog.getOpenFileName(
            self._services.dialogs,
            self.tr("Open a kernel: its code is run"),
            "",
            self.tr("Python") + " (*.py)",
        )
        if name:
            self.watch(Path(name))

    def watch(self, path: Path) -> None:
        """Check a file now, and whenever it is saved."""
        self._worker.close(wait=False)
        self._place = str(whole_path(path))
        self._services.window.show_part("own_kernels")
        self._pane.show_file(self._place)
        self._session.set_kernel(None)
        self._ask_versions()
        self._watcher.watch(self._place)

    def close(self) -> None:
        self._worker.close()
        self._spare.close()

    def _read(self) -> None:
        place = self._place

        def work() -> KernelSource | tuple[Sentence, str]:
            try:
                return find_source(place)
            except SourceError as error:
                text = ""
                if line_in(error.sentence):
                    with suppress(OSError):
                        text = Path(place).read_text("utf-8-sig", "replace")
                return error.sentence, text

        self._services.files.do(work, self._take, key="own kernel")

    def _take(self, source: KernelSource | tuple[Sentence, str]) -> None:
        if isinstance(source, tuple):
            problem, text = source
            self._pane.show_problem(problem, text)
            if not text:
                self._show_text()
            return
        before = self._session.state.own.source
        if before is not None and before.place == source.place:
            # A value that was chosen stays where it is still offered.
            offered = dict(source.offered)
            chosen = dict(source.settings) | {
                name: value for name, value in before.settings if value in offered.get(name, ())
            }
            source = replace(source, settings=tuple(chosen.items()))
        if source == before:
            self._pane.show_problem(None)
            self._show_text()
        else:
            if source.norm and source.norm != (before.norm if before else ""):
                request = self._session.state.request
                self._session.set_request(replace(request, norm=source.norm))
            self._session.set_kernel(source)  # which is checked on the request from here on

    def _on_changed(self, before: SessionState, after: SessionState) -> None:
        if not after.plan.problems:
            now = after.plan.resolved
            self._pane.set_shape((now.m, now.n, now.dtype, now.norm))
        if after.own.source is None or after.device is None:
            return
        if after.own.source != before.own.source or before.device is None:
            self._pane.show_source(after.own.source)
            self._worker.close(wait=False)
            self._worker, self._spare = self._spare, self._worker
            self._measure()
            return
        # It is drawn beside a run of the same problem.
        ended = after.jobs.ended != before.jobs.ended
        moved = ended and after.request.problem("auto") != self._problem
        if moved and after.backend == "cuda" and not self._pane.busy:
            self._measure()

    @property
    def _source(self) -> KernelSource:
        """The newest version, named by the settings that are not at the first of their values."""
        kernel = self._session.state.own.source
        assert kernel is not None, "a file is watched that can be read"
        first = {name: values[0] for name, values in kernel.offered}
        chosen = {name: value for name, value in kernel.settings if value != first[name]}
        return with_settings(kernel, chosen)

    @property
    def _plan(self) -> RunPlan:
        """The problem in force, for any kernel."""
        state = self._session.state
        return state.plan_of(state.request.problem("auto"))

    def _request(self, problem: RunRequest, modes: tuple[str, ...]) -> MeasureRequest:
        source, seconds = self._source, self._session.state.plan_of(problem).seconds
        return MeasureRequest(
            providers=(source.name,),
            kernels=(source,),
            problem=problem,
            modes=modes,
            seconds=1.0,
            limit_seconds=max(LIMIT_SECONDS, MOST_TIMES * seconds),
        )

    def _measure(self, *, wanted: bool = False) -> None:
        """Check the newest version: on the interpreter as many rows as take a second first, then
        all of them, which is `wanted` by a person where it takes minutes.
        """
        plan = self._plan
        whole = plan.request
        rows = whole if wanted or plan.problems else replace(whole, m=plan.rows_of_a_second)
        self._pane.show_hard_inputs(None)
        self._pane.show_left(None)
        few = not plan.problems and rows.m is not None and rows.m < plan.resolved.m
        self._check(rows if few else whole, whole if few else None)

    def _check(self, problem: RunRequest, then: RunRequest | None) -> None:
        """Check the newest version on a problem and, where it is right, on another one."""
        self._problem = problem
        self._has_errors = False
        modes = ("kernel_cold",) if self._session.state.backend == "cuda" else ()
        end = partial(self._end, self._source, problem, then)
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
            named = replace(resolved, launch=replace(resolved.launch, strategy=self._source.name))
            self._pane.views.show_errors((part, named, state.kind))

    @property
    def _device(self) -> str:
        wish = self._services.preferences.device
        return wish if is_remote(wish) else self._session.state.gpu or "interpreter"

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
            why = say("{why} That was at {m}×{n}; nothing is known to hang.", why=why, m=m, n=n)
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
            self._pane.show_problem(why)
            return
        if version.refused is not None and not self._has_errors:
            self._pane.views.show_errors(None)
        self._session.set_own_version(version)
        self._pane.show_problem(None)
        self._services.history.ask(lambda history: history.kernels.keep(version))
        self._ask_versions()
        if then is not None and version.refused is None:
            self._go_on(then)

    def _ask_versions(self) -> None:
        place = self._place

        def show(versions: list[KernelVersion]) -> None:
            if versions and place == self._place:
                self._pane.show_versions(versions)
                self._show_text()

        self._services.history.ask(lambda history: history.kernels.versions(place), show)

    def _show_text(self) -> None:
        place, table = self._place, self._pane.views.table
        version, before = table.chosen, table.before
        if version:
            self._services.history.ask(
                lambda history: _text_of(history, place, version, before),
                lambda found: self._pane.show_text(version, *found),
                "text",
            )
        else:
            self._pane.show_text(0, "")

    def _show_code(self) -> None:
        """Show the chosen version as compiled, beside the one before it."""
        place, table, newest = self._place, self._pane.views.table, self._source
        versions = {each.id: each.version for each in table.rows.rows}
        last, numbers = table.rows.ids[0], [each for each in (table.before, table.chosen) if each]
        problem = self._session.state.plan.shaped

        def find(history: "History") -> list[KernelSource]:
            return [
                as_tuned(
                    newest if each == last else find_source(str(history.kernels.file(place, each))),
                    [versions[each]],
                    problem,
                )
                for each in numbers
            ]

        show = self._services.part(COMPILED).show_own
        self._services.history.ask(find, lambda found: show(*found), "code")

    def _trace(self) -> None:
        """Show what the kernel stamps in the Reduction pane."""

        def show(outcome: Outcome) -> None:
            device = self._session.state.device
            timeline = None
            if isinstance(outcome, Finished) and isinstance(outcome.value, ReductionTimeline):
                timeline = outcome.value
            else:
                self._pane.show_problem(why_unfinished(outcome))
            if isinstance(outcome, Broken) and outcome.hang is not None:
                timeline = outcome.hang.timeline
            if timeline is not None:
                environment = device.environment if device is not None else None
                self._session.show_timeline(timeline, None, environment)
                self._services.window.show_part("reduction")

        self._ask(TraceJob(self._session.state.request.problem("auto"), self._source), show)

    def _try(
        self, list_checks: Callable[[MeasureRequest], list[tuple[Sentence, MeasureRequest]]]
    ) -> None:
        """Do checks with names one after the other, on the interpreter with as many rows as take a
        second; a new version ends it.
        """
        plan, verdicts = self._plan, list[tuple[Sentence, Sentence | None]]()
        if why := problems_sentence(plan.problems):
            self._session.remark(why)
            return
        checks = list_checks(self._request(replace(plan.shaped, m=plan.rows_of_a_second), ()))

        def go_on() -> None:
            done = len(verdicts)
            self._pane.show_hard_inputs(hard_sentence(verdicts, len(checks) - done))
            if done < len(checks):
                self._ask(checks[done][1], take)

        def take(outcome: Outcome) -> None:
            if not isinstance(outcome, Stopped):
                verdicts.append((checks[len(verdicts)][0], why_wrong(outcome)))
                go_on()

        go_on()

    def _edit(self) -> None:
        if not open_in_editor(self._place, self._pane.line):
            self._session.remark(say("No program opened {path}.", path=self._place))

    def _inspect(self, tensor: str, *part: int) -> None:
        """Have a part of a map of errors in full resolution."""

        def show(outcome: Outcome) -> None:
            if isinstance(outcome, Finished) and isinstance(outcome.value, ErrorMap):
                self._pane.views.show_map(outcome.value)

        if not self._pane.busy:  # its worker answers the newest question alone
            self._ask(InspectJob(tensor, *part), show)

    def _take_offer(self) -> None:
        """Watch the file of a session, if it is the one that was agreed to."""
        view = self._pane.offered
        if view is None:
            return

        def work() -> Sentence | None:
            try:
                same = find_source(view.place).sha256 == view.sha256
            except SourceError as error:
                return error.sentence
            if same:
                return None
            return say(
                "{path} has changed since the session was saved: open it, if you trust what it"
                " is now",
                path=view.place,
            )

        self._services.files.do(
            work, lambda why: self._session.warn(why) if why else self.watch(Path(view.place))
        )

    def _choose_new(self) -> None:
        name = ask_where_to_save(self._services.dialogs, self.tr("New kernel"), "my_norm", ".py")
        if name is not None:
            self._write(name, new_kernel_text(name), self.watch)

    def _choose_copy(self) -> None:
        place, version = Path(self._place), self._pane.views.table.chosen
        proposed = str(place.with_name(f"{place.stem}_{version}"))
        name = ask_where_to_save(
            self._services.dialogs, self.tr("Save this version"), proposed, ".py"
        )
        if name is not None:
            said = say("Saved as {path}", path=str(name))
            self._services.history.ask(
                lambda history: history.kernels.text(str(place), version),
                lambda text: self._write(name, text, lambda _: self._session.remark(said)),
            )

    def _write(self, path: Path, text: str, then: Callable[[Path], object]) -> None:
        self._services.files.do(lambda: write_whole(path, text.encode()), lambda _: then(path))


def _text_of(history: "History", place: str, version: int, before: int) -> tuple[str, Text | None]:
    """Return the text of a version, and what it changed in the one before; 0 where none was."""
    text = history.kernels.text(place, version)
    return text, changed_text(history.kernels.text(place, before), text) if before else None


connect = OwnKernels

"""Watches the file of a kernel, and has each text that is saved checked and timed in a worker that is new to it."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer
from PySide6.QtWidgets import QFileDialog

from lnexplorer.domain.jobs import InspectJob, JobFinding, TraceJob
from lnexplorer.domain.kernel_versions import KernelVersion, hard_problems, hard_sentence, version_of_measurement, with_line
from lnexplorer.domain.measuring import Measured, MeasureRequest
from lnexplorer.domain.request import ResolvedRequest, resolve
from lnexplorer.domain.views import OwnKernelView
from lnexplorer.engine.spawn import WORKER_COMMAND
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.shell.services import OwnWorker, Services
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, Outcome, Refused, WorkerLost
from lnexplorer.store.kernels import new_kernel_text
from lnkernels.launch.settings import problems_sentence
from lnkernels.launch.source import (
    KernelSource,
    SettingValue,
    SourceError,
    SourceText,
    find_source,
    read_source,
    to_environment,
    with_settings,
)
from lnkernels.sentence import Sentence, say
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

if TYPE_CHECKING:
    from lnexplorer.store.history import History

REST_MS = 60  # an editor writes a file in several steps
LIMIT_SECONDS = 60.0  # for a version's check: an autotuner in somebody's kernel takes some time


def start_kernel_worker(source: KernelSource, put: Callable[[EngineEvent], None], device: str) -> Supervisor:
    """A worker that knows a kernel, whatever text its file has when it is asked."""
    command = (*WORKER_COMMAND, "--kernels", to_environment([source]))
    supervisor = Supervisor(put, device=device, command=command)
    supervisor.start()
    return supervisor


class OwnKernels(QObject):
    """One file at a time."""

    def __init__(self, pane: OwnKernelsPane, services: Services) -> None:
        super().__init__(pane)
        self._pane, self._services = pane, services
        self._source: KernelSource | None = None
        self._text: SourceText | None = None
        self._worker: OwnWorker | None = None  # that has checked the newest version, and can be asked about it
        self._spare: OwnWorker | None = None  # ready for the next one
        self._chosen: dict[str, SettingValue] = {}  # of its SETTINGS, in place of the first of each
        self._waiting = False
        self._known: tuple[object, ...] = ()  # what that worker was started for
        self._watcher = QFileSystemWatcher(self)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._watcher.fileChanged.connect(self._rest.start)
        self._watcher.directoryChanged.connect(self._rest.start)
        self._rest.timeout.connect(self._read)
        services.session.changed.connect(lambda _before, after: self._check() if self._waiting and after.device else None)
        pane.openWanted.connect(self.choose)
        pane.compileWanted.connect(self._compile)
        pane.phasesWanted.connect(self._trace)
        pane.hardInputsWanted.connect(self._try_hard_inputs)
        pane.inspectRequested.connect(self._inspect)
        pane.settingChosen.connect(self._choose_setting)
        pane.offerTaken.connect(self._take_offer)
        pane.newWanted.connect(self._choose_new)
        pane.versionChosen.connect(self._show_text)
        pane.saveWanted.connect(self._choose_copy)

    def choose(self) -> None:
        """Ask for a file."""
        window = self._services.window
        name, _ = QFileDialog.getOpenFileName(
            window, self.tr("Open a kernel: its code is run"), "", self.tr("Python") + " (*.py)"
        )
        if name:
            self.watch(Path(name))

    def watch(self, path: Path) -> None:
        """Check a file now, and whenever it is saved."""
        if self._watcher.files() or self._watcher.directories():
            self._watcher.removePaths([*self._watcher.files(), *self._watcher.directories()])
        self._source = KernelSource(name=path.stem, place=str(path.absolute()))
        self._text, self._chosen = None, {}
        self._watcher.addPaths([str(path), str(path.parent)])
        self._services.window.show_part("own_kernels")
        self._read()

    def _compile(self) -> None:
        if self._source is not None:
            self._services.controller("compiled").show_own(self._source)

    def _trace(self) -> None:
        """Show what the kernel stamps in the Reduction pane."""
        session = self._services.session

        def show(outcome: Outcome | WorkerLost) -> None:
            self._pane.set_busy(busy=False)
            match outcome:
                case Finished(ReductionTimeline() as timeline):
                    session.show_timeline(timeline, None, session.state.device.environment if session.state.device else None)
                    self._services.window.show_part("reduction")
                case _:
                    why = _why(outcome)
                    self._pane.show_problem(why, _line(str(why)))

        if self._source is not None:
            self._ask(TraceJob(session.state.request.problem("auto"), self._source.name), show)

    def _try_hard_inputs(self) -> None:
        """Check the kernel on what is hard, one after the other; a new version ends it."""
        source = self._source
        if source is None:
            return
        problems = hard_problems(self._services.session.state.request, self._resolved.m, self._resolved.n)
        found: list[tuple[str, Sentence | None]] = []
        request = MeasureRequest(providers=(source.name,), modes=(), limit_seconds=LIMIT_SECONDS)

        def go_on() -> None:
            left = len(problems) - len(found)
            self._pane.show_hard_inputs(hard_sentence(found, left))
            if left:
                self._ask(replace(request, problem=problems[len(found)][1]), take)
            else:
                self._pane.set_busy(busy=False)

        def take(outcome: Outcome | WorkerLost) -> None:
            value = outcome.value if isinstance(outcome, Finished) else None
            checked = value.outcome(source.name) if isinstance(value, Measured) else None
            found.append((problems[len(found)][0], _why(outcome) if checked is None else checked.reason))
            go_on()

        go_on()

    def _inspect(self, *part: Any) -> None:
        """Have a part of a map of errors in full resolution."""

        def show(outcome: Outcome | WorkerLost) -> None:
            self._pane.set_busy(busy=False)
            if isinstance(outcome, Finished) and isinstance(outcome.value, ErrorMap):
                self._pane.show_map(outcome.value)

        self._ask(InspectJob(*part), show)

    def _ask(self, job: Any, answer: Callable[[Outcome | WorkerLost], object]) -> None:
        """Ask the worker that has checked the newest version."""
        if self._worker is not None:
            self._pane.set_busy(busy=True)
            self._worker.ask(job, answer, self._device)

    def _choose_setting(self, name: str, value: SettingValue) -> None:
        self._chosen[name] = value
        self._read()

    def _take_offer(self, view: OwnKernelView) -> None:
        """Watch the file of a session, if it is the one that was agreed to."""

        def work() -> Sentence | str:
            try:
                return read_source(Path(view.place)).sha256
            except SourceError as error:
                return error.sentence

        def take(found: Sentence | str) -> None:
            if isinstance(found, Sentence):
                self._services.session.warn(found)
            elif found == view.sha256:
                self.watch(Path(view.place))
            else:
                self._pane.offer(replace(view, sha256=found), changed=True)

        self._services.files.do(work, take)

    def close(self) -> None:
        for worker in (self._worker, self._spare):
            if worker is not None:
                worker.close()

    def _read(self) -> None:
        assert self._source is not None, "a file is watched"
        place = self._source.place
        if place not in self._watcher.files():  # an editor has put another file in its place
            self._watcher.addPath(place)

        def work() -> tuple[KernelSource, SourceText] | Sentence:
            try:
                return find_source(place), read_source(Path(place))
            except SourceError as error:
                return error.sentence

        self._services.files.do(work, self._take, key="own kernel")

    def _take(self, found: tuple[KernelSource, SourceText] | Sentence) -> None:
        if isinstance(found, Sentence):
            self._pane.show_source(self._source or KernelSource(name="", place=""))
            self._pane.show_problem(found, _line(str(found)))
            return
        plain, text = found
        offered = dict(plain.offered)
        chosen = {name: value for name, value in self._chosen.items() if value in offered.get(name, ())}
        source, before = with_settings(plain, chosen) if chosen else plain, self._text
        if before is not None and before.sha256 == text.sha256 and source == self._source:
            self._pane.show_problem(None)
            return
        self._source, self._text = source, text
        self._services.session.set_kernel(plain)
        self._pane.show_source(source, stamped=bool(text.stamps))
        if before is None:
            self._services.history.ask(lambda history: history.kernels.versions(source.place), self._pane.show_versions)
        self._check()

    def _check(self) -> None:
        source, session = self._source, self._services.session.state
        self._waiting = session.device is None  # it comes up again when the device is known
        if source is None or session.device is None:
            return
        known = (source.place, source.name, source.settings, self._device)
        if known != self._known:
            _let_go(self._spare)
            self._known, self._spare = known, None
        # Each version has a process of its own: whatever an earlier one did to its own is gone.
        _let_go(self._worker)
        self._worker, self._spare = self._spare or self._new_worker(source), None
        request = MeasureRequest(
            providers=(source.name,),
            problem=session.request.problem("auto"),
            modes=("kernel_cold",) if session.backend == "cuda" else (),
            seconds=1.0,
            limit_seconds=LIMIT_SECONDS,
        )
        self._pane.set_busy(busy=True)
        self._pane.show_hard_inputs(None)
        self._worker.ask(request, self._end, self._device, self._hear)

    def _new_worker(self, source: KernelSource) -> OwnWorker:
        started = KernelSource(name=source.name, place=source.place, settings=source.settings)
        return OwnWorker(self._services.delivery, self, partial(start_kernel_worker, started))

    def _hear(self, part: JobFinding) -> None:
        source, state = self._source, self._services.session.state
        if isinstance(part, Correctness) and source is not None:
            resolved = self._resolved
            kind = Kind.MEASURED if state.backend == "cuda" else Kind.INTERPRETED
            self._pane.show_errors(part, replace(resolved, launch=replace(resolved.launch, strategy=source.name)), kind)

    @property
    def _resolved(self) -> ResolvedRequest:
        """The problem of the newest version."""
        state = self._services.session.state
        return resolve(state.request.problem("auto"), state.backend, state.limits)

    @property
    def _device(self) -> str:
        device = self._services.session.state.device
        return "interpreter" if device is None or device.index is None else f"cuda:{device.index}"

    def _end(self, outcome: Outcome | WorkerLost) -> None:
        source, text = self._source, self._text
        self._pane.set_busy(busy=False)
        if source is None or text is None:
            return
        if self._spare is None:
            self._spare = self._new_worker(source)
            self._spare.start(self._device)
        match outcome:
            case Finished(Measured() as measured):
                self._keep(version_of_measurement(source, measured), text)
            case Broken(sentence=sentence, detail=detail) | WorkerLost(sentence=sentence, detail=detail):
                self._pane.show_problem(*with_line(sentence, detail, [source]))
            case _:
                self._pane.show_problem(_why(outcome))

    def _keep(self, found: KernelVersion, text: SourceText) -> None:
        place = found.place

        def keep(history: "History") -> list[KernelVersion]:
            with suppress(SourceError):
                # Where it was saved anew meanwhile, nobody knows which of both texts was run; the newer one comes next.
                if read_source(Path(place)).sha256 == text.sha256:
                    history.kernels.keep(found, text.text)
            return history.kernels.versions(place)

        def show(versions: list[KernelVersion]) -> None:
            if versions and self._source is not None and self._source.place == place:
                self._pane.show_problem(None)
                self._pane.show_versions(versions)
                self._show_text(self._pane.chosen)

        self._services.history.ask(keep, show)

    def _show_text(self, version: int) -> None:
        if self._source is not None and version:
            place = self._source.place
            self._services.history.ask(
                lambda history: history.kernels.text(place, version), lambda text: self._pane.show_text(version, text), "text"
            )

    def _choose_new(self) -> None:
        name = self._ask_for_name(self.tr("New kernel"), "my_norm.py")
        if name is not None:
            self._write(name, new_kernel_text(name), self.watch)

    def _choose_copy(self, version: int) -> None:
        if self._source is None:
            return
        place = Path(self._source.place)
        name = self._ask_for_name(self.tr("Save this version"), str(place.with_stem(f"{place.stem}_{version}")))
        if name is not None:
            said = partial(self._services.session.remark, say("Saved as {path}", path=str(name)))
            self._services.history.ask(
                lambda history: history.kernels.text(str(place), version), lambda text: self._write(name, text, lambda _: said())
            )

    def _ask_for_name(self, title: str, proposed: str) -> Path | None:
        name, _ = QFileDialog.getSaveFileName(self._services.window, title, proposed, self.tr("Python") + " (*.py)")
        return Path(name if name.endswith(".py") else f"{name}.py") if name else None

    def _write(self, path: Path, text: str, then: Callable[[Path], object]) -> None:
        self._services.files.do(lambda: path.write_text(text, encoding="utf-8"), lambda _: then(path))


def connect(pane: OwnKernelsPane, services: Services) -> OwnKernels:
    return OwnKernels(pane, services)


def _let_go(worker: OwnWorker | None) -> None:
    if worker is not None:
        worker.close(wait=False)
        worker.deleteLater()


def _why(outcome: Outcome | WorkerLost) -> Sentence | None:
    """Why a job gave nothing."""
    match outcome:
        case Refused(problems=problems):
            return problems_sentence(problems)
        case Broken(sentence=sentence) | WorkerLost(sentence=sentence):
            return sentence
        case _:
            return say("it was stopped")


def _line(said: str) -> int | None:
    """The line that a sentence about a file names."""
    found = re.search(r", line (\d{1,7}): ", said)
    return int(found[1]) if found else None

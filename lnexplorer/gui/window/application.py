"""Make the window's objects, tie them together, and take them apart again."""

import linecache
import sys
from collections.abc import Iterable
from functools import cached_property, partial
from importlib import import_module
from inspect import getmembers
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QSettings, Qt, QTimer

from lnexplorer.domain.history import history_row
from lnexplorer.domain.machines import is_remote, read_machine
from lnexplorer.domain.request import RunRequest, other_setting
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.kit import translate_message
from lnexplorer.gui.kit.responsive import Delivery, IdleSteps, import_modules, unexpected
from lnexplorer.gui.session.files import FileThread
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import Remark, SessionState
from lnexplorer.gui.session.under_way import UnderWay
from lnexplorer.gui.window.actions import offered_devices
from lnexplorer.gui.window.commands import Commands
from lnexplorer.gui.window.main_window import MainWindow, keep_place
from lnexplorer.gui.window.preferences import Preferences
from lnexplorer.gui.window.start import Start
from lnexplorer.gui.window.window_services import WindowServices
from lnexplorer.gui.window.workspaces import HISTORY, PARTS, AnyPane
from lnexplorer.protocol.messages import EngineEvent
from lnexplorer.store.settings import save_settings
from lnkernels.values import Sentence

if TYPE_CHECKING:
    from lnexplorer.gui.window.last_session import LastSession

# Modules without Qt that are slow to import: another thread loads them before the panes need them.
LOADED_LATER = ("pandas", "jinja2", "lnexplorer.engine.sweep", "lnexplorer.store.recordings")
POLL_MS = 10
# Without a GPU the first start shows a model of the locks: so few of them that rows wait for each
# other.
FIRST_WITHOUT_GPU = RunRequest.of(group_size_m=4)


class Explorer(WindowServices):
    """All of the window's objects."""

    def __init__(self, start: Start, preferences: Preferences) -> None:
        """Tie everything to the window of `preferences`."""
        super().__init__()
        self._start = start
        self._closed = False
        self._loading = Thread(target=import_modules, args=LOADED_LATER, daemon=True)
        self.status = 0
        delivery = self.delivery = Delivery(self)
        self.under_way = UnderWay(self)
        self.supervisor = Supervisor(
            lambda event: delivery.post(partial(self._take, event)),
            device=start.device,
            spawned=start.spawned,
        )
        self.supervisor.start()
        self.preferences = preferences
        preferences.setParent(self)
        self.window = self.dialogs = preferences.window
        self.steps = IdleSteps(self)
        self.session = SessionController(
            self.supervisor,
            SessionState(live=start.settings.live, peers=start.settings.peers),
            self,
        )
        paths = start.paths
        self.history = HistoryThread(paths.history, delivery, self, paths.warning)
        self.files = FileThread(delivery, "files", self)
        self.exercises = paths.exercises
        self.controllers = {}
        self.commands = Commands(self)
        self._connect()

    def open(self) -> None:
        start, options, actions = self._start, self._start.options, self.window.actions_
        self._raised = sys.excepthook
        sys.excepthook = self._on_raised
        if options.screenshot is not None:
            from lnexplorer.gui.window.picture_run import PictureRun  # with pyqtgraph

            picture = self.picture = PictureRun(
                self.window, options.screenshot, self._is_settled, self
            )
            picture.finished.connect(self._on_picture)
            self.keeps = False
            self.steps.emptied.connect(lambda: picture.follow(self.session.state))
        asked = (options.screenshot, options.recording, options.request)
        restores = asked == (None,) * 3 and start.paths.last_session.exists()
        if self.keeps:
            self.commands.pinning.follow()
        actions["live"].setChecked(self.session.state.live)
        self.commands.show_device(start.device)
        actions.check("themes", options.theme or self.preferences.settings.theme)
        actions.check("languages", options.language or self.preferences.settings.language)
        if options.recording is not None:
            self.session.show_request(self._first_request())
            beside = self.commands.open_file(options.recording)
            if beside is not None:  # the other panes show a run as ever
                beside.opened.connect(self._run_beside_it)
            elif self.picture is not None and options.recording.suffix == ".py":
                self.begin()  # a picture ends with a run
        elif not restores:
            self.begin()
        for warning in start.warnings:
            self.session.warn(warning)
        self.commands.mention_missing_font()
        self.window.parameters.setFocus(Qt.FocusReason.OtherFocusReason)
        self.window.show()
        # PySide makes a class when it is first used; pyqtgraph uses all of these modules at once.
        for module in (QtCore, QtGui, QtWidgets):
            self.steps.add(f"classes of {module.__name__}", partial(getmembers, module))
        self.steps.add("import pyqtgraph", partial(import_module, "pyqtgraph"))
        if restores:
            self.steps.add("last session", self._restore)
        self.steps.add("next pane", self._make_next_pane)

    def close(self) -> int:
        """End the worker and the threads in bounded time; return the command's exit status.

        A second call does nothing.
        """
        if self._closed:
            return self.status
        self._closed = True
        if sys.excepthook == self._on_raised:
            sys.excepthook = self._raised
        self.commands.lecture.close()
        self.supervisor.close()
        for controller in self.controllers.values():
            controller.close()
        self.steps.clear()
        if self._start.options.screenshot is None:
            self.files.do(
                partial(save_settings, self._start.paths.settings, self.preferences.settings)
            )
        self.files.close()
        self.history.close()
        self.delivery.close()
        self.window.deleteLater()
        return self.status

    def _take(self, event: EngineEvent) -> None:
        if not self._closed:
            self.under_way.hear(event, estimate=self.session.state.estimate(event))
            self.received.emit(event)

    def _connect(self) -> None:
        window, session = self.window, self.session
        self.received.connect(session.take)
        self.under_way.changed.connect(self._show_job)
        session.changed.connect(self._on_changed)
        session.runFinished.connect(self._on_run_finished)
        window.message.close_button.clicked.connect(session.dismiss)
        window.closing.connect(self._on_closing)
        window.paneMade.connect(self._connect_part)
        window.workspaceShown.connect(self._on_workspace_shown)
        window.actions_.groups["workspaces"].triggered.connect(self._dismiss_remark)
        for thread in (self.history, self.files):
            thread.warned.connect(session.warn)
            thread.failed.connect(self._tell_failure)
        self.files.opened.connect(self.commands.show_recording)
        self.preferences.languageChosen.connect(self.commands.mention_missing_font)

    def _dismiss_remark(self) -> None:
        """Put a remark away, as it would cover what the user looks at now."""
        if isinstance(self.session.state.notice, Remark):
            self.session.dismiss()

    def _connect_part(self, name: str) -> None:
        controller = PARTS[name].connect(self.window.pane(name), self)
        if controller is not None:
            self.controllers[name] = controller

    def _restore(self) -> None:
        self._last_session.restore()

    @cached_property
    def _last_session(self) -> "LastSession":
        """The session of the last window; made after the first paint, or at the end."""
        from lnexplorer.gui.window.last_session import LastSession  # with pyqtgraph

        return LastSession(self, self._start.paths)

    def begin(self) -> None:
        self.session.begin_with(self._first_request())

    def _first_request(self) -> RunRequest:
        options = self._start.options
        kept = None if options.screenshot else self.preferences.settings.request
        return options.request or kept or first_request(self._start.device)

    def _run_beside_it(self) -> None:
        if self.session.state.run.result is None and not self.session.state.jobs.busy:
            self.begin()

    def _make_next_pane(self) -> None:
        """Make the next pane in idle steps, beginning with the workspace that is shown."""
        if self._closed:
            return
        part = self._missing(self.window.view.workspace.parts())
        if part is None:
            part = self._missing(() if self.picture else PARTS.values())
            if part is None:
                if self.picture is None:
                    self._last_session.follow()
                # PySide looks for its own name in the source of every module, and Python keeps
                # that.
                linecache.clearcache()
                return
            # Python runs one thread at a time: meanwhile nothing is made, but events have turns.
            if self._loading.ident is None:
                self._loading.start()
            if self._loading.is_alive():
                QTimer.singleShot(POLL_MS, self, self._make_next_pane)
                return
        for module in part.modules:
            self.steps.add(f"import {module}", partial(import_module, module))
        self.steps.add(f"make {part.name}", partial(self.window.pane, part.name))
        self.steps.add("next pane", self._make_next_pane)

    def _missing(self, parts: Iterable[AnyPane]) -> AnyPane | None:
        """Return the first part whose pane is still to be made."""
        return next((part for part in parts if part.name not in self.window.made), None)

    def _on_workspace_shown(self, _name: str) -> None:
        """Make the panes of another workspace, which a session may open for a picture."""
        if self.window.painted and self._missing(self.window.view.workspace.parts()):
            self.steps.add("next pane", self._make_next_pane)

    def _on_changed(self, before: SessionState, after: SessionState) -> None:
        show_session(self.window, before, after)
        if (before.live, before.peers) != (after.live, after.peers):
            self.preferences.change(live=after.live, peers=after.peers)
        if self.picture is not None:
            self.picture.follow(after)

    def _show_job(self) -> None:
        job = self.under_way.oldest
        self.window.status.show_job(job)
        self.window.actions_["stop"].setEnabled(job is not None)

    def _on_run_finished(self, result: RunResult) -> None:
        self.preferences.change(request=result.request)
        if self.picture is None:
            self.history.change("runs", lambda history: history.runs.add(result))
        elif HISTORY.name in self.window.made:
            # A run that is made for a picture is shown without being kept.
            row = history_row(1, result.provenance.environment.date, result)
            self.window.pane(HISTORY).set_runs([row], 1)

    def _is_settled(self) -> bool:
        return (
            self._missing(self.window.view.workspace.parts()) is None
            and not self.steps.waiting
            and not any(each.shows_soon for each in self.controllers.values())
        )

    def _on_picture(self, status: int) -> None:
        self.status = status
        self.window.close()

    def _on_raised(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Report an error in a slot of Qt, where nothing catches it."""
        self._raised(kind, error, trace)
        if not self._closed and isinstance(error, Exception):
            self._tell_failure(unexpected(error))

    def _tell_failure(self, sentence: Sentence) -> None:
        if self.picture is not None:
            self.picture.fail(translate_message(sentence))
        else:
            self.session.warn(sentence)

    def _on_closing(self) -> None:
        self.commands.lecture.close()
        if self._start.options.screenshot is None:
            path = str(self._start.paths.window)
            keep_place(self.window, QSettings(path, QSettings.Format.IniFormat))
            if self._missing(PARTS.values()) is None or "_last_session" in vars(self):
                self._last_session.keep()


def show_session(window: MainWindow, before: SessionState, after: SessionState) -> None:
    """Show a change of the session in menus, headlines, status bar and messages.

    Panes are left to their controllers.
    """
    run = after.run
    window.actions_["live"].setChecked(after.live)
    if (before.worker_shown, before.device) != (after.worker_shown, after.device):
        window.status.show_worker(after.worker_shown, after.device)
    if before.notice is not after.notice:
        if after.notice is None:
            window.message.hide()
        else:
            window.message.show_notice(after.notice, can_restart=after.can_restart)
    if before.run is not run or before.trace is not after.trace:
        traced = after.trace.timeline is not None
        window.headline.show_run(run, traced=traced)
    parts = ("run", "plan", "trace", "pinned")
    if any(getattr(before, part) is not getattr(after, part) for part in parts):
        other = other_setting(run.resolved, after.plan, run.machine)
        window.headline.show_other(other)
        window.headline.beside.show_session(after, other)
    if before.plan is not after.plan and not after.plan.problems:
        for heading in (window.folded, *window.headings.values()):
            heading.show_parameters(after.plan.resolved, after.request.launch.given())


def first_request(device: str) -> RunRequest:
    """Return the request of a first start, on a device as the command line names it."""
    there = is_remote(device) and not read_machine(device).device.startswith("interpreter")
    on_gpu = (
        device.startswith("cuda") or there or (device == "auto" and "cuda:0" in offered_devices())
    )
    return RunRequest() if on_gpu else FIRST_WITHOUT_GPU

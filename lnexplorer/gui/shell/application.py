"""Makes the window's objects, ties them together, and takes them apart again."""

import gc
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QWidget

from lnexplorer.domain.history import history_row
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.spawn import Spawned
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.history.controller import link_history
from lnexplorer.gui.history.thread import HistoryThread
from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.responsive import SWITCH_SECONDS, Delivery, IdleSteps, import_in_steps
from lnexplorer.gui.shell.actions import check_named
from lnexplorer.gui.shell.client import EngineClient
from lnexplorer.gui.shell.commands import Commands
from lnexplorer.gui.shell.devices import offered_devices
from lnexplorer.gui.shell.files import FileThread
from lnexplorer.gui.shell.late_panes import PaneLoader
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.options import PICTURE_SIZE, WindowOptions
from lnexplorer.gui.shell.parts import Parts
from lnexplorer.gui.shell.placement import keep_place, place, place_for_picture
from lnexplorer.gui.shell.preferences import Preferences, theme_named
from lnexplorer.gui.shell.presenter import Presenter
from lnexplorer.gui.shell.self_measurement import SelfMeasurement
from lnexplorer.gui.shell.session import SessionController
from lnexplorer.gui.shell.state import SessionState
from lnexplorer.gui.shell.style import apply_style
from lnexplorer.gui.throughput.controller import LiveTuner
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
from lnexplorer.store.settings import Settings
from lnkernels.sentence import Sentence

if TYPE_CHECKING:
    from lnexplorer.gui.memory_access.controller import TouchController
    from lnexplorer.gui.reduction.controller import ComparisonController


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is known before Qt is loaded."""

    options: WindowOptions
    paths: Paths
    settings: Settings
    warnings: tuple[Sentence | str, ...]
    device: str
    spawned: Spawned | None
    started: float  # time.time()
    measures: bool = False  # the window measures itself and closes


def run_application(start: Start) -> int:
    """Open the window, stay until it is closed; the exit status."""
    qInstallMessageHandler(_pass_on)
    application = QApplication.instance() or QApplication(["lnexplorer"])
    assert isinstance(application, QApplication)
    explorer = Explorer(application, start)
    explorer.open()
    application.exec()
    return explorer.close()


class Explorer(QObject):
    """All of the window's objects."""

    def __init__(self, application: QApplication, start: Start) -> None:
        super().__init__()
        sys.setswitchinterval(SWITCH_SECONDS)
        self._application = application
        self._start = start
        self.status = 0
        options, settings = start.options, start.settings
        self.delivery = Delivery(self)
        self.client = EngineClient(self.delivery, self)
        self.supervisor = Supervisor(self.client.put, device=start.device, spawned=start.spawned)
        self.supervisor.start()
        application.setStyle("Fusion")
        application.setApplicationName("lnexplorer")
        application.setWindowIcon(QIcon(str(resource("icons/lnexplorer.png"))))
        languages = Languages(application, resource("translations"))
        languages.use(options.language or settings.language)
        theme = theme_named(options.theme or settings.theme)
        apply_style(application, theme, settings.text_percent)
        self.window = MainWindow()
        self.window.apply_theme(theme)
        self.steps = IdleSteps(self)
        self.preferences = Preferences(application, self.window, languages, settings, theme, start.device, self)
        self.presenter = Presenter(self.window, self.steps)
        self.session = SessionController(self.supervisor, SessionState(live=settings.live, peers=settings.peers), self)
        self.live = LiveTuner(self.supervisor, self.session, self)
        self.history = HistoryThread(start.paths.history, self.delivery, self)
        self.files = FileThread(self.delivery, self)
        self.touch: TouchController | None = None  # with its pane
        self.prediction: ComparisonController | None = None  # with the reduction's pane
        stages = (self.window.dress_pane, self.window.frame_pane, self.window.set_pane, self._link_pane)
        self.panes = PaneLoader(self.steps, self.delivery, stages, self)
        self.measurement: SelfMeasurement | None = None
        if start.measures:
            self.measurement = SelfMeasurement(self.window, self.is_complete, start.started, self)
        self.parts = Parts(
            window=self.window,
            session=self.session,
            supervisor=self.supervisor,
            client=self.client,
            delivery=self.delivery,
            history=self.history,
            files=self.files,
            steps=self.steps,
            panes=self.panes,
            folder=start.paths.data,
        )
        self._closed = False
        self.commands = Commands(self.parts, self.preferences, self._has_speeds, self)
        self._connect()

    def open(self) -> None:
        """Show the window and begin the first run."""
        start, options = self._start, self._start.options
        if options.screenshot is not None:
            from lnexplorer.gui.shell.picture_run import PictureRun  # noqa: PLC0415  (no work for the start of the window)

            picture = self.parts.picture = PictureRun(self.window, options.screenshot, self._is_settled, self)
            picture.finished.connect(self._on_picture)
            self.steps.emptied.connect(lambda: self._follow(self.session.state))
        self.window.parameters.set_live(self.session.state.live)
        self.window.actions_.live.setChecked(self.session.state.live)
        self.window.actions_.set_devices(offered_devices(), start.device)
        self.window.menus.show_devices()
        check_named(self.window.actions_.themes, options.theme or self.preferences.settings.theme)
        check_named(self.window.actions_.languages, options.language or self.preferences.settings.language)
        self._place()
        if options.recording is not None:
            for recorded in (self.commands.recorded_sweeps, self.commands.recorded_experiments):
                recorded.opened.connect(self._run_beside_it)
            self.commands.open_file(options.recording)
        else:
            self._first_run()
        for warning in start.warnings:
            self.session.warn(warning)
        self.commands.mention_missing_font()
        self.window.show()

    def close(self) -> int:
        """End the worker and the threads, in bounded time; the exit status of the command. A second time does nothing."""
        if self._closed:
            return self.status
        self._closed = True
        self.commands.lecture.close()
        self.client.close()
        self.supervisor.close()
        if self.parts.sweeps is not None:
            self.parts.sweeps.close()
        if self.touch is not None:
            self.touch.close()
        if self.prediction is not None:
            self.prediction.close()
        self.steps.clear()
        self.panes.close()
        if self._start.options.screenshot is None:
            self.files.save_settings(self._start.paths.settings, self.preferences.settings)
        self.files.close()
        self.history.close()
        self.delivery.close()
        self.window.deleteLater()
        return self.status

    def _has_speeds(self) -> bool:
        """Whether speeds are to be expected: from a GPU, or from a recording that is on show."""
        result = self.session.state.result
        if result is not None and result.throughput is not None:
            return True
        if result is None and self._start.options.recording is not None:
            return True
        device = self.session.state.device
        if device is not None:
            return device.backend == "cuda"
        here = any(name.startswith("cuda") for name in offered_devices())
        return here and not self.preferences.device.startswith("interpreter")

    def _connect(self) -> None:
        window, session = self.window, self.session
        self.client.received.connect(session.take)
        self.client.received.connect(self.live.take)
        session.changed.connect(self._on_changed)
        session.runFinished.connect(self._on_run_finished)
        window.parameters.requestChanged.connect(session.set_request)
        window.parameters.runRequested.connect(session.run)
        window.parameters.stopRequested.connect(session.stop)
        window.parameters.liveToggled.connect(session.set_live)
        window.message.runRequested.connect(session.run)
        window.message.restartRequested.connect(lambda: session.restart(self.preferences.device))
        window.message.dismissed.connect(session.dismiss)
        window.firstPainted.connect(self._on_first_painted)
        window.closing.connect(self._on_closing)
        self.history.loaded.connect(session.show_past)
        self.history.warned.connect(session.warn)
        self.files.warned.connect(session.warn)
        self.files.failed.connect(self._on_file_failed)
        self.files.opened.connect(self.commands.show_recording)
        self.preferences.languageChosen.connect(self.commands.mention_missing_font)
        self.panes.placed.connect(lambda name: self.presenter.show_all(name, self.session.state))
        self.panes.completed.connect(self._on_completed)

    def _first_run(self) -> None:
        options = self._start.options
        request = options.request
        if request is None:
            request = RunRequest() if options.screenshot else self.preferences.settings.request or RunRequest()
        self.window.parameters.set_request(request)
        self.session.begin_with(request)

    def _run_beside_it(self) -> None:
        """The other panes show a run as ever."""
        if self.session.state.result is None and not self.session.state.busy:
            self._first_run()

    def _place(self) -> None:
        options = self._start.options
        if options.screenshot is not None:
            place_for_picture(self.window, options.size or PICTURE_SIZE, gpu=self._has_speeds())
        else:
            place(self.window, self._start.paths.window, options.size, gpu=self._has_speeds())

    def _link_pane(self, name: str, _pane: QWidget) -> None:
        if name == "history":
            history = self.window.history
            assert history is not None
            self.commands.gallery.link(history)
            if self.parts.picture is None:
                link_history(history, self.history)
                self.commands.exports.link_history()
            elif self.session.state.result is not None:
                self._show_in_history(self.session.state.result)
        elif name == "reduction":
            import_in_steps("lnexplorer.gui.reduction.controller")
            from lnexplorer.gui.reduction.controller import link_prediction  # noqa: PLC0415

            self.commands.exports.link_reduction()
            self.prediction = link_prediction(self.parts, self)
        elif name == "correctness":
            assert self.window.correctness is not None
            self.window.correctness.inspectRequested.connect(self.session.inspect)
        elif name == "sweep":
            import_in_steps("lnexplorer.gui.sweep.controller")  # no work for the start of the window
            from lnexplorer.gui.sweep.controller import SweepController  # noqa: PLC0415
            from lnexplorer.gui.sweep.runner import SweepThread  # noqa: PLC0415

            assert self.window.sweep is not None
            desk = self.parts.sweeps = SweepThread(self._start.paths.history, self.delivery, self)
            SweepController(self.parts, self.preferences, self.window.sweep, desk, self)
        elif name == "experiments":
            import_in_steps("lnexplorer.gui.experiments.controller")
            from lnexplorer.gui.experiments.controller import link_experiments  # noqa: PLC0415

            assert self.window.experiments is not None
            link_experiments(self.parts, self.window.experiments, self)
        elif name == "touch":
            from lnexplorer.gui.memory_access.controller import link_touch  # noqa: PLC0415

            assert self.window.touch is not None
            self.touch = link_touch(self.parts, self.window.touch, self)
        elif name == "throughput":
            assert self.window.throughput is not None
            self.window.throughput.openRecordingRequested.connect(self.window.actions_.open_recording.trigger)
            self.window.throughput.modeChanged.connect(self.live.set_mode)
            self.window.throughput.peersChosen.connect(self.session.set_peers)
            self.live.pointReady.connect(self.window.throughput.show_live)

    def _on_changed(self, before: SessionState, after: SessionState) -> None:
        self.presenter.show(before, after)
        if (before.live, before.peers) != (after.live, after.peers):
            self.preferences.settings = replace(self.preferences.settings, live=after.live, peers=after.peers)
        if after.result is not None and before.result is None:
            self.steps.add("results on screen", lambda: self._note("results"))
        self._follow(after)

    def _on_run_finished(self, result: RunResult) -> None:
        self.preferences.settings = replace(self.preferences.settings, request=result.request)
        if self.parts.picture is None:
            self.history.add(result)
        elif self.window.history is not None:
            self._show_in_history(result)
        if self._start.options.on_result is not None:
            self._start.options.on_result(result)

    def _note(self, what: str) -> None:
        if self.measurement is not None:
            self.measurement.note(what)

    def _show_in_history(self, result: RunResult) -> None:
        """Show a run that is made for a picture, without keeping it."""
        if self.window.history is not None:
            self.window.history.show_rows([history_row(1, result.provenance.environment.date, result)])

    def _follow(self, state: SessionState) -> None:
        if self.parts.picture is not None:
            self.parts.picture.follow(state)

    def is_complete(self) -> bool:
        """Whether all panes are there and show a finished run."""
        return self.panes.complete and not self.steps.waiting and self.session.state.result is not None

    def _is_settled(self) -> bool:
        return self.panes.complete and not self.steps.waiting

    def _on_picture(self, status: int, sentence: str) -> None:
        self.status = status
        if sentence:
            sys.stderr.write(f"lnexplorer: {sentence}\n")
        self.window.close()

    def _on_file_failed(self, sentence: str) -> None:
        if self.parts.picture is not None:
            self.parts.picture.fail(told(sentence))
        else:
            self.session.warn(sentence)

    def _on_first_painted(self) -> None:
        self._note("first_paint")
        self.panes.start()

    def _on_completed(self) -> None:
        # What panes and modules are made of stays. To look through it for garbage keeps the event loop away for 30 ms and more.
        gc.freeze()
        gc.enable()
        self._note("panes")

    def _on_closing(self) -> None:
        self.commands.lecture.close()
        if self._start.options.screenshot is None:
            keep_place(self.window, self._start.paths.window)


def _pass_on(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Qt's messages go to stderr, without the one that every offscreen window causes."""
    del kind, context
    if "propagateSizeHints" not in message:
        sys.stderr.write(f"{message}\n")

"""What the menus do."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from lnexplorer import __version__
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.state_words import state_lines
from lnexplorer.gui.experiments.controller import SUFFIX as EXPERIMENT_SUFFIX
from lnexplorer.gui.experiments.controller import RecordedExperiments
from lnexplorer.gui.exports.desk import ExportController
from lnexplorer.gui.history.controller import GalleryController
from lnexplorer.gui.i18n.languages import CHINESE, CHINESE_FONT_PACKAGE, has_chinese_font
from lnexplorer.gui.i18n.recording_titles import recording_title
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.lecture.controller import LectureController
from lnexplorer.gui.shell.parts import Parts
from lnexplorer.gui.shell.preferences import Preferences
from lnexplorer.gui.sweep.files import SUFFIX as SWEEP_SUFFIX
from lnexplorer.gui.sweep.files import RecordedSweeps
from lnexplorer.store.resources import resource
from lnkernels.values.environment import KIND_HELP

if TYPE_CHECKING:
    from lnexplorer.gui.shell.saving import LeftOut
    from lnexplorer.store.recordings import Recording

SUFFIX = ".lnrec"  # storage.recording's
SESSION_SUFFIX = ".lnsession"  # storage.session_file's


class Commands(QObject):
    """Connects each action with what it does.

    Args:
        parts: of the window.
        preferences: that menus change.
        has_speeds: whether speeds are to be expected, for which panes make room.
        parent: owner of all that is made here.
    """

    def __init__(self, parts: Parts, preferences: Preferences, has_speeds: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._session, self._files = parts.window, parts.session, parts.files
        self._preferences = preferences
        self.lecture = LectureController(parts.delivery, preferences.languages, preferences.use_language, self)
        self.exports = ExportController(parts, parent)
        self.recorded_sweeps = RecordedSweeps(parts, parent)
        self.recorded_experiments = RecordedExperiments(parts, parent)
        self.gallery = GalleryController(parts, self.recorded_sweeps, self.recorded_experiments, parent)
        for recorded in (self.recorded_sweeps, self.recorded_experiments):
            recorded.opened.connect(lambda _recorded, path: self.gallery.note(Path(path)))
        actions, session = self._window.actions_, self._session
        actions.run.triggered.connect(session.run)
        actions.stop.triggered.connect(session.stop)
        actions.live.toggled.connect(session.set_live)
        actions.trace.triggered.connect(session.trace)
        actions.restart.triggered.connect(lambda: session.restart(preferences.device))
        actions.quit.triggered.connect(self._window.close)
        actions.overview.triggered.connect(lambda: self._window.docks.arrange(overview=True, gpu=has_speeds()))
        actions.tabs.triggered.connect(lambda: self._window.docks.arrange(overview=False, gpu=has_speeds()))
        actions.tear_off.triggered.connect(self._window.docks.toggle_floating)
        actions.full_screen.toggled.connect(self._window.set_full_screen)
        actions.lecture.triggered.connect(lambda: self.lecture.open(dark=preferences.theme.name == "dark"))
        actions.next_theme.triggered.connect(preferences.use_other_theme)
        actions.larger_text.triggered.connect(lambda: preferences.step_text(1))
        actions.smaller_text.triggered.connect(lambda: preferences.step_text(-1))
        actions.usual_text.triggered.connect(lambda: preferences.use_text_percent(100))
        actions.themes.triggered.connect(lambda action: preferences.use_theme(action.data()))
        actions.languages.triggered.connect(lambda action: preferences.use_language(action.data()))
        actions.devices.triggered.connect(lambda action: self._use_device(action.data()))
        actions.open_recording.triggered.connect(self._ask_recording)
        actions.gallery.triggered.connect(lambda _checked=False: self.gallery.open())
        self._window.menus.recordings.aboutToShow.connect(self._list_recordings)
        actions.save_recording.triggered.connect(self._ask_where_to_record)
        actions.save_picture.triggered.connect(self._ask_where_to_save)
        actions.about.triggered.connect(self._about)
        actions.provenance.triggered.connect(self._provenance)
        for preset in actions.presets:
            preset.triggered.connect(lambda _checked=False, action=preset: self._take_preset(action.data()))

    def mention_missing_font(self) -> None:
        """Say which package is missing when the language is Chinese and no font has its characters."""
        if self._preferences.languages.current == CHINESE and not has_chinese_font():
            sentence = self.tr("No font with Chinese characters is here: install the package {package}.")
            english = "No font with Chinese characters is here: install the package {package}."
            # The English sentence comes first: without the font nobody can read the other one.
            both = english if sentence == english else f"{english} {sentence}"
            self._session.warn(both.format(package=CHINESE_FONT_PACKAGE))

    def open_file(self, path: Path) -> None:
        """Show what a file of any kind holds."""
        if path.suffix == SESSION_SUFFIX:
            self.exports.sessions.open(path)
        elif path.suffix == SWEEP_SUFFIX:
            self.recorded_sweeps.open(path)
        elif path.suffix == EXPERIMENT_SUFFIX:
            self.recorded_experiments.open(path)
        else:
            self._files.open_recording(path)

    def show_recording(self, recording: "Recording", path: str) -> None:
        """Show what a recording holds."""
        if recording.result is not None:
            self._session.show_past(recording.result, recording.timeline)
        elif recording.timeline is not None:
            self._session.show_past_timeline(recording.timeline, recording.launch, recording.environment)
        title = recording.title
        self._session.remark(lambda: self.tr("Recording: {title} ({path})").format(title=recording_title(title), path=path))

    def _take_preset(self, request: RunRequest) -> None:
        self._window.parameters.set_request(request)
        self._session.set_request(request)

    def _use_device(self, device: str) -> None:
        self._preferences.use_device(device)
        self._session.restart(device)

    def _list_recordings(self) -> None:
        from lnexplorer.store.recorded_sweep import recorded_sweeps_in  # noqa: PLC0415
        from lnexplorer.store.recordings import recordings_in  # noqa: PLC0415  (no work for the start of the window)

        menu = self._window.menus.recordings
        menu.clear()
        folder = resource("recordings")
        for found in (recordings_in(folder), recorded_sweeps_in(folder)):
            for title, path in found:
                menu.addAction(recording_title(title)).triggered.connect(lambda _checked=False, path=path: self.open_file(path))
            menu.addSeparator()

    def _ask_recording(self) -> None:
        kind = self.tr("Recordings") + f" (*{SUFFIX} *{SWEEP_SUFFIX} *{EXPERIMENT_SUFFIX})"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open recording"), str(resource("recordings")), kind)
        if name:
            self.open_file(Path(name))

    def _ask_where_to_record(self) -> None:
        from lnexplorer.gui.shell.saving import recording_of  # noqa: PLC0415  (no work for the start of the window)

        pane = self._window.reduction
        on_show = pane is None or (pane.shown is not None and pane.shown[2] is None)
        recording, left_out = recording_of(self._session.state, trace_on_show=on_show)
        if recording is None:
            self._session.remark(lambda: self.tr("There is neither a finished run nor a trace to save yet."))
            return
        kind = self.tr("Recordings") + f" (*{SUFFIX})"
        name, _ = QFileDialog.getSaveFileName(self._window, self.tr("Save recording"), f"run{SUFFIX}", kind)
        if name:
            self._record(Path(name), recording, left_out)

    def _record(self, path: Path, recording: "Recording", left_out: "LeftOut") -> None:
        def work() -> None:
            from lnexplorer.store.recordings import write_recording  # noqa: PLC0415

            write_recording(path, replace(recording, title=path.stem))

        def tell(_nothing: None) -> None:
            from lnexplorer.gui.shell.saving import saved_text  # noqa: PLC0415

            self._session.remark(lambda: saved_text(path, left_out))

        self._files.do(work, tell)

    def _ask_where_to_save(self) -> None:
        kind = self.tr("Pictures") + " (*.png)"
        name, _ = QFileDialog.getSaveFileName(self._window, self.tr("Save picture"), "lnexplorer.png", kind)
        if name:
            from lnexplorer.gui.shell.screenshot import save_picture  # noqa: PLC0415

            sentence = save_picture(self._window, Path(name))
            if sentence:
                self._session.remark(sentence)

    def _about(self) -> None:
        self._session.remark(
            lambda: self.tr("lnexplorer {version}: choose, run, compare, measure and watch Triton's LayerNorm kernels.").format(
                version=__version__
            )
        )

    def _provenance(self) -> None:
        state = self._session.state
        if state.kind is None or state.result is None:
            self._session.remark(lambda: self.tr("Nothing has been run yet."))
            return
        environment, kind = state.result.provenance.environment, state.kind
        times = state.result.throughput
        states = [] if times is None or times.before is None else state_lines(times.before, times.after)

        def details() -> str:
            lines = [f"{field.name}: {getattr(environment, field.name)}" for field in fields(environment)]
            if states:
                lines += ["", self.tr("Before → after the timing")]
                lines += [f"{domain_text(label)}: {value}" for label, value in states]
            return "\n".join(lines)

        self._session.remark(lambda: f"{domain_text(kind.value)}: {domain_text(KIND_HELP[kind])}", details)

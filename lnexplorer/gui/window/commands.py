"""The commands of the window: one function for each action of the menus."""

from collections.abc import Callable
from dataclasses import fields
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from lnexplorer import __version__
from lnexplorer.domain.doubts import state_lines
from lnexplorer.domain.machines import is_remote
from lnexplorer.gui.kit import DARK, Theme, translate_message
from lnexplorer.gui.session.files import ask_which_to_open, recording_title, shown_path
from lnexplorer.gui.session.pinned import Pinning
from lnexplorer.gui.session.services import EXPERIMENTS, HISTORY, OWN_KERNELS, SWEEP, OpensFiles
from lnexplorer.gui.window.actions import offered_devices
from lnexplorer.gui.window.manual import ManualWindow
from lnexplorer.gui.window.menus import COPIES, EXPORT_ACTIONS, EXPORTS
from lnexplorer.gui.window.preferences import TEXT_STEP
from lnexplorer.gui.window.tour import Tour
from lnexplorer.gui.window.window_services import WindowServices
from lnexplorer.gui.window.workspaces import HISTORY as HISTORY_PANE
from lnexplorer.gui.window.workspaces import REDUCTION
from lnexplorer.gui.window.workspaces import SWEEP as SWEEP_PANE
from lnexplorer.lecture.controller import LectureController
from lnexplorer.store import archive
from lnexplorer.store.resources import resource
from lnkernels.values import join_sentences, say
from lnkernels.values.environment import KIND_HELP, KIND_NAMES

if TYPE_CHECKING:
    from lnexplorer.gui.window.exports import ExportController
    from lnexplorer.lecture.exercises import Exercises
    from lnexplorer.store.recordings import Recording


BENCHMARK_SUFFIX = ".json"
SHOW_A_RUN = ("run", "compiled", "memory_access")  # workspaces


class Commands(QObject):
    """Connects each action with its function, and carries out most of them."""

    def __init__(self, services: WindowServices) -> None:
        super().__init__(services)
        self._services = services
        self._window = services.window
        self._session = services.session
        self._files = services.files
        preferences = self._preferences = services.preferences
        self.lecture = LectureController(
            self._files, preferences.languages, preferences.use_language, self
        )
        self.pinning = Pinning(self._session, services.history, self)
        window, actions, session = self._window, self._window.actions_, self._session
        window.filesDropped.connect(self._open_dropped)
        window.paneMade.connect(self._on_pane_made)
        done_by: dict[str, Callable[[], object]] = {
            "run": session.run,
            "run_few": session.run_few,
            "stop": self._stop,
            "trace": session.trace,
            "pin": self.pinning.toggle,
            "add_machine": self._add_machine,
            "remove_machine": self._remove_machine,
            "restart": lambda: session.restart(preferences.device),
            "quit": window.close,
            "usual_arrangement": self._arrange_as_usual,
            "lecture": lambda: self.lecture.open(dark=Theme.current is DARK),
            "next_theme": lambda: preferences.use_theme(
                "light" if Theme.current is DARK else "dark"
            ),
            "larger_text": lambda: preferences.use_text_percent(
                preferences.settings.text_percent + TEXT_STEP
            ),
            "smaller_text": lambda: preferences.use_text_percent(
                preferences.settings.text_percent - TEXT_STEP
            ),
            "usual_text": lambda: preferences.use_text_percent(100),
            "open_recording": self._ask_recording,
            "gallery": lambda: services.part(HISTORY).open_gallery(),
            **{name: partial(self._export, name) for name in EXPORT_ACTIONS},
            "manual": lambda: self._open_manual("panes"),
            "keys": lambda: self._open_manual("keys"),
            "glossary": lambda: self._open_manual("glossary"),
            "palette": self._open_palette,
            "tour": self._begin_tour,
            "about": self._about,
            "provenance": self._provenance,
        }
        for name, do in done_by.items():
            actions[name].triggered.connect(lambda _checked=False, do=do: do())
        actions["live"].toggled.connect(session.set_live)
        actions["exercises"].toggled.connect(self._show_exercises)
        actions["full_screen"].toggled.connect(window.set_full_screen)
        chosen_by: dict[str, Callable[[Any], object]] = {
            "themes": preferences.use_theme,
            "languages": preferences.use_language,
            "devices": self._use_device,
            "recent": self._open_recent,
        }
        for group, choose in chosen_by.items():
            actions.groups[group].triggered.connect(
                lambda action, choose=choose: choose(action.data())
            )

    def mention_missing_font(self) -> None:
        """Warn if the language needs a font that is not installed."""
        if warning := self._preferences.languages.missing_font():
            self._session.warn(warning)

    @cached_property
    def exports(self) -> "ExportController":
        """The exports; made at the first one, so that the window starts without reports."""
        from lnexplorer.gui.window.exports import ExportController  # with reports and sessions

        return ExportController(self._services)

    def _export(self, name: str) -> None:
        self.exports.export(name)

    def _copy(self, command: str) -> None:
        self.exports.copy(command)

    def _export_sweep(self, number: int) -> None:
        self.exports.export_sweep(number)

    def _arrange_as_usual(self) -> None:
        self._window.view.arrange_as_usual()

    def _stop(self) -> None:
        """Stop the jobs of all workers."""
        self._session.stop()
        self._services.under_way.stopWanted.emit()

    def _on_pane_made(self, name: str) -> None:
        if name == HISTORY_PANE.name:
            pane = self._window.pane(HISTORY_PANE)
            pane.offer_exports([self._window.actions_[each] for each in (*COPIES, *EXPORTS)])
            pane.sweepCommandWanted.connect(self._copy)
            pane.sweepRowsWanted.connect(self._export_sweep)
        elif name == SWEEP_PANE.name:
            chosen = self._window.pane(SWEEP_PANE).picture.chosen
            chosen.copyWanted.connect(self._copy)

    def open_file(self, path: Path) -> OpensFiles | None:
        """Show a file of any kind.

        A Python file is a kernel: its code is run, as a person wants who opens it.

        Returns:
            For a sweep or an experiment its controller, whose `opened` is emitted once the file is
            shown.
        """
        if self._services.keeps:
            self._preferences.note_recent(str(path.absolute()))
        if path.suffix == ".py":
            self._services.part(OWN_KERNELS).watch(path)
            return None
        if path.suffix in (archive.SWEEP.suffix, BENCHMARK_SUFFIX):
            controller: OpensFiles = self._services.part(SWEEP)
        elif path.suffix == archive.EXPERIMENT.suffix:
            controller = self._services.part(EXPERIMENTS)
        else:
            if path.suffix == archive.SESSION.suffix:
                self.exports.sessions.open(path)
            else:
                self._files.open_recording(path)
            return None
        controller.open(path)
        return controller

    def _open_dropped(self, paths: list[Path]) -> None:
        if paths[1:]:
            self._session.remark(
                say("{count} files were dropped: drop one at a time.", count=len(paths))
            )
        else:
            self.open_file(*paths)

    def _open_recent(self, path: str) -> None:
        # Later: opening fills the menu anew, which is just being clicked.
        QTimer.singleShot(0, self, partial(self._open_if_there, path))

    def _open_if_there(self, path: str) -> None:
        if Path(path).is_file():
            self.open_file(Path(path))
        else:
            self._preferences.note_recent(path, is_there=False)
            self._session.remark(say("{path} is not there any more.", path=path))

    def show_recording(self, recording: "Recording", path: str) -> None:
        if recording.result is not None:
            self._session.show_past(recording.result, recording.timeline)
        elif recording.timeline is not None:
            self._session.show_timeline(
                recording.timeline, recording.launch, recording.environment, alone=True
            )
        name = shown_path(Path(path))
        self._session.remark(
            say("Recording: {title} ({path})", title=recording_title(recording.title), path=name)
        )
        if self._services.picture is not None:
            return
        if self._window.workspace not in SHOW_A_RUN:
            self._window.show_part(REDUCTION.name)
        if recording.result is not None:
            self._services.history.take([(recording.result, "")])

    def _use_device(self, device: str) -> None:
        self._preferences.use_device(device)
        self.show_device(device)
        self._session.restart(device)

    def show_device(self, device: str) -> None:
        """Offer every device in the menu, with a check mark at the one in use."""
        actions = self._window.actions_
        machines = self._preferences.settings.machines
        named = (device,) if is_remote(device) else ()
        actions.set_devices(tuple(dict.fromkeys((*offered_devices(), *machines, *named))), device)
        actions.name_restart(remote=is_remote(device))
        actions["remove_machine"].setEnabled(is_remote(device))

    def _add_machine(self) -> None:
        from lnexplorer.gui.window.machines import MachineDialog  # with ssh and doctor

        dialog = MachineDialog(self._services.delivery, self._window)
        if dialog.exec():
            self._preferences.add_machine(dialog.device)
            self._use_device(dialog.device)
        dialog.deleteLater()

    def _remove_machine(self) -> None:
        self._preferences.remove_machine(self._preferences.device)
        self._use_device("auto")

    def _ask_recording(self) -> None:
        suffixes = (
            archive.RECORDING.suffix,
            archive.SWEEP.suffix,
            archive.EXPERIMENT.suffix,
            archive.SESSION.suffix,
            BENCHMARK_SUFFIX,
            ".py",
        )
        path = ask_which_to_open(self._window, self.tr("Open"), *suffixes)
        if path is not None:
            self.open_file(path)

    def _open_palette(self) -> None:
        # Imported when it is wanted: it brings the gallery.
        from lnexplorer.gui.panes.history.gallery import files_in
        from lnexplorer.gui.window.palette import CommandPalette, deeds

        recordings = files_in(resource("recordings"))
        CommandPalette(list(deeds(self._window, recordings, self.open_file)), self._window).open()

    def _begin_tour(self) -> None:
        for earlier in self._window.findChildren(Tour):
            earlier.close()
        Tour(self._window).begin()

    @cached_property
    def _exercises(self) -> "Exercises":
        from lnexplorer.lecture.exercises import Exercises  # when they are wanted

        exercises = Exercises(self._services, self)
        exercises.pane.closed.connect(lambda: self._window.actions_["exercises"].setChecked(False))
        return exercises

    def _show_exercises(self, shown: bool) -> None:
        if shown:
            self._exercises.open()
        else:
            self._exercises.pane.hide()

    @cached_property
    def _manual(self) -> ManualWindow:
        languages = self._preferences.languages
        manual = ManualWindow(languages.current, self._window)
        self._preferences.languageChosen.connect(lambda: manual.set_language(languages.current))
        self._window.closing.connect(manual.close)
        return manual

    def _open_manual(self, chapter: str) -> None:
        """Open a chapter; the one on panes at the part that has the keyboard."""
        section = self._window.view.focused().part.name
        self._manual.show()  # first: it cannot scroll before it has its size
        self._manual.activateWindow()
        self._manual.open_at(chapter, section if chapter == "panes" else "")

    def _about(self) -> None:
        what = say(
            "lnexplorer {version}: choose, run, compare, measure and watch Triton's LayerNorm"
            " kernels.",
            version=__version__,
        )
        self._session.remark(what)

    def _provenance(self) -> None:
        state = self._session.state
        if state.run.kind is None or state.run.result is None:
            self._session.remark(say("Nothing has been run yet."))
            return
        environment, kind = state.run.result.provenance.environment, state.run.kind
        times = state.run.result.throughput
        lines = [
            f"{field.name}: {getattr(environment, field.name)}" for field in fields(environment)
        ]
        if times is not None and times.before is not None:
            lines += ["", self.tr("Before → after the timing")]
            lines += [
                translate_message(join_sentences(each, ": "))
                for each in state_lines(times.before, times.after)
            ]
        said = join_sentences((KIND_NAMES[kind], KIND_HELP[kind]), ": ")
        self._session.remark(said, detail="\n".join(lines))

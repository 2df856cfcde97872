"""The controller of the user's own kernel: has each text that is saved checked and timed in a new
worker.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from lnexplorer.domain.kernel_versions import (
    KernelVersion,
    as_tuned,
    hard_inputs,
    line_in,
    several_shapes,
)
from lnexplorer.gui.kit.code import Text
from lnexplorer.gui.panes.own_kernels.checks import VersionChecks
from lnexplorer.gui.panes.own_kernels.pane import OwnKernelsPane
from lnexplorer.gui.panes.own_kernels.versions import changed_text
from lnexplorer.gui.session.files import ask_where_to_save, open_in_editor
from lnexplorer.gui.session.services import COMPILED, Controller, Services
from lnexplorer.gui.session.state import SessionState
from lnexplorer.store.files import write_whole
from lnexplorer.store.kernels import new_kernel_text
from lnkernels.launch.source import (
    KernelSource,
    SourceError,
    find_source,
    whole_path,
)
from lnkernels.values import Sentence, say

if TYPE_CHECKING:
    from lnexplorer.store.history import History

LOOK_MS = 60  # between two looks at the file


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
        self.checks = VersionChecks(pane, services)
        self.checks.found.connect(self._keep)
        self._watcher = FileWatcher(self)
        self._watcher.changed.connect(self._read)
        self._session.changed.connect(self._on_changed)
        pane.notice.acted.connect(self._take_offer)
        actions: dict[str, Callable[[], object]] = {
            "open": self.choose,
            "new": self._choose_new,
            "edit": self._edit,
            "again": lambda: self.checks.measure(wanted=True),
            "shapes": lambda: self.checks.try_all(several_shapes),
            "hard": lambda: self.checks.try_all(hard_inputs),
            "phases": self.checks.trace,
            "code": self._show_code,
            "save": self._choose_copy,
        }
        for name, action in actions.items():
            pane.buttons[name].clicked.connect(action)
        pane.views.inspectRequested.connect(self.checks.inspect)
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
        self.checks.leave()
        self._place = str(whole_path(path))
        self._services.window.show_part("own_kernels")
        self._pane.show_file(self._place)
        self._session.set_kernel(None)
        self._ask_versions()
        self._watcher.watch(self._place)

    def close(self) -> None:
        self.checks.close()

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
            self.checks.begin()
            return
        # It is drawn beside a run of the same problem.
        ended = after.jobs.ended != before.jobs.ended
        moved = ended and after.request.problem("auto") != self.checks.problem
        if moved and after.backend == "cuda" and not self._pane.busy:
            self.checks.measure()

    def _keep(self, version: KernelVersion) -> None:
        """Keep the findings about the newest text, and show them beside the others."""
        self._session.set_own_version(version)
        self._services.history.ask(lambda history: history.kernels.keep(version))
        self._ask_versions()

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
        place, table, newest = self._place, self._pane.views.table, self.checks.source
        versions = [each.version for each in reversed(table.rows.rows)]
        last, numbers = table.rows.ids[0], [each for each in (table.before, table.chosen) if each]
        problem = self._session.state.plan.shaped

        def find(history: "History") -> list[KernelSource]:
            found = (
                newest if each == last else find_source(str(history.kernels.file(place, each)))
                for each in numbers
            )
            return [as_tuned(each, versions, problem) for each in found]

        show = self._services.part(COMPILED).show_own
        self._services.history.ask(find, lambda found: show(*found), "code")

    def _edit(self) -> None:
        if not open_in_editor(self._place, self._pane.line):
            self._session.remark(say("No program opened {path}.", path=self._place))

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

"""Sessions: everything on the screen in a file, and back."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from lnexplorer.domain.result import RunResult
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.shell.services import Services
from lnexplorer.gui.shell.session_choice import Contents, SessionChoice
from lnexplorer.gui.shell.session_opening import Opened, SessionOpening, opened
from lnexplorer.gui.shell.session_saving import OnShow, on_show, session_of

if TYPE_CHECKING:
    from lnexplorer.domain.history import SweepRow
    from lnexplorer.store.recorded_sweep import RecordedSweep
    from lnexplorer.store.session import Session

SUFFIX = ".lnsession"  # as `store.archive.SESSION` has it
Counts = tuple[int, int, int]  # runs, sweeps, experiments
MOST_TOLD = 4  # parts that are left out; the others are counted


class Sessions(QObject):
    """Saves and opens sessions."""

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._window, self._session = services.window, services.session
        self._files, self._history = services.files, services.history
        self._opening = SessionOpening(services, self)

    def save(self, path: Path) -> None:
        """Write everything that is open, and of the history what it shows; a question comes first where that is much."""
        pane = self._window.made.get("history")
        runs: tuple[int, ...] = ()
        selected: tuple[int, ...] = ()
        baseline, hidden = None, 0
        if pane is not None:
            runs, selected = tuple(pane.model.ids.tolist()), pane.selected()
            hidden = max(pane.model.total - len(runs), 0)
            baseline = None if pane.model.baseline is None else pane.model.baseline.id
        shown = on_show(self._window, self._session.state)

        def choose(sizes: dict[int, int], sweeps: "dict[SweepRow, int]") -> None:
            from lnexplorer.store.archive import MAX_UNPACKED_BYTES  # noqa: PLC0415  (no work for the start of the window)

            choice = SessionChoice(runs, hidden, selected, baseline, sizes, sweeps, MAX_UNPACKED_BYTES, self)

            def write(contents: Contents) -> None:
                self._collect(path, shown, contents, baseline, choice.left_out(contents))

            if choice.is_open:
                choice.ask(self._window, write)
            else:
                write(choice.whole)

        self._history.weigh(runs if baseline is None else (*runs, baseline), choose)

    def open(self, path: Path) -> None:
        """Read a session and show it."""

        def read() -> Opened:
            from lnexplorer.store.session import read_session  # noqa: PLC0415  (no work for the start of the window)

            return opened(read_session(path))

        self._files.do(read, lambda found: self._show(found, path))

    def _collect(self, path: Path, shown: OnShow, contents: Contents, baseline: int | None, left_out: str) -> None:
        def write(found: list[tuple[int, str, RunResult]], sweeps: "list[RecordedSweep]") -> None:
            def work() -> Counts:
                from lnexplorer.store.session import write_session  # noqa: PLC0415  (no work for the start of the window)

                session = session_of(shown, found, baseline, sweeps)
                write_session(path, session)
                return _counted(session)

            self._files.do(work, lambda counted: self._tell_saved(path, counted, left_out))

        def load(found: list[tuple[int, str, RunResult]]) -> None:
            self._history.load_sweeps(contents.sweeps, lambda sweeps: write(found, sweeps))

        self._history.collect(contents.runs, load)

    def _show(self, found: Opened, path: Path) -> None:
        self._opening.show(found, lambda: self._tell_opened(found.session, path))

    def _tell_opened(self, session: "Session", path: Path) -> None:
        counted, left_out = _counted(session), session.left_out

        def words() -> str:
            lines = [self.tr("Session: {path} · {contents}").format(path=path, contents=self._in_words(counted))]
            lines += [self.tr("Left out is {part}.").format(part=translate_message(part)) for part in left_out[:MOST_TOLD]]
            if len(left_out) > MOST_TOLD:
                count = len(left_out) - MOST_TOLD
                text = self.tr("Left out is 1 more part.") if count == 1 else self.tr("Left out are {count} more parts.")
                lines.append(text.format(count=count))
            return "\n".join(lines)

        picture = self._services.picture
        if picture is not None:
            picture.note_opened()
            for part in session.left_out:
                picture.mention(f"{path}: left out is {part}.")
        self._session.remark(words)
        if picture is None:
            # Once everything is on the screen: a thread that is busy meanwhile would slow that down.
            self._services.steps.add("session to the history", lambda: self._keep(session))

    def _keep(self, session: "Session") -> None:
        """Add to the history what is not there yet."""
        runs = [(run.result, run.note) for run in session.runs]
        if runs:
            self._history.take(runs, session.baseline, self._tell_baseline)
        if session.experiments:
            from lnexplorer.domain.experiments.findings import finished  # noqa: PLC0415

            self._history.take_experiments([finished(result) for result in session.experiments])
        if session.sweeps:
            self._history.take_sweeps(session.sweeps, self._list_sweeps)

    def _list_sweeps(self) -> None:
        self._history.read_sweeps()
        self._services.controller("sweep").sweeps.list_kept()

    def _tell_baseline(self, numbers: tuple[int | None, int | None]) -> None:
        before, now = numbers
        if before is not None and before != now:
            places = {"now": now, "before": before}
            self._session.warn(
                lambda: self.tr("The baseline is run {now}, as in the session; it was run {before}.").format(**places)
            )

    def _in_words(self, counted: Counts) -> str:
        words = (self.tr("runs: {count}"), self.tr("sweeps: {count}"), self.tr("experiments: {count}"))
        parts = [text.format(count=count) for text, count in zip(words, counted, strict=True) if count]
        return " · ".join(parts) or self.tr("parameters alone")

    def _tell_saved(self, path: Path, counted: Counts, left_out: str) -> None:
        def words() -> str:
            text = self.tr("Saved as {path} · {contents}").format(path=path, contents=self._in_words(counted))
            return f"{text}\n{self.tr('Left out: {what}.').format(what=left_out)}" if left_out else text

        self._session.remark(words)

    def ask_where_to_save(self) -> None:
        """Save a session in a file of the user's choice."""
        kind = self.tr("Sessions") + f" (*{SUFFIX})"
        name, _ = QFileDialog.getSaveFileName(self._window, self.tr("Save session"), f"lnexplorer{SUFFIX}", kind)
        if name:
            self.save(Path(name) if Path(name).suffix else Path(name + SUFFIX))

    def ask_which_to_open(self) -> None:
        """Open a session of the user's choice."""
        kind = self.tr("Sessions") + f" (*{SUFFIX})"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open session"), "", kind)
        if name:
            self.open(Path(name))


def _counted(session: "Session") -> Counts:
    return len(session.runs), len(session.sweeps), len(session.experiments)

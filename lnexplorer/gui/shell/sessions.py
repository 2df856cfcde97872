"""Sessions: everything on the screen in a file, and back; which runs and sweeps of the history go in."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from lnexplorer.domain.result import RunResult
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.shell.export_dialogs import Choice, ContentsDialog, Group, Option, Verdict
from lnexplorer.gui.shell.services import Services
from lnexplorer.gui.shell.session_content import (
    ROW_FACTOR,
    RUN_FACTOR,
    RUN_WORDS,
    OnShow,
    Opened,
    SessionOpening,
    on_show,
    opened,
    session_of,
)

if TYPE_CHECKING:
    from lnexplorer.domain.history import SweepRow
    from lnexplorer.store.recordings import RecordedSweep
    from lnexplorer.store.session import Session

ALL, SELECTED, SHOWN = "all", "selected", "shown"
LARGE = 64 << 20  # bytes; what is smaller is saved without a question


@dataclass(frozen=True, slots=True)
class Contents:
    """Numbers of what goes in."""

    runs: tuple[int, ...]
    sweeps: tuple[int, ...]


class SessionChoice(QObject):
    """What there is, how large it is, and what follows from a choice.

    Args:
        runs: numbers of those that the history shows, from the top.
        hidden: how many others its filter hides.
        selected: those of them that are selected.
        baseline: the run that others are compared with; it always goes in.
        run_sizes: bytes that the history keeps, by number.
        sweeps: bytes of all that are kept, newest first.
        most: bytes that a session can have.
        parent: owner.
    """

    def __init__(
        self,
        runs: tuple[int, ...],
        hidden: int,
        selected: tuple[int, ...],
        baseline: int | None,
        run_sizes: dict[int, int],
        sweeps: "dict[SweepRow, int]",
        most: int,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._hidden, self._most = hidden, most
        self._run_sizes = {number: RUN_FACTOR * size + RUN_WORDS for number, size in run_sizes.items()}
        self._sweep_sizes = {row.id: ROW_FACTOR * size for row, size in sweeps.items()}
        always = () if baseline is None else (baseline,)
        self._runs = {ALL: _once(runs, always), SHOWN: always}
        self._sweeps: dict[str, tuple[int, ...]] = {ALL: tuple(self._sweep_sizes), SHOWN: ()}
        if 1 < len(selected) < len(runs):
            self._runs[SELECTED] = _once(selected, always)

    @property
    def whole(self) -> Contents:
        """Everything."""
        return Contents(self._runs[ALL], self._sweeps[ALL])

    @property
    def is_open(self) -> bool:
        """Whether there is something to ask."""
        several = len(self._runs[ALL]) > len(self._runs[SHOWN]) or bool(self._sweeps[ALL])
        return several and (SELECTED in self._runs or self._hidden > 0 or self._size(self.whole) > LARGE)

    def contents(self, choice: Choice) -> Contents:
        """What goes in."""
        return Contents(self._runs[choice["runs"]], self._sweeps[choice["sweeps"]])

    def left_out(self, contents: Contents) -> str:
        """What does not, in words; empty where everything goes in."""
        parts = []
        runs, sweeps = len(self._runs[ALL]) - len(contents.runs), len(self._sweeps[ALL]) - len(contents.sweeps)
        if runs or self._hidden:
            parts.append(
                self.tr("runs: {left} of {total}").format(left=runs + self._hidden, total=len(self._runs[ALL]) + self._hidden)
            )
        if sweeps:
            parts.append(self.tr("sweeps: {left} of {total}").format(left=sweeps, total=len(self._sweeps[ALL])))
        return " · ".join(parts)

    def ask(self, parent: QWidget, then: Callable[[Contents], None]) -> ContentsDialog:
        """Open a dialog, which gives the answer to a function, or nothing."""
        intro = self.tr("A session holds everything on the screen. Of the history it holds:")
        dialog = ContentsDialog(self.tr("Save session"), intro, self.groups(), self._judge, parent)
        dialog.choose("runs", SELECTED if SELECTED in self._runs else ALL)
        dialog.accepted.connect(lambda: then(self.contents(dialog.choice)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def groups(self) -> tuple[Group, ...]:
        """What can be chosen."""
        words = {
            ALL: self.tr("All that the history shows: {count}"),
            SELECTED: self.tr("Those that are selected: {count}"),
            SHOWN: self.tr("Only the run on the screen and the baseline"),
        }
        runs = tuple(Option(key, self._text(words[key], Contents(self._runs[key], ()))) for key in words if key in self._runs)
        sweeps = {
            ALL: self.tr("All that are kept: {count}"),
            SHOWN: self.tr("Only the sweep on the screen"),
        }
        kept = tuple(
            Option(key, self._text(sweeps[key], Contents((), self._sweeps[key]))) for key in sweeps if key in self._sweeps
        )
        return (
            Group("runs", self.tr("Runs"), runs),
            Group("sweeps", self.tr("Sweeps"), kept if self._sweeps[ALL] else kept[-1:]),
        )

    def _judge(self, choice: Choice) -> Verdict:
        contents = self.contents(choice)
        size = self._size(contents)
        left = self.left_out(contents)
        words = self.tr("Together about {size}.").format(size=_megabytes(size))
        if left:
            words += "\n" + self.tr("Left out: {what}.").format(what=left)
        if size > self._most:
            words += "\n" + self.tr("A session holds at most {most}.").format(most=_megabytes(self._most))
        return Verdict(words, possible=size <= self._most)

    def _size(self, contents: Contents) -> float:
        return sum(self._run_sizes.get(number, 0) for number in contents.runs) + sum(
            self._sweep_sizes[number] for number in contents.sweeps
        )

    def _text(self, words: str, contents: Contents) -> str:
        count = len(contents.runs) + len(contents.sweeps)
        text = words.format(count=f"{count:,}")
        return f"{text} · {_megabytes(self._size(contents))}" if "{count}" in words else text


def _once(*parts: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for part in parts for number in part))


def _megabytes(size: float) -> str:
    return f"{size / 2**20:,.0f} MB" if size >= 10 * 2**20 else f"{max(size / 2**20, 0.1):.1f} MB"


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
            runs, selected = tuple(pane.model.ids), pane.selected()
            hidden = max(pane.model.total - len(runs), 0)
            baseline = None if pane.model.baseline is None else pane.model.baseline.id
        shown = on_show(self._window, self._session.state)

        def choose(sizes: dict[int, int], sweeps: "dict[SweepRow, int]") -> None:
            from lnexplorer.store.archive import MAX_UNPACKED_BYTES

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
            from lnexplorer.store.session import read_session

            return opened(read_session(path))

        self._files.do(read, lambda found: self._show(found, path))

    def _collect(self, path: Path, shown: OnShow, contents: Contents, baseline: int | None, left_out: str) -> None:
        def write(found: list[tuple[int, str, RunResult]], sweeps: "list[RecordedSweep]") -> None:
            def work() -> Counts:
                from lnexplorer.store.session import write_session

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
            from lnexplorer.domain.experiments.findings import finished

            records = [finished(result) for result in session.experiments]
            self._history.change("experiments", lambda history: [history.experiments.take(record) for record in records])
        if session.sweeps:
            self._history.change("sweeps", lambda history: [history.sweeps.take(sweep) for sweep in session.sweeps])

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

"""Sessions: everything on the screen in a file, and back."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject
from PySide6.QtWidgets import QFileDialog

from lnexplorer.domain.result import RunResult

if TYPE_CHECKING:
    from lnexplorer.gui.application import Explorer
    from lnexplorer.storage.session_file import Session

SUFFIX = ".lnsession"  # storage.session_file's
MOST_RUNS = 200  # of those in the history's table, from the top


class Sessions(QObject):
    """Saves and opens sessions."""

    def __init__(self, explorer: "Explorer", parent: QObject) -> None:
        super().__init__(parent)
        self._explorer = explorer
        self._window, self._session = explorer.window, explorer.session
        self._window.actions_.save_session.triggered.connect(self._ask_where_to_save)
        self._window.actions_.open_session.triggered.connect(self._ask_which_to_open)

    def save(self, path: Path) -> None:
        """Write the parameters, the runs of the history's table, the baseline and the arrangement."""
        pane = self._window.history
        chosen: tuple[int, ...] = ()
        baseline = None
        if pane is not None:
            baseline = pane.model.baseline
            selected = pane.selected()
            chosen = selected if len(selected) > 1 else tuple(pane.model.ids[:MOST_RUNS].tolist())
        wanted = chosen if baseline is None else tuple(dict.fromkeys((*chosen, baseline.id)))
        pinned = None if baseline is None else baseline.id

        def write(found: list[tuple[int, str, RunResult]]) -> None:
            session = self._gathered(found, pinned)
            self._explorer.files.do(lambda: _write(path, session), self._tell_saved)

        self._explorer.history.collect(wanted, write)

    def open(self, path: Path) -> None:
        """Read a session and show it."""

        def read() -> "Session":
            from lnexplorer.storage.session_file import read_session  # noqa: PLC0415  (no work for the start of the window)

            return read_session(path)

        self._explorer.files.do(read, lambda session: self._show(session, path))

    def _gathered(self, found: list[tuple[int, str, RunResult]], pinned: int | None) -> "Session":
        from lnexplorer.storage.session_file import Session, SessionRun  # noqa: PLC0415

        runs = [SessionRun(result=result, note=note) for _, note, result in found]
        on_screen = self._session.state.result
        shown = None
        if on_screen is not None:
            places = (place for place, run in enumerate(runs) if _same(run.result, on_screen))
            shown = next(places, None)
            if shown is None:
                shown = len(runs)
                runs.append(SessionRun(result=on_screen))
        numbers = [number for number, _, _ in found]
        layout = bytes(self._window.docks.state().toBase64().data()).decode("ascii")
        return Session(
            request=self._session.state.request,
            runs=tuple(runs),
            baseline=numbers.index(pinned) if pinned in numbers else None,
            shown=shown,
            layout=layout,
        )

    def _show(self, session: "Session", path: Path) -> None:
        if session.runs and self._explorer.picture is None:
            self._explorer.history.take([(run.result, run.note) for run in session.runs], session.baseline)
        if session.shown is not None:
            self._session.show_past(session.runs[session.shown].result)
        else:
            self._window.parameters.set_request(session.request)
            self._session.set_request(session.request)
        if session.layout:
            self._window.docks.restore(QByteArray.fromBase64(session.layout.encode()))
        count = len(session.runs)
        text = self.tr("Session with 1 run: {path}") if count == 1 else self.tr("Session with {count} runs: {path}")
        self._session.remark(text.format(count=count, path=path))

    def _ask_where_to_save(self) -> None:
        kind = self.tr("Sessions") + f" (*{SUFFIX})"
        name, _ = QFileDialog.getSaveFileName(self._window, self.tr("Save session"), f"lnexplorer{SUFFIX}", kind)
        if name:
            self.save(Path(name) if Path(name).suffix else Path(name + SUFFIX))

    def _ask_which_to_open(self) -> None:
        kind = self.tr("Sessions") + f" (*{SUFFIX})"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open session"), "", kind)
        if name:
            self.open(Path(name))

    def _tell_saved(self, path: Path) -> None:
        self._session.remark(self.tr("Saved as {path}").format(path=path))


def _same(one: RunResult, other: RunResult) -> bool:
    """Whether two results are of one run; what the history keeps is coarser, so arrays are not compared."""
    return one.provenance.environment == other.provenance.environment and one.resolved == other.resolved


def _write(path: Path, session: "Session") -> Path:
    from lnexplorer.storage.session_file import write_session  # noqa: PLC0415

    write_session(path, session)
    return path

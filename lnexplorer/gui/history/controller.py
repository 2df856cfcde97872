"""Ties the History pane to the history, and its gallery to the files of recordings."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from lnexplorer.gui.experiments.controller import RecordedExperiments
from lnexplorer.gui.history.thread import HistoryThread
from lnexplorer.gui.shell.parts import Parts
from lnexplorer.gui.sweep.files import RecordedSweeps
from lnexplorer.store.resources import resource

if TYPE_CHECKING:
    from lnexplorer.domain.sweep.request import SweepRequest
    from lnexplorer.gui.history.gallery_cards import Lanes
    from lnexplorer.gui.history.gallery_files import Exhibit
    from lnexplorer.gui.history.pane import HistoryPane
    from lnexplorer.gui.sweep.overlays import Overlay
    from lnexplorer.store.history import Listing

LATER_MS = 300  # from asking for the runs to asking for sweeps and experiments


def link_history(pane: "HistoryPane", history: HistoryThread) -> None:
    """Let the pane ask the history, and fill it."""

    def show(listing: "Listing") -> None:
        pane.set_listing(listing.ids, listing.total, listing.baseline)

    deleting = {"runs": history.delete, "sweeps": history.delete_sweeps, "experiments": history.delete_experiments}
    bringing_back = {
        "runs": history.undelete,
        "sweeps": history.undelete_sweeps,
        "experiments": history.undelete_experiments,
    }
    annotating = {"runs": history.annotate, "sweeps": history.annotate_sweep}
    pane.queryChanged.connect(history.find)
    pane.rowsWanted.connect(history.read_rows)
    pane.restoreRequested.connect(history.load)
    pane.deleteRequested.connect(lambda kind, numbers: deleting[kind](numbers))
    pane.undoDeleteRequested.connect(lambda kind, numbers: bringing_back[kind](numbers))
    pane.annotated.connect(lambda kind, number, note: annotating[kind](number, note))
    pane.pinRequested.connect(history.pin)
    pane.sweepsWanted.connect(history.read_sweeps)
    history.listed.connect(show)
    history.facetsRead.connect(pane.bar.set_facets)
    history.rowsRead.connect(pane.set_rows)
    history.changed.connect(pane.refresh)
    history.sweepsRead.connect(pane.set_sweeps)
    history.sweepsChanged.connect(history.read_sweeps)
    history.experimentsRead.connect(pane.set_experiments)
    history.changed.connect(history.read_experiments)
    pane.refresh()
    # The runs that are looked at come first; reading the others in the same moment would only hold up both.
    QTimer.singleShot(LATER_MS, pane, history.read_sweeps)
    QTimer.singleShot(LATER_MS, pane, history.read_experiments)


class GalleryController(QObject):
    """Fills the gallery with the program's own recordings and those that were opened meanwhile, and opens what is chosen."""

    def __init__(
        self,
        parts: Parts,
        sweeps: RecordedSweeps,
        experiments: RecordedExperiments,
        parent: QObject,
        folder: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._window, self._session, self._files = parts.window, parts.session, parts.files
        self._sweeps, self._experiments = sweeps, experiments
        self.folder = folder or resource("recordings")
        self._others: list[Path] = []
        self._files.opened.connect(lambda _recording, path: self.note(Path(path)))

    def link(self, pane: "HistoryPane") -> None:
        """Fill the gallery whenever somebody looks at it."""
        pane.recordingsWanted.connect(self._read)
        pane.bar.fileWanted.connect(self._window.actions_.open_recording.trigger)
        pane.gallery.opened.connect(self._show)

    def open(self) -> None:
        """Show the gallery, with what is in the folder now."""
        if self._window.history is None:
            self._wait()
        else:
            self._window.docks.show_pane("history")
            self._window.history.show_kind("recordings")
            self._window.history.bar.filter.setFocus()

    def note(self, path: Path) -> None:
        """A recording, or a recorded sweep, was opened; those of the folder are here anyway."""
        if path.resolve().parent != self.folder.resolve() and path not in self._others:
            self._others.append(path)

    def _read(self) -> None:
        from lnexplorer.gui.history import gallery_cards, gallery_files  # noqa: PLC0415  (Qt's thread is where it is loaded)

        pane, folder, others = self._window.history, self.folder, list(self._others)
        if pane is None:
            return

        def one(path: Path) -> "tuple[Exhibit, Lanes | None]":
            exhibit = gallery_files.read_exhibit(path)
            return exhibit, None if exhibit.timeline is None else gallery_cards.lanes_of(exhibit.timeline)

        def take(paths: list[Path]) -> None:
            pane.gallery.keep(paths)
            for path in paths:
                self._files.do(partial(one, path), lambda read: pane.gallery.add(*read))

        self._files.do(lambda: [*gallery_files.files_in(folder), *others], take)

    def _show(self, exhibit: "Exhibit") -> None:
        path = exhibit.path
        if exhibit.group == "experiments":
            self._experiments.open(path)
        elif exhibit.sweep:
            self._sweeps.open(path)
        elif exhibit.group == "speeds":
            from lnexplorer.gui.sweep import overlays  # noqa: PLC0415

            self._files.do(lambda: (overlays.overlays_of(path), overlays.sweep_of(path)), self._show_speeds)
        else:
            self._files.open_recording(path)
            self._window.docks.show_pane("reduction")

    def _show_speeds(self, read: "tuple[list[Overlay], SweepRequest]") -> None:
        window = self._window
        if window.sweep is None:
            self._wait()
        elif window.sweep.lay_beside(*read):
            window.docks.show_pane("sweep")
        else:
            self._session.remark(lambda: self.tr("A sweep of something else is under way: end it to look at these figures."))

    def _wait(self) -> None:
        self._session.remark(lambda: self.tr("Its pane is still being made: open it again in a moment."))

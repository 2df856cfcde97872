"""Ties the History pane to the history."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from lnexplorer.gui.history.thread import HistoryThread

if TYPE_CHECKING:
    from lnexplorer.gui.history.pane import HistoryPane
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

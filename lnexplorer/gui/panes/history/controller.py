"""The controller of the History pane: asks the history, and fills the gallery from files."""

from functools import partial
from typing import TYPE_CHECKING

from lnexplorer.domain.history import HistoryQuery, HistoryRow, history_row
from lnexplorer.gui.panes.history.gallery import Exhibit, read_exhibits
from lnexplorer.gui.panes.history.pane import HistoryPane
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.gui.session.services import EXPERIMENTS, SWEEP, Controller, Services
from lnexplorer.store.resources import resource

if TYPE_CHECKING:
    from lnexplorer.store.history import History

MOST_RUNS = 2_000  # on show; the filter finds the others


def link_history(pane: HistoryPane, history: HistoryThread) -> None:
    """Fill the tables from the history, and write deletions, notes and the baseline into it."""

    def find(query: HistoryQuery) -> None:
        def work(kept: "History") -> tuple[list[HistoryRow], int, HistoryRow | None]:
            pinned = kept.runs.baseline()
            baseline = [] if pinned is None else kept.runs.rows([pinned])
            return (
                kept.runs.rows(kept.runs.find(query)[:MOST_RUNS]),
                kept.runs.count(),
                next(iter(baseline), None),
            )

        history.ask(work, lambda found: pane.set_runs(*found), "find")

    def read(kind: str) -> None:
        if kind == "runs":
            pane.refresh()
        else:
            history.ask(lambda kept: getattr(kept, kind).rows(), partial(pane.set_kept, kind))

    def delete(deleted: bool, kind: str, numbers: tuple[int, ...]) -> None:
        history.change(kind, lambda kept: getattr(kept, kind).set_deleted(numbers, deleted=deleted))

    pane.set_place(history.remark)
    pane.queryChanged.connect(find)
    pane.deleteRequested.connect(partial(delete, True))
    pane.deleteRequested.connect(
        lambda kind, _numbers: read(kind)
    )  # what could not be deleted is there again
    pane.undoDeleteRequested.connect(partial(delete, False))
    pane.annotated.connect(
        lambda kind, number, note: history.ask(
            lambda kept: getattr(kept, kind).annotate(number, note)
        )
    )
    pane.pinRequested.connect(
        lambda number: history.change("runs", lambda kept: kept.runs.pin(number))
    )
    history.changed.connect(read)
    history.follow()
    for kind in ("runs", "sweeps", "experiments"):
        read(kind)


class GalleryController(Controller):
    """Fills the gallery with the program's own recordings, and opens what is chosen."""

    def __init__(self, pane: HistoryPane, services: Services) -> None:
        super().__init__(pane)
        self._pane = pane
        self._services = services
        self.folder = resource("recordings")
        pane.recordingsWanted.connect(self._read)
        pane.gallery.opened.connect(self._show)

    def open_gallery(self) -> None:
        """Show the gallery, with what is in the folder now."""
        self._services.window.show_part("history")
        self._pane.show_kind("recordings")
        self._pane.bar.filter.setFocus()

    def list_sweeps(self) -> None:
        self._services.window.show_part("history")
        self._pane.show_kind("sweeps")

    def _read(self) -> None:
        self._services.files.do(
            partial(read_exhibits, self.folder), self._pane.gallery.set_exhibits
        )

    def _show(self, exhibit: Exhibit) -> None:
        path, services = exhibit.path, self._services
        if exhibit.group == "experiments":
            services.part(EXPERIMENTS).open(path)
        elif exhibit.group == "speeds":
            services.part(SWEEP).open(path)
        else:
            services.files.open_recording(path)
            services.window.show_part("reduction")


def connect(pane: HistoryPane, services: Services) -> GalleryController:
    """Tie the pane to the history; a window that is opened for a picture shows its run alone."""
    if services.keeps:
        history, session = services.history, services.session
        link_history(pane, history)
        pane.restoreRequested.connect(
            lambda run: history.ask(lambda kept: kept.runs.load(run), session.show_past)
        )
        pane.sweepRequested.connect(
            lambda number, go_on: services.part(SWEEP).open_kept(number, go_on)
        )
        pane.experimentRequested.connect(
            lambda number: services.part(EXPERIMENTS).open_kept(number)
        )
    elif (result := services.session.state.run.result) is not None:
        pane.set_runs([history_row(1, result.provenance.environment.date, result)], 1)
    return GalleryController(pane, services)

"""Opens the gallery, reads its files on their thread, and shows what is chosen in the pane that it belongs to."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from lnexplorer.gui.experiments.controller import RecordedExperiments
from lnexplorer.gui.responsive import import_in_steps
from lnexplorer.gui.shell.parts import Parts
from lnexplorer.gui.shell.preferences import Preferences
from lnexplorer.gui.sweep.files import RecordedSweeps
from lnexplorer.store.resources import resource

if TYPE_CHECKING:
    from lnexplorer.domain.sweep.request import SweepRequest
    from lnexplorer.gui.history.gallery.exhibits import Exhibit
    from lnexplorer.gui.history.gallery.sketch import Lanes
    from lnexplorer.gui.history.gallery.window import GalleryWindow
    from lnexplorer.gui.sweep.overlays import Overlay


class GalleryController(QObject):
    """Has no gallery until one is asked for. It shows the program's own files, and the recordings that were opened meanwhile."""

    def __init__(
        self,
        parts: Parts,
        preferences: Preferences,
        sweeps: RecordedSweeps,
        experiments: RecordedExperiments,
        parent: QObject,
        folder: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._window, self._session, self._files = parts.window, parts.session, parts.files
        self._preferences, self._sweeps, self._experiments = preferences, sweeps, experiments
        self._folder = folder or resource("recordings")
        self._others: list[Path] = []
        self._opening = False
        self.gallery: GalleryWindow | None = None
        self._files.opened.connect(lambda _recording, path: self.note(Path(path)))

    def open(self) -> None:
        """Show the gallery, with what is in the folder now."""
        if self._opening:  # the event loop turns while modules are loaded
            return
        preferences = self._preferences
        if self.gallery is None:
            self._opening = True
            try:
                module = import_in_steps("lnexplorer.gui.history.gallery.window")
            finally:
                self._opening = False
            gallery: GalleryWindow = module.GalleryWindow(self._window)
            gallery.opened.connect(self._show)
            gallery.fileWanted.connect(self._window.actions_.open_recording.trigger)
            gallery.restyled.connect(lambda: gallery.apply_theme(preferences.theme))
            gallery.apply_theme(preferences.theme)
            self.gallery = gallery
        self.gallery.show()
        self.gallery.activateWindow()
        self.gallery.search.setFocus()
        self._read()

    def _read(self) -> None:
        from lnexplorer.gui.history.gallery import exhibits, sketch  # noqa: PLC0415  (Qt's thread is where it is loaded)

        folder, others = self._folder, list(self._others)

        def one(path: Path) -> "tuple[Exhibit, Lanes | None]":
            exhibit = exhibits.read_exhibit(path)
            return exhibit, None if exhibit.timeline is None else sketch.lanes_of(exhibit.timeline)

        def take(paths: list[Path]) -> None:
            if self.gallery is not None:
                self.gallery.keep(paths)
            for path in paths:
                self._files.do(partial(one, path), self._add)

        self._files.do(lambda: [*exhibits.files_in(folder), *others], take)

    def _add(self, read: "tuple[Exhibit, Lanes | None]") -> None:
        if self.gallery is not None:
            self.gallery.add(*read)

    def note(self, path: Path) -> None:
        """A recording, or a recorded sweep, was opened; those of the folder are here anyway."""
        if path.resolve().parent != self._folder.resolve() and path not in self._others:
            self._others.append(path)

    def _show(self, exhibit: "Exhibit") -> None:
        path = exhibit.path
        if self.gallery is not None:
            self.gallery.hide()
        if exhibit.group == "experiments":
            self._experiments.open(path)
        elif exhibit.sweep:
            self._sweeps.open(path)
        elif exhibit.group == "speeds":
            from lnexplorer.gui.sweep import recorded_curves  # noqa: PLC0415

            self._files.do(lambda: (recorded_curves.overlays_of(path), recorded_curves.sweep_of(path)), self._show_speeds)
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

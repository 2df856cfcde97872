"""Saves the moment of the reduction on show, as a document or a picture, and a film."""

from PySide6.QtCore import QSize

from lnexplorer.gui.charts.picture import chart_picture, packed
from lnexplorer.gui.panes.reduction.film_dialog import FilmDialog
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.timeline.film import Still, with_large_text

LEAST_DOCUMENT = QSize(480, 320)  # nothing can be read in a smaller one
SLIDE = QSize(1280, 720)  # px


def moment_svg(pane: ReductionPane) -> bytes | None:
    """Return the moment on show as an SVG document with a line of provenance; None if there is no
    timeline.
    """
    if pane.shown is None:
        return None
    size = pane.canvas.size().expandedTo(LEAST_DOCUMENT)
    return chart_picture(pane.canvas, size, pane.lines_below(), "svg")


def moment_png(pane: ReductionPane) -> bytes:
    """Return the moment on show as a picture for half a slide, with large text."""
    scene = with_large_text(pane.canvas.scene, SLIDE.height())
    return packed(Still(scene, SLIDE, pane.provenance()).image(pane.player.time_ns))


def open_film(pane: ReductionPane) -> FilmDialog | None:
    """Open the dialog for a film of the stretch on show; None if there is no timeline."""
    if pane.shown is None:
        return None
    pane.player.set_playing(False)
    dialog = FilmDialog(pane.canvas.scene, pane.provenance(), pane)
    dialog.open()
    return dialog

"""A timeline's animation inside a page: the window's own picture of the reduction, drawn into the page's room."""

from PySide6.QtCore import QPoint, QRectF, QSize
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.lecture.sheet import Sheet
from lnexplorer.gui.reduction.canvas import Canvas

_LETTERS = 44  # that the picture is wide at least
# On a page with more pixels the picture is laid out for half of them and drawn twice as large: the first frame at 3840 × 2160
# would take a tenth of a second.
_LAID_OUT_HEIGHT = 850


class TracePicture:
    """Holds the canvas, which nobody sees as a widget. What it shows is changed only when it differs."""

    def __init__(self, parent: QWidget) -> None:
        self._canvas = Canvas(parent)
        self._canvas.hide()
        self._timeline: ReductionTimeline | None = None
        self._theme = ""

    def retranslate(self) -> None:
        """Write its titles again."""
        self._canvas.retranslate()

    def draw(self, sheet: Sheet, room: QRectF, timeline: ReductionTimeline, time_ns: float) -> None:
        """Draw a moment of a timeline."""
        theme = sheet.palette.theme
        if theme.name != self._theme:
            self._theme = theme.name
            self._canvas.apply_theme(theme)
        # On a narrow page its legend would not fit in the least size of the other texts.
        scale = max(round(room.height() / _LAID_OUT_HEIGHT), 1)
        font = sheet.font(min(1.0, room.width() / (_LETTERS * sheet.unit)) / scale)
        if self._canvas.font().pixelSize() != font.pixelSize():
            self._canvas.setFont(font)
            self._timeline = None
        size = QSize(round(room.width() / scale), round(room.height() / scale))
        if self._canvas.size() != size:
            self._canvas.resize(size)
        if timeline is not self._timeline:
            self._timeline = timeline
            self._canvas.show_timeline(timeline)
        self._canvas.set_time(time_ns)
        sheet.painter.save()
        sheet.painter.translate(room.topLeft())
        sheet.painter.scale(scale, scale)
        self._canvas.render(sheet.painter, QPoint(0, 0))
        sheet.painter.restore()

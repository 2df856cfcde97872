"""One moment of the animation without its widget: for a film's images, and as a file of lines and letters."""

from dataclasses import replace
from math import ceil

from PySide6.QtCore import QBuffer, QCoreApplication, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from lnexplorer.gui.reduction.captions import caption
from lnexplorer.gui.reduction.painter.frame import Scene
from lnexplorer.gui.reduction.painter.frames import frame_of
from lnexplorer.gui.shell.theme import GRID

_MARGIN = 2 * GRID
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LEAST_RATIO = 0.5  # of height to width, where the words below make a document wider
LEAST_SIZE = QSize(480, 320)  # nothing can be read in a smaller one


class Still:
    """A scene laid out for a size, with a caption and a line that says where it comes from below it."""

    def __init__(self, scene: Scene, size: QSize, provenance: str) -> None:
        self._size, self._provenance = size, provenance
        self._line = QFontMetricsF(scene.font).height()
        inside = QSizeF(size.width() - 2 * _MARGIN, size.height() - 2 * GRID - 2 * self._line - GRID)
        self._scene = replace(scene, size=inside, index=scene.indexed())
        self._frame = frame_of(self._scene, 1.0)

    def paint(self, painter: QPainter, time_ns: float) -> None:
        """Draw a moment into 0, 0 to the size."""
        scene, line = self._scene, self._line
        painter.fillRect(QRect(0, 0, self._size.width(), self._size.height()), scene.colours.surface)
        painter.save()
        painter.translate(_MARGIN, GRID)
        self._frame.paint(painter, time_ns)
        painter.restore()
        words = _words(scene, time_ns)
        top = self._size.height() - 2 * line - GRID
        metrics, width = QFontMetricsF(scene.font), self._size.width() - 2 * _MARGIN
        painter.setFont(scene.font)
        for text, colour in ((words, scene.colours.text), (self._provenance, scene.colours.muted)):
            painter.setPen(colour)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRectF(_MARGIN, top, width, line), _LEFT, shown)
            top += line

    def image(self, time_ns: float) -> QImage:
        """A moment as a picture, 32 bits a pixel."""
        image = QImage(self._size, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        self.paint(painter, time_ns)
        painter.end()
        return image


def _words(scene: Scene, time_ns: float) -> str:
    return caption(scene.timeline, scene.indexed().moment(time_ns), scene.followed, scene.followed_lock)


def _size_for_words(scene: Scene, time_ns: float, provenance: str) -> QSize:
    """Of a document in which no word is cut: what a recording is, is nowhere else once the document has left the window."""
    metrics = QFontMetricsF(scene.font)
    width = max(metrics.horizontalAdvance(text) for text in (_words(scene, time_ns), provenance)) + 2 * _MARGIN + 1
    return QSize(ceil(width), ceil(width * _LEAST_RATIO))


def moment_svg(scene: Scene, size: QSize, time_ns: float, provenance: str) -> bytes:
    """A moment as an SVG document: text and lines as such, what has a cell for each row as a picture within it.

    Args:
        scene: what is shown.
        size: in pixels; a document is larger where the words below the picture need it, and at least LEAST_SIZE.
        time_ns: the moment.
        provenance: where the numbers come from, written below the picture and into the document's description.
    """
    from PySide6.QtSvg import QSvgGenerator  # noqa: PLC0415  (not needed for the start of the window)

    size = size.expandedTo(LEAST_SIZE).expandedTo(_size_for_words(scene, time_ns, provenance))
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setResolution(QImage(1, 1, QImage.Format.Format_RGB32).logicalDpiX())  # letters as large as on the screen
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(QCoreApplication.translate("reduction", "The reduction of dw and db"))
    generator.setDescription(provenance)
    painter = QPainter(generator)
    Still(scene, size, provenance).paint(painter, time_ns)
    painter.end()
    return bytes(buffer.data().data())

"""A chart as a file, PNG or SVG, at a size of one's own choice, with what the figures are printed below it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QImage, QPainter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.chart import Chart, Drawing
from lnexplorer.gui.charts.legend import Legend, line_height
from lnexplorer.gui.charts.theme import GRID, text_size

FORMATS = ("png", "svg")
SMALLEST, LARGEST = 160, 16384  # px, of a side


def chart_picture(chart: Chart | Drawing, size: QSize, caption: Sequence[str], kind: str, scale: float = 1.0) -> bytes:
    """The chart as the bytes of a file.

    Args:
        chart: as it is on the screen: same data, same part in view, same colours; its legend comes above it.
        size: of the picture in pixels, the caption included; each side from SMALLEST to LARGEST.
        caption: lines that say what is shown and where it comes from, printed below the chart.
        kind: one of FORMATS.
        scale: how much larger than on the screen text and lines are.

    Raises:
        ValueError: another kind, or a size that is not possible.
    """
    if kind not in FORMATS:
        raise ValueError(f"format = {kind} is not possible: take {' or '.join(FORMATS)}")
    for name, side in (("width", size.width()), ("height", size.height())):
        if not SMALLEST <= side <= LARGEST:
            raise ValueError(f"{name} = {side} is not possible: take {SMALLEST} to {LARGEST} pixels")
    whole = QRectF(0, 0, size.width() / scale, size.height() / scale)
    if kind == "svg":
        return _svg(chart, whole, size, scale, caption)
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(chart.theme.surface))
    painter = QPainter(image)
    painter.scale(scale, scale)
    _paint(painter, chart, whole, caption)
    painter.end()
    image.setText("Description", "\n".join(caption))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the format is a str, whatever the stubs say
    return bytes(buffer.data().data())


def _svg(chart: Chart | Drawing, whole: QRectF, size: QSize, scale: float, caption: Sequence[str]) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setResolution(chart.logicalDpiX())  # an axis is a recorded picture, which is scaled by the ratio of the two
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(caption[0] if caption else chart.accessibleName())
    generator.setDescription("\n".join(caption))
    painter = QPainter(generator)
    painter.scale(scale, scale)
    painter.fillRect(whole, QColor(chart.theme.surface))
    with _as_shapes(chart, painter) if isinstance(chart, Chart) else nullcontext():
        _paint(painter, chart, whole, caption)
    painter.end()
    return bytes(data.data())


def _paint(painter: QPainter, chart: Chart | Drawing, whole: QRectF, caption: Sequence[str]) -> None:
    font = QFont(chart.font())
    font.setPointSizeF(text_size())
    metrics = QFontMetricsF(font)
    lines = [line for text in caption for line in _wrapped(text, metrics, whole.width() - 2 * GRID)]
    spacing = max(metrics.lineSpacing(), line_height(" ".join(lines), QFontMetrics(font)) + metrics.leading())
    foot = spacing * len(lines) + (GRID if lines else 0)
    head = _paint_legend(painter, chart, whole.width())
    part = QRectF(0, head, whole.width(), max(whole.height() - foot - head, whole.height() / 3))
    if isinstance(chart, Chart):
        with _resized(chart, part.size().toSize()):
            chart.render(painter, part, chart.viewport().rect(), Qt.AspectRatioMode.IgnoreAspectRatio)
    else:
        _paint_widget(painter, chart, part)
    painter.setFont(font)
    painter.setPen(QColor(chart.theme.muted))
    for row, line in enumerate(lines):
        box = QRectF(GRID, part.bottom() + row * spacing, whole.width(), spacing)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, line)


def _paint_legend(painter: QPainter, chart: Chart | Drawing, width: float) -> float:
    """Which line is whose, where that does not stand in the chart itself; the height that it takes."""
    entries = chart.legend() if chart.legend is not None else ()
    if not entries:
        return 0.0
    legend = Legend()
    legend.setFont(chart.font())
    legend.apply_theme(chart.theme)
    legend.set_entries(entries)
    columns = int(width - 2 * GRID)
    height = legend.heightForWidth(columns)
    _paint_widget(painter, legend, QRectF(GRID, GRID, columns, height))
    return height + 2.0 * GRID


def _paint_widget(painter: QPainter, widget: QWidget, part: QRectF) -> None:
    """A widget that paints itself, laid out for this part of the picture."""
    before = widget.size()
    updates = widget.updatesEnabled()
    widget.setUpdatesEnabled(False)
    widget.resize(part.size().toSize())
    painter.save()
    painter.translate(part.topLeft())
    try:
        widget.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    finally:
        painter.restore()
        widget.resize(before)
        widget.setUpdatesEnabled(updates)


def _wrapped(text: str, metrics: QFontMetricsF, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and metrics.horizontalAdvance(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@contextmanager
def _resized(chart: Chart, size: QSize) -> Iterator[None]:
    """The chart at another size, laid out, and at its own again: nothing is painted on the screen in between."""
    before = chart.size()
    updates = chart.updatesEnabled()
    chart.setUpdatesEnabled(False)
    chart.resize(size)
    try:
        # An axis finds out how wide its numbers are when it paints them, so a first painting goes nowhere.
        for _ in range(2):
            chart.getPlotItem().layout.activate()
            nowhere = QImage(8, 8, QImage.Format.Format_RGB32)
            painter = QPainter(nowhere)
            chart.render(painter, QRectF(0, 0, 8, 8), chart.viewport().rect(), Qt.AspectRatioMode.IgnoreAspectRatio)
            painter.end()
        yield
    finally:
        chart.resize(before)
        chart.getPlotItem().layout.activate()
        chart.setUpdatesEnabled(updates)


@contextmanager
def _as_shapes(chart: Chart, painter: QPainter) -> Iterator[None]:
    """Symbols as shapes rather than pixels, where an item of pyqtgraph offers it."""
    items = [item for item in chart.scene().items() if hasattr(item, "setExportMode")]
    options = {"antialias": True, "resolutionScale": 1.0, "background": QColor(chart.theme.surface), "painter": painter}
    for item in items:
        item.setExportMode(True, options)
    try:
        yield
    finally:
        for item in items:
            item.setExportMode(False)

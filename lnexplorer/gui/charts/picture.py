"""A chart as a file, PNG or SVG, at a size of one's own choice, with what the figures are printed below it."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

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
    """One chart as the bytes of a file: as it is on the screen, with the same data, part in view and colours."""
    return charts_picture((chart,), size, caption, kind, scale)


def charts_picture(
    charts: Sequence[Chart | Drawing],
    size: QSize,
    caption: Sequence[str],
    kind: str,
    scale: float = 1.0,
    heading: str = "",
    titles: Sequence[str] = (),
    columns: int = 1,
) -> bytes:
    """Charts beside and below each other as the bytes of a file, under the legend of them all.

    Args:
        charts: at least one.
        size: of the picture in pixels, the caption included; each side from SMALLEST to LARGEST.
        caption: lines that say what is shown and where it comes from, printed below the charts.
        kind: one of FORMATS.
        scale: how much larger than on the screen text and lines are.
        heading: a line above everything.
        titles: one for each chart, or none.
        columns: charts beside each other.

    Raises:
        ValueError: another kind, or a size that is not possible.
    """
    if kind not in FORMATS:
        raise ValueError(f"format = {kind} is not possible: take {' or '.join(FORMATS)}")
    for name, side in (("width", size.width()), ("height", size.height())):
        if not SMALLEST <= side <= LARGEST:
            raise ValueError(f"{name} = {side} is not possible: take {SMALLEST} to {LARGEST} pixels")
    whole = QRectF(0, 0, size.width() / scale, size.height() / scale)
    page = _Page(charts, heading, titles or [""] * len(charts), columns, caption)
    if kind == "svg":
        return _svg(page, whole, size, scale)
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(charts[0].theme.surface))
    painter = QPainter(image)
    painter.scale(scale, scale)
    page.paint(painter, whole)
    painter.end()
    image.setText("Description", "\n".join(caption))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the format is a str, whatever the stubs say
    return bytes(buffer.data().data())


def _svg(page: "_Page", whole: QRectF, size: QSize, scale: float) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    chart = page.charts[0]
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setResolution(chart.logicalDpiX())  # an axis is a recorded picture, which is scaled by the ratio of the two
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(page.caption[0] if page.caption else chart.accessibleName())
    generator.setDescription("\n".join(page.caption))
    painter = QPainter(generator)
    painter.scale(scale, scale)
    painter.fillRect(whole, QColor(chart.theme.surface))
    with ExitStack() as stack:
        for each in page.charts:
            stack.enter_context(_as_shapes(each, painter) if isinstance(each, Chart) else nullcontext())
        page.paint(painter, whole)
    painter.end()
    return bytes(data.data())


@dataclass(frozen=True, slots=True)
class _Page:
    charts: Sequence[Chart | Drawing]
    heading: str
    titles: Sequence[str]
    columns: int
    caption: Sequence[str]

    def paint(self, painter: QPainter, whole: QRectF) -> None:
        first = self.charts[0]
        font = QFont(first.font())
        font.setPointSizeF(text_size())
        metrics = QFontMetricsF(font)
        lines = [line for text in self.caption for line in _wrapped(text, metrics, whole.width() - 2 * GRID)]
        spacing = max(metrics.lineSpacing(), line_height(" ".join(lines), QFontMetrics(font)) + metrics.leading())
        foot = spacing * len(lines) + (GRID if lines else 0)
        head = self._paint_heading(painter, font, whole)
        head += self._paint_legend(painter, whole.width(), head)
        rows = -(-len(self.charts) // self.columns)
        height = max(whole.height() - foot - head, whole.height() / 3) / rows
        width = whole.width() / self.columns
        for place, (chart, title) in enumerate(zip(self.charts, self.titles, strict=True)):
            row, column = divmod(place, self.columns)
            part = QRectF(column * width, head + row * height, width, height)
            painter.setFont(font)
            if title:
                painter.setPen(QColor(first.theme.text))
                painter.drawText(part.adjusted(GRID, 0, 0, 0), Qt.AlignmentFlag.AlignTop, title)
                part.setTop(part.top() + spacing)
            _paint_chart(painter, chart, part)
        painter.setFont(font)
        painter.setPen(QColor(first.theme.muted))
        for row, line in enumerate(lines):
            box = QRectF(GRID, head + rows * height + row * spacing, whole.width(), spacing)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, line)

    def _paint_heading(self, painter: QPainter, font: QFont, whole: QRectF) -> float:
        """The height that it takes."""
        if not self.heading:
            return 0.0
        bold = QFont(font)
        bold.setBold(True)
        bold.setPointSizeF(1.35 * font.pointSizeF())
        painter.setFont(bold)
        painter.setPen(QColor(self.charts[0].theme.text))
        painter.drawText(whole.adjusted(GRID, GRID, 0, 0), Qt.AlignmentFlag.AlignTop, self.heading)
        return QFontMetricsF(bold).lineSpacing() + GRID

    def _paint_legend(self, painter: QPainter, width: float, top: float) -> float:
        """Which line is whose, where that does not stand in the charts themselves; the height that it takes."""
        entries = dict.fromkeys(entry for chart in self.charts if chart.legend is not None for entry in chart.legend())
        if not entries:
            return 0.0
        legend = Legend()
        legend.setFont(self.charts[0].font())
        legend.apply_theme(self.charts[0].theme)
        legend.set_entries(tuple(entries))
        columns = int(width - 2 * GRID)
        height = legend.heightForWidth(columns)
        _paint_widget(painter, legend, QRectF(GRID, top + GRID, columns, height))
        return height + 2.0 * GRID


def _paint_chart(painter: QPainter, chart: Chart | Drawing, part: QRectF) -> None:
    if isinstance(chart, Chart):
        with _resized(chart, part.size().toSize()):
            chart.render(painter, part, chart.viewport().rect(), Qt.AspectRatioMode.IgnoreAspectRatio)
    else:
        _paint_widget(painter, chart, part)


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
    if not chart.isVisible():
        chart.grab(QRect(0, 0, 1, 1))  # lays out what is not shown
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

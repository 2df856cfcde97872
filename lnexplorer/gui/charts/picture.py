"""Charts as files, PNG or SVG, at a size of their own, with a caption below them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap, QRegion, QTextDocument
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QWidget

from lnexplorer.gui.charts.chart import Chart, Drawing
from lnexplorer.gui.charts.legend import legend_html
from lnexplorer.gui.kit.theme import GRID, Theme, text_size

FORMATS = ("png", "svg")
SMALLEST, LARGEST = 160, 16384  # px, of a side


def chart_picture(
    chart: Chart | Drawing,
    size: QSize,
    caption: Sequence[str],
    kind: str,
    scale: float = 1.0,
    theme: Theme | None = None,
) -> bytes:
    """Return a chart as the bytes of a file, with the part in view on the screen.

    Another theme than the chart's is taken for the picture alone.
    """
    with nullcontext() if theme is None else _in_colours(chart, theme):
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
    """Return charts beside and below each other as the bytes of a file, under their legend.

    Args:
        charts: at least one.
        size: of the picture in pixels, with the caption; each side from SMALLEST to LARGEST.
        caption: lines on what is shown and where it comes from, printed below the charts.
        kind: one of FORMATS.
        scale: of text and lines, against the screen.
        heading: a line above everything.
        titles: one for each chart, or none.
        columns: charts beside each other.

    Raises:
        ValueError: another kind.
    """
    if kind not in FORMATS:
        raise ValueError(f"format = {kind} is not possible: take {' or '.join(FORMATS)}")
    whole = QRectF(0, 0, size.width() / scale, size.height() / scale)
    page = _Page(charts, heading, titles or [""] * len(charts), columns, caption)
    if kind == "svg":
        return _svg(page, whole, size, scale)
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(charts[0].theme.surface))
    painter = QPainter(image)
    painter.scale(scale, scale)
    page.paint(painter, whole, scale)
    painter.end()
    image.setText("Description", "\n".join(caption))
    return packed(image)


def packed(image: QImage | QPixmap, kind: str = "PNG", quality: int = -1) -> bytes:
    """Return an image as the bytes of a file; none where Qt does not know the kind."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, kind, quality)  # type: ignore[call-overload]  # the format is a str
    return bytes(buffer.data().data())


def _svg(page: "_Page", whole: QRectF, size: QSize, scale: float) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    first = page.charts[0]
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setResolution(
        first.logicalDpiX()
    )  # an axis is a recorded picture, which is scaled by the ratio of the two
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(page.caption[0] if page.caption else first.accessibleName())
    generator.setDescription("\n".join(page.caption))
    painter = QPainter(generator)
    painter.scale(scale, scale)
    painter.fillRect(whole, QColor(first.theme.surface))
    page.paint(painter, whole, scale)
    painter.end()
    return bytes(data.data())


@dataclass(frozen=True, slots=True)
class _Page:
    charts: Sequence[Chart | Drawing]
    heading: str
    titles: Sequence[str]
    columns: int
    caption: Sequence[str]

    def paint(self, painter: QPainter, whole: QRectF, scale: float) -> None:
        theme = self.charts[0].theme
        entries = tuple(
            dict.fromkeys(
                entry
                for chart in self.charts
                if chart.legend is not None
                for entry in chart.legend()
            )
        )
        heading = (
            f'<p style="color:{theme.text};'
            f' font-size:{1.35 * text_size()}pt"><b>{escape(self.heading)}</b></p>'
        )
        head = _text(
            (heading if self.heading else "") + legend_html(entries, theme),
            whole.width(),
            theme.muted,
        )
        foot = _text("<br>".join(map(escape, self.caption)), whole.width(), theme.muted)
        head.drawContents(painter)
        rows = -(-len(self.charts) // self.columns)
        top = _height(head)
        height = max(whole.height() - top - _height(foot), whole.height() / 3) / rows
        width = whole.width() / self.columns
        for place, (chart, title) in enumerate(zip(self.charts, self.titles, strict=True)):
            row, column = divmod(place, self.columns)
            part = QRectF(column * width, top + row * height, width, height)
            if title:
                words = _text(escape(title), width, theme.text)
                painter.save()
                painter.translate(part.topLeft())
                words.drawContents(painter)
                painter.restore()
                part.setTop(part.top() + _height(words))
            _paint_chart(painter, chart, part, scale)
        painter.save()
        painter.translate(0, top + rows * height)
        foot.drawContents(painter)
        painter.restore()


def _text(html: str, width: float, colour: str) -> QTextDocument:
    document = QTextDocument()
    document.setDefaultFont(QApplication.font())
    document.setDocumentMargin(GRID / 2)
    document.setHtml(f'<div style="color:{colour}">{html}</div>')
    document.setTextWidth(width)
    return document


def _height(document: QTextDocument) -> float:
    return 0.0 if document.isEmpty() else document.size().height()


def _paint_chart(painter: QPainter, chart: Chart | Drawing, part: QRectF, scale: float) -> None:
    if isinstance(chart, Chart):
        with _resized(chart, part.size().toSize()), _as_shapes(chart, painter, scale):
            chart.render(
                painter, part, chart.viewport().rect(), Qt.AspectRatioMode.IgnoreAspectRatio
            )
        return
    before, updates, layout, least = (
        chart.size(),
        chart.updatesEnabled(),
        chart.layout(),
        chart.minimumSize(),
    )
    chart.setUpdatesEnabled(False)
    chart.setMinimumSize(0, 0)
    chart.resize(part.size().toSize())
    try:
        if layout is None:  # it paints itself
            painter.save()
            painter.translate(part.topLeft())
            chart.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
            painter.restore()
        else:
            chart.grab(
                QRect(0, 0, 1, 1)
            )  # tells it its size, which nobody does while it is not shown
            layout.activate()
            places = [
                (inner, QRectF(inner.geometry()).translated(part.topLeft()))
                for inner in chart.findChildren(Chart)
                if not inner.isHidden()
            ]
            for inner, place in places:
                _paint_chart(painter, inner, place, scale)
    finally:
        chart.setMinimumSize(least)
        chart.resize(before)
        chart.setUpdatesEnabled(updates)


@contextmanager
def _in_colours(chart: Chart | Drawing, theme: Theme) -> Iterator[None]:
    """Show the chart and its legend in other colours, and in their own afterwards."""
    owner: QWidget = chart.parentWidget() or chart
    while not hasattr(owner, "apply_theme"):
        owner = owner.parentWidget() or chart
    own, view = chart.theme, chart.view.viewRect() if isinstance(chart, Chart) else None

    def apply(other: Theme) -> None:
        owner.apply_theme(other)
        if isinstance(chart, Chart):
            chart.view.setRange(view, padding=0)

    apply(theme)
    try:
        yield
    finally:
        apply(own)


@contextmanager
def _resized(chart: Chart, size: QSize) -> Iterator[None]:
    """Lay the chart out at another size, and at its own afterwards; nothing is painted."""
    before = chart.size()
    updates = chart.updatesEnabled()
    chart.setUpdatesEnabled(False)
    chart.resize(size)
    if not chart.isVisible():
        chart.grab(QRect(0, 0, 1, 1))  # lays out what is not shown
    try:
        # An axis finds out how wide its numbers are when it paints them, so a first painting goes
        # nowhere.
        for _ in range(2):
            chart.getPlotItem().layout.activate()
            nowhere = QImage(8, 8, QImage.Format.Format_RGB32)
            painter = QPainter(nowhere)
            chart.render(
                painter,
                QRectF(0, 0, 8, 8),
                chart.viewport().rect(),
                Qt.AspectRatioMode.IgnoreAspectRatio,
            )
            painter.end()
        yield
    finally:
        chart.resize(before)
        chart.getPlotItem().layout.activate()
        chart.setUpdatesEnabled(updates)


@contextmanager
def _as_shapes(chart: Chart, painter: QPainter, scale: float) -> Iterator[None]:
    """Have items of pyqtgraph export their symbols as shapes."""
    items = [item for item in chart.scene().items() if hasattr(item, "setExportMode")]
    options = {
        "antialias": True,
        "resolutionScale": scale,
        "background": QColor(chart.theme.surface),
        "painter": painter,
    }
    for item in items:
        item.setExportMode(True, options)
    try:
        yield
    finally:
        for item in items:
            item.setExportMode(False)

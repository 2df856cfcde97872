"""Charts as files, PNG or SVG, at a size of their own, with a caption below them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from html import escape
from itertools import chain

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap, QRegion, QTextDocument
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QWidget

from lnexplorer.gui.charts.chart import Chart, Drawing, legend_html
from lnexplorer.gui.kit import GRID, Theme, Themed, apply_theme, text_size

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
    theme, buffer = Theme.current, QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image = QImage(size, QImage.Format.Format_RGB32)
    device = image if kind == "png" else _svg(buffer, size, charts[0], caption)
    painter = QPainter(device)
    painter.fillRect(painter.viewport(), QColor(theme.surface))
    painter.scale(scale, scale)
    whole = QSizeF(size.width() / scale, size.height() / scale)
    legends = (chart.legend() for chart in charts if chart.legend is not None)
    html = legend_html(tuple(dict.fromkeys(chain.from_iterable(legends))))
    if heading:
        style = f"color:{theme.text}; font-size:{1.35 * text_size()}pt"
        html = f'<p style="{style}"><b>{escape(heading)}</b></p>{html}'
    head = _Text(html, whole.width(), theme.muted)
    foot = _Text("<br>".join(map(escape, caption)), whole.width(), theme.muted)
    head.draw(painter, QPointF())
    height = max(whole.height() - head.height - foot.height, whole.height() / 3)
    part = QSizeF(whole.width() / columns, height / -(-len(charts) // columns))
    named = zip(charts, titles or [""] * len(charts), strict=True)
    for place, (chart, title) in enumerate(named):
        row, column = divmod(place, columns)
        area = QRectF(QPointF(column * part.width(), head.height + row * part.height()), part)
        words = _Text(escape(title), part.width(), theme.text)
        words.draw(painter, area.topLeft())
        _paint_chart(painter, chart, area.adjusted(0, words.height, 0, 0), scale)
    foot.draw(painter, QPointF(0, head.height + height))
    painter.end()
    image.setText("Description", "\n".join(caption))
    return packed(image) if kind == "png" else bytes(buffer.data().data())


def packed(image: QImage | QPixmap, kind: str = "PNG", quality: int = -1) -> bytes:
    """Return an image as the bytes of a file; none where Qt does not know the kind."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, kind, quality)  # type: ignore[call-overload]  # the format is a str
    return bytes(buffer.data().data())


def _svg(
    buffer: QBuffer, size: QSize, first: Chart | Drawing, caption: Sequence[str]
) -> QSvgGenerator:
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    # An axis is a recorded picture, which is scaled by the ratio of the two.
    generator.setResolution(first.logicalDpiX())
    generator.setViewBox(QRect(QPoint(), size))
    generator.setTitle(caption[0] if caption else first.accessibleName())
    generator.setDescription("\n".join(caption))
    return generator


class _Text(QTextDocument):
    """Rich text of a colour; as high as its lines in a width."""

    def __init__(self, html: str, width: float, colour: str) -> None:
        super().__init__(defaultFont=QApplication.font(), documentMargin=GRID / 2)
        self.setHtml(f'<div style="color:{colour}">{html}</div>')
        self.setTextWidth(width)
        self.height = 0.0 if self.isEmpty() else self.size().height()

    def draw(self, painter: QPainter, place: QPointF) -> None:
        painter.translate(place)
        self.drawContents(painter)
        painter.translate(-place)


def _paint_chart(painter: QPainter, chart: Chart | Drawing, part: QRectF, scale: float) -> None:
    layout = chart.layout()
    with _resized(chart, part.size().toSize()):
        if isinstance(chart, Chart):
            _paint_plot(painter, chart, part, scale)
        elif layout is None:  # it paints itself
            painter.save()
            painter.translate(part.topLeft())
            chart.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
            painter.restore()
        else:
            layout.activate()
            for inner in chart.findChildren(Chart):
                if not inner.isHidden():
                    place = QRectF(inner.geometry()).translated(part.topLeft())
                    _paint_chart(painter, inner, place, scale)


def _paint_plot(painter: QPainter, chart: Chart, part: QRectF, scale: float) -> None:
    def render(onto: QPainter, area: QRectF) -> None:
        chart.render(onto, area, chart.viewport().rect(), Qt.AspectRatioMode.IgnoreAspectRatio)

    # An axis finds out how wide its numbers are when it paints them, so a first painting goes
    # nowhere.
    for _ in range(2):
        chart.plotItem.layout.activate()
        nowhere = QImage(8, 8, QImage.Format.Format_RGB32)
        first = QPainter(nowhere)
        render(first, QRectF(nowhere.rect()))
        first.end()
    options = {
        "antialias": True,
        "resolutionScale": scale,
        "background": QColor(Theme.current.surface),
        "painter": painter,
    }
    # Items of pyqtgraph export their symbols as shapes.
    items = [item for item in chart.scene().items() if hasattr(item, "setExportMode")]
    for item in items:
        item.setExportMode(True, options)
    try:
        render(painter, part)
    finally:
        for item in items:
            item.setExportMode(False)


@contextmanager
def _in_colours(chart: Chart | Drawing, theme: Theme) -> Iterator[None]:
    """Show the chart and its legend in other colours, and in their own afterwards."""
    owner: QWidget = chart.parentWidget() or chart
    while not isinstance(owner, Themed):
        owner = owner.parentWidget() or chart
    own, view = Theme.current, chart.view.viewRect() if isinstance(chart, Chart) else None

    def apply(other: Theme) -> None:
        Theme.current = other
        apply_theme(owner)
        if isinstance(chart, Chart):
            chart.view.setRange(view, padding=0)

    apply(theme)
    try:
        yield
    finally:
        apply(own)


@contextmanager
def _resized(widget: QWidget, size: QSize) -> Iterator[None]:
    """Lay a widget out at another size, and at its own afterwards; nothing is painted."""
    before, updates, least = widget.size(), widget.updatesEnabled(), widget.minimumSize()
    widget.setUpdatesEnabled(False)
    widget.setMinimumSize(0, 0)
    widget.resize(size)
    if not widget.isVisible():
        widget.grab(QRect(0, 0, 1, 1))  # lays out what is not shown
    try:
        yield
    finally:
        widget.setMinimumSize(least)
        widget.resize(before)
        widget.setUpdatesEnabled(updates)

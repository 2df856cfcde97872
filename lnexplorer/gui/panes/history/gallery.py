"""The gallery of recordings: cards with small pictures, below the headings of their groups."""

from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QIcon,
    QImage,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from lnexplorer.domain.wording import nanoseconds
from lnexplorer.gui.charts.chart import COLOURS
from lnexplorer.gui.charts.sweep_chart import OverlayLine
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import DARK, GRID, TONES, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.panes.history.gallery_files import GROUPS, Exhibit
from lnexplorer.gui.timeline.colours import PictureColours, draw_indices
from lnexplorer.gui.timeline.lanes import RowsPart, TimeAxis, heat_picture
from lnkernels.values.environment import KIND_HELP, KIND_NAMES, Kind
from lnkernels.values.sentence import say
from lnkernels.values.timeline import ReductionTimeline

Lanes = NDArray[np.uint8]

SIZE = QSize(180, 60)  # of a picture at usual text
EXHIBIT = Qt.ItemDataRole.UserRole
_MARGIN = 6
NARROW, NARROWEST = 960, 760  # px at usual text
HEADINGS = {
    "traces": say("Locks, recorded: by GROUP_SIZE_M"),
    "numbers": say("Small problems, with every number"),
    "counters": say(
        "Hardware counters: where warps of stage 1 were seen, from its first to its last"
        " instruction"
    ),
    "speeds": say("Benchmarks and sweeps"),
    "experiments": say("Experiments"),
    "damaged": say("Files that cannot be opened"),
}


class GalleryView(Retranslated, QTreeWidget):
    """A card for each exhibit, below the heading of its group. It reads no files."""

    opened = Signal(object)  # Exhibit
    shownChanged = Signal()  # the number of cards, or of those that match the filter

    def __init__(self) -> None:
        super().__init__()
        self._theme = DARK
        self._exhibits: dict[Path, tuple[Exhibit, Lanes | None]] = {}
        self._filter: list[str] = []
        # Of many exhibits that come one after another, the last fills.
        self._filling = QTimer(self, singleShot=True)
        self._filling.timeout.connect(self.retranslate)
        self.write_on(self, name=say("Gallery"))
        self.setColumnCount(4)
        self.setHeaderHidden(True)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setStyleSheet(
            "QTreeWidget { activate-on-singleclick: 1; } QTreeWidget::item { padding:"
            f" {GRID // 2}px; }}"
        )
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.itemActivated.connect(lambda item, _column: self._open(item))

    @property
    def total(self) -> int:
        """Number of cards, whether they match or not."""
        return len(self._exhibits)

    def items(self) -> list[QTreeWidgetItem]:
        root = self.invisibleRootItem()
        groups = [root.child(place) for place in range(root.childCount())]
        return [group.child(place) for group in groups for place in range(group.childCount())]

    def add(self, exhibit: Exhibit, lanes: Lanes | None) -> None:
        """Take an exhibit with its lanes, in place of an older one of the same file."""
        self._exhibits[exhibit.path] = (exhibit, lanes)
        self._filling.start(0)

    def keep(self, paths: list[Path]) -> None:
        """Remove the exhibits of other files."""
        self._exhibits = {path: self._exhibits[path] for path in paths if path in self._exhibits}
        self.retranslate()

    def set_filter(self, text: str) -> None:
        """Show only cards whose text has every word."""
        self._filter = text.casefold().split()
        self.retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def apply_theme(self, theme: Theme) -> None:
        self._fit()
        self._theme = theme
        self.setIconSize(QSize(with_text(SIZE.width()), with_text(SIZE.height())))
        self.retranslate()

    def retranslate(self) -> None:
        self.clear()
        exhibits = sorted(
            self._exhibits.values(),
            key=lambda each: (GROUPS.index(each[0].group), each[0].place, str(each[0].title)),
        )
        for group, members in groupby(exhibits, key=lambda each: each[0].group):
            together = list(members)
            # The cards of a group have one axis of time.
            longest = max(exhibit.duration_ns for exhibit, _ in together)
            cards = [self._card(exhibit, lanes, longest) for exhibit, lanes in together]
            cards = [card for card in cards if self._matches(card)]
            if cards:
                heading = QTreeWidgetItem(self, [translate_message(HEADINGS[group])])
                heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
                font = self.font()
                font.setBold(True)
                heading.setFont(0, font)
                heading.setFirstColumnSpanned(True)
                heading.addChildren(cards)
        self.expandAll()
        self.shownChanged.emit()

    def _card(self, exhibit: Exhibit, lanes: Lanes | None, longest: float) -> QTreeWidgetItem:
        title, source = translate_message(exhibit.title), translate_message(exhibit.source)
        kind, tone, about = say("cannot be opened"), "bad", exhibit.trouble
        if not exhibit.trouble:
            known = exhibit.kind or Kind.RECORDED
            kind, tone, about = KIND_NAMES[known], TONES[known], KIND_HELP[known]
        card = QTreeWidgetItem([title, "", source, translate_message(kind)])
        tip = (title, source, exhibit.path.name, translate_message(about))
        card.setToolTip(0, "\n".join(filter(None, tip)))
        card.setForeground(3, QBrush(QColor(getattr(self._theme, tone))))
        card.setData(0, EXHIBIT, exhibit)
        size, ratio = self.iconSize(), self.devicePixelRatioF()
        card.setIcon(0, QIcon(picture(self._theme, size, ratio, exhibit, lanes)))
        if exhibit.duration_ns:
            share = exhibit.duration_ns / longest
            card.setIcon(1, QIcon(bar(self._theme, size, ratio, share)))
            time = nanoseconds(exhibit.duration_ns)
            about_time = say(
                "Both stages take {time}; the bars of a group have one axis, which ends at"
                " {longest}",
                time=time,
                longest=nanoseconds(longest),
            )
            card.setText(1, time)
            card.setToolTip(1, translate_message(about_time))
        return card

    def _matches(self, card: QTreeWidgetItem) -> bool:
        text = f"{card.toolTip(0)} {card.text(3)}".casefold()
        return all(word in text for word in self._filter)

    def _fit(self) -> None:
        """Leave GPU, date and kind to the tooltips where there is little room."""
        for column, least in ((2, NARROW), (3, NARROWEST)):
            self.setColumnHidden(column, self.width() < with_text(least))

    def _open(self, item: QTreeWidgetItem) -> None:
        exhibit = item.data(0, EXHIBIT)
        if exhibit is not None and not exhibit.trouble:
            self.opened.emit(exhibit)


def lanes_of(timeline: ReductionTimeline) -> Lanes:
    """Return the queue of each lock, then the tiles of stage 2, as indices of the lane table
    [height, width]. For any thread.
    """
    return heat_picture(
        RowsPart(
            timeline,
            "lock",
            TimeAxis(0, SIZE.width(), 0.0, max(timeline.end_ns, 1.0)),
            SIZE.height(),
        )
    )


def bar(theme: Theme, size: QSize, ratio: float, share: float) -> QPixmap:
    """Draw a bar from 0 to a share of the axis, on the whole axis."""
    pixmap, painter = _page(size, ratio, QColor(theme.surface))
    axis = QRectF(_MARGIN, (size.height() - GRID) / 2, size.width() - 2 * _MARGIN, GRID)
    painter.fillRect(axis, QColor(theme.line))
    axis.setWidth(max(share * axis.width(), 1.0))
    painter.fillRect(axis, QColor(theme.accent))
    painter.end()
    return pixmap


def picture(
    theme: Theme, size: QSize, ratio: float, exhibit: Exhibit, lanes: Lanes | None
) -> QPixmap:
    """Draw the lanes, curves or map of an exhibit."""
    colours = PictureColours(theme)
    pixmap, painter = _page(size, ratio, colours.surface)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    area = QRectF(0, 0, size.width(), size.height())
    inside = area.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    if lanes is not None:
        draw_indices(painter, area, lanes, colours.lane_table)
    elif exhibit.curves:
        _draw_curves(painter, inside, exhibit.curves)
    elif exhibit.grid is not None:
        _draw_grid(painter, inside, exhibit.grid, colours)
    painter.end()
    return pixmap


def _page(size: QSize, ratio: float, ground: QColor) -> tuple[QPixmap, QPainter]:
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(ground)
    return pixmap, QPainter(pixmap)


def _draw_curves(painter: QPainter, inside: QRectF, curves: tuple[OverlayLine, ...]) -> None:
    x = np.concatenate([curve.x for curve in curves])
    low, across = x.min(), np.ptp(x) or 1.0
    top = max(curve.y.max() for curve in curves) or 1.0
    for curve in curves:
        right, up = (curve.x - low) / across * inside.width(), curve.y / top * inside.height()
        points = [
            QPointF(inside.left() + a, inside.bottom() - b)
            for a, b in zip(right.tolist(), up.tolist(), strict=True)
        ]
        painter.setPen(QPen(QColor(curve.colour), 2))
        painter.drawPolyline(QPolygonF(points))


def _draw_grid(
    painter: QPainter, inside: QRectF, grid: NDArray[np.float64], colours: PictureColours
) -> None:
    """Draw a cell for each value, the first row at the bottom; one without is as a line is."""
    pixels = COLOURS.map(np.nan_to_num(grid))
    pixels[~np.isfinite(grid)] = colours.line.getRgb()
    pixels = np.ascontiguousarray(pixels[::-1])
    rows, columns = grid.shape
    painter.drawImage(
        inside, QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
    )

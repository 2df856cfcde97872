"""The gallery: everything that was recorded before, below the headings of their groups, each with a
small picture.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, QTimer, Signal
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

from lnexplorer.domain.experiments.words import TITLES
from lnexplorer.domain.wording import nanoseconds
from lnexplorer.gui.charts.chart import COLOURS
from lnexplorer.gui.charts.sweep_chart import OverlayLine
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import DARK, GRID, TONES, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.panes.history.gallery_files import GROUPS, Exhibit
from lnexplorer.gui.session.files import recording_title
from lnexplorer.gui.timeline.colours import PictureColours, draw_indices
from lnexplorer.gui.timeline.lanes import Stretch
from lnexplorer.gui.timeline.row_pictures import heat_picture
from lnkernels.values.environment import KIND_HELP, KIND_NAMES, Kind
from lnkernels.values.sentence import say
from lnkernels.values.timeline import ReductionTimeline

Lanes = NDArray[np.uint8]

SIZE = QSize(180, 60)  # of a picture at usual text
EXHIBIT, WORDS = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
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


@dataclass(frozen=True, slots=True)
class Shown:
    title: str
    source: str  # GPU and date
    badge: str
    tone: str
    tip: str
    trouble: str = ""

    def holds(self, words: list[str]) -> bool:
        text = f"{self.title} {self.source} {self.badge} {self.tip} {self.trouble}".casefold()
        return all(word.casefold() in text for word in words)


def shown(exhibit: Exhibit) -> Shown:
    if exhibit.trouble:
        trouble = translate_message(exhibit.trouble)
        badge = translate_message(say("cannot be opened"))
        return Shown(exhibit.title, "", badge, "bad", f"{exhibit.path.name}\n{trouble}", trouble)
    title, source = exhibit.title, " · ".join(filter(None, (exhibit.gpu, exhibit.date[:10])))
    # The GPU has its own line.
    title = title.removesuffix(f", {exhibit.gpu}") if exhibit.gpu else title
    if exhibit.timeline is not None:
        title = translate_message(recording_title(title))
    if exhibit.experiment:
        title = f"{translate_message(TITLES[exhibit.experiment])}: {title}"
    elif exhibit.kind is Kind.PUBLISHED:
        title = translate_message(say("Triton's documentation, backward: {problem}", problem=title))
        source = translate_message(say("its GPU is not named"))
    elif exhibit.sweep:
        title = translate_message(say("Sweep: {title}", title=title))
    elif exhibit.group == "speeds":
        title = translate_message(say("Benchmark over N: {problem}", problem=title))
    kind = exhibit.kind or Kind.RECORDED
    tip = f"{exhibit.path.name}\n{translate_message(KIND_HELP[kind])}"
    return Shown(title, source, translate_message(KIND_NAMES[kind]), TONES[kind], tip)


class GalleryView(Retranslated, QTreeWidget):
    """Knows exhibits and no files: `add` gives it one after another, `opened` says which is wanted."""

    opened = Signal(object)  # Exhibit
    shownChanged = Signal()  # how many cards there are, or match the filter

    def __init__(self) -> None:
        super().__init__()
        self._theme = DARK
        self._exhibits: dict[Path, tuple[Exhibit, Lanes | None]] = {}
        self._words: list[str] = []  # of the filter
        self._filling = QTimer(
            self, singleShot=True
        )  # of many exhibits that come one after another, the last fills
        self._filling.timeout.connect(self._fill)
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
        self.retranslate()

    @property
    def total(self) -> int:
        """Cards that there are, whether they match or not."""
        return len(self._exhibits)

    def items(self) -> list[QTreeWidgetItem]:
        root = self.invisibleRootItem()
        groups = [root.child(place) for place in range(root.childCount())]
        return [group.child(place) for group in groups for place in range(group.childCount())]

    def cards(self) -> list[Shown]:
        return [item.data(0, WORDS) for item in self.items()]

    def add(self, exhibit: Exhibit, lanes: Lanes | None) -> None:
        """Take an exhibit with its lanes, in place of an older one of the same file."""
        self._exhibits[exhibit.path] = (exhibit, lanes)
        self._filling.start(0)

    def keep(self, paths: list[Path]) -> None:
        self._exhibits = {path: found for path, found in self._exhibits.items() if path in paths}
        self._fill()

    def set_filter(self, text: str) -> None:
        self._words = text.split()
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where there is little room, GPU, date and kind stand in the tooltips alone."""
        for column, least in ((2, NARROW), (3, NARROWEST)):
            self.setColumnHidden(column, self.width() < with_text(least))

    def apply_theme(self, theme: Theme) -> None:
        self._fit()
        self._theme = theme
        self.setIconSize(QSize(with_text(SIZE.width()), with_text(SIZE.height())))
        self._fill()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Gallery"))
        self._fill()

    def _fill(self) -> None:
        self.clear()
        found = sorted(
            self._exhibits.values(),
            key=lambda each: (GROUPS.index(each[0].group), each[0].place, each[0].title),
        )
        groups: dict[str, QTreeWidgetItem] = {}
        longest: dict[str, float] = {}  # of a group, which its cards have as one axis
        for exhibit, _ in found:
            longest[exhibit.group] = max(longest.get(exhibit.group, 0.0), duration_of(exhibit))
        for exhibit, lanes in found:
            words = shown(exhibit)
            if not words.holds(self._words):
                continue
            if exhibit.group not in groups:
                groups[exhibit.group] = heading = QTreeWidgetItem(
                    self, [translate_message(HEADINGS[exhibit.group])]
                )
                heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
                font = self.font()
                font.setBold(True)
                heading.setFont(0, font)
                heading.setFirstColumnSpanned(True)
            duration = duration_of(exhibit)
            takes = nanoseconds(duration) if duration else ""
            card = QTreeWidgetItem(
                groups[exhibit.group],
                [words.title, takes, words.trouble or words.source, words.badge],
            )
            if duration:
                ratio = self.devicePixelRatioF()
                card.setIcon(
                    1,
                    QIcon(
                        bar(self._theme, self.iconSize(), ratio, duration / longest[exhibit.group])
                    ),
                )
                tip = self.tr(
                    "Both stages take {time}; the bars of a group have one axis, which ends at"
                    " {longest}"
                )
                card.setToolTip(
                    1, tip.format(time=takes, longest=nanoseconds(longest[exhibit.group]))
                )
            card.setIcon(
                0,
                QIcon(
                    picture(self._theme, self.iconSize(), self.devicePixelRatioF(), exhibit, lanes)
                ),
            )
            card.setForeground(3, QBrush(QColor(getattr(self._theme, words.tone))))
            card.setToolTip(0, "\n".join(filter(None, (words.title, words.source, words.tip))))
            card.setData(0, EXHIBIT, exhibit)
            card.setData(0, WORDS, words)
        self.expandAll()
        self.shownChanged.emit()

    def _open(self, item: QTreeWidgetItem) -> None:
        exhibit = item.data(0, EXHIBIT)
        if exhibit is not None and not exhibit.trouble:
            self.opened.emit(exhibit)


def lanes_of(timeline: ReductionTimeline) -> Lanes:
    """How many rows queue for each lock, then the tiles of stage 2: indices of the lane table
    [height, width].

    For any thread.
    """
    return heat_picture(
        timeline, "lock", Stretch(0.0, max(timeline.end_ns, 1.0), SIZE.width()), SIZE.height()
    )


def duration_of(exhibit: Exhibit) -> float:
    """Nanoseconds of both stages; 0 where nothing was recorded, or steps were counted rather than
    timed.
    """
    timeline = exhibit.timeline
    return 0.0 if timeline is None or timeline.counted else float(timeline.end_ns)


def bar(theme: Theme, size: QSize, ratio: float, share: float) -> QPixmap:
    """A bar from 0 to a share of the axis, on the whole axis."""
    found = QPixmap(size * ratio)
    found.setDevicePixelRatio(ratio)
    found.fill(QColor(theme.surface))
    painter = QPainter(found)
    axis = QRectF(_MARGIN, (size.height() - GRID) / 2, size.width() - 2 * _MARGIN, GRID)
    painter.fillRect(axis, QColor(theme.line))
    painter.fillRect(
        QRectF(axis.topLeft(), QSizeF(max(share * axis.width(), 1.0), axis.height())),
        QColor(theme.accent),
    )
    painter.end()
    return found


def picture(
    theme: Theme, size: QSize, ratio: float, exhibit: Exhibit, lanes: Lanes | None
) -> QPixmap:
    """A card's picture of the lanes, curves or map that there are."""
    found = QPixmap(size * ratio)
    found.setDevicePixelRatio(ratio)
    colours = PictureColours(theme)
    found.fill(colours.surface)
    painter = QPainter(found)
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
    return found


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
    """A cell for each value, the first row at the bottom; what has none is as a line is."""
    pixels = COLOURS.map(np.nan_to_num(grid))
    pixels[~np.isfinite(grid)] = colours.line.getRgb()
    pixels = np.ascontiguousarray(pixels[::-1])
    rows, columns = grid.shape
    painter.drawImage(
        inside, QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
    )

"""The gallery: everything that was recorded before, as cards below the headings of their groups."""

from pathlib import Path
from typing import cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap, QResizeEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from lnexplorer.gui.charts.theme import DARK, GRID, TITLE_SIZE, Theme, with_text
from lnexplorer.gui.history.gallery_cards import SIZE, Lanes, Shown, group_title, picture, shown
from lnexplorer.gui.history.gallery_files import GROUPS, Exhibit
from lnexplorer.gui.i18n.languages import Retranslated

GAP = 2 * GRID
EXHIBIT, WORDS = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap

Index = QModelIndex | QPersistentModelIndex


class GalleryView(Retranslated, QListView):
    """Knows exhibits and no files: `add` gives it one after another, `opened` says which is wanted."""

    opened = Signal(object)  # Exhibit
    shownChanged = Signal()  # how many cards there are, or match the filter

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = DARK
        self.found = 0  # cards on show
        self._exhibits: dict[Path, tuple[Exhibit, Lanes | None]] = {}
        self._pictures: dict[Path, QPixmap] = {}
        self._words: list[str] = []  # of the filter
        self._items = QStandardItemModel(self)
        self._filling = QTimer(self)  # of many exhibits that come one after another, the last fills
        self._filling.setSingleShot(True)
        self._filling.timeout.connect(self._fill)
        self.setModel(self._items)
        self.setItemDelegate(CardDelegate(self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # or its coming would take a column away
        self.setFrameShape(QListView.Shape.NoFrame)
        self.activated.connect(self._open)
        self.retranslate()

    @property
    def total(self) -> int:
        """Cards that there are, whether they match or not."""
        return len(self._exhibits)

    def cards(self) -> list[Shown]:
        indices = map(self._index, range(self._items.rowCount()))
        return [index.data(WORDS) for index in indices if index.data(WORDS) is not None]

    def add(self, exhibit: Exhibit, lanes: Lanes | None) -> None:
        """Take an exhibit with its lanes, in place of an older one of the same file."""
        self._exhibits[exhibit.path] = (exhibit, lanes)
        self._pictures.pop(exhibit.path, None)
        self._filling.start(0)

    def keep(self, paths: list[Path]) -> None:
        self._exhibits = {path: found for path, found in self._exhibits.items() if path in paths}
        self._fill()

    def set_filter(self, text: str) -> None:
        self._words = text.split()
        self._fill()

    def apply_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._pictures.clear()
        self._fill()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Gallery"))
        self._fill()

    def picture_of(self, exhibit: Exhibit) -> QPixmap:
        """A card's picture, drawn when it is first painted."""
        if exhibit.path not in self._pictures:
            size = QSize(with_text(SIZE.width()), with_text(SIZE.height()))
            lanes = self._exhibits[exhibit.path][1]
            self._pictures[exhibit.path] = picture(self.theme, size, self.devicePixelRatioF(), exhibit, lanes)
        return self._pictures[exhibit.path]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # a heading is as wide as the view

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Left and right go on in the row before and after; up and down pass over headings."""
        actions = QAbstractItemView.CursorAction
        cards = [index for index in map(self._index, range(self._items.rowCount())) if index.data(EXHIBIT) is not None]
        here = next((place for place, index in enumerate(cards) if index == self.currentIndex()), 0)
        match action:
            case actions.MoveLeft | actions.MoveRight if cards:
                return cards[min(max(here + (1 if action == actions.MoveRight else -1), 0), len(cards) - 1)]
            case actions.MoveHome | actions.MoveEnd if cards:
                return cards[0 if action == actions.MoveHome else -1]
            case actions.MoveUp | actions.MoveDown if cards:
                box, way = self.visualRect(cards[here]), 1 if action == actions.MoveDown else -1
                boxes = [(self.visualRect(index), index) for index in cards]
                there = [(other, index) for other, index in boxes if way * (other.top() - box.top()) > 0]
                order = sorted(there, key=lambda each: (way * each[0].top(), abs(each[0].left() - box.left())))
                return order[0][1] if order else cards[here]
        return super().moveCursor(action, modifiers)

    def _index(self, row: int) -> QModelIndex:
        return self._items.index(row, 0)

    def _fill(self) -> None:
        current = self.currentIndex().data(EXHIBIT)
        made = [(exhibit, shown(exhibit)) for exhibit, _ in self._exhibits.values()]
        found = [(exhibit, words) for exhibit, words in made if words.holds(self._words)]
        found.sort(key=lambda each: (GROUPS.index(each[0].group), each[0].place, each[0].title))
        self._items.clear()
        cast("CardDelegate", self.itemDelegate()).measure(found)
        for place, (exhibit, words) in enumerate(found):
            if place == 0 or found[place - 1][0].group != exhibit.group:
                heading = QStandardItem(group_title(exhibit.group))
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                self._items.appendRow(heading)
            card = QStandardItem(words.title)
            card.setData(exhibit, EXHIBIT)
            card.setData(words, WORDS)
            card.setToolTip(words.tip)
            card.setAccessibleText(", ".join(filter(None, (words.title, words.source, words.badge, words.trouble))))
            card.setEditable(False)
            self._items.appendRow(card)
            if current is not None and exhibit.path == current.path:
                self.setCurrentIndex(card.index())
        self.found = len(found)
        self.shownChanged.emit()

    def _open(self, index: QModelIndex) -> None:
        exhibit = index.data(EXHIBIT)
        if exhibit is not None and not exhibit.trouble:
            self.opened.emit(exhibit)


class CardDelegate(QStyledItemDelegate):
    """Paints headings, and cards as high as the others of their group: picture, title, origin, and kind of figures."""

    def __init__(self, view: GalleryView) -> None:
        super().__init__(view)
        self._view = view
        self._heights: dict[str, float] = {}  # of the words, by group

    def measure(self, cards: list[tuple[Exhibit, Shown]]) -> None:
        """Make cards so high that none of these words is cut."""
        width = with_text(SIZE.width())
        self._heights = dict.fromkeys(GROUPS, 0.0)
        for exhibit, words in cards:
            height = self._height(self._strong(), words.title, width) + self._height(self._font(), _below(words), width)
            self._heights[exhibit.group] = max(self._heights[exhibit.group], height + GRID // 2)

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        line = round(QFontMetricsF(self._font()).height())
        if index.data(EXHIBIT) is None:
            return QSize(self._view.viewport().width() - GRID, 2 * line + GAP)
        height = with_text(SIZE.height()) + round(self._heights[index.data(EXHIBIT).group]) + line + 5 * GRID
        return QSize(with_text(SIZE.width()) + 2 * GRID + GAP, height + GAP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, exhibit = self._view.theme, index.data(EXHIBIT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if exhibit is None:
            font = QFont(self._font())
            font.setPointSizeF(font.pointSizeF() * TITLE_SIZE / 10.5)
            painter.setFont(font)
            painter.setPen(QColor(theme.text))
            painter.drawText(QRectF(option.rect), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, index.data())
        else:
            box = QRectF(option.rect).adjusted(1, 1, -GAP - 1, -GAP - 1)
            has_keyboard = self._view.hasFocus() and index == self._view.currentIndex()
            active = has_keyboard or option.state & QStyle.StateFlag.State_MouseOver
            painter.setPen(QPen(QColor(theme.accent if active else theme.line), 2 if has_keyboard else 1))
            painter.setBrush(QColor(theme.raised))
            painter.drawRoundedRect(box, GRID, GRID)
            self._paint_card(painter, box.adjusted(GRID - 1, GRID - 1, 1 - GRID, 1 - GRID), exhibit, index.data(WORDS))
        painter.restore()

    def _paint_card(self, painter: QPainter, inside: QRectF, exhibit: Exhibit, words: Shown) -> None:
        theme = self._view.theme
        drawn = self._view.picture_of(exhibit)
        painter.drawPixmap(inside.topLeft(), drawn)
        inside.setTop(inside.top() + drawn.deviceIndependentSize().height() + GRID // 2)
        for font, text, ink in ((self._strong(), words.title, theme.text), (self._font(), _below(words), theme.muted)):
            painter.setFont(font)
            painter.setPen(QColor(ink))
            painter.drawText(inside, _WRAPPED, text)
            inside.setTop(inside.top() + self._height(font, text, inside.width()) + GRID // 4)
        if words.badge:
            metrics = QFontMetricsF(self._strong())
            height = metrics.height() + 4
            frame = QRectF(inside.left(), inside.bottom() - height, metrics.horizontalAdvance(words.badge) + 2 * GRID, height)
            painter.setFont(self._strong())
            painter.setPen(QPen(QColor(getattr(theme, words.tone)), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame, GRID, GRID)
            painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, words.badge)

    def _font(self) -> QFont:
        return self._view.font()

    def _strong(self) -> QFont:
        font = QFont(self._font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    @staticmethod
    def _height(font: QFont, text: str, width: float) -> float:
        return QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 10_000), _WRAPPED, text).height()


def _below(words: Shown) -> str:
    return words.trouble or words.source

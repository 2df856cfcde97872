"""Cards in rows below the heading of their group, as many beside each other as there is room for."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.history.gallery.card import Card
from lnexplorer.gui.history.gallery.exhibits import GROUPS
from lnexplorer.gui.history.gallery.shown import group_title

_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}


class Shelves(QWidget):
    """Lays out cards, and moves the keyboard among those that are shown."""

    focused = Signal(QWidget)  # a card that the keyboard went to

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scrolled")
        self._cards: list[tuple[str, Card]] = []  # in their order
        self._rows: list[list[Card]] = []
        self._columns = 0
        self.headings = {group: QLabel(self) for group in GROUPS}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, GRID, GRID)
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(2 * GRID)
        for heading in self.headings.values():
            heading.setProperty("look", "title")
            heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            heading.hide()
        self.retranslate()

    @property
    def rows(self) -> list[list[Card]]:
        """The cards that are shown, row by row."""
        return self._rows

    def show_cards(self, cards: list[tuple[str, Card]]) -> None:
        """Show these, each with its group, and hide all others.

        Args:
            cards: in the order of GROUPS and of their places.
        """
        for _, card in self._cards:
            card.hide()
        self._cards = cards
        self._arrange()

    def retranslate(self) -> None:
        """Set the headings in the current language."""
        for group, heading in self.headings.items():
            heading.setText(group_title(group))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As wide as one card: narrower windows have fewer columns."""
        widest = max((card.width() for _, card in self._cards), default=0)
        return QSize(widest + GRID, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Take as many columns as fit."""
        super().resizeEvent(event)
        if self._columns_that_fit() != self._columns:
            self._arrange()

    def step(self, card: Card, key: int) -> None:
        """Give the keyboard to the card that a key leads to from `card`."""
        row = next(number for number, cards in enumerate(self._rows) if card in cards)
        flat = [each for cards in self._rows for each in cards]
        wanted = Qt.Key(key)
        if wanted in _STEPS:
            place = min(max(flat.index(card) + _STEPS[wanted], 0), len(flat) - 1)
        elif wanted in _ENDS:
            place = _ENDS[wanted]
        else:
            other = self._rows[min(max(row + (1 if wanted == Qt.Key.Key_Down else -1), 0), len(self._rows) - 1)]
            place = flat.index(other[min(self._rows[row].index(card), len(other) - 1)])
        flat[place].setFocus(Qt.FocusReason.OtherFocusReason)
        self.focused.emit(flat[place])

    def _columns_that_fit(self) -> int:
        width = max((card.width() for _, card in self._cards), default=0)
        return max((self.width() - GRID + 2 * GRID) // (width + 2 * GRID), 1) if width else 1

    def _arrange(self) -> None:
        self._columns = self._columns_that_fit()
        while self._grid.count():
            self._grid.takeAt(0)
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 0)
        self._rows = []
        line = 0
        before: Card | None = None
        for group, heading in self.headings.items():
            own = [card for name, card in self._cards if name == group]
            heading.setVisible(bool(own))
            if not own:
                continue
            self._grid.addWidget(heading, line, 0, 1, self._columns + 1)
            line += 1
            for start in range(0, len(own), self._columns):
                self._rows.append(own[start : start + self._columns])
                for column, card in enumerate(self._rows[-1]):
                    self._grid.addWidget(card, line, column, Qt.AlignmentFlag.AlignLeft)
                    card.show()
                    if before is not None:
                        QWidget.setTabOrder(before, card)
                    before = card
                line += 1
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 1 if column == self._columns else 0)
        self._grid.setRowStretch(line, 1)

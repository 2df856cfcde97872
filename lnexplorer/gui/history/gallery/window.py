"""The gallery: everything that was recorded before, as cards, to be found and opened."""

from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from lnexplorer.gui.charts.theme import DARK, GRID, Theme, with_text
from lnexplorer.gui.history.gallery.card import Card
from lnexplorer.gui.history.gallery.exhibits import GROUPS, Exhibit
from lnexplorer.gui.history.gallery.shelves import Shelves
from lnexplorer.gui.history.gallery.shown import shown
from lnexplorer.gui.history.gallery.sketch import SIZE, Lanes, picture
from lnexplorer.gui.responsive import IdleSteps

_COLUMNS, _BESIDE, _HEIGHT = 4, 20 * GRID, 90 * GRID  # at first; px of frames, gaps and the scroll bar


def first_size() -> QSize:
    """As wide as a few cards, so that nothing is left beside them."""
    return QSize(_COLUMNS * with_text(SIZE.width()) + _BESIDE, _HEIGHT)


class GalleryWindow(QDialog):
    """Knows exhibits and no files: `add` gives it one after another, `opened` says which is wanted."""

    opened = Signal(object)  # Exhibit
    restyled = Signal()  # the application has other colours or sizes
    fileWanted = Signal()  # noqa: N815  # one that is not here

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = DARK
        self._exhibits: dict[Path, tuple[Exhibit, Lanes | None]] = {}
        self._cards: dict[Path, Card] = {}
        self.steps = IdleSteps(self)
        self.search, self.counted, self.other = QLineEdit(self), QLabel(self), QPushButton(self)
        self.nothing = QLabel(self)
        self.shelves = Shelves()
        self._scroll = QScrollArea(self)
        self._lay_out()
        self.resize(first_size().boundedTo(self.screen().availableSize()))
        self.search.textChanged.connect(lambda _text: self.steps.add("filter", self._filter))
        self.search.returnPressed.connect(self._open_first)
        self.other.clicked.connect(self.fileWanted)
        self.shelves.focused.connect(self._scroll.ensureWidgetVisible)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self.search.setFocus)
        self.retranslate()

    @property
    def cards(self) -> list[Card]:
        """Those that are there, in their order."""
        return [self._cards[exhibit.path] for exhibit in self._in_order()]

    def add(self, exhibit: Exhibit, lanes: Lanes | None) -> None:
        """Take an exhibit with its lanes, in place of an older one of the same file. Its card is made when its turn comes."""
        self._exhibits[exhibit.path] = (exhibit, lanes)
        self.steps.add(f"card {exhibit.path}", lambda: self._make(exhibit.path))

    def keep(self, paths: list[Path]) -> None:
        """Take away the exhibits of other files."""
        gone = [path for path in self._exhibits if path not in paths]
        cards = [self._cards.pop(path) for path in gone if path in self._cards]
        for path in gone:
            del self._exhibits[path]
        self._filter()
        for card in cards:
            card.deleteLater()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours, card by card."""
        self._theme = theme
        for path in self._cards:
            self.steps.add(f"card {path}", lambda path=path: self._make(path))  # type: ignore[misc]

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self.setWindowTitle(self.tr("Gallery"))
        self.search.setPlaceholderText(self.tr("Search: GROUP_SIZE_M 16, H200, barrier …"))
        self.search.setAccessibleName(self.tr("Search"))
        self.search.setClearButtonEnabled(True)
        self.other.setText(self.tr("Another file …"))
        self.other.setToolTip(self.tr("Open a recording that is elsewhere"))
        self.nothing.setText(self.tr("Nothing here has these words."))
        self.shelves.retranslate()
        for path, card in self._cards.items():
            card.show_text(shown(self._exhibits[path][0]))
        self._filter()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language, and tell of other colours."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.StyleChange:
            self.restyled.emit()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Down goes from the search field to the cards."""
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus() and self.shelves.rows:
            self.shelves.rows[0][0].setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            super().keyPressEvent(event)

    def _in_order(self) -> list[Exhibit]:
        made = [exhibit for path, (exhibit, _) in self._exhibits.items() if path in self._cards]
        return sorted(made, key=lambda each: (GROUPS.index(each.group), each.place, each.title))

    def _make(self, path: Path) -> None:
        """Make a card, or paint it anew."""
        if path not in self._exhibits:
            return
        exhibit, lanes = self._exhibits[path]
        card = self._cards.get(path)
        if card is None:
            card = self._cards[path] = Card(shown(exhibit), self.shelves)
            card.hide()
            card.opened.connect(lambda: self._open(path))
            card.stepped.connect(lambda key: self.shelves.step(card, key))
        else:
            card.show_text(shown(exhibit))
        size = QSize(with_text(SIZE.width()), with_text(SIZE.height()))
        drawn = picture(
            self._theme,
            size,
            self.devicePixelRatioF(),
            lanes=lanes,
            curves=exhibit.curves,
            grid=exhibit.grid,
            experiment=exhibit.experiment,
        )
        card.show_picture(drawn, self._theme)
        self.steps.add("filter", self._filter)

    def _filter(self) -> None:
        words = self.search.text().split()
        order = self._in_order()
        found = [(each.group, self._cards[each.path]) for each in order if self._cards[each.path].shown.holds(words)]
        self.shelves.show_cards(found)
        self.nothing.setVisible(bool(order) and not found)
        shown_, all_ = len(found), len(order)
        text = self.tr("{0} of {1}").format(shown_, all_) if shown_ < all_ else str(all_)
        self.counted.setText(text if all_ else "…")

    def _open(self, path: Path) -> None:
        exhibit = self._exhibits[path][0]
        if not exhibit.trouble:
            self.opened.emit(exhibit)

    def _open_first(self) -> None:
        """Enter in the search field opens what it found, where that is one."""
        self._filter()
        cards = [card for row in self.shelves.rows for card in row]
        if len(cards) == 1:
            cards[0].opened.emit()

    def _lay_out(self) -> None:
        self.counted.setProperty("look", "muted")
        self.nothing.setProperty("look", "empty")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.other.setAutoDefault(False)
        bar = QHBoxLayout()
        bar.setSpacing(GRID)
        bar.addWidget(self.search, 1)
        bar.addWidget(self.counted)
        bar.addWidget(self.other)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.viewport().setAutoFillBackground(False)
        self._scroll.setWidget(self.shelves)
        self.shelves.setAutoFillBackground(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addLayout(bar)
        layout.addWidget(self.nothing)
        layout.addWidget(self._scroll, 1)

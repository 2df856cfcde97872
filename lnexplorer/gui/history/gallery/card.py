"""One card of the gallery."""

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from lnexplorer.gui.charts.theme import GRID, Theme, with_text
from lnexplorer.gui.history.gallery.shown import Shown

_WIDTH = 288  # four beside each other in 1280 px
_LINES = 3  # of title and source together


class Card(QWidget):
    """A picture, a title, where it comes from, and what kind of figures it holds."""

    opened = Signal()
    stepped = Signal(int)  # a key of an arrow, Home or End

    def __init__(self, shown: Shown, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown = shown
        self._theme: Theme | None = None
        self._hovered = False
        self.picture, self.title, self.source, self.badge = (QLabel(self) for _ in range(4))
        self.badge.setProperty("look", "badge")
        self.title.setProperty("look", "strong")
        self.source.setProperty("look", "muted")
        self.title.setWordWrap(True)
        self.title.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.source.setWordWrap(True)
        self.source.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Minimum)  # as high as the others of its row
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID // 2)
        self._words = QWidget(self)
        words = QVBoxLayout(self._words)
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(GRID // 2)
        words.addWidget(self.title)
        words.addWidget(self.source, 1)
        layout.addWidget(self.picture)
        layout.addWidget(self._words, 1)
        layout.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignLeft)
        self.show_text(shown)

    def show_text(self, shown: Shown) -> None:
        """Write the words, which may be those of another language now."""
        self.shown = shown
        self.title.setText(shown.title)
        self.source.setText(shown.source if not shown.trouble else shown.trouble)
        self._words.setMinimumHeight(self._height_of_words())
        self.badge.setText(shown.badge)
        self.badge.setProperty("tone", shown.tone)
        self.badge.style().unpolish(self.badge)
        self.badge.style().polish(self.badge)
        self.badge.setVisible(bool(shown.badge))
        self.setFixedWidth(with_text(_WIDTH))
        self.setToolTip(shown.tip)
        self.setAccessibleName(", ".join(part for part in (shown.title, shown.source, shown.badge) if part))
        self.setAccessibleDescription(shown.trouble)

    def _height_of_words(self) -> int:
        """Three lines, or more where title and source need it: lines of Chinese characters are higher, and titles can be long."""
        width = with_text(_WIDTH) - 2 * GRID
        needed = GRID // 2
        for label in (self.title, self.source):
            label.ensurePolished()  # or it would be measured in another font
            needed += label.heightForWidth(width)
        return max(_LINES * QFontMetrics(self.font()).lineSpacing() + GRID, needed)

    def show_picture(self, picture: QPixmap, theme: Theme) -> None:
        """Take the picture, and with it the theme's colours."""
        self._theme = theme
        self.picture.setPixmap(picture)
        self.picture.setFixedSize(picture.deviceIndependentSize().toSize())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A frame, which says where the keyboard is."""
        if self._theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        active = self.hasFocus() or self._hovered
        painter.setPen(QPen(QColor(self._theme.accent if active else self._theme.line), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(self._theme.raised))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), GRID, GRID)
        painter.end()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Open it."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter opens, arrows go to another card."""
        keys = Qt.Key
        if event.key() in (keys.Key_Return, keys.Key_Enter, keys.Key_Space):
            self.opened.emit()
        elif event.key() in (keys.Key_Left, keys.Key_Right, keys.Key_Up, keys.Key_Down, keys.Key_Home, keys.Key_End):
            self.stepped.emit(event.key())
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        """The mouse is over it."""
        self._hovered = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """The mouse is gone."""
        self._hovered = False
        self.update()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Show that it is elsewhere."""
        super().focusOutEvent(event)
        self.update()

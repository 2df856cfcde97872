"""A row of joined buttons of which one is chosen: for few choices that deserve to be seen."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from lnexplorer.gui.shell.theme import Theme


class Segments(QWidget):
    """Choices by key. Tab reaches the row, arrow keys move the choice."""

    changed = Signal(str)  # key of the new choice, when the user made it

    def __init__(self, keys: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        for place, key in enumerate(keys):
            button = QToolButton()
            button.setCheckable(True)
            button.setAutoRaise(False)
            button.setProperty("side", _side(place, len(keys)))
            self._group.addButton(button)
            self._buttons[key] = button
            layout.addWidget(button)
            button.clicked.connect(lambda _checked=False, key=key: self.changed.emit(key))
        self._buttons[keys[0]].setChecked(True)

    @property
    def keys(self) -> tuple[str, ...]:
        """What can be chosen."""
        return tuple(self._buttons)

    @property
    def current(self) -> str:
        """Key of the choice."""
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def choose(self, key: str) -> None:
        """Make a choice without telling anybody."""
        self._buttons[key].setChecked(True)

    def button(self, key: str) -> QToolButton:
        """The button of a choice."""
        return self._buttons[key]

    def set_text(self, key: str, text: str, tooltip: str) -> None:
        """Name a choice."""
        button = self._buttons[key]
        button.setText(text)
        button.setToolTip(tooltip)
        button.setAccessibleName(text)
        button.setAccessibleDescription(tooltip)

    def set_available(self, key: str, available: bool) -> None:
        """Show or hide a choice. The outer ones of those that are there have round corners."""
        self._buttons[key].setVisible(available)
        there = [button for button in self._buttons.values() if not button.isHidden()]
        for place, button in enumerate(there):
            if button.property("side") != (side := _side(place, len(there))):
                button.setProperty("side", side)
                button.style().unpolish(button)
                button.style().polish(button)

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.setStyleSheet(
            f"QToolButton {{ background: {theme.raised}; color: {theme.text}; border: 1px solid {theme.line};"
            " padding: 4px 10px; border-right-width: 0px; }"
            f"QToolButton:hover {{ color: {theme.accent}; }}"
            f"QToolButton:focus {{ border: 1px solid {theme.accent}; }}"
            f"QToolButton:checked {{ background: {theme.accent}; color: {theme.surface}; border-color: {theme.accent}; }}"
            f"QToolButton:checked:focus {{ border: 1px solid {theme.text}; }}"
            f"QToolButton:disabled {{ color: {theme.muted}; }}"
            f"QToolButton:checked:disabled {{ background: {theme.line}; border-color: {theme.line}; color: {theme.text}; }}"
            'QToolButton[side="first"] { border-top-left-radius: 4px; border-bottom-left-radius: 4px; }'
            'QToolButton[side="last"] { border-top-right-radius: 4px; border-bottom-right-radius: 4px;'
            " border-right-width: 1px; }"
            'QToolButton[side="only"] { border-radius: 4px; border-right-width: 1px; }'
        )


def _side(place: int, count: int) -> str:
    return "only" if count == 1 else "first" if place == 0 else "last" if place == count - 1 else "middle"

"""Keys that mean something wherever the keyboard is within a widget."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QWidget


def add_shortcuts(widget: QWidget, keys: Mapping[str, Callable[[], object]]) -> None:
    """Do something at each key, named as Qt writes it."""
    for key, action in keys.items():
        shortcut = QShortcut(QKeySequence(key), widget)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(action)


def press_or(widget: QWidget, otherwise: Callable[[], object]) -> Callable[[], None]:
    """A button with the keyboard is pressed by the space bar, as everywhere; where none has it, the key does something else."""

    def pressed() -> None:
        focus = widget.focusWidget()
        if isinstance(focus, QAbstractButton) and focus.hasFocus():
            focus.click()
        else:
            otherwise()

    return pressed

"""The few buttons of the lecture, there while the mouse moves."""

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from lnexplorer.gui.lecture.keys import Command
from lnexplorer.gui.lecture.palette import Palette

translate = QCoreApplication.translate
SHOWN_MS = 2500
_SIGNS = {
    Command.BACK: "◀",
    Command.NEXT: "▶",
    Command.POINTER: "●",
    Command.BLACK: "■",
    Command.LANGUAGE: "文",
    Command.HELP: "?",
    Command.LEAVE: "✕",
}


class Controls(QWidget):
    """Buttons in the foot of the page, where nothing else is."""

    wished = Signal(object)  # Command

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._buttons: dict[Command, QToolButton] = {}
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        for command, sign in _SIGNS.items():
            button = QToolButton(self)
            button.setText(sign)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(lambda _checked=False, command=command: self.wished.emit(command))
            self._layout.addWidget(button)
            self._buttons[command] = button
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self._on_timeout)
        self.retranslate()
        self.hide()

    def retranslate(self) -> None:
        """Name the buttons."""
        names = {
            Command.BACK: translate("lecture", "step before"),
            Command.NEXT: translate("lecture", "next step"),
            Command.POINTER: translate("lecture", "pointer"),
            Command.BLACK: translate("lecture", "black screen"),
            Command.LANGUAGE: translate("lecture", "English or Chinese"),
            Command.HELP: translate("lecture", "all keys"),
            Command.LEAVE: translate("lecture", "leave"),
        }
        for command, button in self._buttons.items():
            button.setToolTip(names[command])
            button.setAccessibleName(names[command])

    def fit(self, width: int, height: int, palette: Palette) -> None:
        """Take place and colours on a page of this size."""
        size = round(0.043 * height)
        self._layout.setSpacing(round(0.4 * size))
        for button in self._buttons.values():
            button.setFixedSize(round(1.3 * size), size)
        plain = f"border: none; background: transparent; color: {palette.muted.name()}; font-size: {round(0.6 * size)}px;"
        self.setStyleSheet(
            f"QToolButton {{ {plain} }}QToolButton:hover {{ background: {palette.cell.name()}; color: {palette.text.name()}; }}"
        )
        self.adjustSize()
        self.move(round(0.035 * width), round(0.972 * height - size / 2))

    def wake(self) -> None:
        """Show for a while."""
        self.show()
        self._timer.start()

    def _on_timeout(self) -> None:
        if self.underMouse():
            self._timer.start()
        else:
            self.hide()

"""Which key does what, on a keyboard and on a clicker."""

from enum import Enum

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeyEvent

translate = QCoreApplication.translate


class Command(Enum):
    """What a key can ask for."""

    NEXT = "next"
    BACK = "back"
    FIRST = "first"
    LAST = "last"
    DIGIT = "digit"
    ENTER = "enter"
    ERASE = "erase"
    BLACK = "black"
    WHITE = "white"
    LEAVE = "leave"
    POINTER = "pointer"
    POINT_WHILE_HELD = "point while held"
    LANGUAGE = "language"
    INVERT = "invert"
    PLAY = "play"
    SPEAKER = "speaker"
    TIMER = "timer"
    RESET = "reset"
    FULL_SCREEN = "full screen"
    HELP = "help"
    GUESS = "guess"  # a click on an option of a question


_KEYS = {
    Command.NEXT: (Qt.Key.Key_PageDown, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Space),
    Command.BACK: (Qt.Key.Key_PageUp, Qt.Key.Key_Left, Qt.Key.Key_Up),
    Command.FIRST: (Qt.Key.Key_Home,),
    Command.LAST: (Qt.Key.Key_End,),
    Command.ENTER: (Qt.Key.Key_Return, Qt.Key.Key_Enter),
    Command.ERASE: (Qt.Key.Key_Backspace,),
    Command.BLACK: (Qt.Key.Key_B, Qt.Key.Key_Period),
    Command.WHITE: (Qt.Key.Key_W, Qt.Key.Key_Comma),
    Command.LEAVE: (Qt.Key.Key_Escape,),
    Command.POINTER: (Qt.Key.Key_L,),
    Command.POINT_WHILE_HELD: (Qt.Key.Key_Control,),
    Command.LANGUAGE: (Qt.Key.Key_Z,),
    Command.INVERT: (Qt.Key.Key_I,),
    Command.PLAY: (Qt.Key.Key_P,),
    Command.SPEAKER: (Qt.Key.Key_N,),
    Command.TIMER: (Qt.Key.Key_T,),
    Command.RESET: (Qt.Key.Key_R,),
    Command.FULL_SCREEN: (Qt.Key.Key_F, Qt.Key.Key_F11),
    Command.HELP: (Qt.Key.Key_H, Qt.Key.Key_F1, Qt.Key.Key_Question),
}
_COMMANDS = {key: command for command, keys in _KEYS.items() for key in keys}


def command_of(event: QKeyEvent) -> Command | None:
    """What a key that is pressed asks for; None where it asks for nothing."""
    if event.key() in range(Qt.Key.Key_0, Qt.Key.Key_9 + 1):
        return Command.DIGIT
    return _COMMANDS.get(Qt.Key(event.key()))


def help_lines() -> tuple[tuple[str, str], ...]:
    """The keys and what they do, for the page that tells them."""
    return (
        ("PgDn  →  ↓  Space", translate("lecture", "next step, or event of an animation")),
        ("PgUp  ←  ↑", translate("lecture", "step or event before")),
        ("Enter  12 Enter", translate("lecture", "next step at once; step 12")),
        ("B  W", translate("lecture", "black or white screen")),
        ("L  Ctrl", translate("lecture", "pointer; Ctrl or the right button while held")),
        ("P", translate("lecture", "play or pause the animation")),
        ("Z", translate("lecture", "English or Chinese")),
        ("I", translate("lecture", "black or white background")),
        ("N  T  R", translate("lecture", "notes; time: start or pause, reset")),
        ("F  H  Esc", translate("lecture", "full screen, this page, leave")),
    )

"""The command palette: it finds everything that can be done by a part of its name, in the window's
language or in English, or by a word of its help.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from lnexplorer.gui.kit import (
    GRID,
    Retranslated,
    in_order,
    lay_column,
    translate_message,
    with_text,
)
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.gui.window.workspaces import PARAMETERS, PARTS
from lnkernels.values import frozen, say

WIDTH = 90 * GRID
HEIGHT = 50 * GRID
NOTHING = say("Nothing here is called that.")
PRESETS, RECORDINGS = say("Presets"), say("Recordings")
_MNEMONIC = re.compile(r"\(&\w\)")
_TOLD = re.compile(r"[(（]([^()（）]+)[)）]$")
UNFIT = 3  # rank of deeds that do not match
_WITHIN = " > "  # between the names of menus
MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@frozen(eq=False)
class Deed:
    """Something that the user can do now."""

    name: str
    place: str  # part of the window, or menu
    key: str
    do: Callable[[], object]
    help: str = ""


def deeds(
    window: MainWindow, recordings: list[Path], open_file: Callable[[Path], object]
) -> Iterator[Deed]:
    """Yield every action of the menus, setting, preset, button of a part, and recording.

    They are found in the window itself, so that nothing has to be listed twice.
    """
    for menu in window.actions_.actions():
        yield from _of_menu(menu)
    for row in window.parameters.rows.values():
        name, place = row.label.accessibleName(), translate_message(PARAMETERS.title)
        show = partial(_show_setting, window, row.parameter.name)
        yield Deed(name, place, "", show, row.label.toolTip())
    presets = window.parameters.presets
    for number in range(1, presets.count()):
        name, place = presets.itemText(number), translate_message(PRESETS)
        yield Deed(name, place, "", partial(_choose_preset, window, number))
    for part, pane in window.made.items():
        for button in pane.findChildren(QAbstractButton):
            deed = Deed(
                button.text() or button.accessibleName() or button.toolTip(),
                translate_message(PARTS[part].title),
                _key(button),
                partial(_click, window, part, button),
                button.toolTip(),
            )
            if deed.name and button.isEnabled() and button.isVisibleTo(pane):
                yield deed
    for path in recordings:
        place = translate_message(RECORDINGS)
        yield Deed(path.stem.replace("_", " "), place, "", partial(open_file, path))


class CommandPalette(QDialog):
    """A field and a list of the deeds that match it, over the window until it loses the focus."""

    def __init__(self, deeds: list[Deed], window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("palette")
        self._window = window
        self.field = QLineEdit(self, clearButtonEnabled=True)
        self.found = QTreeWidget(self, columnCount=3)
        self.found.setHeaderHidden(True)
        self.found.setRootIsDecorated(False)
        self.found.setUniformRowHeights(True)
        self.found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        header = self.found.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._deeds = deeds
        self._english = _in_english()
        self.field.textChanged.connect(self._show)
        self.field.installEventFilter(self)
        self.found.itemClicked.connect(lambda _item: self._do())
        what = translate_message(say("What do you want to do?"))
        self.field.setPlaceholderText(what)
        self.field.setAccessibleName(what)
        lay_column(self, self.field, (self.found, 1), margins=GRID, spacing=GRID)

    def open(self) -> None:
        """Show the palette at the top of the window."""
        window = self._window
        width = min(with_text(WIDTH), window.width() - 4 * GRID)
        self.resize(width, min(with_text(HEIGHT), window.height() - 12 * GRID))
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, 6 * GRID)))
        self._show("")
        self.show()
        self.field.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._do()
                return True
            if event.key() in MOVES:
                self.found.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    def _show(self, typed: str) -> None:
        ranked = [(self._rank(deed, typed.casefold()), deed) for deed in self._deeds]
        fitting = [deed for rank, deed in sorted(ranked, key=itemgetter(0)) if rank < UNFIT]
        self.found.clear()
        for deed in fitting:
            item = QTreeWidgetItem([in_order(deed.name), deed.place, deed.key])
            item.setData(0, Qt.ItemDataRole.UserRole, deed)
            self.found.addTopLevelItem(item)
        if not fitting:
            QTreeWidgetItem(self.found, [translate_message(NOTHING)]).setDisabled(True)
        elif (first := self.found.topLevelItem(0)) is not None:
            self.found.setCurrentItem(first)

    def _rank(self, deed: Deed, typed: str) -> int:
        """Return the rank of a deed: 0 if its name begins with what is typed, 1 if its name or
        place has the words, 2 if its help has them, else UNFIT.
        """
        name = self._in_both(deed.name)
        named = name + self._in_both(deed.place)
        helped = named + self._in_both(deed.help)
        words = typed.split()
        has_words = (all(word in text for word in words) for text in (named, helped))
        return (f"\n{typed}" in name, *has_words, True).index(True)

    def _in_both(self, text: str) -> str:
        """Return a text in the window's language and in English, each on a line of its own."""
        english = _WITHIN.join(self._english.get(part, "") for part in text.split(_WITHIN))
        return f"\n{text}\n{english}".casefold()

    def _do(self) -> None:
        item = self.found.currentItem()
        if item is not None:
            deed: Deed = item.data(0, Qt.ItemDataRole.UserRole)
            self.close()
            # After the palette is closed, as it may open a dialog.
            QTimer.singleShot(0, self._window, deed.do)


def _in_english() -> dict[str, str]:
    """Return the English of all that is written in the windows, by what it reads there: a line for
    each of several that read the same.
    """
    found = {translate_message(place): [str(place)] for place in (PRESETS, RECORDINGS)}
    for widget in QApplication.allWidgets():
        for shown, english in widget.in_english() if isinstance(widget, Retranslated) else ():
            found.setdefault(_plain(shown), []).append(_plain(english))
    return {shown: "\n".join(dict.fromkeys(several)) for shown, several in found.items()}


def _of_menu(menu: QAction, place: str = "") -> Iterator[Deed]:
    name = _plain(menu.text())
    inner = menu.menu()
    if isinstance(inner, QWidget):
        for action in inner.actions():
            yield from _of_menu(action, f"{place}{_WITHIN}{name}" if place else name)
    elif name and menu.isEnabled():
        yield Deed(name, place, _shown(menu.shortcut()), menu.trigger, menu.toolTip())


def _key(button: QAbstractButton) -> str:
    """Return the key of a button; it may stand only at the end of the tooltip."""
    actions = button.actions()
    if key := _shown(actions[0].shortcut() if actions else button.shortcut()):
        return key
    told = _TOLD.search(button.toolTip())
    return _shown(QKeySequence(told[1])) if told else ""


def _shown(key: QKeySequence) -> str:
    return key.toString(QKeySequence.SequenceFormat.NativeText)


def _plain(text: str) -> str:
    """Return the text of an action without its mnemonic; Chinese has that in parentheses."""
    return "&".join(part.replace("&", "") for part in _MNEMONIC.sub("", text).split("&&"))


def _show_setting(window: MainWindow, name: str) -> None:
    window.show_part(PARAMETERS.name)
    window.parameters.show_row(name)
    window.parameters.rows[name].field.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _choose_preset(window: MainWindow, number: int) -> None:
    window.show_part(PARAMETERS.name)
    window.parameters.presets.activated.emit(number)


def _click(window: MainWindow, part: str, button: QAbstractButton) -> None:
    window.show_part(part)
    button.click()

"""The actions of the main window, made from the data of the menus."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from lnexplorer.domain.machines import is_remote, read_machine
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.window.menus import AT_ONCE, LANGUAGES, MENUS, THEMES, Entry, Menu
from lnexplorer.gui.window.workspaces import WORKSPACES
from lnkernels.launch import KNOWN_DEVICES
from lnkernels.values.sentence import Sentence, say, verbatim


class Actions(QObject):
    """The actions of a window and the menus with them. `retranslate` gives them their texts."""

    def __init__(self, bar: QMenuBar, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._texts: dict[QAction, tuple[Sentence, Sentence]] = {}
        self._named: dict[str, QAction] = {}
        self._titles: dict[QMenu, Sentence] = {}
        self.groups: dict[str, QActionGroup] = {}
        self._places: dict[str, QMenu] = {}  # of groups
        for menu in MENUS:
            bar.addMenu(self._menu(menu, bar))
        self._fill("themes", [self._one(name, text, AT_ONCE) for name, text in THEMES.items()])
        self._fill(
            "languages", [self._one(name, text, AT_ONCE) for name, text in LANGUAGES.items()]
        )
        workspaces = enumerate(WORKSPACES, 1)
        self._fill(
            "workspaces",
            [
                self._one(each.name, each.title, each.tip, f"Ctrl+{number}")
                for number, each in workspaces
            ],
        )
        self["stop"].setEnabled(False)
        window.addActions(
            list(self._named.values())
        )  # shortcuts hold where the menu bar is hidden, too

    def __getitem__(self, name: str) -> QAction:
        return self._named[name]

    def set_devices(self, devices: Sequence[str], chosen: str) -> None:
        actions = [
            self._one(device, device_name(device), say("Run on this device")) for device in devices
        ]
        self._fill("devices", actions)
        self.check("devices", chosen)
        self.retranslate()

    def name_restart(self, *, remote: bool) -> None:
        """Call a restart of the worker what it is where that is on another machine."""
        here = say("Restart &worker"), say("End the worker process and start a new one")
        there = (
            say("&Reconnect"),
            say("Take up the line to the machine again, with a new worker there"),
        )
        self._texts[self["restart"]] = there if remote else here
        self.retranslate()

    def check(self, group: str, name: str) -> None:
        for action in self.groups[group].actions():
            action.setChecked(action.data() == name)

    def retranslate(self) -> None:
        for action, (text, tip) in self._texts.items():
            action.setText(translate_message(text))
            shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(
                f"{translate_message(tip)} ({shortcut})" if shortcut else translate_message(tip)
            )
        for action in self.groups["workspaces"].actions():
            action.setIconText(action.text().replace(" ", "\n"))  # below its icon
        for menu, title in self._titles.items():
            menu.setTitle(translate_message(title))

    def _menu(self, menu: Menu, parent: QWidget) -> QMenu:
        made = QMenu(parent)
        self._titles[made] = menu.title
        made.setToolTipsVisible(True)
        for entry in menu.entries:
            match entry:
                case None:
                    made.addSeparator()
                case Entry():
                    action = self._named[entry.name] = self._action(
                        entry.text, entry.tip, *entry.keys
                    )
                    action.setCheckable(entry.checkable)
                    made.addAction(action)
                case str():
                    self.groups[entry] = QActionGroup(self._window)
                    self._places[entry] = made
                case Menu():
                    made.addMenu(self._menu(entry, made))
        return made

    def _fill(self, group: str, actions: list[QAction]) -> None:
        """Put a group at the head of its menu, in place of what it held."""
        for action in self.groups[group].actions():
            self.groups[group].removeAction(action)
            self._places[group].removeAction(action)
            self._texts.pop(action, None)
            action.deleteLater()
        menu = self._places[group]
        below = menu.actions()[0] if menu.actions() else None
        for action in actions:
            self.groups[group].addAction(action)
            menu.insertAction(below, action)  # type: ignore[arg-type]  # None appends

    def _action(self, text: Sentence, tip: Sentence, *keys: str) -> QAction:
        action = QAction(self._window)
        action.setShortcuts([QKeySequence(key) for key in keys])
        self._texts[action] = text, tip
        return action

    def _one(self, data: object, text: Sentence, tip: Sentence, *keys: str) -> QAction:
        action = self._action(text, tip, *keys)
        action.setCheckable(True)
        action.setData(data)
        return action


def device_name(device: str) -> Sentence:
    if is_remote(device):
        machine = read_machine(device)
        there = device_name(machine.device)
        return (
            verbatim(machine.name)
            if machine.device == "auto"
            else say("{device} on {host}", device=there, host=machine.name)
        )
    backend, _, detail = device.partition(":")
    interpreter = say("Triton's interpreter on the CPU")
    if backend == "interpreter":
        compiling = say(
            "{interpreter}, compiling for {architecture}",
            interpreter=interpreter,
            architecture=detail,
        )
        return compiling if detail else interpreter
    return say("The best there is") if backend == "auto" else verbatim(f"GPU {detail}")


def offered_devices() -> tuple[str, ...]:
    """Return the devices of this machine, as the command line names them.

    GPUs are found by their device files, so that nothing is loaded for this.
    """
    gpus = sum(path.name[6:].isdigit() for path in Path("/dev").glob("nvidia[0-9]*"))
    compiling_for = dict.fromkeys(f"interpreter:{limits.architecture}" for limits in KNOWN_DEVICES)
    return ("auto", *(f"cuda:{number}" for number in range(gpus)), "interpreter", *compiling_for)

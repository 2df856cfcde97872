"""The actions of the main window, made from the data of the menus."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from lnexplorer.domain.machines import is_remote, read_machine
from lnexplorer.gui.kit import Retranslated, in_order
from lnexplorer.gui.window.menus import AT_ONCE, LANGUAGES, MENUS, THEMES, Entry, Menu
from lnexplorer.gui.window.workspaces import WORKSPACES
from lnkernels.launch import KNOWN_DEVICES
from lnkernels.values import Sentence, join_sentences, say, verbatim


class Actions(Retranslated, QMenuBar):
    """The menu bar of a window, and its actions by name."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._named: dict[str, QAction] = {}
        self.groups: dict[str, QActionGroup] = {}
        self._places: dict[str, QMenu] = {}  # of groups
        for menu in MENUS:
            self.addMenu(self._menu(menu, self))
        self._fill("themes", [Entry(*theme, AT_ONCE) for theme in THEMES.items()])
        self._fill("languages", [Entry(*language, AT_ONCE) for language in LANGUAGES.items()])
        workspaces = enumerate(WORKSPACES, 1)
        self._fill(
            "workspaces",
            [
                Entry(each.name, each.title, each.tip, (f"Ctrl+{number}",))
                for number, each in workspaces
            ],
        )
        self.retranslate()
        self["stop"].setEnabled(False)
        # Shortcuts hold where the menu bar is hidden, too.
        window.addActions(list(self._named.values()))

    def __getitem__(self, name: str) -> QAction:
        return self._named[name]

    def set_devices(self, devices: Sequence[str], chosen: str) -> None:
        self._fill(
            "devices",
            [Entry(each, device_name(each), say("Run on this device")) for each in devices],
        )
        self.check("devices", chosen)

    def set_recent(self, paths: Sequence[str]) -> None:
        """Offer files that were opened before, by name and folder."""
        tip = say("Open this file again")
        shown = [f"{Path(path).name} · {Path(path).parent}".replace("&", "&&") for path in paths]
        entries = [
            Entry(path, verbatim(in_order(text)), tip)
            for path, text in zip(paths, shown, strict=True)
        ]
        self._fill("recent", entries, checkable=False)
        self._places["recent"].setEnabled(bool(paths))

    def name_restart(self, *, remote: bool) -> None:
        """Name the restart of the worker: "Reconnect" where the worker is on another machine."""
        here = say("Restart &worker"), say("End the worker process and start a new one")
        there = (
            say("&Reconnect"),
            say("Take up the line to the machine again, with a new worker there"),
        )
        self._write_on_action(self["restart"], *(there if remote else here))

    def check(self, group: str, name: str) -> None:
        for action in self.groups[group].actions():
            action.setChecked(action.data() == name)

    def retranslate(self) -> None:
        for action in self.groups["workspaces"].actions():
            action.setIconText(action.text().replace(" ", "\n"))  # below its icon

    def _menu(self, menu: Menu, parent: QWidget) -> QMenu:
        made = QMenu(parent)
        self.write(made.setTitle, menu.title)
        made.setToolTipsVisible(True)
        for entry in menu.entries:
            match entry:
                case None:
                    made.addSeparator()
                case Entry():
                    action = self._named[entry.name] = self._action(entry)
                    made.addAction(action)
                case str():
                    self.groups[entry] = QActionGroup(self)
                    self._places[entry] = made
                case Menu():
                    made.addMenu(self._menu(entry, made))
        return made

    def _fill(self, group: str, entries: Iterable[Entry], *, checkable: bool = True) -> None:
        """Put a group at the head of its menu, in place of what it held."""
        menu = self._places[group]
        for action in self.groups[group].actions():
            self.groups[group].removeAction(action)
            menu.removeAction(action)
            del self._sentences[action.setText], self._sentences[action.setToolTip]
            action.deleteLater()
        below = next(iter(menu.actions()), None)
        for entry in entries:
            action = self._action(replace(entry, checkable=checkable))
            self.groups[group].addAction(action)
            menu.insertAction(below, action)  # type: ignore[arg-type]  # None appends

    def _action(self, entry: Entry) -> QAction:
        action = QAction(self, checkable=entry.checkable)
        action.setData(entry.name)
        action.setShortcuts([QKeySequence(key) for key in entry.keys])
        self._write_on_action(action, entry.text, entry.tip)
        return action

    def _write_on_action(self, action: QAction, text: Sentence, tip: Sentence) -> None:
        shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        if shortcut:
            tip = join_sentences((tip, f"({shortcut})"), " ")
        self.write_on(action, text, tip)


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

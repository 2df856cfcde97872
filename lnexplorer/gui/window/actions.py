"""The menus: one list of actions in their order, with texts and shortcuts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from lnexplorer.domain.machines import is_remote, read_machine
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.window.workspaces import WORKSPACES
from lnkernels.launch import KNOWN_DEVICES
from lnkernels.values.sentence import Sentence, say, verbatim

AT_ONCE = say("Takes effect at once")
SCRIPT = say(
    "A script with the kernels in it that needs torch and triton alone, and gives the same figure"
)
RUNS = say("The run on the screen, or the runs that are selected in the history")
REPORT = say("These runs, the sweep on the screen, and the experiments that were done here")


@dataclass(frozen=True, slots=True)
class Entry:
    """An action. Of its shortcuts, the first is shown."""

    name: str
    text: Sentence
    tip: Sentence
    keys: tuple[str, ...] = ()
    checkable: bool = False


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu. None is a line between two entries, a name the place of a group of actions."""

    title: Sentence
    entries: "tuple[Item, ...]" = ()


Item: TypeAlias = Entry | Menu | str | None

MENUS = (
    Menu(
        say("&File"),
        (
            Entry(
                "open_recording",
                say("&Open …"),
                say(
                    "A recording, sweep, experiment or session; what a session holds is added to"
                    " the history"
                ),
                ("Ctrl+O",),
            ),
            Entry(
                "gallery",
                say("&Gallery …"),
                say("What was recorded on a GPU: traces, benchmarks, experiments"),
                ("Ctrl+G",),
            ),
            Entry(
                "save_recording",
                say("Save &recording …"),
                say("Save the run on the screen, for this program to open elsewhere"),
                ("Ctrl+Shift+S",),
            ),
            None,
            Entry(
                "save_session",
                say("Save sess&ion …"),
                say(
                    "Keep everything that is open in a file: runs, sweeps, experiments, the"
                    " timeline, and how they are shown"
                ),
                ("Ctrl+Alt+S",),
            ),
            None,
            Menu(
                say("&Export"),
                (
                    Entry(
                        "chart",
                        say("&Chart …"),
                        say("A chart as PNG or SVG, at any size, with its provenance"),
                    ),
                    Entry(
                        "moment",
                        say("This &moment as SVG …"),
                        say(
                            "The reduction as it stands at the playhead, with a line that says"
                            " where it comes from"
                        ),
                    ),
                    Entry("film", say("&Film …"), say("A stretch of the reduction as GIF or MP4")),
                    Entry(
                        "handout",
                        say("Lecture hand&out …"),
                        say(
                            "The steps of the lecture with their notes, as a PDF or a folder of"
                            " PNGs, in the window's language"
                        ),
                    ),
                    None,
                    Entry("copy_python", say("Copy as &Python"), SCRIPT, ("Ctrl+Shift+C",)),
                    Entry(
                        "copy_command",
                        say("Copy &as command"),
                        say("The command that makes this run again"),
                    ),
                    Entry(
                        "copy_config",
                        say("Copy as &triton.Config"),
                        say("The settings of each kernel"),
                    ),
                    None,
                    Entry("export_report", say("HTML &report …"), REPORT),
                    Entry("export_csv", say("CS&V …"), RUNS),
                    Entry("export_figures", say("CSV, a row a fi&gure …"), RUNS),
                    Entry("export_parquet", say("Par&quet …"), RUNS),
                    Entry("export_json", say("&JSON …"), RUNS),
                    Entry("export_notebook", say("&Notebook …"), SCRIPT),
                    Entry("export_script", say("Python &script …"), SCRIPT),
                ),
            ),
            Entry(
                "save_picture",
                say("&Save picture …"),
                say("Save the window as a picture"),
                ("Ctrl+S",),
            ),
            None,
            Entry("quit", say("&Quit"), say("Close the window and end the worker"), ("Ctrl+Q",)),
        ),
    ),
    Menu(
        say("&Run"),
        (
            Entry(
                "run",
                say("&Run"),
                say("Run the kernels with the parameters as they are"),
                ("F5", "Ctrl+Return"),
            ),
            Entry("stop", say("&Stop"), say("Stop the run"), ("Esc",)),
            Entry(
                "live",
                say("&Live"),
                say("Run whenever a parameter moves"),
                ("Ctrl+L",),
                checkable=True,
            ),
            None,
            Entry(
                "undo",
                say("&Undo"),
                say("Take back the last change of the parameters, by whatever it was made"),
                ("Ctrl+Z",),
            ),
            Entry(
                "redo",
                say("R&edo"),
                say("Make the change again that was taken back"),
                ("Ctrl+Shift+Z",),
            ),
            None,
            Entry(
                "trace",
                say("Record loc&ks"),
                say("Record on the GPU when each row wanted, held and released its lock"),
                ("Ctrl+T",),
            ),
            None,
            Menu(
                say("&Device"),
                (
                    "devices",
                    None,
                    Entry(
                        "add_machine",
                        say("Add a &machine …"),
                        say("Run on the GPUs of another machine, which your own ssh reaches"),
                    ),
                ),
            ),
            Entry(
                "restart",
                say("Restart &worker"),
                say("End the worker process and start a new one"),
                ("Ctrl+Shift+R",),
            ),
        ),
    ),
    Menu(
        say("&View"),
        (
            "workspaces",
            None,
            Entry(
                "fill",
                say("F&ill the workspace"),
                say("Show the part with the keyboard alone, or all others again"),
                ("F10",),
            ),
            Entry(
                "own_window",
                say("Window of its &own"),
                say(
                    "Show the part with the keyboard in a window of its own; it returns when that"
                    " is closed"
                ),
                ("Ctrl+Shift+F",),
            ),
            Entry(
                "fold",
                say("Fold the &parameters"),
                say("Show the parameters as one line of values, or the form again"),
                ("Ctrl+P",),
                checkable=True,
            ),
            None,
            Entry(
                "usual_arrangement",
                say("Usual arra&ngement"),
                say("Share the room as at first, and take all parts back into the window"),
                ("Ctrl+Shift+1",),
            ),
            None,
            Entry(
                "lecture",
                say("Le&cture"),
                say("The reduction, step by step, for a lecture hall; H there shows all keys"),
                ("F9",),
            ),
            Entry(
                "exercises",
                say("&Exercises"),
                say(
                    "Lab sheets beside the workspaces; an answer is checked by what was run or"
                    " recorded"
                ),
                ("Ctrl+Shift+E",),
                checkable=True,
            ),
            Entry(
                "full_screen",
                say("&Full screen"),
                say("For the projector"),
                ("F11",),
                checkable=True,
            ),
            None,
            Entry(
                "larger_text",
                say("Lar&ger text"),
                say("So that the last row can read it"),
                ("Ctrl++", "Ctrl+="),
            ),
            Entry("smaller_text", say("S&maller text"), say("So that more fits"), ("Ctrl+-",)),
            Entry(
                "usual_text",
                say("&Usual text"),
                say("The size of the text as it was at first"),
                ("Ctrl+0",),
            ),
            None,
            Menu(
                say("&Appearance"),
                (
                    "themes",
                    None,
                    Entry(
                        "next_theme",
                        say("Dark or light"),
                        say("Change between dark and light"),
                        ("Ctrl+Shift+D",),
                    ),
                ),
            ),
            Menu(verbatim("&Language · 语言"), ("languages",)),
        ),
    ),
    Menu(
        say("&Help"),
        (
            Entry(
                "manual",
                say("&Manual"),
                say("What is shown, at the part with the keyboard"),
                ("F1",),
            ),
            Entry("keys", say("&Keys"), say("What each key does")),
            Entry(
                "glossary", say("&Glossary"), say("The words of the field, as they are used here")
            ),
            Entry(
                "tour",
                say("&Try your own"),
                say("A tour of five steps over the window; Esc leaves it"),
                ("Shift+F1",),
            ),
            None,
            Entry(
                "provenance",
                say("&Provenance"),
                say("Where the numbers on the screen come from"),
                ("Ctrl+I",),
            ),
            Entry("about", say("&About lnexplorer"), say("What this program is")),
        ),
    ),
)
# Actions that nobody who is new should overlook, as the bar at the left edge calls them until they
# are used.
DOORS = {
    "gallery": say("Watch an H200"),
    "lecture": say("Lecture (F9)"),
    "tour": say("Try your own"),
}
COPIES = ("copy_python", "copy_command", "copy_config")
EXPORTS = (
    "export_report",
    "export_csv",
    "export_figures",
    "export_parquet",
    "export_json",
    "export_notebook",
    "export_script",
)
EXPORT_ACTIONS = (
    *("save_recording", "save_session", "save_picture", "chart", "moment", "film", "handout"),
    *COPIES,
    *EXPORTS,
)
THEMES = {"system": say("As the system"), "dark": say("Dark"), "light": say("Light")}
LANGUAGES = {
    "system": say("As the system"),
    "en": verbatim("English"),
    "zh_CN": verbatim("简体中文"),
}


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

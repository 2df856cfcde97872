"""Everything that the menus offer, with its shortcut."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.presets import PRESETS
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.i18n.texts import domain_text

THEME_NAMES = ("system", "dark", "light")
LANGUAGE_NAMES = ("system", "en", "zh_CN")


class Actions(QObject):
    """The actions of the window. `retranslate` gives them their texts."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.open_recording = self._new("Ctrl+O")
        self.gallery = self._new("Ctrl+G")
        self.save_recording = self._new("Ctrl+Shift+S")
        self.save_picture = self._new("Ctrl+S")
        self.open_session = self._new("Ctrl+Shift+O")
        self.save_session = self._new("Ctrl+Alt+S")
        self.quit = self._new("Ctrl+Q")
        self.run = self._new("F5", "Ctrl+Return")
        self.stop = self._new("Esc")
        self.live = self._new("Ctrl+L")
        self.live.setCheckable(True)
        self.trace = self._new("Ctrl+T")
        self.restart = self._new("Ctrl+Shift+R")
        self.overview = self._new("Ctrl+Shift+1")
        self.tabs = self._new("Ctrl+Shift+2")
        self.tear_off = self._new("Ctrl+Shift+F")
        self.full_screen = self._new("F11")
        self.full_screen.setCheckable(True)
        self.lecture = self._new("F9")
        self.next_theme = self._new("Ctrl+D")
        self.larger_text = self._new("Ctrl++", "Ctrl+=")
        self.smaller_text = self._new("Ctrl+-")
        self.usual_text = self._new("Ctrl+0")
        self.about = self._new("F1")
        self.provenance = self._new("Ctrl+I")
        self.themes = self._group(THEME_NAMES)
        self.languages = self._group(LANGUAGE_NAMES)
        self.devices = QActionGroup(parent)
        self.presets = [self._preset(index) for index in range(len(PRESETS) + 1)]
        self.stop.setEnabled(False)

    def set_devices(self, devices: tuple[str, ...], chosen: str) -> None:
        """The devices that can be chosen, as the command line names them."""
        for action in self.devices.actions():
            self.devices.removeAction(action)
            action.deleteLater()
        for device in devices:
            action = QAction(self._parent)
            action.setCheckable(True)
            action.setData(device)
            action.setChecked(device == chosen)
            self.devices.addAction(action)
        self._name_devices()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self._text(self.open_recording, self.tr("&Open recording …"), self.tr("Open a run that was recorded on another machine"))
        self._text(
            self.gallery,
            self.tr("&Gallery …"),
            self.tr("What was recorded on a GPU: traces, benchmarks, experiments"),
        )
        self._text(
            self.save_recording,
            self.tr("Save &recording …"),
            self.tr("Save the run on the screen, for this program to open elsewhere"),
        )
        self._text(self.save_picture, self.tr("&Save picture …"), self.tr("Save the window as a picture"))
        self._text(
            self.open_session,
            self.tr("Op&en session …"),
            self.tr("Bring back everything that was open, also on another machine; what is new is added to the history"),
        )
        self._text(
            self.save_session,
            self.tr("Save sess&ion …"),
            self.tr("Keep everything that is open in a file: runs, sweeps, experiments, the timeline, and how they are shown"),
        )
        self._text(self.quit, self.tr("&Quit"), self.tr("Close the window and end the worker"))
        self._text(self.run, self.tr("&Run"), self.tr("Run the kernels with the parameters as they are"))
        self._text(self.stop, self.tr("&Stop"), self.tr("Stop the run"))
        self._text(self.live, self.tr("&Live"), self.tr("Run whenever a parameter moves"))
        self._text(
            self.trace, self.tr("Record &locks"), self.tr("Record on the GPU when each row wanted, held and released its lock")
        )
        self._text(self.restart, self.tr("Restart &worker"), self.tr("End the worker process and start a new one"))
        self._text(
            self.overview,
            self.tr("&Overview"),
            self.tr("Reset the arrangement: reduction, correctness and throughput side by side"),
        )
        self._text(self.tabs, self.tr("&Tabs"), self.tr("Reset the arrangement: one picture at a time"))
        self._text(
            self.tear_off, self.tr("Tear &off"), self.tr("Make the pane with the keyboard a window of its own, or put it back")
        )
        self._text(self.full_screen, self.tr("&Full screen"), self.tr("For the projector"))
        self._text(
            self.lecture, self.tr("&Lecture"), self.tr("The reduction, step by step, for a lecture hall; H there shows all keys")
        )
        self._text(self.next_theme, self.tr("Dark or light"), self.tr("Change between dark and light"))
        self._text(self.larger_text, self.tr("Lar&ger text"), self.tr("So that the last row can read it"))
        self._text(self.smaller_text, self.tr("S&maller text"), self.tr("So that more fits"))
        self._text(self.usual_text, self.tr("&Usual text"), self.tr("The size of the text as it was at first"))
        self._text(self.about, self.tr("&About lnexplorer"), self.tr("What this program is"))
        self._text(self.provenance, self.tr("&Provenance"), self.tr("Where the numbers on the screen come from"))
        names = {
            "system": self.tr("As the system"),
            "dark": self.tr("Dark"),
            "light": self.tr("Light"),
            "en": "English",
            "zh_CN": "简体中文",
        }
        for action in (*self.themes.actions(), *self.languages.actions()):
            self._text(action, names[action.data()], self.tr("Takes effect at once"))
        for index, action in enumerate(self.presets):
            if index == 0:
                self._text(action, self.tr("Default experiment"), self.tr("Everything automatic"))
            else:
                preset = PRESETS[index - 1]
                self._text(action, domain_text(preset.name), domain_text(preset.help))
        self._name_devices()

    def _name_devices(self) -> None:
        interpreter = self.tr("Triton's interpreter on the CPU")
        names = {"auto": self.tr("The best there is"), "interpreter": interpreter}
        for action in self.devices.actions():
            backend, _, detail = action.data().partition(":")
            if detail and backend == "interpreter":
                name = self.tr("{interpreter}, compiling for {architecture}").format(interpreter=interpreter, architecture=detail)
            else:
                name = names.get(backend, f"GPU {detail}")
            self._text(action, name, self.tr("Run on this device"))

    def _new(self, *shortcuts: str) -> QAction:
        action = QAction(self._parent)
        action.setShortcuts([QKeySequence(shortcut) for shortcut in shortcuts])
        return action

    def _group(self, names: tuple[str, ...]) -> QActionGroup:
        group = QActionGroup(self._parent)
        for name in names:
            action = QAction(self._parent)
            action.setCheckable(True)
            action.setData(name)
            group.addAction(action)
        return group

    def _preset(self, index: int) -> QAction:
        action = QAction(self._parent)
        action.setData(PRESETS[index - 1].request if index else RunRequest())
        if index < 9:
            action.setShortcut(QKeySequence(f"Alt+{index + 1}"))
        return action

    def _text(self, action: QAction, text: str, tip: str) -> None:
        action.setText(text)
        action.setStatusTip("")
        shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{tip} ({shortcut})" if shortcut else tip)


def check_named(group: QActionGroup, name: str) -> None:
    """Tick the action of a group that stands for `name`."""
    for action in group.actions():
        action.setChecked(action.data() == name)

"""Run > Device > Add a machine …: its address, what is there, and whether it can be used."""

import threading
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QPushButton, QWidget

from lnexplorer.doctor.findings import Level, findings
from lnexplorer.domain.machines import SCHEME, AddressError, read_machine
from lnexplorer.engine.ssh import Contact, look_at
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import Label, lay_column, lay_row
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.responsive import Background, Delivery
from lnkernels.sentence import Sentence

WIDTH = 72 * GRID
FACTS_HEIGHT = 22 * GRID


class MachineDialog(QDialog):
    """A form above what was found on the machine. It knows nothing of SSH."""

    lookWanted = Signal(str)  # the address

    def __init__(self, addresses: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known = addresses
        self.setWindowTitle(self.tr("Add a machine"))
        self.setMinimumWidth(WIDTH)
        self.address, self.python = QLineEdit(self), QLineEdit(self)
        self.address.setPlaceholderText("ssh://user@host:22/cuda:0")
        self.python.setPlaceholderText(self.tr("found by itself, or a path such as ~/venv/bin/python"))
        about = Label(self.tr("Reached by your own ssh, with your keys and configuration. No password is asked for."), self)
        about.setWordWrap(True)
        self.test = QPushButton(self.tr("&Test"), self)
        self.test.setAutoDefault(False)
        self.said = Label(self)
        self.said.setWordWrap(True)
        self.said.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.said.setMinimumHeight(FACTS_HEIGHT)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.use = buttons.addButton(self.tr("&Use this machine"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        row = lay_row(None, (self.address, 1), self.test)
        form = QFormLayout()
        form.setSpacing(GRID)
        form.addRow(self.tr("Address"), row)
        form.addRow(self.tr("Python there"), self.python)
        lay_column(self, about, form, self.said, buttons, margins=2 * GRID, spacing=GRID)
        self.address.textChanged.connect(self._judge)
        self.python.textChanged.connect(self._judge)
        self.test.clicked.connect(lambda: self.lookWanted.emit(self.device))
        self._judge()

    @property
    def device(self) -> str:
        """What was typed, as the command line names it."""
        address, python = self.address.text().strip(), self.python.text().strip()
        address = address if not address or address.startswith(SCHEME) else f"{SCHEME}{address}"
        return f"{address}?python={python}" if python else address

    def show_looking(self) -> None:
        self.test.setEnabled(False)
        self.said.setText(self.tr("Looking …"))

    def show_contact(self, contact: Contact) -> None:
        """Say what is there, and what is wrong with it."""
        facts = contact.facts
        gpus = [gpu.name for gpu in facts.driver.gpus]
        named = {
            "lnexplorer": contact.version,
            "Python": f"{'.'.join(map(str, facts.python))} ({contact.executable})",
            "torch": facts.torch.version or self.tr("not installed"),
            "triton": facts.torch.triton or self.tr("not installed"),
            self.tr("driver"): facts.driver.version or self.tr("none"),
            self.tr("GPUs"): ", ".join(gpus) or self.tr("none: the kernels run on Triton's interpreter there"),
        }
        wrong = [each for each in findings(facts) if each.level in (Level.WARNING, Level.PROBLEM)]
        lines = [f"{name}: {value}" for name, value in named.items()]
        self._say("\n".join([*lines, *(f"{each.sentence} {each.remedy}".strip() for each in wrong)]))

    def show_failure(self, sentence: Sentence) -> None:
        self._say(translate_message(sentence))

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self.test.setEnabled(True)

    def _judge(self) -> None:
        """Say what is wrong with the address, once there is one."""
        fits, sentence = bool(self.device), ""
        try:
            read_machine(self.device)
        except AddressError:
            fits = False
            sentence = self.tr("An address looks like {short} or {long}, and a Python like {python}.").format(
                short="ssh://host", long="ssh://user@host:22/cuda:1", python="~/venv/bin/python"
            )
        if self.device in self._known:
            sentence = self.tr("This machine is in the menu already.")
        self.said.setText(sentence if self.device else "")
        self.test.setEnabled(fits)
        self.use.setEnabled(fits)


def ask_for_machine(dialog: MachineDialog, delivery: Delivery) -> str | None:
    """Ask for a machine, looking at it on a thread when that is wanted; its address, or None."""
    looks, given_up = Background(delivery, "machine", dialog), threading.Event()

    def look(device: str) -> None:
        dialog.show_looking()
        looks.do(lambda: look_at(device, given_up=given_up.is_set), dialog.show_contact, "look", dialog.show_failure)

    dialog.lookWanted.connect(look)
    try:
        return dialog.device if dialog.exec() else None
    finally:
        given_up.set()
        looks.close()

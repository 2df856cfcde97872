"""Run > Device > Add a machine …: its address, what is there, and whether it can be used."""

import threading

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from lnexplorer.doctor.findings import Severity, findings
from lnexplorer.domain.machines import SCHEME, AddressError, read_machine
from lnexplorer.engine.ssh import Contact, look_at
from lnexplorer.gui.kit import GRID, Label, lay_column, lay_row, translate_message, with_text
from lnexplorer.gui.kit.responsive import Background, Delivery
from lnkernels.values import join_sentences

WIDTH = 72 * GRID
FACTS_HEIGHT = 22 * GRID


class MachineDialog(QDialog):
    """A form for an address, above the facts about the machine; a thread looks at it meanwhile."""

    def __init__(self, delivery: Delivery, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._given_up = threading.Event()
        self._looks = Background(delivery, "machine", self)
        self.setWindowTitle(self.tr("Add a machine"))
        self.setMinimumWidth(with_text(WIDTH))
        self.address = QLineEdit(self, placeholderText="ssh://user@host:22/cuda:0")
        found = self.tr("found by itself, or a path such as ~/venv/bin/python")
        self.python = QLineEdit(self, placeholderText=found)
        about = Label(
            self.tr(
                "Reached by your own ssh, with your keys and configuration. No password is asked"
                " for."
            ),
            self,
            wordWrap=True,
        )
        self.test = QPushButton(self.tr("&Test"), self, autoDefault=False)
        self.said = Label(
            self,
            wordWrap=True,
            alignment=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            minimumHeight=FACTS_HEIGHT,
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.use = buttons.addButton(
            self.tr("&Use this machine"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.use.setAutoDefault(False)
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
        self.test.clicked.connect(self._look)
        self._judge()

    @property
    def device(self) -> str:
        """Return the typed address, as the command line names a device."""
        address, python = self.address.text().strip(), self.python.text().strip()
        address = address if not address or address.startswith(SCHEME) else f"{SCHEME}{address}"
        return f"{address}?python={python}" if python else address

    def done(self, result: int) -> None:
        self._given_up.set()
        self._looks.close()
        super().done(result)

    def _look(self) -> None:
        device, given_up = self.device, self._given_up.is_set
        self.test.setEnabled(False)
        self.said.setText(self.tr("Looking …"))
        self._looks.do(
            lambda: look_at(device, given_up=given_up),
            self.show_contact,
            "look",
            lambda sentence: self._say(translate_message(sentence)),
        )

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
            self.tr("GPUs"): (
                join_sentences(gpus, ", ")
                if gpus
                else self.tr("none: the kernels run on Triton's interpreter there")
            ),
        }
        lines = [translate_message(join_sentences(each, ": ")) for each in named.items()]
        found = findings(facts, read_machine(self.device).device)
        wrong = [each for each in found if each.level in (Severity.WARNING, Severity.PROBLEM)]
        lines += [
            f"{translate_message(each.sentence)} {translate_message(each.remedy)}".strip()
            for each in wrong
        ]
        self._say("\n".join(lines))
        if not any(each.level is Severity.PROBLEM for each in wrong):
            self.use.setDefault(True)  # Return takes a machine that was found to be usable

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self.test.setEnabled(True)

    def _judge(self) -> None:
        """Say what is wrong with the address; drop what was found at another one."""
        self._looks.drop("look")
        self.test.setDefault(True)
        device, sentence = self.device, ""
        try:
            read_machine(device)
        except AddressError:
            sentence = self.tr(
                "An address looks like {short} or {long}, and a Python like {python}."
            ).format(
                short="ssh://host", long="ssh://user@host:22/cuda:1", python="~/venv/bin/python"
            )
        self.said.setText(sentence if device else "")
        for button in (self.test, self.use):
            button.setEnabled(bool(device and not sentence))

"""Whose LayerNorms a sweep times beside the strategies: a box for everybody that this machine's packages offer."""

from PySide6.QtCore import QEvent, QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from lnexplorer.domain.peers import KNOWN_PEERS, in_order
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.shell.theme import GRID
from lnkernels.launch import STRATEGIES
from lnkernels.values.environment import Offered

COLUMNS = 2


class PeerBoxes(QWidget):
    """Shows a choice and reports every change of it. Strategies have boxes of their own, elsewhere."""

    toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered: tuple[Offered, ...] = ()
        self.boxes: dict[str, QCheckBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GRID // 2)
        self._fill(())

    @property
    def chosen(self) -> tuple[str, ...]:
        """Who is chosen, in the order of the boxes."""
        return tuple(name for name, box in self.boxes.items() if box.isChecked())

    def choose(self, names: tuple[str, ...]) -> None:
        """Show a choice without reporting it; somebody who is not offered here gets a box, too."""
        self._fill(names)

    def set_offered(self, offered: tuple[Offered, ...]) -> None:
        """Who can be timed here, and who cannot; before a device is known, the usual ones are listed."""
        if offered != self._offered:
            self._offered = offered
            self._fill(self.chosen)

    def retranslate(self) -> None:
        """Take the words of the language."""
        missing = {one.name: one.missing for one in self._offered}
        for name, box in self.boxes.items():
            box.setText(self._label(name))
            box.setAccessibleName(box.text())
            help_ = self.tr("Rows of {name}, timed in turns with the strategies").format(name=box.text())
            if missing.get(name):
                help_ = self.tr("not here: {reason}").format(reason=told(missing[name]))
            elif self._offered and name not in missing:
                help_ = self.tr("not here: no installed package provides it")
            box.setToolTip(help_)
            box.setAccessibleDescription(help_)
            # One that is missing can be taken out of a sweep that was made elsewhere, and not be put into one.
            here = not self._offered or missing.get(name) == ""
            box.setEnabled(here or box.isChecked())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _fill(self, chosen: tuple[str, ...]) -> None:
        own = {one.name for one in self._offered} - set(STRATEGIES)
        names = in_order({*chosen, *(own or KNOWN_PEERS)})
        if names != tuple(self.boxes):
            for box in self.boxes.values():
                self._grid.removeWidget(box)
                box.setParent(None)
                box.deleteLater()
            self.boxes = {name: self._box(place) for place, name in enumerate(names)}
        for name, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(name in chosen)
        self.retranslate()

    def _box(self, place: int) -> QCheckBox:
        box = QCheckBox()
        box.toggled.connect(lambda _on: self._on_toggled())
        self._grid.addWidget(box, place // COLUMNS, place % COLUMNS)
        return box

    def _label(self, name: str) -> str:
        label = provider_label(name)
        return label if label != name else next((one.label for one in self._offered if one.name == name), name)

    def _on_toggled(self) -> None:
        self.retranslate()
        self.toggled.emit()

"""Who is timed beside the run's kernels: a button that says it, and a list to choose from."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidgetAction,
)

from lnexplorer.domain.peers import DEFAULT_PEERS, KNOWN_PEERS, MOST_PEERS, SLOW, in_order
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnkernels.launch import STRATEGIES
from lnkernels.values.environment import Offered

LIST_SIZE = (60 * GRID, 36 * GRID)


class PeerChooser(Retranslated, QToolButton):
    """Shows a choice and reports every change of it."""

    chosen = Signal(object)  # tuple[str, ...]
    kernelWanted = Signal()  # one of one's own is to be timed

    def __init__(self) -> None:
        super().__init__()
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.peers = DEFAULT_PEERS
        self._offered: tuple[Offered, ...] = ()
        self._strategy = ""
        self.list = QListWidget()
        self._items: dict[str, QListWidgetItem] = {}
        self.list.setWordWrap(True)
        self.list.setFixedSize(*map(with_text, LIST_SIZE))
        self.list.itemChanged.connect(self._on_changed)
        menu = QMenu(self)
        action = QWidgetAction(menu)
        action.setDefaultWidget(self.list)
        menu.addAction(action)
        menu.addSeparator()
        self.own = menu.addAction("")
        self.own.triggered.connect(self.kernelWanted)
        self.setMenu(menu)
        self.retranslate()

    def set_peers(self, peers: tuple[str, ...]) -> None:
        """Show a choice without reporting it."""
        self.peers = peers
        self.retranslate()

    def set_offered(self, offered: tuple[Offered, ...]) -> None:
        """Who can be timed here, and who cannot; before a device is known, the usual ones are
        listed.
        """
        self._offered = offered
        self.retranslate()

    def set_strategy(self, strategy: str) -> None:
        """Whose kernels run: they are timed anyway."""
        if strategy != self._strategy:
            self._strategy = strategy
            self.retranslate()

    def label(self, name: str) -> str:
        """What a provider is called: as people know it, or as it calls itself."""
        short, known = provider_label(name), self._known(name)
        return (
            known.label
            if short == name and known is not None and name not in (*KNOWN_PEERS, *STRATEGIES)
            else short
        )

    def _known(self, name: str) -> Offered | None:
        return next((one for one in self._offered if one.name == name), None)

    def item(self, name: str) -> QListWidgetItem:
        return self._items[name]

    def retranslate(self) -> None:
        others = [self.label(name) for name in self.peers if name != self._strategy]
        self.setText(self.tr("peers: {count}").format(count=len(others)))
        self.setToolTip(
            self.tr("Timed in turns with the run's kernels, and drawn beside them: {names}").format(
                names=", ".join(others)
            )
        )
        self.own.setText(self.tr("Add a kernel …"))
        self.list.setAccessibleName(self.tr("Timed beside the run's kernels"))
        offered = [one.name for one in self._offered] or KNOWN_PEERS
        names = in_order({*offered, *self.peers})
        with QSignalBlocker(self.list):
            if names != tuple(self._items):
                self.list.clear()
                self._items = {name: QListWidgetItem(self.list) for name in names}
            for name, item in self._items.items():
                self._show(name, item)

    def _show(self, name: str, item: QListWidgetItem) -> None:
        known, reason = self._known(name), self._reason(name)
        item.setText(f"{self.label(name)} · {reason}" if reason else self.label(name))
        item.setData(Qt.ItemDataRole.UserRole, name)
        item.setCheckState(Qt.CheckState.Checked if name in self.peers else Qt.CheckState.Unchecked)
        # One that is missing can be taken out of a choice that was made elsewhere, and not be put
        # into one.
        missing = known is not None and known.missing is not None
        possible = name in self.peers or not (missing or len(self.peers) >= MOST_PEERS)
        item.setFlags(
            Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable
            if possible
            else Qt.ItemFlag.NoItemFlags
        )

    def _reason(self, name: str) -> str:
        known = self._known(name)
        if known is not None and known.missing:
            return self.tr("not here: {reason}").format(reason=translate_message(known.missing))
        if self._offered and known is None:
            return self.tr("not here: no installed package provides it")
        if name == self._strategy:
            return self.tr("the run's own strategy")
        if name in SLOW:
            return self.tr("compiles for some seconds at each new shape; Live does not wait for it")
        if name in STRATEGIES:
            return self.tr("with its automatic settings")
        return ""

    def _on_changed(self, item: QListWidgetItem) -> None:
        name = item.data(Qt.ItemDataRole.UserRole)
        others = [each for each in self.peers if each != name]
        self.peers = tuple(
            [*others, name] if item.checkState() is Qt.CheckState.Checked else others
        )
        self.retranslate()
        self.chosen.emit(self.peers)

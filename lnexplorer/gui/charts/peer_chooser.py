"""The choice of peers that are timed beside the run's kernels: a button with a list."""

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
from lnexplorer.gui.kit import GRID, Retranslated, translate_message, with_text
from lnkernels.launch import STRATEGIES
from lnkernels.values import Sentence, say
from lnkernels.values.environment import Offered

LIST_SIZE = (60 * GRID, 36 * GRID)


class PeerChooser(Retranslated, QToolButton):
    """A button that shows how many peers are chosen, and a list in its menu."""

    chosen = Signal(object)  # tuple[str, ...]
    kernelWanted = Signal()  # one of one's own is to be timed

    def __init__(self) -> None:
        super().__init__(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.peers = DEFAULT_PEERS
        self.removed: set[str] = set()  # that were taken out of the choice
        self._offered: dict[str, Offered] = {}
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
        self.write(self.own.setText, say("Add a kernel …"))
        self.write_on(self.list, name=say("Timed beside the run's kernels"))
        self.own.triggered.connect(self.kernelWanted)
        self.setMenu(menu)
        self.retranslate()

    def set_peers(self, peers: tuple[str, ...]) -> None:
        """Show a choice without reporting it."""
        self.peers = peers
        self.removed.difference_update(peers)
        self.retranslate()

    def set_offered(self, offered: tuple[Offered, ...]) -> None:
        """List the peers that a device offers, or lacks; before one is known, the usual ones."""
        self._offered = {each.name: each for each in offered}
        self.retranslate()

    def set_strategy(self, strategy: str) -> None:
        """Take the strategy of the run, which is timed anyway."""
        if strategy != self._strategy:
            self._strategy = strategy
            self.retranslate()

    def label(self, name: str) -> str:
        """Return what a provider is called: as people know it, or as it calls itself."""
        short, offered = provider_label(name), self._offered.get(name)
        own = short == name and name not in (*KNOWN_PEERS, *STRATEGIES)
        return offered.label if own and offered is not None else short

    def item(self, name: str) -> QListWidgetItem:
        return self._items[name]

    def retranslate(self) -> None:
        others = [self.label(name) for name in self.peers if name != self._strategy]
        self.write_on(
            self,
            say("peers: {count}", count=len(others)),
            say(
                "Timed in turns with the run's kernels, and drawn beside them: {names}",
                names=others,
            ),
        )
        names = in_order({*(self._offered or KNOWN_PEERS), *self.peers})
        with QSignalBlocker(self.list):
            if names != tuple(self._items):
                self.list.clear()
                self._items = {name: QListWidgetItem(self.list) for name in names}
            for name, item in self._items.items():
                self._show(name, item)

    def _show(self, name: str, item: QListWidgetItem) -> None:
        offered, reason = self._offered.get(name), translate_message(self._reason(name))
        item.setText(f"{self.label(name)} · {reason}" if reason else self.label(name))
        item.setData(Qt.ItemDataRole.UserRole, name)
        item.setCheckState(Qt.CheckState.Checked if name in self.peers else Qt.CheckState.Unchecked)
        # One that is missing can be taken out of a choice that was made elsewhere, and not be put
        # into one.
        missing = offered is not None and offered.missing is not None
        possible = name in self.peers or not (missing or len(self.peers) >= MOST_PEERS)
        item.setFlags(
            Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable
            if possible
            else Qt.ItemFlag.NoItemFlags
        )

    def _reason(self, name: str) -> Sentence | None:
        offered = self._offered.get(name)
        if offered is not None and offered.missing:
            return say("not here: {reason}", reason=offered.missing)
        if self._offered and offered is None:
            return say("not here: no installed package provides it")
        if name == self._strategy:
            return say("the run's own strategy")
        if name in SLOW:
            return say("compiles for some seconds at each new shape; Live does not wait for it")
        return say("with its automatic settings") if name in STRATEGIES else None

    def _on_changed(self, item: QListWidgetItem) -> None:
        name = item.data(Qt.ItemDataRole.UserRole)
        self.peers = tuple(each for each in self.peers if each != name)
        if item.checkState() is Qt.CheckState.Checked:
            self.peers += (name,)
            self.removed.discard(name)
        else:
            self.removed.add(name)
        self.retranslate()
        self.chosen.emit(self.peers)

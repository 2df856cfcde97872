"""Who is timed beside the run's kernels: a button that says it, and a list to choose from."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget, QWidgetAction

from lnexplorer.domain.peers import DEFAULT_PEERS, KNOWN_PEERS, MOST_PEERS, SLOW, in_order
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.theme import GRID, with_text
from lnexplorer.gui.charts.throughput_chart import provider_colour
from lnexplorer.gui.i18n.languages import Retranslated
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.launch import STRATEGIES
from lnkernels.values.environment import Offered

NAMED = 2  # in the button's text; of more, the number is said
REASON_WIDTH = 40 * GRID


class PeerChooser(Retranslated, QToolButton):
    """Shows a choice and reports every change of it."""

    chosen = Signal(object)  # tuple[str, ...]

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._peers = DEFAULT_PEERS
        self._offered: tuple[Offered, ...] = ()
        self._strategy = ""
        self._compact = False
        self.boxes: dict[str, QCheckBox] = {}
        self.reasons: dict[str, QLabel] = {}
        self.list = QWidget()
        self._heading = QLabel(self.list)
        self._heading.setProperty("look", "strong")
        self._grid = QGridLayout(self.list)
        self._grid.setContentsMargins(GRID + 4, GRID, GRID + 4, GRID)
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID // 2)
        self._grid.setColumnStretch(2, 1)
        self._menu = QMenu(self)
        action = QWidgetAction(self._menu)
        action.setDefaultWidget(self.list)
        self._menu.addAction(action)
        self._menu.aboutToShow.connect(self._on_show)
        self.setMenu(self._menu)
        self._fill()

    @property
    def peers(self) -> tuple[str, ...]:
        """Who is chosen."""
        return self._peers

    def set_peers(self, peers: tuple[str, ...]) -> None:
        """Show a choice without reporting it."""
        if peers != self._peers:
            self._peers = peers
            self._fill()

    def set_offered(self, offered: tuple[Offered, ...]) -> None:
        """Who can be timed here, and who cannot; before a device is known, the usual ones are listed."""
        if offered != self._offered:
            self._offered = offered
            self._fill()

    def set_strategy(self, strategy: str) -> None:
        """Whose kernels run: they are timed anyway."""
        if strategy != self._strategy:
            self._strategy = strategy
            self.retranslate()

    def set_compact(self, compact: bool) -> None:
        """Say the number alone."""
        if compact != self._compact:
            self._compact = compact
            self.retranslate()

    def label(self, name: str) -> str:
        """What a provider is called: as people know it, or as it calls itself."""
        known = {one.name: one.label for one in self._offered}
        short = provider_label(name)
        return short if short != name or name in (*KNOWN_PEERS, *STRATEGIES) else known.get(name, name)

    def retranslate(self) -> None:
        others = [name for name in self._peers if name != self._strategy]
        names = [self.label(name) for name in others[:NAMED]]
        if len(others) > NAMED:
            names = [names[0], f"+{len(others) - 1}"]
        if self._compact:
            self.setText(self.tr("peers: {count}").format(count=len(others)))
        else:
            self.setText(self.tr("beside: {names}").format(names=" ".join(names) if len(others) > NAMED else ", ".join(names)))
            if not others:
                self.setText(self.tr("beside: nobody"))
        everybody = ", ".join(map(self.label, others)) or self.tr("nobody")
        help_ = self.tr("Timed in turns with the run's kernels, and drawn as lines: {names}. Each more takes about a second.")
        self.setToolTip(help_.format(names=everybody))
        self.setAccessibleName(self.text())
        self.setAccessibleDescription(self.toolTip())
        self._heading.setText(self.tr("Timed beside the run's own kernels"))
        for name, label in self.reasons.items():
            label.setText(self._reason(name))
        self._show_states()

    def _fill(self) -> None:
        """Make a line for everybody."""
        names = in_order({*(one.name for one in self._offered), *self._peers, *(() if self._offered else KNOWN_PEERS)})
        if names != tuple(self.boxes):
            for widget in (*self.boxes.values(), *self.reasons.values(), *self.list.findChildren(QLabel, "sample")):
                self._grid.removeWidget(widget)
                widget.setParent(None)
                widget.deleteLater()
            self.boxes.clear()
            self.reasons.clear()
            self._grid.addWidget(self._heading, 0, 0, 1, 3)
            for row, name in enumerate(names, start=1):
                self._add_line(row, name)
        self.retranslate()

    def _add_line(self, row: int, name: str) -> None:
        sample = QLabel(f'<span style="color:{provider_colour(name)}">━━</span>')
        sample.setObjectName("sample")
        box = QCheckBox()
        box.toggled.connect(lambda checked, name=name: self._on_toggled(name, checked))
        reason = QLabel()
        reason.setProperty("look", "muted")
        reason.setWordWrap(True)
        reason.setFixedWidth(with_text(REASON_WIDTH))  # a menu asks for its size before words are put into lines
        reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for column, widget in enumerate((sample, box, reason)):
            self._grid.addWidget(widget, row, column)
        self.boxes[name], self.reasons[name] = box, reason

    def _show_states(self) -> None:
        missing = {one.name: one.missing for one in self._offered}
        full = len(self._peers) >= MOST_PEERS
        for name, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(name in self._peers)
            box.setText(self.label(name))
            # One that is missing can be taken out of a choice that was made elsewhere, and not be put into one.
            box.setEnabled(name in self._peers or not (missing.get(name) or full))
            box.setToolTip(self.reasons[name].text() or self.tr("Time it in turns with the run's kernels"))
            box.setAccessibleName(box.text())
            box.setAccessibleDescription(self.reasons[name].text())

    def _reason(self, name: str) -> str:
        known = {one.name: one.missing for one in self._offered}
        if known.get(name):
            return self.tr("not here: {reason}").format(reason=translate_message(known[name]))
        if self._offered and name not in known:
            return self.tr("not here: no installed package provides it")
        if name == self._strategy:
            return self.tr("the run's own strategy")
        if name in SLOW:
            return self.tr("compiles for some seconds at each new shape, after the first figures; Live waits for nothing of it")
        if name in STRATEGIES:
            return self.tr("with its automatic settings")
        return ""

    def _on_toggled(self, name: str, checked: bool) -> None:
        others = [each for each in self._peers if each != name]
        self._peers = tuple([*others, name] if checked else others)
        self.retranslate()
        self.chosen.emit(self._peers)

    def _on_show(self) -> None:
        self.retranslate()
        self.list.adjustSize()
        self._menu.adjustSize()

"""The two lines above a sweep: what to try, run, pause, cancel, how far it is; and what of it is looked at."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QListView,
    QMenu,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.domain.sweep.request import PRESETS, SweepRequest
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.sweep_table import View
from lnexplorer.gui.charts.theme import GRID, Theme, on_accent
from lnexplorer.gui.charts.widgets import Readout, Segments
from lnexplorer.gui.i18n.languages import Retranslated
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.shell.headline import Badge
from lnexplorer.gui.shell.icons import icon
from lnexplorer.gui.sweep.overlays import Overlay, belongs_beside
from lnexplorer.gui.sweep.words import SweepWords
from lnkernels.values.figures import MODES


class WrappedRow(QWidget):
    """Holds widgets in their order, each as wide as it likes or, before another row begins, as narrow as it can be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[QWidget, ...] = ()
        self._rows: list[QHBoxLayout] = []
        self._places: list[int] = []  # row of each part
        self._later = QTimer(self)  # how wide parts are is known when they are laid out
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._fold)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID // 2)

    def fill(self, *parts: QWidget) -> None:
        """Put in the widgets."""
        self._parts = parts
        self._put([0] * len(parts))

    def sizeHint(self) -> QSize:
        widths = [part.sizeHint().width() + GRID for part in self._parts if not part.isHidden()]
        return QSize(max(0, sum(widths) - GRID), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        widest = max((_least(part) for part in self._parts if not part.isHidden()), default=0)
        return QSize(widest, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._later.start(0)
        return super().event(event)

    def _fold(self) -> None:
        places, used = [0], 0
        for part in self._parts:
            needed = 0 if part.isHidden() else _least(part) + GRID
            row = places[-1] + (used > 0 and used + needed - GRID > self.width())
            used = needed if row > places[-1] else used + needed
            places.append(row)
        if places[1:] != self._places:
            self._put(places[1:])

    def _put(self, places: list[int]) -> None:
        while len(self._rows) <= max(places, default=0):
            row = QHBoxLayout()
            row.setSpacing(GRID)
            row.addStretch(1)
            self._rows.append(row)
            self._column.addLayout(row)
        for part, before in zip(self._parts, self._places, strict=False):
            self._rows[before].removeWidget(part)
        for part, place in zip(self._parts, places, strict=True):
            self._rows[place].insertWidget(self._rows[place].count() - 1, part)
        self._places = places


def _least(part: QWidget) -> int:
    return part.minimumWidth() or part.minimumSizeHint().width()


STATES = ("idle", "running", "paused", "ending")


class SweepBar(Retranslated, QWidget):
    """Says what its user wants; the pane says what is so."""

    presetChosen = Signal(object)  # SweepRequest
    pauseRequested = Signal()
    resumeRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.presets, self.run, self.pause, self.cancel = QComboBox(), QPushButton(), QPushButton(), QPushButton()
        self.kept = QToolButton()
        self.kept.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.said = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.badge = Badge()
        self.run.setProperty("look", "primary")
        self._state = "idle"
        self._lay_out()
        self.presets.activated.connect(self._on_preset)
        self.pause.clicked.connect(self._on_pause)
        self.retranslate()

    @property
    def state(self) -> str:
        """One of STATES."""
        return self._state

    def set_state(self, state: str) -> None:
        """Show what can be done now; what cannot leaves its room to what is said about the sweep."""
        self._state = state
        for part in (self.pause, self.cancel):
            part.setVisible(state != "idle")
        self.kept.setVisible(state == "idle")
        self.run.setEnabled(state == "idle")
        self.pause.setEnabled(state in {"running", "paused"})
        self.cancel.setEnabled(state in {"running", "paused"})
        self.presets.setEnabled(state == "idle")
        self.kept.setEnabled(state == "idle")
        self._name_pause()

    def show_progress(self, done: int, total: int) -> None:
        """How many cells have a row."""
        self.progress.setMaximum(max(total, 1))
        self.progress.setValue(done)

    def apply_theme(self, theme: Theme) -> None:
        self.run.setIcon(icon("run", on_accent(theme), theme.muted))
        self.cancel.setIcon(icon("stop", theme.bad, theme.line))

    def retranslate(self) -> None:
        chosen = self.presets.currentIndex()
        self.presets.clear()
        self.presets.addItem(self.tr("Own sweep"), None)
        for preset in PRESETS:
            self.presets.addItem(domain_text(preset.name), preset.sweep)
            self.presets.setItemData(self.presets.count() - 1, domain_text(preset.help), Qt.ItemDataRole.ToolTipRole)
        self.presets.setCurrentIndex(max(chosen, 0))
        self.presets.setAccessibleName(self.tr("Sweeps worth one click"))
        self.presets.setToolTip(self.tr("Sweeps worth one click"))
        self.run.setText(self.tr("Run sweep"))
        self.run.setToolTip(self.tr("Try every setting; rows are kept as they come"))
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setToolTip(self.tr("End now; rows so far are kept, and the sweep can be gone on with"))
        self.kept.setText(self.tr("Kept sweeps"))
        self.kept.setToolTip(self.tr("Go on with a sweep that did not end, or look at one again"))
        for button in (self.run, self.cancel, self.kept):
            button.setAccessibleName(button.text())
        self._name_pause()

    def show_preset_of(self, sweep: SweepRequest | None) -> None:
        """Name the preset that this sweep is, if it is one."""
        index = next((i for i in range(1, self.presets.count()) if self.presets.itemData(i) == sweep), 0)
        self.presets.setCurrentIndex(index)

    def _name_pause(self) -> None:
        paused = self._state == "paused"
        self.pause.setText(self.tr("Go on") if paused else self.tr("Pause"))
        self.pause.setToolTip(self.tr("Hand out settings again") if paused else self.tr("Hand out no more settings for now"))
        self.pause.setAccessibleName(self.pause.text())

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(GRID)
        for widget in (self.presets, self.run, self.pause, self.cancel, self.kept):
            line.addWidget(widget)
        line.addWidget(self.said, 1)
        line.addWidget(self.badge)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, 0)
        layout.setSpacing(GRID // 2)
        layout.addLayout(line)
        layout.addWidget(self.progress)
        self.set_state("idle")

    def _on_preset(self, index: int) -> None:
        sweep = self.presets.itemData(index)
        if isinstance(sweep, SweepRequest):
            self.presetChosen.emit(sweep)

    def _on_pause(self) -> None:
        if self._state == "paused":
            self.resumeRequested.emit()
        else:
            self.pauseRequested.emit()


SHOWN = ("gbps", "share", "error", "together", "wait", "registers", "occupancy")
NARROW = 11 * GRID  # px: in a narrow pane the list of quantities gives way, so that nothing is cut at the right


class ViewBar(Retranslated, WrappedRow):
    """A row of choices, or two."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quantity, self.direction = QComboBox(), Segments(("forward", "backward"))
        for key in SHOWN:
            self.quantity.addItem("", key)
        self.quantity.setMinimumWidth(NARROW)
        self.direction.choose("backward")
        self.mode = Segments(MODES)
        self.provider = QComboBox()
        self._maps: tuple[tuple[str, str], ...] = ()
        self._words = SweepWords()
        self.overlays, self.files = QToolButton(), QToolButton()
        self.overlays.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self.overlays.setMenu(self._menu)
        self.fill(self.quantity, self.direction, self.mode, self.provider, self.overlays, self.files)
        self.quantity.activated.connect(lambda _index: self.changed.emit())
        self.direction.changed.connect(lambda _key: self.changed.emit())
        self.mode.changed.connect(lambda _key: self.changed.emit())
        self.provider.activated.connect(lambda _index: self.changed.emit())
        self.set_overlays(())
        self.set_maps(())
        self.offer_wait(False)
        self.show_modes(False)
        self.offer_overlays(None)
        self.files.hide()  # what is not offered yet makes no pane wider
        self.retranslate()

    @property
    def chosen(self) -> str:
        """The quantity: one of SHOWN."""
        key: str = self.quantity.currentData()
        return key

    def choose(self, key: str) -> None:
        """Show another quantity, without telling anybody."""
        self.quantity.setCurrentIndex(self.quantity.findData(key))

    def offer_together(self, offered: bool) -> None:
        """Whether speed and error can be shown at once; a map shows one of them."""
        rows, row = self.quantity.view(), self.quantity.findData("together")
        assert isinstance(rows, QListView), "a combo box lists its entries"
        rows.setRowHidden(row, not offered)
        if not offered and self.chosen == "together":
            self.choose("gbps")

    def offer_wait(self, offered: bool) -> None:
        """Whether the sweep traces its locks."""
        rows = self.quantity.view()
        assert isinstance(rows, QListView), "a combo box lists its entries"
        rows.setRowHidden(self.quantity.findData("wait"), not offered)
        if not offered and self.chosen == "wait":
            self.choose("gbps")

    def offer_modes(self, modes: Sequence[str]) -> None:
        """In which ways the settings were timed; another one than the one on show is taken where that is not among
        them.
        """
        if self.mode.current not in modes:
            self.mode.choose(modes[0])
        for mode in MODES:
            self.mode.set_available(mode, mode in modes)

    def show_modes(self, shown: bool) -> None:
        """Whether there is a choice of them for what is shown."""
        self.mode.setVisible(shown)

    @property
    def map_key(self) -> tuple[str, str]:
        """Whose map is chosen: the strategy, and on which hardware."""
        return self._maps[max(self.provider.currentIndex(), 0)] if self._maps else ("", "")

    def choose_map(self, key: tuple[str, str]) -> None:
        """Show another map, without telling anybody; nothing where there is no such map."""
        if key in self._maps:
            self.provider.setCurrentIndex(self._maps.index(key))

    def set_maps(self, keys: Sequence[tuple[str, str]]) -> None:
        """Whose maps there are, as strategy and hardware; hidden where there is nothing to choose."""
        if tuple(keys) != self._maps:
            chosen = self.map_key
            self._maps = tuple(keys)
            several = len({hardware for _, hardware in keys}) > 1
            self.provider.clear()
            for name, hardware in keys:
                self.provider.addItem(f"{provider_label(name)} · {hardware}" if several else provider_label(name))
            same = [place for place, key in enumerate(keys) if key[0] == chosen[0] and chosen[1] in {"", key[1]}]
            self.provider.setCurrentIndex(same[0] if same else 0)
        self.provider.setVisible(len(keys) > 1)

    def set_overlays(self, overlays: Sequence[Overlay]) -> None:
        """What can be laid beside a sweep over N."""
        self._menu.clear()
        for overlay in overlays:
            action = QAction(self._words.offered(overlay), self._menu)
            action.setCheckable(True)
            action.setData(overlay)
            action.toggled.connect(lambda _on: self.changed.emit())
            self._menu.addAction(action)

    def lay_beside(self, overlays: Sequence[Overlay]) -> None:
        """Tick these and no others; those that are not offered yet are from now on."""
        names = {(overlay.title, overlay.problem) for overlay in overlays}
        offered = [action.data() for action in self._menu.actions()]
        known = {(overlay.title, overlay.problem) for overlay in offered}
        self.set_overlays([*offered, *(each for each in overlays if (each.title, each.problem) not in known)])
        with QSignalBlocker(self):  # one change, not one for each
            for action in self._menu.actions():
                action.setChecked((action.data().title, action.data().problem) in names)
        self.changed.emit()

    def offer_overlays(self, view: View | None) -> None:
        """Offer what can be compared with what is shown; None where nothing can."""
        for action in self._menu.actions():
            action.setVisible(view is not None and belongs_beside(action.data(), view))
        self.overlays.setVisible(any(action.isVisible() for action in self._menu.actions()))

    @property
    def chosen_overlays(self) -> tuple[Overlay, ...]:
        """Those that are ticked."""
        return tuple(action.data() for action in self._menu.actions() if action.isChecked())

    @property
    def overlay_actions(self) -> list[QAction]:
        """One for each that can be chosen."""
        return self._menu.actions()

    def apply_theme(self, theme: Theme) -> None:
        self.direction.apply_theme(theme)
        self.mode.apply_theme(theme)

    def retranslate(self) -> None:
        texts = {
            "gbps": ("GB/s", self.tr("Speed, counted in the tutorial's bytes")),
            "share": (self.tr("share of ceiling"), self.tr("Share of what a copy, or a + b → c, of the same bytes reaches")),
            "error": (self.tr("error"), self.tr("Largest error: of y, or of dw and db")),
            "together": (self.tr("GB/s and error"), self.tr("Speed and error, one above the other")),
            "wait": (self.tr("lock wait"), self.tr("Mean wait of a row for its lock, traced once a setting: backward, locked")),
            "registers": (self.tr("registers"), self.tr("Registers a thread, of the kernel that takes most")),
            "occupancy": (
                self.tr("occupancy"),
                self.tr("Resident warps of those that an SM can hold, least of the kernels"),
            ),
        }
        for index in range(self.quantity.count()):
            text, tip = texts[self.quantity.itemData(index)]
            self.quantity.setItemText(index, text)
            self.quantity.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
        self.quantity.setAccessibleName(self.tr("What is shown"))
        self.quantity.setToolTip(self.tr("What is shown"))
        self.direction.set_text("forward", self.tr("forward"), self.tr("The forward pass"))
        self.direction.set_text("backward", self.tr("backward"), self.tr("The backward pass"))
        self.mode.set_text("kernel_cold", self.tr("cold L2"), self.tr("Kernels alone, L2 flushed before each repetition"))
        self.mode.set_text("kernel_warm", self.tr("warm L2"), self.tr("Kernels alone, L2 as the repetition before left it"))
        self.mode.set_text("autograd", self.tr("autograd"), self.tr("A call through autograd, with Python and the allocator"))
        self.provider.setAccessibleName(self.tr("Strategy"))
        self.provider.setToolTip(self.tr("Whose map is shown"))
        self.files.setText(self.tr("Save as the tutorial …"))
        self.files.setAccessibleName(self.files.text())
        self.files.setToolTip(self.tr("layer-norm-backward.csv and .png, and those of the forward pass, in a folder"))
        for action in self._menu.actions():
            action.setText(self._words.offered(action.data()))
        self.overlays.setText(self.tr("Beside it"))
        self.overlays.setAccessibleName(self.overlays.text())
        self.overlays.setToolTip(self.tr("Published and recorded figures, each source with dashes of its own"))

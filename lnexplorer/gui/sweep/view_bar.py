"""What is looked at in a sweep: the quantity, the pass, whose map, and what is laid beside it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QListView, QMenu, QToolButton, QWidget

from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.segments import Segments
from lnexplorer.gui.shell.theme import GRID, Theme
from lnexplorer.gui.sweep.overlay import Overlay, belongs_beside
from lnexplorer.gui.sweep.values import View
from lnexplorer.gui.sweep.words import SweepWords
from lnexplorer.gui.sweep.wrapped_row import WrappedRow
from lnkernels.values.figures import MODES

SHOWN = ("gbps", "share", "error", "together", "wait", "registers", "occupancy")
NARROW = 11 * GRID  # px: in a narrow pane the list of quantities gives way, so that nothing is cut at the right


class ViewBar(WrappedRow):
    """A row of choices, or two."""

    changed = Signal()
    filesWanted = Signal()  # noqa: N815  # the tutorial's own

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
        self.files.clicked.connect(self.filesWanted)
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
        """In which ways the settings were timed; another one than the one on show is taken where that is not among them."""
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
        """Take the theme's colours."""
        self.direction.apply_theme(theme)
        self.mode.apply_theme(theme)

    def retranslate(self) -> None:
        """Set all texts in the current language."""
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

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

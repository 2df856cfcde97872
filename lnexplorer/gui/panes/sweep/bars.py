"""The two lines above a sweep: what to try, run, pause, cancel, how far it is; and what of it is
looked at.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QListView, QMenu, QProgressBar, QPushButton, QToolButton, QWidget

from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.presets import PRESETS
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.views import SPEEDS, SweepTable, View
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.style import icon
from lnexplorer.gui.kit.theme import GRID, Theme, on_accent
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import (
    Badge,
    Choice,
    FoldedRow,
    Readout,
    Segments,
    lay_column,
    lay_row,
)
from lnexplorer.gui.panes.sweep.words import overlay_text
from lnkernels.values.figures import DIRECTIONS, MODES
from lnkernels.values.sentence import say

MODE_TEXTS = {
    "kernel_cold": (say("cold L2"), say("Kernels alone, L2 flushed before each repetition")),
    "kernel_warm": (say("warm L2"), say("Kernels alone, L2 as the repetition before left it")),
    "autograd": (say("autograd"), say("A call through autograd, with Python and the allocator")),
}


class SweepBar(Retranslated, QWidget):
    """Says what its user wants; the pane says what is so."""

    presetChosen = Signal(object)  # SweepRequest

    def __init__(self) -> None:
        super().__init__()
        self.presets = Choice()
        self.run = QPushButton()
        self.pause = QPushButton()
        self.cancel = QPushButton()
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
        self.retranslate()

    @property
    def state(self) -> str:
        return self._state

    def set_state(self, state: str) -> None:
        """Show what can be done now. What cannot leaves its room to the text about the sweep."""
        self._state = state
        for part in (self.pause, self.cancel):
            part.setVisible(state != "idle")
        self.kept.setVisible(state == "idle")
        self.run.setEnabled(state == "idle")
        self.pause.setEnabled(state in {"running", "paused"})
        self.cancel.setEnabled(state in {"running", "paused"})
        self.presets.setEnabled(state == "idle")
        self._name_pause()

    def show_progress(self, done: int, total: int) -> None:
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
            self.presets.addItem(translate_message(preset.name), preset.sweep)
            self.presets.setItemData(
                self.presets.count() - 1,
                translate_message(preset.help),
                Qt.ItemDataRole.ToolTipRole,
            )
        self.presets.setCurrentIndex(max(chosen, 0))
        self.presets.setAccessibleName(self.tr("Sweeps worth one click"))
        self.presets.setToolTip(self.tr("Sweeps worth one click"))
        self.run.setText(self.tr("Run sweep"))
        self.run.setToolTip(self.tr("Try every setting; rows are kept as they come"))
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setToolTip(
            self.tr("End now; rows so far are kept, and the sweep can be gone on with")
        )
        self.kept.setText(self.tr("Kept sweeps"))
        self.kept.setToolTip(self.tr("Look at a sweep again, or go on with one that did not end"))
        self._name_pause()

    def show_preset_of(self, sweep: SweepRequest | None) -> None:
        index = next(
            (i for i in range(1, self.presets.count()) if self.presets.itemData(i) == sweep), 0
        )
        self.presets.setCurrentIndex(index)

    def _name_pause(self) -> None:
        paused = self._state == "paused"
        self.pause.setText(self.tr("Go on") if paused else self.tr("Pause"))
        self.pause.setToolTip(
            self.tr("Hand out settings again")
            if paused
            else self.tr("Hand out no more settings for now")
        )

    def _lay_out(self) -> None:
        buttons = (self.presets, self.run, self.pause, self.cancel, self.kept)
        line = lay_row(None, *buttons, (self.said, 1), self.badge, spacing=GRID)
        lay_column(
            self, line, self.progress, margins=(2 * GRID, GRID, 2 * GRID, 0), spacing=GRID // 2
        )
        self.set_state("idle")

    def _on_preset(self, index: int) -> None:
        sweep = self.presets.itemData(index)
        if isinstance(sweep, SweepRequest):
            self.presetChosen.emit(sweep)


SHOWN = ("gbps", "share", "error", "together", "queued", "trying", "registers", "occupancy")
OF_TRACES = ("queued", "trying")


class ViewBar(Retranslated, FoldedRow):
    """What of a sweep is looked at, and beside what."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.quantity = Choice()
        self.direction = Segments(DIRECTIONS)
        for key in SHOWN:
            self.quantity.addItem("", key)
        self.direction.choose("backward")
        self.mode = Segments(MODES)
        self.provider = Choice()
        self._maps: tuple[tuple[str, str], ...] = ()
        self.overlays = QToolButton()
        self.files = QToolButton()
        self.overlays.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self.overlays.setMenu(self._menu)
        of_all, of_some = QWidget(self), QWidget(self)
        lay_row(of_all, self.quantity, self.direction, self.provider, 1, spacing=GRID)
        lay_row(of_some, self.mode, self.overlays, self.files, 1, spacing=GRID)
        self.lay_pieces(of_all, of_some)
        for choice in (self.quantity, self.provider):
            choice.activated.connect(lambda _index: self.changed.emit())
        for segments in (self.direction, self.mode):
            segments.changed.connect(lambda _key: self.changed.emit())
        for part in (self.mode, self.provider, self.overlays, self.files):
            part.hide()  # what is not offered yet takes no room
        for quantity in OF_TRACES:
            self._offer_quantity(quantity, offered=False)
        self.retranslate()

    @property
    def chosen(self) -> str:
        key: str = self.quantity.currentData()
        return key

    @property
    def view(self) -> View:
        return View(
            "gbps" if self.chosen == "together" else self.chosen,
            self.direction.current,
            self.mode.current,
        )

    def choose(self, key: str) -> None:
        """Show another quantity, without telling anybody."""
        self.quantity.setCurrentIndex(self.quantity.findData(key))

    def offer(self, table: SweepTable) -> None:
        """Offer what a sweep has; what it does not have gives way to the first that it does."""
        sweep = table.sweep
        self._offer_quantity("together", offered=not table.is_map)  # a map shows one of them
        for quantity in OF_TRACES:
            self._offer_quantity(quantity, offered=sweep.waits)
        for segments, there in ((self.direction, sweep.directions), (self.mode, sweep.modes)):
            if segments.current not in there:
                segments.choose(there[0])
            for key in segments.keys:
                segments.set_available(key, key in there)
        view = self.view
        self.mode.setVisible(view.quantity in SPEEDS and len(sweep.modes) > 1)
        self._offer_maps(table.subjects() if table.is_map else ())
        for action in self._menu.actions():
            action.setVisible(table.is_over_n and belongs_beside(action.data(), view))
        self.overlays.setVisible(any(action.isVisible() for action in self._menu.actions()))
        self.files.setVisible(table.is_over_n and view.quantity == "gbps" and table.timed > 0)

    @property
    def map_key(self) -> tuple[str, str]:
        """Whose map is chosen: the strategy, and on which hardware."""
        return self._maps[max(self.provider.currentIndex(), 0)] if self._maps else ("", "")

    def choose_map(self, key: tuple[str, str]) -> None:
        """Show another map, without telling anybody; nothing where there is no such map."""
        if key in self._maps:
            self.provider.setCurrentIndex(self._maps.index(key))

    def set_overlays(self, overlays: Sequence[Overlay]) -> None:
        """Offer these; what is ticked stays, wherever it is from."""
        self._offer_overlays((*overlays, *self.chosen_overlays), self.chosen_overlays)

    def lay_beside(self, overlays: Sequence[Overlay]) -> None:
        """Tick these and no others; those that are not offered yet are from now on."""
        self._offer_overlays(
            (*(action.data() for action in self._menu.actions()), *overlays), overlays
        )
        self.changed.emit()

    def _offer_overlays(self, offered: Sequence[Overlay], ticked: Sequence[Overlay]) -> None:
        wanted = {overlay.key for overlay in ticked}
        self._menu.clear()
        for key, overlay in {overlay.key: overlay for overlay in offered}.items():
            action = QAction(
                overlay_text(overlay), self._menu, checkable=True, checked=key in wanted
            )
            action.setData(overlay)
            action.toggled.connect(lambda _on: self.changed.emit())
            self._menu.addAction(action)

    @property
    def chosen_overlays(self) -> tuple[Overlay, ...]:
        return tuple(action.data() for action in self._menu.actions() if action.isChecked())

    def _offer_quantity(self, key: str, *, offered: bool) -> None:
        rows = self.quantity.view()
        assert isinstance(rows, QListView), "a combo box lists its entries"
        rows.setRowHidden(self.quantity.findData(key), not offered)
        if not offered and self.chosen == key:
            self.choose("gbps")

    def _offer_maps(self, keys: Sequence[tuple[str, str]]) -> None:
        if tuple(keys) != self._maps:
            chosen = self.map_key
            self._maps = tuple(keys)
            several = len({hardware for _, hardware in keys}) > 1
            self.provider.clear()
            for name, hardware in keys:
                self.provider.addItem(
                    f"{provider_label(name)} · {hardware}" if several else provider_label(name)
                )
            same = [
                place
                for place, key in enumerate(keys)
                if key[0] == chosen[0] and chosen[1] in {"", key[1]}
            ]
            self.provider.setCurrentIndex(same[0] if same else 0)
        self.provider.setVisible(len(keys) > 1)

    def retranslate(self) -> None:
        texts = {
            "gbps": ("GB/s", self.tr("Speed, counted in the tutorial's bytes")),
            "share": (
                self.tr("share of ceiling"),
                self.tr("Share of what a copy, or a + b → c, of the same bytes reaches"),
            ),
            "error": (self.tr("error"), self.tr("Largest error: of y, or of dw and db")),
            "together": (
                self.tr("GB/s and error"),
                self.tr("Speed and error, one above the other"),
            ),
            "queued": (
                self.tr("queued for locks"),
                self.tr(
                    "Mean time that a row queues behind holders of its lock, traced once a setting:"
                    " backward, locked"
                ),
            ),
            "trying": (
                self.tr("trying locks"),
                self.tr(
                    "Mean time that a row tries its lock while it is free, traced once a setting:"
                    " backward, locked"
                ),
            ),
            "registers": (
                self.tr("registers"),
                self.tr("Registers a thread, of the kernel that takes most"),
            ),
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
        for mode, (name, help_) in MODE_TEXTS.items():
            self.mode.set_text(mode, translate_message(name), translate_message(help_))
        self.provider.setAccessibleName(self.tr("Strategy"))
        self.provider.setToolTip(self.tr("Whose map is shown"))
        self.files.setText(self.tr("Save as the tutorial …"))
        self.files.setToolTip(
            self.tr("layer-norm-backward.csv and .png, and those of the forward pass, in a folder")
        )
        for action in self._menu.actions():
            action.setText(overlay_text(action.data()))
        self.overlays.setText(self.tr("Compare with"))
        self.overlays.setToolTip(
            self.tr("Published and recorded figures, each source with dashes of its own")
        )


def belongs_beside(overlay: Overlay, view: View) -> bool:
    """Whether its figures can be compared with what the chart shows: GB/s of the same pass, called
    in the same way.
    """
    return (
        overlay.direction == view.direction
        and view.quantity == "gbps"
        and (overlay.beside_all or not overlay.differs(view.mode))
    )

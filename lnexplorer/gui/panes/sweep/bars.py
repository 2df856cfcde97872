"""The two lines above a sweep: what is tried and how far it is, and what of it is looked at."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QListView, QMenu, QProgressBar, QPushButton, QToolButton, QWidget

from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.findings import PASSES
from lnexplorer.domain.sweep.presets import PRESETS
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.views import SPEEDS, Key, SweepTable, View
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
from lnkernels.values.sentence import say, verbatim

MODE_TEXTS = {
    "kernel_cold": (say("cold L2"), say("Kernels alone, L2 flushed before each repetition")),
    "kernel_warm": (say("warm L2"), say("Kernels alone, L2 as the repetition before left it")),
    "autograd": (say("autograd"), say("A call through autograd, with Python and the allocator")),
}
PASS_TEXTS = {
    "forward": (PASSES["forward",], say("The forward pass")),
    "backward": (PASSES["backward",], say("The backward pass")),
}
QUANTITY_TEXTS = {
    "gbps": (verbatim("GB/s"), say("Speed, counted in the tutorial's bytes")),
    "share": (
        say("share of ceiling"),
        say("Share of what a copy, or a + b → c, of the same bytes reaches"),
    ),
    "error": (say("error"), say("Largest error: of y, or of dw and db")),
    "together": (say("GB/s and error"), say("Speed and error, one above the other")),
    "queued": (
        say("queued for locks"),
        say(
            "Mean time that a row queues behind holders of its lock, traced once a setting:"
            " backward, locked"
        ),
    ),
    "trying": (
        say("trying locks"),
        say(
            "Mean time that a row tries its lock while it is free, traced once a setting:"
            " backward, locked"
        ),
    ),
    "registers": (say("registers"), say("Registers a thread, of the kernel that takes most")),
    "occupancy": (
        say("occupancy"),
        say("Resident warps of those that an SM can hold, least of the kernels"),
    ),
}
OF_TRACES = ("queued", "trying")


class SweepBar(Retranslated, QWidget):
    """Chooses a preset, runs, pauses and cancels a sweep, and shows its progress."""

    presetChosen = Signal(object)  # SweepRequest

    def __init__(self) -> None:
        super().__init__()
        self.state = "idle"  # "running", "paused" or "ending" while there is a sweep
        title = say("Sweeps worth one click")
        self.presets = self.write_on(Choice(), tip=title, name=title)
        self.presets.offer(None, say("Own sweep"))
        for preset in PRESETS:
            self.presets.offer(preset.sweep, preset.name, preset.help)
        self.run = self.write_on(
            QPushButton(),
            say("Run sweep"),
            say("Try every setting; rows are kept as they come"),
        )
        self.pause = QPushButton()
        self.cancel = self.write_on(
            QPushButton(),
            say("Cancel"),
            say("End now; rows so far are kept, and the sweep can be resumed"),
        )
        self.kept = self.write_on(
            QToolButton(),
            say("Kept sweeps"),
            say("Look at a sweep again, or resume one that did not end"),
        )
        self.kept.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.said = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.badge = Badge()
        self.run.setProperty("look", "primary")
        buttons = (self.presets, self.run, self.pause, self.cancel, self.kept)
        line = lay_row(None, *buttons, (self.said, 1), self.badge, spacing=GRID)
        margins = (2 * GRID, GRID, 2 * GRID, 0)
        lay_column(self, line, self.progress, margins=margins, spacing=GRID // 2)
        self.set_state("idle")
        self.presets.activated.connect(self._on_preset)

    def set_state(self, state: str) -> None:
        """Show what can be done now. What cannot leaves its room to the text about the sweep."""
        self.state = state
        idle, paused = state == "idle", state == "paused"
        for part in (self.pause, self.cancel):
            part.setVisible(not idle)
            part.setEnabled(state in {"running", "paused"})
        self.kept.setVisible(idle)
        self.run.setEnabled(idle)
        self.presets.setEnabled(idle)
        if paused:
            self.write_on(self.pause, say("Go on"), say("Hand out settings again"))
        else:
            self.write_on(self.pause, say("Pause"), say("Hand out no more settings for now"))

    def show_progress(self, done: int, total: int) -> None:
        self.progress.setMaximum(max(total, 1))
        self.progress.setValue(done)

    def apply_theme(self, theme: Theme) -> None:
        self.run.setIcon(icon("run", on_accent(theme), theme.muted))
        self.cancel.setIcon(icon("stop", theme.bad, theme.line))

    def show_preset_of(self, sweep: SweepRequest | None) -> None:
        sweeps = [preset.sweep for preset in PRESETS]
        self.presets.setCurrentIndex(sweeps.index(sweep) + 1 if sweep in sweeps else 0)

    def _on_preset(self, index: int) -> None:
        sweep = self.presets.itemData(index)
        if isinstance(sweep, SweepRequest):
            self.presetChosen.emit(sweep)


class ViewBar(Retranslated, FoldedRow):
    """Chooses what of a sweep is looked at, and beside which other figures."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        shown = say("What is shown")
        self.quantity = self.write_on(Choice(), tip=shown, name=shown)
        for key, texts in QUANTITY_TEXTS.items():
            self.quantity.offer(key, *texts)
        self.direction = Segments(PASS_TEXTS)
        self.direction.choose("backward")
        self.mode = Segments(MODE_TEXTS)
        self.provider = self.write_on(Choice(), tip=say("Whose map is shown"), name=say("Strategy"))
        self.overlays = self.write_on(
            QToolButton(),
            say("Compare with"),
            say("Published and recorded figures, each source with dashes of its own"),
        )
        self.files = self.write_on(
            QToolButton(),
            say("Save as the tutorial …"),
            say("layer-norm-backward.csv and .png, and those of the forward pass, in a folder"),
        )
        self.overlays.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._maps: tuple[Key, ...] = ()
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

    @property
    def chosen(self) -> str:
        key: str = self.quantity.currentData()
        return key

    @property
    def view(self) -> View:
        quantity = "gbps" if self.chosen == "together" else self.chosen
        return View(quantity, self.direction.current, self.mode.current)

    def choose(self, key: str) -> None:
        """Show another quantity, without a signal."""
        self.quantity.setCurrentIndex(self.quantity.findData(key))

    def offer(self, table: SweepTable) -> None:
        """Offer what a sweep has. A choice that it does not have gives way to its first one."""
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
        beside = False
        for action in self._menu.actions():
            fits = table.is_over_n and belongs_beside(action.data(), view)
            action.setVisible(fits)
            beside = beside or fits
        self.overlays.setVisible(beside)
        self.files.setVisible(table.is_over_n and view.quantity == "gbps" and table.timed > 0)

    @property
    def map_key(self) -> Key:
        """The strategy whose map is chosen, and its hardware."""
        return self._maps[max(self.provider.currentIndex(), 0)] if self._maps else ("", "")

    def choose_map(self, key: Key) -> None:
        """Show another map, without a signal; nothing where there is no such map."""
        if key in self._maps:
            self.provider.setCurrentIndex(self._maps.index(key))

    def set_overlays(self, overlays: Sequence[Overlay]) -> None:
        """Offer these; what is ticked stays, wherever it is from."""
        self._offer_overlays((*overlays, *self.chosen_overlays), self.chosen_overlays)

    def lay_beside(self, overlays: Sequence[Overlay]) -> None:
        """Tick these and no others; those that are not offered yet are from now on."""
        offered = (action.data() for action in self._menu.actions())
        self._offer_overlays((*offered, *overlays), overlays)
        self.changed.emit()

    @property
    def chosen_overlays(self) -> tuple[Overlay, ...]:
        return tuple(action.data() for action in self._menu.actions() if action.isChecked())

    def retranslate(self) -> None:
        for action in self._menu.actions():
            action.setText(translate_message(overlay_text(action.data())))

    def _offer_overlays(self, offered: Sequence[Overlay], ticked: Sequence[Overlay]) -> None:
        wanted = {overlay.key for overlay in ticked}
        self._menu.clear()
        for key, overlay in {overlay.key: overlay for overlay in offered}.items():
            text = translate_message(overlay_text(overlay))
            action = QAction(text, self._menu, checkable=True, checked=key in wanted)
            action.setData(overlay)
            action.toggled.connect(lambda _on: self.changed.emit())
            self._menu.addAction(action)

    def _offer_quantity(self, key: str, *, offered: bool) -> None:
        rows = self.quantity.view()
        assert isinstance(rows, QListView), "a combo box lists its entries"
        rows.setRowHidden(self.quantity.findData(key), not offered)
        if not offered and self.chosen == key:
            self.choose("gbps")

    def _offer_maps(self, keys: Sequence[Key]) -> None:
        if tuple(keys) != self._maps:
            name, hardware = self.map_key
            self._maps = tuple(keys)
            several = len({each for _, each in keys}) > 1
            self.provider.clear()
            for provider, where in keys:
                label = provider_label(provider)
                self.provider.addItem(f"{label} · {where}" if several else label)
            same = (
                place
                for place, (provider, where) in enumerate(keys)
                if provider == name and hardware in {"", where}
            )
            self.provider.setCurrentIndex(next(same, 0))
        self.provider.setVisible(len(keys) > 1)


def belongs_beside(overlay: Overlay, view: View) -> bool:
    """Return whether figures compare with a view: GB/s of the same pass, called the same way."""
    return (
        overlay.direction == view.direction
        and view.quantity == "gbps"
        and (overlay.beside_all or not overlay.differs(view.mode))
    )

"""The view of a sweep: the line that chooses it, and sentences about what it shows."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QListView, QMenu, QToolButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import concerns, is_doubt
from lnexplorer.domain.request import DEFAULT_SHAPE
from lnexplorer.domain.sweep.best import Best
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Crossing, Overlay
from lnexplorer.domain.sweep.findings import (
    PASSES,
    STATUS_WORDS,
    best_findings,
    count_sentence,
    crossing_sentence,
    place_words,
)
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.domain.sweep.views import (
    QUANTITIES,
    SPEEDS,
    Key,
    SweepTable,
    View,
    text_of,
    value_of,
)
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.speed_chart import MODE_TEXTS
from lnexplorer.gui.kit import (
    GRID,
    Choice,
    FoldedRow,
    Retranslated,
    Segments,
    lay_row,
    translate_message,
)
from lnkernels.launch import NORMS
from lnkernels.values import Sentence, Words, join_sentences, say, verbatim
from lnkernels.values.environment import KIND_NAMES, Kind

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
MOST_BESTS = 2  # whose rivals are named
MOST_RUNS = 6  # along an axis, that are named
MOST_CROSSINGS = 3  # that are named
ENDINGS = {
    "cancelled": say("Cancelled; the rows so far are kept."),
    "failed": say("It failed; the rows so far are kept."),
}


def joined(parts: Sequence[Words], between: str = " · ") -> Sentence:
    return join_sentences(parts, between)


def cell_text(sweep: SweepRequest, result: CellResult, view: View) -> Sentence:
    """Return a cell in one line: its setting, and its value or why there is none."""
    parts: list[Words] = [
        wording.provider_label(result.cell.provider),
        place_words(sweep, result.cell),
    ]
    found = value_of(result, view)
    if found is not None:
        value, low, high = (text_of(each, view.quantity) for each in found)
        unit = " GB/s" if view.quantity == "gbps" else ""
        parts.append(f"{value}{unit}" + (f" ({low}–{high})" if low != high else ""))
    figure = result.figure(view.direction, view.mode)
    if figure is not None and view.quantity == "gbps":
        parts.append(f"p50 {wording.milliseconds(figure.p50_ms)}")
        parts.append(say("{share} of ceiling", share=wording.share(figure.share_of_ceiling)))
    if result.status != "ok":
        reason = result.reason or ""
        parts.append(say("{status}: {reason}", status=STATUS_WORDS[result.status], reason=reason))
    elif result.reason and (found is None or result.standing != "right"):
        parts.append(result.reason)
    way = (view.direction,), view.mode
    parts += [note for note in result.notes if is_doubt(note) and concerns(note, *way)][:1]
    return joined(parts)


def remarks(
    table: SweepTable, view: View, bests: Sequence[Best], crossings: Sequence[Crossing]
) -> Iterator[Sentence]:
    """Yield what is said below a picture: settings without a value, what is best, what overtakes.

    Args:
        table: the rows.
        view: what is looked at.
        bests: of the view.
        crossings: of the view, between values of the axis.
    """
    if unlike := [each for each in table.results.values() if each.standing != "right"]:
        first = min(unlike, key=lambda result: result.status == "ok")  # the first of the worse
        yield joined((count_sentence(table.standings), cell_text(table.sweep, first, view)), " ")
    compiled = view.quantity in {"registers", "occupancy"}
    known = any(result.compiled for result in table.results.values()) if compiled else True
    if Kind.INTERPRETED in table.kinds and not known:
        yield say(
            "On the interpreter a sweep has no registers and no occupancy: look at a single run, or"
            " sweep on a GPU."
        )
    if view.quantity in SPEEDS:
        for finding in best_findings(table.sweep, bests, most=MOST_BESTS, most_runs=MOST_RUNS):
            yield finding.sentence
        for crossing in crossings[:MOST_CROSSINGS]:
            sentence = crossing_sentence(table.sweep, crossing)
            several = len(table.hardware) > 1
            on = joined((crossing.hardware, sentence), ": ") if several else sentence
            yield say("{text}.", text=on)


def problem_text(table: SweepTable) -> str:
    """Return what of the problem is the same for every row; sizes that are open once rows tell
    where they were run.
    """
    base, varied = table.sweep.base, {axis.name for axis in table.sweep.axes}
    usual = dict(zip(("m", "n"), _default_shape(table), strict=True))
    sizes = [
        f"{name.upper()} = {getattr(base, name) or usual[name]}"
        for name in usual
        if name not in varied and (getattr(base, name) or table.results)
    ]
    named = [] if "norm" in varied or base.norm == "layer_norm" else [NORMS[base.norm]]
    return " · ".join([*named, *sizes, *([] if "dtype" in varied else [base.dtype])])


def caption_lines(
    table: SweepTable, view: View, beside: Sequence[Overlay] = (), whose: str = ""
) -> tuple[str, ...]:
    """Return the lines below a picture: the view, figures beside it, the device, and the sweep.

    Args:
        table: the rows.
        view: what is looked at.
        beside: figures from elsewhere on the picture.
        whose: strategy or peer, where the picture is of one alone.
    """
    timed = [wording.WAYS[view.mode]] if view.quantity in SPEEDS else []
    shown = joined([whose, PASSES[view.direction,], QUANTITIES[view.quantity], *timed])
    sources = dict.fromkeys(map(overlay_text, beside))  # of a benchmark, M, dtype and device
    lines = [shown, *sources]
    if table.results:
        kinds = joined([KIND_NAMES[kind] for kind in table.kinds], ", ")
        date = max(result.environment.date for result in table.results.values())
        lines.append(joined([kinds, joined(table.hardware, ", "), date]))
    return (*map(translate_message, lines), f"lnexplorer sweep {sweep_command(table.sweep)}")


def source_text(
    overlay: Overlay, beside: Sequence[Overlay], table: SweepTable, view: View
) -> Sentence:
    """Return where figures come from, with their problem and way of calling if these are others."""
    kind, base = KIND_NAMES[overlay.kind], table.sweep.base
    parts: list[Words] = []
    m = base.m or _default_shape(table)[0]
    if str(overlay.problem) != str(wording.sweep_over_n(m, base.dtype, base.norm)):
        parts = [overlay.problem]
    if len(beside) > 1:
        parts = [overlay.title, *parts]
    if overlay.differs(view.mode) and overlay.mode == "autograd":
        kind = joined([say("autograd"), kind], ", ")
    return say("{source} ({kind})", source=parts, kind=kind) if parts else kind


def overlay_text(overlay: Overlay) -> Sentence:
    """Return the source of figures, without pass and way of calling, which are those on show."""
    return joined((overlay.problem, overlay.title, KIND_NAMES[overlay.kind]))


def ending_text(how: str, sentence: Sentence | None, wall_seconds: float) -> Sentence:
    finished = say("Finished in {time}.", time=wording.duration(wall_seconds))
    return joined([ENDINGS.get(how, finished), sentence or ""], " ")


def _default_shape(table: SweepTable) -> tuple[int, int]:
    """Return M and N where the sweep leaves them open: they depend on what ran it."""
    return DEFAULT_SHAPE["interpreter" if Kind.INTERPRETED in table.kinds else "cuda"]


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
            QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup),
            say("Compare with"),
            say("Published and recorded figures, each source with dashes of its own"),
        )
        self._maps: tuple[Key, ...] = ()
        self._menu = QMenu(self)
        self.overlays.setMenu(self._menu)
        of_all, of_some = QWidget(self), QWidget(self)
        lay_row(of_all, self.quantity, self.direction, self.provider, 1, spacing=GRID)
        lay_row(of_some, self.mode, self.overlays, 1, spacing=GRID)
        self.lay_pieces(of_all, of_some)
        for choice in (self.quantity, self.provider):
            choice.activated.connect(lambda _index: self.changed.emit())
        for segments in (self.direction, self.mode):
            segments.changed.connect(lambda _key: self.changed.emit())
        for part in (self.mode, self.provider, self.overlays):
            part.hide()  # what is not offered yet takes no room
        for quantity in OF_TRACES:
            self._offer_quantity(quantity, offered=False)

    @property
    def chosen(self) -> str:
        key: str = self.quantity.currentData()
        return key

    @property
    def view(self) -> View:
        return View(self.chosen, self.direction.current, self.mode.current)

    def choose(self, key: str) -> None:
        """Show another quantity, without a signal."""
        self.quantity.choose(key)

    def offer(self, table: SweepTable) -> None:
        """Offer what a sweep has. A choice that it does not have gives way to its first one."""
        sweep = table.sweep
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

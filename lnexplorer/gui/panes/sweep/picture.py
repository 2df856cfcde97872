"""The charts of a sweep: curves for one parameter, a map for two, what is under the cursor, and
what there is to say.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.parameters import label_of
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.findings import (
    STATUS_WORDS,
    best_findings,
    count_sentence,
    crossing_sentence,
    doubt_sentences,
)
from lnexplorer.domain.sweep.views import QUANTITIES, SPEEDS, SweepTable, View
from lnexplorer.domain.views import SweepView
from lnexplorer.gui.charts.axes import ValueScale
from lnexplorer.gui.charts.legend import Legend, LegendEntry
from lnexplorer.gui.charts.setting_map import SettingMap
from lnexplorer.gui.charts.speed_chart import dash, provider_colour, shade
from lnexplorer.gui.charts.sweep_chart import OverlayLine, SweepChart, SweepPicture
from lnexplorer.gui.charts.sweep_pictures import (
    Found,
    axis_scales,
    find,
    setting_grid,
    sweep_picture,
)
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.responsive import IdleSteps
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import (
    DoubtsStrip,
    Notice,
    Readout,
    WrappedLabel,
    fill_with_stack,
    lay_column,
)
from lnexplorer.gui.panes.sweep.bars import ViewBar, belongs_beside
from lnexplorer.gui.panes.sweep.words import caption_lines, cell_text, source_text
from lnkernels.values.environment import Kind

LEAST, LEAST_BELOW = 20 * GRID, 11 * GRID  # px of height of a chart, with its axes
REDRAW_MS = 200  # rows arrive in bursts
# of a large sweep the rows that are there put the next drawing off: at most a fourth of the time
# goes into it
ROWS_A_MS = 20
MOST_BESTS = 2  # whose rivals are named
MOST_RUNS = 6  # along an axis, that are named
MOST_CROSSINGS = 3  # that are named


class SweepPictureView(Retranslated, QWidget):
    """Shows a table of rows, and draws it anew as more come."""

    settingChosen = Signal(object)  # RunRequest

    def __init__(self) -> None:
        super().__init__()
        self.bar = ViewBar()
        self.notice = Notice()
        self.legend = Legend()
        self.chart = SweepChart()
        self.below = SweepChart()
        self.map = SettingMap()
        self.readout = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.findings = WrappedLabel()
        self.doubts = DoubtsStrip()
        self._table: SweepTable | None = None
        self._interpreted = False
        self._theme = LIGHT
        self._beside: tuple[Overlay, ...] = ()  # that are drawn
        self._redraw = QTimer(self, singleShot=True)
        # Of thousands of rows each of these takes long: it has its own turn of the event loop.
        self._drawing = {
            "found": self._find,
            "curves": self._look,
            "chart": self._draw,
            "words": self._say,
        }
        self._turns = IdleSteps(self)
        self._redraw.timeout.connect(self.draw_in_turns)
        self._found = Found([], [])  # of the view
        self._pictures: dict[SweepChart, SweepPicture] = {}  # to be drawn
        self._lay_out()
        self.bar.changed.connect(self.refresh)
        for part in (self.chart, self.below, self.map):
            part.caption = self.caption
            part.legend = lambda: self.legend.entries
            part.pointed.connect(self._on_hovered)
            part.chosen.connect(self._on_chosen)
        self.below.caption = lambda: (
            () if self._table is None else caption_lines(self._table, self._errors)
        )
        self.retranslate()

    def show_table(self, table: SweepTable | None) -> None:
        self._table = table
        self._on_hovered(None)
        self.draw_in_turns()

    def add(self, results: Iterable[CellResult]) -> None:
        if self._table is not None:
            self._table.add(results)
            self._draw_soon()

    def view(self) -> SweepView:
        provider, hardware = self.bar.map_key
        mode = (
            self.bar.mode.current
            if self._table is not None and len(self._table.sweep.modes) > 1
            else ""
        )
        direction = self.bar.direction.current
        return SweepView(
            quantity=self.bar.chosen,
            direction=direction,
            provider=provider,
            hardware=hardware,
            mode=mode,
        )

    def show_view(self, view: SweepView) -> None:
        """Look at this; what the sweep on show does not have stays as it is."""
        if self.bar.quantity.findData(view.quantity) >= 0:
            self.bar.choose(view.quantity)
        if self._table is not None:
            if view.direction in self._table.sweep.directions:
                self.bar.direction.choose(view.direction)
            if view.mode in self._table.sweep.modes:
                self.bar.mode.choose(view.mode)
            self.bar.offer(self._table)  # whose maps there are follows from what is shown
        self.bar.choose_map((view.provider, view.hardware))
        self.draw_in_turns()

    def set_interpreted(self, interpreted: bool) -> None:
        timed = self._table is not None and self._table.timed
        if (
            interpreted
            and not self._interpreted
            and not timed
            and self.bar.chosen in {"gbps", "share", "together"}
        ):
            self.bar.choose("error")
        self._interpreted = interpreted
        self.refresh()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        for part in (self.legend, self.chart, self.below, self.map):
            part.apply_theme(theme)
        for chart in (
            self.chart,
            self.below,
            self.map,
        ):  # words above it take none of its room: the pane scrolls
            chart.setMinimumHeight(with_text(LEAST_BELOW if chart is self.below else LEAST))
        self.refresh()

    def retranslate(self) -> None:
        self.chart.setAccessibleName(self.tr("Curves of the sweep"))
        self.below.setAccessibleName(self.tr("Errors of the sweep"))
        self.map.setAccessibleName(self.tr("Map of the sweep"))
        for chart, tip in self._tips().items():
            chart.setToolTip(tip)
        self.readout.setAccessibleName(self.tr("The setting under the cursor"))
        self.refresh()

    def _tips(self) -> dict[QWidget, str]:
        """What can be done in each picture."""
        tip = self.tr(
            "Click a setting to take it over; wheel or + and − zoom, Page Up and Page Down choose,"
            " Enter takes over."
        )
        map_tip = self.tr("Click a setting to take it over; arrow keys choose, Enter takes over.")
        return {self.chart: tip, self.below: tip, self.map: map_tip}

    def caption(self) -> tuple[str, ...]:
        table = self._table
        if table is None:
            return ()
        whose = wording.provider_label(self.bar.map_key[0]) if table.is_map else ""
        return caption_lines(table, self.shown, self._beside, whose)

    @property
    def shown(self) -> View:
        return self.bar.view

    @property
    def _errors(self) -> View:
        return replace(self.shown, quantity="error")

    def refresh(self) -> None:
        self._turns.clear()
        for step in self._drawing.values():
            step()

    def _find(self) -> None:
        self._found = Found([], []) if self._table is None else find(self._table, self.shown)

    def _look(self) -> None:
        """Make the curves, or the map."""
        table = self._table
        self._pictures = {}
        self._show_notice()
        if table is None:
            return
        self.bar.offer(table)
        together = self.bar.chosen == "together"
        self._beside = ()
        if table.is_map:
            columns, rows = (label_of(axis.name) for axis in table.sweep.axes)
            self.map.set_labels(columns, rows)
            words = {status: translate_message(word) for status, word in STATUS_WORDS.items()}
            self.map.set_grid(setting_grid(table, self.shown, self.bar.map_key, words))
            self.legend.set_entries(())
        else:
            self._make_curves(table, self.chart, self.shown)
            if together:
                self._make_curves(table, self.below, self._errors)
        self.map.setVisible(table.is_map)
        self.chart.setVisible(not table.is_map)
        self.below.setVisible(not table.is_map and together)

    def _draw(self) -> None:
        for chart, picture in self._pictures.items():
            chart.set_picture(picture)

    def _say(self) -> None:
        if self._table is not None:
            self._show_findings(self._table)
            self._show_doubts(self._table)

    def draw_in_turns(self) -> None:
        """As `refresh`, but soon, each part in a turn of the event loop."""
        for name, step in self._drawing.items():
            self._turns.add(name, step)

    def _draw_soon(self) -> None:
        if not self._redraw.isActive() and self._table is not None:
            self._redraw.start(max(REDRAW_MS, len(self._table.results) // ROWS_A_MS))

    def _make_curves(self, table: SweepTable, chart: SweepChart, view: View) -> None:
        scales = axis_scales(table)
        if not scales:
            return
        overlays: list[OverlayLine] = []
        if chart is self.chart and table.is_over_n and scales[0].by_size:
            overlays += self._overlay_lines(table)
        across = self.tr("trial") if table.sweep.search else label_of(table.sweep.axes[0].name)
        chart.set_labels(across, translate_message(QUANTITIES[view.quantity]))
        picture = self._pictures[chart] = sweep_picture(
            table, view, self._theme, overlays, self._found if chart is self.chart else None
        )
        if chart is self.chart:
            entries = [
                LegendEntry(line.label, line.colour, symbol=line.symbol) for line in picture.lines
            ]
            self.legend.set_entries(
                (*entries, *(LegendEntry(line.label, line.colour, line.style) for line in overlays))
            )

    def _overlay_lines(self, table: SweepTable) -> list[OverlayLine]:
        """Those of the overlays that belong on the chart, which are remembered; each source has its
        own look.
        """
        view, scale = self.shown, axis_scales(table)[0]
        self._beside = tuple(
            overlay
            for overlay in self.bar.chosen_overlays
            if overlay_lines(overlay, view, scale, "")
        )
        found = []
        for place, overlay in enumerate(self._beside):
            where = source_text(overlay, self._beside, table, view)
            lines = overlay_lines(overlay, view, scale, where, place)
            found += [
                replace(line, colour=shade(line.colour, place, self._theme).name())
                for line in lines
            ]
        return found

    def _show_notice(self) -> None:
        self._stack.setCurrentIndex(0 if self._table is None else 1)
        if self._table is not None:
            return
        title = self.tr("No sweep yet")
        body = self.tr(
            "Choose a preset, or one or two parameters and their values, and press Run sweep. Every"
            " setting gets a point or a cell: timed, wrong, refused, out of resources or too slow."
        )
        if self._interpreted:
            body += " " + self.tr("Triton's interpreter gives no times: the sweep shows errors.")
        self.notice.set_text(title, body)

    def _show_doubts(self, table: SweepTable) -> None:
        view, said = self.shown, []
        if view.quantity in SPEEDS:
            said = doubt_sentences(table.notes.items(), table.timed, (view.direction,), view.mode)
        self.doubts.show_doubts(said)

    def _show_findings(self, table: SweepTable) -> None:
        view, parts = self.shown, []
        if table.statuses.total() > table.statuses["ok"]:
            first = next(result for result in table.results.values() if result.status != "ok")
            parts.append(
                f"{translate_message(count_sentence(table.statuses))}"
                f" {cell_text(table.sweep, first, view)}"
            )
        # Curves laid beside it have times.
        interpreted = Kind.INTERPRETED in table.kinds
        if interpreted and view.quantity in SPEEDS and not table.timed and not self._beside:
            parts.append(
                self.tr(
                    "The interpreter's times mean nothing, so none are shown: look at the error."
                )
            )
        compiled = view.quantity in {"registers", "occupancy"}
        if (
            compiled
            and interpreted
            and not any(result.compiled for result in table.results.values())
        ):
            parts.append(
                self.tr(
                    "On the interpreter a sweep has no registers and no occupancy: look at a single"
                    " run, or sweep on a GPU."
                )
            )
        if view.quantity in SPEEDS:
            bests, crossings = self._found
            found = best_findings(table.sweep, bests, most=MOST_BESTS, most_runs=MOST_RUNS)
            parts += [translate_message(each.sentence) for each in found]
            for crossing in crossings[:MOST_CROSSINGS]:
                low, high = map(axis_scales(table)[0].value_at, crossing.between)
                there = replace(crossing, between=(low, high))
                words = translate_message(crossing_sentence(table.sweep, there))
                parts.append(f"{crossing.hardware}: {words}" if len(table.hardware) > 1 else words)
        self.findings.setText("   ".join(parts))
        self.findings.setVisible(bool(parts))

    def _on_hovered(self, number: int | None) -> None:
        table = self._table
        result = None if table is None or number is None else table.results.get(number)
        self.legend.setVisible(result is None)
        self.readout.setVisible(result is not None)
        if result is None or table is None:
            return
        text = cell_text(
            table.sweep, result, self._errors if self.sender() is self.below else self.shown
        )
        self.readout.setText(text)
        for chart, tip in self._tips().items():
            chart.setToolTip(text if result.status != "ok" else tip)

    def _on_chosen(self, number: int) -> None:
        """Take a cell over as parameters; a peer's gives its problem."""
        result = None if self._table is None else self._table.results.get(number)
        if result is not None:
            self.settingChosen.emit(replace(result.cell.request, repeats=1))

    def _lay_out(self) -> None:
        words = self.readout.share_place_of(self.legend)
        self._stack, content = fill_with_stack(self, self.notice)
        charts = ((self.chart, 3), (self.below, 2), (self.map, 3))
        parts = (self.bar, self.doubts, words, *charts, self.findings)
        lay_column(content, *parts, margins=(GRID, 0, 2 * GRID, GRID), spacing=GRID)
        self.below.hide()
        self.map.hide()


def overlay_lines(
    overlay: Overlay, view: View, scale: ValueScale, where: str, place: int = 0
) -> tuple[OverlayLine, ...]:
    """What of it belongs on a chart: the same pass in the same mode, within the axis.

    Args:
        overlay: the figures.
        view: what the chart shows.
        scale: its axis.
        where: what stands behind a provider's name: where the figures come from.
        place: which of several overlays it is; each has dashes of its own.
    """
    if not belongs_beside(overlay, view):
        return ()
    low, high = scale.ends
    found = []
    for curve in overlay.curves:
        x = np.array([scale.place_of(n) for n in curve.x])
        inside = (x >= low - 1e-9) & (x <= high + 1e-9)
        if inside.any():
            label, colour = (
                f"{wording.provider_label(curve.provider)} · {where}",
                provider_colour(curve.provider),
            )
            found.append(
                OverlayLine(label, colour, x[inside], np.array(curve.y)[inside], dash(place))
            )
    return tuple(found)

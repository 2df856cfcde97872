"""The charts of a sweep, with what is under the cursor and what is found."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.parameters import label_of
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.findings import doubt_sentences
from lnexplorer.domain.sweep.views import QUANTITIES, SPEEDS, SweepTable, View
from lnexplorer.domain.views import SweepView
from lnexplorer.gui.charts.axes import ValueScale
from lnexplorer.gui.charts.chart import Legend
from lnexplorer.gui.charts.setting_map import SettingMap
from lnexplorer.gui.charts.speed_chart import dash, provider_colour, shade
from lnexplorer.gui.charts.sweep_chart import OverlayLine, SweepChart, SweepPicture
from lnexplorer.gui.charts.sweep_pictures import (
    Highlights,
    axis_scales,
    find,
    setting_grid,
    sweep_picture,
)
from lnexplorer.gui.kit import (
    GRID,
    LEFT,
    DoubtsStrip,
    Notice,
    Readout,
    Retranslated,
    WrappedLabel,
    fill_with_stack,
    lay_column,
    translate_message,
    with_text,
)
from lnexplorer.gui.kit.responsive import IdleSteps
from lnexplorer.gui.panes.sweep.chosen import ChosenSetting
from lnexplorer.gui.panes.sweep.views import (
    ViewBar,
    belongs_beside,
    caption_lines,
    cell_text,
    joined,
    remarks,
    source_text,
)
from lnkernels.values import say
from lnkernels.values.environment import Kind

LEAST = 19 * GRID  # px of height of a chart, with its axes
REDRAW_MS = 200  # rows arrive in bursts
# Of a large sweep the rows that are there put the next drawing off: at most a fourth of the time
# goes into it.
ROWS_A_MS = 20
NO_SWEEP = say(
    "Choose a preset, or one or two parameters and their values, and press Run sweep. Every setting"
    " gets a point or a cell: timed, wrong, refused, out of resources or too slow."
)
ROWS_COME = say("Rows appear here as they come.")
NO_ROWS = say("It ended before its first result. Press Run sweep to begin again.")
NO_TIMES = say("The interpreter's times mean nothing, so none are shown: look at the error.")
CHART_TIP = say(
    "Click a setting to select it; wheel or + and − zoom, Page Up and Page Down point, Enter"
    " selects."
)
MAP_TIP = say("Click a setting to select it; arrow keys point, Enter selects.")


class SweepPictureView(Retranslated, QWidget):
    """Shows a table of rows, and draws it anew as more come."""

    def __init__(self) -> None:
        super().__init__()
        self.bar = ViewBar()
        self.notice = Notice()
        self.legend = Legend()
        self.chart = SweepChart()
        self.map = SettingMap()
        self.readout = Readout(LEFT)
        self.findings = WrappedLabel()
        self.chosen = ChosenSetting()
        self.doubts = DoubtsStrip()
        self._table: SweepTable | None = None
        self._over = False  # the sweep has ended
        self._interpreted = False
        self._beside: tuple[Overlay, ...] = ()  # that are drawn
        self._found = Highlights([], [])  # of the view
        self._picture: SweepPicture | None = None  # to be drawn
        self._redraw = QTimer(self, singleShot=True)
        self._redraw.timeout.connect(self.draw_in_turns)
        # Of thousands of rows each of these takes long: it has its own turn of the event loop.
        self._drawing = {
            "found": self._find,
            "curves": self._make_picture,
            "chart": self._draw,
            "words": self._show_words,
        }
        self._turns = IdleSteps(self)
        self._lay_out()
        self.bar.changed.connect(self.refresh)
        for part in (self.chart, self.map):
            part.caption = self.caption
            part.legend = lambda: self.legend.entries
            part.pointed.connect(self._on_hovered)
            part.chosen.connect(self._select)
        self.write_on(self.chart, tip=CHART_TIP, name=say("Curves of the sweep"))
        self.write_on(self.map, tip=MAP_TIP, name=say("Map of the sweep"))
        self.write_on(self.readout, name=say("The setting under the cursor"))
        self.refresh()

    @property
    def shown(self) -> View:
        return self.bar.view

    def show_table(self, table: SweepTable | None) -> None:
        self._table = table
        self._over = False
        self._found = Highlights([], [])
        self._on_hovered(None)
        self._select(None)
        self.draw_in_turns()

    def add(self, results: Iterable[CellResult]) -> None:
        if self._table is not None:
            self._table.add(results)
            if not self._redraw.isActive():
                self._redraw.start(max(REDRAW_MS, len(self._table.results) // ROWS_A_MS))

    def view(self) -> SweepView:
        provider, hardware = self.bar.map_key
        several = self._table is not None and len(self._table.sweep.modes) > 1
        return SweepView(
            quantity=self.bar.chosen,
            direction=self.bar.direction.current,
            provider=provider,
            hardware=hardware,
            mode=self.bar.mode.current if several else "",
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
        if interpreted and not self._interpreted and not timed and self.bar.chosen in SPEEDS:
            self.bar.choose("error")
        self._interpreted = interpreted
        self.refresh()

    def apply_theme(self) -> None:
        for chart in (self.chart, self.map):
            # Words above a chart take none of its room: the pane scrolls.
            chart.setMinimumHeight(with_text(LEAST))
        self.refresh()

    def caption(self) -> tuple[str, ...]:
        table = self._table
        if table is None:
            return ()
        whose = wording.provider_label(self.bar.map_key[0]) if table.is_map else ""
        return caption_lines(table, self.shown, self._beside, whose)

    def show_end(self) -> None:
        self._over = True
        self.refresh()

    def refresh(self) -> None:
        """Draw everything now."""
        self._turns.clear()
        for step in self._drawing.values():
            step()

    retranslate = refresh

    def draw_in_turns(self) -> None:
        """Draw everything soon, each part in a turn of the event loop."""
        for name, step in self._drawing.items():
            self._turns.add(name, step)

    def _find(self) -> None:
        """Offer what the sweep has, and find what is to be pointed out of it."""
        self._found = Highlights([], [])
        if self._table is not None:
            self.bar.offer(self._table)
            self._found = find(self._table, self.shown)

    def _make_picture(self) -> None:
        """Make the curves with their legend, or the map."""
        table, view = self._table, self.shown
        self._picture = None
        self._beside = ()
        empty = table is None or not (
            table.results or (table.is_over_n and self.bar.chosen_overlays)
        )
        self._stack.setCurrentIndex(0 if empty else 1)
        if table is None:
            body = joined([NO_SWEEP, NO_TIMES if self._interpreted else ""], " ")
            self.notice.set_text(say("No sweep yet"), body)
            return
        if empty:
            self.notice.set_text(say("No result yet"), NO_ROWS if self._over else ROWS_COME)
        self.map.setVisible(table.is_map)
        self.chart.setVisible(not table.is_map)
        if table.is_map:
            columns, rows = (translate_message(label_of(axis.name)) for axis in table.sweep.axes)
            self.map.set_labels(columns, rows)
            self.map.set_grid(setting_grid(table, view, self.bar.map_key))
            self.legend.set_entries(())
        elif scales := axis_scales(table):
            scale, overlays = scales[0], []
            if table.is_over_n and scale.by_size:
                overlays = self._overlay_lines(table, scale)
            across = say("trial") if table.sweep.search else label_of(table.sweep.axes[0].name)
            up = QUANTITIES[view.quantity]
            self.chart.set_labels(translate_message(across), translate_message(up))
            self._picture = sweep_picture(table, view, overlays, self._found)
            self.legend.set_entries(tuple(self._picture.legend()))

    def _draw(self) -> None:
        if self._picture is not None:
            self.chart.set_picture(self._picture)

    def _overlay_lines(self, table: SweepTable, scale: ValueScale) -> list[OverlayLine]:
        """Return the lines of the chosen overlays that belong on the chart, and remember these.

        Each source has its own look.
        """
        view = self.shown
        drawn = [
            (overlay, lines)
            for overlay in self.bar.chosen_overlays
            if (lines := overlay_lines(overlay, view, scale))
        ]
        self._beside = tuple(overlay for overlay, _ in drawn)
        found = []
        for place, (overlay, lines) in enumerate(drawn):
            where = translate_message(source_text(overlay, self._beside, table, view))
            for line in lines:
                colour = shade(line.colour, place).name()
                label = f"{line.label} · {where}"
                found.append(replace(line, label=label, colour=colour, style=dash(place)))
        return found

    def _show_words(self) -> None:
        table, view = self._table, self.shown
        self._show_chosen()
        if table is None:
            return
        speeds, doubts = view.quantity in SPEEDS, []
        if speeds:
            notes = table.notes.items()
            doubts = doubt_sentences(notes, table.timed, (view.direction,), view.mode)
        self.doubts.show_doubts(doubts)
        bests, crossings = self._found
        value_at = axis_scales(table)[0].value_at if crossings else float
        there = [
            replace(each, between=(value_at(each.between[0]), value_at(each.between[1])))
            for each in crossings
        ]
        told = list(remarks(table, view, bests, there))
        # Curves laid beside it have times.
        if speeds and Kind.INTERPRETED in table.kinds and not table.timed and not self._beside:
            told.append(NO_TIMES)
        self.findings.setText(translate_message(joined(told, " ")))
        self.findings.setVisible(bool(told))

    def _on_hovered(self, number: int | None) -> None:
        table = self._table
        result = None if table is None or number is None else table.results.get(number)
        self.legend.setVisible(result is None)
        self.readout.setVisible(result is not None)
        if result is None or table is None:
            return
        self.readout.setText(translate_message(cell_text(table.sweep, result, self.shown)))

    def _select(self, number: int | None) -> None:
        """Select a cell, or none: the selected one again."""
        self.chosen.selected = None if number == self.chosen.selected else number
        for chart in (self.chart, self.map):
            chart.select(self.chosen.selected)
        self._show_chosen()

    def _show_chosen(self) -> None:
        self.chosen.show_of(self._table, self.shown, self._found.bests)

    def _lay_out(self) -> None:
        words = self.readout.share_place_of(self.legend)
        self._stack, content = fill_with_stack(self, self.notice)
        charts = ((self.chart, 1), (self.map, 1))
        parts = (self.bar, self.doubts, words, *charts, self.chosen, self.findings)
        lay_column(content, *parts, margins=(GRID, 0, 2 * GRID, GRID), spacing=GRID)
        self.map.hide()


def overlay_lines(overlay: Overlay, view: View, scale: ValueScale) -> list[OverlayLine]:
    """Return the lines of an overlay on a chart: of the same pass and mode, within the axis."""
    if not belongs_beside(overlay, view):
        return []
    low, high = scale.ends
    found = []
    for curve in overlay.curves:
        x = np.array([scale.place_of(n) for n in curve.x])
        inside = (x >= low - 1e-9) & (x <= high + 1e-9)
        if inside.any():
            label, colour = wording.provider_label(curve.provider), provider_colour(curve.provider)
            found.append(OverlayLine(label, colour, x[inside], np.array(curve.y)[inside]))
    return found

"""The charts of a sweep: curves for one parameter, a map for two, what is under the cursor, and what there is to say."""

import time
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.views import SweepView
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.legend import Legend, LegendEntry, LegendRoom
from lnexplorer.gui.charts.setting_map import SettingMap
from lnexplorer.gui.charts.sweep_chart import OverlayLine, SweepChart, SweepPicture
from lnexplorer.gui.charts.theme import GRID, LIGHT, Theme
from lnexplorer.gui.charts.throughput_chart import shade
from lnexplorer.gui.charts.widgets import Notice, Readout, WrappedLabel, fill_with_stack
from lnexplorer.gui.sweep.bars import ViewBar
from lnexplorer.gui.sweep.marks import axis_marks
from lnexplorer.gui.sweep.model import SweepModel
from lnexplorer.gui.sweep.overlays import Overlay, overlay_lines
from lnexplorer.gui.sweep.values import View
from lnexplorer.gui.sweep.words import SweepWords
from lnexplorer.gui.throughput.doubts_strip import DoubtsStrip

LEAST, LEAST_BELOW = 20 * GRID, 11 * GRID  # px of height of a chart, with its axes
REDRAW_MS = 60  # rows arrive in bursts
SHARE_DRAWING = 4  # at most a fourth of the event loop's time goes into drawing
MANY_ROWS = 2000  # above this what is found and said has a turn of the event loop of its own
SAY_MS = 40  # after the drawing, which is painted by then


class SweepPictureView(QWidget):
    """Shows a model, and draws it anew as rows come."""

    settingChosen = Signal(object)  # RunRequest  # noqa: N815

    def __init__(
        self,
        chart: SweepChart | None = None,
        below: SweepChart | None = None,
        setting_map: SettingMap | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """Charts that are there already are taken."""
        super().__init__(parent)
        self.bar, self.notice, self.legend = ViewBar(), Notice(), Legend()
        self.chart, self.below, self.map = chart or SweepChart(), below or SweepChart(), setting_map or SettingMap()
        self.readout, self.findings = Readout(side=Qt.AlignmentFlag.AlignLeft), WrappedLabel()
        self.doubts = DoubtsStrip()
        self._model: SweepModel | None = None
        self._errors: SweepModel | None = None  # the same rows, read for their errors
        self._interpreted = False
        self._theme = LIGHT
        self._beside: tuple[Overlay, ...] = ()  # that are drawn
        self._words = SweepWords()
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.timeout.connect(self.refresh)
        self._say = QTimer(self)
        self._say.setSingleShot(True)
        self._say.timeout.connect(self._say_next)
        self._unsaid: list[Callable[[], None]] = []  # what is to be said yet, each in a turn of its own
        self._draw = QTimer(self)
        self._draw.setSingleShot(True)
        self._draw.timeout.connect(self._draw_pictures)
        self._undrawn: list[tuple[SweepChart, SweepPicture]] = []  # of a sweep with many rows, which are drawn in the next turn
        self._took = 0.0
        self._lay_out()
        self.bar.changed.connect(self.refresh)
        for part in (self.chart, self.below, self.map):
            part.caption = self.caption
            part.legend = self._legend
            part.cellHovered.connect(self._on_hovered)
            part.cellChosen.connect(self._on_chosen)
        self.below.caption = lambda: () if self._errors is None else self._words.caption(self._errors)
        self.retranslate()

    def set_model(self, model: SweepModel | None) -> None:
        """Show another sweep."""
        self._model = model
        self._errors = None if model is None else SweepModel(model.sweep)
        if model is not None:
            assert self._errors is not None
            self._errors.add(model.results.values())
            if self.bar.direction.current not in model.sweep.directions:
                self.bar.direction.choose(model.sweep.directions[0])
            self.bar.offer_wait(model.sweep.waits)
            for direction in ("forward", "backward"):
                self.bar.direction.set_available(direction, direction in model.sweep.directions)
            self.bar.offer_modes(model.sweep.modes)
        self._on_hovered(None)
        self.refresh()

    def add(self, results: list[CellResult]) -> None:
        """More rows of the sweep."""
        if self._model is None or self._errors is None:
            return
        self._model.add(results)
        self._errors.add(results)
        if not self._redraw.isActive():
            self._redraw.start(max(REDRAW_MS, round(SHARE_DRAWING * self._took)))

    def view(self) -> SweepView:
        """What is looked at."""
        provider, hardware = self.bar.map_key
        direction = self.bar.direction.current
        mode = self.bar.mode.current if self._model is not None and len(self._model.sweep.modes) > 1 else ""
        return SweepView(quantity=self.bar.chosen, direction=direction, provider=provider, hardware=hardware, mode=mode)

    def show_view(self, view: SweepView) -> None:
        """Look at this; what the sweep on show does not have stays as it is."""
        if self.bar.quantity.findData(view.quantity) >= 0:
            self.bar.choose(view.quantity)
        if self._model is not None:
            self.bar.offer_wait(self._model.sweep.waits)
            if view.direction in self._model.sweep.directions:
                self.bar.direction.choose(view.direction)
            if view.mode in self._model.sweep.modes:
                self.bar.mode.choose(view.mode)
        self.refresh()  # whose maps there are follows from what is shown
        self.bar.choose_map((view.provider, view.hardware))
        self.refresh()

    def set_interpreted(self, interpreted: bool) -> None:
        """Whether rows have errors and no times."""
        timed = self._model is not None and any(result.figures for result in self._model.results.values())
        if interpreted and not self._interpreted and not timed and self.bar.chosen in {"gbps", "share", "together"}:
            self.bar.choose("error")
        self._interpreted = interpreted
        self.refresh()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        for part in (self.bar, self.legend, self.chart, self.below, self.map):
            part.apply_theme(theme)
        self.refresh()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        tip = self.tr("Click a setting to take it over; wheel or + and − zoom, Page Up and Page Down choose, Enter takes over.")
        self.chart.setAccessibleName(self.tr("Curves of the sweep"))
        self.below.setAccessibleName(self.tr("Errors of the sweep"))
        self.map.setAccessibleName(self.tr("Map of the sweep"))
        self.chart.setToolTip(tip)
        self.below.setToolTip(tip)
        self.map.setToolTip(self.tr("Click a setting to take it over; arrow keys choose, Enter takes over."))
        self.readout.setAccessibleName(self.tr("The setting under the cursor"))
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """The legend has a share of the height."""
        super().resizeEvent(event)
        self.legend_room.share(self.height())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def caption(self) -> tuple[str, ...]:
        """What is printed below a picture of the sweep."""
        model = self._model
        if model is None:
            return ()
        whose = provider_label(self.bar.map_key[0]) if model.is_map else ""
        return self._words.caption(model, self._beside, whose)

    def _legend(self) -> tuple[LegendEntry, ...]:
        return self.legend.entries

    def refresh(self) -> None:
        """Draw what there is."""
        began = time.perf_counter()
        model = self._model
        self._undrawn = []  # what was to be drawn is past
        self._show_notice()
        if model is None or self._errors is None:
            return
        chosen = self.bar.chosen
        direction, mode = self.bar.direction.current, self.bar.mode.current
        model.look_at(View("gbps" if chosen == "together" else chosen, direction, mode))
        self.bar.set_maps(model.map_keys() if model.is_map else ())
        over_n = [axis.name for axis in model.sweep.axes] == ["n"] and not model.sweep.search
        self.bar.show_modes(model.view.quantity in {"gbps", "share"} and len(model.sweep.modes) > 1)
        self.bar.offer_overlays(model.view if over_n else None)
        self.bar.files.setVisible(over_n and any(line.y.size for line in model.lines()) and model.view.quantity == "gbps")
        self.bar.offer_together(not model.is_map)
        self._beside = ()
        if model.is_map:
            self._draw_map(model)
        else:
            self._draw_curves(model, self.chart, over_n=over_n)
            if chosen == "together":
                self._errors.look_at(View("error", direction, mode))
                self._draw_curves(self._errors, self.below, over_n=False)
        self.map.setVisible(model.is_map)
        self.chart.setVisible(not model.is_map)
        self.below.setVisible(not model.is_map and chosen == "together")
        if not _has_many(model):
            self._show_words()
        elif not self._say.isActive():
            self._unsaid = [self._read_changes, self._show_findings, self._show_doubts]
            self._say.start(SAY_MS)
        self._took = 1000 * (time.perf_counter() - began)
        if not model.knows_changes and not self._redraw.isActive():
            self._redraw.start(max(REDRAW_MS, round(SHARE_DRAWING * self._took)))

    def _draw_map(self, model: SweepModel) -> None:
        columns, rows = (BY_NAME[axis.name].label for axis in model.sweep.axes)
        self.map.set_labels(columns, rows)
        self.map.set_grid(model.grid(self.bar.map_key, self._words.statuses()))
        self.legend.set_entries(())

    def _draw_curves(self, model: SweepModel, chart: SweepChart, *, over_n: bool) -> None:
        if not model.scales:
            return
        scale = model.scales[0]
        lines = [replace(line, colour=shade(line.colour, line.group, self._theme).name()) for line in model.lines()]
        speeds = model.view.quantity in {"gbps", "share"}
        overlays = self._overlay_lines(model) if over_n and scale.by_size else []
        if speeds:
            overlays += [
                OverlayLine(self._words.best_so_far(model, hardware), self._theme.text, *steps)
                for hardware, steps in model.best_so_far().items()
            ]
        across = self.tr("trial") if model.sweep.search else BY_NAME[model.sweep.axes[0].name].label
        chart.set_labels(across, self._words.quantities()[model.view.quantity])
        picture = SweepPicture(
            scale=scale,
            lines=tuple(lines),
            foot=model.foot(),
            overlays=tuple(overlays),
            marks=axis_marks(model.changes(more=not _has_many(model)), scale) if speeds and scale.by_size else (),
            crossings=tuple((crossing.x, height) for crossing, height, _ in model.crossings()) if speeds else (),
            best=model.best_cells() if speeds else (),
            log=model.view.quantity in {"error", "wait"},
            percent=model.view.quantity in {"share", "occupancy"},
        )
        self._undrawn.append((chart, picture))
        if _has_many(model):
            self._draw.start(0)
        else:
            self._draw_pictures()
        if chart is self.chart:
            entries = [LegendEntry(line.label, line.colour, symbol=line.symbol) for line in lines]
            entries += [LegendEntry(line.label, line.colour, line.style) for line in overlays]
            self.legend.set_entries(tuple(entries))

    def _draw_pictures(self) -> None:
        for chart, picture in self._undrawn:
            chart.set_picture(picture)
        self._undrawn = []

    def _overlay_lines(self, model: SweepModel) -> list[OverlayLine]:
        """Those of the overlays that belong on the chart, which are remembered; each source has its own look."""
        view, scale = model.view, model.scales[0]
        self._beside = tuple(overlay for overlay in self.bar.chosen_overlays if overlay_lines(overlay, view, scale, ""))
        found = []
        for place, overlay in enumerate(self._beside):
            where = self._words.where(overlay, self._beside, model)
            lines = overlay_lines(overlay, view, scale, where, place)
            found += [replace(line, colour=shade(line.colour, place, self._theme).name()) for line in lines]
        return found

    def _show_notice(self) -> None:
        model = self._model
        empty = model is None or not model.results
        self._stack.setCurrentIndex(0 if model is None else 1)
        if not empty:
            return
        title = self.tr("No sweep yet")
        body = self.tr(
            "Choose a preset, or one or two parameters and their values, and press Run sweep."
            " Every setting gets a point or a cell: timed, wrong, refused, out of resources or too slow."
        )
        if self._interpreted:
            body += " " + self.tr("Triton's interpreter gives no times: the sweep shows errors.")
        self.notice.set_text(title, body)

    def _show_words(self) -> None:
        self._show_findings()
        self._show_doubts()

    def _say_next(self) -> None:
        self._unsaid.pop(0)()
        if self._unsaid:
            self._say.start(SAY_MS)

    def _read_changes(self) -> None:
        """Look for where the launch changes before the next drawing needs it."""
        model = self._model
        if model is not None and model.scales and model.scales[0].by_size and model.view.quantity in {"gbps", "share"}:
            model.changes()

    def _show_doubts(self) -> None:
        model = self._model
        if model is not None:
            self.doubts.show_doubts(self._words.doubts(model) if model.view.quantity in {"gbps", "share"} else ())

    def _show_findings(self) -> None:
        model = self._model
        if model is None:
            return
        parts = []
        if self._interpreted and model.view.quantity in {"gbps", "share"} and not any(r.figures for r in model.results.values()):
            parts.append(self.tr("The interpreter's times mean nothing, so none are shown: look at the error."))
        compiled = model.view.quantity in {"registers", "occupancy"}
        if compiled and self._interpreted and not any(r.compiled for r in model.results.values()):
            parts.append(
                self.tr("Rows of the interpreter have no registers and no occupancy: a single run shows them, a GPU's rows do.")
            )
        if model.view.quantity in {"gbps", "share"}:
            parts += self._words.bests(model)
            parts += self._words.beside(model, self._beside)
            scale = model.scales[0] if model.scales else None
            for crossing, _, hardware in model.crossings()[:3] if scale is not None else ():
                words = self._words.crossing(model, replace(crossing, x=scale.value_at(crossing.x)))
                parts.append(f"{hardware}: {words}" if len(model.hardware) > 1 else words)
        self.findings.setText("   ".join(parts))
        self.findings.setVisible(bool(parts))

    def _on_hovered(self, number: int | None) -> None:
        model = self._model
        result = None if model is None or number is None else model.results.get(number)
        self.legend_room.setVisible(result is None)
        self.readout.setVisible(result is not None)
        if result is None or model is None:
            return
        under_cursor = self._errors if self.sender() is self.below and self._errors is not None else model
        text = self._words.cell(under_cursor, result)
        self.readout.setText(text)
        self.readout.setToolTip(text)
        if result.status != "ok":
            self.map.setToolTip(text)
            self.chart.setToolTip(text)

    def _on_chosen(self, number: int) -> None:
        result = None if self._model is None else self._model.results.get(number)
        if result is not None:
            self.settingChosen.emit(_taken_over(result))

    def _lay_out(self) -> None:
        self.legend_room = LegendRoom(self.legend)
        words = self.readout.share_place_of(self.legend_room)
        self._stack, content = fill_with_stack(self, self.notice)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(GRID, 0, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.bar)
        layout.addWidget(self.doubts)
        layout.addLayout(words)
        for chart, stretch, least in ((self.chart, 3, LEAST), (self.below, 2, LEAST_BELOW), (self.map, 3, LEAST)):
            chart.setMinimumHeight(least)  # words above it do not take its room: where there is none the pane scrolls
            layout.addWidget(chart, stretch)
        self.below.hide()
        self.map.hide()
        layout.addWidget(self.findings)


def _has_many(model: SweepModel) -> bool:
    return len(model.results) > MANY_ROWS


def _taken_over(result: CellResult) -> RunRequest:
    """A cell as parameters; a peer's cell gives its problem."""
    return replace(result.cell.request, repeats=1)

"""The reduction of dw and db, animated from a timeline."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lnexplorer.domain.moments import Moment, lock_after, locks_in_use, next_event, previous_event
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import ScheduleModel, simulate
from lnexplorer.gui.charts.theme import GRID, TITLE_SIZE, Theme
from lnexplorer.gui.reduction.background import Background
from lnexplorer.gui.reduction.canvas import ModelView, TitledCanvas
from lnexplorer.gui.reduction.comparison import Comparison, FitBar
from lnexplorer.gui.reduction.header import ElidedLabel, Header, NoLocks, PictureSplit
from lnexplorer.gui.reduction.painter.timeline_index import AT_ONCE, Prepared, prepare
from lnexplorer.gui.reduction.painter.wording import order_text
from lnexplorer.gui.reduction.player import Player
from lnexplorer.gui.reduction.side_panel import SidePanel
from lnexplorer.gui.reduction.simulator import Simulator
from lnexplorer.gui.reduction.transport import Transport, add_shortcuts, press_or
from lnexplorer.gui.reduction.viewpoint import Viewpoint
from lnexplorer.gui.reduction.words import (
    CellNumbers,
    agreement_text,
    caption,
    cell_numbers,
    details_text,
    facts_text,
    rounding_caption,
    row_in_words,
    summary_text,
)
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

if TYPE_CHECKING:
    from lnexplorer.gui.reduction.film_dialog import FilmDialog

SIMULATED_AT_ONCE = 4096  # rows; more are simulated in the background
MOST_ROWS = 1 << 20  # that are simulated at all
SHOWN_SHARE = 0.4  # of the time, until somebody plays
_SPEED_STEP, _ZOOM_STEP = 1.25, 1.5


class ReductionPane(QWidget):
    """Both stages at a moment, the controls of time, and what happens in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timeline: ReductionTimeline | None = None
        self._request: ResolvedRequest | None = None
        self._shown: tuple[ReductionTimeline, ResolvedRequest, ScheduleModel | None] | None = None
        self._model: ScheduleModel | None = None
        self._partial_rows: PartialRows | None = None
        self._numbers = CellNumbers()
        self._followed: int | None = None
        self._followed_lock: int | None = None
        self.header, self.caption = Header(self), ElidedLabel(self)
        self.badge, self.facts, self.figures = self.header.badge, self.header.facts, self.header.figures
        self._split = PictureSplit(self)
        self.trace = TitledCanvas(self._split)
        self.canvas = self.trace.canvas
        self.model = ModelView(self._split)
        self.model.hide()
        self.panel = SidePanel(self._split)
        self._split.fill(self.trace, self.model, self.panel)
        self.transport = Transport(self)
        self.player = Player(self)
        self._no_locks = NoLocks(self)
        self._simulator = Simulator(self)
        self._background = Background(self)
        self.fit_bar = FitBar(self)
        self.header.add_button(self.fit_bar.fit)
        self.comparison = Comparison(self.fit_bar, self._background, self)
        self._prepared: Prepared | None = None
        self._lay_out()
        self._connect()
        self.viewpoint = Viewpoint(self.canvas, self.player, self.transport, self.comparison, self._follow)
        self.setFocusProxy(self.canvas)
        self.retranslate()

    def set_problem(self, request: ResolvedRequest, resident_programs: int, sm_count: int) -> None:
        """Simulate a launch and show it. The last of several wins; more than SIMULATED_AT_ONCE rows take a moment.

        Args:
            request: the launch.
            resident_programs: programs of stage 1 on the device at once, SMs × occupancy.
            sm_count: SMs.
        """
        if self._no_locks.set_strategy(request.launch.strategy):
            self._simulator.cancel()
            self.player.set_playing(False)
            return
        model = default_model(request, max(resident_programs, 1), max(sm_count, 1))
        if (request, model) == (self._request, self._model):
            return
        launch, rows = request.launch, min(request.m, MOST_ROWS)
        self._simulator.cancel()
        self._request, self._model = request, model

        def simulation() -> ReductionTimeline:
            return simulate(rows, request.n, launch.group_size_m, launch.reduce_block_size_m, launch.reduce_block_size_n, model)

        if rows <= SIMULATED_AT_ONCE:
            self._prepare(simulation())
        else:
            self._simulator.wish(simulation)

    def show_timeline(self, timeline: ReductionTimeline, request: ResolvedRequest) -> None:
        """Show a timeline that was recorded."""
        self._no_locks.set_strategy(request.launch.strategy)
        self._simulator.cancel()
        self._request, self._model = request, self.viewpoint.model_of(timeline)
        self._prepare(timeline)

    @property
    def shown(self) -> tuple[ReductionTimeline, ResolvedRequest, ScheduleModel | None] | None:
        """The timeline on show, its launch, and the model that it was simulated with; None where there is none."""
        return self._shown if self._no_locks.isHidden() else None

    def set_partial_rows(self, partial_rows: PartialRows | None) -> None:
        """What each row adds, for the numbers in the cells; None where there are none."""
        self._partial_rows = partial_rows
        self._add_up()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.canvas.apply_theme(theme)
        self.model.canvas.apply_theme(theme)
        self.panel.apply_theme(theme)
        self.transport.apply_theme(theme)
        self.transport.retranslate()  # its widths are those of texts
        self.transport.show_speed(self.player.speed)
        self._show_time(self.player.time_ns)

    def retranslate(self) -> None:
        """Write all texts."""
        self.trace.retranslate()
        self.panel.retranslate()
        self.model.retranslate()
        self.comparison.retranslate()
        self.transport.retranslate()
        self.caption.setAccessibleName(self.tr("What happens"))
        self.caption.setToolTip(self.tr("What happens at this moment"))
        self.transport.show_speed(self.player.speed)
        self._describe()
        self._show_time(self.player.time_ns)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Let the time run on."""
        super().showEvent(event)
        self.player.set_visible(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Let the time stand while nobody sees it."""
        self.player.set_visible(False)
        super().hideEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape gives up the followed row. As a shortcut it would be in the way of the window's, which stops a run."""
        if event.key() == Qt.Key.Key_Escape and (self._followed, self._followed_lock) != (None, None):
            self.follow(None)
            event.accept()
        else:
            super().keyPressEvent(event)

    def follow(self, row: int | None) -> None:
        """Mark a row in every picture and tell what it does; None for all rows."""
        self._follow(row, None)

    def follow_lock(self, lock: int) -> None:
        """Mark a lock in every picture and tell who waits for it."""
        self._follow(None, lock)

    def _follow_its_lock(self) -> None:
        """From the followed row to its lock; from a lock to the next one."""
        if self._timeline is not None and self._timeline.m:
            self.follow_lock(lock_after(self._timeline, self._followed, self._followed_lock))

    def _follow(self, row: int | None, lock: int | None) -> None:
        self._followed, self._followed_lock = row, lock
        self._mark_followed()
        self.transport.show_rows(self._timeline.m if self._timeline else 0, row)
        self._show_time(self.player.time_ns)

    def _mark_followed(self) -> None:
        for canvas in (self.canvas, self.model.canvas):
            if self._followed_lock is not None:
                canvas.set_followed_lock(self._followed_lock)
            else:
                canvas.set_followed(self._followed)

    def set_panel_shown(self, shown: bool) -> None:
        """Show or hide the kernel's text and what goes with it."""
        self._split.wish_panel(shown)

    def moment_svg(self) -> bytes | None:
        """The moment that is shown, as an SVG document with a line of provenance; None where there is no timeline."""
        from lnexplorer.gui.reduction.film import moment_svg  # noqa: PLC0415  (no work for the start of the window)

        scene = self.canvas.scene if self._no_locks.isHidden() else None
        return moment_svg(scene, self.canvas.size(), self.player.time_ns, self._provenance()) if scene is not None else None

    def open_film(self) -> "FilmDialog | None":
        """Ask for a film of the stretch that the lanes show; None where there is no timeline."""
        from lnexplorer.gui.reduction.film_dialog import FilmDialog  # noqa: PLC0415  (no work for the start of the window)

        scene = self.canvas.scene if self._no_locks.isHidden() else None
        if scene is None:
            return None
        self.player.set_playing(False)
        return FilmDialog.ask(scene, self._provenance(), self)

    def _provenance(self) -> str:
        return f"{self.badge.text()} · {self.facts.text()}"

    def _lay_out(self) -> None:
        font = QFont(self.font())
        font.setPointSizeF(TITLE_SIZE)
        self.caption.setFont(font)
        self.caption.setProperty("look", "title")
        words = QHBoxLayout()
        words.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        words.addWidget(self.caption)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.header)
        layout.addWidget(self.fit_bar)
        layout.addWidget(self._split, 1)
        layout.addLayout(words)
        layout.addWidget(self.transport)

    def _connect(self) -> None:
        player, transport = self.player, self.transport
        player.timeChanged.connect(self._show_time)
        player.playingChanged.connect(transport.show_playing)
        player.speedChanged.connect(transport.show_speed)
        transport.playToggled.connect(player.set_playing)
        transport.firstWished.connect(lambda: player.seek(0.0))
        transport.lastWished.connect(lambda: player.seek(player.end_ns))
        transport.previousWished.connect(lambda: self._step(previous_event))
        transport.nextWished.connect(lambda: self._step(next_event))
        transport.seekWished.connect(player.seek_share)
        transport.speedWished.connect(player.set_speed)
        transport.loopToggled.connect(lambda loop: setattr(player, "loop", loop))
        transport.followWished.connect(self.follow)
        transport.resultChosen.connect(self.canvas.set_result)
        self.canvas.resized.connect(lambda: transport.show_result_choice(self.canvas.shows_numbers))
        self.panel.rowClicked.connect(self.follow)
        transport.filmWished.connect(self.open_film)
        transport.panelToggled.connect(self.set_panel_shown)
        self._split.panelShown.connect(transport.show_panel)
        self.comparison.modelChanged.connect(self._show_model)
        for canvas, other in ((self.canvas, self.model.canvas), (self.model.canvas, self.canvas)):
            canvas.seekWished.connect(player.seek)
            canvas.rowClicked.connect(self.follow)
            canvas.lockClicked.connect(self.follow_lock)
            canvas.stretchChanged.connect(other.set_stretch)
        self._simulator.ready.connect(self._prepare)
        keys = {
            "Space": press_or(self, lambda: player.set_playing(not player.playing)),
            "Left": lambda: self._step(previous_event),
            "Right": lambda: self._step(next_event),
            "Home": lambda: player.seek(0.0),
            "End": lambda: player.seek(player.end_ns),
            "+": lambda: player.set_speed(player.speed * _SPEED_STEP),
            "=": lambda: player.set_speed(player.speed * _SPEED_STEP),
            "Z": lambda: self.canvas.zoom(1 / _ZOOM_STEP),
            "Shift+Z": lambda: self.canvas.zoom(_ZOOM_STEP),
            "0": self.canvas.fit,
            "L": self._follow_its_lock,
            "K": lambda: self.set_panel_shown(self.panel.isHidden()),
            "-": lambda: player.set_speed(player.speed / _SPEED_STEP),
        }
        add_shortcuts(self, keys)

    def _step(self, find: Callable[[ReductionTimeline, float, int | None], int | None]) -> None:
        if self._timeline is None:
            return
        found = find(self._timeline, self.player.time_ns, self._followed)
        if found is not None:
            self.player.set_playing(False)
            self.player.seek(found)

    def _prepare(self, timeline: ReductionTimeline) -> None:
        """Show a timeline: at once, or where it is long, when a thread has sorted it."""
        self._background.drop("prepare")
        if timeline.m <= AT_ONCE:
            self._show(prepare(timeline))
        else:
            self._background.ask("prepare", lambda: prepare(timeline), self._show)

    def _show(self, prepared: Prepared) -> None:
        self._prepared = prepared
        timeline = self._timeline = prepared.timeline
        if self._request is not None:
            self._shown = (timeline, self._request, self._model)
            self.comparison.set_trace(prepared, self._request)
        if self._followed is not None and self._followed >= timeline.m:
            self._followed = None
        if self._followed_lock is not None and self._followed_lock >= locks_in_use(timeline):
            self._followed_lock = None
        self.canvas.show_timeline(timeline, prepared.index, barrier=self._barrier)
        self._mark_followed()
        self.transport.show_rows(timeline.m, self._followed)
        self.transport.counted = timeline.counted
        self._add_up()
        self.player.load(timeline.end_ns, SHOWN_SHARE, prepared.index.scale)
        self.viewpoint.take(timeline)

    def _show_model(self, model: Prepared | None) -> None:
        """What the fitted model says beside the trace, on one axis of time; None for the trace alone."""
        if self._prepared is None:
            return
        trace = self._prepared
        longest = max(trace.index.end_ns, model.index.end_ns) if model is not None else 0.0
        if model is not None:
            self.model.show_model(model, longest)
            self._mark_followed()
            self.trace.show_title(trace.timeline.kind, trace.timeline.group_size_m)
        else:
            self.trace.hide_title()
        self.model.setVisible(model is not None)
        self._split.place()
        self.canvas.set_least(longest)
        self.player.set_end(max(trace.timeline.end_ns, model.timeline.end_ns if model is not None else 0))

    def _add_up(self) -> None:
        """Numbers for the cells, where there are some that belong to the timeline."""
        found = self._numbers = cell_numbers(self._timeline, self._partial_rows, self._request)
        self.canvas.set_numbers(found.rows, found.sums, found.buffer_dtype, stored=found.stored, other_run=found.other_run)
        self._describe()

    def _show_time(self, time_ns: float) -> None:
        self.canvas.set_time(time_ns)
        if not self.model.isHidden():
            self.model.canvas.set_time(time_ns)
        self.transport.show_time(time_ns, self.player.share)
        if self._timeline is not None and self._prepared is not None and (now := self.canvas.now) is not None:
            self.caption.setText(self._words(self._timeline, now))
            self.panel.show_moment(self._prepared.index, now, self._followed, self._followed_lock, self._request)
        else:
            self.caption.setText("")
        self.transport.show_result_choice(self.canvas.shows_numbers)

    @property
    def _barrier(self) -> bool:
        return self._request is None or self._request.launch.barrier

    def _words(self, timeline: ReductionTimeline, now: Moment) -> str:
        row = row_in_words(timeline, now, self._followed, self._followed_lock)
        scene = self.canvas.scene
        rounding = rounding_caption(scene, now, row) if scene is not None and row is not None else None
        return rounding or caption(timeline, now, self._followed, self._followed_lock)

    def _describe(self) -> None:
        timeline, request = self._timeline, self._request
        self.header.show_kind(timeline.kind if timeline is not None else Kind.SIMULATED)
        if timeline is None or request is None or self._prepared is None:
            self.header.show_lines("", self.tr("A model of the GPU's schedule"))
            return
        facts, summary = facts_text(timeline, request, self._model), self._prepared.summary
        # Low pictures have no headings, and the sums in their cells must not pass for those of the run.
        numbers = self._numbers
        if numbers.sums is not None:
            facts = f"{order_text(timeline.kind, stored=numbers.stored)} · {facts}"
        figures = summary_text(timeline, summary)
        if numbers.sums is not None and numbers.rows is not None and (numbers.other_run or not numbers.stored):
            figures += " · " + agreement_text(numbers.sums, numbers.rows, request, other_run=numbers.other_run)
        self.header.show_lines(figures, facts, details_text(timeline, summary))

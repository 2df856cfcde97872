"""The reduction of dw and db, animated from a timeline."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.defaults import default_model
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.timeline import Prepared, locks_in_use, next_event, prepare, previous_event
from lnexplorer.domain.views import ReductionView
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.responsive import Background, Delivery
from lnexplorer.gui.kit.theme import GRID, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import (
    ElidedLabel,
    Notice,
    fill_with_stack,
    lay_column,
    lay_row,
    restyle,
)
from lnexplorer.gui.panes.reduction.comparison import FitBar, Header, TraceComparison
from lnexplorer.gui.panes.reduction.side_panel import SidePanel
from lnexplorer.gui.panes.reduction.transport import Transport, add_shortcuts, press_or
from lnexplorer.gui.timeline.canvas import Canvas
from lnexplorer.gui.timeline.captions import caption
from lnexplorer.gui.timeline.facts import (
    agreement_text,
    details_text,
    facts_text,
    summary_text,
)
from lnexplorer.gui.timeline.frame import GROUPINGS, CellNumbers, cell_numbers
from lnexplorer.gui.timeline.player import Player
from lnexplorer.gui.timeline.wording import order_text, time_text
from lnkernels.launch import CATALOGUE
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

if TYPE_CHECKING:
    from lnexplorer.gui.panes.reduction.film_dialog import FilmDialog

SIMULATED_AT_ONCE = 2048  # rows; more are simulated on another thread
MOST_ROWS = 1 << 17  # that are simulated at all
SHOWN_SHARE = 0.4  # of the time, until somebody plays
_TIMELINE = "timeline"  # what work on the other thread is for
# px of the pane; where it has so many the panel is there by itself, and words are large
_WIDE, _WIDE_WITH_MODEL, _TALL = 1240, 1480, 400
_SPEED_STEP, _ZOOM_STEP = 1.25, 1.5
LEAST_DOCUMENT = QSize(480, 320)  # nothing can be read in a smaller one
_PAGE = 0.8  # of the rows on show


class ReductionPane(Retranslated, QWidget):
    """Both stages at a moment, the controls of time, and what happens in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: tuple[ResolvedRequest, SimulationParameters | None] | None = None
        self._shown: tuple[Prepared, ResolvedRequest, SimulationParameters | None] | None = None
        self._partial_rows: PartialRows | None = None
        self._numbers = CellNumbers()
        self._followed: int | None = None
        self._followed_lock: int | None = None
        self._wished: tuple[ReductionTimeline, ReductionView] | None = (
            None  # how a timeline is looked at when it is shown
        )
        self._awaited: ReductionView | None = None  # whose model is on its way
        self._without_locks = ""  # a strategy that has no timeline of locks
        delivery = Delivery()
        background = self._background = Background(delivery, "reduction")
        self.destroyed.connect(
            lambda: _close(background, delivery)
        )  # a bound method would be held weakly
        self.notice = Notice()
        self._stack, content = fill_with_stack(self, self.notice)
        self.header = Header(content)
        self.caption = ElidedLabel(content)
        self.badge = self.header.badge
        self.facts = self.header.facts
        self.figures = self.header.figures
        self._split = QSplitter(Qt.Orientation.Horizontal, content)
        self._split.setChildrenCollapsible(False)
        self._panel_wished: bool | None = None  # None for where there is room
        self.canvas = Canvas(self._split)
        self.model = Canvas(self._split)
        self.model.hide()
        self.panel = SidePanel(self._split)
        for place, (picture, stretch) in enumerate(
            ((self.canvas, 1), (self.model, 1), (self.panel, 0))
        ):
            self._split.addWidget(picture)
            self._split.setStretchFactor(place, stretch)
        self.player = Player(self)
        self.transport = Transport(self.player, content)
        self.fit_bar = FitBar(content)
        self.header.line.addWidget(self.fit_bar.fit)
        self.comparison = TraceComparison(self.fit_bar, background, self)
        self._lay_out(content)
        self._connect()
        self._stack.setCurrentWidget(content)
        self.setFocusProxy(self.canvas)
        self.retranslate()

    def set_problem(self, request: ResolvedRequest, resident_programs: int, sm_count: int) -> None:
        """Simulate a launch and show it. The last of several wins; more than SIMULATED_AT_ONCE rows
        take a moment.

        Args:
            request: the launch.
            resident_programs: programs of stage 1 on the device at once, SMs × occupancy.
            sm_count: SMs.
        """
        self._set_strategy(request.launch.strategy)
        if self._without_locks:
            self._background.drop(_TIMELINE)
            self._asked = None  # what was on its way is asked for again
            self.player.set_playing(False)
            return
        model = default_model(request, max(resident_programs, 1), max(sm_count, 1))
        if (request, model) == self._asked:
            return
        launch, rows = request.launch, min(request.m, MOST_ROWS)
        self._asked = request, model

        def work() -> Prepared:
            blocks = launch.reduce_block_size_m, launch.reduce_block_size_n
            return prepare(simulate(rows, request.n, launch.group_size_m, *blocks, model))

        if rows <= SIMULATED_AT_ONCE:
            self._background.drop(_TIMELINE)
            self._show(work(), request, model)
        else:
            self._background.do(
                work, lambda prepared: self._show(prepared, request, model), _TIMELINE
            )

    def show_timeline(self, timeline: ReductionTimeline, request: ResolvedRequest) -> None:
        self._set_strategy(request.launch.strategy)
        wished = self._wished
        if self._asked is None or request != self._asked[0]:
            self._followed = self._followed_lock = None  # a row of another launch is another row
        model = wished[1].model if wished is not None and wished[0] is timeline else None
        self._asked = request, model
        self._background.drop(_TIMELINE)
        self._show(prepare(timeline), request, model)

    @property
    def shown(
        self,
    ) -> tuple[ReductionTimeline, ResolvedRequest, SimulationParameters | None] | None:
        """The timeline on show, its launch, and the model that it was simulated with; None where
        there is none.
        """
        return (
            None
            if self._without_locks or self._shown is None
            else (self._shown[0].timeline, *self._shown[1:])
        )

    def view(self) -> ReductionView:
        scene = self.canvas.scene
        if self._shown is None:
            return ReductionView()
        return ReductionView(
            time_ns=float(self.player.time_ns),
            stretch_ns=(scene.begin_ns, scene.end_ns) if self.canvas.zoomed else None,
            rows=(scene.top, scene.bottom),
            grouping=scene.grouping,
            row=scene.followed,
            lock=scene.followed_lock,
            result=scene.result,
            model=self._shown[2],
            fitted=self.comparison.fitted,
        )

    def wish_view(self, timeline: ReductionTimeline, view: ReductionView) -> None:
        """Look at a timeline so whenever it is shown from now on; at another one nothing changes."""
        self._wished = (timeline, view)

    def set_partial_rows(self, partial_rows: PartialRows | None) -> None:
        """What each row adds, for the numbers in the cells; None where there are none."""
        self._partial_rows = partial_rows
        self._add_up()

    def apply_theme(self, theme: Theme) -> None:
        self.canvas.apply_theme(theme)
        self.model.apply_theme(theme)
        self.panel.apply_theme(theme)
        self.transport.apply_theme(theme)
        self._show_time(self.player.time_ns)

    def retranslate(self) -> None:
        self.canvas.retranslate()
        self.panel.retranslate()
        self.model.retranslate()
        self.comparison.retranslate()
        self.transport.retranslate()
        self.caption.setAccessibleName(self.tr("What happens"))
        self.caption.setToolTip(self.tr("What happens at this moment"))
        self._set_strategy(self._without_locks)
        self._describe()
        self._show_time(self.player.time_ns)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.player.set_visible(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        restyle(self.caption, "look", "title" if self.height() >= with_text(_TALL) else "strong")
        self._place_panel()

    def hideEvent(self, event: QHideEvent) -> None:
        self.player.set_visible(False)
        super().hideEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and (self._followed, self._followed_lock) != (
            None,
            None,
        ):
            self.follow(None)
            event.accept()
        else:
            super().keyPressEvent(event)

    def group(self, grouping: str) -> None:
        """Group the rows of every picture, by one of GROUPINGS."""
        for canvas in (self.canvas, self.model):
            canvas.set_grouping(grouping)
        self.transport.show_grouping(grouping)

    def _group_otherwise(self) -> None:
        self.group(GROUPINGS[(GROUPINGS.index(self.canvas.scene.grouping) + 1) % len(GROUPINGS)])

    def follow(self, row: int | None) -> None:
        """Mark a row in every picture and tell what it does; None for all rows."""
        self._follow(row, None)

    def follow_lock(self, lock: int) -> None:
        self._follow(None, lock)

    def _follow_its_lock(self) -> None:
        """From the followed row to its lock; from a lock to the next one, and from the last or from
        none to the first.
        """
        if self._shown is not None:
            timeline, lock = (
                self._shown[0].timeline,
                -1 if self._followed_lock is None else self._followed_lock,
            )
            own = (
                timeline.lock[self._followed]
                if self._followed is not None
                else (lock + 1) % locks_in_use(timeline)
            )
            self.follow_lock(int(own))

    def _follow(self, row: int | None, lock: int | None) -> None:
        if self._shown is None:
            return
        rows = self._shown[0].timeline.m
        self._followed = _within(row, rows)
        self._followed_lock = lock
        self._mark_followed()
        self.transport.show_rows(rows, self._followed)
        self._show_time(self.player.time_ns)

    def _mark_followed(self) -> None:
        for canvas in (self.canvas, self.model):
            canvas.follow(self._followed, self._followed_lock)

    def moment_svg(self) -> bytes | None:
        """The moment that is shown, as an SVG document with a line of provenance; None where there
        is no timeline.
        """
        from lnexplorer.gui.charts.picture import chart_picture

        if self.shown is None:
            return None
        return chart_picture(
            self.canvas, self.canvas.size().expandedTo(LEAST_DOCUMENT), self._caption(), "svg"
        )

    def open_film(self) -> "FilmDialog | None":
        """Ask for a film of the stretch that the lanes show; None where there is no timeline."""
        from lnexplorer.gui.panes.reduction.film_dialog import FilmDialog

        if self.shown is None:
            return None
        self.player.set_playing(False)
        dialog = FilmDialog(self.canvas.scene, self._provenance(), self)
        dialog.open()
        return dialog

    def _caption(self) -> tuple[str, str]:
        """What is printed below the picture of a moment."""
        counted = self._shown is not None and self._shown[0].timeline.counted
        return (
            f"{time_text(self.player.time_ns, counted=counted)}: {self.caption.text()}",
            self._provenance(),
        )

    def _provenance(self) -> str:
        environment = self.comparison.environment
        where = (
            ""
            if environment is None or not environment.gpu
            else f"{environment.named_gpu}, {environment.date[:10]}"
        )
        return " · ".join(filter(None, (self.badge.text(), where, self.facts.text())))

    def _lay_out(self, content: QWidget) -> None:
        words = lay_row(None, self.caption, margins=(2 * GRID, 0, 2 * GRID, 0))
        pictures = lay_row(
            None, self._split, margins=(1, 0, 1, 0)
        )  # between the lines of the frame
        lay_column(
            content,
            self.header,
            self.fit_bar,
            (pictures, 1),
            words,
            self.transport,
            spacing=GRID // 2,
        )

    def _connect(self) -> None:
        player, transport = self.player, self.transport
        self.canvas.caption = self._caption
        player.timeChanged.connect(self._show_time)
        transport.previous.clicked.connect(lambda: self._step(previous_event))
        transport.next.clicked.connect(lambda: self._step(next_event))
        transport.followWished.connect(self.follow)
        transport.resultChosen.connect(self.canvas.set_result)
        transport.groupingChosen.connect(self.group)
        self.canvas.resized.connect(lambda: transport.show_result_choice(self.canvas.shows_numbers))
        self.panel.follow.rowClicked.connect(self.follow)
        transport.film.clicked.connect(self.open_film)
        transport.panel.clicked.connect(self.wish_panel)
        self.comparison.modelChanged.connect(self._show_model)
        for canvas, other in ((self.canvas, self.model), (self.model, self.canvas)):
            canvas.seekWished.connect(player.seek)
            canvas.rowClicked.connect(self.follow)
            canvas.lockClicked.connect(self.follow_lock)
            canvas.stretchChanged.connect(other.set_stretch)
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
            "PgUp": lambda: self.canvas.show_more_rows(-_PAGE),
            "PgDown": lambda: self.canvas.show_more_rows(_PAGE),
            "G": self._group_otherwise,
            "L": self._follow_its_lock,
            "K": lambda: self.wish_panel(self.panel.isHidden()),
            "-": lambda: player.set_speed(player.speed / _SPEED_STEP),
        }
        add_shortcuts(self, keys)

    def wish_panel(self, shown: bool) -> None:
        """Show or hide the panel, whether there is room for it or not."""
        self._panel_wished = shown
        self._place_panel()

    def _place_panel(self) -> None:
        """Until somebody chooses, the panel is there where it leaves enough room."""
        wide = _WIDE if self.model.isHidden() else _WIDE_WITH_MODEL
        roomy = self.width() >= with_text(wide) and self.height() >= with_text(_TALL)
        self.panel.setVisible(roomy if self._panel_wished is None else self._panel_wished)
        self.transport.panel.setChecked(not self.panel.isHidden())

    def _step(self, find: Callable[[ReductionTimeline, float, int | None], int | None]) -> None:
        found = (
            find(self._shown[0].timeline, self.player.time_ns, self._followed)
            if self._shown is not None
            else None
        )
        if found is not None:
            self.player.set_playing(False)
            self.player.seek(found)

    def _set_strategy(self, strategy: str) -> None:
        """Where a strategy has no locks, say why there is no timeline of them."""
        self._without_locks = "" if strategy == "locked" else strategy
        if self._without_locks:
            why = self.tr(
                "No row waits for another one's buffer, so there is no timeline of locks. Strategy"
                " locked has one."
            )
            title = self.tr("Strategy {name} has no lock timeline").format(name=strategy)
            self.notice.set_text(
                title, f"{translate_message(CATALOGUE[strategy].summary)}\n\n{why}"
            )
        self._stack.setCurrentIndex(0 if self._without_locks else 1)

    def _show(
        self, prepared: Prepared, request: ResolvedRequest, model: SimulationParameters | None
    ) -> None:
        self._shown = (prepared, request, model)
        timeline = prepared.timeline
        self.comparison.set_trace(prepared, request)
        self._followed = _within(self._followed, timeline.m)
        self._followed_lock = _within(self._followed_lock, locks_in_use(timeline))
        self.canvas.show_timeline(timeline, barrier=request.launch.barrier)
        self._mark_followed()
        self.transport.show_rows(timeline.m, self._followed)
        self.transport.counted = timeline.counted
        self._add_up()
        self.player.load(timeline.end_ns, SHOWN_SHARE)
        self._take_wished_view(timeline)

    def _take_wished_view(self, timeline: ReductionTimeline) -> None:
        self._awaited = None
        if self._wished is None or self._wished[0] is not timeline:
            return
        view = self._wished[1]
        self._follow(_within(view.row, timeline.m), _within(view.lock, timeline.group_size_m))
        if view.result in self.transport.results:
            self.transport.results[view.result].setChecked(True)
            self.canvas.set_result(view.result)
        self._look(view)
        if view.fitted is not None:
            self._awaited = view
            self.comparison.show_fitted(view.fitted)

    def _look(self, view: ReductionView) -> None:
        if view.grouping in GROUPINGS:
            self.group(view.grouping)
        if view.stretch_ns is not None:
            self.canvas.set_stretch(*view.stretch_ns, *view.rows)
        self.player.seek(view.time_ns)

    def _show_model(self, model: Prepared | None) -> None:
        """What the fitted model says beside the trace, on one axis of time; None for the trace
        alone.
        """
        if self._shown is None:
            return
        trace = self._shown[0].timeline
        longest = 1.01 * max(trace.end_ns, model.timeline.end_ns) if model is not None else 0.0
        if model is not None:
            self.model.show_timeline(model.timeline, longest)
            self.model.set_grouping(self.canvas.scene.grouping)
            self._mark_followed()
        for canvas in (self.canvas, self.model):
            canvas.set_titled(model is not None)
        if (
            self.model.isHidden() and model is not None
        ):  # a second picture takes half, not what the panel has left
            half = (self.canvas.width() - self._split.handleWidth()) // 2
            self._split.setSizes([half, half, self.panel.width()])
        self.model.setVisible(model is not None)
        self._place_panel()
        self.canvas.set_least(longest)
        self.player.set_end(max(trace.end_ns, model.timeline.end_ns if model is not None else 0))
        if model is not None and self._awaited is not None:  # the time axis may be longer now
            self._look(self._awaited)
            self._awaited = None

    def _add_up(self) -> None:
        """Numbers for the cells, where there are some that belong to the timeline."""
        if self._shown is not None:
            prepared, request, _ = self._shown
            self._numbers = cell_numbers(prepared.timeline, self._partial_rows, request)
            self.canvas.set_numbers(self._numbers)
            self._describe()

    def _show_time(self, time_ns: float) -> None:
        self.canvas.set_time(time_ns)
        if not self.model.isHidden():
            self.model.set_time(time_ns)
        self.transport.show_time()
        if self._shown is not None:
            (prepared, request, _), now = self._shown, self.canvas.now
            self.caption.setText(
                caption(prepared.timeline, now, self._followed, self._followed_lock)
            )
            self.panel.show_moment(
                prepared.timeline, now, self._followed, self._followed_lock, request
            )
        self.transport.show_result_choice(self.canvas.shows_numbers)

    def _describe(self) -> None:
        if self._shown is None:
            self.header.badge.show_kind(Kind.SIMULATED)
            self.header.show_lines("", self.tr("A model of the GPU's schedule"))
            return
        (prepared, request, model), numbers = self._shown, self._numbers
        timeline = prepared.timeline
        self.header.badge.show_kind(timeline.kind)
        facts, figures = (
            facts_text(timeline, request, model),
            summary_text(timeline, prepared.summary),
        )
        # Low pictures have no headings, and the sums in their cells must not pass for those of the
        # run.
        if numbers.sums is not None:
            facts = f"{order_text(timeline.kind, stored=numbers.stored)} · {facts}"
        if (
            numbers.sums is not None
            and numbers.rows is not None
            and (numbers.other_run or not numbers.stored)
        ):
            figures += " · " + agreement_text(
                numbers.sums, numbers.rows, request, other_run=numbers.other_run
            )
        self.header.show_lines(figures, facts, details_text(timeline, prepared.summary))


def _close(background: Background, delivery: Delivery) -> None:
    background.close()
    with suppress(RuntimeError):  # at the program's end Qt may have taken it away already
        delivery.close()


def _within(place: int | None, count: int) -> int | None:
    """A row or lock that was followed, where there is such a one: a file may name any."""
    return place if place is not None and 0 <= place < count else None

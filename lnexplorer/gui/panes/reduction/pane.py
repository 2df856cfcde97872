"""The reduction of dw and db, animated from a timeline."""

from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.simulation.prediction import default_model
from lnexplorer.domain.timeline import Prepared, next_event, prepare, previous_event
from lnexplorer.domain.views import ReductionView
from lnexplorer.gui.kit import (
    GRID,
    Arranged,
    ElidedLabel,
    Notice,
    Retranslated,
    Veil,
    fill_with_stack,
    lay_column,
    lay_row,
    restyle,
    scroll_area,
    translate_message,
    with_text,
)
from lnexplorer.gui.kit.responsive import Background, Delivery
from lnexplorer.gui.panes.reduction.comparison import FitBar, TimelineHeader, TraceComparison
from lnexplorer.gui.panes.reduction.pictures import TALL, Pictures, within
from lnexplorer.gui.panes.reduction.transport import Transport
from lnexplorer.gui.timeline.captions import caption
from lnexplorer.gui.timeline.frame import GROUPINGS, cell_numbers
from lnexplorer.gui.timeline.player import Player
from lnexplorer.gui.timeline.wording import time_text
from lnkernels.launch import CATALOGUE
from lnkernels.values import Sentence, Words, join_sentences, say
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.timeline import ReductionTimeline

SIMULATED_AT_ONCE = 2048  # rows; more are simulated on another thread
MOST_ROWS = 1 << 17  # that are simulated at all
SHOWN_SHARE = 0.4  # of the time, until the user plays
_TIMELINE = "timeline"  # key of the work on the other thread
_SPEED_STEP, _ZOOM_STEP = 1.25, 1.5
_PAGE = 0.8  # of the rows on show


class ReductionPane(Retranslated, Arranged, QWidget):
    """Both stages at a moment, the controls of time, and a caption."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: tuple[ResolvedRequest, SimulationParameters | None] | None = None
        self._shown: tuple[Prepared, ResolvedRequest, SimulationParameters | None] | None = None
        self._partial_rows: PartialRows | None = None
        self._pinned: tuple[ReductionTimeline | None, Sentence | None] = (None, None)
        self._wished: tuple[ReductionTimeline, ReductionView] | None = None  # see `wish_view`
        self._awaited: ReductionView | None = None  # whose model is on its way
        delivery = Delivery()
        background = self._background = Background(delivery, "reduction")
        # A bound method would be held weakly.
        self.destroyed.connect(lambda: _close(background, delivery))
        self.notice = Notice()
        self._stack, content = fill_with_stack(self, self.notice)
        self.header = TimelineHeader()
        self.caption = ElidedLabel()
        self.pictures = Pictures()
        self.canvas = self.pictures.canvas
        self.model = self.pictures.model
        self.panel = self.pictures.panel
        self.player = Player(self)
        self.transport = Transport(self.player, self.pictures)
        self.fit_bar = FitBar()
        self.header.line.addWidget(self.fit_bar.fit)
        self.comparison = TraceComparison(self.fit_bar, background, self)
        scroll = scroll_area(content)  # so that the controls of time stay in sight
        scroll.setWidget(self.pictures)
        self.pictures.setAutoFillBackground(False)
        pictures = lay_row(None, scroll, margins=(1, 0, 1, 0))  # between the frame's lines
        words = lay_row(None, self.caption, margins=(2 * GRID, 0, 2 * GRID, 0))
        parts = (self.header, self.fit_bar, (pictures, 1), words, self.transport)
        lay_column(content, *parts, spacing=GRID // 2)
        self.veil = Veil(content)
        self._connect()
        _add_keys(self)
        self._stack.setCurrentWidget(content)
        self.setFocusProxy(self.canvas)
        self.transport.setFocusProxy(self.canvas)
        self.write(self.caption.setAccessibleName, say("What happens"))
        self.header.badge.show_kind(Kind.SIMULATED)
        self.header.show_lines("", say("A model of the GPU's schedule"))

    def _connect(self) -> None:
        player, transport, pictures = self.player, self.transport, self.pictures
        self.canvas.caption = self.lines_below
        player.timeChanged.connect(self._show_time)
        pictures.seekWished.connect(player.seek)
        pictures.summed.connect(self._tell_sums)
        pictures.followChanged.connect(lambda: self._show_time(player.time_ns))
        transport.previous.clicked.connect(lambda: self.step(previous_event))
        transport.next.clicked.connect(lambda: self.step(next_event))
        self.comparison.modelChanged.connect(self._show_model)

    def set_problem(self, request: ResolvedRequest, resident_programs: int, sm_count: int) -> None:
        """Simulate a launch and show it. The newest call wins; more than SIMULATED_AT_ONCE rows
        take a moment.

        Args:
            request: the launch.
            resident_programs: programs of stage 1 on the device at once, SMs × occupancy.
            sm_count: SMs.
        """
        if not self._show_strategy(request):
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

    def show_timeline(
        self,
        timeline: ReductionTimeline,
        request: ResolvedRequest,
        environment: Environment | None = None,
    ) -> None:
        """Show a timeline of a launch, and where it was made if that is known."""
        self._show_strategy(request)
        wished = self._wished
        if self._asked is None or request != self._asked[0]:
            self.pictures.row = self.pictures.lock = None  # a row of another launch is another row
        model = wished[1].model if wished is not None and wished[0] is timeline else None
        self._asked = request, model
        self._background.drop(_TIMELINE)
        self._show(prepare(timeline), request, model, environment)

    def show_pinned(
        self, timeline: ReductionTimeline | None, title: Sentence | None = None
    ) -> None:
        """Show the timeline of A below the one on show, with its title; None for none."""
        self._pinned = timeline, title
        if self.comparison.fitted is None:
            self._show_model(None)

    @property
    def shown(
        self,
    ) -> tuple[ReductionTimeline, ResolvedRequest, SimulationParameters | None] | None:
        """The timeline on show, its launch, and the model that it was simulated with; None if there
        is none.
        """
        if self._shown is None or self._stack.currentWidget() is self.notice:
            return None
        return (self._shown[0].timeline, *self._shown[1:])

    def view(self) -> ReductionView:
        """Return how the timeline is shown."""
        scene = self.canvas.scene
        if self._shown is None:
            return ReductionView()
        return ReductionView(
            time_ns=float(self.player.time_ns),
            stretch_ns=(scene.begin_ns, scene.end_ns) if scene.zoomed else None,
            rows=(scene.top, scene.bottom),
            grouping=scene.grouping,
            row=scene.followed,
            lock=scene.followed_lock,
            result=scene.result,
            model=self._shown[2],
            fitted=self.comparison.fitted,
        )

    def wish_view(self, timeline: ReductionTimeline, view: ReductionView) -> None:
        """Apply a view to a timeline whenever it is shown from now on."""
        self._wished = (timeline, view)

    def set_partial_rows(self, partial_rows: PartialRows | None) -> None:
        """Set the partial sums of each row for the numbers in the cells; None if there are none."""
        self._partial_rows = partial_rows
        if self._shown is not None:
            prepared, request, model = self._shown
            numbers = cell_numbers(prepared.timeline, partial_rows, request)
            self.canvas.set_numbers(numbers)
            self.header.describe(prepared, request, model, numbers)

    def apply_theme(self) -> None:
        self._show_time(self.player.time_ns)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.player.set_visible(True)

    def arrange(self) -> None:
        large = min(self.height(), self.width() // 2) >= with_text(TALL)
        restyle(self.caption, "look", "title" if large else "strong")
        self.pictures.fit_panel(self.size())

    def hideEvent(self, event: QHideEvent) -> None:
        self.player.set_visible(False)
        super().hideEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        followed = (self.pictures.row, self.pictures.lock) != (None, None)
        if event.key() == Qt.Key.Key_Escape and followed:
            self.follow(None)
            event.accept()
        else:
            super().keyPressEvent(event)

    def follow(self, row: int | None) -> None:
        """Mark a row in every picture and describe it; None for all rows."""
        self.pictures.follow(row)

    def lines_below(self) -> tuple[str, str]:
        """Return the lines below the picture of a moment."""
        time = time_text(self.player.time_ns, counted=self.pictures.timeline.counted)
        said = join_sentences((time, self.caption.text()), ": ")
        return translate_message(said), self.provenance()

    def provenance(self) -> str:
        """Return where the timeline on show comes from, in a line."""
        environment, where = self.comparison.environment, list[Words]()
        if environment is not None and environment.gpu:
            where = [join_sentences((environment.named_gpu or "", environment.date[:10]), ", ")]
        texts = (self.header.badge.text(), *where, self.header.facts.text())
        return translate_message(join_sentences(texts, " · "))

    def step(self, find: Callable[[ReductionTimeline, float, int | None], int | None]) -> None:
        """Go to the event that a function finds from a timeline, a time and the followed row."""
        found = find(self.pictures.timeline, self.player.time_ns, self.pictures.row)
        if found is not None:
            self.player.set_playing(False)
            self.player.seek(found)

    def _show_strategy(self, request: ResolvedRequest) -> bool:
        """Show the pictures; if the strategy has no locks, say why there is no timeline of them,
        and return False.
        """
        strategy = request.launch.strategy
        if strategy != "locked":
            why = say(
                "No row waits for another one's buffer, so there is no timeline of locks. Strategy"
                " locked has one."
            )
            self.notice.set_text(
                say("Strategy {name} has no lock timeline", name=strategy),
                join_sentences([CATALOGUE[strategy].summary, why], "\n\n"),
            )
        self._stack.setCurrentIndex(1 if strategy == "locked" else 0)
        return strategy == "locked"

    def _show(
        self,
        prepared: Prepared,
        request: ResolvedRequest,
        model: SimulationParameters | None,
        environment: Environment | None = None,
    ) -> None:
        self._shown = (prepared, request, model)
        timeline = prepared.timeline
        self.comparison.set_trace(prepared, request, environment)
        self.pictures.show_timeline(timeline, atomic_count=request.launch.atomic_count)
        self.transport.show_clock(counted=timeline.counted)
        self.set_partial_rows(self._partial_rows)
        self.player.load(timeline.end_ns, SHOWN_SHARE)
        if self._pinned[0] is not None:
            self._show_model(None)
        self._awaited = None
        if self._wished is not None and self._wished[0] is timeline:
            self._apply(timeline, self._wished[1])

    def _apply(self, timeline: ReductionTimeline, view: ReductionView) -> None:
        row, lock = within(view.row, timeline.m), within(view.lock, timeline.group_size_m)
        self.pictures.follow(row, lock)
        self.transport.choose_result(view.result)
        self._look(view)
        if view.fitted is not None:
            self._awaited = view
            self.comparison.show_fitted(view.fitted)

    def _look(self, view: ReductionView) -> None:
        if view.grouping in GROUPINGS:
            self.pictures.group(view.grouping)
        if view.stretch_ns is not None:
            self.canvas.set_stretch(*view.stretch_ns, *view.rows)
        self.player.seek(view.time_ns)

    def _show_model(self, model: Prepared | None) -> None:
        timeline, title = self._pinned if model is None else (model.timeline, None)
        self.pictures.show_other(timeline, title)
        self.pictures.fit_panel(self.size())
        ends = [each.end_ns for each in (self.pictures.timeline, timeline) if each is not None]
        self.player.set_end(max(ends))
        if timeline is not None and self._awaited is not None:  # the time axis may be longer now
            self._look(self._awaited)
            self._awaited = None

    def _tell_sums(self, sentence: Sentence) -> None:
        """Tell of a stretch in the caption, until the playhead moves."""
        self.player.set_playing(False)
        self.write(self.caption.setText, sentence)

    def _show_time(self, time_ns: float) -> None:
        request = None if self._shown is None else self._shown[1]
        self.pictures.show_time(time_ns, request)
        self.transport.show_time()
        if request is not None:
            pictures, now = self.pictures, self.canvas.now
            self.transport.show_rows(now.timeline.m, pictures.row)
            text = caption(now, pictures.row, pictures.lock)
            self.write(self.caption.setText, text)
        self.transport.show_result_choice()


def _add_keys(pane: ReductionPane) -> None:
    player, canvas, pictures = pane.player, pane.canvas, pane.pictures
    keys = {
        "Space": lambda: player.set_playing(not player.playing),
        "Return": lambda: _press(pane),
        "Left": lambda: pane.step(previous_event),
        "Right": lambda: pane.step(next_event),
        "Home": lambda: player.seek(0.0),
        "End": lambda: player.seek(player.end_ns),
        "+": lambda: player.set_speed(player.speed * _SPEED_STEP),
        "=": lambda: player.set_speed(player.speed * _SPEED_STEP),
        "-": lambda: player.set_speed(player.speed / _SPEED_STEP),
        "Z": lambda: canvas.zoom(1 / _ZOOM_STEP),
        "Shift+Z": lambda: canvas.zoom(_ZOOM_STEP),
        "0": canvas.fit,
        "PgUp": lambda: canvas.scroll_rows(-_PAGE),
        "PgDown": lambda: canvas.scroll_rows(_PAGE),
        "G": pictures.group_otherwise,
        "L": pictures.follow_next_lock,
        "S": canvas.sum_up,
        "K": lambda: pictures.show_panel(pictures.panel.isHidden()),
    }
    for key, action in keys.items():
        shortcut = QShortcut(QKeySequence(key), pane)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(action)


def _press(pane: ReductionPane) -> None:
    """Click the button that has the keyboard, as the space bar always plays."""
    focus = pane.focusWidget()
    if isinstance(focus, QAbstractButton) and focus.hasFocus():
        focus.click()


def _close(background: Background, delivery: Delivery) -> None:
    background.close()
    with suppress(RuntimeError):  # at the program's end Qt may have taken it away already
        delivery.close()

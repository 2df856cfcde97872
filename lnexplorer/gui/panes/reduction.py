"""The reduction of dw and db, animated from a timeline."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QHideEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from lnexplorer.domain.moments import Moment, locks_in_use, next_event, previous_event
from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums
from lnexplorer.domain.provenance import KIND_HELP, Kind
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import PartialRows
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import ScheduleModel, simulate
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.painter.wording import order_text
from lnexplorer.gui.reduction.background import Background
from lnexplorer.gui.reduction.canvas import Canvas
from lnexplorer.gui.reduction.captions import caption, rounding_caption, row_in_words
from lnexplorer.gui.reduction.description import agreement_text, buffer_dtype, details_text, facts_text, summary_text
from lnexplorer.gui.reduction.elided_label import ElidedLabel
from lnexplorer.gui.reduction.no_locks import NoLocks
from lnexplorer.gui.reduction.player import Player
from lnexplorer.gui.reduction.preparation import AT_ONCE, Prepared, prepare
from lnexplorer.gui.reduction.side_panel import SidePanel
from lnexplorer.gui.reduction.simulator import Simulator
from lnexplorer.gui.reduction.transport import Transport
from lnexplorer.gui.style import with_text
from lnexplorer.gui.theme import GRID, TITLE_SIZE, Theme

if TYPE_CHECKING:
    from lnexplorer.gui.reduction.film_dialog import FilmDialog

SIMULATED_AT_ONCE = 4096  # rows; more are simulated in the background
MOST_ROWS = 1 << 20  # that are simulated at all
SHOWN_SHARE = 0.4  # of the time, until somebody plays
_SPEED_STEP = 1.25
_ROOM_FOR_PANEL = 1180  # px; a pane this wide has the panel beside the animation


class ReductionPane(QWidget):
    """Both stages at a moment, the controls of time, and what happens in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timeline: ReductionTimeline | None = None
        self._request: ResolvedRequest | None = None
        self._model: ScheduleModel | None = None
        self._partial_rows: PartialRows | None = None
        self._sums: OrderedSums | None = None
        self._followed: int | None = None
        self._followed_lock: int | None = None
        self.badge = QLabel(self)
        self.facts, self.figures, self.caption = (ElidedLabel(self) for _ in range(3))
        self._split = QSplitter(Qt.Orientation.Horizontal, self)
        self.canvas = Canvas(self._split)
        self.panel = SidePanel(self._split)
        self._panel_wished: bool | None = None  # None is where there is room
        self.transport = Transport(self)
        self.player = Player(self)
        self._no_locks = NoLocks(self)
        self._simulator = Simulator(self)
        self._background = Background(self)
        self._prepared: Prepared | None = None
        self._lay_out()
        self._connect()
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
        self._request, self._model = request, None
        self._prepare(timeline)

    def set_partial_rows(self, partial_rows: PartialRows | None) -> None:
        """What each row adds, for the numbers in the cells; None where there are none."""
        self._partial_rows = partial_rows
        self._add_up()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.canvas.apply_theme(theme)
        self.panel.apply_theme(theme)
        self.transport.apply_theme(theme)
        self.transport.retranslate()  # its widths are those of texts
        self.transport.show_speed(self.player.speed)
        self._show_time(self.player.time_ns)

    def retranslate(self) -> None:
        """Write all texts."""
        self.canvas.retranslate()
        self.panel.retranslate()
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
        self._followed, self._followed_lock = row, None
        self.canvas.set_followed(row)
        self.transport.show_rows(self._timeline.m if self._timeline else 0, row)
        self._show_time(self.player.time_ns)

    def follow_lock(self, lock: int) -> None:
        """Mark a lock in every picture and tell who waits for it."""
        self._followed, self._followed_lock = None, lock
        self.canvas.set_followed_lock(lock)
        self.transport.show_rows(self._timeline.m if self._timeline else 0, None)
        self._show_time(self.player.time_ns)

    def set_panel_shown(self, shown: bool) -> None:
        """Show or hide the kernel's text and what goes with it."""
        self._panel_wished = shown
        self._place_panel()

    def moment_svg(self) -> bytes | None:
        """The moment that is shown, as an SVG document with a line of provenance; None where there is no timeline."""
        from lnexplorer.gui.reduction.still import moment_svg  # noqa: PLC0415  (no work for the start of the window)

        scene = self.canvas.scene
        return moment_svg(scene, self.canvas.size(), self.player.time_ns, self._provenance()) if scene is not None else None

    def open_film(self) -> "FilmDialog | None":
        """Ask for a film of the stretch that the lanes show; None where there is no timeline."""
        from lnexplorer.gui.reduction.film_dialog import FilmDialog  # noqa: PLC0415  (no work for the start of the window)

        scene = self.canvas.scene
        if scene is None:
            return None
        self.player.set_playing(False)
        scale = scene.indexed().scale
        dialog = FilmDialog(scene, (scale.true(scene.begin_ns), scale.true(scene.end_ns)), self._provenance(), self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def _provenance(self) -> str:
        return f"{self.badge.text()} · {self.facts.text()}"

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Until somebody chooses, the panel is there where it leaves enough room."""
        super().resizeEvent(event)
        self._place_panel()

    def _place_panel(self) -> None:
        shown = self._panel_wished if self._panel_wished is not None else self.width() >= with_text(_ROOM_FOR_PANEL)
        if shown != (not self.panel.isHidden()):
            self.panel.setVisible(shown)
        self.transport.show_panel(shown)

    def _lay_out(self) -> None:
        self.badge.setProperty("look", "badge")
        self.facts.setProperty("look", "muted")
        self.figures.setProperty("look", "strong")
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        font = QFont(self.font())
        font.setPointSizeF(TITLE_SIZE)
        self.caption.setFont(font)
        self.caption.setProperty("look", "title")
        header = QHBoxLayout()
        header.setContentsMargins(2 * GRID, GRID, 2 * GRID, 0)
        header.setSpacing(GRID)
        header.addWidget(self.badge)
        described = QVBoxLayout()
        described.setSpacing(0)
        described.addWidget(self.figures)
        described.addWidget(self.facts)
        header.addLayout(described, 1)
        words = QHBoxLayout()
        words.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        words.addWidget(self.caption)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addLayout(header)
        self._split.setChildrenCollapsible(False)
        self._split.setStretchFactor(0, 1)
        self._split.setStretchFactor(1, 0)
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
        transport.seekWished.connect(lambda share: player.seek(share * player.end_ns))
        transport.speedWished.connect(player.set_speed)
        transport.loopToggled.connect(lambda loop: setattr(player, "loop", loop))
        transport.followWished.connect(self.follow)
        transport.resultChosen.connect(self.canvas.set_result)
        self.canvas.seekWished.connect(player.seek)
        self.canvas.rowClicked.connect(self.follow)
        self.canvas.lockClicked.connect(self.follow_lock)
        self.panel.rowClicked.connect(self.follow)
        transport.filmWished.connect(self.open_film)
        transport.panelToggled.connect(self.set_panel_shown)
        self._simulator.ready.connect(self._prepare)
        keys = {
            "Space": self._play_or_press,
            "Left": lambda: self._step(previous_event),
            "Right": lambda: self._step(next_event),
            "Home": lambda: player.seek(0.0),
            "End": lambda: player.seek(player.end_ns),
            "+": lambda: player.set_speed(player.speed * _SPEED_STEP),
            "=": lambda: player.set_speed(player.speed * _SPEED_STEP),
            "K": lambda: self.set_panel_shown(self.panel.isHidden()),
            "-": lambda: player.set_speed(player.speed / _SPEED_STEP),
        }
        for key, action in keys.items():
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(action)

    def _play_or_press(self) -> None:
        """A button with the keyboard is pressed by the space bar, as everywhere."""
        focus = self.focusWidget()
        if isinstance(focus, QAbstractButton) and focus.hasFocus():
            focus.click()
        else:
            self.player.set_playing(not self.player.playing)

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
        if self._followed is not None and self._followed >= timeline.m:
            self._followed = None
        if self._followed_lock is not None and self._followed_lock >= locks_in_use(timeline):
            self._followed_lock = None
        self.canvas.show_timeline(timeline, prepared.index)
        if self._followed_lock is not None:
            self.canvas.set_followed_lock(self._followed_lock)
        else:
            self.canvas.set_followed(self._followed)
        self.transport.show_rows(timeline.m, self._followed)
        self._add_up()
        self.player.load(timeline.end_ns, SHOWN_SHARE * timeline.end_ns)

    def _add_up(self) -> None:
        """Sum the run's partial rows in the timeline's order, where they belong to it."""
        rows, timeline, self._sums = self._partial_rows, self._timeline, None
        if rows is not None and (timeline is None or rows.dw.shape != (timeline.m, timeline.n)):
            rows = None
        if rows is not None and timeline is not None and self._request is not None:
            self._sums = ordered_sums(rows, timeline, buffer_dtype(self._request))
        self.canvas.set_numbers(rows, self._sums, buffer_dtype(self._request) if self._request is not None else "float32")
        self._describe()

    def _show_time(self, time_ns: float) -> None:
        self.canvas.set_time(time_ns)
        self.transport.show_time(time_ns, self.player.end_ns)
        if self._timeline is not None and (now := self.canvas.now) is not None:
            self.caption.setText(self._words(self._timeline, now))
            barrier = self._request is None or self._request.launch.barrier
            self.panel.show_moment(self._timeline, now, self._followed, self._followed_lock, barrier=barrier)
        else:
            self.caption.setText("")
        self.transport.show_result_choice(self.canvas.shows_numbers)

    def _words(self, timeline: ReductionTimeline, now: Moment) -> str:
        row = row_in_words(timeline, now, self._followed, self._followed_lock)
        scene = self.canvas.scene
        rounding = rounding_caption(scene, now, row) if scene is not None and row is not None else None
        return rounding or caption(timeline, now, self._followed, self._followed_lock)

    def _describe(self) -> None:
        timeline, request = self._timeline, self._request
        kind = timeline.kind if timeline is not None else Kind.SIMULATED
        self.badge.setText(domain_text(kind.value))
        self.badge.setToolTip(domain_text(KIND_HELP[kind]))
        self._set_tone("warning" if kind is Kind.SIMULATED else "good")
        if timeline is None or request is None or self._prepared is None:
            self.facts.setText(self.tr("A model of the GPU's schedule"))
            self.figures.setText("")
            return
        facts = facts_text(timeline, request, self._model)
        # Low pictures have no headings, and the sums in their cells must not pass for those of the run.
        self.facts.setText(facts if self._sums is None else f"{order_text(kind)} · {facts}")
        self.facts.setToolTip(self.facts.text())
        summary = self._prepared.summary
        figures = summary_text(summary)
        if self._sums is not None and self._partial_rows is not None:
            figures += " · " + agreement_text(self._sums, self._partial_rows, request)
        self.figures.setText(figures)
        self.figures.setToolTip(f"{figures}\n{details_text(summary)}")

    def _set_tone(self, tone: str) -> None:
        if self.badge.property("tone") != tone:
            self.badge.setProperty("tone", tone)
            self.badge.style().unpolish(self.badge)
            self.badge.style().polish(self.badge)

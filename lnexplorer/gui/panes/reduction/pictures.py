"""Pictures of a trace and of a model beside each other, and the panel beside them: the row or lock
that is followed, and the source of the kernel.
"""

import math
from functools import partial
from html import escape

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import Moment, locks_in_use
from lnexplorer.gui.kit import (
    GRID,
    ElidedLabel,
    Label,
    Retranslated,
    Theme,
    lay_column,
    translate_message,
    with_text,
)
from lnexplorer.gui.panes.reduction.difference import DifferenceView
from lnexplorer.gui.timeline.canvas import Canvas, title_of
from lnexplorer.gui.timeline.captions import (
    WAITING_ROWS,
    described_row,
    in_stage2,
    lock_title,
    row_phases,
    row_title,
)
from lnexplorer.gui.timeline.frame import GROUPINGS
from lnexplorer.gui.timeline.source import (
    FILE,
    KernelStep,
    SourceView,
    kernel_source,
    step_of_adding,
    step_of_row,
)
from lnexplorer.gui.timeline.wording import time_text
from lnkernels.values import Sentence, Words, join_sentences, say
from lnkernels.values.timeline import ReductionTimeline

MOST_LINES = 6  # of the table
Line = tuple[Words, Words, Words]


class FollowView(Retranslated, QWidget):
    """Phases of the followed row, or the queue of the followed lock, with numbers.

    A click on a row of the queue asks to follow it. The lines are one text, so that Tab has no
    table to get lost in.
    """

    rowClicked = Signal(object)  # int

    def __init__(self) -> None:
        super().__init__()
        self.title = Label(self, look="strong", wordWrap=True)
        self.table = Label(
            self,
            textInteractionFlags=Qt.TextInteractionFlag.LinksAccessibleByMouse,
            alignment=Qt.AlignmentFlag.AlignTop,
        )
        self.table.linkActivated.connect(lambda row: self.rowClicked.emit(int(row)))
        self.write_on(self.table, name=say("Followed row or lock"))
        self.lines: list[Line] = []  # the head first
        self._rows: list[int] = []  # to which the lines link
        lay_column(self, self.title, self.table, 1, spacing=GRID // 2)

    def show_row(self, now: Moment, row: int) -> None:
        lines: list[Line] = [(say("phase"), say("from"), say("takes"))]
        for state, name, begin, length in row_phases(now.timeline, row):
            marked = say("▸ {phase}", phase=name) if state == now.state[row] else name
            lines.append((marked, begin, length))
        self._show(row_title(now.timeline, row), lines, [])

    def show_lock(self, now: Moment, lock: int, *, atomic_count: bool) -> None:
        """Show holder, count and queue of a lock; `atomic_count` says how it is raised."""
        queue, times_of = now.queue(lock), partial(time_text, counted=now.timeline.counted)
        lines: list[Line] = [(WAITING_ROWS, say("since"), say("for"))]
        shown = queue if len(queue) <= MOST_LINES else queue[: MOST_LINES - 1]
        for place, row in enumerate(shown, 1):
            since = int(now.timeline.wanted_ns[row])
            name = say("{place}. row {row:,}", place=place, row=row)
            lines.append((name, times_of(since), times_of(now.time_ns - since)))
        if more := len(queue) - len(shown):
            lines.append((say("… and {count:,} more", count=more), "", ""))
        self._show(lock_title(now, lock, atomic_count=atomic_count), lines, shown)

    def show_nothing(self) -> None:
        self._show(say("Click a row or a lock to follow it."), [], [])

    def _show(self, title: Sentence, lines: list[Line], rows: list[int]) -> None:
        self.write(self.title.setText, title)
        if (lines, rows) != (self.lines, self._rows):  # most moments change nothing
            self.lines = lines
            self._rows = rows
            self.retranslate()

    def retranslate(self) -> None:
        self.table.setVisible(bool(self.lines))
        if not self.lines:
            return
        cells = [[escape(translate_message(text)) for text in line] for line in self.lines]
        for row, line in zip(self._rows, cells[1:], strict=False):
            style = f"text-decoration: none; color: {Theme.current.text}"
            line[0] = f'<a href="{row}" style="{style}">{line[0]}</a>'
        markup = ""
        for tag, lines in (("th", cells[:1]), ("td", cells[1:])):
            for name, begin, length in lines:
                right = f"<{tag} align=right>"
                markup += f"<tr><{tag} align=left>{name}</{tag}>{right}{begin}</{tag}>"
                markup += f"{right}{length}</{tag}></tr>"
        self.table.set_markup(
            f'<table width="100%" cellspacing="0" cellpadding="1">{markup}</table>'
        )
        # A queue that grows and shrinks moves nothing below it. Chinese lines are higher than the
        # font says.
        self.table.setMinimumHeight(0)  # which is in the hint
        high = self.table.sizeHint().height() / len(cells)
        most = MOST_LINES + 1 if self._rows else len(cells)
        self.table.setFixedHeight(math.ceil(most * high))

    apply_theme = retranslate


_WIDTH = 440  # px


class SidePanel(Retranslated, QWidget):
    """Shows the followed row or lock, and the kernel's source; computes nothing while hidden."""

    def __init__(self) -> None:
        super().__init__(minimumWidth=30 * GRID)
        self.follow = FollowView()
        self.source_caption = self.write_on(
            ElidedLabel(self, look="muted"),
            say("{file}: where the followed program is", file=FILE),
            say(
                "A row's start, its first try, and taking and giving back the lock are timed."
                " Between the last two its lines are spread over the time."
            ),
        )
        self.source = self.write_on(SourceView(), name=say("Source of the kernels"))
        # A moment, the followed row and lock, and the launch.
        self._shown: tuple[Moment, int | None, int | None, ResolvedRequest] | None = None
        lay_column(
            self,
            self.follow,
            self.source_caption,
            (self.source, 1),
            margins=(GRID, GRID, 2 * GRID, 0),
            spacing=GRID // 2,
        )

    def sizeHint(self) -> QSize:
        return QSize(with_text(_WIDTH), with_text(_WIDTH))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)

    def show_moment(
        self, now: Moment, row: int | None, lock: int | None, request: ResolvedRequest
    ) -> None:
        """Show a moment with the followed row or lock; the launch says which of the kernel's
        branches were taken.
        """
        self._shown = (now, row, lock, request)
        if self.isVisible():
            self._update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._update()
        QTimer.singleShot(0, self, self._load)

    def _update(self) -> None:
        if self._shown is None:
            self.follow.show_nothing()
            return
        now, row, lock, request = self._shown
        timeline, launch = now.timeline, request.launch
        if row is not None and row < timeline.m:
            self.follow.show_row(now, row)
        elif lock is not None and lock < now.holder.size:
            self.follow.show_lock(now, lock, atomic_count=launch.atomic_count)
        else:
            self.follow.show_nothing()
        for part in (self.source, self.source_caption):  # of `locked`
            part.setVisible(not timeline.source)
        if timeline.source or not self.source.file:  # which is read a moment later
            return
        described, step = described_row(now, row, lock), None
        if described is not None:
            adding = step_of_adding(request, interpreted=timeline.counted)
            step = step_of_row(now, described, barrier=launch.barrier, adding=adding)
        elif lock is None and in_stage2(now):
            step = KernelStep.SUM
        self.source.mark(kernel_source().steps.get(step) if step is not None else None)

    def _load(self) -> None:
        self.source.show_file(FILE, lambda: kernel_source().lines)
        self._update()


LOW, HIGH = 20, 24  # of a picture above another one, and of one alone
# px of the pane; if it has so many the panel is there by itself
_WIDE, _WIDE_WITH_MODEL, TALL = 1240, 1480, 400
# px of a pane: if it is lower and so wide, the difference of two timelines stands beside them
TALL_WITH_DIFFERENCE, WIDE_WITH_DIFFERENCE = 700, 1100


class Pictures(QSplitter):
    """The timeline on show, a model's beside it, and a panel; they share time, stretch, grouping
    and the followed row or lock.
    """

    seekWished = Signal(float)  # ns
    followChanged = Signal()
    summed = Signal(object)  # Sentence about a stretch that was selected
    groupingChanged = Signal(str)
    panelPlaced = Signal(bool)  # whether the panel is shown

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self.canvas = Canvas()
        self.model = Canvas()
        self.model.hide()
        self.panel = SidePanel()
        self.canvases = (self.canvas, self.model)
        self.row: int | None = None  # that is followed
        self.lock: int | None = None  # that is followed
        self._panel_wished: bool | None = None  # None until the user chooses
        self._roomy = False  # the panel has room
        self.difference = DifferenceView(self)  # of two timelines
        self.difference.hide()
        self._both = QSplitter(childrenCollapsible=False)
        for canvas in self.canvases:
            self._both.addWidget(canvas)
        self._compared = QSplitter(
            Qt.Orientation.Vertical, childrenCollapsible=False
        )  # both, and their difference
        self._compared.addWidget(self._both)
        self._compared.addWidget(self.difference)
        self._compared.setStretchFactor(0, 1)
        self.addWidget(self._compared)
        self.addWidget(self.panel)
        self.setStretchFactor(0, 1)
        for canvas, other in ((self.canvas, self.model), (self.model, self.canvas)):
            canvas.seekWished.connect(self.seekWished)
            canvas.summed.connect(self.summed)
            canvas.rowClicked.connect(self.follow)
            canvas.lockClicked.connect(lambda lock: self.follow(None, lock))
            canvas.stretchChanged.connect(other.set_stretch)
        self.panel.follow.rowClicked.connect(self.follow)
        self.difference.linkActivated.connect(lambda row: self.follow(int(row)))

    @property
    def timeline(self) -> ReductionTimeline:
        """The timeline on show; without rows until there is one."""
        return self.canvas.scene.timeline

    def show_timeline(self, timeline: ReductionTimeline, *, atomic_count: bool) -> None:
        self.row = within(self.row, timeline.m)
        self.lock = within(self.lock, locks_in_use(timeline))
        self.canvas.show_timeline(timeline, atomic_count=atomic_count)
        self.canvas.follow(self.row, self.lock)

    def show_other(self, timeline: ReductionTimeline | None, title: Sentence | None = None) -> None:
        """Show another timeline with the one on show, on one time axis; None for that alone.

        Args:
            timeline: a model's, which stands beside it, or one with a title, which stands below it.
            title: of the other one.
        """
        longest = 0.0
        vertical = Qt.Orientation.Vertical
        self._both.setOrientation(Qt.Orientation.Horizontal if title is None else vertical)
        for canvas, shown in zip(self.canvases, (self.timeline, timeline), strict=True):
            canvas.set_title("" if timeline is None or shown is None else title_of(shown))
            canvas.setMinimumHeight((HIGH if title is None else LOW) * GRID)
        self.difference.hide()
        if title is not None:
            self.model.set_title(title)
            apart: Words = ""
            if timeline is not None and self.timeline.m:
                apart = self.difference.show_traces(timeline, self.timeline)
            # In a low pane the view below is out of sight.
            parts = say("B: {title}", title=title_of(self.timeline)), apart
            self.canvas.set_title(join_sentences(parts, " · "))
        if timeline is not None:
            longest = 1.01 * max(self.timeline.end_ns, timeline.end_ns)
            self.model.show_timeline(timeline, longest)
            self.model.set_grouping(self.canvas.scene.grouping)
            self.model.follow(self.row, self.lock)
            if self.model.isHidden():
                self._both.setSizes([1, 1])
        self.model.setVisible(timeline is not None)
        self.canvas.set_least(longest)

    def show_time(self, time_ns: float, request: ResolvedRequest | None) -> None:
        """Show a moment; the launch is for the panel."""
        for canvas in self.canvases:
            if not canvas.isHidden():
                canvas.set_time(time_ns)
        if request is not None:
            self.panel.show_moment(self.canvas.now, self.row, self.lock, request)

    def follow(self, row: int | None, lock: int | None = None) -> None:
        """Mark a row or a lock in every picture."""
        self.row = within(row, self.timeline.m)
        self.lock = lock
        for canvas in self.canvases:
            canvas.follow(self.row, lock)
        self.followChanged.emit()

    def follow_next_lock(self) -> None:
        """Go from the followed row to its lock; from a lock to the next one, and from the last or
        from none to the first.
        """
        timeline = self.timeline
        if self.row is not None:
            self.follow(None, int(timeline.lock[self.row]))
        elif timeline.m:
            last = -1 if self.lock is None else self.lock
            self.follow(None, (last + 1) % locks_in_use(timeline))

    def group(self, grouping: str) -> None:
        """Group the rows of every picture, by one of GROUPINGS."""
        for canvas in self.canvases:
            canvas.set_grouping(grouping)
        self.groupingChanged.emit(grouping)

    def group_otherwise(self) -> None:
        """Go on to the next of GROUPINGS."""
        now = GROUPINGS.index(self.canvas.scene.grouping)
        self.group(GROUPINGS[(now + 1) % len(GROUPINGS)])

    def show_panel(self, shown: bool) -> None:
        """Show or hide the panel, whether there is room for it or not."""
        self._panel_wished = shown
        self._place_panel()

    def fit_panel(self, size: QSize) -> None:
        """Show the panel if a pane of this size has room, unless the user has chosen; and the
        difference, below the timelines or beside them.
        """
        wide = _WIDE if self.model.isHidden() else _WIDE_WITH_MODEL
        low = size.height() < with_text(TALL_WITH_DIFFERENCE)
        beside = low and size.width() >= with_text(WIDE_WITH_DIFFERENCE)
        directions = Qt.Orientation
        self._compared.setOrientation(directions.Horizontal if beside else directions.Vertical)
        self._roomy = size.width() >= with_text(wide) and size.height() >= with_text(TALL)
        self._place_panel()

    def _place_panel(self) -> None:
        self.panel.setVisible(self._roomy if self._panel_wished is None else self._panel_wished)
        self.panelPlaced.emit(not self.panel.isHidden())


def within(place: int | None, count: int) -> int | None:
    """Return the number of a row or a lock if there is such a one: a file may name any."""
    return place if place is not None and 0 <= place < count else None

"""Beside the animation: what is followed, and the kernel's text."""

import math
from functools import partial
from html import escape

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import Moment, queue_of
from lnexplorer.gui.kit.theme import GRID, Theme, with_text
from lnexplorer.gui.kit.widgets import ElidedLabel, Label, lay_column
from lnexplorer.gui.timeline.captions import (
    in_stage2,
    lock_title,
    row_in_words,
    row_phases,
    row_title,
)
from lnexplorer.gui.timeline.source import (
    FILE,
    KernelStep,
    SourceView,
    kernel_source,
    step_of_adding,
    step_of_row,
)
from lnexplorer.gui.timeline.wording import number, time_text, words
from lnkernels.values.timeline import ReductionTimeline

MOST_LINES = 6  # of the table


class FollowView(QWidget):
    """What the followed row has done and will do, or who wants the followed lock, with numbers.

    A click on a row of the queue wishes to follow it. The lines are one text, so that Tab has no
    table to get lost in.
    """

    rowClicked = Signal(object)  # int

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = Label(self)
        self.table = Label(self)
        self.title.setWordWrap(True)
        self.title.setProperty("look", "strong")
        self.table.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse)
        self.table.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.table.linkActivated.connect(lambda row: self.rowClicked.emit(int(row)))
        self.lines: list[tuple[str, str, str]] = []  # on show
        self._shown: object = None
        lay_column(self, self.title, self.table, 1, spacing=GRID // 2)

    def show_row(self, timeline: ReductionTimeline, now: Moment, row: int) -> None:
        heads = words("phase"), words("from"), words("takes")
        phases = row_phases(timeline, row)
        lines = [
            (f"▸ {name}" if state == now.state[row] else name, begins, takes)
            for state, name, begins, takes in phases
        ]
        self._show(row_title(timeline, row), heads, lines, [])

    def show_lock(
        self, timeline: ReductionTimeline, now: Moment, lock: int, *, barrier: bool
    ) -> None:
        """Holder, count and queue of a lock; `barrier` says whether the launch had it."""
        queue = queue_of(timeline, now.state, lock)
        heads = words("want it, the longest first"), words("since"), words("for")
        shown = queue if len(queue) <= MOST_LINES else queue[: MOST_LINES - 1]
        lines, times_of = [], partial(time_text, counted=timeline.counted)
        for place, row in enumerate(shown, 1):
            since = int(timeline.wanted_ns[row])
            name = words("row {0}", number(row))
            lines.append((f"{place}. {name}", times_of(since), times_of(now.time_ns - since)))
        if len(shown) < len(queue):
            more = words("… and {0} more", number(len(queue) - len(shown)))
            lines.append((more, "", ""))
        self._show(lock_title(now, lock, barrier=barrier), heads, lines, shown)

    def show_nothing(self) -> None:
        self._show(words("Click a row or a lock to follow it."), ("", "", ""), [], [])

    def _show(
        self,
        title: str,
        heads: tuple[str, str, str],
        lines: list[tuple[str, str, str]],
        rows: list[int],
    ) -> None:
        self.title.setText(title)
        self.table.setVisible(any(heads))
        shown = (heads, lines, rows)
        if shown == self._shown:  # most moments change nothing, and a change is laid out
            return
        self._shown = shown
        self.lines = lines
        names = [escape(name) for name, _, _ in lines]
        for place, row in enumerate(rows):
            names[place] = (
                f'<a href="{row}" style="text-decoration: none; color:'
                f' palette(text)">{names[place]}</a>'
            )
        body = [
            f"<tr><td>{name}</td><td align=right>{begins}</td><td align=right>{takes}</td></tr>"
            for name, (_, begins, takes) in zip(names, lines, strict=True)
        ]
        head = (
            f"<tr><th align=left>{heads[0]}</th><th align=right>{heads[1]}</th><th"
            f" align=right>{heads[2]}</th></tr>"
        )
        self.table.set_markup(
            f'<table width="100%" cellspacing="0" cellpadding="1">{head}{"".join(body)}</table>'
        )
        # A queue that grows and shrinks moves nothing below it. Chinese lines are higher than the
        # font says.
        self.table.setMinimumHeight(0)  # which is in the hint
        high = self.table.sizeHint().height() / (len(lines) + 1)
        self.table.setFixedHeight(math.ceil(((MOST_LINES if rows else len(lines)) + 1) * high))


_WIDTH = 440  # px


class SidePanel(QWidget):
    """Is told the moment and what is followed; nothing is worked out while nobody sees it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.follow = FollowView(self)
        self.source_caption = ElidedLabel(self)
        self.source_caption.setProperty("look", "muted")
        self.source = SourceView(self)
        self._shown: (
            tuple[ReductionTimeline, Moment, int | None, int | None, ResolvedRequest] | None
        ) = None
        lay_column(
            self,
            self.follow,
            self.source_caption,
            (self.source, 1),
            margins=(GRID, GRID, 2 * GRID, 0),
            spacing=GRID // 2,
        )
        self.setMinimumWidth(30 * GRID)

    def sizeHint(self) -> QSize:
        return QSize(with_text(_WIDTH), with_text(_WIDTH))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)

    def show_moment(
        self,
        timeline: ReductionTimeline,
        now: Moment,
        row: int | None,
        lock: int | None,
        request: ResolvedRequest,
    ) -> None:
        """Show a moment with the followed row or lock; the launch tells which of the kernel's
        branches were taken.
        """
        self._shown = (timeline, now, row, lock, request)
        if self.isVisible():
            self._update()

    def apply_theme(self, theme: Theme) -> None:
        self.source.apply_theme(theme)

    def retranslate(self) -> None:
        self.source.setAccessibleName(words("Source of the kernels"))
        self.follow.table.setAccessibleName(words("What is followed"))
        self.source_caption.setText(words("{0}: where the followed program is", FILE))
        self.source_caption.setToolTip(
            words(
                "A row's start, its first try, and taking and giving back the lock are timed."
                " Between the last two its lines are spread over the time."
            )
        )
        self._update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._update()
        QTimer.singleShot(0, self, self._load)

    def _update(self) -> None:
        if self._shown is None:
            self.follow.show_nothing()
            return
        timeline, now, row, lock, request = self._shown
        barrier = request.launch.barrier
        if row is not None and row < timeline.m:
            self.follow.show_row(timeline, now, row)
        elif lock is not None and lock < now.holder.size:
            self.follow.show_lock(timeline, now, lock, barrier=barrier)
        else:
            self.follow.show_nothing()
        for part in (self.source, self.source_caption):  # of `locked`
            part.setVisible(not timeline.source)
        if timeline.source:
            return
        about, step = row_in_words(timeline, now, row, lock), None
        if about is not None:
            adding = step_of_adding(request, interpreted=timeline.counted)
            step = step_of_row(timeline, about, now.time_ns, barrier=barrier, adding=adding)
        elif lock is None and in_stage2(timeline, now.time_ns):
            step = KernelStep.SUM
        if self.source.file:  # it has been read
            self.source.mark(kernel_source().steps.get(step) if step is not None else None)

    def _load(self) -> None:
        self.source.show_file(FILE, lambda: kernel_source().lines)
        self._update()

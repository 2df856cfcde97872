"""Beside the animation: what is followed, the numbers that the rows share, and the kernel's text."""

from PySide6.QtCore import QCoreApplication, QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from lnexplorer.domain.moments import Moment
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.gui.reduction.captions import in_stage2, row_in_words
from lnexplorer.gui.reduction.elided_label import ElidedLabel
from lnexplorer.gui.reduction.follow_view import MOST_LINES, FollowView
from lnexplorer.gui.reduction.kernel_source import FILE, Step, step_of_adding, step_of_row
from lnexplorer.gui.reduction.lock_numbers import LockNumbers
from lnexplorer.gui.reduction.painter.timeline_index import TimelineIndex
from lnexplorer.gui.reduction.source_view import SourceView
from lnexplorer.gui.shell.style import with_text
from lnexplorer.gui.shell.theme import GRID, Theme

_WIDTH = 440  # px
_TALL, _LOW = 460, 360  # px; in a lower panel the table has fewer lines, and the numbers' caption is in their tooltip
_FEW_LINES, _FEWEST_LINES = 5, 3  # of the table
_SOURCE_LINES = 3  # of the source at least


class SidePanel(QWidget):
    """Is told the moment and what is followed; nothing is worked out while nobody sees it."""

    rowClicked = Signal(object)  # noqa: N815  # int

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.follow = FollowView(self)
        self.numbers = LockNumbers(self)
        self.numbers_caption = QLabel(self)
        self.numbers_caption.setWordWrap(True)
        self.numbers_caption.setProperty("look", "muted")
        self.source_caption = ElidedLabel(self)
        self.source_caption.setProperty("look", "muted")
        self.source = SourceView(self)
        self._shown: tuple[TimelineIndex, Moment, int | None, int | None, ResolvedRequest | None] | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, 2 * GRID, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.follow)
        layout.addWidget(self.numbers)
        layout.addWidget(self.numbers_caption)
        layout.addWidget(self.source_caption)
        layout.addWidget(self.source, 1)
        self.follow.rowClicked.connect(self.rowClicked)
        self.setMinimumWidth(30 * GRID)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for most lines of code."""
        return QSize(with_text(_WIDTH), with_text(_WIDTH))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """In less height it shows less."""
        return QSize(super().minimumSizeHint().width(), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show as much as there is room for, and always a part of the source."""
        super().resizeEvent(event)
        tall, low = event.size().height() >= with_text(_TALL), event.size().height() < with_text(_LOW)
        self.follow.set_lines(MOST_LINES if tall else _FEWEST_LINES if low else _FEW_LINES)
        self.numbers_caption.setVisible(not low)
        self.source.setMinimumHeight(_SOURCE_LINES * self.source.fontMetrics().lineSpacing())
        self._update()

    def show_moment(
        self,
        index: TimelineIndex,
        now: Moment,
        row: int | None,
        lock: int | None,
        request: ResolvedRequest | None = None,
    ) -> None:
        """Show a moment with the followed row or lock; the launch tells which of the kernel's branches were taken."""
        self._shown = (index, now, row, lock, request)
        if self.isVisible():
            self._update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.numbers.apply_theme(theme)
        self.source.apply_theme(theme)
        self.follow.apply_theme()

    def retranslate(self) -> None:
        """Write all texts."""
        self.source.setAccessibleName(QCoreApplication.translate("reduction", "Source of the kernels"))
        self.follow.table.setAccessibleName(QCoreApplication.translate("reduction", "What is followed"))
        self.source_caption.setText(QCoreApplication.translate("reduction", "{0}: where the followed program is").format(FILE))
        self.source_caption.setToolTip(
            QCoreApplication.translate(
                "reduction",
                "A row's start, its first try, and taking and giving back the lock are timed. Between the last two its lines are "
                "spread over the time.",
            )
        )
        self._update()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Catch up. The text comes a turn of the event loop later: laying it out takes as long as all the rest."""
        super().showEvent(event)
        self._update()
        QTimer.singleShot(0, self, self.source.load)

    def _update(self) -> None:
        if self._shown is None:
            self.follow.show_nothing()
            return
        index, now, row, lock, request = self._shown
        timeline, barrier = index.timeline, request is None or request.launch.barrier
        if row is not None and row < timeline.m:
            self.follow.show_row(timeline, now, row)
        elif lock is not None and lock < now.holder.size:
            self.follow.show_lock(index, now, lock, barrier=barrier)
        else:
            self.follow.show_nothing()
        self.numbers.show_moment(timeline.group_size_m, now, barrier=barrier)
        self.numbers_caption.setText(self.numbers.caption())
        self.numbers.setToolTip(self.numbers.caption())
        about = row_in_words(timeline, now, row, lock)
        if about is not None:
            adding = step_of_adding(request, interpreted=timeline.counted)
            self.source.show_step(step_of_row(timeline, about, now.time_ns, barrier=barrier, adding=adding))
        else:
            self.source.show_step(Step.SUM if lock is None and in_stage2(timeline, now.time_ns) else None)

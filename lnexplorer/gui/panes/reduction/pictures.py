"""Pictures of a trace and of a model beside each other, and the panel beside them."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import locks_in_use
from lnexplorer.gui.kit.theme import with_text
from lnexplorer.gui.panes.reduction.side_panel import SidePanel
from lnexplorer.gui.timeline.canvas import Canvas
from lnexplorer.gui.timeline.frame import GROUPINGS
from lnkernels.values.timeline import ReductionTimeline

# px of the pane; if it has so many the panel is there by itself
_WIDE, _WIDE_WITH_MODEL, TALL = 1240, 1480, 400


class Pictures(QSplitter):
    """The timeline on show, a model's beside it, and a panel; they share time, stretch, grouping
    and the followed row or lock.
    """

    seekWished = Signal(float)  # ns
    followChanged = Signal()
    groupingChanged = Signal(str)
    panelPlaced = Signal(bool)  # whether the panel is shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setChildrenCollapsible(False)
        self.canvas = Canvas(self)
        self.model = Canvas(self)
        self.model.hide()
        self.panel = SidePanel(self)
        self.canvases = (self.canvas, self.model)
        self.row: int | None = None  # that is followed
        self.lock: int | None = None  # that is followed
        self._panel_wished: bool | None = None  # None until the user chooses
        self._roomy = False  # the panel has room
        for place, (part, stretch) in enumerate(
            ((self.canvas, 1), (self.model, 1), (self.panel, 0))
        ):
            self.addWidget(part)
            self.setStretchFactor(place, stretch)
        for canvas, other in ((self.canvas, self.model), (self.model, self.canvas)):
            canvas.seekWished.connect(self.seekWished)
            canvas.rowClicked.connect(lambda row: self.follow(row, None))
            canvas.lockClicked.connect(lambda lock: self.follow(None, lock))
            canvas.stretchChanged.connect(other.set_stretch)
        self.panel.follow.rowClicked.connect(lambda row: self.follow(row, None))

    @property
    def timeline(self) -> ReductionTimeline:
        """The timeline on show; without rows until there is one."""
        return self.canvas.scene.timeline

    def show_timeline(self, timeline: ReductionTimeline, *, barrier: bool) -> None:
        self.row = within(self.row, timeline.m)
        self.lock = within(self.lock, locks_in_use(timeline))
        self.canvas.show_timeline(timeline, barrier=barrier)
        self.canvas.follow(self.row, self.lock)

    def show_model(self, timeline: ReductionTimeline | None) -> None:
        """Show a model's timeline beside the trace, on one time axis; None for the trace alone."""
        longest = 0.0
        for canvas in self.canvases:
            canvas.set_titled(timeline is not None)
        if timeline is not None:
            longest = 1.01 * max(self.timeline.end_ns, timeline.end_ns)
            self.model.show_timeline(timeline, longest)
            self.model.set_grouping(self.canvas.scene.grouping)
            self.model.follow(self.row, self.lock)
            if self.model.isHidden():  # it takes half of the picture, not what the panel has left
                half = (self.canvas.width() - self.handleWidth()) // 2
                self.setSizes([half, half, self.panel.width()])
        self.model.setVisible(timeline is not None)
        self.canvas.set_least(longest)

    def show_time(self, time_ns: float, request: ResolvedRequest | None) -> None:
        """Show a moment; the launch is for the panel."""
        for canvas in self.canvases:
            if not canvas.isHidden():
                canvas.set_time(time_ns)
        if request is not None:
            self.panel.show_moment(self.canvas.now, self.row, self.lock, request)

    def follow(self, row: int | None, lock: int | None) -> None:
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
        """Show the panel if a pane of this size has room, unless the user has chosen."""
        wide = _WIDE if self.model.isHidden() else _WIDE_WITH_MODEL
        self._roomy = size.width() >= with_text(wide) and size.height() >= with_text(TALL)
        self._place_panel()

    def _place_panel(self) -> None:
        self.panel.setVisible(self._roomy if self._panel_wished is None else self._panel_wished)
        self.panelPlaced.emit(not self.panel.isHidden())


def within(place: int | None, count: int) -> int | None:
    """Return the number of a row or a lock if there is such a one: a file may name any."""
    return place if place is not None and 0 <= place < count else None

"""What is told while a timeline plays, in plain words."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.lecture.passings import Passing, PassingKind, latest
from lnexplorer.domain.moments import locks_in_use
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.painter.wording import number, time_text

translate = QCoreApplication.translate


def passing_text(timeline: ReductionTimeline, time_ns: float) -> str:
    """What happened last; empty at the end of the timeline, where there is a summary to tell."""
    passing = latest(timeline, time_ns)
    return _told(passing, timeline) if passing is not None else ""


def _told(passing: Passing, timeline: ReductionTimeline) -> str:
    form = {
        PassingKind.START: translate("lecture", "The programs start, one for each row. At most {count} are on the GPU at once."),
        PassingKind.FIRST_LOCK: translate("lecture", "{time}: row {row} takes lock {lock}, the first of all."),
        PassingKind.FIRST_WAIT: translate(
            "lecture", "{time}: row {row} is the first that has to wait: another row gets lock {lock} before it."
        ),
        PassingKind.MOST_WAIT: translate("lecture", "{time}: {count} rows wait at once, never more."),
        PassingKind.HALF: translate("lecture", "{time}: half of the rows are in their buffers."),
        PassingKind.LAST_START: translate("lecture", "{time}: the last row starts. From now on the GPU empties."),
        PassingKind.LONGEST_WAIT: translate(
            "lecture", "{time}: row {row} gets lock {lock} after {length}, the longest wait of all."
        ),
        PassingKind.LAST_RELEASE: translate("lecture", "{time}: row {row} gives the last lock back. Stage 1 ends."),
        PassingKind.TILES: translate("lecture", "{time}: stage 2 begins. {count} programs add up the {buffers} buffers."),
        PassingKind.END: "",
    }[passing.kind]
    return form.format(
        time=time_text(passing.time_ns, counted=timeline.counted),
        row=number(passing.row),
        lock=int(timeline.lock[passing.row]),
        count=number(passing.count),
        length=time_text(passing.length_ns, counted=timeline.counted),
        buffers=number(locks_in_use(timeline)),
    )

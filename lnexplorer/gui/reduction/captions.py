"""What happens at a moment, in plain words."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.moments import EventKind, Moment, RowState, latest_event, queue_of
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.painter.wording import number, time_text

FEW_ROWS = 64  # up to so many, single events are told


def caption(timeline: ReductionTimeline, now: Moment, followed: int | None) -> str:
    """A sentence about the followed row, about the last event, or about all rows."""
    if followed is not None and followed < timeline.m:
        return row_caption(timeline, now, followed)
    if timeline.tile_start_ns.size and now.time_ns >= int(timeline.tile_start_ns.min()):
        return _stage2_caption(now)
    if timeline.m <= FEW_ROWS:
        return _event_caption(timeline, now)
    return QCoreApplication.translate(
        "reduction", "{0}: rows computing {1}, waiting for a lock {2}, adding {3}, done {4} of {5}."
    ).format(
        time_text(now.time_ns),
        number(now.count(RowState.COMPUTING)),
        number(now.count(RowState.WAITING)),
        number(now.count(RowState.HOLDING)),
        number(now.count(RowState.DONE)),
        number(timeline.m),
    )


def row_caption(timeline: ReductionTimeline, now: Moment, row: int) -> str:
    """What a row's program does."""
    lock = int(timeline.lock[row])
    match RowState(int(now.state[row])):
        case RowState.PENDING:
            return QCoreApplication.translate("reduction", "Row {0} has not started: no place on the GPU is free yet.").format(
                row
            )
        case RowState.COMPUTING:
            return QCoreApplication.translate("reduction", "Row {0} computes its dx and its partial sums.").format(row)
        case RowState.WAITING:
            return _waiting_caption(timeline, now, row, lock)
        case RowState.HOLDING:
            return _holding_caption(timeline, row, lock)
        case RowState.DONE:
            return QCoreApplication.translate("reduction", "Row {0} is in buffer {1}; it has given lock {1} back.").format(
                row, lock
            )


def _event_caption(timeline: ReductionTimeline, now: Moment) -> str:
    event = latest_event(timeline, now.time_ns)
    if event is None:
        return QCoreApplication.translate("reduction", "Nothing has started yet.")
    row = event.subject
    lock = int(timeline.lock[row])
    match event.kind:
        case EventKind.START:
            return QCoreApplication.translate("reduction", "Row {0} starts: it computes its dx and its partial sums.").format(row)
        case EventKind.WANTED:
            return _waiting_caption(timeline, now, row, lock)
        case EventKind.HELD:
            return _holding_caption(timeline, row, lock)
        case _:
            return _released_caption(timeline, now, row, lock)


def _waiting_caption(timeline: ReductionTimeline, now: Moment, row: int, lock: int) -> str:
    holder = int(now.holder[lock])
    if holder < 0:
        return QCoreApplication.translate("reduction", "Row {0} tries lock {1}, which nobody holds.").format(row, lock)
    waiting = len(queue_of(timeline, now.state, lock))
    if waiting > 1:
        text = QCoreApplication.translate("reduction", "Row {0} waits for lock {1}, held by row {2}; {3} rows wait for it.")
        return text.format(row, lock, holder, number(waiting))
    return QCoreApplication.translate("reduction", "Row {0} waits for lock {1}, held by row {2}.").format(row, lock, holder)


def _holding_caption(timeline: ReductionTimeline, row: int, lock: int) -> str:
    before = int(timeline.order[row])
    if before == 0:
        text = QCoreApplication.translate("reduction", "Row {0} holds lock {1}: the count is 0, so it stores without adding.")
        return text.format(row, lock)
    text = QCoreApplication.translate(
        "reduction", "Row {0} holds lock {1}: the count is {2}, so it loads buffer {1}, adds, stores."
    )
    return text.format(row, lock, number(before))


def _released_caption(timeline: ReductionTimeline, now: Moment, row: int, lock: int) -> str:
    if now.count(RowState.DONE) == timeline.m:
        return QCoreApplication.translate("reduction", "All rows are in the buffers: stage 2 can begin.")
    waiting = int(now.waiting[lock])
    if waiting == 0:
        return QCoreApplication.translate("reduction", "Row {0} gives lock {1} back; nobody waits for it.").format(row, lock)
    if waiting == 1:
        return QCoreApplication.translate("reduction", "Row {0} gives lock {1} back; row {2} can take it.").format(
            row, lock, queue_of(timeline, now.state, lock)[0]
        )
    text = QCoreApplication.translate("reduction", "Row {0} gives lock {1} back; one of {2} waiting rows can take it.")
    return text.format(row, lock, number(waiting))


def _stage2_caption(now: Moment) -> str:
    done, tiles = int((now.tile_progress >= 1).sum()), now.tile_progress.size
    if done == tiles:
        return QCoreApplication.translate("reduction", "Both stages are done: dw and db are complete.")
    text = QCoreApplication.translate("reduction", "Stage 2 adds the buffers column by column; tiles done: {0} of {1}.")
    return text.format(number(done), number(tiles))

"""What happens at a moment, in plain words."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.moments import EventKind, Moment, RowState, latest_event, queue_of
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.painter.frame import Scene
from lnexplorer.gui.reduction.painter.holding import ADDED, hold_share
from lnexplorer.gui.reduction.painter.number_lines import rounding_losses
from lnexplorer.gui.reduction.painter.wording import number, time_text

FEW_ROWS = 64  # up to so many, single events are told
_BITS = {"float16": 11, "bfloat16": 8}  # significant ones of an element type


def caption(timeline: ReductionTimeline, now: Moment, followed: int | None, followed_lock: int | None = None) -> str:
    """A sentence about the followed row or lock, about the last event, or about all rows."""
    if followed is not None and followed < timeline.m:
        return row_caption(timeline, now, followed)
    if followed_lock is not None and followed_lock < now.holder.size:
        return lock_caption(now, followed_lock)
    if in_stage2(timeline, now.time_ns):
        return _stage2_caption(now)
    if timeline.m <= FEW_ROWS:
        return _event_caption(timeline, now)
    return QCoreApplication.translate("reduction", "{0}: computing {1}, waiting {2}, adding {3}, done {4} of {5} rows.").format(
        time_text(now.time_ns, counted=timeline.counted),
        number(now.count(RowState.COMPUTING)),
        number(now.count(RowState.WAITING)),
        number(now.count(RowState.HOLDING)),
        number(now.count(RowState.DONE)),
        number(timeline.m),
    )


def in_stage2(timeline: ReductionTimeline, time_ns: float) -> bool:
    """Whether stage 2 has begun."""
    return bool(timeline.tile_start_ns.size) and time_ns >= int(timeline.tile_start_ns.min())


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


def lock_caption(now: Moment, lock: int) -> str:
    """Who holds a lock, and how many wait."""
    holder, waiting, added = int(now.holder[lock]), number(int(now.waiting[lock])), number(int(now.added[lock]))
    if holder >= 0:
        text = QCoreApplication.translate(
            "reduction", "Row {0} holds lock {1}. Rows that wait for it: {2}; rows in its buffer: {3}."
        )
        return text.format(number(holder), lock, waiting, added)
    text = QCoreApplication.translate("reduction", "Nobody holds lock {0}. Rows that wait for it: {1}; rows in its buffer: {2}.")
    return text.format(lock, waiting, added)


def row_in_words(timeline: ReductionTimeline, now: Moment, followed: int | None, followed_lock: int | None) -> int | None:
    """The row that the words and the code are about: the followed one, the followed lock's holder, or of few the last to act."""
    if followed is not None:
        return followed if followed < timeline.m else None
    if followed_lock is not None:
        holder = int(now.holder[followed_lock]) if followed_lock < now.holder.size else -1
        return holder if holder >= 0 else None
    if in_stage2(timeline, now.time_ns) or timeline.m > FEW_ROWS:
        return None
    event = latest_event(timeline, now.time_ns)
    return event.subject if event is not None else None


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


def rounding_caption(scene: Scene, now: Moment, row: int) -> str | None:
    """What a row's store into its buffer changes, while it happens; None where nothing is stored now, or nothing can be lost."""
    rows, sums, timeline = scene.partial_rows, scene.sums, scene.timeline
    if rows is None or sums is None or scene.buffer_dtype not in _BITS or now.state[row] != RowState.HOLDING:
        return None
    if hold_share(timeline, row, now.time_ns) < ADDED:
        return None
    partial, after = (rows.dw, sums.dw_after) if scene.result == "dw" else (rows.db, sums.db_after)
    before = int(sums.previous[row])
    exact = partial[row] if before < 0 else after[before] + partial[row]
    lost = rounding_losses(exact, after[row])
    worst = max(range(len(lost)), key=lambda column: abs(lost[column]))
    text = QCoreApplication.translate(
        "reduction", "Row {0} stores in {1} ({2} bits): in column {3}, {4} becomes {5}, off by {6}."
    )
    values = (float(exact[worst]), float(after[row][worst]), lost[worst])
    texts = (f"{value:{form}}".replace("-", "−") for value, form in zip(values, (".6g", ".6g", "+.2g"), strict=True))
    return text.format(row, scene.buffer_dtype, _BITS[scene.buffer_dtype], worst, *texts)

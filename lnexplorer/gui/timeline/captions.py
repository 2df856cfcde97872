"""What happens at a moment, what is shown, and what it amounts to, in words."""

from itertools import pairwise

from lnexplorer.domain.ordered_sums import OrderedSums
from lnexplorer.domain.timeline import (
    EventKind,
    Moment,
    RowState,
    buffers_read,
    latest_event,
    locks_in_use,
    phase_times,
    queue_of,
)
from lnexplorer.gui.timeline.frame import Hit
from lnexplorer.gui.timeline.wording import number, short_state, states_of, time_text, words
from lnkernels.values.timeline import ReductionTimeline

FEW_ROWS = 64  # up to so many, single events are told


def caption(
    timeline: ReductionTimeline, now: Moment, followed: int | None, followed_lock: int | None = None
) -> str:
    """A sentence about the followed row or lock, about the last event, or about all rows."""
    if followed is not None and followed < timeline.m:
        return row_caption(timeline, now, followed)
    if followed_lock is not None and followed_lock < now.holder.size:
        return lock_caption(now, followed_lock)
    if in_stage2(timeline, now.time_ns):
        return _stage2_caption(now)
    if timeline.m <= FEW_ROWS:
        return _event_caption(timeline, now)
    if timeline.source:
        known = states_of(timeline.phases)[1:]
        return " · ".join(
            f"{number(now.count(state))} {short_state(state, timeline.phases)}" for state in known
        )
    return words(
        "Computing {0}, queued {1}, trying {2}, holding {3}, done {4} of {5}.",
        number(now.count(RowState.COMPUTING)),
        number(now.count(RowState.QUEUED)),
        number(now.count(RowState.TRYING)),
        number(now.count(RowState.HOLDING)),
        number(now.count(RowState.DONE)),
        number(timeline.m),
    )


def in_stage2(timeline: ReductionTimeline, time_ns: float) -> bool:
    return bool(timeline.tile_start_ns.size) and time_ns >= int(timeline.tile_start_ns.min())


def row_caption(timeline: ReductionTimeline, now: Moment, row: int) -> str:
    if timeline.source:
        state = short_state(RowState(int(now.state[row])), timeline.phases)
        return words("Row {0} of {1}: {2}.", row, timeline.source, state)
    lock = int(timeline.lock[row])
    match RowState(int(now.state[row])):
        case RowState.PENDING:
            return words("Row {0} has not started: no place on the GPU is free yet.", row)
        case RowState.COMPUTING:
            return words("Row {0} computes its dx and its partial sums.", row)
        case RowState.QUEUED | RowState.TRYING:
            return _waiting_caption(timeline, now, row, lock)
        case RowState.HOLDING:
            return _holding_caption(timeline, row, lock)
        case RowState.DONE:
            return words("Row {0} is in buffer {1}; it has given lock {1} back.", row, lock)


def lock_caption(now: Moment, lock: int) -> str:
    holder, added = int(now.holder[lock]), number(int(now.added[lock]))
    queued, trying = number(int(now.queued[lock])), number(int(now.trying[lock]))
    if holder >= 0:
        return words(
            "Row {0} holds lock {1}. Queued: {2}; rows in its buffer: {3}.",
            number(holder),
            lock,
            queued,
            added,
        )
    return words(
        "Nobody holds lock {0}. Trying it: {1}; queued: {2}; rows in its buffer: {3}.",
        lock,
        trying,
        queued,
        added,
    )


def row_in_words(
    timeline: ReductionTimeline, now: Moment, followed: int | None, followed_lock: int | None
) -> int | None:
    """The row that the words and the code are about: the followed one, the followed lock's holder,
    or of few the last to act.
    """
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
        return words("Nothing has started yet.")
    row = event.subject
    if timeline.source:
        return row_caption(timeline, now, row)
    lock = int(timeline.lock[row])
    match event.kind:
        case EventKind.START:
            return words("Row {0} starts: it computes its dx and its partial sums.", row)
        case EventKind.WANTED:
            return _waiting_caption(timeline, now, row, lock)
        case EventKind.HELD:
            return _holding_caption(timeline, row, lock)
        case _:
            return _released_caption(timeline, now, row, lock)


def _waiting_caption(timeline: ReductionTimeline, now: Moment, row: int, lock: int) -> str:
    holder, queued = int(now.holder[lock]), int(now.queued[lock])
    if now.state[row] == RowState.TRYING:
        return words("Row {0} tries lock {1}, which nobody holds.", row, lock)
    if holder < 0:
        return words("Row {0} queues for lock {1}, which another row is about to take.", row, lock)
    if queued > 1:
        return words(
            "Row {0} queues for lock {1}, held by row {2}; rows in the queue: {3}.",
            row,
            lock,
            holder,
            number(queued),
        )
    return words("Row {0} queues for lock {1}, held by row {2}.", row, lock, holder)


def _holding_caption(timeline: ReductionTimeline, row: int, lock: int) -> str:
    before = int(timeline.order[row])
    if before == 0:
        return words(
            "Row {0} holds lock {1}: the count is 0, so it stores without adding.", row, lock
        )
    return words(
        "Row {0} holds lock {1}: the count is {2}, so it loads buffer {1}, adds, stores.",
        row,
        lock,
        number(before),
    )


def _released_caption(timeline: ReductionTimeline, now: Moment, row: int, lock: int) -> str:
    if now.count(RowState.DONE) == timeline.m:
        return words("All rows are in the buffers: stage 2 can begin.")
    wanting = queue_of(timeline, now.state, lock)
    if not wanting:
        return words("Row {0} gives lock {1} back; nobody queues for it.", row, lock)
    if len(wanting) == 1:
        return words("Row {0} gives lock {1} back; row {2} can take it.", row, lock, wanting[0])
    return words(
        "Row {0} gives lock {1} back; one of {2} rows in the queue can take it.",
        row,
        lock,
        number(len(wanting)),
    )


def _stage2_caption(now: Moment) -> str:
    done, tiles = int((now.tile_progress >= 1).sum()), now.tile_progress.size
    if done == tiles:
        return words("Both stages are done: dw and db are complete.")
    return words(
        "Stage 2 adds the buffers column by column; tiles done: {0} of {1}.",
        number(done),
        number(tiles),
    )


_QUEUE_SHOWN = 8
_SUMS_SHOWN, _SUMS_A_LINE = 8, 4


def hover_text(
    timeline: ReductionTimeline,
    now: Moment,
    hit: Hit,
    sums: OrderedSums | None,
    *,
    barrier: bool = True,
) -> str:
    """Lines about the row, the lock or the tile of a hit; empty where there is none.

    Args:
        timeline: what is shown.
        now: the moment that is shown.
        hit: what is under the mouse.
        sums: what the buffers hold after each row, where that is known.
        barrier: the launch had it: then a count goes up before the buffers, else after them.
    """
    if hit.row is not None:
        return _row_text(timeline, hit.row, sums)
    if hit.tile is not None and hit.tile < timeline.tile_start_ns.size:
        lines = [_tile_text(timeline, now, hit.tile)]
        return "\n".join(
            [_lock_text(timeline, now, hit.lock, barrier=barrier), *lines]
            if hit.lock is not None
            else lines
        )
    if hit.lock is not None:
        return _lock_text(timeline, now, hit.lock, barrier=barrier)
    return ""


def row_title(timeline: ReductionTimeline, row: int) -> str:
    numbers = number(row), timeline.lock[row], number(int(timeline.order[row])), timeline.sm[row]
    if timeline.lanes:
        text = words("Row {0} · lane {1} · rows before it: {2} · SM {3}", *numbers)
    else:
        text = words("Row {0} · lock {1} · rows before it: {2} · SM {3}", *numbers)
    return (
        text
        if timeline.tries is None
        else f"{text} · {words('tries {0}', number(int(timeline.tries[row])))}"
    )


def row_phases(timeline: ReductionTimeline, row: int) -> list[tuple[RowState, str, str, str]]:
    """What a row does, in a word, from when on, and for how long."""
    times, known = [int(each[row]) for each in phase_times(timeline)], states_of(timeline.phases)
    texts = [time_text(time, counted=timeline.counted) for time in times]
    lengths = [
        *(time_text(end - begin, counted=timeline.counted) for begin, end in pairwise(times)),
        "",
    ]
    return [
        (state, short_state(state, timeline.phases), begins, takes)
        for state, begins, takes in zip(list(RowState)[1:], texts, lengths, strict=True)
        if state in known or state is RowState.DONE
    ]


def lock_title(now: Moment, lock: int, *, barrier: bool) -> str:
    """Holder, count and queue of a lock; `barrier` says whether the launch had it."""
    holder = int(now.holder[lock])
    parts = (
        words("Lock {0}", lock),
        words("held by row {0}", number(holder)) if holder >= 0 else words("nobody holds it"),
        words("count {0}", number(int(now.counts(barrier=barrier)[lock]))),
        words("queued {0}", number(int(now.queued[lock]))),
        words("trying {0}", number(int(now.trying[lock]))),
    )
    return " · ".join(parts)


def _row_text(timeline: ReductionTimeline, row: int, sums: OrderedSums | None) -> str:
    lines = "\n".join(
        (row_title(timeline, row), *(" ".join(phase[1:]) for phase in row_phases(timeline, row)))
    )
    if sums is None:
        return lines
    after = words("buffer {0} after it, dw:", timeline.lock[row])
    values = [
        f"{value:.8g}".replace("-", "−") for value in sums.dw_after[row][:_SUMS_SHOWN].tolist()
    ]
    if sums.dw_after.shape[1] > _SUMS_SHOWN:
        values.append("…")
    parts = (values[first : first + _SUMS_A_LINE] for first in range(0, len(values), _SUMS_A_LINE))
    return "\n".join([lines, after, *map(", ".join, parts)])


def _lock_text(timeline: ReductionTimeline, now: Moment, lock: int, *, barrier: bool) -> str:
    queue = queue_of(timeline, now.state, lock)
    names = ", ".join(str(row) for row in queue[:_QUEUE_SHOWN]) + (
        ", …" if len(queue) > _QUEUE_SHOWN else ""
    )
    title = lock_title(now, lock, barrier=barrier)
    return f"{title}\n{words('want it, the longest first')}: {names}" if queue else title


def _tile_text(timeline: ReductionTimeline, now: Moment, tile: int) -> str:
    first = tile * timeline.tile_block_n
    last = min(first + timeline.tile_block_n, timeline.n) - 1
    text = words("Tile {0}: columns {1} to {2}, {3}, on SM {4}")
    length = int(timeline.tile_end_ns[tile] - timeline.tile_start_ns[tile])
    where = text.format(
        tile,
        number(first),
        number(last),
        time_text(length, counted=timeline.counted),
        timeline.tile_sm[tile],
    )
    read = int(buffers_read(timeline, now.tile_progress)[tile])
    so_far = words(
        "buffers read {0} of {1}, if its steps are equally long: only its start and its end are"
        " timed"
    )
    return f"{where}\n{so_far.format(number(read), number(locks_in_use(timeline)))}"

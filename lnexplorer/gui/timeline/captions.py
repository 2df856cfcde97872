"""Sentences about a timeline at a moment: captions, titles, tooltips."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.timeline import (
    EventKind,
    Moment,
    RowState,
    latest_event,
    locks_in_use,
    phase_times,
    sum_stretch,
)
from lnexplorer.domain.wording import share
from lnexplorer.gui.kit import translate_message
from lnexplorer.gui.timeline.frame import Hit
from lnexplorer.gui.timeline.wording import (
    join_facts,
    lock_name,
    state_name,
    states_of,
    time_text,
)
from lnkernels.values import Sentence, Words, say
from lnkernels.values.timeline import ReductionTimeline

_LOCKS_TOLD = 3  # of a stretch: the locks with the longest waits
FEW_ROWS = 64  # with more rows a caption counts states and tells no single events
WAITING_ROWS = say("waiting, the longest first")


def caption(now: Moment, followed: int | None, followed_lock: int | None = None) -> Sentence:
    """Return a sentence about the followed row or lock, the last event, or all rows."""
    timeline = now.timeline
    if followed is not None and followed < timeline.m:
        return row_caption(now, followed)
    if followed_lock is not None and followed_lock < now.holder.size:
        return lock_caption(now, followed_lock)
    if in_stage2(now):
        return _stage2_caption(now)
    if timeline.m <= FEW_ROWS:
        return _event_caption(now)
    counts = {state: now.count(state) for state in states_of(timeline.phases)[1:]}
    if timeline.source:
        names = {state: state_name(state, timeline.phases) for state in counts}
        return join_facts(
            *(say("{count:,} {state}", count=counts[each], state=names[each]) for each in counts)
        )
    return say(
        "Computing {computing:,}, queued {queued:,}, trying {trying:,}, holding {holding:,}, done"
        " {done:,} of {rows:,}.",
        **{state.name.lower(): count for state, count in counts.items()},
        rows=timeline.m,
    )


def in_stage2(now: Moment) -> bool:
    return bool((now.timeline.tile_start_ns <= now.time_ns).any())


def _lock_values(now: Moment, lock: int) -> dict[str, int]:
    return {
        "lock": lock,
        "holder": int(now.holder[lock]),
        "queued": int(now.queued[lock]),
        "trying": int(now.trying[lock]),
        "added": int(now.added[lock]),
    }


def _row_values(now: Moment, row: int) -> dict[str, int]:
    values = _lock_values(now, int(now.timeline.lock[row]))
    return {**values, "row": row, "count": int(now.timeline.order[row])}


def row_caption(now: Moment, row: int) -> Sentence:
    timeline, state = now.timeline, RowState(int(now.state[row]))
    if timeline.source:
        name = state_name(state, timeline.phases)
        kernel = timeline.source
        return say("Row {row} of {kernel}: {state}.", row=row, kernel=kernel, state=name)
    match state:
        case RowState.PENDING:
            return say("Row {row} has not started: no place on the GPU is free yet.", row=row)
        case RowState.COMPUTING:
            return say("Row {row} computes its dx and its partial sums.", row=row)
        case RowState.QUEUED | RowState.TRYING:
            return _waiting_caption(now, row)
        case RowState.HOLDING:
            return _holding_caption(now, row)
        case RowState.DONE:
            return say(
                "Row {row} is in buffer {lock}; it has given lock {lock} back.",
                **_row_values(now, row),
            )


def lock_caption(now: Moment, lock: int) -> Sentence:
    values = _lock_values(now, lock)
    if values["holder"] >= 0:
        return say(
            "Row {holder:,} holds lock {lock}. Queued: {queued:,}; rows in its buffer: {added:,}.",
            **values,
        )
    return say(
        "Nobody holds lock {lock}. Trying it: {trying:,}; queued: {queued:,}; rows in its buffer:"
        " {added:,}.",
        **values,
    )


def described_row(now: Moment, followed: int | None, followed_lock: int | None) -> int | None:
    """Return the row that caption and source show, if there is one.

    It is the followed row, the holder of the followed lock, or with few rows the last one to act.
    """
    timeline = now.timeline
    if followed is not None:
        return followed if followed < timeline.m else None
    if followed_lock is not None:
        holder = int(now.holder[followed_lock]) if followed_lock < now.holder.size else -1
        return holder if holder >= 0 else None
    if in_stage2(now) or timeline.m > FEW_ROWS:
        return None
    event = latest_event(timeline, now.time_ns)
    return event.subject if event is not None else None


def _event_caption(now: Moment) -> Sentence:
    event = latest_event(now.timeline, now.time_ns)
    if event is None:
        return say("Nothing has started yet.")
    row, ours = event.subject, not now.timeline.source
    if ours and event.kind is EventKind.START:
        return say("Row {row} starts: it computes its dx and its partial sums.", row=row)
    if ours and event.kind is EventKind.RELEASED:
        return _released_caption(now, row)
    return row_caption(now, row)


def _waiting_caption(now: Moment, row: int) -> Sentence:
    values = _row_values(now, row)
    if now.state[row] == RowState.TRYING:
        return say("Row {row} tries lock {lock}, which nobody holds.", **values)
    if values["holder"] < 0:
        return say(
            "Row {row} queues for lock {lock}, which another row is about to take.", **values
        )
    if values["queued"] <= 1:
        return say("Row {row} queues for lock {lock}, held by row {holder}.", **values)
    return say(
        "Row {row} queues for lock {lock}, held by row {holder}; rows in the queue: {queued:,}.",
        **values,
    )


def _holding_caption(now: Moment, row: int) -> Sentence:
    values = _row_values(now, row)
    if not values["count"]:
        return say(
            "Row {row} holds lock {lock}: the count is 0, so it stores without adding.", **values
        )
    return say(
        "Row {row} holds lock {lock}: the count is {count:,}, so it loads buffer {lock}, adds,"
        " stores.",
        **values,
    )


def _released_caption(now: Moment, row: int) -> Sentence:
    if now.count(RowState.DONE) == now.timeline.m:
        return say("All rows are in the buffers: stage 2 can begin.")
    values = _row_values(now, row)
    waiting = now.queue(values["lock"])
    if not waiting:
        return say("Row {row} gives lock {lock} back; nobody queues for it.", **values)
    if len(waiting) == 1:
        return say(
            "Row {row} gives lock {lock} back; row {next} can take it.", **values, next=waiting[0]
        )
    return say(
        "Row {row} gives lock {lock} back; one of {waiting:,} rows in the queue can take it.",
        **values,
        waiting=len(waiting),
    )


def _stage2_caption(now: Moment) -> Sentence:
    done, tiles = int((now.tile_progress >= 1).sum()), now.tile_progress.size
    if done == tiles:
        return say("Both stages are done: dw and db are complete.")
    return say(
        "Stage 2 adds the buffers column by column; tiles done: {done:,} of {tiles:,}.",
        done=done,
        tiles=tiles,
    )


_QUEUE_SHOWN = 8


def hover_text(now: Moment, hit: Hit, *, atomic_count: bool = True) -> str:
    """Return the tooltip for the row, the lock or the tile of a hit; empty if there is none.

    Args:
        now: the moment that is shown.
        hit: what is under the mouse.
        atomic_count: the launch had one: the count is raised before the buffers, else after them.
    """
    lines: list[Words] = []
    if hit.row is not None:
        phases = (map(translate_message, phase[1:]) for phase in row_phases(now.timeline, hit.row))
        lines = [row_title(now.timeline, hit.row), *map(" ".join, phases)]
    else:
        if hit.lock is not None:
            lines += _lock_lines(now, hit.lock, atomic_count=atomic_count)
        if hit.tile is not None and hit.tile < now.tile_progress.size:
            lines += _tile_lines(now, hit.tile)
    return "\n".join(map(translate_message, lines))


def row_title(timeline: ReductionTimeline, row: int) -> Sentence:
    title = say(
        "Row {row:,} · {lock} · rows before it: {before:,} · SM {sm}",
        row=row,
        lock=lock_name(timeline, int(timeline.lock[row])),
        before=int(timeline.order[row]),
        sm=int(timeline.sm[row]),
    )
    if timeline.tries is None:
        return title
    return join_facts(title, say("tries {tries:,}", tries=int(timeline.tries[row])))


Phase = tuple[RowState, Words, Words, Words]


def row_phases(timeline: ReductionTimeline, row: int) -> list[Phase]:
    """Return the phases of a row: state, name, begin, length."""
    times, known = [int(each[row]) for each in phase_times(timeline)], states_of(timeline.phases)
    begins = [time_text(time, counted=timeline.counted) for time in times]
    lengths = [time_text(end - begin, counted=timeline.counted) for begin, end in pairwise(times)]
    return [
        (state, state_name(state, timeline.phases), begin, length)
        for state, begin, length in zip(list(RowState)[1:], begins, [*lengths, ""], strict=True)
        if state in known or state is RowState.DONE
    ]


def stretch_sentence(
    timeline: ReductionTimeline, begin_ns: float, end_ns: float, rows: NDArray[np.int64]
) -> Sentence:
    """Return a sentence that sums up a stretch of some rows: phases, and the longest waits."""
    sums, known = sum_stretch(timeline, begin_ns, end_ns, rows), states_of(timeline.phases)
    total = sum(length for _, length in sums.phases) or 1.0

    def time(length: float) -> Words:
        return time_text(length, counted=timeline.counted)

    told: list[Words] = [
        say(
            "{name} {time} ({share})",
            name=state_name(state, timeline.phases),
            time=time(length),
            share=share(length / total),
        )
        for state, length in sums.phases
        if state in known
    ]
    longest = np.argsort(-sums.waits, kind="stable")[:_LOCKS_TOLD]
    told += [
        say("waits for lock {lock} {time}", lock=int(lock), time=time(float(sums.waits[lock])))
        for lock in longest
        if sums.waits[lock] > 0 and not timeline.lanes
    ]
    return say(
        "{rows:,} rows in {time}: {facts}",
        rows=sums.rows,
        time=time(end_ns - begin_ns),
        facts=join_facts(*told),
    )


def lock_title(now: Moment, lock: int, *, atomic_count: bool) -> Sentence:
    """Return holder, count and queue of a lock; with `atomic_count` the count is raised first."""
    holder = int(now.holder[lock])
    return join_facts(
        say("Lock {lock}", lock=lock),
        say("held by row {row:,}", row=holder) if holder >= 0 else say("nobody holds it"),
        say("count {count:,}", count=int(now.counts(atomic=atomic_count)[lock])),
        say("queued {count:,}", count=int(now.queued[lock])),
        say("trying {count:,}", count=int(now.trying[lock])),
    )


def _lock_lines(now: Moment, lock: int, *, atomic_count: bool) -> list[Words]:
    title, queue = lock_title(now, lock, atomic_count=atomic_count), now.queue(lock)
    if not queue:
        return [title]
    rows: list[int | str] = [*queue[:_QUEUE_SHOWN], *["…"] * (len(queue) > _QUEUE_SHOWN)]
    return [title, say("{waiting}: {rows}", waiting=WAITING_ROWS, rows=rows)]


def _tile_lines(now: Moment, tile: int) -> list[Words]:
    timeline, first = now.timeline, tile * now.timeline.tile_block_n
    length = int(timeline.tile_end_ns[tile] - timeline.tile_start_ns[tile])
    return [
        say(
            "Tile {tile}: columns {first:,} to {last:,}, {length}, on SM {sm}",
            tile=tile,
            first=first,
            last=min(first + timeline.tile_block_n, timeline.n) - 1,
            length=time_text(length, counted=timeline.counted),
            sm=int(timeline.tile_sm[tile]),
        ),
        say(
            "buffers read {read:,} of {buffers:,}, if its steps are equally long: only its start"
            " and its end are timed",
            read=int(now.buffers_read[tile]),
            buffers=locks_in_use(timeline),
        ),
    ]

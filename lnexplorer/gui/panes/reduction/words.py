"""What happens at a moment, what is shown, and what it amounts to, in words."""

from itertools import pairwise

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.ordered_sums import OrderedSums, order_bound
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.model import SimulationParameters
from lnexplorer.domain.timeline import (
    EventKind,
    Moment,
    RowState,
    TimelineSummary,
    buffers_read,
    latest_event,
    locks_in_use,
    phase_times,
    queue_of,
)
from lnexplorer.gui.timeline.frame import Hit
from lnexplorer.gui.timeline.wording import number, short_state, states_of, time_text, words
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, ReductionTimeline

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


def facts_text(
    timeline: ReductionTimeline, request: ResolvedRequest, model: SimulationParameters | None
) -> str:
    """Shape and buffers, and the parameters of the model where there is one."""
    parts = [f"{request.m} × {request.n}"]
    used = locks_in_use(timeline)
    if timeline.source:
        count = timeline.group_size_m
        lanes = words("lanes: {0}", count) if timeline.lanes else words("locks: {0}", count)
        parts += [words("stamps of {0}", timeline.source), lanes]
    elif used < timeline.group_size_m:
        parts.append(
            words(
                "GROUP_SIZE_M {0}, buffers in use: {1}, one a row, no contention",
                timeline.group_size_m,
                used,
            )
        )
    else:
        parts.append(f"GROUP_SIZE_M {timeline.group_size_m}")
    if timeline.m < request.m and not timeline.source:
        parts.append(words("the first {0} rows", number(timeline.m)))
    if model is not None:
        parts += [
            words("model, resident programs: {0}", number(model.resident_programs)),
            model_times_text(model),
        ]
    if timeline.clock is not Clock.MODEL and timeline.kind is not Kind.SIMULATED:
        parts.append(clock_text(timeline))
    if timeline.cost is not None:
        parts.append(cost_text(timeline.cost.share))
    return " · ".join(parts)


def cost_text(share: float) -> str:
    """By how much recording made a pass longer.

    Where it was shorter than a plain one, the difference is that between passes.
    """
    if share > 0:
        return words("recording made the pass {0} longer", wording.percent(share))
    return words("recording made the pass no longer ({0})", wording.signed_percent(share))


def clock_text(timeline: ReductionTimeline) -> str:
    """How exact the times of a trace are."""
    step = time_text(timeline.tick_ns)
    match timeline.clock:
        case Clock.TIMER:
            return words("times to {0}", step)
        case Clock.REFINED:
            return words("times to {0}, refined by the SMs' clocks", step)
        case Clock.COARSE:
            return words("times to {0} only: no finer clock could be read", step)
        case Clock.STEPS:
            return words("no clock: events are counted, only their order is true")
        case Clock.MODEL:
            return words("times of a model")


def model_times_text(model: SimulationParameters) -> str:
    """The model's times that matter most."""
    return words(
        "compute {0}, hold {1}, hand-over {2}",
        time_text(model.compute_ns),
        time_text(model.hold_ns),
        time_text(model.hand_over_ns),
    )


def summary_text(timeline: ReductionTimeline, summary: TimelineSummary) -> str:
    if timeline.counted:
        return words("Programs ran one after another: an order of events, no times")
    parts = [time_text(summary.stage1_ns)]
    if timeline.source and timeline.phases:
        return words("From the first stamp to the last: {0}", *parts)
    for mean, share in (
        (summary.queued_mean_ns, summary.share_queued),
        (summary.trying_mean_ns, summary.share_trying),
    ):
        parts += [time_text(mean), wording.percent(share)]
    if not summary.rows_queued:
        return words(
            "Stage 1 {0} · no row queues · a row tries its free lock for {3} ({4})", *parts
        )
    longest = number(summary.peak_queue)
    return words(
        "Stage 1 {0} · peak queue {5} · a row queues {1} ({2}) · tries {3} ({4})", *parts, longest
    )


def details_text(timeline: ReductionTimeline, summary: TimelineSummary) -> str:
    if timeline.counted or timeline.source:
        return ""
    return words(
        "Rows that queue: {0}; 95 % of all below {1}, at most {2}. Trying: 95 % below {3}, at most"
        " {4}. Busiest lock: {5}, held for {6} of stage 1. Stage 2: {7}.",
        number(summary.rows_queued),
        time_text(summary.queued_p95_ns),
        time_text(summary.queued_max_ns),
        time_text(summary.trying_p95_ns),
        time_text(summary.trying_max_ns),
        summary.busiest_lock,
        wording.percent(summary.busiest_lock_share),
        time_text(summary.stage2_ns),
    )


def agreement_text(
    sums: OrderedSums, rows: PartialRows, request: ResolvedRequest, *, other_run: bool
) -> str:
    """How far the sums in the timeline's order are from the run's, and whether the order can
    explain it.

    Args:
        sums: in the timeline's order.
        rows: what each row adds, and the run's dw and db.
        request: the launch.
        other_run: the sums are those of a run that was traced, and the run is another one, in an
            order of its own.
    """
    worst, explained = 0.0, True
    for own, run, partial in ((sums.dw, rows.dw_total, rows.dw), (sums.db, rows.db_total, rows.db)):
        magnitude = np.abs(partial.astype(np.float64)).sum(axis=0)
        bound = order_bound(
            magnitude, request.m, request.launch.group_size_m, request.buffer_dtype, request.dtype
        )
        with np.errstate(invalid="ignore"):
            apart = np.abs(own.astype(np.float64) - run)
        if not np.isfinite(apart).all():
            return words("sums are not finite")
        worst = max(worst, float(apart.max(initial=0)))
        explained = explained and bool((apart <= bound).all())
    if not worst:
        if other_run:
            return words("a run without tracing gave the same dw and db")
        return words("sums are exactly the run's")
    if explained and other_run:
        return words(
            "a run without tracing, in another order, differs by up to {0}", wording.error(worst)
        )
    if explained:
        return words("sums match the run's within {0}", wording.error(worst))
    return words("sums {0} from the run's: more than rounding explains", wording.error(worst))


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

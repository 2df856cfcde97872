"""The numbers under the mouse."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.moments import Moment, buffers_read, locks_in_use, queue_of
from lnexplorer.domain.ordered_sums import OrderedSums
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.painter.frame import Hit
from lnexplorer.gui.reduction.painter.wording import number, time_text

_QUEUE_SHOWN = 8
_SUMS_SHOWN, _SUMS_A_LINE = 8, 4


def hover_text(timeline: ReductionTimeline, now: Moment, hit: Hit, sums: OrderedSums | None, *, barrier: bool = True) -> str:
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
        return "\n".join([_lock_text(timeline, now, hit.lock, barrier=barrier), *lines] if hit.lock is not None else lines)
    if hit.lock is not None:
        return _lock_text(timeline, now, hit.lock, barrier=barrier)
    return ""


def _row_text(timeline: ReductionTimeline, row: int, sums: OrderedSums | None) -> str:
    start, wanted = int(timeline.start_ns[row]), int(timeline.wanted_ns[row])
    held, released = int(timeline.held_ns[row]), int(timeline.released_ns[row])
    text = QCoreApplication.translate(
        "reduction", "Row {0}: lock {1}, rows before it: {2}, SM {3}\nstarts {4}\ncomputes {5}\nwaits {6}\nholds {7}"
    )
    lines = text.format(
        row,
        timeline.lock[row],
        timeline.order[row],
        timeline.sm[row],
        time_text(start, counted=timeline.counted),
        time_text(wanted - start, counted=timeline.counted),
        time_text(held - wanted, counted=timeline.counted),
        time_text(released - held, counted=timeline.counted),
    )
    if sums is None:
        return lines
    after = QCoreApplication.translate("reduction", "buffer {0} after it, dw:").format(timeline.lock[row])
    values = [f"{value:.8g}".replace("-", "−") for value in sums.dw_after[row][:_SUMS_SHOWN].tolist()]
    if sums.dw_after.shape[1] > _SUMS_SHOWN:
        values.append("…")
    parts = (values[first : first + _SUMS_A_LINE] for first in range(0, len(values), _SUMS_A_LINE))
    return "\n".join([lines, after, *map(", ".join, parts)])


def _lock_text(timeline: ReductionTimeline, now: Moment, lock: int, *, barrier: bool) -> str:
    holder = int(now.holder[lock])
    held = (
        QCoreApplication.translate("reduction", "held by row {0}").format(holder)
        if holder >= 0
        else QCoreApplication.translate("reduction", "nobody holds it")
    )
    queue = queue_of(timeline, now.state, lock)
    names = ", ".join(str(row) for row in queue[:_QUEUE_SHOWN]) + (", …" if len(queue) > _QUEUE_SHOWN else "")
    text = QCoreApplication.translate("reduction", "Lock {0}: {1}\nwaiting: {2}\ncount: {3}")
    waiting = f"{number(len(queue))} ({names})" if queue else "0"
    return text.format(lock, held, waiting, number(int(now.counts(barrier=barrier)[lock])))


def _tile_text(timeline: ReductionTimeline, now: Moment, tile: int) -> str:
    first = tile * timeline.tile_block_n
    last = min(first + timeline.tile_block_n, timeline.n) - 1
    text = QCoreApplication.translate("reduction", "Tile {0}: columns {1} to {2}, {3}, on SM {4}")
    length = int(timeline.tile_end_ns[tile] - timeline.tile_start_ns[tile])
    where = text.format(tile, number(first), number(last), time_text(length, counted=timeline.counted), timeline.tile_sm[tile])
    read = int(buffers_read(timeline, now.tile_progress)[tile])
    so_far = QCoreApplication.translate(
        "reduction", "buffers read {0} of {1}, if its steps are equally long: only its start and its end are timed"
    )
    return f"{where}\n{so_far.format(number(read), number(locks_in_use(timeline)))}"

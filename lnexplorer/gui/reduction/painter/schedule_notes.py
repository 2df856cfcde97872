"""What stands beside the titles of a frame for any shape: each note in several lengths, the longest that fits is taken."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QFontMetricsF

from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.painter.wording import number, time_text

translate = QCoreApplication.translate
_SHORTEST = ("{0} / {1}", "{0}/{1}", "")  # half a number would be worse than none


def fitting(metrics: QFontMetricsF, notes: Sequence[str], room: float) -> str:
    """The first of some notes that has room, or as much of the last as has; nothing of none.

    Args:
        metrics: of the type.
        notes: the longest first.
        room: px.
    """
    if not notes:
        return ""
    found = next((note for note in notes if metrics.horizontalAdvance(note) <= room), notes[-1])
    return metrics.elidedText(found, Qt.TextElideMode.ElideRight, room)


def rows_notes(timeline: ReductionTimeline, locks: int, rows_per_cell: int) -> tuple[str, ...]:
    """How many rows there are, and how they are drawn."""
    forms: tuple[str, ...] = (
        translate("reduction", "a lock, then its rows · locks {0}, rows {1}"),
        translate("reduction", "locks {0}, rows {1}"),
        translate("reduction", "rows {1}"),
    )
    if rows_per_cell > 1:
        forms = (
            translate("reduction", "locks {0}, rows {1}, a cell is {2} rows and shows the busiest"),
            translate("reduction", "a cell: the busiest of {2} rows"),
            translate("reduction", "{2} rows a cell"),
        )
    return _filled(forms, number(locks), number(timeline.m), number(rows_per_cell))


def lanes_notes() -> tuple[str, ...]:
    """What the colours of the lanes are."""
    return (
        translate("reduction", "coloured while a row holds it, grey while rows only wait; then the tiles of stage 2"),
        translate("reduction", "coloured while it is held, grey while rows only wait; then stage 2"),
        translate("reduction", "coloured: held; grey: rows wait; then stage 2"),
        translate("reduction", "coloured: held; grey: rows wait"),
    )


def queue_notes(lock: int, most: int) -> tuple[str, ...]:
    """What the strip below the lanes shows of a lock that is followed, where at most so many rows wait."""
    forms = (
        translate("reduction", "below them lock {0}: the row that holds it and its queue, at most {1} rows"),
        translate("reduction", "below: lock {0} and its queue, at most {1} rows"),
        translate("reduction", "below: lock {0} and its queue"),
    )
    return _filled(forms, str(lock), number(most))


def stretch_notes(timeline: ReductionTimeline, begin_ns: float, end_ns: float) -> tuple[str, ...]:
    """Which stretch of the time is shown."""
    forms = (
        translate("reduction", "{0} of it, from {1} on; a double click shows all"),
        translate("reduction", "{0} of it, from {1} on"),
    )
    return _filled(forms, *(time_text(time, counted=timeline.counted) for time in (end_ns - begin_ns, begin_ns)))


def programs_notes(timeline: ReductionTimeline, most: int) -> tuple[str, ...]:
    """How many programs both stages have, and how many are there at once."""
    forms = (
        translate("reduction", "full height {2} at once · stage 1: rows {0} · stage 2: tiles of columns {1}"),
        translate("reduction", "full height {2} at once · rows {0} · tiles {1}"),
        translate("reduction", "full height {2} at once"),
    )
    return _filled(forms, number(timeline.m), number(timeline.tile_start_ns.size), number(most))


def tiles_notes(done: int, tiles: int) -> tuple[str, ...]:
    """How far stage 2 is."""
    forms = (
        translate("reduction", "tiles summed {0} of {1}; what each has read by now is not timed"),
        translate("reduction", "tiles summed {0} of {1}"),
        translate("reduction", "summed {0} of {1}"),
        *_SHORTEST,
    )
    return _filled(forms, number(done), number(tiles))


def written_notes(written: int, buffers: int) -> tuple[str, ...]:
    """How many buffers have something in them."""
    forms = (
        translate("reduction", "buffers written {0} of {1}"),
        translate("reduction", "written {0} of {1}"),
        *_SHORTEST,
    )
    return _filled(forms, number(written), number(buffers))


def _filled(forms: Sequence[str], *values: str) -> tuple[str, ...]:
    return tuple(form.format(*values) for form in forms)

"""Words and figures of the animation; headings and notes in as many words as find room."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtGui import QFontMetricsF

from lnexplorer.domain.moments import RowState
from lnexplorer.gui.charts.theme import GRID
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline


def words(text: str, *values: object) -> str:
    """A text of the animation in the language of the window; resources/translations/update.py gathers these calls."""
    translated = QCoreApplication.translate("reduction", text)
    return translated.format(*values) if values else translated


def time_text(ns: float, *, counted: bool = False) -> str:
    """A time with three digits, in the unit that fits; where events are only counted, how many of them."""
    if counted:
        steps = round(ns)
        if steps == 1:
            return words("1 step")
        return words("{0} steps", number(steps))
    if ns < 999.5:
        return f"{ns:.0f} ns"
    scale, unit = next((pair for pair in ((1e3, "µs"), (1e6, "ms")) if ns / pair[0] < 999.5), (1e9, "s"))
    value = ns / scale
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f} {unit}"


def tick_text(ns: float) -> str:
    """A round time, as short as it can be."""
    scale, unit = next((pair for pair in ((1.0, "ns"), (1e3, "µs"), (1e6, "ms")) if ns < 1000 * pair[0]), (1e9, "s"))
    return f"{ns / scale:g} {unit}" if ns else "0"


def number(count: int) -> str:
    return QLocale(QLocale.Language.English).toString(int(count))


def state_text(state: RowState) -> str:
    """What a row's program does, in a word or two."""
    return {
        RowState.PENDING: words("not started"),
        RowState.COMPUTING: words("computes"),
        RowState.WAITING: words("waits for its lock"),
        RowState.HOLDING: words("holds its lock"),
        RowState.DONE: words("added"),
    }[state]


def short_state(state: RowState) -> str:
    """What a row's program does, in a word."""
    return {
        RowState.PENDING: words("to come"),
        RowState.COMPUTING: words("computing"),
        RowState.WAITING: words("waiting"),
        RowState.HOLDING: words("adding"),
        RowState.DONE: words("added"),
    }[state]


def order_text(kind: Kind, *, stored: bool = False) -> str:
    if stored:
        return words("as the traced kernel stored them, in recorded order")
    if kind is Kind.SIMULATED:
        return words("computed in simulated order")
    return words("computed in recorded order")


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
    forms: tuple[str, ...] = (
        words("a lock, then its rows · locks {0}, rows {1}"),
        words("locks {0}, rows {1}"),
        words("rows {1}"),
    )
    if rows_per_cell > 1:
        forms = (
            words("locks {0}, rows {1}, a cell is {2} rows and shows the busiest"),
            words("a cell: the busiest of {2} rows"),
            words("{2} rows a cell"),
        )
    return _filled(forms, number(locks), number(timeline.m), number(rows_per_cell))


def lanes_notes() -> tuple[str, ...]:
    """What the colours of the lanes are."""
    return (
        words("coloured while a row holds it, grey while rows only wait; then the tiles of stage 2"),
        words("coloured while it is held, grey while rows only wait; then stage 2"),
        words("coloured: held; grey: rows wait; then stage 2"),
        words("coloured: held; grey: rows wait"),
    )


def queue_notes(lock: int, most: int) -> tuple[str, ...]:
    """What the strip below the lanes shows of a lock that is followed, where at most so many rows wait."""
    forms = (
        words("below them lock {0}: the row that holds it and its queue, at most {1} rows"),
        words("below: lock {0} and its queue, at most {1} rows"),
        words("below: lock {0} and its queue"),
    )
    return _filled(forms, str(lock), number(most))


def stretch_notes(timeline: ReductionTimeline, begin_ns: float, end_ns: float) -> tuple[str, ...]:
    """Which stretch of the time is shown."""
    forms = words("{0} of it, from {1} on; a double click shows all"), words("{0} of it, from {1} on")
    return _filled(forms, *(time_text(time, counted=timeline.counted) for time in (end_ns - begin_ns, begin_ns)))


def programs_notes(timeline: ReductionTimeline, most: int) -> tuple[str, ...]:
    """How many programs both stages have, and how many are there at once."""
    forms = (
        words("full height {2} at once · stage 1: rows {0} · stage 2: tiles of columns {1}"),
        words("full height {2} at once · rows {0} · tiles {1}"),
        words("full height {2} at once"),
    )
    return _filled(forms, number(timeline.m), number(timeline.tile_start_ns.size), number(most))


def tiles_notes(done: int, tiles: int) -> tuple[str, ...]:
    forms = (
        words("tiles summed {0} of {1}; what each has read by now is not timed"),
        words("tiles summed {0} of {1}"),
        words("summed {0} of {1}"),
        *_SHORTEST,
    )
    return _filled(forms, number(done), number(tiles))


def written_notes(written: int, buffers: int) -> tuple[str, ...]:
    """How many buffers have something in them."""
    forms = (words("buffers written {0} of {1}"), words("written {0} of {1}"), *_SHORTEST)
    return _filled(forms, number(written), number(buffers))


def _filled(forms: Sequence[str], *values: str) -> tuple[str, ...]:
    return tuple(form.format(*values) for form in forms)


def paired(
    bold: QFontMetricsF, plain: QFontMetricsF, titles: Sequence[str], notes: Sequence[str], room: float
) -> tuple[str, str]:
    """The longest title beside which a note has room, and the longest such note; else a title alone.

    Args:
        bold: metrics of a title's type.
        plain: of a note's.
        titles: the longest first; of the last one as much is taken as has room.
        notes: the longest first; none if there is nothing to say.
        room: px of both together.
    """
    for title in titles:
        rest = room - bold.horizontalAdvance(title) - 2 * GRID
        note = next((note for note in notes if plain.horizontalAdvance(note) <= rest), None)
        if note is not None:
            return title, note
    alone = next((title for title in titles if bold.horizontalAdvance(title) <= room), titles[-1])
    return bold.elidedText(alone, Qt.TextElideMode.ElideRight, room), ""


def rows_titles(formula: str) -> tuple[str, ...]:
    """Above the rows; `formula` says what stands in them."""
    return (
        words("Stage 1: each row of x gives a row of partial sums ({0})", formula),
        words("Stage 1: partial sums of each row ({0})", formula),
    )


def decimals_notes(digits: int) -> tuple[str, ...]:
    """To how many digits numbers are written."""
    return words("rounded here; decimals: {0}", digits), words("decimals: {0}", digits)


def buffers_titles(group_size_m: int) -> tuple[str, ...]:
    return (
        words("and adds it to the buffer whose number is row mod {0}", group_size_m),
        words("added to buffer row mod {0}", group_size_m),
    )


def results_titles() -> tuple[str, ...]:
    return (
        words("Stage 2: the buffers are added, column by column"),
        words("Stage 2: the buffers are added"),
    )

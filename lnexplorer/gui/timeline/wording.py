"""Words and figures of the animation."""

from PySide6.QtCore import QCoreApplication, QLocale

from lnexplorer.domain.timeline import RowState, phase_names
from lnexplorer.domain.wording import nanoseconds
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline


def words(text: str, *values: object) -> str:
    """A text of the animation in the language of the window; resources/translations/update.py
    gathers these calls.
    """
    translated = QCoreApplication.translate("reduction", text)
    return translated.format(*values) if values else translated


def time_text(ns: float, *, counted: bool = False) -> str:
    """A time in the unit that suits it; where events are only counted, how many of them."""
    if counted:
        steps = round(ns)
        if steps == 1:
            return words("1 step")
        return words("{0} steps", number(steps))
    return nanoseconds(ns)


def tick_text(ns: float) -> str:
    """A round time, as short as it can be."""
    scale, unit = next(
        (pair for pair in ((1.0, "ns"), (1e3, "µs"), (1e6, "ms")) if ns < 1000 * pair[0]),
        (1e9, "s"),
    )
    return f"{ns / scale:g} {unit}" if ns else "0"


def number(count: int) -> str:
    return QLocale(QLocale.Language.English).toString(int(count))


def short_state(state: RowState, phases: tuple[str, ...] = ()) -> str:
    """What a row's program does, in a word; in one of its own where its kernel has names for its
    phases.
    """
    own = (
        phase_names(phases).get("trying" if state is RowState.QUEUED else state.name.lower())
        if phases
        else None
    )
    if own is not None:
        return own
    return {
        RowState.PENDING: words("to come"),
        RowState.COMPUTING: words("computing"),
        RowState.QUEUED: words("queued"),
        RowState.TRYING: words("trying"),
        RowState.HOLDING: words("holding"),
        RowState.DONE: words("done"),
    }[state]


def states_of(phases: tuple[str, ...]) -> list[RowState]:
    """What a row may be about; of a kernel with phases of its own, those that have a name."""
    named = phase_names(phases) if phases else {state.name.lower(): "" for state in RowState}
    return [state for state in RowState if state is RowState.PENDING or state.name.lower() in named]


def lock_name(timeline: ReductionTimeline, lock: int) -> str:
    return words("lane {0}", lock) if timeline.lanes else words("lock {0}", lock)


def order_text(kind: Kind, *, stored: bool = False) -> str:
    if stored:
        return words("as the traced kernel stored them, in recorded order")
    if kind is Kind.SIMULATED:
        return words("computed in simulated order")
    return words("computed in recorded order")

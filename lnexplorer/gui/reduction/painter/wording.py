"""Words and figures of the animation."""

from PySide6.QtCore import QCoreApplication, QLocale

from lnexplorer.domain.moments import RowState
from lnexplorer.domain.provenance import Kind


def time_text(ns: float, *, counted: bool = False) -> str:
    """A time with three digits, in the unit that fits; where events are only counted, how many of them."""
    if counted:
        steps = round(ns)
        if steps == 1:
            return QCoreApplication.translate("reduction", "1 step")
        return QCoreApplication.translate("reduction", "{0} steps").format(number(steps))
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
    """A whole number with separators of thousands."""
    return QLocale(QLocale.Language.English).toString(int(count))


def state_text(state: RowState) -> str:
    """What a row's program does, in a word or two."""
    match state:
        case RowState.PENDING:
            return QCoreApplication.translate("reduction", "not started")
        case RowState.COMPUTING:
            return QCoreApplication.translate("reduction", "computes")
        case RowState.WAITING:
            return QCoreApplication.translate("reduction", "waits for its lock")
        case RowState.HOLDING:
            return QCoreApplication.translate("reduction", "holds its lock")
        case RowState.DONE:
            return QCoreApplication.translate("reduction", "added")


def short_state(state: RowState) -> str:
    """What a row's program does, in a word."""
    match state:
        case RowState.PENDING:
            return QCoreApplication.translate("reduction", "to come")
        case RowState.COMPUTING:
            return QCoreApplication.translate("reduction", "computing")
        case RowState.WAITING:
            return QCoreApplication.translate("reduction", "waiting")
        case RowState.HOLDING:
            return QCoreApplication.translate("reduction", "adding")
        case RowState.DONE:
            return QCoreApplication.translate("reduction", "added")


def order_text(kind: Kind, *, stored: bool = False) -> str:
    """Whose order the sums are added in, and whose sums they are."""
    if stored:
        return QCoreApplication.translate("reduction", "as the traced kernel stored them, in recorded order")
    if kind is Kind.SIMULATED:
        return QCoreApplication.translate("reduction", "computed in simulated order")
    return QCoreApplication.translate("reduction", "computed in recorded order")

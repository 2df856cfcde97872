"""Columns of the history, and how a value of each is written."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import Interval


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table."""

    key: str  # a field of HistoryRow, or a difference to the baseline
    text: Callable[[object], str]
    number: bool = False
    sorted_by: str = ""  # the field that it is sorted by, where that is another one


def difference(interval: Interval) -> str:
    """A ratio as a difference with half the length of its interval: +9.8 % ± 1.1."""
    half = max(interval.high - interval.value, interval.value - interval.low)
    return f"{100 * (interval.value - 1):+.1f} % ± {100 * half:.1f}"


def _number(write: Callable[[float | None], str]) -> Callable[[object], str]:
    def text(value: object) -> str:
        absent = not isinstance(value, int | float) or math.isnan(value)
        return write(None if absent else float(value))  # type: ignore[arg-type]

    return text


def written_date(value: object) -> str:
    """A date of the history, ISO 8601, in local time."""
    try:
        return datetime.fromisoformat(str(value)).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return str(value)


def _error_column(name: str) -> Column:
    return Column(f"{name}_error", _number(wording.error), number=True)


COLUMNS = (
    Column("date", written_date),
    Column("kind", str),
    Column("passed", lambda value: "✓" if value else "✗"),
    Column("m", str, number=True),
    Column("n", str, number=True),
    Column("dtype", str),
    Column("strategy", str),
    Column("forward_gbps", _number(wording.gbps), number=True),
    Column("forward_difference", str, number=True, sorted_by="forward_gbps"),
    Column("forward_share", _number(wording.share), number=True),
    Column("backward_gbps", _number(wording.gbps), number=True),
    Column("backward_difference", str, number=True, sorted_by="backward_gbps"),
    Column("backward_share", _number(wording.share), number=True),
    Column("group_size_m", lambda value: str(value) if value else wording.ABSENT, number=True),  # locked alone has buffers
    Column("note", str),
    Column("device", str),
    _error_column("y"),
    _error_column("dx"),
    _error_column("dw"),
    _error_column("db"),
)
PLACES = {column.key: place for place, column in enumerate(COLUMNS)}
DIFFERENCES = ("forward_difference", "backward_difference")

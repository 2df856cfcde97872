"""What part of the history is wanted, and in which order, as a value that says nothing about how it is found."""

from dataclasses import dataclass

# Fields of a HistoryRow that can be compared and sorted by.
NUMBERS = (
    "id",
    "m",
    "n",
    "group_size_m",
    "forward_gbps",
    "backward_gbps",
    "forward_counted",
    "backward_counted",
    "forward_share",
    "backward_share",
    "y_error",
    "dx_error",
    "dw_error",
    "db_error",
)
WORDS = ("date", "device", "kind", "dtype", "strategy", "note")
SIGNS = ("<", "<=", "=", "!=", ">=", ">")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A field's value against a number or a word. A date is compared by its day, YYYY-MM-DD in local time."""

    key: str  # one of NUMBERS or WORDS
    sign: str  # one of SIGNS; of words other than the date, = and != alone
    value: float | str


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """Everything must hold."""

    words: tuple[str, ...] = ()  # in lower case; each occurs somewhere in the run's text
    comparisons: tuple[Comparison, ...] = ()
    passed: bool | None = None
    sorted_by: str = "date"  # one of NUMBERS or WORDS, or "passed"; runs without a value come last
    descending: bool = True

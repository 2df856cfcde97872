"""Columns of the history's tables, and how a value of each is written."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import Qt

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import Interval
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.sentence import Sentence, say

_WORD = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    key: str  # a field of the row, or something made of several
    title: Sentence | str
    help: Sentence | str = ""  # what it shows
    number: bool = False
    sorted_by: str = ""  # the field that it is sorted by, where that is another one
    falls: bool = False  # the first click on its title puts the largest on top
    least: int = 0  # px at the usual size of text
    most: int = 0  # px; 0 where there is no limit

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        return _NUMBER if self.number else _WORD

    @property
    def title_text(self) -> str:
        return translate_message(self.title)

    @property
    def help_text(self) -> str:
        return translate_message(self.help)


def difference(interval: Interval) -> str:
    """A ratio as a difference with half the length of its interval: +9.8 % ± 1.1."""
    half = max(interval.high - interval.value, interval.value - interval.low)
    return f"{100 * (interval.value - 1):+.1f} % ± {100 * half:.1f}"


def written_date(value: object) -> str:
    """A date of the history, ISO 8601, in local time."""
    try:
        return datetime.fromisoformat(str(value)).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return str(value)


def _known(write: Callable[[float | None], str]) -> Callable[[object], str]:
    """Write a figure, with the sign of what is not known for None and NaN."""

    def text(value: object) -> str:
        known = isinstance(value, int | float) and not math.isnan(value)
        return write(float(value) if known else None)  # type: ignore[arg-type]

    return text


# How the fields of a run are written; those that are not here are what str() makes of them.
WRITTEN: dict[str, Callable[[object], str]] = {
    "date": written_date,
    "passed": lambda value: "✓" if value else "✗",
    "group_size_m": lambda value: str(value) if value else wording.ABSENT,  # locked alone has buffers
    **dict.fromkeys(("forward_gbps", "backward_gbps"), _known(wording.gbps)),
    **dict.fromkeys(("forward_share", "backward_share"), _known(wording.share)),
    **dict.fromkeys(("y_error", "dx_error", "dw_error", "db_error"), _known(wording.error)),
}

_COMPARED = say(
    "Speed over that of the baseline, with the 95 % interval of the ratio of the two medians, from the samples of both"
    " runs. Runs of unlike problems, or on unlike devices, are not compared.",
)
_ERROR = say("Largest absolute error of kernel − truth")
_TIME = say("time")
_DEVICE, _KIND = say("device"), say("kind")
_NOTE, _SHARE = say("note"), say("share")
_TO_BASELINE = say("to baseline")

RUNS = (
    Column("date", _TIME, say("When the run ended, in local time"), falls=True),
    Column("kind", _KIND, say("Where the figures come from")),
    Column("passed", say("verdict"), say("Whether every result was within its tolerance; if not, which were beyond it")),
    Column("m", "M", say("Rows of x"), number=True),
    Column("n", "N", say("Columns of x"), number=True),
    Column("dtype", "dtype", say("Element type of x")),
    Column("strategy", say("strategy"), say("How the rows' contributions to dw and db were summed")),
    Column(
        "forward_gbps",
        say("forward GB/s"),
        say("Kernels alone, cold L2, 2·M·N elements counted; in brackets all bytes"),
        number=True,
    ),
    Column("forward_difference", _TO_BASELINE, _COMPARED, number=True, sorted_by="forward_gbps"),
    Column("forward_share", _SHARE, say("Share of the measured ceiling, forward"), number=True),
    Column(
        "backward_gbps",
        say("backward GB/s"),
        say("Kernels alone, cold L2, 3·M·N elements counted; in brackets all bytes"),
        number=True,
    ),
    Column("backward_difference", _TO_BASELINE, _COMPARED, number=True, sorted_by="backward_gbps"),
    Column("backward_share", _SHARE, say("Share of the measured ceiling, backward"), number=True),
    Column("group_size_m", "GROUP_SIZE_M", say("Number of partial sum buffers"), number=True),
    Column(
        "note",
        _NOTE,
        say("Your own words about the run; F2 or a double click writes them"),
        least=20 * GRID,
    ),
    Column("device", _DEVICE, say("What the kernels ran on")),
    Column("y_error", say("error y"), _ERROR, number=True),
    Column("dx_error", say("error dx"), _ERROR, number=True),
    Column("dw_error", say("error dw"), _ERROR, number=True),
    Column("db_error", say("error db"), _ERROR, number=True),
)
DIFFERENCES = ("forward_difference", "backward_difference")

SWEEPS = (
    Column("date", _TIME, falls=True),
    Column("state", say("rows"), falls=True, most=26 * GRID),
    Column("note", _NOTE, least=20 * GRID, most=40 * GRID),
    Column("command", say("asked")),
)
EXPERIMENTS = (
    Column("date", _TIME, falls=True, most=20 * GRID),
    Column("kind", _KIND, most=14 * GRID),
    Column("name", say("experiment"), most=34 * GRID),
    Column("shape", say("shape"), most=21 * GRID),
    Column("device", _DEVICE, most=22 * GRID),
    Column("state", say("state")),
)


def place(columns: tuple[Column, ...], key: str) -> int:
    return next(place for place, column in enumerate(columns) if column.key == key)

"""What part of the history is wanted, and how it is typed: words that must occur, and comparisons such as N>=4096."""

import math
import re
from dataclasses import dataclass
from datetime import date

from lnkernels.launch import DTYPES, STRATEGIES
from lnkernels.sentence import Sentence, say
from lnkernels.values.environment import Kind

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


_TERM = re.compile(r'[^\s"]*"[^"]*"|\S+')
_COMPARISON = re.compile(r"^([a-z_]+)(<=|>=|!=|=|<|>)(.+)$")
# What a filter line calls the fields of a run.
FIELDS = {
    "run": "id",
    "m": "m",
    "n": "n",
    "g": "group_size_m",
    "group_size_m": "group_size_m",
    "forward": "forward_gbps",
    "fwd": "forward_gbps",
    "backward": "backward_gbps",
    "bwd": "backward_gbps",
    "share": "backward_share",
    "y": "y_error",
    "dx": "dx_error",
    "dw": "dw_error",
    "db": "db_error",
    "date": "date",
    "device": "device",
    "kind": "kind",
    "dtype": "dtype",
    "strategy": "strategy",
    "note": "note",
}
_VERDICTS = {"passed": True, "failed": False}
_CHOICES = {"kind": tuple(map(str, Kind)), "dtype": DTYPES, "strategy": STRATEGIES}
_BEGUN = re.compile(r"^([a-z_]+)(<=|>=|!=|=|<|>)(.*)$")  # a comparison, or the begin of one


def parse(text: str) -> HistoryQuery:
    """Read a filter line: comparisons of known columns, and words; a value with blanks stands in double quotes."""
    words, comparisons, passed = [], [], None
    for term in _TERM.findall(text.lower()):
        comparison = _comparison(term)
        if term in _VERDICTS:
            passed = _VERDICTS[term]
        elif comparison is not None:
            comparisons.append(comparison)
        elif term.strip('"'):
            words.append(term.strip('"'))
    return HistoryQuery(tuple(words), tuple(comparisons), passed)


def impossible(text: str) -> list[Sentence]:
    """What is wrong with the comparisons of a filter line: for each a few words that name field, value and what is
    allowed.

    A window that filters while its user types has no use for it: there "n>=" is on its way to "n>=4096". A whole term
    in double quotes is a word, whatever it says.
    """
    found = []
    for term in _TERM.findall(text):
        match = _BEGUN.match(term.lower())
        allowed = None if match is None else _allowed(match[1], match[2], match[3].strip('"'))
        if match is not None and allowed is not None:
            value = term[match.start(3) :].strip('"') or "nothing"
            found.append(
                say(
                    "{field} {sign} {value} is not possible: {allowed}",
                    field=match[1],
                    sign=match[2],
                    value=value,
                    allowed=allowed,
                )
            )
    return found


def with_term(text: str, name: str, term: str) -> str:
    """The filter line with `term` in place of every term about the column `name`; without one where `term` is empty.

    Args:
        text: the line as it is.
        name: what the filter line calls a column, or "passed" for the verdict.
        term: such as 'device="NVIDIA H200"', or "failed".
    """

    def about(other: str) -> bool:
        match = _COMPARISON.match(other.lower())
        return other.lower() in _VERDICTS if name == "passed" else match is not None and match[1] == name

    kept = [other for other in _TERM.findall(text) if not about(other)]
    return " ".join([*kept, *filter(None, [term])])


def equals(name: str, value: str) -> str:
    """The term that asks for one value of a column of words."""
    return f'{name}="{value}"' if re.search(r"\s", value) else f"{name}={value}"


def _comparison(term: str) -> Comparison | None:
    match = _COMPARISON.match(term)
    if match is None or match[1] not in FIELDS:
        return None
    key, sign, value = FIELDS[match[1]], match[2], match[3].strip('"')
    if key == "date":
        return Comparison("date", sign, value) if _is_day(value) else None
    if key not in NUMBERS:
        return Comparison(key, sign, value) if sign in {"=", "!="} else None
    try:
        number = float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        return None
    return Comparison(key, sign, number)


def _allowed(name: str, sign: str, value: str) -> Sentence | None:
    """What to write instead; None of a comparison that is possible, or of no known field."""
    if name in _VERDICTS:
        return say("write {verdicts} alone", verdicts=" or ".join(_VERDICTS))
    key = FIELDS.get(name)
    if key is None:
        return None
    if key == "date":
        return None if _is_day(value) else say("take a day as YYYY-MM-DD")
    return _allowed_number(name, sign, value) if key in NUMBERS else _allowed_word(key, sign, value)


def _allowed_number(name: str, sign: str, value: str) -> Sentence | None:
    is_share = FIELDS[name].endswith("_share")
    comparison = _comparison(f"{name}{sign}{value}")
    if comparison is not None and math.isfinite(float(comparison.value)) and (is_share or not value.endswith("%")):
        return None
    return say("take a number, or per cent as 40%") if is_share else say("take a number")


def _allowed_word(key: str, sign: str, value: str) -> Sentence | None:
    choices = _CHOICES.get(key)
    if sign not in {"=", "!="}:
        return say("compare it with = or !=")
    if choices is not None and value not in choices:
        return say("take one of {choices}", choices=", ".join(choices))
    return None if value else say("take a word, one with blanks in double quotes")


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None

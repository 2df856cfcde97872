"""What is typed to filter the history: words that must occur, and comparisons such as N>=4096 or date>=2026-11-01."""

import re
from datetime import date

from lnexplorer.domain.history_query import NUMBERS, Comparison, HistoryQuery

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


def parse(text: str) -> HistoryQuery:
    """Read a filter line. What is no comparison of a known column is a word; a value with blanks stands in double quotes."""
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


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None

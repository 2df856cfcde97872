"""What is typed into the filter line: words that must occur, and comparisons such as N>=4096."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lnexplorer.gui.panes.history_parts.columns import COLUMNS

_COMPARISON = re.compile(r"^([a-z_]+)(<=|>=|!=|=|<|>)(\S+)$")
_BY_NAME = {name: column for column in COLUMNS for name in column.names}
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
_VERDICTS = {"passed": True, "failed": False}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column's value against a number or a word."""

    key: str
    sign: str
    value: float | str


@dataclass(frozen=True, slots=True)
class Query:
    """Everything must hold."""

    words: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    passed: bool | None = None

    def mask(self, frame: Any) -> Any:
        """Which rows of the history's DataFrame match, a boolean Series.

        Args:
            frame: the DataFrame, with a column `search` of all its text in lower case.
        """
        mask = frame["search"].notna()
        for word in self.words:
            mask &= frame["search"].str.contains(word, regex=False)
        for comparison in self.comparisons:
            mask &= _compare(frame[comparison.key], comparison)
        if self.passed is not None:
            mask &= frame["passed"] == self.passed
        return mask


def parse(text: str) -> Query:
    """Read a filter line. What is no comparison of a known column is a word."""
    words, comparisons, passed = [], [], None
    for term in text.lower().split():
        comparison = _comparison(term)
        if term in _VERDICTS:
            passed = _VERDICTS[term]
        elif comparison is not None:
            comparisons.append(comparison)
        else:
            words.append(term)
    return Query(tuple(words), tuple(comparisons), passed)


def _comparison(term: str) -> Comparison | None:
    match = _COMPARISON.match(term)
    if match is None or match[1] not in _BY_NAME:
        return None
    column, sign, value = _BY_NAME[match[1]], match[2], match[3]
    if not column.number:
        return Comparison(column.key, sign, value) if sign in {"=", "!="} else None
    try:
        number = float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
    except ValueError:
        return None
    return Comparison(column.key, sign, number)


def _compare(series: Any, comparison: Comparison) -> Any:
    value = comparison.value
    if isinstance(value, str):
        same = series.str.lower() == value
        return same if comparison.sign == "=" else ~same
    return _OPERATORS[comparison.sign](series, value)

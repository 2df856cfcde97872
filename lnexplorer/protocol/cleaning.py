"""Cleans texts from elsewhere, so that none commands a terminal or turns the order of its letters.

A sentence is refused if its template has places for anything but its own values.
"""

import re
import string
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import is_
from typing import Any, TypeVar

from lnexplorer.protocol.codec import DecodeError
from lnkernels.values import Sentence, one_line
from lnkernels.values.environment import Kind

T = TypeVar("T")
LONGEST_LINE = 2000  # characters of a text that is one line
# Texts of several lines: what a person wrote, a compiler or a worker said, or Qt keeps.
LONG_TEXTS = frozenset(("note", "notes", "reason", "layout", "texts", "detail", "printed"))
# There may be millions in a tuple, and nothing in them is to be cleaned.
NUMBERS = frozenset((int, float, bool, type(None)))
PLAIN_SPEC = re.compile(r"[,]?(\.\d{1,2})?[dfges%]?")


def clean(value: T, name: str = "", *, recorded: bool = False) -> T:
    """Return the value with every text on one line, without control characters.

    Args:
        value: a value of the domain, or a message.
        name: of the field that holds it; texts of LONG_TEXTS may have several lines.
        recorded: mark what was measured as recorded.

    Raises:
        DecodeError: a sentence has places that no sentence of this program has.
    """
    found: Any = value
    kind: Any = type(value)
    if isinstance(value, Kind):
        found = Kind.RECORDED if recorded and value is Kind.MEASURED else value
    elif isinstance(value, str):
        found = clean_text(value, several_lines=name in LONG_TEXTS)
    elif isinstance(value, Sentence):
        _check_sentence(value)
        values = tuple((key, clean(each, name, recorded=recorded)) for key, each in value.values)
        found = Sentence(clean_text(value.template, several_lines=True), values)
    elif isinstance(value, tuple):
        parts = tuple(
            each if type(each) in NUMBERS else clean(each, name, recorded=recorded)
            for each in value
        )
        found = value if all(map(is_, parts, value)) else parts
    elif isinstance(value, dict):
        found = {clean(key): clean(each, name, recorded=recorded) for key, each in value.items()}
    elif _field_names(kind):
        changed = {
            key: new
            for key in _field_names(kind)
            if (new := clean(old := getattr(value, key), key, recorded=recorded)) is not old
        }
        found = replace(value, **changed) if changed else value  # type: ignore[type-var]  # a dataclass
    return found  # type: ignore[no-any-return]  # of the type that was given


def clean_text(text: str, *, several_lines: bool) -> str:
    """Return a text without control characters; one that is to be one line is made short, too."""
    if several_lines:
        lines = text.replace("\t", "    ").splitlines()
        return text if text.isprintable() else "\n".join(map(one_line, lines))
    cut = len(text) > LONGEST_LINE
    return f"{one_line(text[:LONGEST_LINE])} …" if cut else one_line(text)


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields; none for another type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _check_sentence(sentence: Sentence) -> None:
    """Refuse a template that asks for more than its values: a foreign one could format an
    attribute, or a text without end.
    """
    kinds = {name: type(value) for name, value in sentence.values}
    try:
        places = list(string.Formatter().parse(sentence.template))
    except ValueError as error:
        raise DecodeError("a sentence of it is damaged") from error
    for _, name, spec, conversion in places:
        if name is not None and (
            name not in kinds or conversion or not PLAIN_SPEC.fullmatch(spec or "")
        ):
            raise DecodeError(f"a sentence of it has a place that no sentence has: {name[:40]}")
        if spec and kinds[name or ""] in (str, Sentence) and spec != "s":
            raise DecodeError(f"a sentence of it has a text where a number belongs: {name}")

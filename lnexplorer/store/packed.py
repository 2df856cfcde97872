"""Values of the domain as bytes: msgpack, which the database keeps deflated, and files in an
archive.

What comes from elsewhere is cleaned: no text of it commands a terminal, and no sentence of it has
places that are not its own.
"""

import re
import string
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import is_
from typing import Any, TypeVar

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.experiments.record import ExperimentRecord
from lnexplorer.protocol.codec import DecodeError, decode, encode
from lnexplorer.protocol.foreign import check_bounds
from lnexplorer.store.files import StoreError, one_line, short_cause
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence, say

T = TypeVar("T")
MAX_BYTES = 1 << 28  # of one value
LONGEST_LINE = 2000  # characters of a text that is one line
# Texts of several lines: what a person wrote, a compiler said, or Qt keeps.
LONG_TEXTS = frozenset(("note", "notes", "reason", "layout", "texts"))
# There may be millions in a tuple, and nothing in them is to be cleaned.
NUMBERS = frozenset((int, float, bool, type(None)))
PLAIN_SPEC = re.compile(r"[,]?(\.\d{1,2})?[dfges%]?")


def check_packed(data: bytes, kind: type) -> None:
    """Raise StoreError where an encoded value is out of bounds; why, without a full stop."""
    with _refused():
        check_bounds(data, kind)


def unpack(data: bytes, kind: Any) -> Any:
    """Return the value in `data`.

    Raises:
        StoreError: it is no such value; why, without a full stop.
    """
    with _refused():
        return decode(data, kind)


@contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except (DecodeError, TypeError) as error:
        why = short_cause(error)
        raise StoreError(
            say("it is damaged, of another version, or impossible ({why})", why=why)
        ) from error


def upgraded(data: bytes, kind: Any) -> bytes:
    """Return an encoded value in today's form.

    Findings of an experiment stood under its name, beside those of others, which were None.

    Raises:
        StoreError: it is damaged.
    """
    if kind not in (ExperimentResult, ExperimentRecord):
        return data
    with _refused():
        plain = decode(data, dict[str, Any])
        result = plain.get("result") if kind is ExperimentRecord else plain
        if isinstance(result, dict) and "findings" not in result:
            for name in EXPERIMENTS:
                if (findings := result.pop(name, None)) is not None:
                    result["findings"] = findings | {"experiment": name}
        return encode(plain)


def deflate(value: Any) -> bytes:
    return zlib.compress(encode(value), 1)


def inflate(blob: bytes, kind: type[T]) -> T:
    """Return the value in `blob`, whose checksum zlib verifies.

    Raises:
        StoreError: it is no such value, damaged, or larger than MAX_BYTES.
    """
    inflater = zlib.decompressobj()
    try:
        data = inflater.decompress(blob, MAX_BYTES)
    except (zlib.error, TypeError) as error:
        raise StoreError(say("it is damaged ({why})", why=short_cause(error))) from error
    if not inflater.eof:
        raise StoreError(say("it is not whole"))
    found: T = unpack(upgraded(data, kind), kind)
    return found


def cleaned(value: T, name: str = "") -> T:
    """Return the value with every text on one line, without control characters, and with what was
    measured as recorded.

    Texts of LONG_TEXTS may have several lines.

    Raises:
        StoreError: a sentence has places that no sentence of this program has.
    """
    found: Any = value
    kind: Any = type(value)
    if isinstance(value, Kind):
        found = Kind.RECORDED if value is Kind.MEASURED else value
    elif isinstance(value, str):
        found = _clean_text(value, name)
    elif isinstance(value, Sentence):
        _check_sentence(value)
        found = replace(
            value, values=tuple((key, cleaned(each, name)) for key, each in value.values)
        )
    elif isinstance(value, tuple):
        parts = tuple(each if type(each) in NUMBERS else cleaned(each, name) for each in value)
        found = value if all(map(is_, parts, value)) else parts
    elif isinstance(value, dict):
        found = {cleaned(key): cleaned(each, name) for key, each in value.items()}
    elif _field_names(kind):
        changed = {
            key: new
            for key in _field_names(kind)
            if (new := cleaned(old := getattr(value, key), key)) is not old
        }
        found = replace(value, **changed) if changed else value  # type: ignore[type-var]  # a dataclass
    return found  # type: ignore[no-any-return]  # of the type that was given


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields; none for another type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _clean_text(text: str, name: str) -> str:
    if name not in LONG_TEXTS:
        cut = len(text) > LONGEST_LINE
        return f"{one_line(text[:LONGEST_LINE])} …" if cut else one_line(text)
    return (
        text
        if text.isprintable()
        else "\n".join(one_line(line) for line in text.replace("\t", "    ").splitlines())
    )


def _check_sentence(sentence: Sentence) -> None:
    """Refuse a template that asks for more than its values: a foreign one could format an
    attribute, or a text without end.
    """
    names = {name for name, _ in sentence.values}
    try:
        places = list(string.Formatter().parse(sentence.template))
    except ValueError as error:
        raise StoreError(say("a sentence of it is damaged")) from error
    for _, name, spec, conversion in places:
        if name is not None and (
            name not in names or conversion or not PLAIN_SPEC.fullmatch(spec or "")
        ):
            raise StoreError(
                say("a sentence of it has a place that no sentence has: {place}", place=name[:40])
            )

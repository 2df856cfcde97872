"""Values of the domain as bytes: msgpack, which the database keeps deflated, and files in an
archive.

What comes from elsewhere is cleaned: no text of it commands a terminal, and no sentence of it has
    places that are not
its own.
"""

import re
import string
import zlib
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import is_
from typing import Any, TypeVar

from lnexplorer.protocol.codec import DecodeError, decode, encode
from lnexplorer.store.files import StoreError, one_line, short_cause
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence, say

T = TypeVar("T")
MAX_BYTES = 1 << 28  # of one value
LONGEST_LINE = 2000  # characters of a text that is one line
# Texts of several lines: what a person wrote, a compiler said, or Qt keeps.
LONG_TEXTS = frozenset(("note", "notes", "reason", "layout", "texts"))
# In msgpack: bytes of the length that follows a kind, and bytes that follow one of a fixed length.
SIZED = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
FIXED = {
    0xCA: 4,
    0xCB: 8,
    0xCC: 1,
    0xCD: 2,
    0xCE: 4,
    0xCF: 8,
    0xD0: 1,
    0xD1: 2,
    0xD2: 4,
    0xD3: 8,
} | {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}
# Parts of one byte, and of nine (a float), of which there may be millions in a row.
RUNS = (
    (re.compile(rb"[\x00-\x9f\xc0-\xc3\xe0-\xff]+"), 1),
    (re.compile(rb"(?:\xcb[\x00-\xff]{8})+"), 9),
)
NUMBERS = frozenset(
    (int, float, bool, type(None))
)  # nothing in them is to be looked at; there may be millions
PLAIN_SPEC = re.compile(r"[,]?(\.\d{1,2})?[dfges%]?")


def unpack(data: bytes, kind: Any) -> Any:
    """The value in `data`.

    Raises:
        StoreError: it is no such value; why, without a full stop.
    """
    try:
        return decode(data, kind)
    except (DecodeError, TypeError) as error:
        raise StoreError(
            say(
                "it is damaged, or another version of this program wrote it ({why})",
                why=short_cause(error),
            )
        ) from error


def count_parts(data: bytes, most: int) -> int:
    """How many numbers, texts and containers msgpack has; an array of numpy is one text. More than
    `most` is most + 1.

    Each takes up to 80 bytes once it is decoded, and may be one byte here.
    """
    place = count = 0
    while place < len(data) and count <= most:
        for pattern, size in RUNS:
            if (run := pattern.match(data, place)) is not None:
                count += (run.end() - place) // size
                place = run.end()
        if place >= len(data):
            break
        kind = data[place]
        count += 1
        place += 1
        if 0xA0 <= kind < 0xC0:
            place += kind & 31  # a short text
        elif kind in SIZED:
            width = SIZED[kind]
            place += width + int.from_bytes(data[place : place + width])
        else:
            place += FIXED.get(kind, 0)
    return min(count, most + 1)


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
    found: T = unpack(data, kind)
    return found


def cleaned(value: T, name: str = "") -> T:
    """The same with every text on one line, without control characters, and what was measured as
    recorded.

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
    elif part_names(kind):
        changed = {
            key: new
            for key in part_names(kind)
            if (new := cleaned(old := getattr(value, key), key)) is not old
        }
        found = replace(value, **changed) if changed else value  # type: ignore[type-var]  # a dataclass
    return found  # type: ignore[no-any-return]  # of the type that was given


@cache
def part_names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass; none of what is no dataclass."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _clean_text(text: str, name: str) -> str:
    if name not in LONG_TEXTS:
        return one_line(text) if len(text) <= LONGEST_LINE else one_line(text[:LONGEST_LINE]) + " …"
    return (
        text
        if text.isprintable()
        else "\n".join(one_line(line) for line in text.replace("\t", "    ").splitlines())
    )


def _check_sentence(sentence: Sentence) -> None:
    """A template is formatted: a foreign one could ask for what its values are made of, or for a
    text without end.
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

"""Damaged, forged and hostile forms of the program's own files and messages."""

import io
import json
import random
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import msgspec

# What a text of a file may hold to harm whoever shows it: markup, devices, terminal commands,
# formulas, odd letters.
HOSTILE_TEXTS = (
    '<img src="/dev/zero">',
    "<b style='color:green'>PASSED</b>",
    "<table width=99999999><tr><td>" * 20,
    "<a href='file:///etc/passwd'>run 1</a>",
    "&lt;i&gt;",
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred",
    "\x9b31m",
    "/dev/zero",
    "../../../etc/passwd",
    '=HYPERLINK("http://x")',
    "＝1+1",  # a full-width sign
    "\n=1+1",
    "{value} {0} {why!r:>9999999}",
    "%n%s%d",
    "\u202egnp.exe",
    "\u0000",
    "\ud7ff\uffff",
    "x" * 100_000,
    ",f4",
    "O",
    "|O8",
    "float16",
    "",
)
HOSTILE_NUMBERS = (
    0, -1, 1, 2, 7, 65537, (1 << 31) - 1, 1 << 31, (1 << 40), (1 << 63) - 1, (1 << 64) - 1, -(1 << 63),
    0.0, -0.0, 1e-320, 1e38, 1e308, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The same bytes with a few bits, bytes or stretches changed, cut off, doubled or moved."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 30))):
        if not found:
            break
        place = rng.randrange(len(found))
        end = min(len(found), place + rng.choice((1, 4, 64, 4096)))
        match rng.randrange(7):
            case 0 | 1 | 2:
                found[place] ^= 1 << rng.randrange(8)
            case 3:
                del found[place:]
            case 4:
                found[place:place] = found[place:end]
            case 5:
                found[place:end] = rng.randbytes(end - place)
            case _:
                found[place:end] = bytes(end - place)
    return bytes(found)


def one_bit_flipped(data: bytes, rng: random.Random) -> bytes:
    """The same bytes but for one bit."""
    found = bytearray(data)
    found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def _repacked(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """The archive with right checksums and each member as `change` makes it of its name and bytes."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as archive,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as changed,
    ):
        for name in archive.namelist():
            changed.writestr(name, change(name, archive.read(name)))
    return out.getvalue()


def _with_member(data: bytes, rng: random.Random, held: bytes) -> bytes:
    """The archive with other bytes in one of its values."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
    chosen = rng.choice([name for name in names if not name.endswith(".json")] or names)
    return _repacked(data, lambda name, before: held if name == chosen else before)


def forged_archive(data: bytes, rng: random.Random) -> bytes:
    """An archive whose checksums are right and whose values are not what this program would have
    written.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        chosen = rng.choice(archive.namelist())
    forge = _forged_json if chosen.endswith(".json") else forged_message
    return _repacked(data, lambda name, held: forge(held, rng) if name == chosen else held)


def forged_message(data: bytes, rng: random.Random) -> bytes:
    """Msgpack with some of its parts replaced by what does not belong there."""
    try:
        plain = msgspec.msgpack.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return damaged(data, rng)
    for _ in range(rng.choice((1, 1, 2, 4))):
        plain = _with_another_part(plain, rng)
    try:
        return msgspec.msgpack.encode(plain)
    except (OverflowError, ValueError, TypeError, RecursionError):
        return damaged(data, rng)


def with_hostile_texts(data: bytes, rng: random.Random) -> bytes:
    """Msgpack in which every text that is not a key, and does not look like a name of ours, is
    hostile.
    """
    return msgspec.msgpack.encode(_every_text(msgspec.msgpack.decode(data), rng))


def hostile_archive(data: bytes, rng: random.Random) -> bytes:
    """An archive all of whose free texts are hostile: titles, notes, devices, sentences."""

    def hostile(name: str, held: bytes) -> bytes:
        if name.endswith(".json"):
            return json.dumps(_every_text(json.loads(held), rng)).encode()
        return with_hostile_texts(held, rng)

    return _repacked(data, hostile)


def deeply_nested(data: bytes, rng: random.Random) -> bytes:
    """An archive with a member of nested lists, up to 15 MB of them."""
    depth = rng.choice((100, 10_000, 1_000_000, 15_000_000))
    return _with_member(data, rng, b"\x91" * depth + b"\xc0")


def wide_arrays(data: bytes, rng: random.Random) -> bytes:
    """An archive with a member that is long and compresses to nearly nothing."""
    count = rng.choice((100_000, 5_000_000, 100_000_000))
    return _with_member(data, rng, b"\xdd" + struct.pack(">I", count) + bytes(count))


def forged_text(data: bytes, rng: random.Random) -> bytes:
    """A file of text (JSON, CSV) with hostile words, cells and lines in it."""
    if data[:1] in (b"{", b"["):
        return _forged_json(data, rng)
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 2, 5))):
        place = rng.randrange(len(lines))
        cells = lines[place].split(b",")
        cells[rng.randrange(len(cells))] = _bytes_of(
            rng.choice((*HOSTILE_TEXTS, *map(str, HOSTILE_NUMBERS)))
        )
        lines[place] = b",".join(cells)
    return b"\n".join(lines)


def mutation_of(suffix: str, rng: random.Random) -> Callable[[bytes, random.Random], bytes]:
    """One of the ways to change a file of this kind."""
    if suffix in (".json", ".csv"):
        return rng.choice((damaged, forged_text, forged_text))
    ways = (
        damaged,
        one_bit_flipped,
        forged_archive,
        forged_archive,
        forged_archive,
        hostile_archive,
    )
    return rng.choice(ways) if rng.random() < 0.99 else rng.choice((deeply_nested, wide_arrays))


def _forged_json(data: bytes, rng: random.Random) -> bytes:
    try:
        plain = json.loads(data)
    except ValueError:
        return damaged(data, rng)
    return _bytes_of(json.dumps(_with_another_part(plain, rng)))


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _every_text(plain: Any, rng: random.Random) -> Any:
    match plain:
        case dict():
            return {key: _every_text(part, rng) for key, part in plain.items()}
        case list():
            return [_every_text(part, rng) for part in plain]
        case str() if (
            " " in plain or not plain
        ):  # names of dtypes, strategies and kinds have no space
            return rng.choice(HOSTILE_TEXTS[:17])
        case _:
            return plain


def _with_another_part(plain: Any, rng: random.Random) -> Any:
    """A copy in which one part, at any depth, is another value, missing or doubled."""
    found: Any = plain
    match plain:
        case dict() if plain and rng.random() < 0.9:
            key = rng.choice(list(plain))
            left = {name: part for name, part in plain.items() if name != key}
            found = (
                left if rng.random() < 0.05 else plain | {key: _with_another_part(plain[key], rng)}
            )
        case list() if plain and rng.random() < 0.9:
            place = rng.randrange(len(plain))
            doubled = plain[place:] * rng.choice((0, 1, 50)) if rng.random() < 0.1 else []
            found = [
                *plain[:place],
                _with_another_part(plain[place], rng),
                *plain[place + 1 :],
                *doubled,
            ]
        case bytes() if plain:
            found = damaged(plain, rng)
        case str() if rng.random() < 0.8:
            found = rng.choice(HOSTILE_TEXTS)
        case bool() | int() | float() if rng.random() < 0.8:
            found = rng.choice(HOSTILE_NUMBERS)
        case _:
            found = rng.choice(
                (
                    None,
                    [],
                    {},
                    "",
                    True,
                    0,
                    [None] * 10,
                    {"a": {"b": [1]}},
                    *HOSTILE_TEXTS[:3],
                    *HOSTILE_NUMBERS[:5],
                )
            )
    return found

"""Values of the domain as bytes: msgpack, which the database keeps deflated, and files in an
archive.

What comes from elsewhere is cleaned: no text of it commands a terminal, and no sentence of it has
places that are not its own.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS, ExperimentRecord
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.protocol.cleaning import clean
from lnexplorer.protocol.codec import DecodeError, decode, encode
from lnexplorer.protocol.foreign import check_bounds
from lnexplorer.store.files import StoreError, short_cause

T = TypeVar("T")
MAX_BYTES = 1 << 28  # of one value


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
            "it is damaged, of another version, or impossible ({why})", why=why
        ) from error


def upgraded(data: bytes, kind: Any) -> bytes:
    """Return an encoded value in today's form.

    Findings of an experiment stood under its name, beside those of others, which were None. The
    barrier was left out together with the atomic count.

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
        findings = result.get("findings") if isinstance(result, dict) else None
        if isinstance(findings, dict) and findings.get("experiment") == "barrier":
            side = findings.get("left_out")
            if "plain_count" not in findings and isinstance(side, dict):
                findings |= {"left_out": None, "plain_count": side | {"atomic_count": False}}
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
        raise StoreError("it is damaged ({why})", why=short_cause(error)) from error
    if not inflater.eof:
        raise StoreError("it is not whole")
    found: T = unpack(upgraded(data, kind), kind)
    return found


def cleaned(value: T) -> T:
    """Return a value of a file, its texts cleaned and what was measured as recorded.

    Raises:
        StoreError: a sentence has places that no sentence of this program has.
    """
    with _refused():
        return clean(value, recorded=True)

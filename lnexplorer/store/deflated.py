"""Values as the history keeps them: msgpack, deflated."""

import zlib
from typing import Any, TypeVar

from lnexplorer.protocol.codec import decode, encode

T = TypeVar("T")
MAX_BYTES = 1 << 30
# What `inflate` raises for what is no value, beside DecodeError, or is of another type than bytes.
DAMAGE = (zlib.error, TypeError)


def deflate(value: Any) -> bytes:
    """A value of the domain."""
    return zlib.compress(encode(value), 1)


def inflate(blob: bytes, kind: type[T]) -> T:
    """The value in `blob`.

    Raises:
        DecodeError: it is no such value.
        zlib.error: it is damaged, or larger than MAX_BYTES.
        TypeError: `blob` is something else than bytes.
    """
    inflater = zlib.decompressobj()
    data = inflater.decompress(blob, MAX_BYTES)
    if not inflater.eof:
        raise zlib.error("it is not whole")
    return decode(data, kind)

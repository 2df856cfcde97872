"""Turns values into bytes and back, without pickle, and reads and writes frames on a stream.

An array becomes its dtype, shape and bytes. A frame is a length of eight bytes, little-endian, then
as many bytes.
"""

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

import msgspec

# Only for arrays: the window reads its settings and is painted before numpy is loaded.
if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
ARRAY_KINDS = "biuf"  # booleans, integers and floats; nothing that could hold an object
MOST = 1 << 63  # whole numbers are smaller: neither a database nor a screen takes larger ones

HEADER = struct.Struct("<Q")
MAX_FRAME_BYTES = 1 << 27  # larger than the trace of the most rows that are allowed
# So much is read at once: memory follows what has arrived, not what a length announces.
CHUNK_BYTES = 1 << 20
SMALL_BYTES = 1 << 16  # a smaller frame is one write: over a network, two wait for each other


class DecodeError(ValueError):
    """The bytes, or plain values, are no value of the expected type."""


class FramingError(ValueError):
    """The stream ends inside a frame, or announces a length that no frame has."""


@contextmanager
def decoding() -> Iterator[None]:
    """Turn any error into a DecodeError: numpy raises all kinds of them at an odd dtype."""
    try:
        yield
    except Exception as error:
        raise DecodeError(str(error) or type(error).__name__) from error


class WireArray(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """An array on the wire."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def encode(value: Any) -> bytes:
    """Encode a value (a message, or any of the domain's) as msgpack.

    Raises:
        TypeError: a part of the value has no form on the wire.
    """
    return _ENCODER.encode(value)


def decode(data: bytes | bytearray | memoryview, kind: type[T]) -> T:
    """Return the value of type `kind` in some bytes; its arrays are read-only.

    Raises:
        DecodeError: the bytes are no such value.
    """
    with decoding():
        value: T = _decoder(cast("Any", kind)).decode(data)
    return value


def to_plain(value: Any) -> Any:
    """Return a value as dicts, lists, strings, numbers and None; an array becomes a list.

    Raises:
        TypeError: the value holds something that has no plain form.
    """

    def plain(part: Any) -> Any:
        np = _numpy()
        if isinstance(part, np.ndarray | np.generic):
            return part.tolist()
        raise TypeError(f"{type(part).__name__} has no plain form")

    return msgspec.to_builtins(value, enc_hook=plain)


def from_plain(plain: Any, kind: type[T]) -> T:
    """Return the value of type `kind`, without arrays, of which `to_plain` made this.

    Raises:
        DecodeError: it is no such value, or has a whole number of more than 64 bits, or a text
            that is no Unicode. Neither a database nor a screen takes those.
    """
    with decoding():
        _check_parts(plain)
        value: T = msgspec.convert(plain, type=kind)
    return value


def write_frame(stream: BinaryIO, payload: bytes) -> None:
    """Write one frame and flush it.

    Raises:
        FramingError: the payload is larger than MAX_FRAME_BYTES.
    """
    if len(payload) > MAX_FRAME_BYTES:
        raise FramingError(
            f"a message of {len(payload)} bytes is larger than the {MAX_FRAME_BYTES} that are"
            " allowed"
        )
    if len(payload) < SMALL_BYTES:
        stream.write(HEADER.pack(len(payload)) + payload)
    else:
        stream.write(HEADER.pack(len(payload)))
        stream.write(payload)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | bytearray | None:
    """Return the next frame's payload, or None where the stream ends between frames.

    Raises:
        FramingError: the stream ends inside a frame, or announces more than MAX_FRAME_BYTES.
    """
    header = _read_up_to(stream, HEADER.size)
    if not header:
        return None
    if len(header) < HEADER.size:
        raise FramingError("the stream ended inside the length of a message")
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        raise FramingError(
            f"a message announces {length} bytes, more than the {MAX_FRAME_BYTES} that are allowed"
        )
    payload = _read_up_to(stream, length)
    if len(payload) < length:
        raise FramingError(
            f"the stream ended after {len(payload)} of the {length} bytes of a message"
        )
    return payload


def _read_up_to(stream: BinaryIO, count: int) -> bytearray:
    read = bytearray()
    while len(read) < count:
        part = stream.read(min(count - len(read), CHUNK_BYTES))
        if not part:
            break
        read += part
    return read


def _numpy() -> ModuleType:
    """Return numpy; it is imported for the first array."""
    import numpy

    return numpy


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    # Building the decoder of a union costs far more than decoding a small message with it.
    return msgspec.msgpack.Decoder(kind, dec_hook=from_wire)


def _to_wire(value: Any) -> Any:
    np = _numpy()
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in ARRAY_KINDS:
            raise TypeError(f"an array of {value.dtype} has no form on the wire")
        return WireArray(value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no form on the wire")


def from_wire(kind: Any, value: Any) -> Any:
    """Return the array that an annotation such as NDArray[np.float32] describes, or findings."""
    # The experiments import numpy, too.
    from lnexplorer.domain.experiments.catalogue import findings_class
    from lnexplorer.domain.experiments.experiment import Findings

    np = _numpy()
    if kind is Findings:  # msgspec has no tagged unions of dataclasses
        return msgspec.convert(value, findings_class(value), dec_hook=from_wire)
    origin = getattr(kind, "__origin__", kind)
    if origin is not np.ndarray:
        raise TypeError(f"{kind} has no form on the wire")
    array = value if isinstance(value, WireArray) else msgspec.convert(value, WireArray)
    dtype = np.dtype(array.dtype)
    if dtype.kind not in ARRAY_KINDS or dtype.subdtype is not None:
        raise ValueError(f"an array of {dtype} is not allowed")
    wanted = element_type(kind)
    if wanted is not None and dtype != wanted:
        raise ValueError(f"an array of {wanted} is expected, not of {dtype}")
    # A length of -1 would let numpy choose it, and the product of two negative lengths is positive.
    if any(length < 0 for length in array.shape):
        raise ValueError(f"the shape {array.shape} has a negative length")
    if math.prod(array.shape) * dtype.itemsize != len(array.data):
        raise ValueError(f"an array of {array.shape} {dtype} does not have {len(array.data)} bytes")
    return np.frombuffer(array.data, dtype).reshape(array.shape)


def element_type(kind: Any) -> "np.dtype[Any] | None":
    """Return the element type of an annotation such as NDArray[np.float32]; None if it has none."""
    np = _numpy()
    match getattr(kind, "__args__", ()):
        case (_, element):
            named = getattr(element, "__args__", (None,))[0]
            concrete = (
                isinstance(named, type)
                and issubclass(named, np.generic)
                and not named.__subclasses__()
            )
            return np.dtype(named) if concrete else None
    return None


def _check_parts(plain: Any) -> None:
    if isinstance(plain, dict):
        for key, part in plain.items():
            _check_parts(key)
            _check_parts(part)
    elif isinstance(plain, list | tuple):
        for part in plain:
            _check_parts(part)
    elif isinstance(plain, str):
        if not plain.isascii():
            plain.encode()
    elif isinstance(plain, int) and not -MOST <= plain < MOST:
        raise ValueError(f"{str(plain)[:40]}… is more than a number of 64 bits")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_to_wire)

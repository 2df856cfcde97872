"""Values to bytes and back, without pickle. Arrays travel as their bytes with dtype and shape."""

import math
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
import numpy as np

T = TypeVar("T")
ARRAY_KINDS = "biuf"  # booleans, integers and floats; nothing that could hold an object


class DecodeError(ValueError):
    """Bytes that are not a value of the expected type."""


class _Array(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    dtype: str
    shape: tuple[int, ...]
    data: bytes


def encode(value: Any) -> bytes:
    """Value (a message, or any of the domain's) as msgpack.

    Raises:
        TypeError: a part of the value has no form on the wire.
    """
    return _ENCODER.encode(value)


def decode(data: bytes | bytearray | memoryview, kind: type[T]) -> T:
    """The value of type `kind` in `data`. Its arrays cannot be written to.

    Raises:
        DecodeError: the bytes are no such value, whatever else they are.
    """
    try:
        value: T = _decoder(cast("Any", kind)).decode(data)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        raise DecodeError(str(error) or type(error).__name__) from error
    return value


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    # Building the decoder of a union costs far more than decoding a small message with it.
    return msgspec.msgpack.Decoder(kind, dec_hook=_from_wire)


def _to_wire(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in ARRAY_KINDS:
            raise TypeError(f"an array of {value.dtype} has no form on the wire")
        return _Array(value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no form on the wire")


def _from_wire(kind: type, value: Any) -> Any:
    origin = getattr(kind, "__origin__", kind)
    if origin is not np.ndarray:
        raise TypeError(f"{kind} has no form on the wire")
    array = msgspec.convert(value, _Array)
    dtype = np.dtype(array.dtype)
    if dtype.kind not in ARRAY_KINDS or dtype.subdtype is not None:
        raise ValueError(f"an array of {dtype} is not allowed")
    wanted = element_type(kind)
    if wanted is not None and dtype != wanted:
        raise ValueError(f"an array of {wanted} is expected, not of {dtype}")
    # A shape of -1 would let numpy choose, and a negative one times another would slip through a product.
    if any(length < 0 for length in array.shape):
        raise ValueError(f"the shape {array.shape} has a negative length")
    if math.prod(array.shape) * dtype.itemsize != len(array.data):
        raise ValueError(f"an array of {array.shape} {dtype} does not have {len(array.data)} bytes")
    return np.frombuffer(array.data, dtype).reshape(array.shape)


def element_type(kind: Any) -> np.dtype[Any] | None:
    """The element type that an annotation such as NDArray[np.float32] names; None where it leaves it open."""
    match getattr(kind, "__args__", ()):
        case (_, element):
            named = getattr(element, "__args__", (None,))[0]
            concrete = isinstance(named, type) and issubclass(named, np.generic) and not named.__subclasses__()
            return np.dtype(named) if concrete else None
    return None


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_to_wire)

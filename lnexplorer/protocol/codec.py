"""Values to bytes and back, without pickle. Arrays travel as their bytes with dtype and shape."""

from typing import Any, TypeVar

import msgspec
import numpy as np

T = TypeVar("T")
ARRAY_KINDS = "biuf"  # booleans, integers and floats; nothing that could hold an object


class DecodeError(ValueError):
    """Bytes that are not a value of the expected type."""


class _Array(msgspec.Struct, array_like=True):
    dtype: str
    shape: tuple[int, ...]
    data: bytes


def encode(value: Any) -> bytes:
    """Value (a message, or any of the domain's) as msgpack."""
    return _ENCODER.encode(value)


def decode(data: bytes | memoryview, kind: type[T]) -> T:
    """The value of type `kind` in `data`.

    Raises:
        DecodeError: the bytes are no such value.
    """
    try:
        return msgspec.msgpack.decode(data, type=kind, dec_hook=_from_wire)
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        raise DecodeError(str(error)) from error


def _to_wire(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        contiguous = np.ascontiguousarray(value)
        return _Array(contiguous.dtype.str, contiguous.shape, contiguous.tobytes())
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no form on the wire")


def _from_wire(kind: type, value: Any) -> Any:
    origin = getattr(kind, "__origin__", kind)
    if origin is not np.ndarray:
        raise TypeError(f"{kind} has no form on the wire")
    array = msgspec.convert(value, _Array)
    dtype = np.dtype(array.dtype)
    if dtype.kind not in ARRAY_KINDS:
        raise ValueError(f"an array of {dtype} is not allowed")
    return np.frombuffer(array.data, dtype).reshape(array.shape)


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_to_wire)

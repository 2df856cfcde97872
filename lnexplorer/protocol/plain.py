"""The form of values for files: dicts, lists, strings and numbers, with each array put wherever the caller keeps arrays."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import numpy as np

from lnexplorer.protocol.codec import DecodeError, element_type

T = TypeVar("T")

MOST = 1 << 63

__all__ = ["DecodeError", "from_plain", "to_plain"]


def to_plain(value: Any, put_array: Callable[[np.ndarray], Any] | None = None) -> Any:
    """Value as dicts, lists, strings, numbers and None.

    Args:
        value: one of the domain's values.
        put_array: what stands for an array; None where the value has none.

    Raises:
        TypeError: the value holds something that has no plain form.
    """

    def plain(part: Any) -> Any:
        if isinstance(part, np.ndarray) and put_array is not None:
            return put_array(part)
        if isinstance(part, np.generic):
            return part.item()
        raise TypeError(f"{type(part).__name__} has no plain form")

    return msgspec.to_builtins(value, enc_hook=plain)


def from_plain(plain: Any, kind: type[T]) -> T:
    """The value of type `kind` that `to_plain` took apart, with numpy arrays back in their places.

    Raises:
        DecodeError: this is no such value, one of its arrays has another element type, or it holds a whole number of more than
            64 bits or a text that is no Unicode: neither a database nor a screen takes those.
    """
    try:
        _check_parts(plain)
        value: T = msgspec.convert(plain, type=kind, dec_hook=_checked_array)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise DecodeError(str(error) or type(error).__name__) from error
    return value


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


def _checked_array(kind: type, value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"expected an array, not {type(value).__name__}")
    expected = element_type(kind)
    if expected is not None and value.dtype != expected:
        raise TypeError(f"expected an array of {expected}, not of {value.dtype}")
    return value

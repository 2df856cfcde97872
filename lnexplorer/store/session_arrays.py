"""Arrays and numbers as the JSON of a session has them: an array is its element type, its shape and its bytes in base64."""

import base64
import binascii
import math
from typing import Any

import numpy as np

from lnexplorer.store.archive import RecordingError
from lnexplorer.store.plain_json import special_number

DTYPES = frozenset(("<f4", "<f8", "<i4", "<i8", "|b1", "|u1", "|i1"))


def array_to_plain(array: np.ndarray) -> dict[str, Any]:
    """An array as an object that `with_arrays` takes."""
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    data = base64.b64encode(little.tobytes()).decode("ascii")
    return {"array": {"dtype": little.dtype.str, "shape": list(array.shape), "base64": data}}


def with_arrays(plain: Any) -> Any:
    """New dicts and lists of the same values, with every array, and every number that JSON cannot write, in its place.

    Raises:
        RecordingError: an array is damaged.
    """
    if isinstance(plain, list):
        return [with_arrays(value) for value in plain]
    if not isinstance(plain, dict):
        return plain
    if plain.keys() == {"array"}:
        return _array(plain["array"])
    number = special_number(plain)
    return {key: with_arrays(value) for key, value in plain.items()} if number is None else number


def _array(plain: Any) -> np.ndarray:
    if not isinstance(plain, dict) or plain.keys() != {"dtype", "shape", "base64"} or str(plain["dtype"]) not in DTYPES:
        raise RecordingError("it holds an array that is none")
    dtype, shape = np.dtype(plain["dtype"]), plain["shape"]
    if not isinstance(shape, list) or len(shape) > 4 or not all(type(size) is int and size >= 0 for size in shape):
        raise RecordingError("it holds an array without a shape")
    try:
        data = base64.b64decode(plain["base64"], validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise RecordingError("it holds an array that is damaged") from error
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise RecordingError("it holds an array that is not as large as its shape says")
    return np.frombuffer(data, dtype).reshape(shape)

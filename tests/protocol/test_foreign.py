"""Bounds of foreign values hold however numpy declares the types of arrays."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pytest
from typing_extensions import TypeAliasType

from lnexplorer.protocol.codec import DecodeError, encode
from lnexplorer.protocol.foreign import check_bounds

Element = TypeVar("Element", bound=np.generic)
# As numpy 2.5 declares NDArray, from Python 3.12 on.
NDArray = TypeAliasType(
    "NDArray", np.ndarray[tuple[Any, ...], np.dtype[Element]], type_params=(Element,)
)


@dataclass
class Counted:
    samples: NDArray[np.int32]


def test_elements_of_an_array_are_bounded_where_its_type_is_an_alias() -> None:
    check_bounds(encode(Counted(np.array([0, 7], np.int32))), Counted)
    with pytest.raises(DecodeError, match="Expected elements from 0"):
        check_bounds(encode(Counted(np.array([0, -7], np.int32))), Counted)

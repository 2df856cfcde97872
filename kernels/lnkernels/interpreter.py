"""Make Triton's CPU interpreter compute as a GPU does, and tell kernels which of the two they run
on.

Triton chooses between the two when a kernel is decorated, its own `tl.sum` included. So
TRITON_INTERPRET=1 has to be in the environment before triton is first imported, and it holds for
the life of the process.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import triton
import triton.language as tl

from lnkernels.triton_internals import (
    compute_bfloat16_as_a_gpu,
    language_is_interpreted,
    let_scalars_be_numbers,
    speed_up_the_interpreter,
    take_what_is_compiled,
    tune_nothing,
)


def _is_interpreted() -> bool:
    """Return True if kernels run on the interpreter, after patching it. An exported script contains
    this function.
    """
    interpreted = bool(triton.knobs.runtime.interpret)
    if interpreted:
        compute_bfloat16_as_a_gpu()
        if triton.__version__.startswith("3.6."):
            let_scalars_be_numbers()
    return interpreted


IS_INTERPRETED: bool = _is_interpreted()
INTERPRETED = tl.constexpr(IS_INTERPRETED)  # the same, as kernels may read it

if language_is_interpreted() != IS_INTERPRETED:
    raise ImportError(
        "TRITON_INTERPRET was changed after triton was imported, which has chosen by then if its"
        " own functions are interpreted: set it before the first import of triton or torch.compile"
    )
if IS_INTERPRETED:
    tune_nothing()
    speed_up_the_interpreter()
    take_what_is_compiled()

_UNCHANGED: AbstractContextManager[None] = nullcontext()


def ieee_arithmetic() -> AbstractContextManager[None]:
    """Return a context in which a launch overflows and divides as on a GPU: infinities and NaN, no
    warnings from numpy.
    """
    return np.errstate(all="ignore") if IS_INTERPRETED else _UNCHANGED


def device_function(function: Callable[..., Any]) -> Any:
    """Decorate a function that kernels call.

    The interpreter would prepare the whole language again for every call, about 1 ms. The kernel
    that calls has done so.
    """
    return function if IS_INTERPRETED else triton.jit(function)

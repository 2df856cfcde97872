"""Where Triton's CPU interpreter and a GPU differ, and how the kernels stay the same on both.

Triton chooses between the two when a kernel is decorated, its own `tl.sum` included. So TRITON_INTERPRET=1 has to be in
the environment before triton is first imported, and it holds for the life of the process.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner


def _let_scalars_be_numbers() -> None:
    """Have triton 3.6 count with scalars under numpy 2.4 and later, as in `range(0, N, BLOCK_SIZE)`.

    There a scalar is an array of one element, and `int` of such an array is refused since numpy 2.4. Triton 3.7 does it
    so.
    """
    from triton.runtime import interpreter

    as_triton_has_it = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        as_triton_has_it(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda scalar: int(scalar.handle.data.item()))

    interpreter._patch_lang_tensor = patched


def _is_interpreted() -> bool:
    """Whether kernels run on the interpreter, which is made to run them; an exported script has this with the name below."""
    interpreted = bool(triton.knobs.runtime.interpret)
    if interpreted and triton.__version__.startswith("3.6."):
        _let_scalars_be_numbers()
    return interpreted


IS_INTERPRETED: bool = _is_interpreted()
INTERPRETED = tl.constexpr(IS_INTERPRETED)  # the same, as kernels may read it

_tune: Callable[..., Any] = Autotuner.run


def untuned(tuner: Any, *arguments: Any, **named: Any) -> Any:
    """`Autotuner.run` where no time is measured: with the first of the configurations."""
    configurations, tuner.nargs = tuner.configs, dict(zip(tuner.arg_names, arguments, strict=False))
    tuner.configs = tuner.prune_configs(named)[:1]
    try:
        return _tune(tuner, *arguments, **named)
    finally:
        tuner.configs = configurations


if IS_INTERPRETED:
    Autotuner.run = untuned

_UNCHANGED: AbstractContextManager[None] = nullcontext()


def ieee_arithmetic() -> AbstractContextManager[None]:
    """A context in which a launch overflows and divides as on a GPU: infinities and NaN, no warnings from numpy."""
    return np.errstate(all="ignore") if IS_INTERPRETED else _UNCHANGED


def device_function(function: Callable[..., Any]) -> Any:
    """Decorator of a function that kernels call.

    The interpreter would prepare the whole language again for every call, about 1 ms. The kernel that calls has done
    so.
    """
    return function if IS_INTERPRETED else triton.jit(function)


@device_function
def rounded(value, dtype: tl.constexpr):
    """`value`, float32, rounded to nearest even in `dtype`.

    A GPU's cast does this. The interpreter's cast to bfloat16 cuts the lower bits off instead, which doubles the error,
    so there the rounding is done on the bits.
    """
    if INTERPRETED and dtype == tl.bfloat16:
        bits = value.to(tl.uint32, bitcast=True)
        nearest = bits + 0x7FFF + ((bits >> 16) & 1)
        upper = tl.where(value != value, 0x7FC0, nearest >> 16)  # noqa: PLR0124 - so a NaN is known
        return upper.to(tl.uint16).to(tl.bfloat16, bitcast=True)
    else:  # the compiler drops the branch not taken only where there is an else
        return value.to(dtype)

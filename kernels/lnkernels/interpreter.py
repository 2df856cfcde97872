"""Make Triton's CPU interpreter compute as a GPU does, and tell kernels which of the two they run
on.

Triton chooses between the two when a kernel is decorated, its own `tl.sum` included. So
TRITON_INTERPRET=1 has to be in the environment before triton is first imported, and it holds for
the life of the process.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner


def _let_scalars_be_numbers() -> None:
    """Let triton 3.6 use scalars as numbers under numpy 2.4 and later, as in `range(0, N,
    BLOCK_SIZE)`.

    There a scalar is an array of one element, and `int` of such an array is refused since numpy
    2.4. Triton 3.7 does it so.
    """
    from triton.runtime import interpreter

    as_triton_has_it = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        as_triton_has_it(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda scalar: int(scalar.handle.data.item()))

    interpreter._patch_lang_tensor = patched


def _compute_bfloat16_as_a_gpu() -> None:
    """Let the interpreter round to bfloat16 to nearest even, and compute with bfloat16 in float32.

    It cuts the lower bits off instead, which doubles the error, and it counts with the bits, and
    prints them, as if they were integers. Of a number beside bfloat16, such as in `1 + x`, it makes
    nothing.
    """
    from triton.runtime import interpreter
    from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, TensorHandle

    cast, add_up, show = (
        InterpreterBuilder.cast_impl,
        ReduceOps.sum,
        InterpreterBuilder.create_print,
    )
    as_triton_has_it = interpreter._patch_lang_tensor

    def widened(handle: Any) -> Any:
        if not isinstance(handle, TensorHandle) or handle.dtype.scalar != tl.bfloat16:
            return handle
        return TensorHandle((handle.data.astype(np.uint32) << 16).view(np.float32), tl.float32)

    def rounded(handle: Any) -> Any:
        values = handle.data.astype(np.float32)
        bits = values.view(np.uint32)
        nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        return TensorHandle(
            np.where(np.isnan(values), 0x7FC0, nearest).astype(np.uint16), tl.bfloat16
        )

    def converted(builder: Any, source: Any, target: Any) -> Any:
        return (
            rounded(widened(source))
            if target.scalar == tl.bfloat16
            else cast(builder, widened(source), target)
        )

    def in_float32(compute: Callable[..., Any]) -> Callable[..., Any]:
        def computed(*given: Any) -> Any:
            result = compute(*map(widened, given))
            if (
                result.data.dtype == np.bool_
            ):  # of a comparison, to which the interpreter gives the type of what is compared
                return TensorHandle(result.data, tl.int1)
            *_, last = (
                one for one in given if isinstance(one, TensorHandle)
            )  # which has the type of the result
            return rounded(result) if last.dtype.scalar == tl.bfloat16 else result

        return computed

    def added_up(reduction: Any, given: Any) -> Any:
        return (
            add_up(reduction, given.to(tl.float32)).to(given.dtype)
            if given.dtype == tl.bfloat16
            else add_up(reduction, given)
        )

    def shown(builder: Any, prefix: Any, hexadecimal: Any, values: Any, *more: Any) -> None:
        show(
            builder,
            prefix,
            hexadecimal,
            values if hexadecimal else [widened(one) for one in values],
            *more,
        )

    def patched(tensor: Any, scope: Any) -> None:
        as_triton_has_it(tensor, scope)
        scope.set_attr(tensor, "__repr__", lambda one: repr(widened(one.handle).data))
        scope.set_attr(tensor, "__str__", lambda one: str(widened(one.handle).data))

    InterpreterBuilder.cast_impl = converted
    ReduceOps.sum = added_up
    InterpreterBuilder.create_print = shown
    interpreter._patch_lang_tensor = patched
    InterpreterBuilder.get_bf16 = lambda builder, value: rounded(builder.get_fp32(value))
    for name in ("binary_op", "create_fma", "create_dot"):
        setattr(InterpreterBuilder, name, in_float32(getattr(InterpreterBuilder, name)))


def _is_interpreted() -> bool:
    """Return True if kernels run on the interpreter, after patching it. An exported script contains
    this function.
    """
    interpreted = bool(triton.knobs.runtime.interpret)
    if interpreted:
        _compute_bfloat16_as_a_gpu()
        if triton.__version__.startswith("3.6."):
            _let_scalars_be_numbers()
    return interpreted


IS_INTERPRETED: bool = _is_interpreted()
INTERPRETED = tl.constexpr(IS_INTERPRETED)  # the same, as kernels may read it

_tune: Callable[..., Any] = Autotuner.run


def untuned(tuner: Any, *arguments: Any, **named: Any) -> Any:
    """Replace `Autotuner.run` where nothing is timed: run the first of the configurations."""
    configurations = tuner.configs
    tuner.nargs = dict(zip(tuner.arg_names, arguments, strict=False))
    tuner.configs = tuner.prune_configs(named)[:1]
    try:
        return _tune(tuner, *arguments, **named)
    finally:
        tuner.configs = configurations


def _take_what_is_compiled() -> None:
    """Let the interpreter accept what the compiler accepts of a user's kernel.

    A grid may be a list, and an argument True. A number with a fraction is a scalar of float32,
    which can be cast and widens float16, where a number of Python's does neither. Of libdevice, the
    functions that Triton's own language has too do what those do.
    """
    from triton.language.extra import cuda, libdevice
    from triton.runtime import interpreter

    convert, execute = interpreter._implicit_cvt, interpreter.GridExecutor

    def converted(argument: Any) -> Any:
        if not isinstance(argument, float | bool):
            return convert(argument)
        kept, kind = (np.bool_, tl.int1) if isinstance(argument, bool) else (np.float32, tl.float32)
        return tl.tensor(interpreter.TensorHandle(np.array([argument], kept), kind), kind)

    def executed(function: Any, names: Any, grid: Any, *more: Any) -> Any:
        run = execute(
            function,
            names,
            (lambda given: tuple(grid(given))) if callable(grid) else tuple(grid),
            *more,
        )

        def plainly(*arguments: Any, **named: Any) -> None:
            with (
                torch._C.DisableTorchFunction()
            ):  # its tensors are on the CPU, whatever a file sees
                run(*arguments, **named)

        return plainly

    interpreter._implicit_cvt = converted
    interpreter.GridExecutor = executed
    for library in (libdevice, cuda.libdevice):
        for name in vars(library).keys() & vars(tl.math).keys():
            if not name.startswith("_") and callable(getattr(library, name)):
                setattr(library, name, partial(_of_the_language, name))


def _of_the_language(name: str, *arguments: Any) -> Any:
    return getattr(tl.math, name)(*arguments)  # which the interpreter replaces while a kernel runs


if IS_INTERPRETED:
    Autotuner.run = untuned
    _take_what_is_compiled()

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

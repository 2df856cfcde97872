"""What a launcher would launch: it is run with stand-ins for tensors while kernels note their launch instead of
running.

And the keys by which Triton's cache knows a kernel, made the same in every process.
"""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from triton.runtime.jit import JITFunction

from lnkernels.launch import LAUNCHED

# With kernels, or functions that kernels call; the strategies' own come behind them.
MODULES = ("interpreter", "device_functions", "clock", "tracing", "reductions", "forward")
_TRITON_NAMES = {
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "int32": "i32",
    "int64": "i64",
}
_ALIGNMENT = 16  # bytes of an address, or a number's divisor, that Triton specialises a kernel on


class StandIn:
    """As much of a contiguous tensor as a launcher looks at.

    Its address is 0, aligned like an allocation of torch's.
    """

    def __init__(self, dtype: str, *shape: int) -> None:
        self.dtype = dtype
        self.shape = shape

    def data_ptr(self) -> int:
        """An aligned address."""
        return 0

    def stride(self, dimension: int) -> int:
        """Elements from one index to the next."""
        step = 1
        for size in self.shape[dimension + 1 :]:
            step *= size
        return step

    def zero_(self) -> "StandIn":
        """Nothing: there is no memory."""
        return self


@dataclass(frozen=True, slots=True)
class RecordedLaunch:
    """One launch of a kernel as its caller wrote it."""

    kernel: JITFunction[Any]
    grid: tuple[int, ...]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Specialization:
    """A kernel's arguments as the compiler sees them."""

    signature: dict[str, str]
    constants: dict[tuple[int], Any]
    attributes: dict[tuple[int], list[list[Any]]]
    options: dict[str, Any]  # num_warps, num_stages, …


@contextmanager
def recorded_launches() -> Iterator[list[RecordedLaunch]]:
    """Inside, every launch of a Triton kernel in this process is noted in the list and not carried out."""
    launches: list[RecordedLaunch] = []

    def note(kernel: JITFunction[Any], *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> None:
        del warmup
        launches.append(RecordedLaunch(kernel, tuple(grid), args, kwargs))

    real: Callable[..., Any] = JITFunction.run
    JITFunction.run = note
    try:
        yield launches
    finally:
        JITFunction.run = real


def specialize(launch: RecordedLaunch) -> Specialization:
    """Type, constants and alignment of every argument, by the rules of Triton's launch (triton/runtime/jit.py).

    None and the integer 1 become constants; addresses and integers divisible by 16 are compiled as such.
    """
    kernel = launch.kernel
    own = {name: value for name, value in launch.kwargs.items() if name in kernel.arg_names}
    options = {name: value for name, value in launch.kwargs.items() if name not in kernel.arg_names}
    bound = kernel.signature.bind(*launch.args, **own)
    bound.apply_defaults()
    found = Specialization({}, {}, {}, options)
    for position, parameter in enumerate(kernel.params):
        value = bound.arguments[parameter.name]
        specializes = not parameter.do_not_specialize
        if parameter.is_constexpr or value is None or (_is_int(value) and value == 1 and specializes):
            found.signature[parameter.name] = "constexpr"
            found.constants[position,] = value
            continue
        found.signature[parameter.name] = _type_name(value)
        aligns = specializes and not parameter.do_not_specialize_on_alignment
        if aligns and not isinstance(value, float | bool) and _number(value) % _ALIGNMENT == 0:
            found.attributes[position,] = [["tt.divisibility", _ALIGNMENT]]
    return found


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> int:
    return value.data_ptr() if hasattr(value, "data_ptr") else int(value)


def _type_name(value: Any) -> str:
    match value:
        case bool():
            return "u1"
        case int():
            return "i32" if -(1 << 31) <= value < 1 << 31 else "i64"
        case float():
            return "fp32"
        case _:
            return "*" + _TRITON_NAMES[str(value.dtype).removeprefix("torch.")]


@cache
def settle_keys() -> None:
    """Compute the key of every kernel of a run and of every function that one calls, in one order, before anything is
    compiled.

    The key of a function that uses a global constant comes out differently when a function it calls was asked for its
    own key before (triton/runtime/jit.py, `_update_hash`, reads the other's globals before it computes them). So a
    kernel compiled in one process would not be found by another that compiled its kernels in another order.
    """
    for name in (*MODULES, *(f"strategies.{strategy}" for strategy in LAUNCHED)):
        module = importlib.import_module(f"lnkernels.{name}")
        for _, function in sorted(vars(module).items()):
            if isinstance(function, JITFunction) and function.__module__ == module.__name__:
                _ = function.cache_key

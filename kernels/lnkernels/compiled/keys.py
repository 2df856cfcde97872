"""Triton's cache keys of this project's kernels, made the same in every process."""

import importlib
from functools import cache

from triton.runtime.jit import JITFunction

MODULES = (
    "interpreter",
    "device_functions",
    "clock",
    "tracing",
    "reductions",
    "forward",
    "strategies.locked",
    "strategies.atomic",
    "strategies.persistent",
    "strategies.split",
)


@cache
def settle_keys() -> None:
    """Compute the key of every kernel of a run and of every function that one calls, in one order, before anything is compiled.

    The key of a function that uses a global constant comes out differently when a function it calls was asked for its own key
    before (triton/runtime/jit.py, `_update_hash`, reads the other's globals before it computes them). So a kernel compiled in
    one process would not be found by another that compiled its kernels in another order.
    """
    for name in MODULES:
        module = importlib.import_module(f"lnkernels.{name}")
        for _, function in sorted(vars(module).items()):
            if isinstance(function, JITFunction) and function.__module__ == module.__name__:
                _ = function.cache_key

"""Watch which Triton kernels a provider launches and which operators of PyTorch it calls, and let
its autotuners take one configuration.

What a GPU ran, PyTorch's profiler says: also kernels of CUDA that a file brings along.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from unittest.mock import patch

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from lnkernels.triton_internals import launching, tuning
from lnkernels.values.compiled import LaunchedKernels
from lnkernels.values.sentence import join_sentences, say


@dataclass(slots=True)
class Watched:
    """The launches and operators that were seen."""

    kernels: Counter[str] = field(default_factory=Counter)  # launches by the function's name
    # The configuration that each autotuner took last, and how many it has.
    chosen: dict[str, str] = field(default_factory=dict)
    configurations: int = 1
    # Of PyTorch that compute, such as "native_layer_norm".
    operators: set[str] = field(default_factory=set)
    foreign: bool = False  # whether an operator of somebody else's was called

    def counted(self) -> list[str]:
        return counted(
            {
                f"{name} ({self.chosen[name]})" if name in self.chosen else name: count
                for name, count in self.kernels.items()
            }
        )


def counted(kernels: Mapping[str, int]) -> list[str]:
    """Return names with how often each was launched."""
    return [f"{name} {count}×" for name, count in kernels.items()]


@contextmanager
def watched(number: int | None = None) -> Iterator[Watched]:
    """Yield what is launched inside.

    Args:
        number: the configuration that autotuners take, counted on from their first one; None for
            their own choice.
    """
    seen, tuned = Watched(), Counter[str]()

    def count(launch: Callable[..., Any], kernel: Any, *given: Any, **named: Any) -> Any:
        if not named.get("warmup"):
            seen.kernels[kernel.__name__] += 1
        return launch(kernel, *given, **named)

    def note(kernel: str, configuration: str, count: int) -> None:
        seen.configurations = max(seen.configurations, count)
        seen.chosen[kernel] = configuration
        tuned[kernel] += 1

    with launching(count), tuning(number, note), in_threads(partial(_Operators, seen)):
        yield seen
    for kernel, launches in tuned.items():  # without those of the search
        seen.kernels[kernel] = launches


@contextmanager
def in_threads(mode: Callable[[], AbstractContextManager[object]]) -> Iterator[None]:
    """Enter a mode of PyTorch, which is a thread's own, here and in all threads that are started
    inside.
    """
    start = threading.Thread.start

    def start_inside(thread: threading.Thread) -> None:
        run = thread.run

        def run_inside() -> None:
            with mode():
                run()

        thread.run = run_inside  # type: ignore[method-assign]
        start(thread)

    with patch.object(threading.Thread, "start", start_inside), mode():
        yield


def told_launches(seen: Watched, on_gpu: Counter[str] | None) -> LaunchedKernels:
    """Return what a file launched, and what a GPU ran where that is not the same; `on_gpu` is None
    where nobody could look.
    """
    ran = seen.kernels if on_gpu is None else on_gpu
    norms = sorted(name for name in seen.operators if "norm" in name)
    others = {name: count for name, count in ran.items() if name not in seen.kernels}
    told = [*seen.counted(), *counted(others)]
    if on_gpu is not None and not told and norms:
        called = say("it launches no kernel of its own: it called torch's {names}", names=norms)
        return LaunchedKernels(called, own=False)
    if on_gpu is not None and not told and seen.operators and not seen.foreign:
        plain = say("it launches no kernel of its own: it is plain PyTorch")
        return LaunchedKernels(plain, own=False)
    unlike = {name: ran[name] for name, count in seen.kernels.items() if ran[name] != count}
    launched = say("it launched {kernels}", kernels=told)
    parts = [launched if told else say("it launches no kernel of Triton")]
    if unlike:
        parts.append(say("the GPU ran {kernels}", kernels=counted(unlike)))
    if norms:
        parts.append(say("it called torch's {names}", names=norms))
    return LaunchedKernels(join_sentences(parts))


LIBRARIES = ("at::", "cub::", "Memcpy", "Memset")  # whose kernels are nobody's own
_OPERATORS = "aten::"  # of PyTorch: neither is what they launch, however it is called
# In the names of operators that make or move tensors: the numbers may come from anywhere.
_MEMORY = re.compile("empty|zero|ones|full|fill|clone|copy")
_PYTORCHS = {"aten", "prim", "prims", "profiler"}  # namespaces of operators


def own_cuda_kernels(call: Callable[[], object], known: Container[str]) -> Counter[str] | None:
    """Return what the GPU ran for a call, by name and but for PyTorch's own kernels; None where
    the profiler cannot be had, as another one has it.

    Args:
        call: what is profiled.
        known: names of kernels that are the file's own, whoever launches them.
    """
    try:
        # acc_events, since torch 2.11 warns of the one cycle that there is without it.
        with torch.profiler.profile(acc_events=True) as profiled:
            call()
            torch.cuda.synchronize()
        events = profiled.events() or ()
    except RuntimeError:
        return None
    on_gpu = [each.name for each in events if str(each.device_type) == "DeviceType.CUDA"]
    theirs = {
        kernel.name
        for each in events
        if each.name.startswith(_OPERATORS)
        for kernel in each.kernels
    }
    return Counter(
        short_name(name)
        for name in on_gpu
        if name in known or not (name in theirs or any(library in name for library in LIBRARIES))
    )


def short_name(kernel: str) -> str:
    """Return the name of a kernel of C++ without its types: `void rows<float>(float*)` is rows."""
    found = re.search(r"\w+(?=[<(])", kernel)
    return found[0] if found else kernel


class _Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the operators that are called."""

    def __init__(self, seen: Watched) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._seen = seen

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Return True: torch.compile does not step aside for this mode."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "aten" and not func.is_view:
            name = func.overloadpacket.__name__
            if not _MEMORY.search(name):
                self._seen.operators.add(name)
        self._seen.foreign |= func.namespace not in _PYTORCHS
        return func(*args, **(kwargs or {}))

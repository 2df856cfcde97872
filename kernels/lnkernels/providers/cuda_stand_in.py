"""Let a user's file that asks for CUDA run on a machine without a GPU: inside `standing_in`, cuda
is the device of the case's tensors, and its properties are those of the chosen target.
"""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
import triton
from torch.overrides import TorchFunctionMode

from lnkernels.check.watching import in_threads
from lnkernels.launch.limits import REGISTERS_PER_SM, DeviceLimits, shared_bytes_per_program
from lnkernels.triton_internals import StandInDriver, driver, target_of

CUDA = torch.device("cuda", 0)
# A tensor of the stand-in calls itself one of cuda.
_ANSWERS: dict[Any, Any] = {
    vars(torch._C.TensorBase)["is_cuda"].__get__: True,
    vars(torch._C.TensorBase)["device"].__get__: CUDA,
    torch.Tensor.get_device: 0,
}


def standing_in(device: torch.device, limits: DeviceLimits) -> AbstractContextManager[object]:
    """Return a context in which cuda stands for `device`; one without effect if that is a GPU.

    Args:
        device: where the tensors of the case are, "cpu" or "meta".
        limits: of the target, from which a file may compute its grid.
    """
    return nullcontext() if device.type == "cuda" else _standing_in(device, limits)


@contextmanager
def _standing_in(device: torch.device, limits: DeviceLimits) -> Iterator[None]:
    answers: dict[Any, dict[str, Any]] = {
        # Where cuda is the CPU, a default device of cuda is the usual one; a set one would stay.
        torch: {"Generator": _Generator, "set_default_device": _answering(None)},
        torch.Tensor: {"record_stream": _answering(None)},
        torch.version: {"cuda": "12.8"},
        torch.cuda: _functions(limits),
        # PyTorch without CUDA lacks these, which the code that its compiler writes imports.
        torch._C: {"_cuda_getCurrentRawStream": _answering(0)},
        torch._C._dynamo.guards: {
            "_empty_strided_cuda": lambda size, stride, dtype: torch.empty_strided(
                size, stride, dtype=dtype, device=CUDA
            )
        },
    }
    with ExitStack() as stack:
        for place, named in answers.items():
            stack.enter_context(patch.multiple(place, create=True, **named))
        # What a file has compiled runs as it is written: there is no GPU to compile for.
        if "torch._dynamo" in sys.modules:
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        stack.enter_context(driver(_Driver(limits)))
        stack.enter_context(in_threads(partial(_CudaAs, device)))
        yield


class _CudaAs(TorchFunctionMode):
    """Gives every operator another device in place of cuda."""

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self._device = device

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in _ANSWERS:
            return _ANSWERS[func]
        if func in (torch.Tensor.cuda, torch.Tensor.pin_memory):
            func, args, kwargs = torch.Tensor.to, (args[0], self._device), {}
        if func is torch.Tensor.to and type(args[1:2] and args[1]) is int:
            args = (args[0], self._device, *args[2:])
        if func is torch.device:
            made = func(*args, **(kwargs or {}))
            return self._of(made) if made.index is None else made
        given = {
            name: self._device if name == "device" and isinstance(value, int) else self._of(value)
            for name, value in (kwargs or {}).items()
            if name != "pin_memory"
        }
        return func(*map(self._of, args), **given)

    def _of(self, value: Any) -> Any:
        if isinstance(value, str) and value.partition(":")[0] == "cuda":
            return self._device
        is_cuda = isinstance(value, torch.device) and value.type == "cuda"
        return self._device if is_cuda else value


class _Generator(torch.Generator):
    """A generator of the CPU, for whatever device it is asked."""

    def __new__(cls, device: object = None) -> "_Generator":
        del device
        return super().__new__(cls)


class _Nothing:
    """Stands for a context, a stream or an event of CUDA: the stand-in waits for nothing."""

    cuda_stream = stream_id = idx = 0
    device = CUDA

    def __init__(self, *_given: Any, **_named: Any) -> None:
        pass

    def __enter__(self) -> "_Nothing":
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def synchronize(self) -> None:
        pass

    record = wait_stream = wait_event = record_event = wait = synchronize

    def elapsed_time(self, _end: object) -> float:
        """Return so many ms that whoever goes on until the time is known has enough of it."""
        return 1000.0


def _functions(limits: DeviceLimits) -> dict[str, Any]:
    """Return replacements for functions of `torch.cuda` that ask for the device."""
    major, minor = limits.compute_capability
    properties = SimpleNamespace(
        name=limits.name,
        major=major,
        minor=minor,
        multi_processor_count=limits.sm_count,
        total_memory=limits.memory_bytes,
        warp_size=32,
        max_threads_per_multi_processor=32 * limits.warps_per_sm,
        regs_per_multiprocessor=REGISTERS_PER_SM,
        shared_memory_per_multiprocessor=limits.shared_bytes_per_sm,
        shared_memory_per_block_optin=shared_bytes_per_program(limits),
        L2_cache_size=limits.l2_bytes,
    )
    answers = {
        "is_available": True,
        "is_initialized": True,
        "is_bf16_supported": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_properties": properties,
        "get_device_capability": limits.compute_capability,
        "get_device_name": limits.name,
        "set_device": None,
        "synchronize": None,
        "init": None,
        "manual_seed": None,
        "empty_cache": None,
        "mem_get_info": (limits.memory_bytes, limits.memory_bytes),
    }
    marks = dict.fromkeys(("range_push", "range_pop", "mark"), _answering(None))
    kinds = [
        *("device", "device_of", "_DeviceGuard"),
        *("stream", "Stream", "current_stream", "default_stream", "Event"),
    ]
    return {
        **{name: _answering(answer) for name, answer in answers.items()},
        **dict.fromkeys(kinds, _Nothing),
        "nvtx": SimpleNamespace(range=_Nothing, **marks),
    }


def _answering(answer: Any) -> Any:
    return lambda *_given, **_named: answer


class _Driver(StandInDriver):
    """The part of Triton's driver that a file asks."""

    def __init__(self, limits: DeviceLimits) -> None:
        major, minor = limits.compute_capability
        super().__init__(target_of(10 * major + minor))
        self._limits = limits
        self.utils = self

    def get_device_properties(self, _device: int) -> dict[str, int]:
        return {
            "multiprocessor_count": self._limits.sm_count,
            "max_shared_mem": shared_bytes_per_program(self._limits),
            "max_num_regs": REGISTERS_PER_SM,
            "warpSize": 32,
        }

    def get_active_torch_device(self) -> torch.device:
        return CUDA

    def get_current_device(self) -> int:
        return 0

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_benchmarker(self) -> Any:
        return triton.testing.do_bench

    get_empty_cache_for_benchmark = clear_cache = _answering(None)

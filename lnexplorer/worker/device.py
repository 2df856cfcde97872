"""Chooses what a worker runs on, and says why it is that. Nothing falls back to the interpreter silently."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from lnexplorer.worker.driver import nvidia_driver, why_no_gpu
from lnkernels.launch import limits_for_architecture
from lnkernels.values.environment import Device

if TYPE_CHECKING:
    import torch

# Older GPUs schedule a warp's threads in lockstep, and have neither the atomics nor the progress that the spin lock needs.
LEAST_COMPUTE_CAPABILITY = (7, 0)
# Without a GPU, kernels are compiled for this one unless another is wished, so that registers and occupancy can be shown.
STAND_IN_ARCHITECTURE = "sm_90"


class UnusableDeviceError(Exception):
    """The wished device cannot be used; the message is a sentence that says why."""


def open_device(wish: str, on_gpu: "Callable[[torch.device], None]" = lambda _: None) -> "tuple[torch.device, Device]":
    """The device for a wish, ready to be used. Import neither torch nor triton before this.

    Args:
        wish: "auto" for the first usable GPU and else the interpreter, "interpreter", "interpreter:sm_80" for one that shows
            what the compiler makes of the kernels for that architecture, or "cuda:N".
        on_gpu: told a GPU that will be taken as soon as it is known to work, while the rest is still being imported.

    Raises:
        UnusableDeviceError: the wished GPU is not there or cannot be used, the architecture is not known, or torch or triton
            cannot be imported.
    """
    _import_torch()
    backend, _, detail = wish.partition(":")
    if backend == "interpreter":
        return _interpreter("The interpreter was asked for.", architecture=detail or STAND_IN_ARCHITECTURE)
    if wish == "auto":
        return _first_usable(on_gpu)
    return _gpu(_wished_index(wish), [], on_gpu)


def free_memory_bytes(device: "torch.device") -> int:
    """Memory that a run may take now, in bytes."""
    if device.type == "cuda":
        import torch  # noqa: PLC0415

        free, _ = torch.cuda.mem_get_info(device)
        # What torch keeps for itself and does not use is free for a run, too.
        return int(free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device))
    return _available_host_bytes()


def _import_torch() -> None:
    try:
        import torch  # noqa: F401, PLC0415
    except Exception as error:
        raise UnusableDeviceError(f"torch cannot be imported: {_first_line(error)}.") from error


def _import_triton() -> None:
    try:
        import triton  # noqa: F401, PLC0415
    except Exception as error:
        raise UnusableDeviceError(f"triton cannot be imported: {_first_line(error)}.") from error


def _first_usable(on_gpu: "Callable[[torch.device], None]") -> "tuple[torch.device, Device]":
    import torch  # noqa: PLC0415

    reasons: list[str] = []
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        reason = _why_not(index)
        if reason is None:
            return _gpu(index, reasons, on_gpu)
        reasons.append(reason)
    return _interpreter(*(reasons or [_why_none()]))


def _wished_index(wish: str) -> int:
    import torch  # noqa: PLC0415

    backend, _, number = wish.partition(":")
    if backend != "cuda" or not (number or "0").isdecimal():
        raise UnusableDeviceError(f"device = {wish} is not known: choose auto, interpreter, or cuda:0, cuda:1 and so on.")
    index = int(number or "0")
    if not torch.cuda.is_available():
        raise UnusableDeviceError(f"device = {wish} cannot be used. {_why_none()}")
    if index >= torch.cuda.device_count():
        last = torch.cuda.device_count() - 1
        raise UnusableDeviceError(f"device = {wish} is not there: the last GPU is cuda:{last}.")
    reason = _why_not(index)
    if reason is not None:
        raise UnusableDeviceError(reason)
    return index


def _why_none() -> str:
    import torch  # noqa: PLC0415

    return why_no_gpu(nvidia_driver(), torch.__version__, torch.version.cuda, os.environ.get("CUDA_VISIBLE_DEVICES"))


def _why_not(index: int) -> str | None:
    """Why a GPU that torch sees cannot be used; None where it can."""
    import torch  # noqa: PLC0415

    name = torch.cuda.get_device_name(index)
    capability = torch.cuda.get_device_capability(index)
    if capability < LEAST_COMPUTE_CAPABILITY:
        least = ".".join(map(str, LEAST_COMPUTE_CAPABILITY))
        has = ".".join(map(str, capability))
        return f"cuda:{index} ({name}) has compute capability {has}, and the spin lock needs {least} or above."
    try:
        probe = torch.zeros(1, device=f"cuda:{index}")
        probe.add_(1)
        torch.cuda.synchronize(index)
    except (RuntimeError, AssertionError) as error:
        return f"cuda:{index} ({name}) does not work with torch {torch.__version__}: {_first_line(error)}."
    return None


def _gpu(index: int, reasons: list[str], on_gpu: "Callable[[torch.device], None]") -> "tuple[torch.device, Device]":
    import torch  # noqa: PLC0415

    device = torch.device("cuda", index)
    torch.cuda.set_device(device)
    on_gpu(device)
    _import_triton()
    from lnkernels.device import device_limits, environment, telemetry_of  # noqa: PLC0415

    limits = device_limits(device)
    drives_display = bool(telemetry_of(device).drives_display)
    notes = list(reasons)
    if drives_display:
        notes.append(f"{limits.name} drives the display: while kernels run, the screen may stutter, and times vary more.")
    return device, Device(
        backend="cuda",
        name=limits.name,
        index=index,
        limits=limits,
        free_memory_bytes=free_memory_bytes(device),
        drives_display=drives_display,
        notes=tuple(notes),
        environment=environment(device),
    )


def _interpreter(*reasons: str, architecture: str = STAND_IN_ARCHITECTURE) -> "tuple[torch.device, Device]":
    try:
        limits = limits_for_architecture(architecture)
    except ValueError as error:
        raise UnusableDeviceError(f"{error}.") from error
    os.environ["TRITON_INTERPRET"] = "1"
    import torch  # noqa: PLC0415

    _import_triton()
    from lnkernels.device import environment, host_limits  # noqa: PLC0415

    device = torch.device("cpu")
    return device, Device(
        backend="interpreter",
        name=host_limits().name,
        index=None,
        limits=limits,
        free_memory_bytes=free_memory_bytes(device),
        drives_display=False,
        notes=(*reasons, "Triton's interpreter computes on the CPU: results are real, times and contention mean nothing."),
        environment=environment(device),
    )


def _available_host_bytes() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as meminfo:  # noqa: PTH123
            for line in meminfo:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")

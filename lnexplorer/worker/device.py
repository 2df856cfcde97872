"""Choose the device of a worker, and say why. Nothing falls back to the interpreter silently.

Triton is not imported before it is known whether its interpreter is wanted.
"""

import os

import torch

from lnexplorer.doctor.facts import LEAST_CAPABILITY, Torch, find_driver, why_no_gpu
from lnexplorer.worker.requirements import UnusableDeviceError, first_line, import_triton
from lnkernels.device import device_limits, environment, telemetry_of
from lnkernels.launch import DeviceLimits, limits_for_architecture
from lnkernels.values import Sentence, say, verbatim
from lnkernels.values.environment import Device

# Without a GPU, kernels are compiled for this one unless another is wished, so that registers and
# occupancy can be shown.
STAND_IN_ARCHITECTURE = "sm_90"


def open_device(wish: str) -> tuple[torch.device, Device]:
    """Open the device for a wish. Import triton after this.

    Args:
        wish: "auto" for the first usable GPU and else the interpreter, "cuda:N", "interpreter", or
            "interpreter:sm_80" for one that shows what the compiler makes of the kernels for that
            architecture.

    Raises:
        UnusableDeviceError: the wished GPU is not there or cannot be used, the architecture is not
            known, or triton cannot be imported.
    """
    backend, _, detail = wish.partition(":")
    if backend == "interpreter":
        return _interpreter(
            say("The interpreter was asked for."), architecture=detail or STAND_IN_ARCHITECTURE
        )
    if wish == "auto":
        return _first_usable()
    return _gpu(_wished_index(wish), [])


def free_memory_bytes(device: torch.device) -> int:
    """Return the memory that a run may take now, in bytes."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        # What torch keeps for itself and does not use is free for a run, too.
        return int(free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device))
    return _available_host_bytes()


def _first_usable() -> tuple[torch.device, Device]:
    reasons: list[Sentence] = []
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        reason = _why_not(index)
        if reason is None:
            return _gpu(index, reasons)
        reasons.append(reason)
    return _interpreter(*(reasons or [_why_none()]))


def _wished_index(wish: str) -> int:
    backend, _, number = wish.partition(":")
    if backend != "cuda" or not (number or "0").isdecimal():
        raise UnusableDeviceError(
            "device = {wish} is not known: choose auto, interpreter, or cuda:0, cuda:1 and so on.",
            wish=wish,
        )
    index = int(number or "0")
    if not torch.cuda.is_available():
        raise UnusableDeviceError(
            "device = {wish} cannot be used. {reason}", wish=wish, reason=_why_none()
        )
    if index >= torch.cuda.device_count():
        last = torch.cuda.device_count() - 1
        raise UnusableDeviceError(
            "device = {wish} is not there: the last GPU is cuda:{last}.", wish=wish, last=last
        )
    reason = _why_not(index)
    if reason is not None:
        raise UnusableDeviceError(reason)
    return index


def _why_none() -> Sentence:
    sentence, _ = why_no_gpu(
        find_driver(), Torch(version=str(torch.__version__), cuda=torch.version.cuda)
    )
    return sentence


def _why_not(index: int) -> Sentence | None:
    """Why a GPU that torch sees cannot be used; None where it can."""
    gpu = f"cuda:{index} ({torch.cuda.get_device_name(index)})"
    capability = torch.cuda.get_device_capability(index)
    if capability < LEAST_CAPABILITY:
        least = ".".join(map(str, LEAST_CAPABILITY))
        has = ".".join(map(str, capability))
        return say(
            "{gpu} has compute capability {has}, and the spin lock needs {least} or above.",
            gpu=gpu,
            has=has,
            least=least,
        )
    try:
        probe = torch.zeros(1, device=f"cuda:{index}")
        probe.add_(1)
        torch.cuda.synchronize(index)
    except (RuntimeError, AssertionError) as error:
        version = str(torch.__version__)
        return say(
            "{gpu} does not work with torch {version}: {error}.",
            gpu=gpu,
            version=version,
            error=first_line(error),
        )
    return None


def _gpu(index: int, reasons: list[Sentence]) -> tuple[torch.device, Device]:
    device = torch.device("cuda", index)
    torch.cuda.set_device(device)
    import_triton()
    limits = device_limits(device)
    notes = list(reasons)
    if telemetry_of(device).drives_display:
        notes.append(
            say(
                "{gpu} drives the display: while kernels run, the screen may stutter, and times"
                " vary more.",
                gpu=limits.name,
            )
        )
    return device, _device(device, limits.name, limits, notes)


def _interpreter(
    *reasons: Sentence, architecture: str = STAND_IN_ARCHITECTURE
) -> tuple[torch.device, Device]:
    try:
        limits = limits_for_architecture(architecture)
    except ValueError as error:
        raise UnusableDeviceError(verbatim(f"{error}.")) from error
    os.environ["TRITON_INTERPRET"] = "1"
    import_triton()
    device = torch.device("cpu")
    note = say(
        "Triton's interpreter computes on the CPU: results are real, times and contention mean"
        " nothing."
    )
    return device, _device(device, device_limits(device).name, limits, [*reasons, note])


def _device(device: torch.device, name: str, limits: DeviceLimits, notes: list[Sentence]) -> Device:
    return Device(
        backend="cuda" if device.type == "cuda" else "interpreter",
        name=name,
        index=device.index,
        limits=limits,
        free_memory_bytes=free_memory_bytes(device),
        notes=tuple(notes),
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

"""What the driver says about a GPU right now, through NVML; nothing where NVML is absent or keeps silent.

Needs the `pynvml` module of the nvidia-ml-py package, and neither torch nor triton.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from lnkernels.values.environment import DeviceState

Answer = TypeVar("Answer")

# The driver looks through all processes of the host for its list, which takes it milliseconds.
COUNT_SECONDS = 1.0

# Bits of nvmlDeviceGetCurrentClocksEventReasons that hold the clocks down (NVML API reference, nvmlClocksEventReasons).
# An idle GPU and clocks that somebody set are states, not causes to distrust a time, but the latter is worth knowing.
THROTTLE_REASONS = {
    0x0002: "clocks set by the user",
    0x0004: "power cap",
    0x0008: "hardware slowdown",
    0x0010: "sync boost",
    0x0020: "software thermal slowdown",
    0x0040: "hardware thermal slowdown",
    0x0080: "power brake",
    0x0100: "display clock setting",
}


# Numbers of nvmlPerfPolicyType_t (NVML API reference, nvmlDeviceGetViolationStatus).
_POWER_POLICY, _THERMAL_POLICY = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry(DeviceState):
    """A GPU's state at one moment, its driver, and whether a screen hangs on it. None is "not known"."""

    driver: str | None = None
    drives_display: bool | None = None


def throttle_reasons(bits: int) -> tuple[str, ...]:
    """Words for a mask of clocks event reasons; a bit that is not known is shown in hexadecimal."""
    idle = 0x0001
    known = [word for bit, word in THROTTLE_REASONS.items() if bits & bit]
    rest = bits & ~idle & ~sum(THROTTLE_REASONS)
    return (*known, hex(rest)) if rest else tuple(known)


def telemetry(uuid: str, *, own_context: bool = False) -> Telemetry:
    """Ask NVML about the GPU with this identifier, such as "GPU-2f1c…". Whatever it does not answer is None.

    Its processes are counted once in COUNT_SECONDS; everything else is as it is now.

    `own_context` says that this process uses the GPU itself, and so is one of those that NVML counts.
    """
    nvml = opened_nvml()
    if nvml is None:
        return Telemetry()
    driver = _ask(nvml, nvml.nvmlSystemGetDriverVersion)
    handle = _ask(nvml, nvml.nvmlDeviceGetHandleByUUID, uuid)
    if handle is None:
        return Telemetry(driver=driver)
    milliwatts = _ask(nvml, nvml.nvmlDeviceGetPowerUsage, handle)
    active = _ask(nvml, nvml.nvmlDeviceGetDisplayActive, handle)
    return Telemetry(
        driver=driver,
        sm_clock_mhz=_ask(nvml, nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM),
        memory_clock_mhz=_ask(nvml, nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_MEM),
        temperature_c=_ask(nvml, nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU),
        power_w=None if milliwatts is None else milliwatts / 1000,
        throttle_reasons=throttle_reasons(_ask(nvml, _event_reasons(nvml), handle) or 0),
        other_processes=_counted_processes(nvml, handle, uuid, own_context),
        power_held_ms=_held_ms(nvml, handle, _POWER_POLICY),
        heat_held_ms=_held_ms(nvml, handle, _THERMAL_POLICY),
        drives_display=None if active is None else bool(active),
    )


def _event_reasons(nvml: ModuleType) -> Callable[[Any], int]:
    # The older name serves drivers and bindings from before the newer one.
    newer: Callable[[Any], int] | None = getattr(nvml, "nvmlDeviceGetCurrentClocksEventReasons", None)
    older: Callable[[Any], int] = nvml.nvmlDeviceGetCurrentClocksThrottleReasons
    if newer is None:
        return older

    def ask_both(handle: Any) -> int:
        try:
            return newer(handle)
        except nvml.NVMLError:
            return older(handle)

    return ask_both


def _held_ms(nvml: ModuleType, handle: Any, policy: int) -> float | None:
    """Milliseconds since the driver was loaded in which a policy held the clocks down; older bindings do not know it."""
    question = getattr(nvml, "nvmlDeviceGetViolationStatus", None)
    answer = None if question is None else _ask(nvml, question, handle, policy)
    nanoseconds = getattr(answer, "violationTime", None)
    return None if nanoseconds is None else nanoseconds / 1e6


def _counted_processes(nvml: ModuleType, handle: Any, uuid: str, own_context: bool) -> int | None:
    now = time.monotonic()
    at, count = _counts.get((uuid, own_context), (now - COUNT_SECONDS, None))
    if now - at >= COUNT_SECONDS:
        count = _other_processes(nvml, handle, own_context)
        _counts[uuid, own_context] = now, count
    return count


def _other_processes(nvml: ModuleType, handle: Any, own_context: bool) -> int | None:
    compute = _ask(nvml, nvml.nvmlDeviceGetComputeRunningProcesses, handle)
    graphics = _ask(nvml, nvml.nvmlDeviceGetGraphicsRunningProcesses, handle)
    if compute is None and graphics is None:
        return None
    found = {process.pid for process in [*(compute or ()), *(graphics or ())]}
    # In a container NVML may tell the numbers of the host, where this process has another one; it is among them all the
    # same.
    return max(len(found) - 1, 0) if own_context or os.getpid() in found else len(found)


def _ask(nvml: ModuleType, question: Callable[..., Answer], *args: Any) -> Answer | None:
    try:
        return question(*args)
    except nvml.NVMLError:
        return None


def opened_nvml() -> ModuleType | None:
    """NVML, which stays open: opening it looks at every GPU of the host."""
    global _opened  # noqa: PLW0603
    if _opened is None:
        try:
            import pynvml
        except ImportError:
            return None
        try:
            pynvml.nvmlInit()
        except pynvml.NVMLError:
            return None
        _opened = pynvml
    return _opened


_opened: ModuleType | None = None
_counts: dict[tuple[str, bool], tuple[float, int | None]] = {}  # when, and how many

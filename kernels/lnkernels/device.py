"""The device that kernels run on: its limits, its state as the driver reports it, and the
environment stamp of a measurement.

Nothing is known of the driver where NVML is absent or keeps silent. Triton is not imported.
"""

import importlib.metadata
import os
import platform
import subprocess
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache

import torch

from lnkernels.launch import DeviceLimits, known_limits
from lnkernels.values.environment import HOST_VARIABLE, DeviceState, Environment
from lnkernels.values.frozen import frozen_by_name
from lnkernels.values.nvml import ask, opened_nvml

# Resident programs an SM of an architecture that `launch.limits` does not list: the least of all
# since 7.0.
_CAUTIOUS_PROGRAMS_PER_SM = 16
PEER_PACKAGES = (
    "liger-kernel",
    "quack-kernels",
    "nvidia-cutlass-dsl",
    "apex",
    "flash-attn",
    "nvidia-cudnn-frontend",
)
# Bits of nvmlDeviceGetCurrentClocksEventReasons that hold the clocks down (NVML API reference,
# nvmlClocksEventReasons). An idle GPU and clocks that somebody set are states, not causes to
# distrust a time, but the latter is worth knowing.
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


def device_limits(device: torch.device) -> DeviceLimits:
    """Return the limits of a CUDA device, from the driver where torch passes them on; of the CPU
    those of Triton's interpreter.
    """
    if device.type != "cuda":
        return _host_limits()
    properties = torch.cuda.get_device_properties(device)
    known = known_limits(f"sm_{properties.major}{properties.minor}")
    return DeviceLimits(
        name=properties.name,
        compute_capability=(properties.major, properties.minor),
        sm_count=properties.multi_processor_count,
        warps_per_sm=properties.max_threads_per_multi_processor // properties.warp_size,
        programs_per_sm=known.programs_per_sm if known else _CAUTIOUS_PROGRAMS_PER_SM,
        shared_bytes_per_sm=properties.shared_memory_per_multiprocessor,
        l2_bytes=properties.L2_cache_size,
        memory_bytes=properties.total_memory,
    )


def _host_limits() -> DeviceLimits:
    """Return the limits of this machine as Triton's interpreter uses it: one program at a time, and
    the host's memory.

    Zero stands for what a host does not have: compute capability, shared memory and an L2 cache
    that a launch sees.
    """
    return DeviceLimits(
        # platform.processor() is empty on many Linux systems; the machine's type is always there.
        name=f"Triton's interpreter on {platform.processor() or platform.machine()}",
        compute_capability=(0, 0),
        sm_count=1,
        warps_per_sm=1,
        programs_per_sm=1,
        shared_bytes_per_sm=0,
        l2_bytes=0,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    )


def environment(device: torch.device) -> Environment:
    """Return the stamp of a measurement on `device` now; for the CPU, software and date alone."""
    software = Environment(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        python=platform.python_version(),
        torch=str(torch.__version__),  # a class of its own
        # Not triton.__version__: importing triton fixes for good whether kernels are interpreted.
        triton=importlib.metadata.version("triton"),
        peers=_peers(),
        host=os.environ.get(HOST_VARIABLE),
    )
    if device.type != "cuda":
        return software
    properties = torch.cuda.get_device_properties(device)
    told = asdict(telemetry_of(device))
    del told["drives_display"]
    return replace(
        software,
        **told,
        gpu=properties.name,
        cuda=torch.version.cuda,
        compute_capability=(properties.major, properties.minor),
    )


@cache
def _peers() -> str:
    """Name the packages of peers that are installed, with their versions."""
    found = []
    for name in PEER_PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)


@frozen_by_name
class Telemetry(DeviceState):
    """A GPU's state at one moment, its driver, and whether it drives a display. None is "not
    known".
    """

    driver: str | None = None
    drives_display: bool | None = None


helpers: list[subprocess.Popen[bytes]] = []  # processes of this one's that use its GPU


def telemetry_of(device: torch.device) -> Telemetry:
    """Return what NVML knows of a CUDA device now."""
    # CUDA's numbering follows CUDA_VISIBLE_DEVICES and NVML's does not: the identifier is what both
    # agree on.
    uuid = str(torch.cuda.get_device_properties(device).uuid)
    identifier = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    return telemetry(identifier, own_context=torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


def telemetry(uuid: str, *, own_context: bool = False) -> Telemetry:
    """Ask NVML about the GPU with this identifier, such as "GPU-2f1c…". Unanswered questions give
    None.

    `own_context` says that this process uses the GPU itself, and so is one of those that NVML
    counts.
    """
    nvml, _ = opened_nvml()
    if nvml is None:
        return Telemetry()

    def held_ms(policy: int) -> float | None:
        """Return how long a policy held the clocks down since the driver was loaded."""
        answer = ask(nvml.nvmlDeviceGetViolationStatus, handle, policy)
        return None if answer is None else answer.violationTime / 1e6

    def other_processes() -> int | None:
        kinds = (
            nvml.nvmlDeviceGetComputeRunningProcesses,
            nvml.nvmlDeviceGetGraphicsRunningProcesses,
        )
        listed = [processes for kind in kinds if (processes := ask(kind, handle)) is not None]
        found = {process.pid for processes in listed for process in processes}
        # In a container NVML may tell the numbers of the host, where this process has another one;
        # it is among them all the same.
        own = own_context or os.getpid() in found
        ours = own + sum(helper.poll() is None for helper in helpers)
        return max(len(found) - ours, 0) if listed else None

    driver = ask(nvml.nvmlSystemGetDriverVersion)
    handle = ask(nvml.nvmlDeviceGetHandleByUUID, uuid)
    if handle is None:
        return Telemetry(driver=driver)
    milliwatts = ask(nvml.nvmlDeviceGetPowerUsage, handle)
    active = ask(nvml.nvmlDeviceGetDisplayActive, handle)
    return Telemetry(
        driver=driver,
        sm_clock_mhz=ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM),
        memory_clock_mhz=ask(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_MEM),
        temperature_c=ask(nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU),
        power_w=None if milliwatts is None else milliwatts / 1000,
        # Drivers know this name from before the newer one, and after it.
        throttle_reasons=throttle_reasons(
            ask(nvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle) or 0
        ),
        other_processes=other_processes(),
        power_held_ms=held_ms(_POWER_POLICY),
        heat_held_ms=held_ms(_THERMAL_POLICY),
        drives_display=None if active is None else bool(active),
    )


def throttle_reasons(bits: int) -> tuple[str, ...]:
    """Return words for a mask of clocks event reasons; in hexadecimal what has none."""
    idle = 0x0001
    known = [word for bit, word in THROTTLE_REASONS.items() if bits & bit]
    rest = bits & ~idle & ~sum(THROTTLE_REASONS)
    return (*known, hex(rest)) if rest else tuple(known)

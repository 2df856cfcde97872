"""The device that kernels run on: its limits, and the environment stamp of a measurement."""

import importlib.metadata
import os
import platform
from dataclasses import asdict, replace
from datetime import UTC, datetime

import torch

from lnkernels.launch import DeviceLimits, limits_for_architecture
from lnkernels.telemetry import Telemetry, telemetry
from lnkernels.values.environment import Environment

# Resident programs an SM of an architecture that `launch.limits` does not list: the least of all since 7.0.
_CAUTIOUS_PROGRAMS_PER_SM = 16


def device_limits(device: torch.device) -> DeviceLimits:
    """Limits of a CUDA device, from the driver where torch passes them on.

    Raises:
        ValueError: `device` is not a CUDA device.
    """
    if device.type != "cuda":
        raise ValueError(f"device = {device} has no limits to read: it is not a CUDA device")
    properties = torch.cuda.get_device_properties(device)
    return DeviceLimits(
        name=properties.name,
        compute_capability=(properties.major, properties.minor),
        sm_count=properties.multi_processor_count,
        warps_per_sm=properties.max_threads_per_multi_processor // properties.warp_size,
        programs_per_sm=_programs_per_sm(properties.major, properties.minor),
        shared_bytes_per_sm=properties.shared_memory_per_multiprocessor,
        l2_bytes=properties.L2_cache_size,
        memory_bytes=properties.total_memory,
    )


def host_limits() -> DeviceLimits:
    """Limits of this machine as Triton's interpreter uses it: one program at a time, and the host's memory.

    Zero stands for what a host does not have: compute capability, shared memory and an L2 cache that a launch sees.
    """
    return DeviceLimits(
        name=f"Triton's interpreter on {_processor()}",
        compute_capability=(0, 0),
        sm_count=1,
        warps_per_sm=1,
        programs_per_sm=1,
        shared_bytes_per_sm=0,
        l2_bytes=0,
        memory_bytes=_host_memory_bytes(),
    )


def environment(device: torch.device) -> Environment:
    """The stamp of a measurement on `device` now; for the CPU, software and date alone."""
    software = Environment(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        python=platform.python_version(),
        torch=str(torch.__version__),  # a class of its own
        triton=_triton_version(),
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


def telemetry_of(device: torch.device) -> Telemetry:
    """What the driver says of a CUDA device now."""
    # CUDA's numbering follows CUDA_VISIBLE_DEVICES and NVML's does not: the identifier is what both agree on.
    uuid = str(torch.cuda.get_device_properties(device).uuid)
    identifier = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    return telemetry(identifier, own_context=torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


def _programs_per_sm(major: int, minor: int) -> int:
    try:
        return limits_for_architecture(f"sm_{major}{minor}").programs_per_sm
    except ValueError:
        return _CAUTIOUS_PROGRAMS_PER_SM


def _processor() -> str:
    # platform.processor() is empty on many Linux systems; the machine's type is always there.
    return platform.processor() or platform.machine()


def _host_memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _triton_version() -> str:
    # Not triton.__version__: importing triton fixes for good whether kernels are interpreted.
    try:
        return importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"

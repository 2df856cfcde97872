"""What a request means before it is run, as numbers. Pure."""

from dataclasses import dataclass
from math import prod

from lnexplorer.domain.request import ResolvedRequest
from lnkernels.launch import grids, masked_lanes, memory_estimate, partial_buffer_bytes
from lnkernels.values.environment import Device

UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences:
    """Programs, idle lanes and bytes of one request. Shares are None where the device is not known."""

    forward_programs: int
    stage1_programs: int
    stage2_programs: int
    forward_masked: int  # lanes of a row's last block that hold no column
    forward_lanes: int
    stage1_masked: int
    stage1_lanes: int
    buffer_bytes: int
    l2_share: float | None
    memory_bytes: int
    free_bytes: int | None


def consequences(resolved: ResolvedRequest, device: Device | None) -> Consequences:
    """The consequences of a request that can be run."""
    m, n, launch = resolved.m, resolved.n, resolved.launch
    programs = grids(m, n, launch)
    forward_masked = masked_lanes(n, launch.block_size)
    stage1_masked = masked_lanes(n, launch.block_size_n)
    buffers = partial_buffer_bytes(m, n, resolved.dtype, launch)
    return Consequences(
        forward_programs=prod(programs["forward"]),
        stage1_programs=prod(programs["backward_stage1"]),
        stage2_programs=prod(programs["backward_stage2"]),
        forward_masked=forward_masked,
        forward_lanes=n + forward_masked,
        stage1_masked=stage1_masked,
        stage1_lanes=n + stage1_masked,
        buffer_bytes=buffers,
        l2_share=buffers / device.limits.l2_bytes if device else None,
        memory_bytes=memory_estimate(m, n, resolved.dtype, launch).total,
        free_bytes=device.free_memory_bytes if device else None,
    )


def as_bytes(size: int) -> str:
    """A size with three digits: 1.50 MiB."""
    for unit, factor in UNITS:
        if size >= factor:
            value = size / factor
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{size} B"

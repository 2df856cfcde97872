"""Limits of devices, and the occupancy that follows from a kernel's use of them.

Source: CUDA C++ Programming Guide, technical specifications per compute capability. L2 and SM counts are those of the
named card.
"""

from dataclasses import dataclass, replace

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
REGISTERS_PER_SM = 65536
REGISTER_UNIT = 256  # registers are given to a warp in steps of this many
SCHEDULERS_PER_SM = 4
# Warps of 32 that fit an SM even where every thread has the most registers that it can have, 255.
WARPS_OF_ANY_REGISTERS = REGISTERS_PER_SM // 255 // 32
RESERVED_SHARED_BYTES = KIB  # kept by the driver per program, from compute capability 8.0 on


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLimits:
    """What a GPU offers to a launch."""

    name: str
    compute_capability: tuple[int, int]
    sm_count: int
    warps_per_sm: int
    programs_per_sm: int
    shared_bytes_per_sm: int
    l2_bytes: int
    memory_bytes: int

    @property
    def architecture(self) -> str:
        """Name of the compile target, such as sm_90."""
        major, minor = self.compute_capability
        return f"sm_{major}{minor}"


def shared_bytes_per_program(limits: DeviceLimits) -> int:
    """Most shared memory that one program may take; 0 where none is known of."""
    return max(limits.shared_bytes_per_sm - RESERVED_SHARED_BYTES, 0)


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many programs of one kernel share an SM, and which resource ends it."""

    programs_per_sm: int
    limited_by: str  # "registers", "warps", "shared memory" or "programs"
    share_of_warps: float  # resident warps / warps that the SM can hold


def registers_as_given(registers: int) -> int:
    """Registers a thread that the warps of a kernel are given: those that it uses, up to the next step.

    So many cost the same.
    """
    step = REGISTER_UNIT // 32
    return -(-max(registers, 1) // step) * step


def occupancy(limits: DeviceLimits, registers: int, num_warps: int, shared_bytes: int) -> Occupancy:
    """Resident programs per SM of a kernel.

    Args:
        limits: the device.
        registers: registers a thread.
        num_warps: warps a program.
        shared_bytes: shared memory a program, in bytes.
    """
    per_warp = registers_as_given(registers) * 32
    warps_by_registers = REGISTERS_PER_SM // SCHEDULERS_PER_SM // per_warp * SCHEDULERS_PER_SM
    bounds = {
        "programs": limits.programs_per_sm,
        "warps": limits.warps_per_sm // num_warps,
        "registers": warps_by_registers // num_warps,
        "shared memory": limits.shared_bytes_per_sm // (shared_bytes + RESERVED_SHARED_BYTES),
    }
    limited_by = min(bounds, key=lambda resource: bounds[resource])
    programs = bounds[limited_by]
    return Occupancy(programs, limited_by, programs * num_warps / limits.warps_per_sm)


_A100 = DeviceLimits(
    name="NVIDIA A100",
    compute_capability=(8, 0),
    sm_count=108,
    warps_per_sm=64,
    programs_per_sm=32,
    shared_bytes_per_sm=164 * KIB,
    l2_bytes=40 * MIB,
    memory_bytes=80 * GIB,
)
_H200 = DeviceLimits(
    name="NVIDIA H200",
    compute_capability=(9, 0),
    sm_count=132,
    warps_per_sm=64,
    programs_per_sm=32,
    shared_bytes_per_sm=228 * KIB,
    l2_bytes=60 * MIB,
    memory_bytes=141 * 10**9,
)
_RTX_4090 = DeviceLimits(
    name="NVIDIA GeForce RTX 4090",
    compute_capability=(8, 9),
    sm_count=128,
    warps_per_sm=48,
    programs_per_sm=24,
    shared_bytes_per_sm=100 * KIB,
    l2_bytes=72 * MIB,
    memory_bytes=24 * GIB,
)
KNOWN_DEVICES = (
    DeviceLimits(
        name="NVIDIA V100",
        compute_capability=(7, 0),
        sm_count=80,
        warps_per_sm=64,
        programs_per_sm=32,
        shared_bytes_per_sm=96 * KIB,
        l2_bytes=6 * MIB,
        memory_bytes=32 * GIB,
    ),
    DeviceLimits(
        name="NVIDIA T4",
        compute_capability=(7, 5),
        sm_count=40,
        warps_per_sm=32,
        programs_per_sm=16,
        shared_bytes_per_sm=64 * KIB,
        l2_bytes=4 * MIB,
        memory_bytes=16 * GIB,
    ),
    _A100,
    replace(
        _RTX_4090,
        name="NVIDIA GeForce RTX 3090",
        compute_capability=(8, 6),
        sm_count=82,
        programs_per_sm=16,
        l2_bytes=6 * MIB,
    ),
    _RTX_4090,
    replace(_H200, name="NVIDIA H100", l2_bytes=50 * MIB, memory_bytes=80 * GIB),
    _H200,
    replace(
        _H200,
        name="NVIDIA B200",
        compute_capability=(10, 0),
        sm_count=148,
        l2_bytes=126 * MIB,
        memory_bytes=180 * 10**9,
    ),
    replace(
        _RTX_4090,
        name="NVIDIA GeForce RTX 5090",
        compute_capability=(12, 0),
        sm_count=170,
        l2_bytes=96 * MIB,
        memory_bytes=32 * GIB,
    ),
)


def limits_for_architecture(architecture: str) -> DeviceLimits:
    """The last known device of an architecture such as "sm_90".

    Raises:
        ValueError: no device of that architecture is known.
    """
    for limits in reversed(KNOWN_DEVICES):
        if limits.architecture == architecture:
            return limits
    known = ", ".join(dict.fromkeys(limits.architecture for limits in KNOWN_DEVICES))
    raise ValueError(f"architecture = {architecture!r} is not known: choose one of {known}")


USUAL_LIMITS = limits_for_architecture("sm_90")  # where the device is not known

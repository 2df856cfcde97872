"""Element types, arithmetic of blocks, limits of devices, and the occupancy that follows from a
kernel's use of them.

Source: CUDA C++ Programming Guide, technical specifications per compute capability. L2 and SM
counts are those of the named card.
"""

from lnkernels.values.frozen import frozen, frozen_by_name

# The names that norms have in texts. Those with add_ are of x + residual.
NORMS = {
    "layer_norm": "LayerNorm",
    "rms_norm": "RMSNorm",
    "add_layer_norm": "LayerNorm + residual",
    "add_rms_norm": "RMSNorm + residual",
}
DTYPES = ("float16", "bfloat16", "float32")
DTYPE_OF = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}  # as others call them
DTYPE_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4}
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
REGISTERS_PER_SM = 65536
REGISTER_UNIT = 256  # registers are given to a warp in steps of this many
SCHEDULERS_PER_SM = 4
# Warps of 32 that fit an SM even where every thread has the most registers that it can have, 255.
WARPS_OF_ANY_REGISTERS = REGISTERS_PER_SM // 255 // 32
RESERVED_SHARED_BYTES = KIB  # kept by the driver per program, from compute capability 8.0 on


def split_norm(norm: str) -> tuple[str, bool]:
    """Return the norm without its addition, "layer_norm" or "rms_norm", and whether it has one."""
    return norm.removeprefix("add_"), norm.startswith("add_")


def with_residual(norm: str) -> str:
    """Return the norm of x + residual."""
    return f"add_{split_norm(norm)[0]}"


def ceil_div(a: int, b: int) -> int:
    """Return the least number of blocks of `b` that cover `a` elements."""
    return -(-a // b)


def next_power_of_two(n: int) -> int:
    """Return the least power of two that is at least `n` (1 for n <= 1)."""
    return 1 << max(n - 1, 0).bit_length()


def is_power_of_two(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


def masked_lanes(n: int, block: int) -> int:
    """Return the lanes of the last block that are masked when rows of `n` columns are walked in
    steps of `block`.
    """
    return ceil_div(n, block) * block - n


@frozen_by_name
class DeviceLimits:
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
        major, minor = self.compute_capability
        return f"sm_{major}{minor}"


def shared_bytes_per_program(limits: DeviceLimits) -> int:
    """Return the most shared memory that one program may take; 0 where it is not known."""
    return max(limits.shared_bytes_per_sm - RESERVED_SHARED_BYTES, 0)


@frozen
class Occupancy:
    """Number of programs of one kernel that share an SM, and the resource that limits it."""

    programs_per_sm: int
    limited_by: str  # "registers", "warps", "shared memory" or "programs"
    share_of_warps: float  # resident warps / warps that the SM can hold


def registers_as_given(registers: int) -> int:
    """Return the registers that a thread is given: those that it uses, rounded up to the next step,
    as all up to it cost the same.
    """
    step = REGISTER_UNIT // 32
    return ceil_div(max(registers, 1), step) * step


def occupancy(limits: DeviceLimits, registers: int, num_warps: int, shared_bytes: int) -> Occupancy:
    """Return the resident programs per SM of a kernel, by its registers a thread and bytes of
    shared memory a program.
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


# Compute capability, SMs, warps and programs an SM, KiB of shared memory an SM, MiB of L2, memory.
_CARDS = (
    ("V100", (7, 0), 80, 64, 32, 96, 6, 32 * GIB),
    ("T4", (7, 5), 40, 32, 16, 64, 4, 16 * GIB),
    ("A100", (8, 0), 108, 64, 32, 164, 40, 80 * GIB),
    ("GeForce RTX 3090", (8, 6), 82, 48, 16, 100, 6, 24 * GIB),
    ("GeForce RTX 4090", (8, 9), 128, 48, 24, 100, 72, 24 * GIB),
    ("H100", (9, 0), 132, 64, 32, 228, 50, 80 * GIB),
    ("H200", (9, 0), 132, 64, 32, 228, 60, 141 * 10**9),
    ("B200", (10, 0), 148, 64, 32, 228, 126, 180 * 10**9),
    ("GeForce RTX 5090", (12, 0), 170, 48, 24, 100, 96, 32 * GIB),
)
KNOWN_DEVICES = tuple(
    DeviceLimits(
        name=f"NVIDIA {name}",
        compute_capability=capability,
        sm_count=sms,
        warps_per_sm=warps,
        programs_per_sm=programs,
        shared_bytes_per_sm=shared * KIB,
        l2_bytes=l2 * MIB,
        memory_bytes=memory,
    )
    for name, capability, sms, warps, programs, shared, l2, memory in _CARDS
)


def limits_for_architecture(architecture: str) -> DeviceLimits:
    """Return the last known device of an architecture such as "sm_90".

    Raises:
        ValueError: no device of that architecture is known.
    """
    if (found := known_limits(architecture)) is not None:
        return found
    known = ", ".join(dict.fromkeys(limits.architecture for limits in KNOWN_DEVICES))
    raise ValueError(f"architecture = {architecture!r} is not known: choose one of {known}")


def known_limits(architecture: str) -> DeviceLimits | None:
    """Return the last known device of an architecture, or None."""
    return next(
        (limits for limits in reversed(KNOWN_DEVICES) if limits.architecture == architecture), None
    )


USUAL_LIMITS = limits_for_architecture("sm_90")  # where the device is not known

"""Which launches are possible at all, and what to change about one that is not."""

from lnkernels.launch.config import LaunchConfig, Problem
from lnkernels.launch.heuristics import MAX_ROW_BYTES
from lnkernels.launch.limits import WARPS_OF_ANY_REGISTERS, DeviceLimits
from lnkernels.launch.settings_shared import shared_bytes_per_program, tile_bytes
from lnkernels.launch.shapes import DTYPE_BYTES, ceil_div, is_power_of_two, next_power_of_two
from lnkernels.launch.strategies import STRATEGIES

PARTIAL_DTYPES = ("float32", "same")
MAX_GROUP_SIZE_M = 65536
MAX_BLOCK = 65536
MAX_WARPS = 32
MAX_STAGES = 8
MAX_PROGRAMS_PER_SM = 16
MAX_FORWARD_PROGRAMS_PER_SM = 32
LEAST_SLICE = 16
WIDEST_HELD = 32768  # columns of a row; beyond, registers spill to the point where compiling takes minutes
MAX_BLOCKS = 32  # of a row: each is written out in the compiled kernel
MAX_HELD = 65536  # elements of a tile of several rows
# Triton refuses a block of more elements (TRITON_MAX_TENSOR_NUMEL).
MAX_TILE = 1 << 20


def check_launch(n: int, dtype: str, launch: LaunchConfig, limits: DeviceLimits | None = None) -> list[Problem]:
    """Everything that makes `launch` impossible for rows of `n` elements of `dtype`; empty when nothing does.

    Args:
        n: columns of a row.
        dtype: of x.
        launch: as `resolve_launch` gives it.
        limits: of the device; None leaves out what depends on it.
    """
    problems = []
    if launch.strategy not in _OWN_CHECKS:
        problems.append(Problem("strategy", launch.strategy, f"choose one of {', '.join(STRATEGIES)}"))
    if launch.partial_dtype not in PARTIAL_DTYPES:
        problems.append(Problem("partial_dtype", launch.partial_dtype, f"choose one of {', '.join(PARTIAL_DTYPES)}"))
    if not 1 <= launch.num_stages <= MAX_STAGES:
        problems.append(Problem("num_stages", str(launch.num_stages), f"take 1 to {MAX_STAGES}"))
    for field, limit in _POWERS_OF_TWO.items():
        value = getattr(launch, field)
        if not (is_power_of_two(value) and value <= limit):
            problems.append(Problem(field, str(value), f"take a power of two from 1 to {limit}"))
    tile = launch.reduce_block_size_m * launch.reduce_block_size_n
    if tile > MAX_TILE:
        problems.append(
            Problem(
                "reduce_block_size_m",
                str(launch.reduce_block_size_m),
                f"its product with reduce_block_size_n = {launch.reduce_block_size_n} is at most {MAX_TILE}",
            )
        )
    if launch.strategy in _OWN_CHECKS:
        problems += _OWN_CHECKS[launch.strategy](n, dtype, launch, limits)
    return problems


def _check_locked(n: int, dtype: str, launch: LaunchConfig, _: DeviceLimits | None) -> list[Problem]:
    problems = []
    if not 1 <= launch.group_size_m <= MAX_GROUP_SIZE_M:
        problems.append(Problem("group_size_m", str(launch.group_size_m), f"take 1 to {MAX_GROUP_SIZE_M}"))
    widest = MAX_ROW_BYTES // DTYPE_BYTES[dtype]
    if n > widest:
        problems.append(Problem("n", str(n), f"strategy locked takes rows of at most 64 KiB, {widest} columns of {dtype}"))
    elif launch.block_size_n < n:
        least = next_power_of_two(n)
        reason = f"take at least {least}: stage 1 holds a whole row, and columns past its block would be dropped"
        problems.append(Problem("block_size_n", str(launch.block_size_n), reason))
    return problems


def _check_persistent(n: int, dtype: str, launch: LaunchConfig, limits: DeviceLimits | None) -> list[Problem]:
    problems = _check_held(n, dtype, launch, limits)
    problems += _check_blocks(n, launch)
    if launch.block_size_n < n and launch.rows != 1:
        problems.append(Problem("rows", str(launch.rows), f"take 1: a row of {n} columns is held in blocks"))
    elif n <= WIDEST_HELD:
        most = max(MAX_HELD // next_power_of_two(n), 1)
        problems += _power("rows", launch.rows, most)
    if launch.sums_per_row and launch.block_size_n < n:
        reason = f"take it off: a row of {n} columns is held in blocks, and its sums with them"
        problems.append(Problem("sums_per_row", "True", reason))
    if not 1 <= launch.programs_per_sm <= MAX_PROGRAMS_PER_SM:
        problems.append(Problem("programs_per_sm", str(launch.programs_per_sm), f"take 1 to {MAX_PROGRAMS_PER_SM}"))
    return problems or _check_shared(dtype, launch, limits, ceil_div(n, max(launch.block_size_n, 1)))


def _check_blocks(columns: int, launch: LaunchConfig) -> list[Problem]:
    """Whether a program holds its columns in few enough blocks."""
    if ceil_div(columns, max(launch.block_size_n, 1)) <= MAX_BLOCKS:
        return []
    least = next_power_of_two(ceil_div(columns, MAX_BLOCKS))
    reason = f"take at least {least}: a program holds {columns} columns in {MAX_BLOCKS} blocks at most"
    return [Problem("block_size_n", str(launch.block_size_n), reason)]


def _check_held(n: int, dtype: str, launch: LaunchConfig, limits: DeviceLimits | None) -> list[Problem]:
    """Rows that one program holds: `persistent` and `atomic`."""
    problems = _check_forward(n, dtype, launch, limits)
    if n > WIDEST_HELD:
        reason = f"strategy {launch.strategy} holds a row in one program, at most {WIDEST_HELD} columns; take split or auto"
        problems.append(Problem("n", str(n), reason))
    return problems


def _check_split(n: int, dtype: str, launch: LaunchConfig, limits: DeviceLimits | None) -> list[Problem]:
    problems = _check_forward(n, dtype, launch, limits)
    sms = limits.sm_count if limits is not None else None
    if not LEAST_SLICE <= launch.block_size_n <= WIDEST_HELD:
        reason = f"take a power of two from {LEAST_SLICE} to {WIDEST_HELD}"
        problems.append(Problem("block_size_n", str(launch.block_size_n), reason))
    elif launch.slices < 1:
        problems.append(Problem("slices", str(launch.slices), "take a whole number, at least 1"))
    elif not _shares_out(n, launch.slices):
        reason = f"take fewer: slices begin at multiples of {LEAST_SLICE} columns, and with N = {n} the last would have none"
        problems.append(Problem("slices", str(launch.slices), reason))
    elif sms is not None and launch.slices > sms * max(launch.programs_per_sm, 1):
        # All programs of a row wait for each other, so each needs its place.
        reason = f"a row of {n} columns would be shared by {launch.slices} programs, and there are {sms} SMs"
        problems.append(Problem("block_size_n", str(launch.block_size_n), reason))
    else:
        problems += _check_blocks(ceil_div(n, launch.slices), launch) + _check_resident(launch)
    return problems or _check_shared(dtype, launch, limits, ceil_div(ceil_div(n, launch.slices), launch.block_size_n))


def _shares_out(n: int, slices: int) -> bool:
    """Whether the last of so many slices of a row has a column, as `lnkernels.split.slice_width` cuts them."""
    width = ceil_div(ceil_div(n, slices), LEAST_SLICE) * LEAST_SLICE
    return (slices - 1) * width < n


def _check_resident(launch: LaunchConfig) -> list[Problem]:
    """Programs that wait for each other need a place each, whatever the compiler makes of their registers."""
    most = max(WARPS_OF_ANY_REGISTERS // max(launch.num_warps, 1), 1)
    if 1 <= launch.programs_per_sm <= most:
        return []
    reason = f"take 1 to {most} with num_warps = {launch.num_warps}: programs of a row wait for each other, so all have to fit"
    return [Problem("programs_per_sm", str(launch.programs_per_sm), reason)]


def _check_forward(n: int, dtype: str, launch: LaunchConfig, limits: DeviceLimits | None) -> list[Problem]:
    problems = []
    if launch.block_size < n:
        if launch.forward_rows != 1:
            problems.append(Problem("forward_rows", str(launch.forward_rows), f"take 1: BLOCK_SIZE is less than N = {n}"))
    else:
        problems += _power("forward_rows", launch.forward_rows, max(MAX_HELD // launch.block_size, 1))
    problems += _power("forward_num_warps", launch.forward_num_warps, MAX_WARPS)
    return problems or _check_forward_held(n, launch) or _check_forward_walk(n, dtype, launch, limits)


def _check_forward_held(n: int, launch: LaunchConfig) -> list[Problem]:
    """Whether a row can be held in blocks, where it is to be."""
    if not launch.forward_held:
        return []
    if launch.block_size >= n:
        return [Problem("forward_held", "True", f"take it off: BLOCK_SIZE covers N = {n}, so a row is held anyway")]
    blocks = ceil_div(n, launch.block_size)
    if blocks * launch.block_size <= MAX_HELD and blocks <= MAX_BLOCKS:
        return []
    reason = f"take it off: a program holds {MAX_HELD} columns in {MAX_BLOCKS} blocks at most, and N = {n} needs more"
    return [Problem("forward_held", "True", reason)]


def _check_forward_walk(n: int, dtype: str, launch: LaunchConfig, limits: DeviceLimits | None) -> list[Problem]:
    """Programs of the forward pass that take several tiles; None for both is a launch of a version that did not say."""
    programs, stages = launch.forward_grid_per_sm or 0, launch.forward_num_stages or 1
    if programs and launch.block_size < n:
        reason = f"take 0: BLOCK_SIZE is less than N = {n}, and then each row has its program"
        return [Problem("forward_grid_per_sm", str(programs), reason)]
    if not 0 <= programs <= MAX_FORWARD_PROGRAMS_PER_SM:
        return [Problem("forward_grid_per_sm", str(programs), f"take 0 to {MAX_FORWARD_PROGRAMS_PER_SM}")]
    most = MAX_STAGES if programs else 1
    if not 1 <= stages <= most:
        reason = f"take 1 to {most}" if programs else "take 1: a program with one tile of rows has no other to load ahead"
        return [Problem("forward_num_stages", str(stages), reason)]
    needed = tile_bytes(launch.forward_rows, launch.block_size, DTYPE_BYTES[dtype], stages) // 2  # of x alone
    return _too_much_shared("forward_num_stages", stages, needed, limits)


def _power(field: str, value: int, most: int) -> list[Problem]:
    if is_power_of_two(value) and value <= most:
        return []
    return [Problem(field, str(value), f"take a power of two from 1 to {most}")]


def _check_shared(dtype: str, launch: LaunchConfig, limits: DeviceLimits | None, blocks: int = 1) -> list[Problem]:
    """Whether the tiles that wait their turn fit a program's shared memory."""
    needed = tile_bytes(launch.rows, blocks * launch.block_size_n, DTYPE_BYTES[dtype], launch.num_stages)
    return _too_much_shared("num_stages", launch.num_stages, needed, limits)


def _too_much_shared(field: str, stages: int, needed: int, limits: DeviceLimits | None) -> list[Problem]:
    if limits is None or limits.shared_bytes_per_sm == 0:
        return []
    room = shared_bytes_per_program(limits)
    if needed <= room:
        return []
    reason = f"take fewer: tiles in flight would take {needed // 1024} KiB of shared memory, and a program has {room // 1024} KiB"
    return [Problem(field, str(stages), reason)]


_POWERS_OF_TWO = {
    "block_size": MAX_BLOCK,
    "block_size_n": MAX_BLOCK,
    "reduce_block_size_m": MAX_BLOCK,
    "reduce_block_size_n": MAX_BLOCK,
    "num_warps": MAX_WARPS,
    "reduce_num_warps": MAX_WARPS,
}
_OWN_CHECKS = {
    "locked": _check_locked,
    "persistent": _check_persistent,
    "split": _check_split,
    "atomic": _check_held,
}

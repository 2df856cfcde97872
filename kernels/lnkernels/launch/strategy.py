"""A strategy of the backward pass without its kernels: its settings, how they are chosen and
checked, and what it launches.

Each has a file of its own beside this one, and its kernels in `lnkernels.passes`;
`lnkernels.launch` lists them.

Where a device has no table, settings are derived from its limits: shared memory and warps of an SM,
the number of SMs. What the derivation takes to be alike everywhere is alike from compute capability
7.0 to 12.0: 65536 registers and four schedulers an SM, 255 registers a thread at most. How far they
may be filled (a share of the registers, 64 of a thread for a row) was found on one H200, and is
assumed for the others: `lnexplorer tune` finds out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cached_property
from math import log2
from typing import Any, TypeVar

from lnkernels.launch.limits import (
    DTYPE_BYTES,
    REGISTERS_PER_SM,
    SCHEDULERS_PER_SM,
    DeviceLimits,
    ceil_div,
    is_power_of_two,
    next_power_of_two,
    shared_bytes_per_program,
)
from lnkernels.launch.measured import LINE, Measured, entry_for
from lnkernels.launch.settings import SETTING, SETTINGS, Launch, LaunchWish, Problem, Trait
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence, say

Value = TypeVar("Value", int, bool)

# columns of a row; beyond, registers spill to the point where compiling takes minutes
WIDEST_HELD = 32768
MAX_BLOCKS = 32  # of a row: each is written out in the compiled kernel
MAX_HELD = 65536  # elements of a tile of several rows
# Triton refuses a block of more elements (TRITON_MAX_TENSOR_NUMEL).
_MAX_TILE = 1 << 20
LOADED_BYTES = 16  # bytes that a thread loads at once
_FEWEST_THREADS = SCHEDULERS_PER_SM * 32  # of a program that keeps every scheduler of an SM busy
# columns that so many threads load at once in half precision; float32 twice
BLOCK_HELD = _FEWEST_THREADS * LOADED_BYTES // 2
MOST_HELD_BYTES = _FEWEST_THREADS * 64 * 4  # of a row: 64 registers a thread
FEWEST_STAGES = 3  # rows in flight; with fewer, wide rows were no faster than with one
_TABLE_OF, _TABLE_SMS = (9, 0), 132  # compute capability and SMs that the tables were measured on
_REGISTERS_PER_THREAD = 255
_USUAL_THREADS = 2048  # of an SM
_MOST_WARPS = 16
_NARROW_ROW = 1024  # columns for which stage 2 is to have a program for about every SM
# columns of a program of stage 2: 32 bytes of partials, which memory moves at least
_LEAST_REDUCED = 8


@frozen
class Asked:
    """A problem and a device for which a launch is chosen, and settings that somebody took over."""

    n: int  # columns of a row, at least 1
    dtype: str  # of x, one of DTYPES
    limits: DeviceLimits
    wish: LaunchWish
    m: int | None = None  # rows, if their number is known

    @property
    def size(self) -> int:
        """Bytes of an element of x."""
        return DTYPE_BYTES[self.dtype]


class Strategy(ABC):
    """A strategy that a user can ask for."""

    name: str
    summary: Sentence
    # The same bits from run to run on one device, as one compiler makes the kernels; fused or not.
    deterministic: bool
    traits: frozenset[Trait]  # from which its settings follow

    @cached_property
    def settings(self) -> frozenset[str]:
        """Return the names of its settings."""
        traits = self.traits | {Trait.ANY}
        return frozenset(setting.name for setting in SETTINGS if setting.trait in traits)

    @abstractmethod
    def choose(self, asked: Asked) -> Launch:
        """Return the launch for rows of n elements. Impossible settings are taken, too: `check`
        judges. What hangs together with a wished setting has to follow it; the wished ones
        themselves are written over what is chosen.
        """


class LaunchedStrategy(Strategy):
    """A way to sum the rows' contributions to dw and db."""

    main: str  # the setting that says most about how the sums of dw and db are shared

    def main_setting(self, launch: Launch) -> str:
        return self.main

    def widest(self, dtype: str) -> int | None:
        """Return the most columns of a row, whatever the settings; None for any number."""
        return None

    @abstractmethod
    def check(
        self, n: int, dtype: str, launch: Launch, limits: DeviceLimits | None
    ) -> list[Problem]:
        """Return what makes a launch impossible whose settings are in their ranges and whose rows
        are not too wide.
        """

    @abstractmethod
    def partial_sums(self, m: int, launch: Launch) -> int:
        """Return the number of partial sums of dw, and of db, that m rows leave to stage 2."""

    @abstractmethod
    def grids(self, m: int, n: int, launch: Launch) -> tuple[tuple[int, ...], ...]:
        """Return the launch grids of the forward pass and both stages of the backward pass."""

    def exchange_bytes(self, m: int, launch: Launch) -> int:
        """Return the bytes of memory that programs communicate through, beside partial sums."""
        return 0

    def requested_bytes(
        self,
        direction: str,
        m: int,
        n: int,
        dtype: str,
        launch: Launch,
        norm: str = "layer_norm",
    ) -> int | None:
        """Return the bytes that the kernels of one pass ask for, from L2 or memory; None where
        nobody has counted them.
        """
        return None


def taken_or(wished: Value | None, automatic: Value) -> Value:
    return automatic if wished is None else wished


def measured(limits: DeviceLimits) -> bool:
    """Return True if the tables were measured on this class of device: the same compute capability,
    and SMs within a fifth.

    The tables count programs per SM, so an H100 may use them. A part of a GPU, or one with half the
    SMs before the same memory, has another balance.
    """
    return (
        limits.compute_capability == _TABLE_OF
        and abs(limits.sm_count - _TABLE_SMS) * 5 <= _TABLE_SMS
    )


def usual_entry(
    table: tuple[Measured, ...],
    asked: Asked,
    derived: Callable[[int, int, DeviceLimits], Measured],
) -> Measured:
    """Return the entry where nothing was tuned: a measured one for the table's device class, else a
    derived one.
    """
    n, size, limits = asked.n, asked.size, asked.limits
    found = entry_for(table, n, size) if measured(limits) else None
    return found or derived(n, size, limits)


def elements_per_thread(limits: DeviceLimits, values: int) -> int:
    """Return elements of a tile for each thread, a power of two: as many as it has registers where
    an SM holds all its threads.

    That is 32 where an SM holds 2048 or 1536 threads, and 64 where it holds 1024. Fewer where a
    thread would need more than its 255 registers.

    Args:
        limits: the device's.
        values: registers that an element takes: 1 for x, 4 for x, dy and the sums of dw and db.
    """
    threads = 32 * limits.warps_per_sm if limits.compute_capability > (0, 0) else _USUAL_THREADS
    return _power_below(min(REGISTERS_PER_SM // max(threads, 1), _REGISTERS_PER_THREAD // values))


def usual_warps(tile: int, limits: DeviceLimits, values: int) -> int:
    """Return the warps for a tile by `elements_per_thread`; an SM has warps for at least two such
    programs.
    """
    most = (
        _power_below(limits.warps_per_sm // 2)
        if limits.compute_capability > (0, 0)
        else _MOST_WARPS
    )
    return max(
        1,
        min(
            _MOST_WARPS, most, next_power_of_two(tile) // (32 * elements_per_thread(limits, values))
        ),
    )


def stages_that_fit(tile_bytes: int, programs: int, limits: DeviceLimits) -> int:
    """Return the tiles in flight, 1 to 4: all but the current one lie in shared memory, of which a
    quarter is left free.
    """
    room = limits.shared_bytes_per_sm * 3 // 4 // max(programs, 1)
    return max(1, min(4, 1 + room // max(tile_bytes, 1)))


def reduction(limits: DeviceLimits, n: int = _NARROW_ROW) -> dict[str, Any]:
    """Return the fields of a launch that stage 2 reads, for strategies that sum the programs'
    float32 partials.

    Tiles of 32 partials; 1024 columns of dw and db make about as many programs as there are SMs.

    Rows of half as many columns and fewer leave SMs without a program. There programs take as few
    columns as they may, and more partials at once, so that each has fewer steps, one behind the
    other (`kernels/notes.md`).
    """
    sms = limits.sm_count if limits.compute_capability > (0, 0) else _TABLE_SMS
    # The power of two whose ratio to the columns for each SM is the nearest to 1, of 32 to 256
    # bytes of partials.
    columns = int(2 ** round(log2(2 * _NARROW_ROW / max(sms, 1))))
    narrow = n <= _NARROW_ROW // 2
    return {
        "reduce_block_size_m": 128 if narrow else 32,
        "reduce_block_size_n": _LEAST_REDUCED if narrow else min(max(_LEAST_REDUCED, columns), 64),
        "reduce_num_warps": 8,
        "overlap": may_overlap(limits),
    }


def may_overlap(limits: DeviceLimits) -> bool:
    """Return True if a device sets a kernel up while the previous one runs: compute capability 9.0
    and later.
    """
    return limits.compute_capability >= (9, 0)


def even_share(items: int, most: int) -> int:
    """Return the fewest workers that take no more of the items each than `most` workers would."""
    return ceil_div(items, max(ceil_div(items, max(most, 1)), 1))


def _power_below(number: int) -> int:
    """Return the largest power of two that is at most `number`, and at least 1."""
    return 1 << max(number.bit_length() - 1, 0)


def check_ranges(launch: Launch, names: Iterable[str]) -> list[Problem]:
    """Return settings that the table does not allow, and a tile of stage 2 that is too large."""
    problems = [
        Problem(name, str(value), SETTING[name].allowed(automatic=False))
        for name in SETTING
        if name in names and not SETTING[name].takes(value := getattr(launch, name))
    ]
    tile = launch.reduce_block_size_m * launch.reduce_block_size_n
    if tile > _MAX_TILE and not problems:
        allowed = say(
            "its product with reduce_block_size_n = {columns} is at most {most}",
            columns=launch.reduce_block_size_n,
            most=_MAX_TILE,
        )
        problems += refused(launch, "reduce_block_size_m", allowed)
    return problems


def refused(launch: Launch, name: str, allowed: Sentence) -> list[Problem]:
    """Return the problem of a launch's setting."""
    return [Problem(name, str(getattr(launch, name)), allowed)]


def check_power(launch: Launch, name: str, most: int, least: int = 1) -> list[Problem]:
    if is_power_of_two(value := getattr(launch, name)) and least <= value <= most:
        return []
    allowed = say("take a power of two from {least} to {most}", least=least, most=most)
    return refused(launch, name, allowed)


def check_blocks(columns: int, launch: Launch) -> list[Problem]:
    """Check that a program of stage 1 holds its columns in few enough blocks."""
    if ceil_div(columns, max(launch.block_size_n, 1)) <= MAX_BLOCKS:
        return []
    allowed = say(
        "take at least {least}: a program holds {columns} columns in {blocks} blocks at most",
        least=next_power_of_two(ceil_div(columns, MAX_BLOCKS)),
        columns=columns,
        blocks=MAX_BLOCKS,
    )
    return refused(launch, "block_size_n", allowed)


def tile_bytes(rows: int, columns: int, dtype: str, num_stages: int) -> int:
    """Return the shared memory for tiles of x and dy in flight, all but the current one."""
    return 2 * rows * columns * DTYPE_BYTES[dtype] * max(num_stages - 1, 0)


def bytes_in_flight(
    n: int, dtype: str, rows: int, block: int, num_warps: int, num_stages: int, slices: int = 1
) -> int:
    """Return `tile_bytes` of rows of n in blocks, with those of their ends where they may be read
    in groups: there each element takes a word (`lnkernels.language.groups.load_ends`).
    """
    size, held = DTYPE_BYTES[dtype], ceil_div(ceil_div(n, slices), max(block, 1)) * block
    if rows == 1 and n * size % LOADED_BYTES:
        lanes = max(min(32 * num_warps, block), block * size // LOADED_BYTES, 2 * LINE // size)
        held += lanes * 4 // size
    return tile_bytes(rows, held, dtype, num_stages)


def check_shared(
    launch: Launch, name: str, needed: int, limits: DeviceLimits | None
) -> list[Problem]:
    """Check that tiles in flight fit the shared memory of a program, where the device is known."""
    if (
        limits is None
        or limits.shared_bytes_per_sm == 0
        or needed <= shared_bytes_per_program(limits)
    ):
        return []
    allowed = say(
        "take fewer: tiles in flight would take {needed} KiB of shared memory, and a program has"
        " {room} KiB",
        needed=needed // 1024,
        room=shared_bytes_per_program(limits) // 1024,
    )
    return refused(launch, name, allowed)

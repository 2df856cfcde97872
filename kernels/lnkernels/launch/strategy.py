"""What a strategy of the backward pass is without its kernels: its settings, how they are chosen and checked, what it
launches.

Each has a file of its own beside this one, and its kernels in `lnkernels.strategies`; `lnkernels.launch.catalogue`
lists them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from lnkernels.launch.limits import DeviceLimits, shared_bytes_per_program
from lnkernels.launch.settings import SETTING, SETTINGS, Launch, LaunchWish, Problem
from lnkernels.launch.shapes import DTYPE_BYTES, ceil_div, is_power_of_two, next_power_of_two
from lnkernels.sentence import say

WIDEST_HELD = 32768  # columns of a row; beyond, registers spill to the point where compiling takes minutes
MAX_BLOCKS = 32  # of a row: each is written out in the compiled kernel
MAX_HELD = 65536  # elements of a tile of several rows
# Triton refuses a block of more elements (TRITON_MAX_TENSOR_NUMEL).
_MAX_TILE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchedKernel:
    """A kernel by its function's name, constants that follow from the settings, its warps, and its stages where Triton
    has them.

    Constants that follow from the problem alone, such as whether a mask is needed, are left out.
    """

    name: str
    constants: dict[str, int | bool]
    num_warps: int
    num_stages: int | None = None


class Strategy(ABC):
    """A strategy that somebody can wish for."""

    name: str
    summary: str
    deterministic: bool  # the same bits from run to run on one device

    @cached_property
    def settings(self) -> frozenset[str]:
        """Names of the settings that somebody may take over: those that the table gives it."""
        return frozenset(setting.name for setting in SETTINGS if self.name in setting.strategies)

    @abstractmethod
    def choose(self, n: int, dtype: str, limits: DeviceLimits, wish: LaunchWish, m: int | None) -> Launch:
        """The launch for rows of n elements; any number is taken, a senseless one too, for `check` judges.

        Args:
            n: columns of a row, at least 1.
            dtype: of x, one of DTYPES.
            limits: the device's.
            wish: settings that somebody took over; those of others are not looked at.
            m: rows, if their number is known.
        """


class LaunchedStrategy(Strategy):
    """One way to sum the rows' contributions to dw and db, with the settings that it has."""

    @abstractmethod
    def check_width(self, n: int, dtype: str) -> list[Problem]:
        """Whether rows of n elements are too wide, whatever the settings."""

    @abstractmethod
    def check(self, n: int, dtype: str, launch: Launch, limits: DeviceLimits | None) -> list[Problem]:
        """What makes a launch of this strategy impossible whose settings are in their ranges, and no row too wide."""

    @abstractmethod
    def main_setting(self, launch: Launch) -> str:
        """The name of the setting that says most about how the sums of dw and db are shared."""

    @abstractmethod
    def partial_sums(self, m: int, launch: Launch) -> int:
        """Number of partial sums of dw, and of db, that m rows leave to stage 2."""

    def stage1_programs(self, m: int, launch: Launch) -> int:
        """Launch grid of stage 1."""
        return self.partial_sums(m, launch)

    @abstractmethod
    def forward_programs(self, m: int, n: int, launch: Launch) -> int:
        """Launch grid of the forward pass."""

    @abstractmethod
    def stage2_grid(self, n: int, launch: Launch) -> tuple[int, ...]:
        """Launch grid of stage 2."""

    @abstractmethod
    def kernels(self, n: int, launch: Launch) -> tuple[LaunchedKernel, ...]:
        """The forward pass and both stages of the backward pass, in this order."""

    def exchange_bytes(self, m: int, launch: Launch) -> int:
        """Device memory in which programs tell each other something, beside partial sums."""
        del m, launch
        return 0

    def counted_bytes(self, direction: str, m: int, n: int, dtype: str, launch: Launch, weight_dtype: str) -> int | None:
        """Bytes that the kernels of one pass ask for, whether L2 or memory answers; None where nobody has counted them."""
        del direction, m, n, dtype, launch, weight_dtype
        return None


def check_ranges(launch: Launch, names: Iterable[str]) -> list[Problem]:
    """Settings that are not what the table allows, and a tile of stage 2 that is too large."""
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
        problems.append(Problem("reduce_block_size_m", str(launch.reduce_block_size_m), allowed))
    return problems


def check_power(name: str, value: int, most: int) -> list[Problem]:
    """Whether a number is a power of two from 1 to `most`."""
    if is_power_of_two(value) and value <= most:
        return []
    return [Problem(name, str(value), say("take a power of two from {least} to {most}", least=1, most=most))]


def check_blocks(columns: int, launch: Launch) -> list[Problem]:
    """Whether a program of stage 1 holds its columns in few enough blocks."""
    if ceil_div(columns, max(launch.block_size_n, 1)) <= MAX_BLOCKS:
        return []
    allowed = say(
        "take at least {least}: a program holds {columns} columns in {blocks} blocks at most",
        least=next_power_of_two(ceil_div(columns, MAX_BLOCKS)),
        columns=columns,
        blocks=MAX_BLOCKS,
    )
    return [Problem("block_size_n", str(launch.block_size_n), allowed)]


def check_held_width(n: int, strategy: str) -> list[Problem]:
    """Whether one program can hold a row of n columns."""
    if n <= WIDEST_HELD:
        return []
    allowed = say(
        "strategy {strategy} holds a row in one program, at most {most} columns; take split or auto",
        strategy=strategy,
        most=WIDEST_HELD,
    )
    return [Problem("n", str(n), allowed)]


def tile_bytes(rows: int, columns: int, dtype: str, num_stages: int) -> int:
    """Shared memory in which tiles of x and dy wait, all but the one at work."""
    return 2 * rows * columns * DTYPE_BYTES[dtype] * max(num_stages - 1, 0)


def check_shared(dtype: str, launch: Launch, limits: DeviceLimits | None, blocks: int = 1) -> list[Problem]:
    """Whether the tiles of stage 1 that wait their turn fit a program's shared memory."""
    needed = tile_bytes(launch.rows, blocks * launch.block_size_n, dtype, launch.num_stages)
    return too_much_shared("num_stages", launch.num_stages, needed, limits)


def too_much_shared(name: str, stages: int, needed: int, limits: DeviceLimits | None) -> list[Problem]:
    """Whether so many bytes of shared memory are more than a program has; nothing is known without a device."""
    if limits is None or limits.shared_bytes_per_sm == 0:
        return []
    room = shared_bytes_per_program(limits)
    if needed <= room:
        return []
    allowed = say(
        "take fewer: tiles in flight would take {needed} KiB of shared memory, and a program has {room} KiB",
        needed=needed // 1024,
        room=room // 1024,
    )
    return [Problem(name, str(stages), allowed)]

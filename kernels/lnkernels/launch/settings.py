"""Settings of a launch, declared once: form, command line, checks, sweeps, files and launchers
follow from here.

A new setting is an entry of `SETTINGS`, a field of `LaunchWish` and one of `Launch`, with the value
that it has where nobody says; the launchers of the strategies that have it read it from the launch.
Only where that value depends on the problem or the device, the strategy chooses it
(`lnkernels.launch.locked` and its neighbours).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import partial
from typing import Any

from lnkernels.launch.limits import is_power_of_two
from lnkernels.values.frozen import frozen, frozen_by_name
from lnkernels.values.sentence import NOTHING, Sentence, join_sentences, say

AUTOMATIC = "automatic"
MAX_GROUP_SIZE_M = 65536
PARTIAL_DTYPES = ("float32", "same")


class Trait(Enum):
    """A trait of strategies. A setting belongs to the strategies that have its trait."""

    ANY = "any"  # every strategy has it
    FORWARD = "forward"  # takes the common forward pass, not the one of the tutorial
    BLOCKS = "blocks"  # a program of stage 1 holds its columns in blocks of a given size
    TILES = "tiles"  # a program of stage 1 takes several rows at once
    RESIDENT = "resident"  # programs stay, and walk over rows
    SLICES = "slices"  # several programs share a row
    BUFFERS = "buffers"  # rows add to a given number of buffers
    ORDERED = "ordered"  # can add in an order that M, strides and places do not change


@frozen_by_name
class Parameter:
    """A parameter of a run, a launch setting or another: its values and its texts."""

    name: str
    label: Sentence  # as the field and the tutorial write it
    # the part of a run that it belongs to: "forward" (with stage 1), "reduction", "stage2"; more in
    # lnexplorer
    group: str
    type: type[int] | type[float] | type[str] | type[bool]
    help: Sentence | None
    automatic: bool = False  # None lets the heuristics decide
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    power_of_two: bool = False
    unit: str = ""
    trait: Trait = Trait.ANY  # of a launch setting: strategies with this trait have it
    # Of a setting that changes speed and not results: values that a search tries unasked.
    tried: tuple[int, ...] = ()

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    def allowed(self, *, automatic: bool | None = None) -> Sentence:
        """Return what can be taken, with "automatic" where it can be unless that is False."""
        if self.choices:
            allowed = say("take one of {choices}", choices=self.choices)
        elif self.type is bool:
            allowed = say("take on or off")
        elif self.power_of_two:
            allowed = say(
                "take a power of two from {least} to {most}",
                least=self.minimum or 1,
                most=self.maximum or 0,
            )
        elif self.minimum is not None and self.maximum is not None:
            allowed = say(
                "take a whole number from {least} to {most}", least=self.minimum, most=self.maximum
            )
        elif self.minimum is not None and self.type is float:
            allowed = say("take a number, at least {least}", least=self.minimum)
        elif self.minimum is not None:
            allowed = say("take a whole number, at least {least}", least=self.minimum)
        else:
            allowed = say("take a number")
        wished = self.automatic if automatic is None else automatic
        return say("{allowed}, or automatic", allowed=allowed) if wished else allowed

    def takes(self, value: object) -> bool:
        """Return True for an allowed value; None is not one."""
        if self.type is str:
            return value in self.choices
        if self.type is bool or isinstance(value, bool):
            return self.type is bool and isinstance(value, bool)
        if not isinstance(value, int | float) or not isinstance(value, int | self.type):
            return False
        least = -math.inf if self.minimum is None else self.minimum
        most = math.inf if self.maximum is None else self.maximum
        return least <= value <= most and (not self.power_of_two or is_power_of_two(int(value)))


_setting = partial(Parameter, automatic=True, group="forward")
_number = partial(_setting, type=int, minimum=1)
_switch = partial(_setting, type=bool)
_columns = partial(_number, maximum=65536, unit="columns", power_of_two=True)
_rows = partial(_number, maximum=64, unit="rows", power_of_two=True, tried=(1, 2, 4, 8, 16))
_warps = partial(_number, maximum=32, unit="warps", power_of_two=True, tried=(1, 2, 4, 8, 16, 32))

SETTINGS = (
    _columns(
        name="block_size",
        label=say("BLOCK_SIZE"),
        help=say(
            "Columns that a program of the forward pass takes per step of its walk along a row."
        ),
        tried=(256, 512, 1024, 2048, 4096, 8192, 16384, 32768),
    ),
    _columns(
        name="block_size_n",
        label=say("BLOCK_SIZE_N"),
        help=say(
            "Columns that a program of stage 1 holds: its row, or with split its share of the row."
            " With persistent it may hold the row in several such blocks."
        ),
        trait=Trait.BLOCKS,
    ),
    _warps(
        name="num_warps",
        label=say("num_warps"),
        help=say(
            "Warps of 32 threads that share one program of stage 1, and with locked one of the"
            " forward pass."
        ),
    ),
    _number(
        name="num_stages",
        label=say("num_stages"),
        maximum=8,
        help=say(
            "Steps of a loop that the compiler may overlap: later loads start while earlier"
            " values are used."
        ),
        trait=Trait.BLOCKS,
        tried=(1, 2, 3, 4),
    ),
    _rows(
        name="rows",
        label=say("ROWS"),
        help=say(
            "Rows that a program of stage 1 takes at once. Together they have at most 65,536"
            " elements."
        ),
        trait=Trait.TILES,
    ),
    _number(
        name="programs_per_sm",
        label=say("programs / SM"),
        maximum=16,
        help=say(
            "Programs of stage 1 on each SM: more of them hide more of the waiting, and leave more"
            " partial sums to stage 2."
        ),
        trait=Trait.RESIDENT,
        tried=(1, 2, 3, 4, 8),
    ),
    _switch(
        name="sums_per_row",
        label=say("sums per row"),
        help=say(
            "Keep the sums of dw and db apart for each row of a tile until the end, instead of"
            " adding them up tile by tile."
        ),
        trait=Trait.TILES,
    ),
    _switch(
        name="invariant",
        label=say("invariant"),
        help=say(
            "Bits of y and dx depend on the row alone, those of dw and db on the rows and their"
            " order alone, whatever M, strides and places are. The experiment invariance measures"
            " its price: 4096 × 4096 float16 on an H200, 0.3 % forward and 1.7 % backward."
        ),
        trait=Trait.ORDERED,
    ),
    _number(
        name="slices",
        label=say("SLICES"),
        maximum=4096,
        help=say(
            "Programs of stage 1 that share a row. Each holds its slice of the columns, and they"
            " exchange the row's sums."
        ),
        unit="programs",
        trait=Trait.SLICES,
    ),
    _rows(
        name="forward_rows",
        label=say("forward ROWS"),
        help=say(
            "Rows that a program of the forward pass takes at once. More than one needs a"
            " BLOCK_SIZE that covers N."
        ),
        trait=Trait.FORWARD,
    ),
    _warps(
        name="forward_num_warps",
        label=say("forward warps"),
        help=say("Warps of 32 threads that share one program of the forward pass."),
        trait=Trait.FORWARD,
    ),
    _switch(
        name="forward_held",
        label=say("forward held"),
        help=say(
            "Where BLOCK_SIZE is less than N: keep the whole row in registers, block by block, so"
            " that x is read only once."
        ),
        trait=Trait.FORWARD,
    ),
    _number(
        name="forward_grid_per_sm",
        label=say("forward / SM"),
        minimum=0,
        maximum=32,
        help=say(
            "Programs of the forward pass on each SM, which take tile after tile of rows. 0: one"
            " program for each tile."
        ),
        trait=Trait.FORWARD,
    ),
    _number(
        name="forward_num_stages",
        label=say("forward stages"),
        maximum=8,
        help=say(
            "Tiles in flight in a program of the forward pass that takes several; with one"
            " program for each tile it is 1."
        ),
        trait=Trait.FORWARD,
    ),
    _number(
        name="group_size_m",
        label=say("GROUP_SIZE_M"),
        group="problem",
        maximum=MAX_GROUP_SIZE_M,
        help=say(
            "Number of partial sum buffers. Row r adds to buffer r mod GROUP_SIZE_M: fewer buffers,"
            " more waiting for locks."
        ),
        unit="buffers",
        trait=Trait.BUFFERS,
        tried=(8, 16, 32, 48, 64, 96, 128, 192, 256, 512),
    ),
    _setting(
        name="partial_dtype",
        label=say("partial sums"),
        group="reduction",
        trait=Trait.BUFFERS,
        type=str,
        choices=PARTIAL_DTYPES,
        help=say(
            "Element type of the partial sum buffers. The tutorial uses the type of x, which rounds"
            " at every addition."
        ),
    ),
    _switch(
        name="barrier",
        label=say("barrier"),
        group="reduction",
        help=say(
            "Wait for the stores of all threads before the lock is released. Without it sums can be"
            " wrong, now and then."
        ),
        trait=Trait.BUFFERS,
    ),
    _switch(
        name="atomic_count",
        label=say("atomic count"),
        group="reduction",
        help=say(
            "Read and raise a lock's count of rows in one atomic operation, whose result reaches"
            " all threads through barriers. Off: a plain load, and a store after the sums."
        ),
        trait=Trait.BUFFERS,
    ),
    _number(
        name="reduce_block_size_m",
        label=say("BLOCK_SIZE_M"),
        group="stage2",
        maximum=65536,
        help=say("Partial sums, or buffers of them, that a program of stage 2 adds per step."),
        unit="partial sums",
        power_of_two=True,
        trait=Trait.BLOCKS,
        tried=(16, 32, 64, 128),
    ),
    _columns(
        name="reduce_block_size_n",
        label=say("BLOCK_SIZE_N"),
        group="stage2",
        help=say("Columns of dw and db that a program of stage 2 sums."),
        tried=(32, 64, 128, 256),
    ),
    _warps(
        name="reduce_num_warps",
        label=say("num_warps"),
        group="stage2",
        help=say("Warps of 32 threads that share one program of stage 2."),
        tried=(1, 2, 4, 8),
    ),
)
SETTING = {setting.name: setting for setting in SETTINGS}


@frozen_by_name
class LaunchWish:
    """A strategy and settings of it that a user asks for; None leaves a setting to the strategy's
    heuristics.
    """

    strategy: str = "locked"
    block_size: int | None = None
    block_size_n: int | None = None
    num_warps: int | None = None
    num_stages: int | None = None
    rows: int | None = None
    programs_per_sm: int | None = None
    sums_per_row: bool | None = None
    invariant: bool | None = None
    slices: int | None = None
    forward_rows: int | None = None
    forward_num_warps: int | None = None
    forward_held: bool | None = None
    forward_grid_per_sm: int | None = None
    forward_num_stages: int | None = None
    group_size_m: int | None = None
    partial_dtype: str | None = None
    barrier: bool | None = None
    atomic_count: bool | None = None
    reduce_block_size_m: int | None = None
    reduce_block_size_n: int | None = None
    reduce_num_warps: int | None = None

    def given(self) -> dict[str, Any]:
        return {name: value for name in SETTING if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """All settings of a forward and backward launch, decided, and what follows from them and the
    device.

    Blocks are counted in elements. A setting that the strategy does not have keeps the value that
    is declared here.
    """

    strategy: str  # never "auto": that is a wish
    block_size: int  # forward: columns of a row a program takes per step
    # stage 1: columns of a block: at least N; split: N / slices; persistent: a program holds
    # several
    block_size_n: int
    num_warps: int  # stage 1, and with locked the forward pass
    reduce_block_size_m: int  # stage 2: partial sums added per step
    reduce_block_size_n: int  # stage 2: columns per program
    reduce_num_warps: int  # stage 2
    num_stages: int = 1
    group_size_m: int = 0  # locked: number of partial sum buffers, each with a lock
    partial_dtype: str = "float32"  # or "same" as x
    barrier: bool = True  # locked: wait for all threads' stores before a lock is released
    # locked: the count beside a lock is raised atomically. Where nobody says, as in files from when
    # one switch was for both, it is what `barrier` says.
    atomic_count: bool = None  # type: ignore[assignment]
    rows: int = 1  # persistent: rows that a program of stage 1 takes at once
    programs_per_sm: int = 0  # persistent and split: programs of stage 1 on each SM at most
    # persistent: sums are kept apart for each row of a tile until the end
    sums_per_row: bool = False
    # persistent: the order of all additions follows from n, dtype and architecture
    invariant: bool = False
    slices: int = 1  # split: programs that share a row
    forward_rows: int = 1  # all but locked: rows that a program of the forward pass takes at once
    forward_num_warps: int = 0  # all but locked: warps of the forward pass
    # all but locked: a row of several steps stays in registers, and x is read once
    forward_held: bool = False
    forward_num_stages: int = 1  # all but locked: tiles in flight in a program that walks several
    # all but locked: forward_programs on each SM; 0 for one program a tile
    forward_grid_per_sm: int = 0
    # What follows from the settings and the device:
    programs: int = 0  # persistent and split: launch grid of stage 1 at most
    # all but locked: launch grid of the forward pass at most; 0 for one program a tile
    forward_programs: int = 0
    # programs of the forward pass after which the next take a held row's blocks in turn; 0 for
    # never
    turn_after: int = 0
    overlap: bool = False  # stage 2 is set up while stage 1 still runs

    def __post_init__(self) -> None:
        if self.atomic_count is None:
            object.__setattr__(self, "atomic_count", self.barrier)

    @property
    def groups(self) -> int:
        """Return the most rows at work at one time with split, each shared by `slices` programs."""
        return max(self.programs // max(self.slices, 1), 1)


@frozen
class Problem:
    """A refused value: the field, the value as given, and what is allowed instead."""

    field: str
    value: str
    allowed: Sentence

    @property
    def sentence(self) -> Sentence:
        value = NOTHING if self.value == str(NOTHING) else self.value
        return say(
            "{field} = {value} is not possible: {allowed}",
            field=self.field,
            value=value,
            allowed=self.allowed,
        )

    def __str__(self) -> str:
        return str(self.sentence)


def problems_sentence(problems: Sequence[Problem]) -> Sentence | None:
    return join_sentences([problem.sentence for problem in problems]) if problems else None


assert tuple(SETTING) == tuple(field.name for field in fields(LaunchWish))[1:], (
    "the table and LaunchWish name the same settings"
)
assert set(SETTING) < {field.name for field in fields(Launch)}, "a launch has every setting"

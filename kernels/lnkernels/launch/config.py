"""A launch as a frozen value, a wish for one, and what is wrong with one."""

from dataclasses import dataclass

from lnkernels.sentence import Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchConfig:
    """Every setting of one forward and backward launch, decided. Blocks are counted in elements.

    `lnkernels.launch.strategies` says which fields belong to which strategy. The others have a value that says so: no buffers,
    one row, one slice; 0 programs for a grid that the number of rows decides.
    """

    strategy: str  # never "auto": that is a wish
    block_size: int  # forward: columns of a row a program takes per step
    block_size_n: int  # stage 1: columns of a block: at least N; split: N / slices; persistent: a program holds several
    group_size_m: int  # locked: number of partial sum buffers, each with a lock
    reduce_block_size_m: int  # stage 2: partial sums added per step
    reduce_block_size_n: int  # stage 2: columns per program
    num_warps: int  # stage 1, and with locked the forward pass
    reduce_num_warps: int  # stage 2
    num_stages: int
    partial_dtype: str  # "float32", or "same" as x
    barrier: bool  # locked: wait for all threads' stores before a lock is released
    rows: int = 1  # persistent: rows that a program of stage 1 takes at once
    programs_per_sm: int = 0  # persistent and split: programs of stage 1 on each SM at most
    programs: int = 0  # persistent and split: launch grid of stage 1 at most
    slices: int = 1  # split: programs that share a row
    forward_rows: int = 1  # all but locked: rows that a program of the forward pass takes at once
    forward_num_warps: int = 0  # all but locked: warps of the forward pass
    forward_programs: int = 0  # all but locked: launch grid of the forward pass at most
    forward_held: bool = False  # all but locked: a row of several steps stays in registers, and x is read once
    # None where the strategy has no such setting, and in launches of a version that did not say.
    forward_num_stages: int | None = None  # all but locked: tiles in flight in a program that walks several
    forward_grid_per_sm: int | None = None  # all but locked: forward_programs on each SM; 0 for one program a tile
    sums_per_row: bool | None = None  # persistent: sums are kept apart for each row of a tile until the end


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOverrides:
    """A launch as somebody wishes it: None leaves a setting to the heuristics of `resolve_launch`."""

    strategy: str | None = None
    block_size: int | None = None
    block_size_n: int | None = None
    group_size_m: int | None = None
    reduce_block_size_m: int | None = None
    reduce_block_size_n: int | None = None
    num_warps: int | None = None
    reduce_num_warps: int | None = None
    num_stages: int | None = None
    partial_dtype: str | None = None
    barrier: bool | None = None
    rows: int | None = None
    programs_per_sm: int | None = None
    forward_rows: int | None = None
    forward_num_warps: int | None = None
    forward_held: bool | None = None
    forward_num_stages: int | None = None
    forward_grid_per_sm: int | None = None
    sums_per_row: bool | None = None
    slices: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a value is refused: the field, the value as given, and what is allowed instead."""

    field: str
    value: str
    allowed: Sentence | str

    def __str__(self) -> str:
        return f"{self.field} = {self.value} is not possible: {self.allowed}"

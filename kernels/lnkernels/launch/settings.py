"""Launch settings of the strategies without locks, as frozen values. Needs only the standard library."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReduceSettings:
    """Second stage: the sum of the programs' partial dw and db."""

    block_m: int  # partials a step
    block_n: int  # columns a program
    num_warps: int
    overlap: bool  # set up while the first stage still runs: compute capability 9.0 and later


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsSettings:
    """Strategy `persistent`: programs that hold whole rows."""

    rows: int  # rows a tile; 1 where block_n < N
    block_n: int  # columns of a block, a power of two: the whole row, or one of the blocks that a program holds it in
    num_warps: int
    num_stages: int  # tiles in flight, the one at work included
    programs: int  # launch grid at most
    max_registers: int | None  # a thread; None leaves it to the compiler
    sums_per_row: bool  # keep sums apart for each row of a tile until the end, rather than add them up tile by tile
    reduce: ReduceSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSettings:
    """Strategy `split`: several programs share a row, each with its slice of the columns."""

    slices: int  # programs a row
    block_n: int  # columns of one of the blocks that a program holds its slice in, a power of two
    num_warps: int
    num_stages: int
    max_registers: int | None
    groups: int  # rows at work at one time, at most; groups * slices programs have to be resident together
    reduce: ReduceSettings
    programs_per_sm: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardSettings:
    """Forward pass that reads x once where a row fits in registers, and twice where it does not."""

    rows: int  # rows a tile; 1 where block_n < N
    block_n: int  # columns a step, a power of two
    num_warps: int
    num_stages: int  # tiles in flight, the one at work included
    programs: int | None  # launch grid at most; None for one program a tile
    held: bool = False  # where block_n < N: the row's elements stay in registers, and x is read once
    turn_after: int = 0  # programs after which the next ones take a held row's blocks the other way round; 0 for never


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomicSettings:
    """Strategy `atomic`: one program a row, sums by atomics."""

    block_n: int  # a power of two, at least N
    num_warps: int
    reduce: ReduceSettings  # rounds the sums to the output's dtype

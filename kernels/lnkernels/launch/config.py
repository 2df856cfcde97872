"""A launch as a frozen value, a wish for one, and what is wrong with one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchConfig:
    """Every setting of one forward and backward launch, decided. Blocks are counted in elements."""

    strategy: str
    block_size: int  # forward: columns of a row a program takes per step
    block_size_n: int  # stage 1: columns a program holds, at least N
    group_size_m: int  # number of partial sum buffers, each with a lock
    reduce_block_size_m: int  # stage 2: buffers summed per step
    reduce_block_size_n: int  # stage 2: columns per program
    num_warps: int  # forward and stage 1
    reduce_num_warps: int  # stage 2
    num_stages: int
    partial_dtype: str  # "float32", or "same" as x
    barrier: bool  # wait for all threads' stores before a lock is released


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


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a value is refused: the field, the value as given, and what is allowed instead."""

    field: str
    value: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.field} = {self.value} is not possible: {self.allowed}"

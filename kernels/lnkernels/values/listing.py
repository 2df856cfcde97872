"""A kernel in every stage of the compiler, with the lines that belong to each other."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.compiled import KernelFacts
from lnkernels.values.frozen import frozen, frozen_by_name
from lnkernels.values.sentence import Sentence, say

STAGES = ("source", "ttir", "ttgir", "llir", "ptx", "sass")  # in the order of the compiler
# For which the tools that come with Triton 3.6 and 3.7 compile and disassemble; those of 3.6 lack
# sm_110.
ARCHITECTURES = tuple(
    f"sm_{number}" for number in (75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121)
)


RULE = say(
    "What is stored while a lock is held must be separated by a barrier of the whole block from the"
    " exchange that gives the lock back."
)
RULE_LIMITS = say(
    "The rule sees paths of the code, in PTX and in machine code. It sees neither addresses, so"
    " every store to global memory counts, also one of the exchanging thread itself, nor whether a"
    " path is ever taken, nor loads, nor what other programs do."
)


@frozen(eq=False)
class StageText:
    """A kernel in one stage: valid code, but without what only debuggers read."""

    lines: tuple[str, ...]
    # of each line the number of its `Listing.stacks`; -1 where the compiler names no place
    stacks: NDArray[np.int32]


@frozen
class LockRelease:
    """An exchange that releases a lock, by the rule of `lnkernels.compiled.race_rule`."""

    stage: str  # "ptx" or "sass"
    exchange: int  # its line
    # lines of block-wide barriers that separate it from what was stored before
    barriers: tuple[int, ...]
    unguarded: tuple[int, ...]  # lines of stores that none separates from it: each is a fault


@frozen_by_name
class MemoryUse:
    """A load, store or atomic of the source, and its instructions."""

    action: str  # "load", "store", "atomic"
    stack: int  # of `Listing.stacks`: where the source says it
    element_bytes: int
    elements: int  # of the program's tensor; 1 where all threads share one
    masked: bool  # in the source
    # for the caches, as the source has it: "evict_first", ".cg" …; empty where it has none
    hint: str
    staged: bool  # it goes into shared memory, past registers
    lines: tuple[int, ...]  # of SASS: its instructions
    names: tuple[str, ...]  # of these instructions, each once: LDG.E.128 …
    predicated: int  # how many of them are executed on a condition
    # that the widest of them moves at once for a thread; 0 where there is none left
    thread_bytes: int
    adjacent_bytes: int  # that a warp touches in one piece by it
    pieces: int  # such pieces a warp
    gap_bytes: int  # from one thread's bytes to the next thread's, within such a row of elements
    sectors: int  # of 32 bytes that a warp touches by it
    least_sectors: int  # that would hold as many bytes

    @property
    def coalesced(self) -> bool:
        """True if a warp touches no more than twice the sectors that its bytes fill."""
        return self.sectors < 2 * self.least_sectors or self.elements == 1

    def sentence(self) -> Sentence:
        """Return what a warp's access costs."""
        if not self.thread_bytes:
            return say("no instruction is left of it")
        if self.elements == 1:
            return say("{bytes} bytes, the same for all threads", bytes=self.thread_bytes)
        words = {"bytes": self.thread_bytes, "adjacent": self.adjacent_bytes, "pieces": self.pieces}
        if not self.coalesced:
            words |= {"gap": self.gap_bytes, "sectors": self.sectors, "least": self.least_sectors}
            return say(
                "{bytes} bytes a thread, {gap} bytes apart: a warp touches {sectors} sectors of 32"
                " bytes, where {least} would do: not coalesced",
                **words,
            )
        if self.pieces > 1:
            return say(
                "{bytes} bytes a thread, {pieces} rows of {adjacent} adjacent bytes a warp:"
                " coalesced",
                **words,
            )
        return say("{bytes} bytes a thread, {adjacent} adjacent bytes a warp: coalesced", **words)


@frozen_by_name
class SharedUse:
    """Uses of shared memory at a place of the source, and the barriers there."""

    purpose: Sentence
    stack: int  # of `Listing.stacks`
    stores: tuple[int, ...]  # lines of SASS
    loads: tuple[int, ...]
    barriers: tuple[int, ...]


@frozen(eq=False)
class LiveRegisters:
    """Number of registers that hold what is still needed."""

    at: NDArray[np.int32]  # of each line of SASS; -1 where it is not known
    peak: int
    # whether they are of this very code; else of what another assembler made of the same PTX
    same: bool


@frozen_by_name(eq=False)
class Listing:
    """A kernel in all its stages. Lines and places are numbered from 0, lines of files from 1.

    A place is a line of a file. A call stack is the place where something is written, then the
    place where the function around it is called, and so on out to the kernel: the compiler puts
    every function into its caller.
    """

    facts: KernelFacts
    function: str  # such as stage1_kernel
    files: tuple[str, ...]  # lnkernels/passes/locked.py, triton/language/standard.py
    places: NDArray[np.int32]  # [places, 2]: number of the file, line
    # [stacks, depth]: numbers of places, the innermost first; -1 beyond the outermost
    stacks: NDArray[np.int32]
    stages: dict[str, StageText]  # by name, of STAGES
    releases: tuple[LockRelease, ...]
    memory: tuple[MemoryUse, ...]  # in the order of the kernel
    shared: tuple[SharedUse, ...]
    spills: tuple[int, ...]  # lines of SASS that put a register into memory or fetch it
    live: LiveRegisters | None  # None where they were not asked for, or no tool tells them
    # Lines of SASS by what they serve: a tensor of the norm, "row sums", "sums", "locks", "other".
    roles: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def text(self) -> dict[str, str]:
        return {name: "\n".join(stage.lines) for name, stage in self.stages.items()}

    @property
    def instructions(self) -> int:
        """Number of instructions of the machine code."""
        return sum(is_instruction(line) for line in self.stages["sass"].lines)

    @property
    def faulty(self) -> bool:
        """True if a lock is released before all is stored, by the rule."""
        return any(release.unguarded for release in self.releases)

    def spills_by_stack(self) -> dict[int, list[int]]:
        """Return lines of machine code that spill, by call stack."""
        found: dict[int, list[int]] = {}
        for line in self.spills:
            found.setdefault(int(self.stages["sass"].stacks[line]), []).append(line)
        return found

    def verdict(self, release: LockRelease) -> Sentence:
        """Return the rule's verdict, with the instructions' names."""
        lines = self.stages[release.stage].lines
        form = {"ptx": "PTX", "sass": "SASS"}[release.stage]
        words = {"form": form, "exchange": _shown(lines[release.exchange])}
        if release.unguarded:
            return say(
                "{form}: no barrier separates earlier stores from {exchange}, which gives the lock"
                " back: {count}, the last {store}",
                count=len(release.unguarded),
                store=_shown(lines[release.unguarded[-1]]),
                **words,
            )
        return say(
            "{form}: {barrier} separates every store from {exchange}, which gives the lock back",
            barrier=[_shown(lines[line]) for line in release.barriers],
            **words,
        )

    def calls(self, number: int) -> tuple[tuple[str, int], ...]:
        """Return file and line of each place of a call stack, the innermost first."""
        found = self.stacks[number] if number >= 0 else np.empty(0, np.int32)
        return tuple(
            (self.files[self.places[place, 0]], int(self.places[place, 1]))
            for place in found[found >= 0]
        )

    def stack(self, stage: str, line: int) -> tuple[tuple[str, int], ...]:
        """Return file and line of a line of a stage, then of each caller; empty where the compiler
        names no place.
        """
        return self.calls(int(self.stages[stage].stacks[line]))

    def partners(self, stage: str, line: int) -> dict[str, NDArray[np.intp]]:
        """Return the lines of every stage that belong to a line of one; in the source the innermost
        first.

        To a line of source belongs what it was turned into, and what the functions were that it
        calls. To another line belongs what has its call stack; where a stage has no such line, what
        is written at the same place.
        """
        number = int(self.stages[stage].stacks[line])
        if number < 0:
            return {
                name: np.array([line] if name == stage else [], np.intp) for name in self.stages
            }
        chain = self.stacks[number][self.stacks[number] >= 0]
        if stage == "source":
            wanted = (self.stacks == chain[0]).any(axis=1)
            return {
                name: np.flatnonzero(_those(text, wanted)) for name, text in self.stages.items()
            }
        same_place = self.stacks[:, 0] == chain[0]
        same_stack = np.arange(len(self.stacks)) == number
        found = {}
        for name, text in self.stages.items():
            if name == "source":
                first = self._place_of_source()
                found[name] = np.concatenate([np.flatnonzero(first == place) for place in chain])
            else:
                lines = np.flatnonzero(_those(text, same_stack))
                found[name] = lines if lines.size else np.flatnonzero(_those(text, same_place))
        return found

    def line_of_source(self, file: str, line: int) -> int | None:
        """Return the line of the source stage that shows a line of a file."""
        if file not in self.files:
            return None
        shown = np.append(self.places, [[-1, -1]], axis=0)[self._place_of_source()]
        lines = np.flatnonzero((shown == (self.files.index(file), line)).all(axis=1))
        return int(lines[0]) if lines.size else None

    def _place_of_source(self) -> NDArray[np.int32]:
        numbers = self.stages["source"].stacks
        return np.where(numbers < 0, -1, self.stacks[numbers, 0])


def stacks_of(chains: Iterable[Sequence[int]]) -> NDArray[np.int32]:
    """Return chains of places, the innermost first, as `Listing.stacks`."""
    chains = list(chains)
    depth = max(map(len, chains), default=1)
    padded = [[*chain, *[-1] * (depth - len(chain))] for chain in chains]
    return np.array(padded, np.int32).reshape(-1, depth)


def is_instruction(line: str) -> bool:
    """Return True for an instruction of SASS, False for a label."""
    return line.startswith("/*")


def code_of(line: str) -> str:
    """Return an instruction of SASS without address and predicate; empty for a label."""
    return re.sub(r"^/\*\w+\*/\s*(@!?U?P\w+\s+)?", "", line) if is_instruction(line) else ""


def _shown(line: str) -> str:
    return " ".join(line.replace(";", " ").split())


def _those(text: StageText, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the lines that have one of the wanted stacks."""
    return np.append(wanted, False)[text.stacks]

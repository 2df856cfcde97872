"""Hardware counters of a kernel, with the machine code that ran, as a stage of its listing."""

from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.frozen import frozen_by_name
from lnkernels.values.listing import Listing, StageText, stacks_of
from lnkernels.values.sentence import Sentence, say

INSTRUCTION_BYTES = 16
CALLED_FROM = " < "
MOST_CALLS = 32  # around a place: a file could say anything

# What a warp waits for, by the profiler's name of the reason: that of a kernel's sum, then that of
# a line.
REASONS: dict[str, Sentence] = {
    **dict.fromkeys(("long_scoreboard", "long_sb"), say("what L1, L2 or memory brings")),
    **dict.fromkeys(("short_scoreboard", "short_sb"), say("shared memory or a slow unit")),
    "barrier": say("other warps at a barrier"),
    "membar": say("a memory fence"),
    "wait": say("the result before"),
    "not_selected": say("another warp's turn"),
    "selected": say("nothing: it was issued"),
    **dict.fromkeys(("lg_throttle", "lg"), say("room for loads and stores")),
    **dict.fromkeys(("mio_throttle", "mio"), say("room for accesses to shared memory")),
    **dict.fromkeys(("math_pipe_throttle", "math"), say("a busy arithmetic unit")),
    **dict.fromkeys(("no_instruction", "no_inst"), say("its next instruction")),
    **dict.fromkeys(("imc_miss", "imc"), say("constants")),
    **dict.fromkeys(("dispatch_stall", "dispatch"), say("the dispatcher")),
    "branch_resolving": say("where a branch leads"),
    "drain": say("its stores to leave"),
    "sleeping": say("the end of its sleep"),
}


@frozen_by_name(eq=False)
class KernelCounters:
    """Counters of a launch under Nsight Compute. Shares are of the most that the hardware can do,
    averaged over the kernel.

    L2 is empty when the kernel begins, so times are not to be compared with those of a run.
    """

    name: str  # "forward", "backward_stage1", "backward_stage2"
    function: str
    time_us: float
    dram_percent: float  # of the bandwidth of memory
    dram_gbps: float
    l2_percent: float
    l2_hit_percent: float  # of the sectors that L2 is asked for
    l1_percent: float
    l1_hit_percent: float
    sm_percent: float
    issue_percent: float  # of the slots in which an SM can begin an instruction
    warps_percent: float  # of the warps that an SM can hold
    stalls: dict[str, float]  # cycles that a warp waits from one instruction to the next, by reason
    sass: tuple[str, ...]  # the instructions as they ran
    # of each, where the source says it and from where that is called: see `written_place`
    places: tuple[str, ...]
    samples: NDArray[np.int32]  # how often a warp was seen at each
    reasons: tuple[str, ...]
    # [instructions, reasons]: why it was not issued, or "selected" where it was
    by_reason: NDArray[np.int32]
    # what each place said then, by which a changed source is known
    source: dict[str, str] = field(default_factory=dict)

    def by_place(self) -> dict[str, int]:
        """Return samples of each innermost place of the source, such as "locked.py:158", the most
        first.
        """
        found: dict[str, int] = {}
        for place, count in zip(self.places, self.samples.tolist(), strict=True):
            innermost = place.partition(CALLED_FROM)[0].rpartition("/")[2]
            found[innermost] = found.get(innermost, 0) + count
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def as_it_ran(self, listing: Listing) -> Listing:
        """Return the listing with the machine code that ran in place of what the compiler makes
        here.

        Its lines are those of `sass`. A place whose line was moved since is found by its text,
        among several that say the same by their order; an instruction whose line was changed, or is
        there more often now, has none.
        """
        text = listing.stages["source"]
        # line and number of the places of a file that say a text
        now: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for line, stack in zip(text.lines, text.stacks.tolist(), strict=True):
            if stack >= 0:
                number = int(listing.stacks[stack, 0])
                file, at = listing.places[number].tolist()
                now.setdefault((_name(listing.files[file]), line.strip()), []).append((at, number))
        then: dict[tuple[str, str], list[str]] = {}
        # By length first: places of one file are then in the order of their lines.
        for place in sorted(self.source, key=lambda place: (len(place), place)):
            then.setdefault((_name(_file(place)), self.source[place]), []).append(place)
        numbers: dict[str, int] = {}
        for said, places in then.items():
            there = sorted(now.get(said, []))
            lines = [written_place(_file(places[0]), line) for line, _ in there]
            named = places if len(places) == len(there) else lines
            numbers |= {place: number for place, (_, number) in zip(named, there, strict=True)}
        chains = [
            tuple(numbers.get(call, -1) for call in place.split(CALLED_FROM)) if place else ()
            for place in self.places
        ]
        known = {
            tuple(stack[stack >= 0].tolist()): number for number, stack in enumerate(listing.stacks)
        }
        for chain in chains:
            if 0 < len(chain) <= MOST_CALLS and min(chain) >= 0:
                known.setdefault(chain, len(known))
        code = tuple(
            _line(INSTRUCTION_BYTES * at, instruction) for at, instruction in enumerate(self.sass)
        )
        sass = StageText(code, np.array([known.get(chain, -1) for chain in chains], np.int32))
        return replace(
            listing, stacks=stacks_of(known), stages={**listing.stages, "sass": sass}, live=None
        )


def written_place(file: str, line: int) -> str:
    """Format a place as counters keep it: lnkernels/passes/locked.py:158. Calls are joined by
    CALLED_FROM.
    """
    return f"{file}:{line}"


def _file(place: str) -> str:
    return place.rpartition(":")[0]


def _name(file: str) -> str:
    """Return the last part of a path: kernels keep their file names, and move between folders."""
    return file.rpartition("/")[2]


def _line(address: int, instruction: str) -> str:
    """Format an instruction as a listing does."""
    predicate, _, rest = (
        instruction.partition(" ") if instruction.startswith("@") else ("", "", instruction)
    )
    return f"/*{address:04x}*/ {predicate:>6} {rest.strip()} ;"


def same_code(listed: list[str], ran: tuple[str, ...]) -> bool:
    """Return True if the instructions of a listing are those that ran; the profiler also shows the
    padding behind them.
    """
    return 0 < len(listed) <= len(ran) and all(
        operation(a) == operation(b) for a, b in zip(listed, ran, strict=False)
    )


def operation(instruction: str) -> str:
    """Return an instruction without address, predicate and operands."""
    words = [
        word for word in instruction.replace(";", " ").split() if not word.startswith(("/*", "@"))
    ]
    return words[0] if words else ""

"""What the hardware counted while a kernel ran."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnkernels.sentence import Sentence, say
from lnkernels.values.listing import is_instruction

# What a warp waits for, by the profiler's name of the reason: that of a kernel's sum, then that of a line.
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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class KernelCounters:
    """One launch under Nsight Compute. Shares are of the most that the hardware can do, on the average over the kernel.

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
    places: tuple[str, ...]  # of each, where the source says it and from where that is called: locked.py:158 < locked.py:255
    samples: NDArray[np.int32]  # how often a warp was seen at each
    reasons: tuple[str, ...]
    by_reason: NDArray[np.int32]  # [instructions, reasons]: why it was not issued, or "selected" where it was

    def by_place(self) -> dict[str, int]:
        """Samples of each innermost place of the source, the most first."""
        found: dict[str, int] = {}
        for place, count in zip(self.places, self.samples.tolist(), strict=True):
            innermost = place.partition(" < ")[0]
            found[innermost] = found.get(innermost, 0) + count
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def samples_of(self, sass: tuple[str, ...]) -> NDArray[np.int32]:
        """Samples of each line of a listing's machine code; all 0 where it is another code than the one that ran."""
        found = np.zeros(len(sass), np.int32)
        code = [line for line, text in enumerate(sass) if is_instruction(text)]
        if same_code([sass[line] for line in code], self.sass):
            found[code] = self.samples[: len(code)]
        return found


def same_code(listed: list[str], ran: tuple[str, ...]) -> bool:
    """Whether the instructions of a listing are those that ran, behind which the profiler also shows what fills up."""
    return 0 < len(listed) <= len(ran) and all(operation(a) == operation(b) for a, b in zip(listed, ran, strict=False))


def operation(instruction: str) -> str:
    """What an instruction does, without address, predicate and operands."""
    words = [word for word in instruction.replace(";", " ").split() if not word.startswith(("/*", "@"))]
    return words[0] if words else ""

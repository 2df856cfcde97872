"""The sum of dw and db over GPUs: what the experiment finds, a model of it for any number of GPUs,
and what is said of it.

None is "not known here", as are all times of the interpreter, which has no GPUs: its ranks are
buffers of one process.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lnexplorer.domain import wording
from lnkernels.values.sentence import Sentence, say

WIDTHS = {
    "cuda": tuple(2**power for power in range(10, 17)),
    "interpreter": (1024, 8192, 65536),
}  # N, columns of a row
WAYS = ("one_shot", "nccl")
PHASES = (
    "stage1",
    "stage2",
    "waiting",
    "reading",
    "adding",
    "exchange",
)  # the last of NCCL, whose kernel tells no more
MOST_RANKS = 64
SUM_NAMES = {"one_shot": say("one shot"), "nccl": say("NCCL")}
PHASE_NAMES = {
    "stage1": say("stage 1"),
    "stage2": say("stage 2"),
    "waiting": say("waiting for the others"),
    "reading": say("reading their sums"),
    "adding": say("adding"),
    "exchange": say("NCCL's sum"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeModel:
    """Time of a sum by latency and bytes: of the one shot, and of a ring as NCCL's is.

    With two GPUs it goes through what was measured; beyond two it is a model. Of the one shot each
    GPU reads the sums of all others over its own links, at once; a ring passes parts on in 2·(ranks
    - 1) steps, each a hop behind the one before.
    """

    one_shot_us: float  # of two GPUs without bytes
    one_shot_gbps: float  # that a GPU reads from another
    ring_us: float  # of two GPUs without bytes
    ring_gbps: float  # from a GPU to the next
    hop_us: float  # that a word takes from one GPU to another
    gpu: str  # that all of it was measured on; empty for ASSUMED

    def microseconds(self, way: str, ranks: int, size: int) -> float:
        """Of a sum of `size` bytes of each GPU, in one of WAYS."""
        if way == "one_shot":
            return self.one_shot_us + (ranks - 1) * size / (self.one_shot_gbps * 1e3)
        steps = 2 * (ranks - 1)
        return (
            self.ring_us + (steps - 2) * self.hop_us + steps / ranks * size / (self.ring_gbps * 1e3)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRow:
    """One width. Times are medians, with a cold L2: of the GPU that came last to the sum, and so
    waited for no other.
    """

    n: int
    bytes: int  # of dw and db of one GPU, float32
    one_shot_us: float | None
    nccl_us: float | None
    one_shot_pass_us: float | None  # of the whole backward pass: both stages and the sum
    nccl_pass_us: float | None
    one_shot_error: float  # largest of dw and db against the float64 truth
    nccl_error: float | None
    alike: bool  # whether all GPUs got the same bits by the one shot

    def microseconds(self, way: str) -> float | None:
        return self.one_shot_us if way == "one_shot" else self.nccl_us

    def share(self, way: str) -> float | None:
        """What the sum takes of the pass, as a fraction."""
        whole = self.one_shot_pass_us if way == "one_shot" else self.nccl_pass_us
        part = self.microseconds(way)
        return None if part is None or not whole else part / whole


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuPhase:
    """What a GPU does in one stretch of a traced pass, in ns from the first start on any GPU."""

    rank: int
    way: str  # of WAYS
    phase: str  # of PHASES
    begin_ns: float
    end_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockAlignment:
    """How well the timers of the GPUs are known against each other, by ping-pongs right before and
    behind the pass.
    """

    uncertainty_ns: float  # the largest of any GPU
    trip_ns: float  # of a word to another GPU and back, median


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpus:
    """The widths in order, and one traced pass of each way."""

    ranks: int
    rows: tuple[ExchangeRow, ...]
    model: ExchangeModel
    traced_n: int
    phases: tuple[GpuPhase, ...] = ()
    clocks: ClockAlignment | None = None


# Of it the ring is measured: NCCL with a process a GPU took 9.41, 9.73, 9.95 and 12.42 µs for 8,
# 32, 128 and 512 KiB on two H200s. The rest is assumed: a hop of 1 µs, a launch and three hops for
# a shot, NVLink's 450 GB/s one way by its data sheet.
ASSUMED = ExchangeModel(
    one_shot_us=4.0, one_shot_gbps=450.0, ring_us=9.38, ring_gbps=176.0, hop_us=1.0, gpu=""
)


def model_of(rows: Sequence[ExchangeRow], trip_ns: float, gpu: str) -> ExchangeModel:
    """The line through the measured times of each way: what it takes without bytes, and how fast
    bytes are.
    """
    fitted = {}
    for way in WAYS:
        points = [(row.bytes, time) for row in rows if (time := row.microseconds(way)) is not None]
        sizes, times = np.array(points, np.float64).T
        # Relative errors count: the small sums are what LayerNorms have.
        slope, start = np.polyfit(sizes, times, 1, w=1 / times)
        fitted[way] = max(float(start), 0.0), 1e-3 / max(float(slope), 1e-9)
    (one_shot_us, one_shot_gbps), (ring_us, ring_gbps) = fitted["one_shot"], fitted["nccl"]
    shot = {"one_shot_us": one_shot_us, "one_shot_gbps": one_shot_gbps}
    return ExchangeModel(
        **shot, ring_us=ring_us, ring_gbps=ring_gbps, hop_us=trip_ns / 2e3, gpu=gpu
    )


def beside_ranks(found: Gpus) -> int:
    """Another number of GPUs, whose sums are simulated beside those of the findings."""
    return 8 if found.ranks != 8 else 16


def _simulated_ranks(found: Gpus) -> int:
    """Those of the findings, where they were not timed; else another number of GPUs."""
    return found.ranks if found.rows[0].one_shot_us is None else beside_ranks(found)


def sentences(found: Gpus) -> list[Sentence]:
    """What is seen, what matters most first; what is simulated last."""
    ends = (found.rows[0], found.rows[-1])
    timed = [row for row in found.rows if row.one_shot_us and row.nccl_us]
    parts = (
        []
        if timed
        else [say("The interpreter has no GPUs: its {count} ranks are buffers.", count=found.ranks)]
    )
    for faster, way in (
        (say("The one shot is faster than NCCL"), "one_shot"),
        (say("NCCL is faster than the one shot"), "nccl"),
    ):
        widths = [
            row.n
            for row in timed
            if (way == "one_shot") == ((row.one_shot_us or 0) <= (row.nccl_us or 0))
        ]
        if widths:
            values = {
                "count": len(widths),
                "all": len(timed),
                "first": widths[0],
                "last": widths[-1],
            }
            parts.append(
                say(
                    "{faster} at {count} of {all} widths, N = {first} to {last}.",
                    faster=faster,
                    **values,
                )
            )
    for row in ends if timed else ():
        told = say(
            "At N = {n} the sum takes {ours} µs by the one shot and {theirs} by NCCL: {our_share}"
            " and {their_share} of the backward pass.",
            n=row.n,
            ours=wording.figure(row.one_shot_us),
            theirs=wording.figure(row.nccl_us),
            our_share=wording.percent(row.share("one_shot")),
            their_share=wording.percent(row.share("nccl")),
        )
        parts.append(told)
    own = wording.error(max(row.one_shot_error for row in found.rows))
    nccl = wording.error(max(row.nccl_error or 0.0 for row in found.rows))
    if timed:
        parts.append(
            say(
                "dw and db are off by {own} at most by the one shot, by {nccl} by NCCL.",
                own=own,
                nccl=nccl,
            )
        )
    else:
        parts.append(say("dw and db are off by {own} at most by the one shot.", own=own))
    same = all(row.alike for row in found.rows)
    parts.append(
        say("All ranks got the same bits.") if same else say("Ranks got other bits than others.")
    )
    simulated = say(
        "{simulated} with {ranks} GPUs: {ours} µs by the one shot and {theirs} by a ring at N ="
        " {first}, {ours_last} and {theirs_last} at N = {last}.",
        simulated=(
            say("Simulated") if found.model.gpu else say("Simulated, in part from assumed figures,")
        ),
        ranks=_simulated_ranks(found),
        first=ends[0].n,
        last=ends[1].n,
        **{
            f"{whose}{end}": wording.figure(
                found.model.microseconds(way, _simulated_ranks(found), row.bytes)
            )
            for row, end in zip(ends, ("", "_last"), strict=True)
            for way, whose in zip(WAYS, ("ours", "theirs"), strict=True)
        },
    )
    return [*parts, simulated]


def facts(found: Gpus) -> list[Sentence]:
    """What stands beside the picture: how the timers were aligned, and what the model is made of."""
    model, told = found.model, []
    if found.clocks is not None:
        aligned = say(
            "The GPUs' timers are aligned to ±{doubt} ns by words that took {trip} µs from one to"
            " the other and back.",
            doubt=f"{found.clocks.uncertainty_ns:.0f}",
            trip=wording.figure(found.clocks.trip_ns / 1e3),
        )
        told.append(aligned)
    source = say("measured on two {gpu}", gpu=model.gpu)
    if not model.gpu:
        source = say("its ring measured with NCCL on two NVIDIA H200, all else assumed")
    made_of = say(
        "The model, {source}: one shot {own_us} µs and {own_gbps} GB/s, ring {ring_us} µs and"
        " {ring_gbps} GB/s, a hop {hop_us} µs.",
        source=source,
        own_us=wording.figure(model.one_shot_us),
        own_gbps=wording.figure(model.one_shot_gbps),
        ring_us=wording.figure(model.ring_us),
        ring_gbps=wording.figure(model.ring_gbps),
        hop_us=wording.figure(model.hop_us),
    )
    return [*told, made_of]


def table(found: Gpus) -> list[list[str]]:
    """The figures, a line of titles first."""
    ranks = _simulated_ranks(found)
    titles = [
        "N",
        "KiB",
        "one shot µs",
        "NCCL µs",
        "of the pass",
        "of the pass, NCCL",
        "error",
        "error, NCCL",
    ]
    lines = [
        [*titles, f"one shot, {ranks} GPUs, simulated µs", f"ring, {ranks} GPUs, simulated µs"]
    ]
    for row in found.rows:
        line = [str(row.n), wording.significant(row.bytes / 1024, 3)]
        line += [wording.figure(row.microseconds(way)) for way in WAYS] + [
            wording.percent(row.share(way)) for way in WAYS
        ]
        line += [wording.error(row.one_shot_error), wording.error(row.nccl_error)]
        lines.append(
            line + [wording.figure(found.model.microseconds(way, ranks, row.bytes)) for way in WAYS]
        )
    return lines

"""The sum of dw and db over GPUs, measured, and a model of it for any number of GPUs.

Times of the interpreter are None. It has no GPUs: its ranks are buffers of one process.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.experiment import (
    Experiment,
    ExperimentResult,
    Findings,
    Table,
    not_ascending,
)
from lnexplorer.domain.panels import (
    WITHOUT_TIMES,
    Panel,
    PanelPicture,
    Series,
    Text,
    bar_picture,
    log_line,
    powers_picture,
)
from lnexplorer.domain.request import RunRequest
from lnkernels.values import Sentence, frozen_by_name, join_sentences, say

WIDTHS = {
    "cuda": tuple(2**power for power in range(10, 17)),
    "interpreter": (1024, 8192, 65536),
}  # N, columns of a row
WAYS = ("one_shot", "nccl")
SUM_NAMES = {"one_shot": say("one shot"), "nccl": say("NCCL")}
PHASES = {  # names and colours
    "stage1": (say("stage 1"), "blue"),
    "stage2": (say("stage 2"), "green"),
    "waiting": (say("waiting for the others"), "grey"),
    "reading": (say("reading their sums"), "orange"),
    "adding": (say("adding"), "vermilion"),
    "exchange": (say("NCCL's sum"), "sky"),  # the whole: its kernel tells no more
}


@frozen_by_name
class ExchangeModel:
    """Time of a sum by latency and bytes, of the one shot and of a ring as NCCL's is.

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
        """Return the time of a sum of `size` bytes of each GPU, in one of WAYS."""
        if way == "one_shot":
            return self.one_shot_us + (ranks - 1) * size / (self.one_shot_gbps * 1e3)
        steps = 2 * (ranks - 1)
        return (
            self.ring_us + (steps - 2) * self.hop_us + steps / ranks * size / (self.ring_gbps * 1e3)
        )


@frozen_by_name
class ExchangeRow:
    """Times and errors of a width. Times are medians with a cold L2.

    They are of the GPU that came last to the sum, and so waited for no other.
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

    def error(self, way: str) -> float | None:
        return self.one_shot_error if way == "one_shot" else self.nccl_error

    def microseconds(self, way: str) -> float | None:
        return self.one_shot_us if way == "one_shot" else self.nccl_us

    def share(self, way: str) -> float | None:
        """Return the sum's part of the pass, as a fraction."""
        whole = self.one_shot_pass_us if way == "one_shot" else self.nccl_pass_us
        part = self.microseconds(way)
        return None if part is None or not whole else part / whole


@frozen_by_name
class GpuPhase:
    """A stretch of a traced pass on one GPU, in ns from the first start on any GPU."""

    rank: int
    way: str  # of WAYS
    phase: str  # of PHASES
    begin_ns: float
    end_ns: float


@frozen_by_name
class ClockAlignment:
    """Alignment of the GPUs' timers, by ping-pongs right before and after the pass."""

    uncertainty_ns: float  # the largest of any GPU
    trip_ns: float  # of a word to another GPU and back, median


@frozen_by_name
class Gpus(Findings):
    """Rows by width, and one traced pass of each way."""

    experiment: str = "gpus"
    ranks: int
    rows: tuple[ExchangeRow, ...]
    model: ExchangeModel
    traced_n: int
    phases: tuple[GpuPhase, ...] = ()
    clocks: ClockAlignment | None = None

    @property
    def timed(self) -> bool:
        return self.rows[0].one_shot_us is not None

    @property
    def other_ranks(self) -> int:
        """Return another number of GPUs, to be simulated beside those of the findings."""
        return 8 if self.ranks != 8 else 16

    @property
    def simulated_ranks(self) -> int:
        """Return the number of GPUs that sentences and table simulate."""
        return self.other_ranks if self.timed else self.ranks

    def simulated(self, row: ExchangeRow) -> list[str]:
        """Return the simulated µs of each way."""
        model, ranks = self.model, self.simulated_ranks
        return [wording.figure(model.microseconds(way, ranks, row.bytes)) for way in WAYS]

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        parts = []
        if not self.timed:
            parts.append(
                say("The interpreter has no GPUs: its {count} ranks are buffers.", count=self.ranks)
            )
        parts += self._faster()
        for row in (self.rows[0], self.rows[-1]) if self.timed else ():
            parts.append(
                say(
                    "At N = {n} the sum takes {ours} µs by the one shot and {theirs} by NCCL:"
                    " {our_share} and {their_share} of the backward pass.",
                    n=row.n,
                    ours=wording.figure(row.one_shot_us),
                    theirs=wording.figure(row.nccl_us),
                    our_share=wording.percent(row.share("one_shot")),
                    their_share=wording.percent(row.share("nccl")),
                )
            )
        own = wording.error(max(row.one_shot_error for row in self.rows))
        errors = say("dw and db are off by {own} at most by the one shot.", own=own)
        if self.timed:
            errors = say(
                "dw and db are off by {own} at most by the one shot, by {nccl} by NCCL.",
                own=own,
                nccl=wording.error(max(row.nccl_error or 0.0 for row in self.rows)),
            )
        same = say("Ranks got other bits than others.")
        if all(row.alike for row in self.rows):
            same = say("All ranks got the same bits.")
        return [*parts, errors, same]

    def _faster(self) -> list[Sentence]:
        """Say at which widths which way is the faster one."""
        timed = [row for row in self.rows if row.one_shot_us and row.nccl_us]
        ours = [row.n for row in timed if (row.one_shot_us or 0) <= (row.nccl_us or 0)]
        theirs = [row.n for row in timed if row.n not in ours]
        return [
            say(
                "{faster} at {count} of {all} widths, N = {first} to {last}.",
                faster=faster,
                count=len(widths),
                all=len(timed),
                first=widths[0],
                last=widths[-1],
            )
            for faster, widths in (
                (say("The one shot is faster than NCCL"), ours),
                (say("NCCL is faster than the one shot"), theirs),
            )
            if widths
        ]

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        model, parts = self.model, []
        if self.clocks is not None:
            aligned = say(
                "The GPUs' timers are aligned to ±{doubt} ns by words that took {trip} µs from one"
                " to the other and back.",
                doubt=f"{self.clocks.uncertainty_ns:.0f}",
                trip=wording.figure(self.clocks.trip_ns / 1e3),
            )
            parts.append(aligned)
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
        return [*parts, made_of]

    def table(self, result: ExperimentResult) -> Table:
        ways = list(SUM_NAMES.values())
        titles: list[Text] = ["N", "KiB", *(join_sentences((way, "µs"), " ") for way in ways)]
        for what in (say("of the pass"), say("error")):
            titles += [join_sentences((what, way), ", ") for way in ways]
        titles += [
            say("{way}, {ranks} GPUs, simulated µs", way=way, ranks=self.simulated_ranks)
            for way in (SUM_NAMES["one_shot"], say("ring"))
        ]
        lines: list[list[Text]] = [
            [
                str(row.n),
                wording.significant(row.bytes / 1024, 3),
                *(wording.figure(row.microseconds(way)) for way in WAYS),
                *(wording.percent(row.share(way)) for way in WAYS),
                *(wording.error(row.error(way)) for way in WAYS),
                *self.simulated(row),
            ]
            for row in self.rows
        ]
        return [titles, *lines]

    def charts(self, result: ExperimentResult) -> tuple[PanelPicture, ...]:
        x = np.log10([row.n for row in self.rows])

        def lines(
            value: Callable[[ExchangeRow, str], float | None], *, simulated: bool = False
        ) -> tuple[Series, ...]:
            series = []
            for way, colour in zip(WAYS, ("orange", "sky"), strict=True):
                name: Text = SUM_NAMES[way]
                if simulated:
                    name = say("{name}, simulated", name=name)
                values = [value(row, way) for row in self.rows]
                series.append(log_line(name, colour, x, values, dashed=simulated))
            return tuple(series)

        def simulated(ranks: int) -> Panel:
            series = lines(
                lambda row, way: self.model.microseconds(way, ranks, row.bytes), simulated=True
            )
            title = say("sum over {ranks} GPUs, simulated, µs", ranks=ranks)
            return Panel(title=title, series=series, log=True)

        measured = Panel(
            title=say("sum over {ranks} GPUs, µs", ranks=self.ranks),
            series=lines(lambda row, way: row.microseconds(way)),
            log=True,
        )
        share = Panel(
            title=say("the sum's share of the backward pass, %"),
            series=lines(lambda row, way: 100 * (row.share(way) or 0.0)),
            log=False,
            absent=WITHOUT_TIMES,
        )
        errors = Panel(
            title=say("largest error of dw and db"),
            series=lines(lambda row, way: row.error(way)),
            log=True,
        )
        first = measured if self.timed else simulated(self.ranks)
        panels = (first, simulated(self.other_ranks), share, errors)
        picture = powers_picture(panels, "N", [row.n for row in self.rows])
        return (picture, self._over_time()) if self.phases else (picture,)

    def _over_time(self) -> PanelPicture:
        """Return the phases of each GPU in the traced passes, over one time axis."""
        places = list(dict.fromkeys((phase.way, phase.rank) for phase in self.phases))
        series = []
        for name in dict.fromkeys(phase.phase for phase in self.phases):
            own = [phase for phase in self.phases if phase.phase == name]
            start = np.array([phase.begin_ns / 1e3 for phase in own])
            end = np.array([phase.end_ns / 1e3 for phase in own])
            title, colour = PHASES[name]
            spans = Series(
                name=title,
                colours=(colour,),
                x=np.array([places.index((phase.way, phase.rank)) for phase in own], np.float64),
                y=np.maximum(end - start, 0.0),
                form="bars",
                start=start,
                labels=tuple(
                    f"{begin:.2f} – {after:.2f} µs" for begin, after in zip(start, end, strict=True)
                ),
            )
            series.append(spans)
        title = say("one backward pass with N = {n}, µs", n=self.traced_n)
        names = [
            Sentence("{way}, GPU {rank}", (("way", SUM_NAMES[way]), ("rank", rank)))
            for way, rank in places
        ]
        return bar_picture((Panel(title=title, series=tuple(series), log=False),), names, columns=1)

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        yield from not_ascending([row.n for row in self.rows])
        for each in self.phases:
            known = each.way in WAYS and each.phase in PHASES and each.rank < self.ranks
            if not known or each.begin_ns > each.end_ns:
                yield say("its GPUs do what is not known, or end before they begin")


# Of it the ring is measured: NCCL with a process a GPU took 9.41, 9.73, 9.95 and 12.42 µs for 8,
# 32, 128 and 512 KiB on two H200s. The rest is assumed: a hop of 1 µs, a launch and three hops for
# a shot, NVLink's 450 GB/s one way by its data sheet.
ASSUMED = ExchangeModel(
    one_shot_us=4.0, one_shot_gbps=450.0, ring_us=9.38, ring_gbps=176.0, hop_us=1.0, gpu=""
)


def model_of(rows: Sequence[ExchangeRow], trip_ns: float, gpu: str) -> ExchangeModel:
    """Return the line through the measured times of each way: latency, and speed of bytes."""
    fitted = {}
    for way in WAYS:
        points = [(row.bytes, time) for row in rows if (time := row.microseconds(way)) is not None]
        sizes, times = np.array(points, np.float64).T
        # Relative errors count: the small sums are what LayerNorms have.
        slope, start = np.polyfit(sizes, times, 1, w=1 / times)
        fitted[way] = max(float(start), 0.0), 1e-3 / max(float(slope), 1e-9)
    (one_shot_us, one_shot_gbps), (ring_us, ring_gbps) = fitted["one_shot"], fitted["nccl"]
    return ExchangeModel(
        one_shot_us=one_shot_us,
        one_shot_gbps=one_shot_gbps,
        ring_us=ring_us,
        ring_gbps=ring_gbps,
        hop_us=trip_ns / 2e3,
        gpu=gpu,
    )


GPUS = Experiment(
    name="gpus",
    title=say("The sum over GPUs"),
    question=say("What does it cost to add dw and db over GPUs, and what would do it faster?"),
    findings=Gpus,
    problems={  # n is the width that is traced
        "cuda": RunRequest(m=4096, n=4096),
        "interpreter": RunRequest(m=8, n=4096),
    },
    runs={"cuda": 50, "interpreter": 2},
    strategy="persistent",  # gives the same bits every time
    takes_gpus=True,
)

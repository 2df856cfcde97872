"""The barrier before a lock is given back: how often sums are wrong without it, without it and
with a plain count, as in the kernel of before, and with it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.experiment import (
    Experiment,
    ExperimentResult,
    Findings,
    Table,
    wrong_length,
)
from lnexplorer.domain.panels import Panel, PanelPicture, Series, Text
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnkernels.launch import Problem
from lnkernels.values import Sentence, frozen_by_name, join_sentences, say

MOST_NAMED = 4  # wrong elements
# Of the chart: the worst of neighbouring columns is shown, so that a height is a number of runs.
MOST_BARS = 512
# Beyond these, sums of ones are not exact in a buffer of the type.
EXACT_TO = {"float32": 2**24, "float16": 2**11, "bfloat16": 2**8}
SIGHTINGS = say(
    "Seen so far in float16, without the barrier and with a plain count: NVIDIA H200, 8192×2048,"
    " GROUP_SIZE_M 128: 247 of 1000 runs; NVIDIA H200, 4096×8192, GROUP_SIZE_M 96: 1 of 6000 runs;"
    " RTX 4090, 8192×2048: about 99 of 100 runs (published: tritonbench pull request 1266)"
)


@frozen_by_name
class WrongSum:
    """An element that no order of additions gives."""

    run: int
    result: str  # dw or db
    column: int
    error: float  # result − expected; a whole number


@frozen_by_name(eq=False)
class BarrierSide:
    barrier: bool
    atomic_count: bool = True
    runs: int
    wrong_runs: int
    wrong_dw: NDArray[np.int64]  # [N] in how many runs the column was wrong
    wrong_db: NDArray[np.int64]  # [N]
    first: tuple[WrongSum, ...]  # the first few

    @property
    def rate_below(self) -> float | None:
        """Return the rate that is excluded at 95 %; None where a wrong run was seen."""
        return 3 / self.runs if self.wrong_runs == 0 and self.runs > 0 else None

    @property
    def told(self) -> Sentence:
        """Return the beginning of a sentence about its runs."""
        return _TOLD[self.barrier, self.atomic_count][0]


@frozen_by_name
class Barriers(Findings):
    """Counts of both sides, on inputs of 1 and −1, whose sums are exact in every order."""

    experiment: str = "barrier"
    # The barrier alone; None in files from when one switch was for the barrier and the count.
    left_out: BarrierSide | None = None
    plain_count: BarrierSide  # the barrier left out, and the count loaded and stored plainly
    put_back: BarrierSide

    @property
    def without(self) -> tuple[BarrierSide, ...]:
        """Return the sides without the barrier."""
        return (self.plain_count,) if self.left_out is None else (self.left_out, self.plain_count)

    @property
    def sides(self) -> tuple[BarrierSide, ...]:
        return *self.without, self.put_back

    @property
    def worst(self) -> BarrierSide:
        """Return the first side without the barrier that had wrong sums, or else the last one."""
        return next((side for side in self.without if side.wrong_runs), self.plain_count)

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        parts: list[Sentence] = []
        if not result.on_gpu:
            parts.append(
                say(
                    "On the interpreter the fault cannot show: a program ends before the next one"
                    " begins."
                )
            )
        for side in self.sides:
            parts += _counted(side, on_gpu=result.on_gpu)
        if result.on_gpu and not self.worst.wrong_runs:
            parts.append(
                say(
                    "From Triton 3.9 on the compiler puts a barrier there itself; this was"
                    " {triton}.",
                    triton=result.provenance.environment.triton,
                )
            )
        return parts

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        return [*self._first_wrong(), SIGHTINGS]

    def _first_wrong(self) -> list[Sentence]:
        first = self.worst.first[:MOST_NAMED]
        if not first:
            return []
        named = [
            f"{wrong.result}[{wrong.column}] {f'{wrong.error:+g}'.replace('-', '−')}"
            for wrong in first
        ]
        text = say(
            "The first wrong elements, in run {run} and later: {named}. Each row adds 1 or −1, so"
            " ±1 is one row.",
            run=first[0].run,
            named=named,
        )
        return [text]

    def table(self, result: ExperimentResult) -> Table:
        heads = (say("runs"), say("wrong"), say("rate"), say("wrong columns of dw, db"))
        lines: list[Sequence[Text]] = [("", *heads)]
        for side in self.sides:
            bound = side.rate_below
            if bound is None:
                rate: Text = wording.percent(side.wrong_runs / side.runs)
            elif not result.on_gpu:
                rate = say("cannot show")
            else:
                below = say("below {share} (95 %)", share=wording.percent(bound))
                rate = below if bound < 1 else wording.ABSENT
            columns = (str(int((counts > 0).sum())) for counts in (side.wrong_dw, side.wrong_db))
            title, runs = _TOLD[side.barrier, side.atomic_count][1], (side.runs, side.wrong_runs)
            lines.append([title, *map(str, runs), rate, join_sentences(list(columns), ", ")])
        return lines

    def charts(self, result: ExperimentResult) -> tuple[PanelPicture, ...]:
        columns = self.put_back.wrong_dw.size
        bars = min(columns, MOST_BARS)
        edges = np.arange(bars + 1) * columns // max(bars, 1)
        panels = []
        for name in ("dw", "db"):
            series = []
            for side in self.sides:
                _, title, colour = _TOLD[side.barrier, side.atomic_count]
                counts = np.maximum.reduceat(getattr(side, f"wrong_{name}"), edges[:-1])
                label = join_sentences((title, f"{side.wrong_runs} / {side.runs}"), ": ")
                x, y = edges.astype(np.float64), counts.astype(np.float64)
                series.append(Series(name=label, colours=(colour,), x=x, y=y, form="steps"))
            title = say("runs with a wrong {name}, by column", name=name)
            panels.append(Panel(title=title, series=tuple(series), log=False, whole=True))
        return (
            PanelPicture(
                panels=tuple(panels), x_title=say("column"), x_range=(0.0, float(columns))
            ),
        )

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        n = result.resolved.n
        for side in self.sides:
            yield from wrong_length("wrong_dw", side.wrong_dw, n)
            yield from wrong_length("wrong_db", side.wrong_db, n)
            known = (side.barrier, side.atomic_count) in _TOLD and all(
                wrong.result in ("dw", "db") and 0 <= wrong.column < n for wrong in side.first
            )
            if not known or side.wrong_runs > side.runs:
                yield say("it counts wrong runs or sums that there are not")

    def document(self, plain: dict[str, Any]) -> dict[str, Any]:
        for name in ("left_out", "plain_count", "put_back"):
            if (side := getattr(self, name)) is not None:
                plain[name]["rate_below"] = side.rate_below
        return plain


# What is said of a side, its name, and its colour, by its barrier and its atomic count.
_TOLD = {
    (False, True): (say("Without the barrier"), say("barrier left out"), "vermilion"),
    (False, False): (
        say("Without barrier and atomic count"),
        say("barrier left out, plain count"),
        "orange",
    ),
    (True, True): (say("With the barrier"), say("barrier put back"), "green"),
}


def _counted(side: BarrierSide, *, on_gpu: bool) -> list[Sentence]:
    """Say how often the sums of a side were wrong; nothing where they cannot be."""
    if side.wrong_runs:
        return [
            say(
                "{side}, {wrong} of {runs} runs had wrong sums ({share}); columns with them:"
                " {columns} of {n}.",
                side=side.told,
                wrong=side.wrong_runs,
                runs=side.runs,
                share=wording.percent(side.wrong_runs / side.runs),
                columns=int(((side.wrong_dw > 0) | (side.wrong_db > 0)).sum()),
                n=int(side.wrong_dw.size),
            )
        ]
    if not on_gpu or side.rate_below is None:
        return []
    return [
        say(
            "{side}, none of {runs} runs had wrong sums (below {bound} at 95 % confidence).",
            side=side.told,
            runs=side.runs,
            bound=wording.percent(min(side.rate_below, 1.0)),
        )
    ]


def _inexact(resolved: ResolvedRequest) -> list[Problem]:
    """Refuse sums that are not exact: a single lost row has to show, and nothing else."""
    dtype = resolved.buffer_dtype
    rows = -(-resolved.m // max(resolved.buffers, 1))
    if rows <= EXACT_TO[dtype]:
        return []
    allowed = say(
        "take at least {least}: beyond {rows} rows a buffer, sums in {dtype} are not exact",
        least=-(-resolved.m // EXACT_TO[dtype]),
        rows=EXACT_TO[dtype],
        dtype=dtype,
    )
    return [Problem("group_size_m", str(resolved.launch.group_size_m), allowed)]


BARRIER = Experiment(
    name="barrier",
    title=say("The barrier, left out and put back"),
    question=say("What happens when a lock is given back before all threads have stored?"),
    findings=Barriers,
    problems={  # where rows were seen to be lost most often
        "cuda": RunRequest.of(m=8192, n=2048, group_size_m=128, partial_dtype="same"),
        "interpreter": RunRequest.of(m=16, n=64, group_size_m=4, partial_dtype="same"),
    },
    runs={"cuda": 1000, "interpreter": 3},
    with_group_size=True,
    refuse=_inexact,
)

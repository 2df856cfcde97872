"""The order of additions: how far apart runs of one input are."""

from collections.abc import Iterator, Sequence

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
from lnexplorer.domain.panels import Counted, PanelPicture, Text, histogram_picture
from lnexplorer.domain.request import RunRequest
from lnkernels.values import Sentence, frozen_by_name, say

BINS_PER_DECADE = 10


@frozen_by_name(eq=False)
class OrderSide:
    """Repeated backward passes of one kind on one input; dw was kept in float32."""

    strategy: str
    partial_dtype: str | None  # of the buffers; None where there are none behind locks
    runs: int
    distinct: int  # different bit patterns of dw among the runs
    spread: NDArray[np.float32]  # [N] maximum − minimum over the runs
    error: float  # largest of all runs and columns, against the float64 truth


@frozen_by_name
class Orders(Findings):
    """The kinds of passes, buffers of the dtype of x first."""

    experiment: str = "order"
    sides: tuple[OrderSide, ...]

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        if not result.on_gpu:
            one_order = say(
                "On the interpreter rows come in the order of their numbers, so all runs agree; "
                "a GPU chooses the order anew each time."
            )
            return [one_order]
        parts = []
        by_buffers = {side.partial_dtype: side for side in self.sides}
        same, wide, without = map(by_buffers.get, ("same", "float32", None))
        if same is not None and wide is not None:
            parts.append(
                say(
                    "Of {runs} runs of one input, dw differs by up to {same} with buffers in"
                    " {dtype}, and by {float32} with float32.",
                    runs=same.runs,
                    same=wording.error(float(same.spread.max())),
                    dtype=result.resolved.dtype,
                    float32=wording.error(float(wide.spread.max())),
                )
            )
        if without is not None and without.distinct == 1:
            parts.append(
                say("Strategy {strategy} gave the same bits every time.", strategy=without.strategy)
            )
        elif without is not None:
            parts.append(
                say(
                    "Strategy {strategy} gave {distinct} different results.",
                    strategy=without.strategy,
                    distinct=without.distinct,
                )
            )
        return parts

    def table(self, result: ExperimentResult) -> Table:
        titles = [say("strategy"), say("buffers"), say("runs"), say("different results")]
        titles += [say("largest spread"), say("median spread"), say("largest error")]
        lines: list[Sequence[Text]] = [titles]
        for side in self.sides:
            ordered = sorted(side.spread.tolist()) or [0.0]
            errors = (ordered[-1], ordered[len(ordered) // 2], side.error)
            buffers = side.partial_dtype or wording.ABSENT
            lines.append(
                [
                    side.strategy,
                    buffers,
                    str(side.runs),
                    str(side.distinct),
                    *map(wording.error, errors),
                ]
            )
        return lines

    def charts(self, result: ExperimentResult) -> tuple[PanelPicture, ...]:
        logs = [np.log10(side.spread[side.spread > 0]) for side in self.sides]
        some = np.concatenate(logs)
        if not some.size:
            some = np.array([-4.0, -1.0])
        low = np.floor(some.min())
        high = max(np.ceil(some.max()), low + 1)
        edges = np.linspace(low, high, int(high - low) * BINS_PER_DECADE + 1)
        counted = []
        colours = ("sky", "orange", "persistent")
        for side, spread, colour in zip(self.sides, logs, colours, strict=False):
            name: Text = side.strategy
            if side.partial_dtype is not None:
                same = side.partial_dtype == "same"
                name = say(
                    "{strategy}, {dtype} buffers",
                    strategy=side.strategy,
                    dtype=result.resolved.dtype if same else side.partial_dtype,
                )
            name = say(
                "{name}: {distinct} different of {runs}",
                name=name,
                distinct=side.distinct,
                runs=side.runs,
            )
            zeros = int((side.spread == 0).sum())
            counts = np.histogram(spread, edges)[0]
            counted.append(Counted(name, colour, counts, zeros, side.partial_dtype == "same"))
        title = say("columns of dw")
        if not result.on_gpu:
            title = say("columns of dw (one order only: the interpreter's)")
        across = say("largest − smallest dw of a column over all runs")
        return (histogram_picture(title, across, edges, counted),)

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        for side in self.sides:
            yield from wrong_length("spread", side.spread, result.resolved.n)


ORDER = Experiment(
    name="order",
    title=say("The order of additions"),
    question=say("How far apart are runs of one input, from the order of additions alone?"),
    findings=Orders,
    problems={
        "cuda": RunRequest.of(m=4096, n=2048, group_size_m=128),
        "interpreter": RunRequest.of(m=16, n=64, group_size_m=4),
    },
    runs={"cuda": 200, "interpreter": 3},
    least_runs=2,
    with_group_size=True,
)

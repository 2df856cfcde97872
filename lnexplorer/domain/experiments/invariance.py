"""Whose bits change: which results of which kernels depend on what is around a row."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Literal, get_args

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.experiment import (
    NO_TIMES,
    Experiment,
    ExperimentResult,
    Findings,
    Table,
)
from lnexplorer.domain.panels import Text
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnkernels.launch import LaunchWish, Problem, check_launch, resolve_launch
from lnkernels.values import Sentence, frozen_by_name, join_sentences, say
from lnkernels.values.figures import DIRECTIONS

INVARIANT = "invariant"  # the name of the launch that promises its bits, beside providers' names
PROMISED = LaunchWish(strategy="auto", invariant=True)
Result = Literal["y", "dx", "dw", "db"]
Way = Literal["size", "place", "nan", "stride", "sms", "run"]
RESULTS: tuple[Result, ...] = get_args(Result)
# What is changed around the rows: its number tells how.
WAYS: dict[Way, Sentence] = {
    "size": say("other M"),
    "place": say("rows before"),
    "nan": say("NaN rows beside"),
    "stride": say("elements between rows"),
    "sms": say("other SMs"),
    "run": say("run to run"),
}

WHERE: dict[Way, Sentence] = {
    "size": say("at M = {at}"),
    "place": say("behind {at} other rows"),
    "nan": say("beside rows of NaN"),
    "stride": say("with {at} elements between rows"),
    "sms": say("launched for {at} SMs"),
    "run": say("in run {at}"),
}


@frozen_by_name
class BitsCell:
    """One result of the same rows in one way of changing what is around them."""

    way: Way
    result: Result
    runs: int = 0  # that were compared
    at: int | None = None  # where bits changed first; None where they stayed
    share: float = 0.0  # of the elements whose bits changed there
    setting: str = ""  # what the launches there and before have other than each other

    @property
    def text(self) -> str:
        return "=" if self.at is None else f"{wording.percent(self.share)} @ {self.at}"

    @property
    def where(self) -> Sentence:
        """The place where bits changed, and what the launches differ by."""
        where = replace(WHERE[self.way], values=(("at", self.at or 0),))
        if not self.setting:
            return where
        return say("{where}, with another launch: {setting}", where=where, setting=self.settings)

    @property
    def settings(self) -> Sentence:
        """Settings that the launches differ by, in the commas of the language but for grids."""
        return join_sentences(re.split(r", (?=[A-Za-z_])", self.setting), ", ")


@frozen_by_name
class BitsSide:
    name: str  # of a provider, or INVARIANT
    cells: tuple[BitsCell, ...]
    forward_ms: float | None = None  # kernels alone, cold L2
    backward_ms: float | None = None

    @property
    def changed(self) -> list[BitsCell]:
        """The cells with other bits."""
        # First: what changes from run to run changes in every way.
        lost = (cell for cell in self.cells if cell.at is not None)
        return sorted(lost, key=lambda cell: cell.way != "run")


@frozen_by_name
class Invariance(Findings):
    """The providers, in the order in which they were asked for, the invariant launch last."""

    experiment: str = "invariance"
    rows: int  # that are compared
    sides: tuple[BitsSide, ...] = ()

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        found: list[Sentence] = []
        alike: dict[tuple[str, ...], list[str]] = {}
        for side in self.sides:
            changed, there = side.changed, dict.fromkeys(cell.result for cell in side.cells)
            lost = {cell.result for cell in changed}
            kept = tuple(each for each in there if each not in lost)
            alike.setdefault(kept, []).append(side.name)
            found += [
                say(
                    "{name} changes bits of {lost}. {result} has other bits {where}.",
                    name=side.name,
                    lost=[each for each in there if each in lost],
                    result=first.result,
                    where=first.where,
                )
                for first in changed[:1]
            ]
        found += [
            say(
                "Whatever is around the rows, no bit of {kept} changes with {names}.",
                names=names,
                kept=kept,
            )
            for kept, names in alike.items()
            if kept
        ]
        ms = {side.name: (side.forward_ms, side.backward_ms) for side in self.sides}
        both = zip(ms.get(INVARIANT, ()), ms.get("persistent", ()), strict=False)
        shares = [wording.signed_percent(one / plain - 1) for one, plain in both if one and plain]
        if len(shares) == len(DIRECTIONS):
            price = say(
                "Time of the invariant launch beside that of persistent: {forward} forward,"
                " {backward} backward.",
                forward=shares[0],
                backward=shares[1],
            )
            found.append(price)
        return found

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        compared = say(
            "The same {rows} rows are compared, y and dx of each row alone, too. dw and db are"
            " compared where the other rows come last and have no gradient: else the sums are"
            " others. = means that no bit changed. 25 % @ 133 means that a quarter of the elements"
            " changed, first at an M of 133, or at so many rows, elements, SMs or runs.",
            rows=self.rows,
        )
        return [compared] if result.on_gpu else [compared, NO_TIMES]

    def table(self, result: ExperimentResult) -> Table:
        heads = (say("provider"), say("changed"), *RESULTS, say("setting"))
        lines: list[Sequence[Text]] = [heads]
        for side, way in product(self.sides, WAYS):
            cells = {cell.result: cell for cell in side.cells if cell.way == way}
            if cells:
                texts = [cells[each].text if each in cells else wording.ABSENT for each in RESULTS]
                settings = dict.fromkeys(cell.settings for cell in cells.values() if cell.setting)
                lines.append([side.name, WAYS[way], *texts, join_sentences(list(settings))])
        return lines


def _refuse(resolved: ResolvedRequest) -> list[Problem]:
    """Return why there is no invariant launch of the problem."""
    n, dtype = resolved.n, resolved.dtype
    return check_launch(n, dtype, resolve_launch(n, dtype, PROMISED))


INVARIANCE = Experiment(
    name="invariance",
    title=say("Whose bits change"),
    question=say("Does a row keep its bits when the batch around it changes?"),
    findings=Invariance,
    problems={"cuda": RunRequest(m=4096, n=4096), "interpreter": RunRequest(m=16, n=64)},
    runs={"cuda": 20, "interpreter": 2},  # of the same call
    least_runs=2,
    any_launch=True,
    refuse=_refuse,
)

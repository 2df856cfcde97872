"""Whose bits change: which results of which kernels depend on what is around a row."""

from collections.abc import Iterator, Sequence
from itertools import product

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
from lnkernels.values.frozen import frozen_by_name
from lnkernels.values.sentence import Sentence, say

RESULTS = ("y", "dx", "dw", "db")
INVARIANT = "invariant"  # the name of the launch that promises its bits, beside providers' names
PROMISED = LaunchWish(strategy="auto", invariant=True)
# What is changed around the rows: its number tells how.
WAYS = {
    "size": say("other M"),
    "place": say("rows before"),
    "nan": say("NaN rows beside"),
    "stride": say("elements between rows"),
    "sms": say("other SMs"),
    "run": say("run to run"),
}


@frozen_by_name
class BitsCell:
    """One result of the same rows in one way of changing what is around them."""

    way: str  # of WAYS
    result: str  # of RESULTS
    runs: int  # that were compared
    at: int | None = None  # where bits changed first; None where they stayed
    share: float = 0.0  # of the elements whose bits changed there
    setting: str = ""  # what the launches there and before have other than each other

    @property
    def text(self) -> str:
        return "=" if self.at is None else f"{wording.percent(self.share)} @ {self.at}"


@frozen_by_name
class BitsSide:
    name: str  # of a provider, or INVARIANT
    cells: tuple[BitsCell, ...]
    forward_ms: float | None = None  # kernels alone, cold L2
    backward_ms: float | None = None

    def results(self, *, kept: bool) -> str:
        """Return the results whose bits stayed in every way, or those whose bits did not."""
        tried = {cell.result for cell in self.cells}
        lost = {cell.result for cell in self.cells if cell.at is not None}
        return ", ".join(name for name in RESULTS if name in (tried - lost if kept else lost))


@frozen_by_name
class Invariance(Findings):
    """The providers, in the order in which they were asked for, the invariant launch last."""

    experiment: str = "invariance"
    rows: int  # that are compared
    sides: tuple[BitsSide, ...]

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        found = list(map(_sentence, self.sides))
        times = {side.name: (side.forward_ms, side.backward_ms) for side in self.sides}
        (forward, backward), (plain, plain_backward) = (
            times.get(name, (None, None)) for name in (INVARIANT, "persistent")
        )
        if forward and backward and plain and plain_backward:
            price = say(
                "The invariant launch takes {forward} of the time of persistent forward, and"
                " {backward} backward.",
                forward=wording.percent(forward / plain),
                backward=wording.percent(backward / plain_backward),
            )
            found.append(price)
        return found

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        compared = say(
            "The same {rows} rows are compared: y and dx also one by one; dw and db where the rows"
            " around them come behind and have no gradient. = is no bit changed; 25 % @ 133 is a"
            " quarter of the elements, first at 133: of M, rows, elements, SMs or runs.",
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
                settings = dict.fromkeys(cell.setting for cell in cells.values() if cell.setting)
                lines.append([side.name, WAYS[way], *texts, "; ".join(settings)])
        return lines

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        for cell in (cell for side in self.sides for cell in side.cells):
            if cell.way not in WAYS or cell.result not in RESULTS:
                yield say("it compares {what}", what=f"{cell.result}, {cell.way}"[:80])


def _sentence(side: BitsSide) -> Sentence:
    kept = side.results(kept=True)
    changed = [cell for cell in side.cells if cell.at is not None]
    if not changed:
        return say(
            "{name}: {kept} keep their bits whatever is around the rows.", name=side.name, kept=kept
        )
    # What changes from run to run changes in every way.
    first = next((cell for cell in changed if cell.way == "run"), changed[0])
    found = say(
        "{name}: other bits in {lost}, in {result} first with {way} ({at}: {setting})",
        name=side.name,
        lost=side.results(kept=False),
        result=first.result,
        way=WAYS[first.way],
        at=first.at or 0,
        setting=first.setting or say("no setting is seen"),
    )
    if not kept:
        return say("{found}.", found=found)
    return say("{found}; the same in {kept}.", found=found, kept=kept)


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

"""`locked` beside the strategies that replace its locks: times, results, and lanes of programs."""

from typing import ClassVar

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.experiment import (
    NO_TIMES,
    Experiment,
    ExperimentChart,
    ExperimentResult,
    Findings,
    ProgramLanes,
    Table,
)
from lnexplorer.domain.panels import Text, bar_panel, bar_picture, bytes_panel, time_panel
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.timeline import of_locked, shares
from lnkernels.values import Sentence, frozen_by_name, say
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, ReductionTimeline, StrategyTimeline

OTHER_RESULTS = say(
    "Its traced kernel gave other results than the plain one, so there are no lanes of it."
)
TWO_LAUNCHES = say(
    "A plain pass of so few rows is one launch; the lanes show the same work in two, which take"
    " longer."
)
MOST_ROWS = 100_000  # or slices of rows, of a timeline that is drawn, in the time of an event


@frozen_by_name
class StrategyRow:
    strategy: str
    ms: float | None  # median of the backward pass, kernels alone, cold L2
    gbps: float | None  # of the tutorial's bytes
    workspace_bytes: int
    runs: int
    distinct: int | None  # different bit patterns of dw among the runs
    error: float | None  # largest of dw as a result in the dtype of x, against the float64 truth
    reason: Sentence | None = None  # why figure or lanes are missing, or not of a plain pass
    share: float | None = None  # of the speed of a + b → c of the same bytes; None in older files


@frozen_by_name
class Strategies(Findings):
    """The strategies, the locks of the one that has them, and the programs of the others."""

    TRACES: ClassVar = ("timeline", "others")
    experiment: str = "strategies"
    rows: tuple[StrategyRow, ...]
    timeline: ReductionTimeline | None
    others: tuple[StrategyTimeline, ...] = ()  # of those without locks; older files have none

    def timelines(self) -> tuple[StrategyTimeline, ...]:
        """Return all traces, those of locks in the form of the others."""
        locked = () if self.timeline is None else (of_locked(self.timeline),)
        return locked + self.others

    def _with_times(self) -> dict[str, StrategyTimeline]:
        return {
            timeline.strategy: timeline
            for timeline in self.timelines()
            if timeline.clock is not Clock.STEPS
        }

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        rows, parts = self.rows, []
        locked = next((row for row in rows if row.strategy == "locked"), None)
        timed = [(row.ms, row) for row in rows if row.ms is not None and row.strategy != "locked"]
        if locked is not None and locked.ms is not None and timed:
            ms, best = min(timed, key=lambda pair: pair[0])
            locked_time = wording.milliseconds(locked.ms)
            fastest = say("locked is the fastest here: {time}.", time=locked_time)
            if locked.ms > ms:
                fastest = say(
                    "{strategy} is the fastest: {time}, against locked's {locked_time} ({factor}).",
                    strategy=best.strategy,
                    time=wording.milliseconds(ms),
                    locked_time=locked_time,
                    factor=wording.ratio(locked.ms / ms),
                )
            parts.append(fastest)
        elif locked is not None and locked.ms is None:
            parts.append(NO_TIMES)
        alike = [row.strategy for row in rows if row.distinct == 1]
        unlike = [row.strategy for row in rows if row.distinct not in (None, 1)]
        runs = next((row.runs for row in rows if row.distinct is not None), 0)
        if alike:
            same = say("{names} gave the same bits in all {runs} runs.", names=alike, runs=runs)
            parts.append(same)
        if unlike:
            other = say("{names} gave other bits in some of {runs} runs.", names=unlike, runs=runs)
            parts.append(other)
        return parts

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        costs = [
            f"{timeline.strategy} {wording.signed_percent(timeline.cost.share)}"
            for timeline in self.timelines()
            if timeline.cost is not None
        ]
        text = say(
            "Recording these lanes changes the time of the pass by: {costs}. "
            "They show one pass with the L2 cache warm; the bars are of plain passes with it cold.",
            costs=costs,
        )
        reasons = [
            say("{name}: {reason}", name=row.strategy, reason=row.reason)
            for row in self.rows
            if row.reason
        ]
        return [text, *reasons] if costs else reasons

    def table(self, result: ExperimentResult) -> Table:
        titles: list[Text] = [
            say("strategy"),
            "ms",
            "GB/s",
            say("share of ceiling"),
            say("workspace"),
        ]
        titles += [say("different results"), say("dw error"), say("computing"), say("waiting")]
        titles += [say("trying"), say("adding"), say("tracing"), ""]
        lines, timelines = [titles], self._with_times()
        for row in self.rows:
            timeline = timelines.get(row.strategy)
            cost = None if timeline is None else timeline.cost
            lines.append(
                [
                    row.strategy,
                    wording.figure(row.ms),
                    wording.figure(row.gbps),
                    wording.share(row.share),
                    wording.bytes_text(row.workspace_bytes),
                    wording.ABSENT if row.distinct is None else f"{row.distinct} / {row.runs}",
                    wording.error(row.error),
                    *([wording.ABSENT] * 4 if timeline is None else _program_time(timeline)),
                    wording.ABSENT if cost is None else wording.signed_percent(cost.share),
                    row.reason or "",
                ]
            )
        return lines

    def charts(self, result: ExperimentResult) -> tuple[ExperimentChart, ...]:
        rows = self.rows
        colours = [row.strategy for row in rows]
        shared = any(row.share is not None for row in rows)
        times = time_panel(
            say("backward, ms (of ceiling)") if shared else say("backward pass, ms"),
            [row.ms for row in rows],
            colours,
            [row.share for row in rows],
        )
        panels = (
            times,
            bytes_panel(say("workspace"), [row.workspace_bytes for row in rows], colours),
            bar_panel(
                say("largest error of dw"),
                [row.error for row in rows],
                [wording.error(row.error) for row in rows],
                colours,
            ),
            bar_panel(
                say("different results"),
                [row.distinct for row in rows],
                ["" if row.distinct is None else f"{row.distinct} / {row.runs}" for row in rows],
                colours,
            ),
        )
        return bar_picture(panels, [row.strategy for row in rows]), self.lanes()

    def lanes(self) -> ProgramLanes:
        """Return the lanes of all that can be drawn, and how they are read."""
        drawn = tuple(each for each in self.timelines() if 0 < each.m * each.slices <= MOST_ROWS)
        notes = []
        if drawn and drawn[0].kind is Kind.INTERPRETED:
            notes.append(
                say(
                    "No clock here: a line is a program, the axis counts events. Waiting and"
                    " contention are missing."
                )
            )
        elif drawn:
            notes.append(
                say(
                    "The same SMs in each strip; a line is a place for a program on an SM; below"
                    " them stage 2"
                )
            )
        if any(timeline.slices > 1 for timeline in drawn):
            notes.append(
                say(
                    "split: programs share a row, each has a slice of it and waits for the sums of"
                    " the others"
                )
            )
        return ProgramLanes(timelines=drawn, notes=tuple(notes))


def _program_time(timeline: StrategyTimeline) -> list[str]:
    """Return shares of the programs' time: computing, waiting for others, trying, adding."""
    parts = shares(timeline)
    return [wording.share(part) for part in (parts.compute, parts.waiting, parts.trying, parts.add)]


STRATEGIES = Experiment(
    name="strategies",
    title=say("What replaces locks"),
    question=say("What do strategies without locks do better?"),
    findings=Strategies,
    problems={
        "cuda": RunRequest(m=4096, n=2048),
        "interpreter": RunRequest.of(m=16, n=64, group_size_m=4),
    },
    runs={"cuda": 50, "interpreter": 2},
    least_runs=2,
    with_group_size=True,
)

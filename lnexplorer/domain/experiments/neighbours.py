"""Every setting one step away from the present one, and what limits the present launch."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import Interval, gain_text
from lnexplorer.domain.experiments.experiment import (
    MOST_STEPS,
    NO_TIMES,
    Change,
    Experiment,
    ExperimentResult,
    Findings,
    NextStep,
    Step,
    Table,
)
from lnexplorer.domain.panels import WITHOUT_TIMES, PanelPicture, Text, bar_panel, bar_picture
from lnexplorer.domain.request import ResolvedRequest, RunRequest, plan_run, written_out
from lnexplorer.domain.timeline import most_at_once, shares
from lnkernels.launch import LAUNCHED, DeviceLimits, belongs, masked_lanes
from lnkernels.launch.settings import SETTING, SETTINGS, Parameter
from lnkernels.launch.source import KernelSource, SettingValue
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.figures import Figure
from lnkernels.values.frozen import frozen, frozen_by_name
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim
from lnkernels.values.timeline import StrategyTimeline

WITHIN = 0.005  # half-width of the interval of a difference, as a share, at which it is known
LEAST_ROUNDS = 10  # fewer are too often close to each other by chance
TIMES = say("time of both passes, ms")
UNKNOWN = Interval(0.0, 1.0, float("inf"))
# No advice: without barrier or atomic count sums are wrong now and then, which a check may miss;
# who wants invariant bits wants them.
NOT_TRIED = ("barrier", "atomic_count", "invariant")


def values_beside(setting: Parameter, value: SettingValue) -> list[SettingValue]:
    """Return the allowed values of a launch setting that are one step away from a value."""
    if isinstance(value, bool):
        return [not value]
    if not isinstance(value, int):
        return [each for each in setting.choices if each != value]
    small = value <= 8 and not setting.power_of_two
    steps = [value - 1, value + 1] if small else [value // 2, 2 * value]
    return [each for each in steps if setting.takes(each)]


def changes_beside(
    problem: RunRequest, resolved: ResolvedRequest, backend: str, limits: DeviceLimits | None
) -> list[Change]:
    """Return every possible change of one setting of a launch, or of the strategy."""
    launch, present = resolved.launch, written_out(problem, resolved)
    others = [name for name in LAUNCHED if name != launch.strategy]
    tried = [Change("strategy", launch.strategy, name) for name in others]
    for setting in SETTINGS:
        if setting.name not in NOT_TRIED and belongs(setting.name, launch.strategy):
            value = getattr(launch, setting.name)
            tried += [Change(setting.name, value, each) for each in values_beside(setting, value)]
    found = []
    for change in tried:
        same = resolved.dtype == "float32" and change.name == "partial_dtype"
        plan = plan_run(with_change(present, change), backend, limits)
        if not plan.problems and plan.resolved.launch != launch and not same:
            found.append(change)
    return found


def with_change(present: RunRequest, change: Change) -> RunRequest:
    """Return a request with a change; another strategy begins with its automatic settings."""
    if change.name == "strategy":
        return present.problem(str(change.after))
    return present.changed(**{change.name: change.after})


def kernel_changes(kernel: KernelSource) -> list[Change]:
    """Return the values in SETTINGS beside the present ones, of a kernel of one's own."""
    present, found = dict(kernel.settings), []
    for name, values in kernel.offered:
        place = values.index(present[name])
        near = values[max(place - 1, 0) : place] + values[place + 1 : place + 2]
        found += [Change(name, present[name], value) for value in near]
    return found


@frozen_by_name
class Neighbour:
    """A change of one setting, checked, and timed in turns with the present one.

    Each round captures all launches anew, so that what captures differ by is in the interval.
    """

    change: Change
    rounds: int = 0
    gain: Interval = UNKNOWN  # of the speed over the present one's: the median of the rounds
    right: bool  # or inexact, and with nothing else against it
    reason: Sentence | None  # why it is not right, or inexact

    @property
    def settled(self) -> bool:
        gain = self.gain
        return self.rounds >= LEAST_ROUNDS and gain.high - gain.low <= 2 * WITHIN * gain.value

    @property
    def is_faster(self) -> bool:
        """True where it is surely faster, and by more than chance makes one of many."""
        return self.right and self.gain.low > 1 and self.gain.value > 1 + WITHIN

    @property
    def verdict(self) -> Sentence:
        if not self.right:
            return say("no time")
        return gain_text(self.gain) if self.rounds else say("within tolerance")

    @property
    def text(self) -> Sentence:
        """What the change does: num_warps 8 → 4: 6.1 % faster (5.4 to 6.8)."""
        return _told(self.change, self.verdict)


@frozen
class Limit:
    """A part of the present launch's time. Parts overlap: rows wait while bytes are moved."""

    name: Sentence
    share: float | None = None  # of the time of both passes; None where it is only counted

    @property
    def text(self) -> Sentence:
        if self.share is None:
            return self.name
        return say("{share} of the time: {name}", share=wording.share(self.share), name=self.name)


@frozen_by_name
class Neighbours(Findings):
    """The settings one step away, and the parts of the present launch's time."""

    experiment: str = "neighbours"
    kernel: str = ""  # of one's own whose settings these are
    ms: float | None = None  # of both passes as they are, kernels alone, cold L2
    rounds: int = 0
    rows: tuple[Neighbour, ...] = ()
    limits: tuple[Limit, ...] = ()
    warnings: tuple[Sentence, ...] = ()  # what makes the times doubtful

    def ranked(self) -> list[Neighbour]:
        """Return those that are timed, the fastest first, and then the others."""
        return sorted(self.rows, key=lambda row: (not row.rounds, -row.gain.value))

    def faster(self) -> list[Neighbour]:
        """Return those that are surely faster, the fastest first."""
        return [row for row in self.ranked() if row.is_faster]

    def lines(self) -> Iterator[tuple[Text, Text, float | None, int]]:
        """Yield name, verdict, ms and rounds of all in the order of rank, the present one first."""
        own = self.ms
        yield say("as it is"), "", own, self.rounds
        for row in self.ranked():
            ms = own / row.gain.value if own and row.rounds else None
            yield row.change.text, row.verdict, ms, row.rounds

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        parts = [say("No setting one step away is known to be faster.")]
        if self.ms is None:
            checked = say(
                "Checked: {count} settings one step away; {wrong} are wrong or failed.",
                count=len(self.rows),
                wrong=sum(not row.right for row in self.rows),
            )
            parts = [checked] if result.on_gpu else [checked, NO_TIMES]
        elif faster := self.faster():
            parts = [say("{text}.", text=faster[0].text)]
        if path := result.request.path:
            steps = [_told(step.change, gain_text(step.gain)) for step in path]
            told = say("The path so far: {steps}.", steps=join_sentences(steps, "; "))
            parts.append(told)
        # The facts have the others.
        most = [say("{text}.", text=limit.text) for limit in self.limits[:1] if limit.share]
        return parts + most

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        launch = result.resolved.launch
        present = self.kernel or f"{launch.strategy}, {wording.setting_text(launch)}"
        parts = [say("The present setting: {setting}.", setting=present)]
        if self.rounds:
            timed = say(
                "Times are of both passes, kernels alone, cold L2, in {rounds} rounds of new"
                " captures; in brackets are 95 % intervals. Parts of the time overlap.",
                rounds=self.rounds,
            )
            parts.append(timed)
        parts += [limit.text for limit in self.limits]
        parts += [_told(row.change, row.reason) for row in self.rows if row.reason]
        return [*parts, *self.warnings]

    def table(self, result: ExperimentResult) -> Table:
        lines = self.lines()
        return [
            ("one step away", "speed", "ms", "rounds"),
            *((name, said, wording.figure(ms), str(n)) for name, said, ms, n in lines),
        ]

    def charts(self, result: ExperimentResult) -> tuple[PanelPicture, ...]:
        names, said, times, _ = zip(*self.lines(), strict=True)
        labels = [wording.figure(self.ms), *said[1:]]
        colours = ["orange", *("green" if row.is_faster else "grey" for row in self.ranked())]
        bars = bar_panel(TIMES, times, labels, colours, WITHOUT_TIMES)
        return (bar_picture([bars], names),)

    def steps(self, result: ExperimentResult) -> list[NextStep]:
        request, found = result.request, []
        present = written_out(request.problem, result.resolved)
        for row in self.faster()[:MOST_STEPS]:
            then = replace(request, path=(*request.path, Step(row.change, row.gain)))
            if not self.kernel:
                then = replace(then, problem=with_change(present, row.change))
            found.append(NextStep(say("Take {change}", change=row.text), then, self.kernel))
        return found

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        names = {row.change.name for row in self.rows} - {"strategy", *SETTING}
        if result.request.kernel is not None or (names and not self.kernel):
            yield say("it names a kernel to be run, or what is no setting")


def _told(change: Change, said: Sentence) -> Sentence:
    return join_sentences([verbatim(change.text), said], verbatim(": "))


def pass_times(figures: Sequence[Figure]) -> dict[str, float]:
    """Return the median of the times of each pass, in ms."""
    times: dict[str, list[float]] = {}
    for figure in figures:
        times.setdefault(figure.direction, []).append(figure.p50_ms)
    return {direction: float(np.median(each)) for direction, each in times.items()}


def limits_of(
    resolved: ResolvedRequest,
    figures: Sequence[Figure],
    compiled: Sequence[KernelFacts],
    traced: StrategyTimeline | None,
    tries: float | None = None,
) -> tuple[Limit, ...]:
    """Return what limits a launch, those with the largest share of its time first.

    Args:
        resolved: the launch.
        figures: of its passes; without any nothing is known.
        compiled: facts about its kernels.
        traced: one traced backward pass; None where there is no trace with times.
        tries: mean tries of a row until it held its lock; None where nobody counted.
    """
    if not figures:
        return ()
    found, ms = [], pass_times(figures)
    moved = [each.p50_ms * each.share_of_ceiling for each in figures if each.share_of_ceiling]
    if len(moved) == len(figures):
        share = sum(moved) / sum(each.p50_ms for each in figures)
        found.append(Limit(say("bytes, as fast as a copy and a + b → c move them"), share))
    if traced is not None and traced.end_ns:
        backward = ms.get("backward", 0.0) / sum(ms.values())
        found += [
            Limit(name, backward * ns / traced.end_ns)
            for name, ns in _traced_parts(traced, tries)
            if ns > 0
        ]
    found.sort(key=lambda limit: -(limit.share or 0.0))
    return (*found, *_counted(resolved, compiled))


def _traced_parts(
    traced: StrategyTimeline, tries: float | None
) -> Iterator[tuple[Sentence, float]]:
    """Yield the parts of a traced backward pass, with their times in ns."""
    parts, begun, ended = shares(traced), traced.program_start_ns, traced.add_end_ns
    counted = wording.figure(tries)
    last, resident = int(begun.max()), most_at_once(begun, ended)
    busy = float(np.clip(ended - last, 0, None).sum()) / max(resident, 1)
    yield say("queue for locks, or for sums of other programs"), parts.waiting * parts.stage1_ns
    yield say("tries of free locks, {tries} a row", tries=counted), parts.trying * parts.stage1_ns
    yield say("stage 2 with its launch"), parts.stage2_ns
    yield say("places that are empty in the last wave"), int(ended.max()) - last - busy


def _counted(resolved: ResolvedRequest, compiled: Sequence[KernelFacts]) -> Iterator[Limit]:
    """Yield what is counted in the launch and by the compiler, and has no time of its own."""
    launch = resolved.launch
    blocks = {"forward": launch.block_size, "backward_stage1": launch.block_size_n}
    for facts in compiled:
        masked, full = masked_lanes(resolved.n, blocks.get(facts.name, 1)), facts.occupancy
        lanes = wording.share(masked / (resolved.n + masked))
        if masked:
            yield Limit(say("{kernel}: {share} of lanes masked", kernel=facts.name, share=lanes))
        if facts.spill_bytes:
            size = facts.spill_bytes
            yield Limit(say("{kernel}: {size} B a thread spilled", kernel=facts.name, size=size))
        if full is not None and full.share_of_warps < 1:
            warps = say(
                "{kernel}: {share} of warps resident, limited by {resource}",
                kernel=facts.name,
                share=wording.share(full.share_of_warps),
                resource=full.limited_by,
            )
            yield Limit(warps)


NEIGHBOURS = Experiment(
    name="neighbours",
    title=say("What would be faster"),
    question=say("Which setting one step away is faster, and what limits the present one?"),
    findings=Neighbours,
    problems={"cuda": RunRequest(), "interpreter": RunRequest(m=16, n=64)},
    runs={"cuda": 400, "interpreter": 1},
    any_launch=True,
)

"""Every setting one step away from the present one, and what limits the present launch."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import Interval, gain_text
from lnexplorer.domain.experiments.experiment import (
    NO_TIMES,
    Change,
    Experiment,
    ExperimentRequest,
    ExperimentResult,
    Findings,
    Step,
    Table,
)
from lnexplorer.domain.panels import WITHOUT_TIMES, PanelPicture, bar_panel, bar_picture
from lnexplorer.domain.request import ResolvedRequest, RunRequest, plan_run, written_out
from lnexplorer.domain.timeline import most_at_once, of_locked, shares, summarize
from lnkernels.launch import LAUNCHED, DeviceLimits, Launch, belongs, masked_lanes
from lnkernels.launch.settings import SETTING, SETTINGS, Parameter
from lnkernels.launch.source import KernelSource, SettingValue
from lnkernels.values import Sentence, frozen, frozen_by_name, join_sentences, say, verbatim
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.figures import Figure
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline

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
    request: ExperimentRequest, launch: Launch, backend: str, limits: DeviceLimits | None
) -> list[Change]:
    """Return every possible change of one setting of a launch that is written out, or of the
    strategy.
    """
    others = [name for name in LAUNCHED if name != launch.strategy]
    tried = [Change("strategy", launch.strategy, name) for name in others]
    # Of float32 both types are the same.
    left_out = (*NOT_TRIED, "partial_dtype" if request.problem.dtype == "float32" else "")
    for setting in SETTINGS:
        if setting.name not in left_out and belongs(setting.name, launch.strategy):
            value = getattr(launch, setting.name)
            tried += [Change(setting.name, value, each) for each in values_beside(setting, value)]
    plans = [(each, plan_run(request.changed(each).problem, backend, limits)) for each in tried]
    return [each for each, plan in plans if not plan.problems and plan.resolved.launch != launch]


def kernel_changes(kernel: KernelSource) -> list[Change]:
    """Return the values in SETTINGS beside the present ones, of a kernel of one's own."""
    present, found = dict(kernel.settings), []
    for name, values in kernel.offered:
        place = values.index(present[name])
        near = values[max(place - 1, 0) : place] + values[place + 1 : place + 2]
        found += [Change(name, present[name], value, own=True) for value in near]
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

    def steps(self) -> list[Step]:
        """Return those that are surely faster, the fastest first."""
        return [Step(row.change, row.gain) for row in self.ranked() if row.is_faster]

    def ms_of(self, row: Neighbour) -> float | None:
        """Return the time of a row, as it follows from its gain."""
        return self.ms / row.gain.value if self.ms and row.rounds else None

    def sentences(self, result: ExperimentResult) -> list[Sentence]:
        parts = [say("No setting one step away is known to be faster.")]
        if self.ms is None:
            checked = say(
                "Settings one step away that were checked: {count}; wrong or failed: {wrong}.",
                count=len(self.rows),
                wrong=sum(not row.right for row in self.rows),
            )
            parts = [checked] if result.on_gpu else [checked, NO_TIMES]
        elif faster := self.steps():
            parts = [say("{text}.", text=faster[0].text)]
        if path := [step.text for step in result.request.path]:
            parts.append(say("The path so far: {steps}.", steps=join_sentences(path, "; ")))
        # The facts have the others.
        most = [say("{text}.", text=limit.text) for limit in self.limits[:1] if limit.share]
        return parts + most

    def facts(self, result: ExperimentResult) -> list[Sentence]:
        launch = result.resolved.launch
        present = self.kernel or join_sentences(
            (launch.strategy, wording.setting_text(launch)), ", "
        )
        parts = [say("The present setting: {setting}.", setting=present)]
        if self.rounds:
            timed = say(
                "Times are of both passes, kernels alone, cold L2, in {rounds} rounds of new"
                " captures; in brackets are 95 % intervals. Parts of the time overlap.",
                rounds=self.rounds,
            )
            parts.append(timed)
        parts += [limit.text for limit in self.limits]
        parts += [
            say("{name}: {why}", name=row.change.text, why=row.reason)
            for row in self.rows
            if row.reason
        ]
        return [*parts, *self.warnings]

    def table(self, result: ExperimentResult) -> Table:
        return [
            (say("one step away"), say("speed"), "ms", say("rounds")),
            (say("as it is"), "", wording.figure(self.ms), str(self.rounds)),
            *(
                (row.change.text, row.verdict, wording.figure(self.ms_of(row)), str(row.rounds))
                for row in self.ranked()
            ),
        ]

    def charts(self, result: ExperimentResult) -> tuple[PanelPicture, ...]:
        if self.ms is None:  # the table has the verdicts
            return ()
        names, labels, times, _ = map(list, zip(*self.table(result)[1:], strict=True))
        ranked = self.ranked()
        bars = bar_panel(
            TIMES,
            [self.ms, *map(self.ms_of, ranked)],
            [times[0], *labels[1:]],
            ["orange", *("green" if row.is_faster else "grey" for row in ranked)],
            WITHOUT_TIMES,
        )
        return (bar_picture([bars], names),)

    def faults(self, result: ExperimentResult) -> Iterator[Sentence]:
        names = {row.change.name for row in self.rows} - {"strategy", *SETTING}
        if result.request.kernel is not None or (names and not self.kernel):
            yield say("it names a kernel to be run, or what is no setting")


def taken(
    result: ExperimentResult, step: Step, kernel: KernelSource | None
) -> ExperimentRequest | None:
    """Return the request for what is one step away from there; `kernel` is the present one's own,
    which no result names. None where the step is of another one.
    """
    request, own = result.request, result.findings_of(Neighbours).kernel
    if not own:
        request = replace(request, problem=written_out(request.problem, result.resolved))
    elif kernel is not None and kernel.name == own:
        request = replace(request, kernel=kernel)
    else:
        return None
    return replace(request.changed(step.change), path=(*request.path, step))


def limits_of(
    resolved: ResolvedRequest,
    figures: Sequence[Figure],
    compiled: Sequence[KernelFacts],
    traced: ReductionTimeline | StrategyTimeline | None,
) -> tuple[Limit, ...]:
    """Return what limits a launch, those with the largest share of its time first.

    Args:
        resolved: the launch.
        figures: of its passes; without any nothing is known.
        compiled: facts about its kernels.
        traced: one traced backward pass; None where there is no trace with times.
    """
    if not figures:
        return ()
    ms = {each.direction: each.p50_ms for each in figures}
    parts: dict[Sentence, float] = {}  # ms
    moved = [each.p50_ms * each.share_of_ceiling for each in figures if each.share_of_ceiling]
    if len(moved) == len(figures):
        parts[say("moving the bytes, at the speed of a copy and of a + b → c")] = sum(moved)
    tries = None
    if isinstance(traced, ReductionTimeline):
        tries, traced = summarize(traced).tries_mean, of_locked(traced)
    if traced is not None and traced.end_ns:
        spent, begun, ended = shares(traced), traced.program_start_ns, traced.add_end_ns
        last, resident = int(begun.max()), max(most_at_once(begun, ended), 1)
        empty = int(ended.max()) - last - float(np.clip(ended - last, 0, None).sum()) / resident
        ns = {
            say("waiting for locks that others hold, or for sums of others"): spent.waiting
            * spent.stage1_ns,
            say("trying free locks, {tries} tries a row", tries=wording.figure(tries)): (
                spent.trying * spent.stage1_ns
            ),
            say("stage 2 and its launch"): spent.stage2_ns,
            say("places for programs that stay empty in the last wave"): empty,
        }
        step = ms["backward"] / traced.end_ns
        parts |= {name: step * each for name, each in ns.items() if each > 0}
    largest = sorted(parts.items(), key=lambda part: -part[1])
    timed = (Limit(name, part / sum(ms.values())) for name, part in largest)
    return (*timed, *_counted(resolved, compiled))


def _counted(resolved: ResolvedRequest, compiled: Sequence[KernelFacts]) -> Iterator[Limit]:
    """Yield what is counted in the launch and by the compiler, and has no time of its own."""
    launch = resolved.launch
    blocks = {"forward": launch.block_size, "backward_stage1": launch.block_size_n}
    for facts in compiled:
        masked, full = masked_lanes(resolved.n, blocks.get(facts.name, 1)), facts.occupancy
        kernel = wording.KERNELS.get(facts.name, verbatim(facts.name))
        lanes = wording.share(masked / (resolved.n + masked))
        if masked:
            yield Limit(say("{kernel}: {share} of lanes masked", kernel=kernel, share=lanes))
        if facts.spill_bytes:
            size = facts.spill_bytes
            yield Limit(say("{kernel}: {size} B a thread spilled", kernel=kernel, size=size))
        if full is not None and full.share_of_warps < 1:
            warps = say(
                "{kernel}: {share} of warps resident, limited by {resource}",
                kernel=kernel,
                share=wording.share(full.share_of_warps),
                resource=say(full.limited_by),
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

"""A run that is pinned as A, and each figure of another run beside it."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from lnexplorer.domain import wording
from lnexplorer.domain.compared import OWN, compared, source_of_run
from lnexplorer.domain.comparison import Drift, difference_text, ratio
from lnexplorer.domain.history import HEADLINE_MODE
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.timeline import summarize
from lnkernels.values import Sentence, Words, frozen, say, verbatim
from lnkernels.values.environment import Kind
from lnkernels.values.figures import DIRECTIONS
from lnkernels.values.timeline import ReductionTimeline

GROUPS = {
    "forward": say("forward"),
    "backward": say("backward"),
    **wording.KERNELS,
    "error": say("error"),
}


@frozen(eq=False)
class PinnedRun:
    """A run with its trace, where it has one."""

    result: RunResult
    timeline: ReductionTimeline | None = None

    @property
    def setting(self) -> Sentence:
        return self.result.resolved.setting_line(self.result.request.launch.given())

    @property
    def problem(self) -> tuple[str, str]:
        """Shape, dtype and device, which runs that are compared share."""
        return self.result.resolved.shape_text, self.result.provenance.environment.where

    def is_of(self, result: RunResult) -> bool:
        """Return True where both are one run."""
        return (self.result.resolved, self.result.provenance.environment.date) == (
            result.resolved,
            result.provenance.environment.date,
        )


@frozen
class FigureBeside:
    """A figure of a run, and its difference from that of A."""

    group: str  # one of GROUPS
    label: Words
    value: str
    difference: Words
    better: bool | None = None  # None where it is within noise, or neither

    @property
    def title(self) -> Sentence:
        """The name of its group."""
        return GROUPS[self.group]


def figures_beside(a: PinnedRun, b: PinnedRun) -> list[FigureBeside]:
    """Return every figure of `b` with its difference from `a`, by GROUPS."""
    found = [*_speeds(a.result, b.result)]
    before = {(group, label): value for group, label, value, *_ in _values(a)}
    for group, label, value, write, rises in _values(b):
        known = before.get((group, label))
        if value is None:
            continue
        apart, better = wording.ABSENT, None
        if known is not None:
            sign = "±" if value == known else "+" if value > known else "−"
            apart = f"{sign}{write(abs(value - known))}"
            better = None if value == known else (value > known) == rises
        found.append(FigureBeside(group, label, write(value), apart, better))
    return sorted(found, key=lambda each: list(GROUPS).index(each.group))


def _speeds(a: RunResult, b: RunResult) -> Iterator[FigureBeside]:
    drift, both = compared(*(source_of_run("", each, OWN) for each in (a, b)))
    own = [each for each in both if each.case.provider == OWN and each.case.mode == HEADLINE_MODE]
    found = {each.case.direction: each for each in own}
    strategy = b.resolved.launch.strategy
    for direction in DIRECTIONS:
        figure = b.throughput.find(strategy, direction, HEADLINE_MODE) if b.throughput else None
        if figure is None or not b.correctness.passed:
            continue
        values = (
            (verbatim("GB/s"), wording.figure(figure.gbps)),
            (say("time"), wording.milliseconds(figure.p50_ms)),
            (say("share"), wording.share(figure.share_of_ceiling)),
        )
        each = found.get(direction)
        for place, (label, value) in enumerate(values):
            if each is None:
                yield FigureBeside(direction, label, value, wording.ABSENT)
                continue
            # The ceiling drifts as all kernels do: the share's change is that of the speed.
            back = Drift(1 / drift.value, drift.captures)
            change = ratio(each.b, each.a, back) if place == 1 else each.change
            better = None if change.holds_nothing else each.change.value > 1
            text = difference_text(change) if each.settled else say("not settled")
            yield FigureBeside(direction, label, value, text, better if each.settled else None)


Value: TypeAlias = tuple[str, Words, float | None, Callable[..., str], bool]


def _values(run: PinnedRun) -> Iterator[Value]:
    """Yield the figures that are no samples: group, label, value, how it is written, and whether
    more is better.
    """
    for facts in (each for each in run.result.compiled if each.name in GROUPS):
        full = facts.occupancy
        occupied = None if full is None else full.share_of_warps
        yield facts.name, say("registers"), facts.registers, str, False
        yield facts.name, say("spills"), facts.spill_bytes, wording.bytes_text, False
        yield facts.name, say("instructions"), facts.instructions, str, False
        yield facts.name, say("occupancy"), occupied, wording.share, True
    timeline = run.timeline
    # A model's times, and the order of the interpreter's events, are no measurement.
    if timeline is not None and timeline.kind is not Kind.SIMULATED and not timeline.counted:
        wait = summarize(timeline).wait
        yield "backward", say("queued"), wait.queued_ns, wording.nanoseconds, False
        yield "backward", say("trying"), wait.trying_ns, wording.nanoseconds, False
    for check in run.result.correctness.checks:
        yield "error", check.name, check.kernel_vs_truth.largest, wording.error, False

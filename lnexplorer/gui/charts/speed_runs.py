"""The runs on a chart of speeds, which of their figures may be drawn, and sentences about them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import product

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import CEILING, state_lines
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.live import LivePoint
from lnexplorer.domain.peers import in_order
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.findings import PASSES
from lnexplorer.gui.charts.chart import LegendEntry
from lnexplorer.gui.charts.speed_chart import (
    STYLES,
    SpeedPoint,
    devices_of,
    shade,
    spread,
    symbol,
)
from lnexplorer.gui.kit import Theme, translate_message
from lnkernels.values import Sentence, join_sentences, say
from lnkernels.values.environment import KIND_NAMES, DeviceState, Environment, Kind
from lnkernels.values.figures import CEILINGS, DIRECTIONS, Figure, Refusal, Throughput

TIMED_KINDS = {Kind.MEASURED, Kind.RECORDED, Kind.PUBLISHED}


@dataclass(eq=False, slots=True)
class Run:
    """A run on the chart; figures are added as they arrive."""

    number: int
    resolved: ResolvedRequest
    expected: str = ""  # the GPU on which it is about to run
    kind: Kind = Kind.MEASURED
    environment: Environment | None = None
    # By provider, direction and mode.
    figures: dict[tuple[str, str, str], Figure] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()
    failed: tuple[str, ...] = ()  # results that are not within tolerance
    reason: Sentence | None = None  # why a live setting has no figure
    notes: tuple[Sentence, ...] = ()
    before: DeviceState | None = None  # of the device, around the timing
    after: DeviceState | None = None
    # It has figures of Live; a whole run of the same setting takes its place.
    live: bool = False
    finished: bool = False

    @classmethod
    def of(cls, result: RunResult, number: int = 0) -> "Run":
        """Make a whole run of a result."""
        run = cls(number, result.resolved)
        run.finish(result)
        return run

    @property
    def strategy(self) -> str:
        return self.resolved.launch.strategy

    @property
    def device(self) -> str:
        """The GPU of the run; empty if it is not known, or if there is none."""
        return self.expected if self.environment is None else self.environment.named_gpu or ""

    @property
    def date(self) -> str:
        """The time at which it ended; empty before that."""
        return "" if self.environment is None else self.environment.date

    @property
    def state(self) -> list[Sentence]:
        """The device before and after the timing, a line for each value."""
        return [
            join_sentences((label, value), ": ")
            for label, value in state_lines(self.before, self.after)
        ]

    def add(self, figure: Figure) -> None:
        """Add a figure, in place of an earlier one of the same provider, direction and mode."""
        self.figures[figure.provider, figure.direction, figure.mode] = figure

    def _add(self, figures: Iterable[Figure]) -> None:
        for figure in figures:
            self.add(figure)

    @property
    def problem(self) -> tuple[object, ...]:
        """Everything on which the times of peers depend."""
        return *_shape(self.resolved), self.device

    def take_lines(self, before: list["Run"]) -> None:
        """Take the figures of ceilings and peers from the newest run of the same problem.

        They are not timed while a parameter moves.
        """
        same = (
            run
            for run in reversed(before)
            if run.problem == self.problem and run.kind is Kind.MEASURED
        )
        if (run := next(same, None)) is not None:
            own = {run.strategy, self.strategy}
            self.figures = {key: figure for key, figure in run.figures.items() if key[0] not in own}

    def stand_beside(self, own: KernelVersion) -> None:
        """Add the figures of the user's own kernel, if they are of this problem.

        They take the place of those of its earlier version.
        """
        if own.problem == self.problem and self.kind is Kind.MEASURED:
            others = {key: figure for key, figure in self.figures.items() if key[0] != own.name}
            self.figures = others
            self._add(own.figures)

    def is_live(self, resolved: ResolvedRequest) -> bool:
        """Return True if the figures are those of Live for a launch."""
        return self.live and self.resolved == resolved

    def follow(self, point: LivePoint) -> None:
        self.live = True
        self.failed = point.failed
        self.reason = point.reason
        self.notes = point.warnings or self.notes
        self.environment = point.environment or self.environment
        self._add(point.figures)

    def finish(self, result: RunResult) -> None:
        self.kind = result.provenance.kind
        self.environment = result.provenance.environment
        self.failed = tuple(check.name for check in result.correctness.checks if not check.passed)
        self.finished = True
        self.live = False
        self.reason = None
        self.notes = result.notes
        self.figures.clear()
        if result.throughput is not None and self.kind in TIMED_KINDS:
            self.refusals = result.throughput.refusals
            self.before = result.throughput.before
            self.after = result.throughput.after
            self._add(result.throughput.figures)

    def providers(self) -> list[str]:
        """Return the providers whose figures may be shown: the strategy first, PyTorch second.

        A strategy with a wrong result is left out, unless the user insisted on its times.
        """
        names = {provider for provider, _direction, _mode in self.figures} - set(CEILINGS.values())
        if self.failed:
            wrong = {
                figure.provider for figure in self.figures.values() if figure.verdict == "wrong"
            }
            names -= {self.strategy} - wrong
        return sorted(names, key=lambda name: (name != self.strategy, name != "torch", name))

    def points(self, mode: str, hidden: Collection[str] = ()) -> list[SpeedPoint]:
        """Return the points of the chart, without those of hidden peers."""
        # Autograd is compared with the ceiling of kernels with a cold L2.
        ceiling_mode = "kernel_cold" if mode == "autograd" else mode
        points = []
        for direction, provider in product(DIRECTIONS, self.providers()):
            peer = provider != self.strategy
            figure = self.figures.get((provider, direction, mode))
            if figure is None or figure.gbps <= 0 or (peer and provider in hidden):
                continue
            ceiling = self.figures.get((CEILINGS[direction], direction, ceiling_mode))
            point = SpeedPoint(
                run=self.number,
                shape=_shape(self.resolved),
                provider=provider,
                direction=direction,
                figure=figure,
                ceiling=None if ceiling is None else ceiling.gbps,
                hollow=self.kind is not Kind.MEASURED,
                peer=peer,
                device=self.device,
            )
            points.append(point)
        return points


MOST_RUNS = 300  # kept in the chart


class ChartedRuns:
    """The newest MOST_RUNS runs, the oldest first; the last one grows while it runs."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self.gpu = ""  # on which runs are begun

    @property
    def last(self) -> Run | None:
        return self._runs[-1] if self._runs else None

    @property
    def timed(self) -> list[Run]:
        """The runs that have figures to draw."""
        return [run for run in self._runs if run.providers()]

    @property
    def failed(self) -> list[Run]:
        return [run for run in self._runs if run.failed]

    @property
    def whole(self) -> list[Run]:
        """The runs that have ended."""
        return [run for run in self._runs if run.finished]

    def begin(self, resolved: ResolvedRequest) -> None:
        # Live figures stay until the run has better ones.
        if not (self.last and self.last.is_live(resolved)):
            self._append(resolved)

    def add_figure(self, figure: Figure) -> None:
        """Add a figure to the run that was begun last, unless it has ended."""
        if self.last and not self.last.finished:
            self.last.add(figure)

    def follow(self, point: LivePoint) -> None:
        """Take the figures of Live for the setting to which a parameter was moved."""
        run = self.last
        if run is None or not run.is_live(point.resolved):
            before = list(self._runs)
            run = self._append(point.resolved)
            run.take_lines(before)
        run.follow(point)

    def end(self, result: RunResult) -> None:
        """Finish the run that was begun last, or add a whole run from elsewhere."""
        last = self.last
        if last is None or last.finished or last.resolved != result.resolved:
            last = self._append(result.resolved)
        last.finish(result)

    def put_before(self, results: Iterable[RunResult]) -> None:
        """Put whole runs from elsewhere before all others, unless they are on the chart already."""
        there = {(run.resolved, run.date) for run in self.whole}
        runs = [Run.of(result) for result in results]
        earlier = [run for run in runs if (run.resolved, run.date) not in there]
        self._runs = [*earlier, *self._runs][-MOST_RUNS:]
        for number, run in enumerate(self._runs, 1):
            run.number = number

    def _append(self, resolved: ResolvedRequest) -> Run:
        """Add a run; an unfinished one without figures gives way to it."""
        if self.last and not self.last.finished and not self.last.figures:
            self._runs.pop()
        number = self.last.number + 1 if self.last else 1
        run = Run(number, resolved, expected=self.gpu)
        self._runs = [*self._runs, run][-MOST_RUNS:]
        return run


MOST_SHAPES = 4  # so many are named below a picture


def legend_of(points: list[SpeedPoint], *, named: bool) -> tuple[LegendEntry, ...]:
    """Return the legend of a chart.

    It has a colour for each provider and GPU, the runs' strategies first, unless the axis names
    them (`named`); a dash for each pass; and the ceiling.
    """
    own = {point.provider for point in points if not point.peer}
    others = {point.provider for point in points} - own
    devices = devices_of(points)
    several = len(devices) > 1
    entries = []

    def add(text: str, colour: str, place: int, sign: str = "") -> None:
        on = f" · {devices[place] or '?'}" if several else ""
        entries.append(LegendEntry(text + on, shade(colour, place).name(), symbol=sign))

    directions = [name for name in STYLES if any(point.direction == name for point in points)]
    drawn = {(point.provider, point.device): point for point in points}
    for name in () if named else (*sorted(own), *in_order(others)):
        for place, device in enumerate(devices):
            if (point := drawn.get((name, device))) is not None:
                sign = symbol(directions[0], place) if several else ""
                add(point.label, point.colour, place, sign)
    for direction in directions:
        style, sign = STYLES[direction]
        # With several GPUs the symbols tell the GPUs apart, and only the dashes the passes.
        text = translate_message(PASSES[direction,])
        entries.append(LegendEntry(text, Theme.current.text, style, "" if several else sign))
    below = {point.device for point in points if point.ceiling is not None}
    for place, device in enumerate(devices):
        if device in below:
            add(translate_message(CEILING), Theme.current.muted, place)
    return tuple(entries)


def sources_of(runs: list[Run]) -> tuple[str, ...]:
    """Return the lines below a picture of runs.

    There is a line for each kind, device and set of versions, with the newest date; then one with
    the problems and strategies.
    """
    dates: dict[str, str] = {}
    for run in runs:
        if run.environment is not None:
            place = translate_message(wording.source_line(run.kind, run.environment))
            dates[place] = max(dates.get(place, ""), run.date)
    lines = [f"{place} · {date}" for place, date in dates.items()]
    shapes = list(dict.fromkeys(run.resolved.shape_text for run in runs))
    shown = shapes if len(shapes) <= MOST_SHAPES else [*shapes[:MOST_SHAPES], "…"]
    strategies = join_sentences(list(dict.fromkeys(run.strategy for run in runs)), ", ")
    of = join_sentences((join_sentences(shown, ", "), strategies), " · ")
    return (*lines, translate_message(of))


def _shape(of: ResolvedRequest) -> tuple[int, int, str, str]:
    return of.m, of.n, of.dtype, of.norm


def point_sentence(point: SpeedPoint, torch_gbps: float | None, on: str = "") -> Sentence:
    """Return a sentence about a point, the most important first; `on` names its GPU."""
    low, high = spread(point.figure)
    return say(
        "run {run} · {shape} · {provider} {direction} · {gbps} GB/s ({low}–{high}) · p50 {p50} ·"
        " {share} of the ceiling's {ceiling} GB/s · {ratio} of PyTorch · {host} host, a call ·"
        " {requested} GB/s requested",
        run=point.run if not on else f"{point.run} · {on}",
        shape=wording.shape(*point.shape),
        provider=point.label,
        direction=PASSES[point.direction,],
        gbps=wording.figure(point.figure.gbps),
        low=wording.figure(low),
        high=wording.figure(high),
        p50=wording.milliseconds(point.figure.p50_ms),
        share=wording.share(point.figure.gbps / point.ceiling if point.ceiling else None),
        ceiling=wording.figure(point.ceiling),
        ratio=wording.ratio(point.figure.gbps / torch_gbps if torch_gbps else None),
        host=wording.microseconds(point.figure.host_us),
        requested=wording.figure(point.figure.requested_gbps),
    )


def remarks_of(run: Run, *, interpreted: bool) -> list[Sentence]:
    """Return why providers of a run have no time; `interpreted`: the device gives none."""
    remarks, reason = [], run.reason
    if run.failed and run.strategy not in run.providers():
        reason = say("the result is wrong, {names} beyond tolerance", names=run.failed)
    if reason:
        remarks.append(
            say(
                "No time for {provider} in run {run}: {reason}",
                provider=run.strategy,
                run=run.number,
                reason=reason,
            )
        )
    if interpreted and run.providers():
        remarks.append(
            say(
                "Not measured here: {kind} on {device}. This machine has only Triton's"
                " interpreter.",
                kind=KIND_NAMES[run.kind],
                device=run.device or "?",
            )
        )
    times = Throughput(figures=tuple(run.figures.values()))
    for refusal in run.refusals:
        provider, reason = wording.provider_label(refusal.provider), refusal.reason
        if times.is_timed_anyway(refusal):
            said = say(
                "{provider} is WRONG, and timed all the same: {reason}",
                provider=provider,
                reason=reason,
            )
        else:
            said = say("No time for {provider}: {reason}", provider=provider, reason=reason)
        remarks.append(said)
    return remarks

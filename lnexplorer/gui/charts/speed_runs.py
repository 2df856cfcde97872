"""Runs on a chart of speeds: the figures that may be drawn, and the sentences about them."""

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
    """A run, filled while its figures arrive."""

    number: int
    resolved: ResolvedRequest
    expected: str = ""  # the GPU that it is about to run on
    kind: Kind = Kind.MEASURED
    environment: Environment | None = None
    # By provider, direction and mode.
    figures: dict[tuple[str, str, str], Figure] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()
    failed: tuple[str, ...] = ()  # results that are beyond their tolerance
    reason: Sentence | None = None  # why a live setting has no figure
    notes: tuple[Sentence, ...] = ()
    before: DeviceState | None = None  # of the device, around the timing
    after: DeviceState | None = None
    # With figures of a moving parameter, which a whole run of the same setting takes over.
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
        """The GPU that it ran on, or is about to; empty where that is not known, or is no GPU."""
        return self.expected if self.environment is None else self.environment.named_gpu or ""

    @property
    def date(self) -> str:
        """The time when it had ended; empty before."""
        return "" if self.environment is None else self.environment.date

    @property
    def state(self) -> list[Sentence]:
        """The device before and after the timing, a line for each value."""
        return [
            join_sentences((label, value), ": ")
            for label, value in state_lines(self.before, self.after)
        ]

    def add(self, figure: Figure) -> None:
        """Keep a figure; a later one of the same provider, direction and mode takes its place."""
        self.figures[figure.provider, figure.direction, figure.mode] = figure

    def _add(self, figures: Iterable[Figure]) -> None:
        for figure in figures:
            self.add(figure)

    @property
    def problem(self) -> tuple[object, ...]:
        """The values that the times of peers depend on."""
        return *_shape(self.resolved), self.device

    def take_lines(self, before: list["Run"]) -> None:
        """Take ceilings and peers, which are not timed while a parameter moves, from the newest run
        of the problem.
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
        """Add a user's own kernel, in place of its version before, if it was timed on this
        problem.
        """
        if own.problem == self.problem and self.kind is Kind.MEASURED:
            others = {key: figure for key, figure in self.figures.items() if key[0] != own.name}
            self.figures = others
            self._add(own.figures)

    def is_live(self, resolved: ResolvedRequest) -> bool:
        """Return True where the figures are live ones of a launch."""
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
        """Return whose figures may be shown, the strategy first, PyTorch second; a strategy whose
        result is wrong has none, unless somebody insisted.
        """
        names = {provider for provider, _direction, _mode in self.figures} - set(CEILINGS.values())
        if self.failed:
            wrong = {
                figure.provider for figure in self.figures.values() if figure.verdict == "wrong"
            }
            names -= {self.strategy} - wrong
        return sorted(names, key=lambda name: (name != self.strategy, name != "torch", name))

    def points(self, mode: str, hidden: Collection[str] = ()) -> list[SpeedPoint]:
        """Return the points that the chart draws, without the peers that are hidden."""
        # Autograd is held against the ceiling of cold kernels.
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
    """Keeps the newest MOST_RUNS runs, oldest first; the last one is filled while it runs."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self.gpu = ""  # that runs are begun on

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
        # Live figures stay until the run has better.
        if not (self._runs and self._runs[-1].is_live(resolved)):
            self._append(resolved)

    def add_figure(self, figure: Figure) -> None:
        """Give a figure to the run that was begun last, unless it has ended."""
        if self._runs and not self._runs[-1].finished:
            self._runs[-1].add(figure)

    def follow(self, point: LivePoint) -> None:
        """Take the figures so far of a setting that has just been moved to."""
        if not (self._runs and self._runs[-1].is_live(point.resolved)):
            before = list(self._runs)
            self._append(point.resolved).take_lines(before)
        self._runs[-1].follow(point)

    def end(self, result: RunResult) -> None:
        """Take the end of the run that was begun last, or a whole run from elsewhere."""
        last = self.last
        if last is None or last.finished or last.resolved != result.resolved:
            last = self._append(result.resolved)
        last.finish(result)

    def put_before(self, results: Iterable[RunResult]) -> None:
        """Put whole runs from elsewhere before all others, unless they are there."""
        there = {(run.resolved, run.date) for run in self.whole}
        runs = [Run.of(result) for result in results]
        earlier = [run for run in runs if (run.resolved, run.date) not in there]
        self._runs = [*earlier, *self._runs][-MOST_RUNS:]
        for number, run in enumerate(self._runs, 1):
            run.number = number

    def _append(self, resolved: ResolvedRequest) -> Run:
        """Add a run, in the place of one that has brought no figure."""
        if self._runs and not self._runs[-1].finished and not self._runs[-1].figures:
            self._runs.pop()
        number = self._runs[-1].number + 1 if self._runs else 1
        run = Run(number, resolved, expected=self.gpu)
        self._runs = [*self._runs, run][-MOST_RUNS:]
        return run


MOST_SHAPES = 4  # that are named below a picture


def legend_of(points: list[SpeedPoint], *, named: bool) -> tuple[LegendEntry, ...]:
    """Return the entries of a chart: a colour for each provider and GPU, the runs' strategies
    first, unless the axis names them; a dash for each pass; the ceiling.
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
        # Several groups have symbols of their own: there the dashes alone say which pass it is.
        text = translate_message(PASSES[direction,])
        entries.append(LegendEntry(text, Theme.current.text, style, "" if several else sign))
    below = {point.device for point in points if point.ceiling is not None}
    for place, device in enumerate(devices):
        if device in below:
            add(translate_message(CEILING), Theme.current.muted, place)
    return tuple(entries)


def sources_of(runs: list[Run]) -> tuple[str, ...]:
    """Return where the runs on a picture come from: a line for each kind, device and set of
    versions, with the newest date, then the problems.
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
    """Describe a point, what matters most first; with its GPU where that is given."""
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
    """Return who has no time in a run, and why; `interpreted` where the device gives none."""
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

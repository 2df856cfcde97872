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
from lnexplorer.gui.kit.languages import translate_message
from lnexplorer.gui.kit.theme import Theme
from lnkernels.values.environment import KIND_NAMES, DeviceState, Environment, Kind
from lnkernels.values.figures import CEILINGS, DIRECTIONS, Figure, Refusal
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim

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
            join_sentences((label, verbatim(value)), verbatim(": "))
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


MOST_SHAPES = 4  # that are named below a picture


def legend_of(points: list[SpeedPoint], theme: Theme, *, named: bool) -> tuple[LegendEntry, ...]:
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
        entries.append(LegendEntry(text + on, shade(colour, place, theme).name(), symbol=sign))

    directions = [name for name in STYLES if any(point.direction == name for point in points)]
    drawn = {(point.provider, point.device): point for point in points}
    for name in () if named else (*sorted(own), *in_order(others)):
        for place, device in enumerate(devices):
            if (point := drawn.get((name, device))) is not None:
                sign = symbol(directions[0], place) if several else ""
                add(point.label, point.colour(theme), place, sign)
    for direction in directions:
        style, sign = STYLES[direction]
        # Several groups have symbols of their own: there the dashes alone say which pass it is.
        text = translate_message(PASSES[direction,])
        entries.append(LegendEntry(text, theme.text, style, "" if several else sign))
    below = {point.device for point in points if point.ceiling is not None}
    for place, device in enumerate(devices):
        if device in below:
            add(translate_message(CEILING), theme.muted, place)
    return tuple(entries)


def sources_of(runs: list[Run]) -> tuple[str, ...]:
    """Return where the runs on a picture come from: a line for each kind, device and set of
    versions, with the newest date, then the problems.
    """
    if not runs:
        return ()
    places: dict[str, str] = {}
    for run in runs:
        parts = [translate_message(KIND_NAMES[run.kind]), run.device or "?"]
        if (environment := run.environment) is not None:
            parts += [f"torch {environment.torch}", f"triton {environment.triton}"]
            if environment.driver:
                parts.append(translate_message(say("driver {version}", version=environment.driver)))
        place = " · ".join(parts)
        places[place] = max(places.get(place, ""), run.date)
    lines = [" · ".join(filter(None, line)) for line in places.items()]
    shapes = list(dict.fromkeys(run.resolved.shape_text for run in runs))
    shown = shapes if len(shapes) <= MOST_SHAPES else [*shapes[:MOST_SHAPES], "…"]
    strategies = ", ".join(dict.fromkeys(run.strategy for run in runs))
    return (*lines, f"{', '.join(shown)} · {strategies}")


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

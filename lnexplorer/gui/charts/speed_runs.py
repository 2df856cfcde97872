"""The runs that the chart has seen, what of each may be drawn (no speed without correctness), and
what is said of them.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import state_lines
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.live import LivePoint
from lnexplorer.domain.peers import in_order
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.findings import PASSES
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.legend import LegendEntry
from lnexplorer.gui.charts.speed_chart import (
    STYLES,
    SpeedPoint,
    devices_of,
    provider_colour,
    shade,
    spread,
    symbol,
)
from lnexplorer.gui.kit.texts import domain_text
from lnexplorer.gui.kit.theme import Theme
from lnexplorer.gui.kit.translate import translate_message
from lnkernels.values.environment import DeviceState, Environment, Kind
from lnkernels.values.figures import CEILINGS, DIRECTIONS, Figure, Refusal
from lnkernels.values.sentence import Sentence

translate = QCoreApplication.translate
TIMED_KINDS = {Kind.MEASURED, Kind.RECORDED, Kind.PUBLISHED}


@dataclass(eq=False, slots=True)
class Run:
    """One run, filled while its figures arrive. `failed` names the results that are beyond their
    tolerance.
    """

    number: int
    resolved: ResolvedRequest
    expected: str = ""  # the GPU that it is about to run on
    kind: Kind = Kind.MEASURED
    environment: Environment | None = None
    figures: dict[tuple[str, str, str], Figure] = field(
        default_factory=dict
    )  # by provider, direction, mode
    refusals: tuple[Refusal, ...] = ()
    failed: tuple[str, ...] = ()
    reason: Sentence | None = None  # why a live setting has no figure
    notes: tuple[Sentence, ...] = ()
    before: DeviceState | None = None  # of the device, around the timing
    after: DeviceState | None = None
    live: bool = (
        False  # figures of a moving parameter, which a whole run of the same setting makes its own
    )
    finished: bool = False

    @property
    def strategy(self) -> str:
        return self.resolved.launch.strategy

    @property
    def device(self) -> str:
        """What it ran on, or is about to; empty where that is not known, or is no GPU."""
        return self.expected if self.environment is None else self.environment.named_gpu or ""

    @property
    def date(self) -> str:
        """When it had ended; empty before."""
        return "" if self.environment is None else self.environment.date

    @property
    def state(self) -> list[str]:
        """The device before and after the timing, a line for each value."""
        return [
            f"{domain_text(label)}: {value}"
            for label, value in state_lines(self.before, self.after)
        ]

    def add(self, figure: Figure) -> None:
        """Keep a figure; a later one of the same provider, direction and mode takes its place."""
        self.figures[figure.provider, figure.direction, figure.mode] = figure

    @property
    def problem(self) -> tuple[object, ...]:
        """What times of others than the strategy depend on."""
        return self.resolved.m, self.resolved.n, self.resolved.dtype, self.device

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
        """Add a kernel of one's own that was timed here, in place of its version before; on another
        problem it was not.
        """
        if own.problem == self.problem and self.kind is Kind.MEASURED:
            self.figures = {
                key: figure for key, figure in self.figures.items() if key[0] != own.name
            }
            for figure in own.figures:
                self.add(figure)

    def follow(self, point: LivePoint) -> None:
        self.live = True
        self.failed = point.failed
        self.reason = point.reason
        self.notes = point.warnings or self.notes
        self.environment = point.environment or self.environment
        for figure in point.figures:
            self.add(figure)

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
            for figure in result.throughput.figures:
                self.add(figure)

    def find(self, provider: str, direction: str, mode: str) -> Figure | None:
        """A figure that may be shown: none of a strategy whose result is wrong."""
        if provider == self.strategy and self.failed:
            return None
        return self.figures.get((provider, direction, mode))

    def ceiling(self, direction: str, mode: str) -> Figure | None:
        """What moves the same bytes and does nothing else, in the same mode; autograd is held
        against cold kernels.
        """
        return self.figures.get(
            (CEILINGS[direction], direction, "kernel_cold" if mode == "autograd" else mode)
        )

    def providers(self) -> list[str]:
        """Whose figures may be shown, the strategy first, PyTorch second."""
        names = {provider for provider, _direction, _mode in self.figures} - set(CEILINGS.values())
        if self.failed:
            names.discard(self.strategy)
        return sorted(names, key=lambda name: (name != self.strategy, name != "torch", name))

    def timed(self) -> bool:
        return bool(self.providers())

    def points(self, mode: str, hidden: Collection[str] = ()) -> list[SpeedPoint]:
        """What the chart draws of it, without the peers that are hidden."""
        result = []
        shape = (self.resolved.m, self.resolved.n, self.resolved.dtype)
        providers = [
            name for name in self.providers() if name == self.strategy or name not in hidden
        ]
        for direction in DIRECTIONS:
            ceiling = self.ceiling(direction, mode)
            for provider in providers:
                figure = self.find(provider, direction, mode)
                if figure is not None and figure.gbps > 0:
                    result.append(
                        SpeedPoint(
                            run=self.number,
                            shape=shape,
                            provider=provider,
                            direction=direction,
                            figure=figure,
                            ceiling=None if ceiling is None else ceiling.gbps,
                            hollow=self.kind is not Kind.MEASURED,
                            peer=provider != self.strategy,
                            device=self.device,
                        )
                    )
        return result


MOST_SHAPES = 4  # that are named below a picture


def legend_of(drawn: list[SpeedPoint], theme: Theme, *, named: bool) -> tuple[LegendEntry, ...]:
    """Whose a colour is, where the axis does not name everybody, the runs' strategies first, and on
    what GPU; which pass a dash means; the ceiling.
    """
    own = {point.provider for point in drawn if not point.peer}
    others = {point.provider for point in drawn} - own
    devices = devices_of(drawn)
    there = {(point.provider, point.device) for point in drawn}
    directions = [
        direction for direction in STYLES if any(point.direction == direction for point in drawn)
    ]
    several = len(devices) > 1
    on = {device: f" · {device or '?'}" if several else "" for device in devices}
    entries = [
        LegendEntry(
            provider_label(name) + on[device],
            shade(provider_colour(name), place, theme).name(),
            symbol=symbol(directions[0], place) if several else "",
        )
        for name in (*sorted(own), *in_order(others))
        for place, device in enumerate(devices)
        if (name, device) in there and not named
    ]
    entries += [
        # The symbols of a pass are others in each group: there the dashes alone say which pass it
        # is.
        LegendEntry(
            translate_message(PASSES[direction,]), theme.text, style, "" if several else sign
        )
        for direction, (style, sign) in STYLES.items()
        if direction in directions
    ]
    below = {point.device for point in drawn if point.ceiling is not None}
    entries += [
        LegendEntry(
            translate("ThroughputWords", "ceiling") + on[device],
            shade(theme.muted, place, theme).name(),
        )
        for place, device in enumerate(devices)
        if device in below
    ]
    return tuple(entries)


def sources_of(runs: list[Run]) -> tuple[str, ...]:
    """Where the runs on a picture come from: a line for each kind, device and set of versions, with
    the newest date, then the problems.
    """
    if not runs:
        return ()
    places: dict[str, str] = {}
    for run in runs:
        environment = run.environment
        versions = (
            [f"torch {environment.torch}", f"triton {environment.triton}"]
            if environment is not None
            else []
        )
        if environment is not None and environment.driver:
            versions.append(
                translate("ThroughputWords", "driver {version}").format(version=environment.driver)
            )
        place = " · ".join((domain_text(run.kind.value), run.device or "?", *versions))
        places[place] = max(places.get(place, ""), run.date)
    lines = [" · ".join(filter(None, line)) for line in places.items()]
    shapes = dict.fromkeys(
        wording.shape(run.resolved.m, run.resolved.n, run.resolved.dtype) for run in runs
    )
    shown = list(shapes) if len(shapes) <= MOST_SHAPES else [*list(shapes)[:MOST_SHAPES], "…"]
    strategies = ", ".join(dict.fromkeys(run.strategy for run in runs))
    return (*lines, f"{', '.join(shown)} · {strategies}")


def point_text(point: SpeedPoint, torch_gbps: float | None, on: str = "") -> str:
    """Everything about the point under the cursor, what matters most first; on which GPU, where
    that is given.
    """
    text = translate(
        "ThroughputWords",
        "run {run} · {shape} · {provider} {direction} · {gbps} GB/s ({low}–{high}) · p50 {p50} ·"
        " {share} of the ceiling's {ceiling} GB/s · {ratio} of PyTorch · {host} host, a call ·"
        " {requested} GB/s requested",
    )
    low, high = spread(point.figure)
    return text.format(
        run=point.run if not on else f"{point.run} · {on}",
        shape=wording.shape(*point.shape),
        provider=provider_label(point.provider),
        direction=translate_message(PASSES[point.direction,]),
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

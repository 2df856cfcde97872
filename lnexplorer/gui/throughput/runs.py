"""The runs that the chart has seen, and what of each may be drawn: no speed without correctness."""

from dataclasses import dataclass, field

from lnexplorer.domain.live import LivePoint
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.charts.throughput_points import Point
from lnkernels.values.environment import DeviceState, Environment, Kind
from lnkernels.values.figures import Figure, Refusal

CEILINGS = {"forward": "copy", "backward": "add"}
DIRECTIONS = tuple(CEILINGS)
MODES = ("kernel_cold", "kernel_warm", "autograd")
TIMED_KINDS = {Kind.MEASURED, Kind.RECORDED, Kind.PUBLISHED}
Key = tuple[str, str, str]  # provider, direction, mode


@dataclass(eq=False, slots=True)
class Run:
    """One run, filled while its figures arrive. `failed` names the results that are beyond their tolerance."""

    number: int
    resolved: ResolvedRequest
    expected: str = ""  # the GPU that it is about to run on
    kind: Kind = Kind.MEASURED
    environment: Environment | None = None
    figures: dict[Key, Figure] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()
    failed: tuple[str, ...] = ()
    reason: str = ""  # why a live setting has no figure, in a sentence
    notes: tuple[str, ...] = ()
    before: DeviceState | None = None  # of the device, around the timing
    after: DeviceState | None = None
    live: bool = False  # figures of a moving parameter, which a whole run of the same setting makes its own
    finished: bool = False
    _drawn: dict[object, list[Point]] = field(default_factory=dict)  # what was asked for last, and its points

    @property
    def strategy(self) -> str:
        """Whose kernels ran."""
        return self.resolved.launch.strategy

    @property
    def device(self) -> str:
        """What it ran on, or is about to; empty where that is not known, or is no GPU."""
        return self.expected if self.environment is None else self.environment.gpu or ""

    @property
    def date(self) -> str:
        """When it had ended; empty before."""
        return "" if self.environment is None else self.environment.date

    def add(self, figure: Figure) -> None:
        """Keep a figure; a later one of the same provider, direction and mode takes its place."""
        self._drawn.clear()
        self.figures[figure.provider, figure.direction, figure.mode] = figure

    def follow(self, point: LivePoint) -> None:
        """Take what is known of a live setting so far."""
        self._drawn.clear()
        self.live = True
        self.failed, self.reason = point.failed, point.reason
        self.notes = point.warnings or self.notes
        self.environment = point.environment or self.environment
        for figure in point.figures:
            self.add(figure)

    def finish(self, result: RunResult) -> None:
        """Take the final figures and verdicts."""
        self._drawn.clear()
        self.kind = result.provenance.kind
        self.environment = result.provenance.environment
        self.failed = tuple(check.name for check in result.correctness.checks if not check.passed)
        self.finished, self.live = True, False
        self.reason, self.notes = "", result.notes
        self.figures.clear()
        if result.throughput is not None and self.kind in TIMED_KINDS:
            self.refusals = result.throughput.refusals
            self.before, self.after = result.throughput.before, result.throughput.after
            for figure in result.throughput.figures:
                self.add(figure)

    def find(self, provider: str, direction: str, mode: str) -> Figure | None:
        """A figure that may be shown: none of a strategy whose result is wrong."""
        if provider == self.strategy and self.failed:
            return None
        return self.figures.get((provider, direction, mode))

    def ceiling(self, direction: str, mode: str) -> Figure | None:
        """What moves the same bytes and does nothing else, in the same mode; autograd is held against cold kernels."""
        return self.figures.get((CEILINGS[direction], direction, "kernel_cold" if mode == "autograd" else mode))

    def providers(self) -> list[str]:
        """Whose figures may be shown, the strategy first, PyTorch second."""
        names = {provider for provider, _direction, _mode in self.figures} - set(CEILINGS.values())
        if self.failed:
            names.discard(self.strategy)
        return sorted(names, key=lambda name: (name != self.strategy, name != "torch", name))

    def timed(self) -> bool:
        """Whether there is anything to draw."""
        wrong = self.strategy if self.failed else ""
        return any(provider != wrong and provider not in CEILINGS.values() for provider, _direction, _mode in self.figures)

    def points(self, mode: str, hidden: frozenset[str]) -> list[Point]:
        """What the chart draws of it: the same objects, as long as nothing has changed."""
        asked = (self.number, mode, hidden)
        if asked not in self._drawn:
            self._drawn = {asked: self._points(mode, hidden)}
        return self._drawn[asked]

    def _points(self, mode: str, hidden: frozenset[str]) -> list[Point]:
        result = []
        shape = (self.resolved.m, self.resolved.n, self.resolved.dtype)
        providers = [name for name in self.providers() if name == self.strategy or name not in hidden]
        for direction in DIRECTIONS:
            ceiling = self.ceiling(direction, mode)
            for provider in providers:
                figure = self.find(provider, direction, mode)
                if figure is not None and figure.gbps > 0:
                    result.append(
                        Point(
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


def points(runs: list[Run], mode: str, hidden: frozenset[str] = frozenset()) -> list[Point]:
    """Everything that the chart draws of these runs, without the peers that are hidden."""
    return [point for run in runs for point in run.points(mode, hidden)]

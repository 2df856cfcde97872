"""The figures that two sources of them have in common, and how far these are apart."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import WITHIN_NOISE, Drift, Interval, median_interval, ratio
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import KNOWN_PEERS
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnkernels.values import frozen
from lnkernels.values.environment import Environment
from lnkernels.values.figures import CEILINGS

OWN = "kernels"  # of a run, whatever its strategy is, where it is compared with another run


@frozen
class ComparedProblem:
    problem: str
    device: str
    provider: str
    direction: str
    mode: str

    @property
    def of_others(self) -> bool:
        """True for kernels of another library, which tell a drift of the machine."""
        return self.provider in KNOWN_PEERS

    @property
    def way(self) -> str:
        return f"{self.direction} {self.mode}"


@frozen(eq=False)
class ComparedTimes:
    samples_ms: NDArray[np.float64]
    settled: bool
    settings: tuple[str, ...] = ()  # that were asked for, as far as they concern the pass


@frozen
class ComparedSource:
    """A run, a sweep or a benchmark."""

    about: str
    software: tuple[str | None, ...]  # whose kernels others' are
    times: Mapping[ComparedProblem, ComparedTimes]
    without: str  # why there are none


@frozen
class Compared:
    """A figure that both have: medians in ms, and the speed of B over that of A, drift apart."""

    case: ComparedProblem
    a: Interval
    b: Interval
    drift: Drift
    settled: bool
    settings: tuple[str, ...]  # that A and B do not share

    @property
    def change(self) -> Interval:
        return ratio(self.a, self.b, self.drift)

    @property
    def judged(self) -> bool:
        """True for kernels of this program or of one's own, which a gate is for."""
        own = not self.case.of_others and self.case.mode != "autograd"
        return own and self.settled and not self.settings

    @property
    def slower(self) -> bool:
        return self.judged and self.verdict == "slower"

    @property
    def verdict(self) -> str:
        change = self.change
        if self.settings:
            return f"other settings: {', '.join(self.settings)}"
        if not self.settled:
            return "not settled"
        if not change.is_known:
            return "too few times"
        if change.holds_nothing:
            return str(WITHIN_NOISE)
        return "faster" if change.value > 1 else "slower"


def compared(a: ComparedSource, b: ComparedSource) -> tuple[Drift, list[Compared]]:
    """Return the drift from A to B, and the figures that both have, in the order of A."""
    found: list[tuple[ComparedProblem, Interval, Interval]] = []
    for case, times in a.times.items():
        one = median_interval(times.samples_ms)
        other = median_interval(b.times[case].samples_ms) if case in b.times else None
        if one is not None and other is not None:
            found.append((case, one, other))
    same = a.software == b.software
    drift = drift_between(unchanged(a), unchanged(b)) if same else Drift.of(())
    return drift, [
        Compared(
            case,
            one,
            other,
            drift,
            a.times[case].settled and b.times[case].settled,
            _differing(a.times[case].settings, b.times[case].settings),
        )
        for case, one, other in found
    ]


def unchanged(source: ComparedSource) -> dict[ComparedProblem, float]:
    """Return the median times of other libraries' kernels, which tell a drift, where settled."""
    return {
        case: found.value
        for case, times in source.times.items()
        if case.of_others and case.mode != "autograd" and times.settled
        if (found := median_interval(times.samples_ms)) is not None
    }


def drift_between(a: Mapping[Any, float], b: Mapping[Any, float]) -> Drift:
    """Find the drift from A to B from the times of what both have."""
    return Drift.of([ms / b[key] for key, ms in a.items() if key in b])


def _differing(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    own = [" ".join(sorted(one)) or "automatic" for one in ({*a} - {*b}, {*b} - {*a})]
    return () if a == b else tuple(own)


def source_of_run(text: str, result: RunResult, own: str | None) -> ComparedSource:
    environment, strategy = result.provenance.environment, result.resolved.launch.strategy
    shape, timed = result.resolved.shape_text, result.throughput
    left_out = [*CEILINGS.values(), *([] if result.correctness.passed else [strategy])]
    times = {}
    for each in timed.figures if timed else ():
        if each.provider in left_out or each.verdict == "wrong":
            continue
        ours = each.provider == strategy
        name = own if own and ours else each.provider
        case = ComparedProblem(shape, environment.where, name, each.direction, each.mode)
        settings = _settings(result.request, each.direction) if ours else ()
        times[case] = ComparedTimes(each.samples_ms, each.settled, settings)
    launch = wording.setting_text(result.resolved.launch, result.request.launch.given())
    about = f"{text} · {shape} · {launch}"
    without = "the interpreter gives none" if timed is None else "its results are wrong"
    return compared_source(about, environment, times, without)


def _settings(request: RunRequest, direction: str) -> tuple[str, ...]:
    """Return the settings of a run that somebody chose and that concern a pass."""
    forward = direction == "forward"
    return (
        request.strategy,
        *(
            f"{BY_NAME[name].label} {write_values((value,))}"
            for name, value in request.launch.given().items()
            if (BY_NAME[name].group == "forward" if forward else not name.startswith("forward_"))
        ),
    )


def compared_source(
    about: str,
    environment: Environment | None,
    times: Mapping[ComparedProblem, ComparedTimes],
    without: str = "no row has one",
) -> ComparedSource:
    software: tuple[str | None, ...] = ()
    if environment is not None:
        software = (environment.driver, environment.torch, environment.triton)
        about = " · ".join([about, *environment.stamp])
    return ComparedSource(about, software, times, without)

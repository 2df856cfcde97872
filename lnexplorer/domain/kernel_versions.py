"""How fast one version of a kernel of one's own is beside another, as a sentence."""

from lnexplorer.domain.comparison import Interval, median_interval, ratio
from lnexplorer.domain.result import RunResult
from lnkernels.sentence import Sentence, say
from lnkernels.values.figures import DIRECTIONS


def compare_versions(name: str, new: tuple[int, RunResult], old: tuple[int, RunResult]) -> list[Sentence]:
    """Sentences on each pass that both versions have a time of, kernels alone with a cold L2.

    Args:
        name: of the provider in both runs.
        new: a version and its run.
        old: the version that it is compared with.
    """
    found = []
    for direction in DIRECTIONS:
        times = [_time(result, name, direction) for _, result in (new, old)]
        if times[0] is not None and times[1] is not None:
            found.append(say("{direction}: {said}", direction=direction, said=_faster(new[0], old[0], ratio(times[1], times[0]))))
    if found and _problem(new[1]) != _problem(old[1]):
        return [
            say("versions {new} and {old} were run on different problems: their times do not compare", new=new[0], old=old[0])
        ]
    return found


def _time(result: RunResult, name: str, direction: str) -> Interval | None:
    figure = result.throughput.find(name, direction, "kernel_cold") if result.throughput is not None else None
    return None if figure is None else median_interval(figure.samples_ms)


def _problem(result: RunResult) -> tuple[object, ...]:
    resolved, environment = result.resolved, result.provenance.environment
    return resolved.m, resolved.n, resolved.dtype, environment.gpu


def _faster(new: int, old: int, speedup: Interval) -> Sentence:
    if not speedup.is_known or speedup.holds_nothing:
        return say("version {new} and version {old} are tied within noise", new=new, old=old)
    if speedup.value > 1:
        share, low, high = (100 * (each - 1) for each in (speedup.value, speedup.low, speedup.high))
        return say(
            "version {new} is {share:.1f} % faster than {old}, {low:.1f} to {high:.1f} %",
            new=new,
            old=old,
            share=share,
            low=low,
            high=high,
        )
    share, low, high = (100 * (1 / each - 1) for each in (speedup.value, speedup.high, speedup.low))
    return say(
        "version {new} is {share:.1f} % slower than {old}, {low:.1f} to {high:.1f} %",
        new=new,
        old=old,
        share=share,
        low=low,
        high=high,
    )

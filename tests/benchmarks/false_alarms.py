"""How often `compare --fail-if-slower` cries wolf, and how often it sees a true change; needs no
GPU.

    python -m tests.benchmarks.false_alarms [--slower 5]

Takes every ordered pair of the ten shipped recordings of 4096×1024 that differ in GROUP_SIZE_M
alone: the forward kernels are the same in all, so whatever is slower there is a false alarm. In
every second pair so many per cent are planted in B's forward kernels. Then the same for the
tutorial's curve and the benchmark of the same problems, which were timed in two sessions; each of
their problems counts as a pair.
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path

from lnexplorer.cli.compare import OWN, Compared, ComparedSource, compared, read_source

RECORDINGS = Path(__file__).parents[2] / "resources/recordings"


def slowed(source: ComparedSource, factor: float) -> ComparedSource:
    """A source whose own forward kernels take so many times as long."""
    times = {
        case: replace(each, samples_ms=each.samples_ms * factor)
        if case.direction == "forward" and not case.of_others
        else each
        for case, each in source.times.items()
    }
    return replace(source, times=times)


def pairs_of_runs() -> list[tuple[ComparedSource, ComparedSource]]:
    sources = [
        read_source(str(path), OWN) for path in sorted(RECORDINGS.glob("h200_4096x1024_g*.lnrec"))
    ]
    return list(permutations(sources, 2))


def pairs_of_sessions() -> list[tuple[ComparedSource, ComparedSource]]:
    names = ("h200_sweep_tutorial.lnsweep", "h200_bench_4096_float16.json")
    return list(permutations([read_source(str(RECORDINGS / name), None) for name in names]))


def judged(found: Iterable[Compared], timing: str) -> Iterator[Compared]:
    """Figures of forward kernels that a gate looks at."""
    for each in found:
        if each.judged and each.case.direction == "forward" and each.case.mode == timing:
            yield each


def count(
    name: str, pairs: list[tuple[ComparedSource, ComparedSource]], timing: str, factor: float
) -> tuple[int, int, int, int]:
    """Count the figures of unchanged kernels and the alarms among them, those planted and found."""
    unchanged = alarms = planted = finds = 0
    for number, (a, b) in enumerate(pairs):
        for each in judged(compared(a, b)[1], timing):
            unchanged += 1
            alarms += each.slower
        if number % 2 == 0:
            for each in judged(compared(a, slowed(b, factor))[1], timing):
                planted += 1
                finds += each.slower
    print(f"{name}, {timing}: {alarms} false alarms of {unchanged}, {finds} finds of {planted}")
    return unchanged, alarms, planted, finds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--slower", type=float, default=5.0, help="per cent to plant")
    factor = 1 / (1 - parser.parse_args().slower / 100)
    for timing in ("kernel_cold", "kernel_warm"):
        count("ten recordings of one session", pairs_of_runs(), timing, factor)
    count("two sessions", pairs_of_sessions(), "kernel_cold", factor)


if __name__ == "__main__":
    main()

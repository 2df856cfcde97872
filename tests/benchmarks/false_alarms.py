"""How often `compare --fail-if-slower` cries wolf, and how often it sees a true change; needs no
GPU.

    python -m tests.benchmarks.false_alarms [--slower 5] [--fresh FOLDER]

Takes every ordered pair of the ten shipped recordings of 4096×1024 that differ in GROUP_SIZE_M
alone: the forward kernels are the same in all, so whatever is slower there is a false alarm. In
every second pair so many per cent are planted in B's forward kernels. Then the same for the
tutorial's curve and the benchmark of the same problems, which were timed in two sessions; each of
their problems counts as a pair.

With --fresh it takes recordings of one's own in their place, of the same kernels in both passes:
each folder in FOLDER has those of one card (`.lnrec`, `.lnsweep`, or the `.json` of a benchmark),
each of a process of its own, such as

    for i in 01 02 03 04 05 06 07 08; do
        lnexplorer record FOLDER/card0/$i.lnrec --m 4096 --n 4096 --device cuda:0
    done

Pairs are those of one card that have a problem in common. What seems slower is shown.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

from lnexplorer.cli.compare import read_source
from lnexplorer.domain.compared import OWN, Compared, ComparedSource, compared
from lnexplorer.store.archive import RECORDING, SWEEP
from lnkernels.values.figures import DIRECTIONS
from tests.programs import described

RECORDINGS = Path(__file__).parents[2] / "resources/recordings"
SUFFIXES = (RECORDING.suffix, SWEEP.suffix, ".json")
Pair = tuple[ComparedSource, ComparedSource]


def slowed(
    source: ComparedSource, factor: float, passes: Sequence[str] = ("forward",)
) -> ComparedSource:
    """A source whose own kernels of these passes take so many times as long."""
    times = {
        case: replace(each, samples_ms=each.samples_ms * factor)
        if case.direction in passes and not case.of_others
        else each
        for case, each in source.times.items()
    }
    return replace(source, times=times)


def pairs_of_runs() -> list[Pair]:
    sources = [
        read_source(str(path), OWN) for path in sorted(RECORDINGS.glob("h200_4096x1024_g*.lnrec"))
    ]
    return list(permutations(sources, 2))


def pairs_of_sessions() -> list[Pair]:
    names = ("h200_sweep_tutorial.lnsweep", "h200_bench_4096_float16.json")
    return list(permutations([read_source(str(RECORDINGS / name), None) for name in names]))


def fresh_pairs(folder: Path) -> list[Pair]:
    """Return every ordered pair of recordings of one card that have a kernel in common."""
    cards = sorted(each for each in folder.iterdir() if each.is_dir())
    found = []
    for card in cards:
        paths = sorted(path for path in card.iterdir() if path.suffix in SUFFIXES)
        sources = [
            read_source(str(path), OWN if path.suffix == RECORDING.suffix else None)
            for path in paths
        ]
        pairs = [
            (a, b)
            for a, b in permutations(sources, 2)
            if any(each.judged for each in compared(a, b)[1])
        ]
        print(f"{card.name}: {len(paths)} recordings, {len(pairs)} pairs")
        found += pairs
    return found


def judged(
    a: ComparedSource, b: ComparedSource, timing: str, passes: Sequence[str]
) -> list[Compared]:
    """The figures that a gate looks at, of kernels of these passes."""
    return [
        each
        for each in compared(a, b)[1]
        if each.judged and each.case.direction in passes and each.case.mode == timing
    ]


def count(
    name: str,
    pairs: Sequence[Pair],
    timing: str,
    factor: float,
    passes: Sequence[str] = ("forward",),
) -> tuple[int, int, int, int]:
    """Count the figures of unchanged kernels and the alarms among them, those planted and found."""
    unchanged = alarms = planted = finds = 0
    wrong_pairs = found_pairs = planted_pairs = 0
    for number, (a, b) in enumerate(pairs):
        figures = judged(a, b, timing, passes)
        slower = [each for each in figures if each.slower]
        unchanged, alarms = unchanged + len(figures), alarms + len(slower)
        wrong_pairs += bool(slower)
        for each in slower if len(passes) > 1 else ():
            low, high = each.change.low - 1, each.change.high - 1
            print(
                f"  {each.case.problem} {each.case.provider} {each.case.way}: {low:+.1%} to"
                f" {high:+.1%}\n    A {a.about}\n    B {b.about}"
            )
        if number % 2 == 0:
            changed = judged(a, slowed(b, factor, passes), timing, passes)
            seen = [each for each in changed if each.slower]
            planted, finds = planted + len(changed), finds + len(seen)
            planted_pairs, found_pairs = planted_pairs + 1, found_pairs + bool(seen)
    print(
        f"{name}, {timing}: {alarms} false alarms of {unchanged}, {finds} finds of {planted}; of"
        f" pairs {wrong_pairs} of {len(pairs)}, {found_pairs} of {planted_pairs}"
    )
    return unchanged, alarms, planted, finds


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("--slower", type=float, default=5.0, help="per cent to plant")
    parser.add_argument("--fresh", type=Path, help="a folder with a folder of recordings a card")
    given = parser.parse_args()
    factor = 1 / (1 - given.slower / 100)
    if given.fresh is not None:
        pairs = fresh_pairs(given.fresh)
        for timing in ("kernel_cold", "kernel_warm"):
            count("fresh recordings", pairs, timing, factor, DIRECTIONS)
        return
    for timing in ("kernel_cold", "kernel_warm"):
        count("ten recordings of one session", pairs_of_runs(), timing, factor)
    count("two sessions", pairs_of_sessions(), "kernel_cold", factor)


if __name__ == "__main__":
    main()

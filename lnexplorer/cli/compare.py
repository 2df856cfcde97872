"""`lnexplorer compare`: the speeds of one run, sweep or benchmark beside those of another, with
their uncertainty.
"""

import argparse
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lnexplorer.cli.commands import OK, SCHEMA_VERSION, unusable
from lnexplorer.cli.history import history_of, rows_of
from lnexplorer.cli.options import CommandParser
from lnexplorer.cli.terminal import aligned, print_json, show
from lnexplorer.domain import wording
from lnexplorer.domain.comparison import Interval, median_interval, ratio
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.report.benchmark_file import read_benchmark
from lnexplorer.store.archive import RECORDING, SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import read_recorded_sweep, read_recording
from lnkernels.values.figures import CEILINGS, Figure
from lnkernels.values.sentence import say as sentence

DESCRIPTION = (
    "Compare the speeds of B with those of A: the same problem, device, kernels, pass and way of"
    " calling in both."
)
EPILOG = (
    "A and B are numbers of runs of the history, or files: .lnrec, .lnsweep, or the .json of"
    " `lnexplorer bench`. Of two runs the kernels are compared whatever their strategies are. The"
    " change is that of the speed, with the ends of its 95 % interval; B is slower where the whole"
    " interval lies below 0. Exit status: 0 compared; 1 with --fail-if-slower, where something of B"
    " is slower, by more than that; 2 the options are not possible, or there is nothing to compare;"
    " 3 the history cannot be used."
)
SLOWER = 1
HEADS = ("problem", "who", "pass", "mode", "A", "B", "change", "from", "to", "verdict")
TIMES_FROM = HEADS.index("A")
OWN = "kernels"  # of a run, whatever its strategy is, where it is compared with another run


@dataclass(frozen=True, slots=True)
class ComparedProblem:
    problem: str
    device: str
    provider: str
    direction: str
    mode: str


Speeds = Mapping[ComparedProblem, NDArray[np.float64]]  # samples in ms


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure that both have: medians in ms, and the speed of B over that of A."""

    case: ComparedProblem
    a: Interval
    b: Interval

    @property
    def change(self) -> Interval:
        return ratio(self.a, self.b)

    @property
    def verdict(self) -> str:
        change = self.change
        if not change.is_known:
            return "too few times"
        return (
            "within noise" if change.holds_nothing else "faster" if change.value > 1 else "slower"
        )


def main(arguments: list[str]) -> int:
    options = parser().read(arguments)
    both_runs = all(_is_run(text) for text in (options.a, options.b))
    try:
        a, b = (_speeds(text, OWN if both_runs else None) for text in (options.a, options.b))
    except StoreError as error:
        raise unusable(error) from error
    found = compared(a, b)
    if not found:
        raise unusable(
            f"{options.b} has no figure for the same problem, device, kernels, pass and way of"
            f" calling as {options.a}"
        )
    if options.json:
        print_json(
            {
                "schema_version": SCHEMA_VERSION,
                "a": options.a,
                "b": options.b,
                "figures": list(map(_document, found)),
            }
        )
    else:
        show(aligned([HEADS, *map(_line, found)], right_from=TIMES_FROM))
    limit = options.fail_if_slower
    slower = [
        each
        for each in found
        if limit is not None and each.verdict == "slower" and each.change.value < 1 - limit
    ]
    return SLOWER if slower else OK


def compared(a: Speeds, b: Speeds) -> list[Compared]:
    """Return the figures that both have, in the order of A."""
    pairs = [(case, median_interval(a[case]), median_interval(b[case])) for case in a if case in b]
    return [
        Compared(case, one, other)
        for case, one, other in pairs
        if one is not None and other is not None
    ]


def parser() -> CommandParser:
    made = CommandParser("compare", DESCRIPTION, EPILOG)
    made.add_argument("a", metavar="A", help="what B is compared with")
    made.add_argument("b", metavar="B", help="the newer one")
    text = (
        "exit status 1 where something of B is slower beyond the noise, by more than this, such as"
        " 3%% (0%% if nothing is given)"
    )
    made.add_argument(
        "--fail-if-slower", metavar="SHARE", nargs="?", const=0.0, type=_share, help=text
    )
    return made


def _share(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take per cent as 3%, below 100%")
    return share


def _is_run(text: str) -> bool:
    return text.isdigit() or text.endswith(RECORDING.suffix)


def _speeds(text: str, own: str | None) -> Speeds:
    """Return the samples of a run or a file; `own` names a run's kernels, None their strategy."""
    if text.isascii() and text.isdigit() and not os.path.exists(text):  # noqa: PTH110 - as long as it likes
        return _of_run(_kept_run(text), own)
    path = Path(text)
    match path.suffix:
        case RECORDING.suffix:
            result = read_recording(path).result
            if result is None:
                raise StoreError(
                    sentence("{path} holds a timing of locks and no run.", path=str(path))
                )
            return _of_run(result, own)
        case SWEEP.suffix:
            return _of_sweep(path)
        case ".json":
            return _of_benchmark(path)
    raise StoreError(
        sentence(
            "{path} cannot be compared: take the number of a run, .lnrec, .lnsweep or .json.",
            path=text,
        )
    )


def _kept_run(number: str) -> RunResult:
    with history_of("compare") as history:
        (row,) = rows_of(history, [number])
        return history.runs.load(row.id)


def _of_run(result: RunResult, own: str | None) -> Speeds:
    launch, figures = (
        result.resolved.launch,
        () if result.throughput is None else result.throughput.figures,
    )
    device = result.provenance.environment.where

    def provider_of(figure: Figure) -> str:
        return own if own is not None and figure.provider == launch.strategy else figure.provider

    timed = [figure for figure in figures if figure.provider not in CEILINGS.values()]
    return {
        ComparedProblem(
            _problem(result.resolved), device, provider_of(each), each.direction, each.mode
        ): each.samples_ms
        for each in timed
        if result.correctness.passed or each.provider != launch.strategy
    }


def _of_sweep(path: Path) -> Speeds:
    found: dict[ComparedProblem, NDArray[np.float64]] = {}
    for result in read_recorded_sweep(path).results:
        if result.resolved is None:
            continue
        given = result.cell.request.launch.given().items() if not result.cell.peer else ()
        settings = [
            f"{name}={write_values((value,))}"
            for name, value in given
            if name != "strategy" and value is not None
        ]
        provider = " ".join([result.cell.provider, *settings])
        for figure in result.figures:
            case = ComparedProblem(
                _problem(result.resolved), result.hardware, provider, figure.direction, figure.mode
            )
            found[case] = figure.samples_ms
    return found


def _of_benchmark(path: Path) -> Speeds:
    found = read_benchmark(path)
    device = (found.environment.named_gpu if found.environment is not None else None) or "CPU"
    return {
        ComparedProblem(
            wording.shape(row.m, row.n, row.dtype), device, row.provider, row.direction, row.mode
        ): samples
        for row in found.rows
        if (samples := found.samples.get((row.n, row.provider, row.direction, row.mode)))
        is not None
    }


def _problem(resolved: ResolvedRequest) -> str:
    return wording.shape(resolved.m, resolved.n, resolved.dtype)


def _line(each: Compared) -> tuple[str, ...]:
    case, change = each.case, each.change
    ends = (change.value, change.low, change.high) if change.is_known else (change.value,)
    percent = [wording.signed_percent(end - 1) for end in ends] + [wording.ABSENT] * (3 - len(ends))
    times = (wording.milliseconds(each.a.value), wording.milliseconds(each.b.value))
    return (
        case.problem,
        case.provider,
        case.direction,
        case.mode.replace("_", ", "),
        *times,
        *percent,
        each.verdict,
    )


def _document(each: Compared) -> dict[str, object]:
    case, change = each.case, each.change
    ends: Iterable[float] = (change.low, change.high) if change.is_known else ()
    return {
        "problem": case.problem,
        "gpu": case.device,
        "provider": case.provider,
        "mode": case.direction,
        "timing": case.mode,
        "a_p50_ms": each.a.value,
        "b_p50_ms": each.b.value,
        "speed_ratio": change.value,
        "speed_ratio_interval": list(ends) or None,
        "verdict": each.verdict,
    }

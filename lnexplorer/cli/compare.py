"""`lnexplorer compare`: the speeds of one run, sweep or benchmark beside those of another, with
their uncertainty.
"""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from lnexplorer.cli.commands import OK, unusable
from lnexplorer.cli.history import history_of, rows_of
from lnexplorer.cli.options import CommandParser, Options, add_option, recording_name
from lnexplorer.cli.terminal import aligned, print_json, show
from lnexplorer.domain import wording
from lnexplorer.domain.compared import (
    OWN,
    Compared,
    ComparedProblem,
    ComparedSource,
    ComparedTimes,
    compared,
    compared_source,
    source_of_run,
)
from lnexplorer.domain.comparison import Drift
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.result import RunResult
from lnexplorer.report.benchmark_file import read_benchmark
from lnexplorer.store.archive import RECORDING, SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import read_recorded_sweep, read_recording
from lnkernels.values import verbatim
from lnkernels.values.figures import CEILINGS, DIRECTIONS, MODES

DESCRIPTION = """\
Compare the speeds of B with those of A: the same problem, device, kernels, pass and way of calling
in both.
"""
EPILOG = """\
A and B are numbers of runs of the history, or files: .lnrec, .lnsweep, or the .json of `lnexplorer
bench`. Of two runs the kernels are compared whatever their strategies are. The change is that of
the speed, with the ends of its 95 % interval; B is slower where the whole interval lies below 0.
What PyTorch and other libraries' kernels show of a drift of the machine is taken out. Exit status:
0 compared; 1 with --fail-if-slower, where a kernel of B is slower by more than that, at the
strategy and settings of A, in times that settled: other libraries, and calls through autograd, are
shown and not judged; 2 the options are not possible, or there is nothing to compare; 3 the history
cannot be used.
"""
SLOWER = 1
HEADS = ("problem", "provider", "mode", "timing", "A", "B", "change", "from", "to", "verdict")
TIMES_FROM = HEADS.index("A")


def main(options: Options) -> int:
    modes = options.read_choices("mode", DIRECTIONS, DIRECTIONS)
    timings = options.read_choices("timing", MODES, MODES)
    who = options.read_choices("who", ())
    options.end_if_refused()
    both_runs = all(_is_run(text) for text in (options.a, options.b))
    try:
        a, b = (read_source(text, OWN if both_runs else None) for text in (options.a, options.b))
    except StoreError as error:
        raise unusable(error) from error
    drift, found = compared(a, b)
    shown = [
        each
        for each in found
        if each.case.direction in modes
        and each.case.mode in timings
        and (not who or each.case.provider in who)
    ]
    if not shown:
        raise unusable(_why_nothing(options, a, b, found))
    remark = _about_drift(drift, a, b)
    if options.json:
        print_json(
            {
                "a": options.a,
                "b": options.b,
                "drift": {"speed_ratio": drift.value, "figures": drift.count, "sentence": remark},
                "figures": list(map(_document, shown)),
            }
        )
    else:
        show(f"A: {a.about}\nB: {b.about}\n{remark}")
        show(aligned([HEADS, *map(_line, shown)], right_from=TIMES_FROM))
    limit = options.fail_if_slower
    failed = limit is not None and any(
        each.slower and each.change.value < 1 - limit for each in shown
    )
    return SLOWER if failed else OK


def _about_drift(drift: Drift, a: ComparedSource, b: ComparedSource) -> str:
    if drift.count:
        figures = wording.counted(drift.count, "figure")
        share = wording.signed_percent(drift.value - 1)
        return (
            f"Drift: {share}, the median of {figures} of other libraries' kernels; the changes are"
            " without it."
        )
    why = "nothing that did not change is in both, such as --provider torch"
    if a.software != b.software:
        why = "driver, PyTorch or Triton changed, and others' kernels with them"
    return f"Drift: not known ({why}); the intervals are wider for it."


def _why_nothing(
    options: Options, a: ComparedSource, b: ComparedSource, found: list[Compared]
) -> str:
    """Say why there is nothing to compare: the first thing of which they have none in common."""
    for text, source in ((options.a, a), (options.b, b)):
        if not source.times:
            return f"{text} has no times that could be compared: {source.without}"
    if found:
        return "no figure that both have is of these --mode, --timing and --who"
    left = [set(a.times), set(b.times)]
    for name in ("problem", "device", "provider", "way"):
        own = [{getattr(case, name) for case in cases} for cases in left]
        common = own[0] & own[1]
        if not common:
            lists = " | ".join("; ".join(sorted(each)) for each in own)
            return f"{options.a} and {options.b} have no {name} in common: {lists}"
        left = [{case for case in cases if getattr(case, name) in common} for cases in left]
    return f"{options.b} has no figure for the same kernels as {options.a}"


def parser() -> CommandParser:
    made = CommandParser("compare", DESCRIPTION, EPILOG)
    add_option(made, "a", "what B is compared with", "A", type=_named)
    add_option(made, "b", "the newer one", "B", type=_named)
    add_option(made, "--mode", "passes. Default: both", ",".join(DIRECTIONS))
    add_option(made, "--timing", "Default: all", ",".join(MODES))
    text = f"providers, by comma; {OWN} are those of two runs. Default: all"
    add_option(made, "--who", text, "NAMES")
    text = (
        "exit status 1 where a kernel of B is slower beyond the noise, by more than this, such as"
        " 3%% (0%% if nothing is given)"
    )
    add_option(made, "--fail-if-slower", text, "SHARE", nargs="?", const=0.0, type=_share)
    return made


def _share(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take per cent as 3%, below 100%")
    return share


def _named(text: str) -> str:
    return str(recording_name(text))


def _is_run(text: str) -> bool:
    return text.isdigit() or text.endswith(RECORDING.suffix)


def read_source(text: str, own: str | None) -> ComparedSource:
    """Read a run or a file; `own` names a run's kernels, None their strategy."""
    if text.isascii() and text.isdigit() and not os.path.exists(text):  # noqa: PTH110 - as long as it likes
        return source_of_run(f"run {text}", _kept_run(text), own)
    path = Path(text)
    match path.suffix:
        case RECORDING.suffix:
            result = read_recording(path).result
            if result is None:
                raise StoreError(verbatim(f"{path} holds a timing of locks and no run."))
            return source_of_run(text, result, own)
        case SWEEP.suffix:
            return _of_sweep(path)
        case ".json":
            return _of_benchmark(path)
    allowed = "take the number of a run, .lnrec, .lnsweep or .json"
    raise StoreError(verbatim(f"{text} cannot be compared: {allowed}."))


def _kept_run(number: str) -> RunResult:
    with history_of("compare") as history:
        (row,) = rows_of(history, [number])
        return history.runs.load(row.id)


def _of_sweep(path: Path) -> ComparedSource:
    results = [each for each in read_recorded_sweep(path).results if each.resolved is not None]
    found: dict[ComparedProblem, ComparedTimes] = {}
    for result in results:
        given = result.cell.request.launch.given().items() if not result.cell.peer else ()
        settings = [f"{name}={write_values((value,))}" for name, value in given]
        name = " ".join([result.cell.provider, *settings])
        shape = result.resolved.shape_text  # type: ignore[union-attr]  # those are left out above
        for each in result.figures if result.status == "ok" else ():
            case = ComparedProblem(shape, result.hardware, name, each.direction, each.mode)
            found[case] = ComparedTimes(each.samples_ms, each.settled)
    environment = results[0].environment if results else None
    return compared_source(str(path), environment, found)


def _of_benchmark(path: Path) -> ComparedSource:
    found = read_benchmark(path)
    environment = found.environment
    device = (environment.named_gpu if environment is not None else None) or "CPU"
    times = {
        ComparedProblem(
            wording.shape(row.m, row.n, row.dtype), device, row.provider, row.direction, row.mode
        ): ComparedTimes(samples, row.settled is not False)
        for row in found.rows
        if row.provider not in CEILINGS.values()
        and row.verdict != "wrong"
        and (samples := found.samples.get((row.n, row.provider, row.direction, row.mode)))
        is not None
    }
    return compared_source(str(path), environment, times)


def _line(each: Compared) -> tuple[str, ...]:
    case, change = each.case, each.change
    ends = (change.value, change.low, change.high) if change.is_known else (change.value,)
    percent = [wording.signed_percent(end - 1) for end in ends] + [wording.ABSENT] * (3 - len(ends))
    times = (wording.milliseconds(each.a.value), wording.milliseconds(each.b.value))
    return (
        case.problem,
        case.provider,
        case.direction,
        case.mode,
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
        "settled": each.settled,
        "judged": each.judged,
        "verdict": each.verdict,
    }

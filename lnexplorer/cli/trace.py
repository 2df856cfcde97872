"""`lnexplorer trace`: when every row wanted, held and released its lock, measured, simulated or recorded before."""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lnexplorer.cli.options import add_device_option, add_run_options, parse, read_request
from lnexplorer.cli.outcome import refuse, why_not_written
from lnexplorer.cli.status import FAILED, OK
from lnexplorer.cli.terminal import aligned, print_json, say, show
from lnexplorer.cli.trace_source import SOURCES, find_trace
from lnexplorer.domain import wording
from lnexplorer.domain.residents import ModelFacts, Origin, Residents
from lnexplorer.domain.timeline import summarize
from lnexplorer.report.chrome_trace import write_chrome_trace
from lnexplorer.report.documents import trace_document
from lnexplorer.store.files import reason
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim
from lnkernels.values.environment import KIND_HELP
from lnkernels.values.timeline import Clock, ReductionTimeline, TraceCost

DESCRIPTION = "Show when each row wanted its lock, held it and gave it back, and what stage 2 did."
EPILOG = (
    "simulated: by the model of an H200, or by one that is fitted to a recording, at another GROUP_SIZE_M or number of rows. "
    "recorded: as it is in FILE. Neither needs a GPU. Exit status: 0 there is a timeline; 2 the request is not possible; "
    "3 the worker, or writing a file, failed; 130 interrupted, 143 by SIGTERM, 129 by a hang-up."
)
SHOWN_ROWS = 16
LONG_GAP = 5  # times stage 2: such a gap is the host's


def main(arguments: list[str]) -> int:
    """Trace, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="lnexplorer trace", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("--source", choices=SOURCES, default=SOURCES[0], help="where the times come from. Default: measured.")
    parser.add_argument("--recording", metavar="FILE", type=Path, help="what is shown, or what the model is fitted to")
    parser.add_argument("--chrome", metavar="FILE", type=Path, help="write a trace for ui.perfetto.dev and chrome://tracing")
    text = (
        "of a simulation: programs of stage 1 on the device at once; if not given those of a recorded trace of the launch, "
        "in FILE or beside it, else by the compiled kernel"
    )
    parser.add_argument("--resident-programs", metavar="INT", help=text)
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout; all else goes to stderr")
    add_run_options(parser)
    add_device_option(parser)
    options = parse(parser, arguments)
    if options.chrome is not None and (why := why_not_written(options.chrome)):
        return refuse("trace", [Problem("chrome", str(options.chrome), verbatim(why))], as_json=options.json)
    request = read_request(options)
    if isinstance(request, list):
        return refuse("trace", request, as_json=options.json)
    traced = find_trace(options, request)
    if isinstance(traced, int):
        return traced
    # Whatever becomes of the file, the trace that was made is shown.
    written = options.chrome is None or _write_chrome(options.chrome, traced.timeline)
    if options.json:
        print_json(trace_document(traced.timeline, traced.title, traced.model), indent=None)
    else:
        show(trace_text(traced.timeline, traced.title, traced.model))
    return OK if written else FAILED


def _write_chrome(file: Path, timeline: ReductionTimeline) -> bool:
    try:
        write_chrome_trace(file, timeline)
    except OSError as error:
        say("trace", f"{file} cannot be written ({reason(error)}).")
        return False
    say("trace", f"saved as {file}; open it in ui.perfetto.dev or chrome://tracing")
    return True


def trace_text(
    timeline: ReductionTimeline,
    title: str | None = None,
    model: ModelFacts | None = None,
    *,
    shown_rows: int = SHOWN_ROWS,
) -> str:
    """A timeline for people: as many of its rows as are to be shown; the other arguments as those of `trace_document`."""
    parts = [_head(timeline, title), _figures(timeline), _clock(timeline)]
    if model is not None:
        parts.append(_model(model))
    if shown_rows:
        parts.append(_rows(timeline, shown_rows))
    return "\n\n".join(parts)


def cost_text(cost: TraceCost) -> str:
    """What recording cost, and what it must not be taken for."""
    traced, plain = _time(cost.traced_ns), _time(cost.plain_ns)
    return (
        f"Cost of recording: the backward pass takes {traced} instead of {plain} ({cost.share:+.1%}; medians of "
        f"{cost.repetitions}, in turns, L2 warm). It is no figure of a benchmark."
    )


def _head(timeline: ReductionTimeline, title: str | None) -> str:
    lines = [
        f"Locks of stage 1, {timeline.m} rows of {timeline.n} columns, GROUP_SIZE_M = {timeline.group_size_m}",
        f"{timeline.kind}: {KIND_HELP[timeline.kind]}",
    ]
    return "\n".join([*lines, *([f"recording: {title}"] if title else [])])


def _figures(timeline: ReductionTimeline) -> str:
    summary = summarize(timeline)
    if timeline.clock is Clock.STEPS:
        return "Programs ran one after another: there is an order of events, and nothing that could be called a time."
    parts = (
        ("compute", timeline.wanted_ns - timeline.start_ns),
        ("wait", timeline.held_ns - timeline.wanted_ns),
        ("hold", timeline.released_ns - timeline.held_ns),
    )
    table = aligned([("of a row", "mean", "median", "p95", "most"), *(_spread(name, times) for name, times in parts)])
    gap = f"gap {_time(summary.gap_ns)}"
    if summary.gap_ns > LONG_GAP * max(summary.stage2_ns, 1):
        gap += " (the host was still launching stage 2)"
    lines = [
        f"stage 1 {_time(summary.stage1_ns)}, {gap}, stage 2 {_time(summary.stage2_ns)}",
        f"rows wait for {wording.share(summary.share_waiting)} of their time",
        f"busiest lock: {summary.busiest_lock}, held for {wording.share(summary.busiest_lock_share)} of stage 1",
    ]
    if summary.tries_mean is not None:
        lines.append(f"tries until a row held its lock: {summary.tries_mean:.1f} on average")
    return "\n".join([table, *lines])


def _clock(timeline: ReductionTimeline) -> str:
    match timeline.clock:
        case Clock.TIMER:
            text = f"Times by the GPU's timer, which steps by {timeline.tick_ns:.0f} ns."
        case Clock.REFINED:
            text = f"Times by the GPU's timer and its SMs' clocks, which together tell {timeline.tick_ns:.0f} ns."
        case Clock.COARSE:
            text = f"Times by the GPU's timer, which steps by {timeline.tick_ns:.0f} ns; its SMs' clocks could not refine that."
        case Clock.MODEL:
            return "Times by the model."
        case Clock.STEPS:
            return "Steps are counted instead: 4 events a row, 2 a tile."
    if timeline.cost is not None:
        text += f"\n{cost_text(timeline.cost)}"
    return text


def _model(model: ModelFacts) -> str:
    parameters, error = model.parameters, model.error
    times = (parameters.compute_ns, parameters.hold_ns, parameters.hand_over_ns)
    compute, hold, attempt = (_time(time) for time in times)
    text = (
        f"model: {wording.counted(parameters.resident_programs, 'resident program')} on "
        f"{wording.counted(parameters.sm_count, 'SM')} {_origin(model.residents)};\n"
        f"compute {compute}, hold {hold}, "
        f"a try {attempt} while few wait, and {parameters.spin_ns:.2f} ns of the L2 cache's time for each that waits;\n"
        f"{parameters.arbitration} arbitration"
    )
    if error is not None:
        parts = (("stage 1", error.stage1), ("stage 2", error.stage2), ("mean wait", error.wait_mean))
        errors = ", ".join(f"{name} {value:+.1%}" for name, value in parts if value is not None)
        text += f"\nagainst {model.compared_with}: {errors}"
        if error.unrecorded_pass is not None:
            text += f"\nagainst the same pass without recording, both stages: {error.unrecorded_pass:+.1%}"
    return text


def _origin(residents: Residents) -> str:
    match residents.origin:
        case Origin.GIVEN:
            return "(as given)"
        case Origin.SEEN:
            return f"(seen in {residents.detail})"
        case Origin.COMPILED:
            return f"(SMs × occupancy of the kernel compiled for {residents.detail})"
        case Origin.FITTED:
            return f"(those of the recording; for this GROUP_SIZE_M they may be others: {residents.detail})"
        case Origin.GUESSED:
            return f"({residents.detail})"


def _rows(timeline: ReductionTimeline, most: int) -> str:
    names = ("row", "lock", "order", "SM", "tries", "start", "wanted", "held", "released")
    shown = range(min(timeline.m, most))
    lines = [
        tuple(
            wording.ABSENT if array is None else str(array[row])
            for array in (
                np.arange(timeline.m),
                timeline.lock,
                timeline.order,
                timeline.sm,
                timeline.tries,
                timeline.start_ns,
                timeline.wanted_ns,
                timeline.held_ns,
                timeline.released_ns,
            )
        )
        for row in shown
    ]
    unit = "step" if timeline.clock is Clock.STEPS else "ns"
    heads = tuple(f"{name} [{unit}]" if name in names[5:] else name for name in names)
    table = aligned([heads, *lines])
    left = timeline.m - len(shown)
    return f"{table}\n… and {left} more: --json has them all" if left else table


def _spread(name: str, times: NDArray[np.int64]) -> tuple[str, ...]:
    if times.size == 0:
        return (name, *[wording.ABSENT] * 4)
    figures = (times.mean(), np.median(times), np.percentile(times, 95), times.max())
    return (name, *(_time(float(figure)) for figure in figures))


def _time(ns: float) -> str:
    return wording.milliseconds(ns / 1e6)

"""`lnexplorer trace`: when every row wanted, held and released its lock, measured, simulated or
recorded before.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from lnexplorer.cli.commands import FAILED, OK, refusal
from lnexplorer.cli.jobs import do_jobs, gpu_count
from lnexplorer.cli.options import (
    CommandParser,
    Options,
    add_device_option,
    add_file,
    add_option,
    add_recording,
    add_run_options,
    end_if,
    read_request,
)
from lnexplorer.cli.providers import add_setting_option, read_providers
from lnexplorer.cli.terminal import Progress, aligned, print_json, say, show
from lnexplorer.cli.trace_text import trace_text, traces_text
from lnexplorer.domain.jobs import RunJob, TraceJob
from lnexplorer.domain.ranges import HOW, read_whole_numbers
from lnexplorer.domain.request import RunRequest, changed_fields, check_anywhere, resolve
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.simulation.prediction import (
    USUAL_ARCHITECTURE,
    Occupancy,
    Prediction,
    kernel_of,
    predict_by_table,
    predict_by_trace,
    programs_per_sm,
)
from lnexplorer.domain.timeline import prepare
from lnexplorer.domain.trace_difference import trace_difference
from lnexplorer.engine.supervisor import WorkerInTurn
from lnexplorer.protocol.messages import Broken, Finished
from lnexplorer.report.chrome_trace import write_chrome_trace
from lnexplorer.report.documents import trace_document
from lnexplorer.store.files import StoreError, unwritable
from lnexplorer.store.recordings import Recording, read_recording, seen_launches
from lnkernels.launch import limits_for_architecture
from lnkernels.launch.source import KernelSource
from lnkernels.values import Sentence, frozen_by_name, verbatim
from lnkernels.values.timeline import ReductionTimeline

DESCRIPTION = "Show when each row wanted its lock, held it and gave it back, and what stage 2 did."
EPILOG = f"""\
simulated: by the model of an H200, or by one that is fitted to a recording, at another GROUP_SIZE_M
or number of rows. recorded: as it is in FILE. Neither needs a GPU. Several values of --group-size-m
give a table, a line for each: {HOW}. Exit status: 0 there is a timeline; 2 the request is not
possible; 3 the worker, or writing a file, failed; 130 interrupted, 143 by SIGTERM, 129 by a
hang-up.
"""
SOURCES = ("measured", "simulated", "recorded")
MOST_ROWS = 1 << 20  # that are simulated
FITTED = (
    "m",
    "n",
    "group_size_m",
    "reduce_block_size_m",
    "reduce_block_size_n",
    "seed",
)  # what a fitted model is asked about


@frozen_by_name(eq=False)
class Traced:
    timeline: ReductionTimeline
    title: str | None = None  # of the recording
    model: Prediction | None = None  # of a simulation


def main(options: Options) -> int:
    options.check_file("chrome", options.chrome)
    sizes = _read_sizes(options)
    options.stamped = _read_kernel(options)
    request = read_request(options, [options.stamped] if options.stamped else [])
    requests = [request.changed(group_size_m=size) for size in sizes] or [request]
    end_if(options.problems or [problem for each in requests for problem in check_anywhere(each)])
    if options.source is None:
        options.source = (
            "measured"
            if options.device != "auto" or gpu_count() != 0 or options.stamped
            else "simulated"
        )
        options.source = "recorded" if options.recording is not None else options.source
    against = None if options.against is None else _read_against(options.against)
    traces = _find_traces(options, requests)
    traced = traces[0]
    difference = None
    if against is not None and traced.timeline.counted:
        say("trace", "without times it cannot be compared")
    elif against is not None:
        difference = trace_difference(against, traced.timeline)
    # Whatever becomes of the file, the trace that was made is shown.
    written = options.chrome is None or _write_chrome(options.chrome, traced.timeline)
    if options.json:
        documents = [
            trace_document(each.timeline, each.title, each.model, difference) for each in traces
        ]
        document = documents[0]
        if len(traces) > 1:
            shared = {name: document[name] for name in ("title", "kind", "m", "n")}
            document = {**shared, "traces": documents}
        print_json(document, indent=None)
    elif len(traces) > 1:
        show(traces_text([each.timeline for each in traces], traced.title))
    else:
        show(trace_text(traced.timeline, traced.title, traced.model))
        if difference is not None:
            table = aligned(difference.table(), right_from=1)
            show("\n".join(map(str, ("", difference.sentence(), table, *difference.lines()))))
    return OK if written else FAILED


def parser() -> CommandParser:
    made = CommandParser("trace", DESCRIPTION, EPILOG)
    text = (
        "where the times come from. Default: recorded with --recording, measured on a GPU, else"
        " simulated."
    )
    made.add_argument("--source", choices=SOURCES, help=text)
    add_recording(made, "--recording", "what is shown, or what the model is fitted to")
    text = "a recording A, beside which this trace is B: what grew, in which rows, and where"
    add_recording(made, "--against", text)
    add_file(made, "--chrome", "write a trace for ui.perfetto.dev and chrome://tracing")
    text = (
        "of a simulation: programs of stage 1 on the device at once; if not given those of a"
        " recorded trace of the launch, in FILE or beside it, else by the compiled kernel"
    )
    add_option(made, "--resident-programs", text, "INT")
    text = (
        "a kernel of your own, my_norm.py, that stamps its phases"
        " (lnkernels.language.stamps.stamp): those are shown"
    )
    made.add_argument("--provider", "--kernel", metavar="FILE", help=text)
    add_setting_option(made)
    add_run_options(made, unused=("repeats",))
    add_device_option(made)
    return made


def _read_sizes(options: Options) -> tuple[int, ...]:
    """Take several values of GROUP_SIZE_M out of the options; none where there is one."""
    text = options.group_size_m or ""
    if "," not in text and ":" not in text:
        return ()
    options.group_size_m = None
    allowed = "leave it out, or give --group-size-m one value"
    options.refuse_given(("chrome", "against", "provider"), allowed)
    return options.read_range("group_size_m", read_whole_numbers, text=text)


def _read_kernel(options: Options) -> KernelSource | None:
    """The kernel whose stamps are to be shown; None for the strategy's locks."""
    before = len(options.problems)
    names, kernels = read_providers(options, (), each=False)
    if options.provider is None or len(options.problems) > before:
        return None
    if len(names) != 1 or not kernels or not kernels[0].stamps:
        allowed = (
            "name one file that stamps its phases: from lnkernels.language.stamps import stamp"
        )
        options.refuse("provider", options.provider, allowed)
        return None
    if options.source not in (None, "measured"):
        options.refuse("source", options.source, "a kernel of your own is run: leave it out")
    return kernels[0]


def _write_chrome(file: Path, timeline: ReductionTimeline) -> bool:
    try:
        write_chrome_trace(file, timeline)
    except OSError as error:
        say("trace", unwritable(file, error))
        return False
    say("trace", f"saved as {file}; open it in ui.perfetto.dev or chrome://tracing")
    return True


def _find_traces(options: Options, requests: Sequence[RunRequest]) -> list[Traced]:
    """Return the timelines that the options ask for.

    Raises:
        CommandEnd: one has none.
        StoreError: the recording cannot be read, or has none.
    """
    for request in requests:
        _check(options, request)
    if options.recording is not None:
        return _of_recording(options, requests)
    if options.source == "simulated":
        return _simulated(options, requests)
    jobs = [TraceJob(request, options.stamped) for request in requests]
    found = do_jobs(jobs, ReductionTimeline, options.device)
    return [Traced(timeline=timeline) for timeline in found]


def _read_against(file: Path) -> ReductionTimeline:
    """Read the trace of a recording; StoreError where it has no times that could be compared."""
    recorded = read_recording(file).timeline
    if recorded is None or recorded.counted:
        raise StoreError(verbatim(f"{file} has no times that could be compared."))
    return recorded


def _of_recording(options: Options, requests: Sequence[RunRequest]) -> list[Traced]:
    recording = read_recording(options.recording)
    recorded = recording.timeline
    if recorded is None:
        raise StoreError(
            verbatim(f"{options.recording} holds a run without the timing of its locks.")
        )
    if options.source == "recorded":
        return [Traced(timeline=recorded, title=recording.title)]
    field, value = "recording", str(options.recording)
    if recorded.counted:
        allowed = (
            "take one that was made on a GPU: this one has an order of events and no times that a"
            " model could be fitted to"
        )
    elif requests[0].n is not None and requests[0].n != recorded.n:
        field, value = "n", str(requests[0].n)
        allowed = f"take {recorded.n}, that of the recording: its times hold for rows of this width"
    else:
        try:
            return _by_trace(options, requests, recording, recorded)
        except ValueError as error:  # its times are minutes a row
            allowed = f"take another, or fewer rows: by the model that is fitted to it, {error}"
    raise refusal(field, value, allowed)


def _check(options: Options, request: RunRequest) -> None:
    source, file, residents = options.source, options.recording, options.resident_programs
    if source == "recorded" and file is None:
        options.refuse("recording", "nothing", "name a FILE: --recording FILE")
    if source == "measured" and file is not None:
        options.refuse("recording", file, "it goes with --source recorded and --source simulated")
    for name, value in changed_fields(request).items():
        if source == "recorded":
            options.refuse(
                name, value, "leave it out: a recording has the launch that it was made with"
            )
        elif source == "simulated" and file is not None and name not in FITTED:
            options.refuse(name, value, "leave it out: the model is fitted to the recording's")
        elif source == "simulated" and name in ("eps", "data"):
            options.refuse(name, value, "leave it out: a model has no numbers")
    if source == "simulated" and request.strategy != "locked":
        options.refuse(
            "strategy", request.strategy, "choose locked: it is the strategy that has locks"
        )
    if source == "simulated" and request.m is not None and request.m > MOST_ROWS:
        options.refuse("m", request.m, f"at most {MOST_ROWS} rows are simulated")
    if residents is not None and source != "simulated":
        options.refuse("resident_programs", residents, "it goes with --source simulated")
    elif residents is not None:
        options.read_whole("resident_programs", 1, MOST_ROWS)
    options.end_if_refused()


def _by_trace(
    options: Options,
    requests: Sequence[RunRequest],
    recording: Recording,
    recorded: ReductionTimeline,
) -> list[Traced]:
    """Predict launches by the model that is fitted to a recording."""
    seen = [prepare(recorded, recording.title or options.recording.name)]
    launch, result, environment = recording.launch, recording.result, recording.environment
    if launch is not None:  # and those beside it of the same kernel on the same kind of GPU
        seen += seen_launches(options.recording.resolve().parent, kernel_of(launch, environment))
    architecture = "" if environment is None else environment.architecture
    if result is not None and result.compiled:
        architecture = result.compiled[0].architecture
    return _predicted(
        requests,
        lambda request, compiler: predict_by_trace(
            recorded, request, seen, launch, architecture, _given(options), compiler
        ),
        architecture,
        recording.title,
    )


def _simulated(options: Options, requests: Sequence[RunRequest]) -> list[Traced]:
    """Predict by the table of an H200, with the occupancy of the compiled kernel."""
    device, _, architecture = options.device.partition(":")
    named = architecture if device == "interpreter" else ""
    limits = limits_for_architecture(named or USUAL_ARCHITECTURE)
    return _predicted(
        requests,
        lambda request, compiler: predict_by_table(
            resolve(request, "cuda"), limits, _given(options), compiler
        ),
        limits.architecture,
    )


def _predicted(
    requests: Sequence[RunRequest],
    predict: Callable[[RunRequest, Occupancy], Prediction],
    architecture: str,
    title: str | None = None,
) -> list[Traced]:
    """Predict launches, with one worker that tells the occupancy of their kernels."""
    with WorkerInTurn(f"interpreter:{architecture}") as worker:
        found = [predict(request, partial(occupancy, worker)) for request in requests]
    return [Traced(timeline=each.model.timeline, title=title, model=each) for each in found]


def _given(options: Options) -> int | None:
    return None if options.resident_programs is None else int(options.resident_programs)


def occupancy(worker: WorkerInTurn, sample: RunRequest, architecture: str) -> int | Sentence:
    """Ask a worker that needs no GPU how many programs of stage 1 an SM holds; or why nobody
    knows.
    """
    Progress().line(
        f"Compiling stage 1 with GROUP_SIZE_M = {sample.launch.group_size_m} for {architecture} …"
    )
    match worker.do(RunJob(sample)):
        case Finished(RunResult() as result):
            known = programs_per_sm(result.compiled)
            if known is not None:
                return known
            return next(iter(result.notes), verbatim("The compiler told no occupancy."))
        case Broken(sentence=sentence):
            return sentence
        case _:
            return verbatim("The compiler was stopped.")

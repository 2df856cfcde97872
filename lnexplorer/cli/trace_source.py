"""Where the timeline of `lnexplorer trace` comes from."""

import argparse
import re
import sys
from dataclasses import dataclass

from lnexplorer.cli import status
from lnexplorer.cli.occupancy import compiled_occupancy
from lnexplorer.cli.options import read_request
from lnexplorer.cli.outcome import end_without_result, print_json, refuse
from lnexplorer.cli.progress import Progress
from lnexplorer.domain.request import RunRequest, changed_fields, resolve
from lnexplorer.domain.residents import ModelFacts, Origin, Residents, sample_run
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import simulate
from lnexplorer.report.trace_document import VERSION
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import Recording, read_recording
from lnkernels.launch import Problem, limits_for_architecture
from lnkernels.sentence import Sentence, say
from lnkernels.values.timeline import ReductionTimeline

USUAL_ARCHITECTURE = "sm_90"
MOST_ROWS = 1 << 20  # that are simulated


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Traced:
    """A timeline, and what is known about it."""

    timeline: ReductionTimeline
    title: str | None = None  # of the recording
    model: ModelFacts | None = None  # of a simulation


def get_traced(options: argparse.Namespace) -> Traced | int:
    """The timeline that the options ask for, or the exit status once it is said why there is none."""
    request = read_request(options)
    if isinstance(request, list):
        return refuse("trace", request, as_json=options.json)
    problems = _problems(options, request)
    if problems:
        return refuse("trace", problems, as_json=options.json)
    if options.recording is not None:
        return _of_recording(options, request)
    return _measured(options, request) if options.source == "measured" else _simulated(options, request)


def _of_recording(options: argparse.Namespace, request: RunRequest) -> Traced | int:
    recording = _read(options)
    if isinstance(recording, int):
        return recording
    assert recording.timeline is not None
    if options.source == "recorded":
        return Traced(timeline=recording.timeline, title=recording.title)
    if recording.timeline.counted:
        allowed = "take one that was made on a GPU: this one has an order of events and no times that a model could be fitted to"
        return refuse("trace", [Problem("recording", str(options.recording), allowed)], as_json=options.json)
    return _predicted(options, request, recording, recording.timeline)


def _problems(options: argparse.Namespace, request: RunRequest) -> list[Problem]:
    problems = []
    source, file = options.source, options.recording
    if source == "recorded" and file is None:
        problems.append(Problem("recording", "nothing", "name a FILE: --recording FILE"))
    if source == "measured" and file is not None:
        problems.append(Problem("recording", str(file), "it goes with --source recorded and --source simulated"))
    given = changed_fields(request)
    fitted = ("m", "n", "group_size_m", "reduce_block_size_m", "reduce_block_size_n", "seed")
    for name, value in given.items():
        if source == "recorded":
            problems.append(Problem(name, str(value), "leave it out: a recording has the launch that it was made with"))
        elif source == "simulated" and file is not None and name not in fitted:
            problems.append(Problem(name, str(value), "leave it out: the model is fitted to the recording's"))
    if source == "simulated" and request.strategy != "locked":
        problems.append(Problem("strategy", request.strategy, "choose locked: it is the strategy that has locks"))
    if source == "simulated" and request.m is not None and request.m > MOST_ROWS:
        problems.append(Problem("m", str(request.m), f"at most {MOST_ROWS} rows are simulated"))
    residents = options.resident_programs
    if residents is not None and source != "simulated":
        problems.append(Problem("resident_programs", residents, "it goes with --source simulated"))
    elif residents is not None and not (re.fullmatch("[0-9]{1,18}", residents) and 1 <= int(residents) <= MOST_ROWS):
        problems.append(Problem("resident_programs", residents, f"take an integer, 1 to {MOST_ROWS}"))
    return problems


def _read(options: argparse.Namespace) -> Recording | int:
    try:
        recording = read_recording(options.recording)
        if recording.timeline is None:
            raise StoreError(say("{path} holds a run without the timing of its locks.", path=str(options.recording)))
    except StoreError as error:
        print(f"lnexplorer trace: {error}", file=sys.stderr)
        if options.json:
            print_json({"schema_version": VERSION, "error": {"kind": "invalid", "cause": str(error)}})
        return status.INVALID
    return recording


def _measured(options: argparse.Namespace, request: RunRequest) -> Traced | int:
    from lnexplorer.domain.jobs import TraceJob
    from lnexplorer.engine.supervisor import run_to_end
    from lnexplorer.protocol.messages import Finished, Refused

    progress = Progress()
    outcome = run_to_end(TraceJob(request), options.device, progress.show)
    progress.clear()
    if isinstance(outcome, Finished) and isinstance(outcome.value, ReductionTimeline):
        return Traced(timeline=outcome.value)
    if isinstance(outcome, Refused) and progress.device is not None and progress.device.backend != "cuda":
        progress.line("Without a GPU: --source simulated, or --source recorded --recording FILE.")
    return end_without_result("trace", outcome, as_json=options.json, device=options.device)


def _predicted(
    options: argparse.Namespace, request: RunRequest, recording: Recording, recorded: ReductionTimeline
) -> Traced | int:
    """The model that is fitted to a recording, at the launch that is asked for."""
    if request.n is not None and request.n != recorded.n:
        allowed = f"take {recorded.n}, that of the recording: its times hold for rows of this width"
        return refuse("trace", [Problem("n", str(request.n), allowed)], as_json=options.json)
    from lnexplorer.cli.trace_prediction import predicted

    try:
        timeline, model = predicted(options, request, recording, recorded)
    except ValueError as error:  # its times are minutes a row
        allowed = f"take another, or fewer rows: by the model that is fitted to it, {error}"
        return refuse("trace", [Problem("recording", str(options.recording), allowed)], as_json=options.json)
    return Traced(timeline=timeline, title=recording.title, model=model)


def _simulated(options: argparse.Namespace, request: RunRequest) -> Traced | int:
    """The model from the table of an H200, with the occupancy of the compiled kernel."""
    architecture = options.device.partition(":")[2] if options.device.startswith("interpreter:") else USUAL_ARCHITECTURE
    limits = limits_for_architecture(architecture)
    resolved = resolve(request, "cuda")
    residents = _residents(options, request, architecture)
    parameters = default_model(resolved, residents.programs, limits.sm_count)
    launch = resolved.launch
    blocks = (launch.reduce_block_size_m, launch.reduce_block_size_n)
    timeline = simulate(resolved.m, resolved.n, launch.group_size_m, *blocks, parameters)
    return Traced(timeline=timeline, model=ModelFacts(parameters=parameters, residents=residents))


def _residents(options: argparse.Namespace, request: RunRequest, architecture: str) -> Residents:
    if options.resident_programs is not None:
        return Residents(programs=int(options.resident_programs), origin=Origin.GIVEN)
    limits, resolved = limits_for_architecture(architecture), resolve(request, "cuda")
    per_sm = compiled_occupancy(sample_run(resolved, resolved.launch.group_size_m), architecture)
    if isinstance(per_sm, Sentence):
        by_warps = max(min(limits.programs_per_sm, limits.warps_per_sm // resolved.launch.num_warps), 1)
        why = say("as many as their warps allow, as the kernels cannot be compiled here: {reason}", reason=per_sm)
        return Residents(programs=by_warps * limits.sm_count, origin=Origin.GUESSED, detail=why)
    return Residents(programs=per_sm * limits.sm_count, origin=Origin.COMPILED, detail=architecture)

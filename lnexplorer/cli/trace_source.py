"""Where the timeline of `lnexplorer trace` comes from: a GPU, a file, the model, or the model that is fitted to a file."""

import argparse
import re
from dataclasses import dataclass, replace

from lnexplorer.cli.outcome import end_without_result, refuse, refuse_file
from lnexplorer.cli.terminal import Progress
from lnexplorer.domain.jobs import TraceJob
from lnexplorer.domain.request import RunRequest, changed_fields, resolve
from lnexplorer.domain.residents import (
    ModelFacts,
    Origin,
    Residents,
    SeenLaunch,
    kernel_of,
    programs_per_sm,
    sample_run,
    sm_count_of,
)
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import error_of_summary, fit, predict, simulate
from lnexplorer.domain.simulation.fit import most_in_flight
from lnexplorer.domain.timeline import summarize
from lnexplorer.engine.supervisor import run_to_end, stage1_occupancy
from lnexplorer.protocol.messages import Finished, Refused
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import Recording, read_recording, seen_launches
from lnkernels.launch import Problem, limits_for_architecture
from lnkernels.sentence import Sentence, say, verbatim
from lnkernels.values.timeline import ReductionTimeline

SOURCES = ("measured", "simulated", "recorded")
USUAL_ARCHITECTURE = "sm_90"
MOST_ROWS = 1 << 20  # that are simulated


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Traced:
    """A timeline, and what is known about it."""

    timeline: ReductionTimeline
    title: str | None = None  # of the recording
    model: ModelFacts | None = None  # of a simulation


def find_trace(options: argparse.Namespace, request: RunRequest) -> Traced | int:
    """The timeline that the options ask for, or the exit status once it is said why there is none."""
    problems = _problems(options, request)
    if problems:
        return refuse("trace", problems, as_json=options.json)
    if options.recording is not None:
        return _of_recording(options, request)
    return _measured(options, request) if options.source == "measured" else _simulated(options, request)


def _of_recording(options: argparse.Namespace, request: RunRequest) -> Traced | int:
    try:
        recording = read_recording(options.recording)
        if recording.timeline is None:
            raise StoreError(say("{path} holds a run without the timing of its locks.", path=str(options.recording)))
    except StoreError as error:
        return refuse_file("trace", error, as_json=options.json)
    recorded = recording.timeline
    if options.source == "recorded":
        return Traced(timeline=recorded, title=recording.title)
    field, value = "recording", str(options.recording)
    if recorded.counted:
        allowed = "take one that was made on a GPU: this one has an order of events and no times that a model could be fitted to"
    elif request.n is not None and request.n != recorded.n:
        field, value = "n", str(request.n)
        allowed = f"take {recorded.n}, that of the recording: its times hold for rows of this width"
    else:
        try:
            return _predicted(options, request, recording, recorded)
        except ValueError as error:  # its times are minutes a row
            allowed = f"take another, or fewer rows: by the model that is fitted to it, {error}"
    return refuse("trace", [Problem(field, value, verbatim(allowed))], as_json=options.json)


def _problems(options: argparse.Namespace, request: RunRequest) -> list[Problem]:
    problems = []
    source, file = options.source, options.recording
    if source == "recorded" and file is None:
        problems.append(Problem("recording", "nothing", say("name a FILE: --recording FILE")))
    if source == "measured" and file is not None:
        problems.append(Problem("recording", str(file), say("it goes with --source recorded and --source simulated")))
    given = changed_fields(request)
    fitted = ("m", "n", "group_size_m", "reduce_block_size_m", "reduce_block_size_n", "seed")
    for name, value in given.items():
        if source == "recorded":
            problems.append(Problem(name, str(value), say("leave it out: a recording has the launch that it was made with")))
        elif source == "simulated" and file is not None and name not in fitted:
            problems.append(Problem(name, str(value), say("leave it out: the model is fitted to the recording's")))
    if source == "simulated" and request.strategy != "locked":
        problems.append(Problem("strategy", request.strategy, say("choose locked: it is the strategy that has locks")))
    if source == "simulated" and request.m is not None and request.m > MOST_ROWS:
        problems.append(Problem("m", str(request.m), say("at most {most} rows are simulated", most=MOST_ROWS)))
    residents = options.resident_programs
    if residents is not None and source != "simulated":
        problems.append(Problem("resident_programs", residents, say("it goes with --source simulated")))
    elif residents is not None and not (re.fullmatch("[0-9]{1,18}", residents) and 1 <= int(residents) <= MOST_ROWS):
        problems.append(Problem("resident_programs", residents, say("take an integer, 1 to {most}", most=MOST_ROWS)))
    return problems


def _measured(options: argparse.Namespace, request: RunRequest) -> Traced | int:

    progress = Progress()
    outcome = run_to_end(TraceJob(request), options.device, progress.show)
    progress.clear()
    if isinstance(outcome, Finished) and isinstance(outcome.value, ReductionTimeline):
        return Traced(timeline=outcome.value)
    if isinstance(outcome, Refused) and progress.device is not None and progress.device.backend != "cuda":
        progress.line("Without a GPU: --source simulated, or --source recorded --recording FILE.")
    return end_without_result("trace", outcome, as_json=options.json, device=options.device)


def _predicted(options: argparse.Namespace, request: RunRequest, recording: Recording, recorded: ReductionTimeline) -> Traced:
    """What the model that is fitted to a recording says of the launch that is asked for.

    Args:
        options: of them the recording's path and the number of resident programs count.
        request: with the recording's width, or None for it.
        recording: with a timeline.
        recorded: its timeline.
    """
    m, group_size_m = request.m or recorded.m, request.launch.group_size_m or recorded.group_size_m
    launches = _seen(options, recording, recorded)
    same = [launch for launch in launches if launch.group_size_m == group_size_m]
    residents = _fitted_residents(options, recording, recorded, m, group_size_m, same)
    architecture = _architecture(recording) or ""
    parameters = replace(fit(recorded, residents.programs, sm_count_of(recorded, architecture)), seed=request.seed)
    timeline = predict(
        parameters,
        m,
        recorded.n,
        group_size_m,
        request.launch.reduce_block_size_m or recorded.tile_block_m,
        request.launch.reduce_block_size_n or recorded.tile_block_n,
    )
    measured = next((launch for launch in same if launch.is_of(timeline)), None)
    model = ModelFacts(
        parameters=parameters,
        residents=residents,
        compared_with=None if measured is None else measured.title,
        error=None if measured is None else error_of_summary(measured.summary, summarize(timeline), measured.cost),
    )
    return Traced(timeline=timeline, title=recording.title, model=model)


def _seen(options: argparse.Namespace, recording: Recording, recorded: ReductionTimeline) -> list[SeenLaunch]:
    """The recording's own trace, and those beside it of the same kernel on the same kind of GPU."""
    own = SeenLaunch.of(recording.title or options.recording.name, recorded)
    if recording.launch is None:
        return [own]
    kernel = kernel_of(recording.launch, recording.environment)
    return [own, *seen_launches(options.recording.resolve().parent, kernel)]


def _fitted_residents(
    options: argparse.Namespace,
    recording: Recording,
    recorded: ReductionTimeline,
    m: int,
    group_size_m: int,
    same: list[SeenLaunch],
) -> Residents:
    if options.resident_programs is not None:
        return Residents(programs=int(options.resident_programs), origin=Origin.GIVEN)
    for launch in same:
        if launch.tells_of(m):
            return Residents(programs=launch.programs, origin=Origin.SEEN, detail=launch.title)
    architecture, asked = _architecture(recording), recording.launch
    if architecture is None or asked is None:
        why = say("the recording does not say what it was made with")
        return Residents(programs=most_in_flight(recorded), origin=Origin.FITTED, detail=why)
    compiled = recording.result.compiled if recording.result is not None and group_size_m == recorded.group_size_m else ()
    per_sm: int | Sentence | None = programs_per_sm(compiled)
    if per_sm is None:
        per_sm = _compiled_occupancy(sample_run(asked, group_size_m), architecture)
    if isinstance(per_sm, Sentence):
        return Residents(programs=most_in_flight(recorded), origin=Origin.FITTED, detail=per_sm)
    programs = per_sm * sm_count_of(recorded, architecture)
    return Residents(programs=programs, origin=Origin.COMPILED, detail=architecture)


def _architecture(recording: Recording) -> str | None:
    result, environment = recording.result, recording.environment
    if result is not None and result.compiled:
        return result.compiled[0].architecture
    capability = None if environment is None else environment.compute_capability
    return None if capability is None else f"sm_{capability[0]}{capability[1]}"


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
    per_sm = _compiled_occupancy(sample_run(resolved, resolved.launch.group_size_m), architecture)
    if isinstance(per_sm, Sentence):
        by_warps = max(min(limits.programs_per_sm, limits.warps_per_sm // resolved.launch.num_warps), 1)
        why = say("as many as their warps allow, as the kernels cannot be compiled here: {reason}", reason=per_sm)
        return Residents(programs=by_warps * limits.sm_count, origin=Origin.GUESSED, detail=why)
    return Residents(programs=per_sm * limits.sm_count, origin=Origin.COMPILED, detail=architecture)


def _compiled_occupancy(sample: RunRequest, architecture: str) -> int | Sentence:
    """Programs of stage 1 per SM, asked of the compiler, or why they are not known; with a word to whoever waits."""
    Progress().line(f"Compiling stage 1 with GROUP_SIZE_M = {sample.launch.group_size_m} for {architecture} …")
    return stage1_occupancy(sample, architecture)

"""The model that is fitted to a recording, at another GROUP_SIZE_M or number of rows: `lnexplorer trace --recording FILE`."""

import argparse
from dataclasses import replace

from lnexplorer.cli.occupancy import compiled_occupancy
from lnexplorer.domain.request import RunRequest
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
from lnexplorer.domain.simulation import error_of_summary, fit, predict
from lnexplorer.domain.simulation.fit import most_in_flight
from lnexplorer.domain.timeline_summary import summarize
from lnexplorer.store.recordings import Recording, seen_launches
from lnkernels.sentence import Sentence, say
from lnkernels.values.timeline import ReductionTimeline


def predicted(
    options: argparse.Namespace, request: RunRequest, recording: Recording, recorded: ReductionTimeline
) -> tuple[ReductionTimeline, ModelFacts]:
    """What the model that is fitted to a recording says of the launch that is asked for.

    Args:
        options: of them the recording's path and the number of resident programs count.
        request: with the recording's width, or None for it.
        recording: with a timeline.
        recorded: its timeline.
    """
    m, group_size_m = request.m or recorded.m, request.group_size_m or recorded.group_size_m
    launches = _seen(options, recording, recorded)
    same = [launch for launch in launches if launch.group_size_m == group_size_m]
    residents = _residents(options, recording, recorded, m, group_size_m, same)
    architecture = _architecture(recording) or ""
    parameters = replace(fit(recorded, residents.programs, sm_count_of(recorded, architecture)), seed=request.seed)
    timeline = predict(
        parameters,
        m,
        recorded.n,
        group_size_m,
        request.reduce_block_size_m or recorded.tile_block_m,
        request.reduce_block_size_n or recorded.tile_block_n,
    )
    measured = next((launch for launch in same if launch.is_of(timeline)), None)
    return timeline, ModelFacts(
        parameters=parameters,
        residents=residents,
        compared_with=None if measured is None else measured.title,
        error=None if measured is None else error_of_summary(measured.summary, summarize(timeline), measured.cost),
    )


def _seen(options: argparse.Namespace, recording: Recording, recorded: ReductionTimeline) -> list[SeenLaunch]:
    """The recording's own trace, and those beside it of the same kernel on the same kind of GPU."""
    own = SeenLaunch.of(recording.title or options.recording.name, recorded)
    if recording.launch is None:
        return [own]
    kernel = kernel_of(recording.launch, recording.environment)
    return [own, *seen_launches(options.recording.resolve().parent, kernel)]


def _residents(
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
        per_sm = compiled_occupancy(sample_run(asked, group_size_m), architecture)
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

"""Reads the recordings and runs the simulations of the lecture; no Qt, so that another thread can."""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from lnexplorer.domain.lecture.material import Material, RecordedCase, RecordedStrategies, growth
from lnexplorer.domain.timeline import most_in_flight, summarize
from lnexplorer.store.resources import resource
from lnkernels.sentence import say
from lnkernels.values.timeline import ReductionTimeline, TraceCost

# By GROUP_SIZE_M, the one with the most buffers first: the simulation is about the same launch.
RECORDINGS = {256: "recordings/h200_4096x1024_g256.lnrec", 16: "recordings/h200_4096x1024_g16.lnrec"}
# The same launch with other numbers of buffers, for the chart.
OTHERS = tuple(f"recordings/h200_4096x1024_g{size}.lnrec" for size in (128, 64, 32, 8, 4, 2, 1))
STRATEGIES = "recordings/h200_strategies.lnexperiment"
REST_S = 0.002  # between two simulations, for the event loop


def load_material(
    material: Material,
    paths: dict[int, Path],
    rest: Callable[[], None] = lambda: None,
    others: Iterable[Path] = (),
    strategies: Path | None = None,
) -> Material:
    """The material with what the files hold, and with the simulation of the launch that was recorded.

    Where a recording cannot be read, `problem` says why, and what needs it is not there.

    Args: material: what is in hand already. paths: recordings by GROUP_SIZE_M; the launch of the first one that can be
        read is simulated. rest: called between two pieces of work. others: recordings of the same launch with other
        numbers of buffers, of which only the time of stage 1 is taken, and
            what it cost to record it.
            One that cannot be read is a point less on a chart.
        strategies: the recorded experiment of that name.
    """
    from lnexplorer.store.files import StoreError
    from lnexplorer.store.recordings import read_recording

    for group_size_m, path in paths.items():
        try:
            recording = read_recording(path)
        except StoreError as error:
            material = replace(material, problem=error.sentence)
            continue
        timeline, result = recording.timeline, recording.result
        if timeline is None or result is None or timeline.m == 0:
            material = replace(material, problem=say("{path} holds no run with the times of its locks.", path=str(path)))
            continue
        environment = result.provenance.environment
        case = RecordedCase(timeline=timeline, summary=summarize(timeline), gpu=environment.gpu or "GPU", date=environment.date)
        material = replace(
            material,
            recorded={**material.recorded, group_size_m: case},
            stage1_ns={**material.stage1_ns, group_size_m: case.summary.stage1_ns},
            costs=_with_cost(material, timeline, group_size_m),
        )
        if material.request is None:
            kernel = next((facts for facts in result.compiled if facts.name == "backward_stage1"), None)
            if kernel is None or kernel.occupancy is None:
                material = replace(material, problem=say("{path} does not say how many programs run at once.", path=str(path)))
                continue
            sm_count = int(timeline.sm.max()) + 1
            resident = kernel.occupancy.programs_per_sm * sm_count
            material = replace(material, request=result.resolved, sm_count=sm_count, resident_programs=resident)
        rest()
    for path in others:
        material = _with_time(material, path)
        rest()
    if material.request is not None:
        points = growth(material.request, material.resident_programs, material.sm_count, rest, material.residents)
        material = replace(material, growth=points)
    if strategies is not None:
        material = _with_strategies(material, strategies)
        rest()
    return material


def _with_time(material: Material, path: Path) -> Material:
    from lnexplorer.store.files import StoreError
    from lnexplorer.store.recordings import read_recording

    try:
        recording = read_recording(path)
    except StoreError:
        return material
    timeline, result, request = recording.timeline, recording.result, material.request
    if timeline is None or result is None or request is None or timeline.m == 0:
        return material
    own, launch = result.resolved, request.launch
    same = replace(own, launch=replace(own.launch, group_size_m=launch.group_size_m)) == replace(request, seed=own.seed)
    if not same:
        return material
    size = timeline.group_size_m
    return replace(
        material,
        stage1_ns={**material.stage1_ns, size: summarize(timeline).stage1_ns},
        costs=_with_cost(material, timeline, size),
        residents={**material.residents, size: most_in_flight(timeline)},
    )


def _with_cost(material: Material, timeline: ReductionTimeline, group_size_m: int) -> dict[int, TraceCost]:
    return material.costs if timeline.cost is None else {**material.costs, group_size_m: timeline.cost}


def _with_strategies(material: Material, path: Path) -> Material:
    from lnexplorer.store.files import StoreError
    from lnexplorer.store.recordings import read_experiment

    try:
        result = read_experiment(path)
    except StoreError as error:
        return replace(material, problem=material.problem or error.sentence)
    found = result.strategies
    if found is None or not found.timelines():
        return replace(material, problem=material.problem or say("{path} holds no times of strategies.", path=str(path)))
    environment = result.provenance.environment
    raced = RecordedStrategies(
        timelines=found.timelines(),
        m=result.resolved.m,
        n=result.resolved.n,
        gpu=environment.gpu or "GPU",
        date=environment.date,
    )
    return replace(material, strategies=raced)


def load_shipped(material: Material) -> Material:
    """The material with what the program's own recordings hold; the event loop has its turn between two pieces of work."""
    paths = {group_size_m: resource(name) for group_size_m, name in RECORDINGS.items()}
    others = [resource(name) for name in OTHERS]
    return load_material(material, paths, lambda: time.sleep(REST_S), others, resource(STRATEGIES))

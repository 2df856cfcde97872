"""What a folder of recordings holds, each file with as much as its card in a gallery shows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.charts.speed_chart import provider_colour
from lnexplorer.gui.charts.sweep_chart import OverlayLine
from lnexplorer.gui.charts.sweep_table import SweepTable, View
from lnexplorer.report.benchmark_file import read_benchmark
from lnexplorer.report.overlays import BENCHMARKS, PUBLISHED, overlays_of
from lnexplorer.store.archive import EXPERIMENT, RECORDING, SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import (
    RecordedSweep,
    read_experiment,
    read_recorded_sweep,
    read_recording,
)
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.sentence import Sentence, sentence_of
from lnkernels.values.timeline import ReductionTimeline

GROUPS = (
    "traces",
    "numbers",
    "counters",
    "speeds",
    "experiments",
    "damaged",
)  # in the order in which they are shown
STRETCHES = 80  # of a kernel's code, in the picture of its samples
PATTERNS = (*(f"*{kind.suffix}" for kind in (RECORDING, SWEEP, EXPERIMENT)), BENCHMARKS, PUBLISHED)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Exhibit:
    """One file. Of timeline, curves, grid and experiment, there is what it holds; where it cannot
    be read, `trouble` says why.
    """

    path: Path
    group: str  # of GROUPS
    place: tuple[int, ...] = ()  # in its group
    title: str
    gpu: str = ""
    date: str = ""  # ISO 8601
    kind: Kind | None = None
    timeline: ReductionTimeline | None = None
    curves: tuple[
        OverlayLine, ...
    ] = ()  # GB/s against N, or against what a sweep varies; of counters the samples of the code
    grid: NDArray[np.float64] | None = (
        None  # of a sweep over two parameters, as `sketch_of` makes it
    )
    sweep: bool = False
    experiment: str = ""  # of EXPERIMENTS
    trouble: Sentence | None = None


def files_in(folder: Path) -> list[Path]:
    return sorted({path for pattern in PATTERNS for path in folder.glob(pattern)})


def read_exhibit(path: Path) -> Exhibit:
    """What one file holds. A file that is damaged, foreign, newer or gone is an exhibit, too: its
    trouble is a sentence.
    """
    try:
        return _reader(path)(path)
    except (StoreError, OSError) as error:
        sentence = sentence_of(error)
        values = tuple(
            (name, path.name if value == str(path) else value) for name, value in sentence.values
        )
        return Exhibit(
            path=path, group="damaged", title=path.name, trouble=replace(sentence, values=values)
        )


def _reader(path: Path) -> Callable[[Path], Exhibit]:
    archives = {
        RECORDING.suffix: _of_recording,
        SWEEP.suffix: _of_sweep,
        EXPERIMENT.suffix: _of_experiment,
    }
    return archives.get(path.suffix, _of_published if path.name == PUBLISHED else _of_benchmark)


def _of_recording(path: Path) -> Exhibit:
    found = read_recording(path)
    result, timeline = found.result, found.timeline
    numbers = result is not None and result.correctness.partial_rows is not None
    counted = result is not None and bool(result.counters)
    size = (0, 0, 0) if timeline is None else (timeline.group_size_m, timeline.m, timeline.n)
    return Exhibit(
        path=path,
        group="numbers" if numbers else "counters" if counted and timeline is None else "traces",
        place=size,
        title=found.title,
        gpu=_gpu(found.environment),
        date=found.date,
        kind=(
            result.provenance.kind
            if result is not None
            else timeline.kind
            if timeline is not None
            else None
        ),
        timeline=timeline,
        curves=_samples(result) if result is not None and timeline is None else (),
    )


def _samples(result: RunResult) -> tuple[OverlayLine, ...]:
    """How often warps of stage 1 were seen in each stretch of its machine code."""
    colour = provider_colour(result.resolved.launch.strategy)
    stage1 = [each for each in result.counters if each.name == "backward_stage1"]
    stretches = [
        np.array([part.sum() for part in np.array_split(each.samples, STRETCHES)], float)
        for each in stage1
    ]
    return tuple(
        OverlayLine("", colour, np.arange(len(each), dtype=float), each) for each in stretches
    )


def _of_experiment(path: Path) -> Exhibit:
    found = read_experiment(path)
    environment = found.provenance.environment
    return Exhibit(
        path=path,
        group="experiments",
        place=(EXPERIMENTS.index(found.request.name),),
        title=wording.shape(found.resolved.m, found.resolved.n, found.resolved.dtype),
        gpu=_gpu(environment),
        date=environment.date,
        kind=found.provenance.kind,
        experiment=found.request.name,
    )


def _of_sweep(path: Path) -> Exhibit:
    found = read_recorded_sweep(path)
    curves, grid = sketch_of(found)
    return Exhibit(
        path=path,
        group="speeds",
        place=(0,),
        title=found.title,
        gpu=", ".join(
            dict.fromkeys(gpu for result in found.results if (gpu := _gpu(result.environment)))
        ),
        date=found.date,
        kind=found.results[0].kind,
        curves=curves,
        grid=grid,
        sweep=True,
    )


def _of_benchmark(path: Path) -> Exhibit:
    found = read_benchmark(path)
    environment, rows = found.environment, found.rows
    shapes = dict.fromkeys((row.m, row.dtype) for row in rows)
    return Exhibit(
        path=path,
        group="speeds",
        title=", ".join(f"M = {m}, {dtype}" for m, dtype in shapes),
        gpu=_gpu(environment),
        date=environment.date if environment is not None else "",
        kind=Kind.RECORDED,
        curves=_curves(path),
    )


def _of_published(path: Path) -> Exhibit:
    return Exhibit(
        path=path,
        group="speeds",
        place=(1,),
        title="M = 4096, float16",
        kind=Kind.PUBLISHED,
        curves=_curves(path),
    )


def _curves(path: Path) -> tuple[OverlayLine, ...]:
    """The backward pass as it is looked at first: the first way of calling that has figures."""
    overlays = sorted(overlays_of(path), key=lambda overlay: overlay.direction != "backward")
    return tuple(
        OverlayLine(
            curve.provider, provider_colour(curve.provider), np.array(curve.x), np.array(curve.y)
        )
        for curve in (overlays[0].curves if overlays else ())
    )


def _gpu(environment: Environment | None) -> str:
    return (environment.named_gpu if environment is not None else None) or ""


def sketch_of(
    recorded: RecordedSweep,
) -> tuple[tuple[OverlayLine, ...], NDArray[np.float64] | None]:
    """Lines, or a map: [second axis, first axis] from 0 to 1, the best; NaN where there is no
    value.

    They are GB/s of the backward pass where it was timed, else of the other; of rows without speeds
    the largest error of dw and db.
    """
    sweep, table = recorded.sweep, SweepTable(recorded.sweep, recorded.results)
    direction = "backward" if "backward" in sweep.directions else sweep.directions[0]
    view = View("gbps" if table.timed else "error", direction, sweep.modes[0])
    if table.is_map:
        values = table.grid(view, table.subjects()[0], {}).values
        values = values if table.timed else -values
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        return (), np.divide(values - low, (high - low) or 1.0)
    known = [(line, np.isfinite(line.y)) for line in table.lines(view)]
    return (
        tuple(
            OverlayLine(line.label, line.colour, line.x[there], line.y[there])
            for line, there in known
        ),
        None,
    )

"""Reads the files of a folder of recordings, each as far as its card in the gallery shows it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.views import SweepTable, View
from lnexplorer.gui.charts.speed_chart import provider_colour
from lnexplorer.gui.charts.sweep_chart import OverlayLine
from lnexplorer.gui.charts.sweep_pictures import setting_grid, sweep_lines
from lnexplorer.gui.session.files import recording_title
from lnexplorer.report.benchmark_file import read_benchmark
from lnexplorer.report.overlays import BENCHMARKS, PUBLISHED, PUBLISHED_PROBLEM, overlays_of
from lnexplorer.store.archive import EXPERIMENT, RECORDING, SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import (
    RecordedSweep,
    read_experiment,
    read_recorded_sweep,
    read_recording,
)
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.sentence import Sentence, join_sentences, say, sentence_of, verbatim
from lnkernels.values.timeline import ReductionTimeline

# In the order in which they are shown.
GROUPS = ("traces", "numbers", "counters", "speeds", "experiments", "damaged")
STRETCHES = 80  # of a kernel's code, in the picture of its samples
PATTERNS = (*(f"*{kind.suffix}" for kind in (RECORDING, SWEEP, EXPERIMENT)), BENCHMARKS, PUBLISHED)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Exhibit:
    """A file of the gallery, with the timeline, curves and grid that it holds; where it cannot be
    read, `trouble` says why.
    """

    path: Path
    group: str  # of GROUPS
    place: tuple[int, ...] = ()  # in its group
    title: Sentence
    source: Sentence | str = ""  # GPU and date
    kind: Kind | None = None
    timeline: ReductionTimeline | None = None
    # GB/s against N, or against what a sweep varies; of counters the samples of the code.
    curves: tuple[OverlayLine, ...] = ()
    grid: NDArray[np.float64] | None = None  # of a sweep over two parameters, see `sketch_of`
    trouble: Sentence | None = None

    @property
    def duration_ns(self) -> float:
        """Time of both stages; 0 where none was recorded, or steps were counted instead."""
        timeline = self.timeline
        return 0.0 if timeline is None or timeline.counted else float(timeline.end_ns)


def files_in(folder: Path) -> list[Path]:
    return sorted({path for pattern in PATTERNS for path in folder.glob(pattern)})


def read_exhibit(path: Path) -> Exhibit:
    """Read a file. One that is damaged, foreign, newer or gone is an exhibit with a trouble."""
    try:
        return _reader(path)(path)
    except (StoreError, OSError) as error:
        sentence = sentence_of(error)
        values = tuple(
            (name, path.name if value == str(path) else value) for name, value in sentence.values
        )
        trouble = replace(sentence, values=values)
        return Exhibit(
            path=path, group="damaged", title=verbatim(path.name), source=trouble, trouble=trouble
        )


def _reader(path: Path) -> Callable[[Path], Exhibit]:
    archives = {
        RECORDING.suffix: _of_recording,
        SWEEP.suffix: _of_sweep,
        EXPERIMENT.suffix: _of_experiment,
    }
    return archives.get(path.suffix, _of_published if path.name == PUBLISHED else _of_benchmark)


def _of_recording(path: Path) -> Exhibit:
    recording = read_recording(path)
    result, timeline = recording.result, recording.timeline
    group, kind = "traces", timeline.kind if timeline is not None else None
    curves: tuple[OverlayLine, ...] = ()
    if result is not None:
        kind = result.provenance.kind
        if result.correctness.partial_rows is not None:
            group = "numbers"
        elif result.counters and timeline is None:
            group = "counters"
        curves = _samples(result) if timeline is None else ()
    size = (0, 0, 0) if timeline is None else (timeline.group_size_m, timeline.m, timeline.n)
    gpu = _gpu(recording.environment)
    title = recording.title.removesuffix(f", {gpu}") if gpu else recording.title
    return Exhibit(
        path=path,
        group=group,
        place=size,
        title=verbatim(title) if timeline is None else recording_title(title),
        source=_source(gpu, recording.date),
        kind=kind,
        timeline=timeline,
        curves=curves,
    )


def _samples(result: RunResult) -> tuple[OverlayLine, ...]:
    """Return how often warps of stage 1 were seen in each stretch of its machine code."""
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
    result = read_experiment(path)
    environment, on, name = result.provenance.environment, result.resolved, result.request.name
    shape = verbatim(wording.shape(on.m, on.n, on.dtype))
    return Exhibit(
        path=path,
        group="experiments",
        place=(list(EXPERIMENTS).index(name),),
        title=join_sentences((EXPERIMENTS[name].title, shape), verbatim(": ")),
        source=_source(_gpu(environment), environment.date),
        kind=result.provenance.kind,
    )


def _of_sweep(path: Path) -> Exhibit:
    sweep = read_recorded_sweep(path)
    curves, grid = sketch_of(sweep)
    gpus = dict.fromkeys(_gpu(result.environment) for result in sweep.results)
    return Exhibit(
        path=path,
        group="speeds",
        place=(0,),
        title=say("Sweep: {title}", title=sweep.title),
        source=_source(", ".join(filter(None, gpus)), sweep.date),
        kind=sweep.results[0].kind,
        curves=curves,
        grid=grid,
    )


def _of_benchmark(path: Path) -> Exhibit:
    benchmark = read_benchmark(path)
    environment = benchmark.environment
    shapes = dict.fromkeys(f"M = {row.m}, {row.dtype}" for row in benchmark.rows)
    return Exhibit(
        path=path,
        group="speeds",
        title=say("Benchmark over N: {problem}", problem=", ".join(shapes)),
        source=_source(_gpu(environment), environment.date if environment is not None else ""),
        kind=Kind.RECORDED,
        curves=_curves(path),
    )


def _of_published(path: Path) -> Exhibit:
    return Exhibit(
        path=path,
        group="speeds",
        place=(1,),
        title=say("Triton's documentation, backward: {problem}", problem=PUBLISHED_PROBLEM),
        source=say("its GPU is not named"),
        kind=Kind.PUBLISHED,
        curves=_curves(path),
    )


def _curves(path: Path) -> tuple[OverlayLine, ...]:
    """Return curves of the backward pass, of the first way of calling that has figures."""
    overlays = sorted(overlays_of(path), key=lambda overlay: overlay.direction != "backward")
    return tuple(
        OverlayLine(
            curve.provider, provider_colour(curve.provider), np.array(curve.x), np.array(curve.y)
        )
        for curve in (overlays[0].curves if overlays else ())
    )


def _gpu(environment: Environment | None) -> str:
    return (environment.named_gpu if environment is not None else None) or ""


def _source(gpu: str, date: str) -> str:
    return " · ".join(filter(None, (gpu, date[:10])))


def sketch_of(
    recorded: RecordedSweep,
) -> tuple[tuple[OverlayLine, ...], NDArray[np.float64] | None]:
    """Return lines, or a map [second axis, first axis] from 0 to 1, the best; NaN for no value.

    They are GB/s of the backward pass where it was timed, else of the other; of rows without speeds
    the largest error of dw and db.
    """
    sweep, table = recorded.sweep, SweepTable(recorded.sweep, recorded.results)
    direction = "backward" if "backward" in sweep.directions else sweep.directions[0]
    view = View("gbps" if table.timed else "error", direction, sweep.modes[0])
    if table.is_map:
        values = setting_grid(table, view, table.subjects()[0], {}).values
        values = values if table.timed else -values
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        return (), np.divide(values - low, (high - low) or 1.0)
    known = [(line, np.isfinite(line.y)) for line in sweep_lines(table, view)]
    return (
        tuple(
            OverlayLine(line.label, line.colour, line.x[there], line.y[there])
            for line, there in known
        ),
        None,
    )

"""What a folder of recordings holds, each file with as much as its card in a gallery shows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain import wording
from lnexplorer.domain.benchmark import BenchmarkRow
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.domain.measuring import PROBLEM_NAMES
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import Curve
from lnexplorer.report.benchmark_file import read_benchmark
from lnexplorer.store import published
from lnexplorer.store.archive import EXPERIMENT, RECORDING, SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.recorded_sweep import RecordedSweep, read_recorded_sweep
from lnexplorer.store.recordings import read_experiment, read_recording
from lnkernels.sentence import Sentence, sentence_of
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.figures import CEILINGS
from lnkernels.values.timeline import ReductionTimeline

GROUPS = ("traces", "numbers", "speeds", "experiments", "damaged")  # in the order in which they are shown
BENCHMARKS, PUBLISHED = "*bench*.json", Path(published.NAME).name
PATTERNS = (*(f"*{kind.suffix}" for kind in (RECORDING, SWEEP, EXPERIMENT)), BENCHMARKS, PUBLISHED)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Exhibit:
    """One file. Of timeline, curves, grid and experiment, there is what it holds; where it cannot be read, `trouble`
    says why.
    """

    path: Path
    group: str  # of GROUPS
    place: tuple[int, ...] = ()  # in its group
    title: str
    gpu: str = ""
    date: str = ""  # ISO 8601
    kind: Kind | None = None
    timeline: ReductionTimeline | None = None
    curves: tuple[Curve, ...] = ()  # GB/s against N, or against what a sweep varies
    grid: NDArray[np.float64] | None = None  # of a sweep over two parameters, as `sketch_of` makes it
    sweep: bool = False
    experiment: str = ""  # of EXPERIMENTS
    trouble: Sentence | None = None


def files_in(folder: Path) -> list[Path]:
    return sorted({path for pattern in PATTERNS for path in folder.glob(pattern)})


def read_exhibit(path: Path) -> Exhibit:
    """What one file holds. A file that is damaged, foreign, newer or gone is an exhibit, too: its trouble is a
    sentence.
    """
    try:
        return _reader(path)(path)
    except (StoreError, OSError) as error:
        sentence = sentence_of(error)
        values = tuple((name, path.name if value == str(path) else value) for name, value in sentence.values)
        return Exhibit(path=path, group="damaged", title=path.name, trouble=replace(sentence, values=values))


def _reader(path: Path) -> Callable[[Path], Exhibit]:
    archives = {RECORDING.suffix: _of_recording, SWEEP.suffix: _of_sweep, EXPERIMENT.suffix: _of_experiment}
    return archives.get(path.suffix, _of_published if path.name == PUBLISHED else _of_benchmark)


def _of_recording(path: Path) -> Exhibit:
    found = read_recording(path)
    result, timeline = found.result, found.timeline
    numbers = result is not None and result.correctness.partial_rows is not None
    size = (0, 0, 0) if timeline is None else (timeline.group_size_m, timeline.m, timeline.n)
    return Exhibit(
        path=path,
        group="numbers" if numbers else "traces",
        place=size,
        title=found.title,
        gpu=_gpu(found.environment),
        date=found.date,
        kind=result.provenance.kind if result is not None else timeline.kind if timeline is not None else None,
        timeline=timeline,
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
        gpu=", ".join(dict.fromkeys(gpu for result in found.results if (gpu := _gpu(result.environment)))),
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
        curves=_curves(rows),
    )


def _of_published(path: Path) -> Exhibit:
    return Exhibit(
        path=path,
        group="speeds",
        place=(1,),
        title="M = 4096, float16",
        kind=Kind.PUBLISHED,
        curves=published.published_curves(),
    )


def _curves(rows: tuple[BenchmarkRow, ...]) -> tuple[Curve, ...]:
    """The backward pass as it is looked at first: the first way of calling that has figures."""
    timed = [row for row in rows if row.gbps is not None and row.provider not in CEILINGS.values()]
    backward = [row for row in timed if row.direction == "backward"] or timed
    points: dict[str, list[tuple[float, float]]] = {}
    for row in backward:
        if row.mode == backward[0].mode and row.gbps is not None:
            points.setdefault(row.provider, []).append((float(row.n), row.gbps))
    return tuple(Curve(name, "", *zip(*sorted(found), strict=True)) for name, found in points.items())


def _gpu(environment: Environment | None) -> str:
    return (environment.gpu if environment is not None else None) or ""


SIZES = ("m", "n")  # axes on which distances mean something; the values of others stand side by side
Key = tuple[str, str]  # provider, hardware: never one line for two of these


def sketch_of(recorded: RecordedSweep) -> tuple[tuple[Curve, ...], NDArray[np.float64] | None]:
    """Lines, or a map: [second axis, first axis] from 0 to 1, the best; NaN where there is no value.

    They are GB/s of the backward pass where it was timed, else of the other; of rows without speeds the largest error
    of dw and db.
    """
    sweep = recorded.sweep
    direction = "backward" if "backward" in sweep.directions else sweep.directions[0]
    timed = any(result.figure(direction, sweep.modes[0]) for result in recorded.results)
    values: dict[Key, list[tuple[CellResult, float]]] = {}
    for result in recorded.results:
        value = _speed(result, direction, sweep.modes[0]) if timed else _error(result)
        if value is not None:
            values.setdefault((result.cell.provider, result.hardware), []).append((result, value))
    if len(sweep.axes) == 2 and not sweep.search:
        return (), _grid(recorded, values, timed=timed)
    return tuple(_curve(recorded, key, found) for key, found in values.items()), None


def _curve(recorded: RecordedSweep, key: Key, found: list[tuple[CellResult, float]]) -> Curve:
    sweep = recorded.sweep
    points: dict[float, float] = {}
    for result, value in found:
        if sweep.search or not sweep.axes:
            points[float(result.cell.number)] = value
            continue
        (axis,), place = sweep.axes, result.cell.point[0]
        given = axis.values[place]
        by_size = axis.name in SIZES and all(type(each) is int for each in axis.values)
        # A peer has one cell for all launch settings, and a level line.
        everywhere = result.cell.peer and axis.name not in PROBLEM_NAMES
        for x in range(len(axis.values)) if everywhere else (float(given) if by_size and given is not None else place,):
            points[float(x)] = value
    return Curve(*key, *zip(*sorted(points.items()), strict=True))


def _grid(
    recorded: RecordedSweep, values: dict[Key, list[tuple[CellResult, float]]], *, timed: bool
) -> NDArray[np.float64] | None:
    """That of the first strategy on one kind of hardware."""
    found = next((each for key, each in values.items() if key[0] in recorded.sweep.strategies), None)
    if found is None:
        return None
    first, second = (len(axis.values) for axis in recorded.sweep.axes)
    grid = np.full((second, first), np.nan)
    for result, value in found:
        grid[result.cell.point[1], result.cell.point[0]] = value if timed else -value
    low, high = float(np.nanmin(grid)), float(np.nanmax(grid))
    return np.divide(grid - low, (high - low) or 1.0)


def _speed(result: CellResult, direction: str, mode: str) -> float | None:
    figure = result.figure(direction, mode)
    return None if figure is None else figure.gbps


def _error(result: CellResult) -> float | None:
    found = [error.max_abs for error in result.errors if error.name in ("dw", "db") and np.isfinite(error.max_abs)]
    return max(found) if found and result.status == "ok" else None

"""Published and recorded curves that are laid beside a sweep over N."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lnexplorer.domain import wording
from lnexplorer.domain.request import DEFAULT_SHAPE, RunRequest
from lnexplorer.domain.sweep.curves import Curve, Overlay, curves
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest
from lnexplorer.report.benchmark_file import read_benchmark
from lnexplorer.store.archive import SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import PUBLISHED_NAME, published_curves, read_recorded_sweep
from lnkernels.values import Sentence, say
from lnkernels.values.environment import Kind
from lnkernels.values.figures import CEILINGS

BENCHMARKS = "*bench*.json"
PUBLISHED = Path(PUBLISHED_NAME).name
# The published tables: M = 4096, float16, backward, through autograd. Source: the tutorial's own
# benchmark.
PUBLISHED_PROBLEM = wording.sweep_over_n(4096, "float16")


def read_overlays(folder: Path) -> list[Overlay]:
    """Read all overlays of a folder; a file that cannot be read is left out.

    Raises:
        OSError: the published tables are missing.
    """
    benchmarks = [
        overlay for path in sorted(folder.glob(BENCHMARKS)) for overlay in _recorded(path)
    ]
    sweeps = [
        overlay for path in sorted(folder.glob(f"*{SWEEP.suffix}")) for overlay in _of_sweep(path)
    ]
    return _published() + benchmarks + sweeps


def overlays_of(path: Path) -> list[Overlay]:
    """Read the overlays of one file: of a benchmark kernels alone with a cold L2, or else all."""
    if path.name == PUBLISHED:
        return _published()
    found = _recorded(path)
    return [overlay for overlay in found if overlay.mode == "kernel_cold"] or found


def sweep_of(path: Path) -> SweepRequest:
    """Return a sweep over N of the same problem as a file's figures.

    Raises:
        StoreError: it is neither a benchmark nor the published tables.
    """
    rows = () if path.name == PUBLISHED else read_benchmark(path).rows
    if not rows:
        return TUTORIAL.sweep
    sizes = tuple(sorted({row.n for row in rows}))
    usual = set(sizes) <= set(TUTORIAL.sweep.axes[0].values)
    axes = TUTORIAL.sweep.axes if usual else (Axis(name="n", values=sizes),)
    return replace(
        TUTORIAL.sweep,
        base=RunRequest(m=rows[0].m, dtype=rows[0].dtype, norm=rows[0].norm),
        axes=axes,
        effort="normal",
    )


def _published() -> list[Overlay]:
    return [
        Overlay(
            title=source,
            kind=Kind.PUBLISHED,
            problem=PUBLISHED_PROBLEM,
            direction="backward",
            # as `loss.backward` calls it: its times have PyTorch's own part of the pass in them
            mode="autograd",
            beside_all=True,  # it is what everybody compares kernels with
            curves=lines,
        )
        for source, lines in published_curves().items()
    ]


def _recorded(path: Path) -> list[Overlay]:
    """Return the curves of a benchmark, one overlay for each problem, pass and way of calling."""
    try:
        benchmark = read_benchmark(path)
    except StoreError:
        return []
    environment = benchmark.environment
    gpu, date = ((environment.named_gpu or "?"), environment.date) if environment else ("?", "")
    points: dict[tuple[Sentence, str, str], dict[str, dict[float, float]]] = {}
    for row in benchmark.rows:
        if (
            row.gbps is not None
            and row.provider not in CEILINGS.values()
            and row.verdict != "wrong"
        ):
            problem = wording.sweep_over_n(row.m, row.dtype, row.norm)
            lines = points.setdefault((problem, row.direction, row.mode), {})
            lines.setdefault(row.provider, {})[row.n] = row.gbps
    title = say("{gpu}, {date}, benchmark", gpu=gpu, date=date[:10])
    found = []
    for (problem, *way), lines in points.items():
        own = [
            Curve(name, gpu, *zip(*sorted(line.items()), strict=True))
            for name, line in lines.items()
        ]
        found.append(_overlay(title, problem, way, own))
    return found


def _of_sweep(path: Path) -> list[Overlay]:
    """Return the curves of a recorded sweep over N, one overlay for each kind of hardware, pass and
    way of calling.
    """
    try:
        recorded = read_recorded_sweep(path)
    except StoreError:
        return []
    sweep, found = recorded.sweep, []
    measured = all(result.kind is Kind.RECORDED for result in recorded.results)
    if [axis.name for axis in sweep.axes] != ["n"] or sweep.search or not measured:
        return []
    base = sweep.base
    problem = wording.sweep_over_n(base.m or DEFAULT_SHAPE["cuda"][0], base.dtype, base.norm)
    for way in itertools.product(sweep.directions, sweep.modes):
        lines = curves(sweep, recorded.results, *way)
        for gpu in recorded.gpus:
            own = [line for line in lines if line.hardware == gpu]
            title = say("{gpu}, {date}, sweep", gpu=gpu, date=recorded.date[:10])
            found += [_overlay(title, problem, way, own)] if own else []
    return found


def _overlay(
    title: Sentence, problem: Sentence, way: Sequence[str], lines: Sequence[Curve]
) -> Overlay:
    direction, mode = way
    widths = [n for curve in lines for n in curve.x]
    title = say("{source}, N = {low:g}–{high:g}", source=title, low=min(widths), high=max(widths))
    return Overlay(
        title=title,
        kind=Kind.RECORDED,
        problem=problem,
        direction=direction,
        mode=mode,
        curves=tuple(lines),
    )

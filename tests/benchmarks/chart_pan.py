"""Frames a second while the throughput chart with very many samples is moved, without a window on the screen.

Run from the repository's root: python tests/benchmarks/chart_pan.py
Every frame moves the view and paints the whole chart: axes, grid, lines, points with their spread, and the samples.
"""

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "kernels")]

from PySide6.QtWidgets import QApplication  # noqa: E402

from lnexplorer.gui.charts.speed_chart import Point, ThroughputChart  # noqa: E402
from lnexplorer.gui.charts.theme import DARK  # noqa: E402
from tests.sample_results import make_figure, make_resolved  # noqa: E402

SIZE = (1200, 600)
RUNS = 1000


def chart_with(samples: int) -> ThroughputChart:
    """A chart of RUNS runs with so many samples in all."""
    rng = np.random.default_rng(1)
    figure = make_figure("locked", "backward", 1600.0, make_resolved())
    points = []
    for run in range(1, RUNS + 1):
        times = figure.p50_ms * rng.lognormal(0, 0.1, samples // RUNS)
        p20, p50, p80 = (float(value) for value in np.percentile(times, (20, 50, 80)))
        timed = replace(figure, samples_ms=times, p20_ms=p20, p50_ms=p50, p80_ms=p80)
        shape = (4096, 8192, "float16")
        points.append(
            Point(run=run, shape=shape, provider="locked", direction="backward", figure=timed, ceiling=3800.0, hollow=False)
        )
    chart = ThroughputChart()
    chart.apply_theme(DARK)
    chart.resize(*SIZE)
    chart.set_labels("run", "GB/s")
    chart.show()
    start = time.perf_counter()
    chart.set_points(points)
    print(f"{samples} samples of {RUNS} runs, {SIZE[0]}×{SIZE[1]}; taken in {(time.perf_counter() - start) * 1e3:.0f} ms\n")
    return chart


def frame_times(application: QApplication, chart: ThroughputChart, width: float, frames: int) -> np.ndarray:
    """Milliseconds of each frame while a view `width` runs wide moves by a hundredth of itself, there and back."""
    chart.view.setRange(xRange=(1, 1 + width), yRange=(0, 4000), padding=0)
    chart.viewport().repaint()
    application.processEvents()
    times = []
    for frame in range(frames):
        step = width / 100 if frame < frames // 2 else -width / 100
        start = time.perf_counter()
        chart.view.translateBy((step, 0.0))
        chart.viewport().repaint()
        application.processEvents()
        times.append((time.perf_counter() - start) * 1e3)
    return np.array(times)


def main() -> None:
    """Print the frames a second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--frames", type=int, default=400)
    options = parser.parse_args()
    application = QApplication(["chart_pan"])
    chart = chart_with(options.samples)
    print(f"{'runs in view':>14}{'frames a second':>18}{'median':>11}{'p99':>11}{'longest':>11}")
    for width in (RUNS, RUNS / 10, RUNS / 100):
        times = frame_times(application, chart, width, options.frames)
        rate = 1e3 * times.size / times.sum()
        print(f"{width:14.0f}{rate:18.0f}{np.median(times):8.1f} ms{np.percentile(times, 99):8.1f} ms{times.max():8.1f} ms")


if __name__ == "__main__":
    main()

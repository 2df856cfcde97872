"""Time to draw one frame of the reduction's animation, without a window on the screen.

`python -m tests.benchmarks.frame_time` prints median, p95 and p99 over frames spread over the whole
timeline, each painted from scratch at its own moment.
"""

import argparse
import os
import time

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.simulation.prediction import default_model
from lnexplorer.domain.timeline import moment
from lnexplorer.gui.kit.theme import DARK, Theme, apply_theme
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.timeline.frame import PictureColours, Scene
from lnexplorer.gui.timeline.schedule_frame import ScheduleFrame

CASES = (
    (4096, 256, 1600, 900),
    (16384, 256, 1600, 900),
    (16384, 256, 1920, 1080),
    (131072, 256, 1920, 1080),
)
PANE_CASES = ((16384, 256, 1600, 1000), (131072, 256, 1920, 1080))

Times = list[tuple[float, float]]


def frame_times(
    m: int, group_size_m: int, width: int, height: int, frames: int
) -> tuple[float, Times]:
    """Time to lay out, and times of the frames by the clock and of the processor,
    in ms.
    """
    request = resolve(RunRequest.of(m=m, n=1024, group_size_m=group_size_m), "cuda")
    timeline = simulate(m, 1024, group_size_m, 32, 128, default_model(request, 1320, 132))
    scene = Scene(
        timeline=timeline,
        colours=PictureColours(DARK),
        size=QSizeF(width, height),
        font=QApplication.font(),
        end_ns=timeline.end_ns * 1.01,
        followed=m // 2,
    )
    begin = time.perf_counter()
    frame = ScheduleFrame(scene)
    laid_out = (time.perf_counter() - begin) * 1e3
    image = QImage(width, height, QImage.Format.Format_RGB32)
    times = []
    for time_ns in np.linspace(0, timeline.end_ns, frames):
        painter = QPainter(image)
        begin, worked = time.perf_counter(), time.process_time()
        frame.paint(painter, moment(timeline, float(time_ns)))
        painter.end()
        times.append(((time.perf_counter() - begin) * 1e3, (time.process_time() - worked) * 1e3))
    return laid_out, times


def pane_times(m: int, group_size_m: int, width: int, height: int, frames: int) -> Times:
    """Times of the whole pane in ms, from a new time to the painted picture, with captions, source
    and controls; both kinds.
    """
    pane = ReductionPane()
    Theme.current = DARK
    apply_theme(pane)
    pane.resize(width, height)
    pane.show()
    request = resolve(RunRequest.of(m=m, n=1024, group_size_m=group_size_m), "cuda")
    pane.show_timeline(
        simulate(m, 1024, group_size_m, 32, 128, default_model(request, 1320, 132)), request
    )
    while not pane.canvas.scene.timeline.m:
        QApplication.processEvents()
    pane.pictures.follow(None, group_size_m // 2)
    QApplication.processEvents()
    times = []
    for time_ns in np.linspace(0, pane.player.end_ns, frames):
        begin, worked = time.perf_counter(), time.process_time()
        pane.player.seek(float(time_ns))
        QApplication.sendPostedEvents()  # what wants to be painted is
        QApplication.processEvents()
        times.append(((time.perf_counter() - begin) * 1e3, (time.process_time() - worked) * 1e3))
    pane.close()
    return times


def spread(times: Times) -> str:
    """Both kinds of time. Where other programs have the processors, the second tells what a frame
    needs.
    """
    clock, processor = (np.percentile(column, (50, 95, 99)) for column in zip(*times, strict=True))
    texts = [f"median {a:.2f} ms, p95 {b:.2f} ms, p99 {c:.2f} ms" for a, b, c in (clock, processor)]
    return f"{texts[0]}, worst {max(times)[0]:.2f} ms; of the processor {texts[1]}"


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=400, help="frames a case")
    frames = parser.parse_args().frames
    application = QApplication([])
    for m, group_size_m, width, height in CASES:
        laid_out, times = frame_times(m, group_size_m, width, height, frames)
        print(f"M={m} G={group_size_m} {width}x{height}: {spread(times)}")
        print(f"    layout {laid_out:.1f} ms")
    for m, group_size_m, width, height in PANE_CASES:
        times = pane_times(m, group_size_m, width, height, frames)
        print(f"whole pane M={m} G={group_size_m} {width}x{height}: {spread(times)}")
    application.quit()


if __name__ == "__main__":
    main()

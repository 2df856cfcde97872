"""How soon the pane "Compiled" shows a kernel, and marks what belongs to a line.

Two figures are promised: the partners of a line are marked within 16 ms in machine code of 5,000
    lines, and the event
loop is never away for more than 50 ms while texts are filled and compared. `python -m
tests.benchmarks.compiled_times` measures them offscreen, with kernels of a wide row that are
compiled first.
"""

import os
import statistics
import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.gui.kit.theme import DARK, apply_style, apply_theme
from lnexplorer.gui.panes.compiled.pane import CompiledPane
from lnkernels.compiled.facts import CompileRequest, facts_in_own_process
from lnkernels.compiled.listing import TEXTS, read_listing
from lnkernels.values.listing import STAGES
from lnkernels.values.listing_diff import beside
from tests.benchmarks.event_loop import EventLoopWatch

ARCHITECTURE = "sm_90"
WIDE = RunRequest.of(
    m=4096, n=16384, dtype="float32", num_warps=4
)  # spills: its machine code has over 9,000 lines
LINES = 200  # of source that are chosen


def main() -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    apply_style(application, DARK)
    begun = time.perf_counter()
    on, off = _compile(WIDE), _compile(WIDE.changed(barrier=False))
    print(f"compiled twice in {time.perf_counter() - begun:.1f} s, with the start of the compiler")
    pane, watch = CompiledPane(), EventLoopWatch()
    apply_theme(pane)
    pane.resize(1600, 900)
    pane.show()
    _turn(application, 0.3)
    watch.start()
    pane.show_compiled(on)
    _turn(application, 0.5)
    pane.kernel.button("backward_stage1").click()
    _turn(application, 0.5)
    watch.stop()
    listing = pane.code.listing
    assert listing is not None
    print(
        f"texts filled, {len(listing.stages['sass'].lines)} lines of SASS: longest step"
        f" {watch.longest_work_ms:.1f} ms of work"
    )
    for stage in STAGES[1:]:
        pane.code.right.stages.setCurrentIndex(STAGES.index(stage))
        _turn(application, 0.3)
        print(
            f"  source to {stage:5} of {len(listing.stages[stage].lines):5} lines:"
            f" {_marking(pane, 'source')}"
        )
    print(f"  sass to source: {_marking(pane, 'sass')}")
    left, right = (
        listing.stages["sass"].lines,
        next(one for one in off.kernels if one.facts.name == listing.facts.name),
    )
    begun = time.perf_counter()
    rows = beside(left, right.stages["sass"].lines, "sass")
    print(
        f"SASS of {len(left)} and {len(right.stages['sass'].lines)} lines put beside each other:"
        f" {_ms(begun):.0f} ms, in a thread"
    )
    pane.code.rowsRequested.connect(lambda *_: None)
    pane.beside.compare.setCurrentIndex(pane.beside.compare.findData("barrier"))
    pane.code.left.choose_stage("sass")
    pane.show_other(off)
    _turn(application, 0.3)  # the facts are filled while a thread puts the lines beside each other
    watch.start()
    QTimer.singleShot(1, pane, lambda: pane.code.show_rows("sass", listing, right, rows))
    _turn(application, 0.5)
    watch.stop()
    print(f"both shown beside each other: longest step {watch.longest_work_ms:.1f} ms of work")
    pane.close()
    return 0


def _compile(problem: RunRequest) -> Compiled:
    resolved = resolve(problem, "cuda")
    request = CompileRequest(
        m=resolved.m,
        n=resolved.n,
        dtype=resolved.dtype,
        launch=resolved.launch,
        architecture=ARCHITECTURE,
        stages=TEXTS,
    )
    kernels = tuple(map(read_listing, facts_in_own_process(request)))
    return Compiled(
        request=CompileJob(problem=problem),
        resolved=resolved,
        architecture=ARCHITECTURE,
        kernels=kernels,
    )


def _marking(pane: CompiledPane, stage: str) -> str:
    """From a choice to painted marks, over lines that have a place, evenly spread."""
    listing = pane.code.listing
    assert listing is not None
    lines = [line for line, stack in enumerate(listing.stages[stage].stacks) if stack >= 0]
    times = []
    for line in lines[:: max(len(lines) // LINES, 1)]:
        begun = time.thread_time()  # what other programs do at the same time does not count
        pane.code.choose_line(stage, line)
        pane.code.left.code.viewport().repaint()
        pane.code.right.code.viewport().repaint()
        times.append((time.thread_time() - begun) * 1000)
    times.sort()
    late = times[int(0.95 * len(times))]
    return (
        f"median {statistics.median(times):.1f} ms, 95 % within {late:.1f} ms, longest"
        f" {times[-1]:.1f} ms"
    )


def _turn(application: QApplication, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        application.processEvents()
        time.sleep(0.001)


def _ms(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    raise SystemExit(main())

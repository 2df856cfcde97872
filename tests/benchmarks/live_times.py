"""How soon a moving parameter shows in the chart: a slider moves in the window, on this machine's
GPU.

    python -m tests.benchmarks.live_times [--moves 40] [--device cuda:0]

Prints for every part its median, 95th percentile and longest, in ms: from the move to the request,
the worker's part (compiling, checking and timing, with the ways through the pipe and to the
window), from the figure to the drawn chart, the first and the last together, and all of it. Run
with QT_QPA_PLATFORM=offscreen where there is no display.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtWidgets import QApplication

from lnexplorer.domain.jobs import JobRequest
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.session.state import WorkerState
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.store.paths import HOME_VARIABLE
from tests.gui.completeness import is_complete
from tests.pictures import begin_window
from tests.programs import described

START_SECONDS = 120.0
MOVE_SECONDS = 20.0
REST_SECONDS = 0.3  # between a point and the next move, so that neighbours are compiled ahead
GROUPS = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256)


def main() -> int:
    """Move, and print."""
    parser = described(__doc__)
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--device", default="cuda:0")
    options = parser.parse_args()
    application = QApplication([])
    with tempfile.TemporaryDirectory() as home:
        os.environ[HOME_VARIABLE] = home
        shown = WindowOptions(size=(1600, 900))
        explorer = begin_window(application, Path(home), shown, options.device)
        try:
            return measure(application, explorer, options.moves)
        finally:
            explorer.close()


def measure(application: QApplication, explorer: Explorer, moves: int) -> int:
    """Move a slider so often; the exit status."""

    def wait(condition: object, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():  # type: ignore[operator]
            if time.monotonic() > deadline:
                return False
            application.processEvents()
        return True

    def lost() -> bool:
        return explorer.session.state.worker is WorkerState.LOST

    wait(lambda: lost() or is_complete(explorer), START_SECONDS)
    if lost() or not is_complete(explorer) or explorer.session.state.backend != "cuda":
        print("There is no GPU here that works, or the first run did not end.", file=sys.stderr)
        return 1
    pane = explorer.window.pane("throughput")
    assert pane is not None
    marks: dict[str, float] = {}
    submit = explorer.supervisor.submit

    def ask(request: JobRequest) -> int:
        if isinstance(request, MeasureRequest):
            marks.setdefault("asked", time.perf_counter())
        return submit(request)

    explorer.supervisor.submit = ask  # type: ignore[method-assign]
    explorer.controllers["throughput"].live.pointReady.connect(
        lambda _: marks.setdefault("figure", time.perf_counter())
    )
    explorer.window.show_part("throughput")
    parts: dict[str, list[float]] = {
        "move to request": [],
        "worker": [],
        "figure to chart": [],
        "added by Live": [],
        "move to chart": [],
    }
    explorer.window.parameters.requestChanged.emit(
        RunRequest.of(m=4096, n=8192, group_size_m=GROUPS[-1])
    )
    wait(lambda: False, 6.0)  # the run before has ended, also over a long line
    for move in range(moves):
        marks.clear()
        count = len({point.run for point in pane.chart.points})
        moved = time.perf_counter()
        explorer.window.parameters.requestChanged.emit(
            RunRequest.of(m=4096, n=8192, group_size_m=GROUPS[move % len(GROUPS)])
        )

        def drawn_anew(count: int = count) -> bool:
            return "figure" in marks and len({point.run for point in pane.chart.points}) > count

        if not wait(drawn_anew, MOVE_SECONDS):
            print(
                f"GROUP_SIZE_M = {GROUPS[move % len(GROUPS)]}: no point in {MOVE_SECONDS:.0f} s",
                file=sys.stderr,
            )
            continue
        application.processEvents()  # the paint that the new point has asked for
        drawn = time.perf_counter()
        before, after = marks["asked"] - moved, drawn - marks["figure"]
        for name, seconds in zip(
            parts,
            (before, marks["figure"] - marks["asked"], after, before + after, drawn - moved),
            strict=True,
        ):
            parts[name].append(1000 * seconds)
        wait(lambda: False, REST_SECONDS)
    for name, found in parts.items():
        if found:
            late = statistics.quantiles(found, n=20)[-1] if len(found) > 1 else found[0]
            print(
                f"{name:16} median {statistics.median(found):6.1f} ms   p95 {late:6.1f} ms  "
                f" longest {max(found):6.1f} ms"
            )
    return 0 if parts["worker"] else 1


if __name__ == "__main__":
    sys.exit(main())

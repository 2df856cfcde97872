"""Prints how fast the window is: command to painted window, command to results, longest time that
the event loop is away.

    python tests/benchmarks/window_times.py [--repeats 10] [--look]

Each repetition starts the command as its users do, but for the marks of time, offscreen, with an
empty home and Triton's interpreter. A start that is not counted comes first, so that Python's
compiled files are there, as they are after an installation. Work is the processor's time that the
program took, or Qt's thread alone between two turns of its
event loop: other programs on the machine change it far less than the rest.

With --look instead: from a change of theme, or of text size, to the painted window, in a window
with the default run, in which every workspace, the manual and the lecture were opened before.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "kernels")]
WINDOW = "--window"  # of this script: open a window that measures itself
COMMAND = [sys.executable, __file__, WINDOW]
MOVE_MS = 40  # between two movements of a slider
MOVES = 120
SETTLE_MS = 2000  # for the last run to end
LIMIT_SECONDS = 120


def main() -> int:
    """Measure, print medians."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--look", action="store_true", help="measure changes of theme and text")
    options = parser.parse_args()
    if options.look:
        return change_looks(options.repeats)
    measure()
    runs = [measure() for _ in range(options.repeats)]
    for name, unit, scale in (
        ("command to painted window", "s", 1.0),
        ("command to results on screen", "s", 1.0),
        ("event loop away at most, at the start", "ms", 1.0),
        ("event loop away at most, while sliders move and runs run", "ms", 1.0),
        ("work to the painted window", "s", 1.0),
        ("work of a turn of the event loop at most, at the start", "ms", 1.0),
        ("work of a turn of the event loop at most, while moving", "ms", 1.0),
    ):
        values = sorted(run[name] * scale for run in runs)
        print(
            f"{name:58} median {statistics.median(values):7.2f} {unit}   ({values[0]:.2f} to"
            f" {values[-1]:.2f})"
        )
    return 0


def measure() -> dict[str, float]:
    """One start of the window."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "LNEXPLORER_HOME": home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        began = time.time()
        done = subprocess.run(
            COMMAND,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=True,
        )
    times = next(json.loads(line) for line in done.stderr.splitlines() if line.startswith("{"))
    return {
        "command to painted window": times["first_paint"] - began,
        "command to results on screen": times["results"] - began,
        "event loop away at most, at the start": times["longest_block_at_start_ms"],
        "event loop away at most, while sliders move and runs run": times[
            "longest_block_while_moving_ms"
        ],
        "work to the painted window": times["work_to_first_paint"],
        "work of a turn of the event loop at most, at the start": times["longest_work_at_start_ms"],
        "work of a turn of the event loop at most, while moving": times[
            "longest_work_while_moving_ms"
        ],
    }


def change_looks(repeats: int) -> int:
    """Change theme and text size there and back; print medians."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtWidgets import QApplication

    from tests import pictures

    application = QApplication([])
    with tempfile.TemporaryDirectory() as home:
        explorer = pictures.open_window(application, Path(home))
        window, preferences = explorer.window, explorer.preferences
        for _ in pictures.views(explorer, lambda: pictures.rest(application)):
            pass
        for name in ("lecture", "manual"):
            window.actions_[name].trigger()
            pictures.rest(application)
            application.activeWindow().close()
        window.show_workspace("run")
        for size in ((1280, 720), (1600, 1000)):
            window.resize(*size)
            for name, change, values in (
                ("theme", preferences.use_theme, ("light", "dark")),
                ("text size", preferences.use_text_percent, (120, 100)),
            ):
                walls, works = list[float](), list[float]()
                for place in range(2 * repeats):
                    pictures.rest(application)
                    wall, work = time.perf_counter(), time.thread_time()
                    change(values[place % 2])
                    for _ in range(3):
                        application.processEvents()
                    walls.append(1e3 * (time.perf_counter() - wall))
                    works.append(1e3 * (time.thread_time() - work))
                print(
                    f"{name:9} at {size[0]}x{size[1]}: median {statistics.median(walls):4.0f} ms"
                    f" ({min(walls):.0f} to {max(walls):.0f}), {statistics.median(works):.0f} of"
                    " them at work",
                    flush=True,
                )
        window.close()
        explorer.close()
    return 0


def open_window() -> int:
    """The window with marks of time on stderr: once everything is there, sliders move for some
    seconds.
    """
    from lnexplorer import __main__
    from lnexplorer.gui.window import start

    interruption = start.Interruption

    def mark_and_go_on() -> start.Interruption:
        from lnexplorer.gui.window import opening

        make, load_explorer = opening.Preferences, opening.load_explorer

        def make_and_mark(*values: Any) -> Any:
            made = make(*values)
            marks = Marks(made.window)

            def load() -> Any:
                return lambda *arguments: marks.follow(load_explorer()(*arguments))

            opening.load_explorer = load
            return made

        opening.Preferences = make_and_mark
        return interruption()

    start.Interruption = mark_and_go_on  # type: ignore[misc,assignment]
    return __main__.main(["--device", "interpreter"])


class Marks:
    """Notes times since the epoch, then moves sliders, and closes the window."""

    def __init__(self, window: Any) -> None:
        from PySide6.QtCore import QTimer

        from tests.benchmarks.event_loop import EventLoopWatch

        self._moves = 0
        self._times = dict[str, float]()
        self._watch = EventLoopWatch(window)
        self._timer = QTimer(window)
        self._later = lambda call: QTimer.singleShot(SETTLE_MS, window, call)
        self._timer.timeout.connect(self._move)
        window.firstPainted.connect(self._on_painted)

    def follow(self, explorer: Any) -> Any:
        """Go on with what fills the window."""
        self._explorer = explorer
        explorer.session.changed.connect(self._on_changed)
        explorer.steps.emptied.connect(self._on_idle)
        return explorer

    def _on_painted(self) -> None:
        self._times |= {"first_paint": time.time(), "work_to_first_paint": time.process_time()}
        self._watch.start()

    def _on_changed(self, before: Any, after: Any) -> None:
        if before.run.result is None and after.run.result is not None:
            self._explorer.steps.add(
                "results on screen", lambda: self._times.setdefault("results", time.time())
            )

    def _on_idle(self) -> None:
        from tests.gui.completeness import is_complete

        if is_complete(self._explorer) and "longest_block_at_start_ms" not in self._times:
            self._times["longest_block_at_start_ms"] = self._watch.stop()
            self._times["longest_work_at_start_ms"] = self._watch.longest_work_ms
            self._later(self._begin_to_move)

    def _begin_to_move(self) -> None:
        self._watch.start()
        self._timer.start(MOVE_MS)

    def _move(self) -> None:
        self._moves += 1
        for name, period in (("m", 7), ("group_size_m", 11)):
            slider = self._explorer.window.parameters.rows[name].slider
            slider.setValue(
                slider.maximum() // 4 + (self._moves * period) % (slider.maximum() // 3)
            )
        if self._moves >= MOVES:
            self._timer.stop()
            self._later(self._end)

    def _end(self) -> None:
        self._times["longest_block_while_moving_ms"] = self._watch.stop()
        self._times["longest_work_while_moving_ms"] = self._watch.longest_work_ms
        sys.stderr.write(json.dumps(self._times) + "\n")
        self._explorer.window.close()


if __name__ == "__main__":
    sys.exit(open_window() if sys.argv[1:] == [WINDOW] else main())

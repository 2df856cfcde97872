"""How long a session of many runs and a large sweep takes to save and to open, and how long the event loop is away
meanwhile.

Run from the repository's root: python tests/benchmarks/session_times.py
The runs are a recorded one of 4096 × 8192 elements under other dates; the sweep is invented, with 60 samples a figure.
"""

import argparse
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "kernels")]

from PySide6.QtWidgets import QApplication  # noqa: E402

from lnexplorer.domain.request import RunRequest  # noqa: E402
from lnexplorer.domain.sweep.request import Axis, SweepRequest  # noqa: E402
from lnexplorer.gui.shell.application import Explorer, Start  # noqa: E402
from lnexplorer.gui.shell.options import WindowOptions  # noqa: E402
from lnexplorer.gui.shell.state import Remark  # noqa: E402
from lnexplorer.store.history import open_history  # noqa: E402
from lnexplorer.store.paths import Paths  # noqa: E402
from lnexplorer.store.recordings import read_recording, recorded_sweep  # noqa: E402
from lnexplorer.store.settings import Settings  # noqa: E402
from tests.benchmarks.event_loop import EventLoopWatch  # noqa: E402
from tests.gui.sample_sweeps import invented_rows  # noqa: E402

PATIENCE_S = 300
SETTLE_S = 2.0


def fill(folder: Path, runs: int, rows: int) -> None:
    """Keep so many runs, and a sweep of about so many rows."""
    result = read_recording(ROOT / "resources" / "recordings" / "h200_default.lnrec").result
    assert result is not None
    widths = tuple(512 + 64 * step for step in range(rows // 12))
    axes = (Axis(name="n", values=widths), Axis(name="num_warps", values=(2, 4, 8, 16)))
    sweep = SweepRequest(base=RunRequest(m=4096), axes=axes, strategies=("locked", "persistent", "split"))
    with open_history(Paths(folder, folder).history, print) as history:
        for number in range(runs):
            date = (datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=37 * number)).isoformat(timespec="seconds")
            environment = replace(result.provenance.environment, date=date)
            history.runs.add(replace(result, provenance=replace(result.provenance, environment=environment)))
        history.sweeps.take(recorded_sweep(sweep, invented_rows(sweep), ended="finished"))


class Window:
    """A whole window, and a watch on its event loop."""

    def __init__(self, application: QApplication, folder: Path) -> None:
        self._application = application
        options = WindowOptions(request=RunRequest.of(m=4, n=8, group_size_m=2), size=(1280, 720), language="en")
        start = Start(
            options=options,
            paths=Paths(folder, folder),
            settings=Settings(),
            warnings=(),
            device="interpreter",
            spawned=None,
        )
        self.explorer = Explorer(application, start)
        self.explorer.open()
        self._until(self.explorer.is_complete)
        self._settle()

    def timed(self, begin: Callable[[], None], done: Callable[[], bool]) -> tuple[float, float]:
        """Seconds until it is done, and ms that the event loop was away at most, a moment afterwards included."""
        watch = EventLoopWatch()
        watch.start()
        started = time.perf_counter()
        begin()
        self._until(done)
        seconds = time.perf_counter() - started
        self._settle()
        return seconds, watch.stop()

    @property
    def said(self) -> str:
        """What the window tells."""
        notice = self.explorer.session.state.notice
        return notice.sentence if isinstance(notice, Remark) else ""

    def close(self) -> None:
        """Take the window apart."""
        self.explorer.window.close()
        self.explorer.close()

    def _settle(self) -> None:
        end = time.perf_counter() + SETTLE_S
        self._until(lambda: time.perf_counter() > end)

    def _until(self, done: Callable[[], bool]) -> None:
        end = time.perf_counter() + PATIENCE_S
        while not done():
            self._application.processEvents()
            time.sleep(0.0005)
            if time.perf_counter() > end:
                raise TimeoutError(self.said)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--rows", type=int, default=3000, help="of the sweep")
    options = parser.parse_args()
    application = QApplication.instance() or QApplication(["session_times"])
    assert isinstance(application, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        one, other, path = Path(folder) / "one", Path(folder) / "other", Path(folder) / "talk.lnsession"
        one.mkdir()
        other.mkdir()
        fill(one, options.runs, options.rows)
        gc.collect()
        print(f"{options.runs} runs, a sweep of {options.rows // 12 * 12} rows")

        window = Window(application, one)
        desk = window.explorer.services.controller("sweep").sweeps
        assert desk is not None
        desk.show(1)
        window.timed(lambda: None, lambda: window.explorer.steps.waiting == 0)
        seconds, away = window.timed(lambda: None, lambda: True)
        print(f"idle    {seconds + SETTLE_S:6.2f} s   event loop away {away:5.0f} ms")
        seconds, away = window.timed(
            lambda: window.explorer.commands.exports.sessions.save(path), lambda: "Saved as" in window.said
        )
        print(f"saved   {seconds:6.2f} s   event loop away {away:5.0f} ms   {path.stat().st_size / 2**20:.0f} MB")
        window.close()

        window = Window(application, other)
        pane = window.explorer.window.pane("history")
        assert pane is not None

        def whole() -> bool:
            kept = pane.model.total >= options.runs and pane.sweep_model.rowCount() > 0
            return kept and window.explorer.steps.waiting == 0

        seconds, away = window.timed(lambda: window.explorer.commands.exports.sessions.open(path), whole)
        print(f"opened  {seconds:6.2f} s   event loop away {away:5.0f} ms")
        window.close()


if __name__ == "__main__":
    main()

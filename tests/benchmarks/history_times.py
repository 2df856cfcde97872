"""How long a history of 100,000 runs and 200 experiments takes to open, filter, sort and scroll, without a window on
the screen.

Run from the repository's root: python tests/benchmarks/history_times.py The runs are made by this script: valid ones of
several shapes, dtypes, strategies and dates, some of them wrong, each with a result that can be opened. "Opened" is
from asking the history's thread, which opens the file, to the painted table.
"""

import argparse
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "kernels")]

from PySide6.QtCore import Qt  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from lnexplorer.domain.experiments.findings import finished  # noqa: E402
from lnexplorer.domain.history import HistoryRow, history_row  # noqa: E402
from lnexplorer.domain.result import compact  # noqa: E402
from lnexplorer.gui.history.columns import RUNS, place  # noqa: E402
from lnexplorer.gui.history.controller import link_history  # noqa: E402
from lnexplorer.gui.history.pane import HistoryPane  # noqa: E402
from lnexplorer.gui.history.thread import HistoryThread  # noqa: E402
from lnexplorer.gui.responsive import SWITCH_SECONDS, Delivery  # noqa: E402
from lnexplorer.protocol.codec import encode  # noqa: E402
from lnexplorer.store.history import _to_columns, open_history  # noqa: E402
from tests.benchmarks.event_loop import EventLoopWatch  # noqa: E402
from tests.sample_experiments import samples  # noqa: E402
from tests.sample_results import make_correctness, make_result  # noqa: E402

FIRST = datetime(2025, 1, 1, tzinfo=UTC)
PAGES = 300  # of the table, scrolled through


def fill(path: Path, runs: int, experiments: int) -> None:
    """Write a history of so many runs and experiments."""
    # A real run takes up to 0.3 MB; what is not in the list is not read, and a smaller one spares the disk.
    result = make_result(64, 128, correctness=make_correctness(4, 8))
    assert result.throughput is not None
    result = replace(result, throughput=replace(result.throughput, figures=result.throughput.figures[:3]))
    blob = zlib.compress(encode(compact(result)), 1)
    template = history_row(0, "", result)
    rng = np.random.default_rng(1)
    with open_history(path, print) as history:
        with history._database.change() as connection:  # one transaction of them all
            for number in range(runs):
                values = _to_columns(_line(template, number, rng))
                del values["id"]
                id_ = history.runs._insert(connection, values)
                connection.execute("INSERT INTO results VALUES (?, ?, seal(?, ?))", (id_, blob, id_, blob))
        history.runs.pin(runs // 2)
        records = [finished(result) for result in samples()]
        for number in range(experiments):
            history.experiments.add(records[number % len(records)])


def _line(template: HistoryRow, number: int, rng: np.random.Generator) -> HistoryRow:
    forward, backward = 2700 * rng.lognormal(0, 0.2), 1600 * rng.lognormal(0, 0.2)
    passed = bool(rng.random() > 0.02)
    return replace(
        template,
        date=(FIRST + timedelta(seconds=37 * number)).isoformat(timespec="seconds"),
        m=int(rng.choice((1024, 4096, 32768))),
        n=512 * int(rng.integers(1, 64)),
        dtype=str(rng.choice(("float16", "bfloat16", "float32"))),
        strategy=str(rng.choice(("locked", "persistent", "split", "atomic"))),
        passed=passed,
        failed=() if passed else ("dw",),
        forward_gbps=forward,
        forward_low=0.99 * forward,
        forward_high=1.01 * forward,
        backward_gbps=backward,
        backward_low=0.99 * backward,
        backward_high=1.01 * backward,
    )


class Bench:
    """The pane with a real history behind it, and a watch on the event loop."""

    def __init__(self, application: QApplication, path: Path) -> None:
        self.application = application
        self.delivery = Delivery()
        self.history = HistoryThread(path, self.delivery)
        self.history.warned.connect(print)
        self.pane = HistoryPane()
        self.pane.resize(1240, 320)
        self.pane.show()
        application.processEvents()
        self.watch = EventLoopWatch()

    def time(self, act: Callable[[], object], done: Callable[[], bool]) -> tuple[float, float]:
        """Milliseconds from `act` until `done` and painted, and the longest time without a turn of the event loop."""
        self.watch.start()
        start = time.perf_counter()
        act()
        while not done():
            self.application.processEvents()
            time.sleep(0.0005)
        self.pane.repaint()
        taken = (time.perf_counter() - start) * 1e3
        return taken, self.watch.stop()


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--experiments", type=int, default=200)
    options = parser.parse_args()
    runs = options.runs
    application = QApplication(["history_times"])
    sys.setswitchinterval(SWITCH_SECONDS)  # as the window does
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lnexplorer.sqlite3"
        fill(path, runs, options.experiments)
        print(f"{runs} runs, {options.experiments} experiments, {path.stat().st_size >> 20} MiB\n")
        bench = Bench(application, path)
        pane, model = bench.pane, bench.pane.model

        def type_filter(text: str) -> Callable[[], None]:
            def act() -> None:
                pane.bar.filter.setText(text)
                pane.bar.apply()

            return act

        print(f"{'':38}{'until painted':>14}{'event loop away':>18}")

        def show(what: str, act: Callable[[], object], done: Callable[[], bool]) -> None:
            taken, away = bench.time(act, done)
            print(f"{what:38}{taken:11.0f} ms{away:15.0f} ms")

        shown: list[int] = []
        model.modelReset.connect(lambda: shown.append(1))

        def listed(act: Callable[[], object]) -> tuple[Callable[[], object], Callable[[], bool]]:
            def begin() -> None:
                shown.clear()
                act()

            return begin, lambda: bool(shown)

        result = make_result(64, 128)
        sort = pane.table.sortByColumn
        speed, date, down = place(RUNS, "backward_gbps"), place(RUNS, "date"), Qt.SortOrder.DescendingOrder
        show("opened", *listed(lambda: link_history(pane, bench.history)))
        show("filtered by fields", *listed(type_filter("strategy=split n>=4096 passed")))
        show("filtered by words", *listed(type_filter("h200 bfloat16 4096x")))
        show("filter cleared", *listed(type_filter("")))
        show("sorted by speed", *listed(lambda: sort(speed, down)))
        show("sorted by time again", *listed(lambda: sort(date, down)))
        show("one more run", *listed(lambda: bench.history.add(result)))
        assert model.total == runs + 1
        _scroll(bench)
        bench.history.close()
        bench.delivery.close()


def _scroll(bench: Bench) -> None:
    bar = bench.pane.table.verticalScrollBar()
    frames = []
    bench.watch.start()
    for step in range(PAGES):
        start = time.perf_counter()
        bar.setValue(bar.maximum() * step // PAGES)
        bench.pane.table.viewport().repaint()
        bench.application.processEvents()
        frames.append((time.perf_counter() - start) * 1e3)
    away = bench.watch.stop()
    print(f"\nscrolled through {PAGES} pages: a frame takes {np.median(frames):.1f} ms, p99 {np.percentile(frames, 99):.1f} ms")
    print(f"{'event loop away at most':38}{away:11.0f} ms")


if __name__ == "__main__":
    main()

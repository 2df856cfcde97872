"""How long a history of 100,000 runs takes to open, filter, sort and scroll, without a window on
the screen.

    python -m tests.benchmarks.history_times [--runs 100000]

The runs are made by this script, of several shapes, dtypes, strategies and dates. "Opened" is from
asking the history's thread, which opens the file, to the painted table.
"""

import argparse
import os
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from lnexplorer.domain.history import HistoryRow, history_row
from lnexplorer.domain.result import compact
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.kit.table import place
from lnexplorer.gui.panes.history.columns import RUNS
from lnexplorer.gui.panes.history.controller import link_history
from lnexplorer.gui.panes.history.pane import HistoryPane
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.protocol.codec import encode
from lnexplorer.store.history import _to_columns, open_history
from tests.benchmarks.event_loop import EventLoopWatch
from tests.sample_results import make_correctness, make_result

FIRST = datetime(2025, 1, 1, tzinfo=UTC)
PAGES = 300  # of the table, scrolled through


def fill(path: Path, runs: int) -> None:
    """Write a history of so many runs."""
    # A real run takes up to 0.3 MB; what is not in the list is not read, and a smaller one spares
    # the disk.
    result = make_result(64, 128, correctness=make_correctness(4, 8))
    assert result.throughput is not None
    result = replace(
        result, throughput=replace(result.throughput, figures=result.throughput.figures[:3])
    )
    blob = zlib.compress(encode(compact(result)), 1)
    template, rng = history_row(0, "", result), np.random.default_rng(1)
    with open_history(path, print) as history:
        with history._database.change() as connection:  # one transaction of them all
            for number in range(runs):
                values = _to_columns(_line(template, number, rng))
                del values["id"]
                id_ = history.runs._insert(connection, values)
                connection.execute("INSERT INTO results (id, result) VALUES (?, ?)", (id_, blob))
        history.runs.pin(runs // 2)


def _line(template: HistoryRow, number: int, rng: np.random.Generator) -> HistoryRow:
    backward = 1600 * rng.lognormal(0, 0.2)
    return replace(
        template,
        date=(FIRST + timedelta(seconds=37 * number)).isoformat(timespec="seconds"),
        m=int(rng.choice((1024, 4096, 32768))),
        n=512 * int(rng.integers(1, 64)),
        dtype=str(rng.choice(("float16", "bfloat16", "float32"))),
        strategy=str(rng.choice(("locked", "persistent", "split", "atomic"))),
        backward_gbps=backward,
        backward_low=0.99 * backward,
        backward_high=1.01 * backward,
    )


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100_000)
    runs = parser.parse_args().runs
    application = QApplication(["history_times"])
    delivery, watch, pane = Delivery(), EventLoopWatch(), HistoryPane()
    pane.resize(1240, 320)
    pane.show()
    shown: list[bool] = []
    pane.model.modelReset.connect(lambda: shown.append(True))

    def show(what: str, act: Callable[[], object]) -> None:
        shown.clear()
        watch.start()
        start = time.perf_counter()
        act()
        while not shown:
            application.processEvents()
            time.sleep(0.0005)
        pane.repaint()
        taken = (time.perf_counter() - start) * 1e3
        print(f"{what:20}{taken:8.0f} ms until painted, event loop away {watch.stop():.0f} ms")

    def type_filter(text: str) -> None:
        pane.bar.filter.setText(text)
        pane.bar.apply()

    def sort(key: str) -> None:
        pane.table.sortByColumn(place(RUNS, key), Qt.SortOrder.DescendingOrder)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lnexplorer.sqlite3"
        fill(path, runs)
        print(f"{runs} runs, {path.stat().st_size >> 20} MiB")
        history = HistoryThread(path, delivery)
        history.warned.connect(print)
        show("opened", partial(link_history, pane, history))
        show("filtered by fields", partial(type_filter, "strategy=split n>=4096 passed"))
        show("filtered by words", partial(type_filter, "h200 bfloat16 4096x"))
        show("filter cleared", partial(type_filter, ""))
        show("sorted by speed", partial(sort, "backward_gbps"))
        show("sorted by time", partial(sort, "date"))
        show(
            "one more run",
            partial(history.change, "runs", lambda kept: kept.runs.add(make_result(64, 128))),
        )
        bar, frames = pane.table.verticalScrollBar(), []
        for step in range(PAGES):
            start = time.perf_counter()
            bar.setValue(bar.maximum() * step // PAGES)
            pane.table.viewport().repaint()
            application.processEvents()
            frames.append((time.perf_counter() - start) * 1e3)
        print(
            f"{PAGES} pages scrolled: {np.median(frames):.1f} ms a frame, p99"
            f" {np.percentile(frames, 99):.1f} ms"
        )
        history.close()
        delivery.close()


if __name__ == "__main__":
    main()

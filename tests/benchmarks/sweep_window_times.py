"""How long a sweep keeps the window's event loop: rows come from an invented worker, 200 a second,
into the pane on the screen.

    python -m tests.benchmarks.sweep_window_times [--rate 200] [--only "four curves"]

Of the largest sweeps all but the last LIVE_ROWS rows are there when it begins, as when one is
resumed; what opening these takes is not counted. No GPU is needed: what is measured is the window.
Run with QT_QPA_PLATFORM=offscreen where there is no display.
"""

import gc
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from lnexplorer.domain.sweep.cells import CellResult, all_cells, in_good_order
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest
from lnexplorer.engine.sources import Source
from lnexplorer.engine.sweep_events import CellFinished, SweepEnded, SweepEvent, SweepStarted
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.kit.theme import DARK, Theme, apply_style, apply_theme
from lnexplorer.gui.panes.sweep.controller import SweepThread
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.store.database import NAME
from tests.benchmarks.event_loop import EventLoopWatch
from tests.gui.sample_sweeps import invented_row
from tests.programs import described

WARM_UP_SECONDS = 1.0
LIVE_ROWS = 1500  # rows that arrive while it is measured, of a sweep that has more than MOST_LIVE
MOST_LIVE = 5000
RIVALS = ("locked", "persistent", "split")


def _over_n(step: int, last: int = 16384) -> SweepRequest:
    return replace(
        TUTORIAL.sweep,
        axes=(Axis(name="n", values=tuple(range(1024, last, step))),),
        strategies=RIVALS,
    )


SWEEPS = {
    "tutorial's curve": TUTORIAL.sweep,
    "four curves": _over_n(38),
    "curves of 4,000": _over_n(3, 1024 + 3000),
    "curves of 20,000": _over_n(3, 1024 + 15_000),
    "map of 40 × 40": SweepRequest(
        base=TUTORIAL.sweep.base,
        axes=(
            Axis(name="n", values=tuple(range(1024, 1024 + 64 * 40, 64))),
            Axis(name="group_size_m", values=tuple(range(1, 41))),
        ),
    ),
}


@cache
def rows_of(sweep: SweepRequest) -> tuple[list[CellResult], list[CellResult]]:
    """What is there beforehand, and what arrives."""
    rows = [invented_row(sweep, cell) for cell in in_good_order(sweep, all_cells(sweep))]
    before = len(rows) - LIVE_ROWS if len(rows) > MOST_LIVE else 0
    return rows[:before], rows[before:]


class InventedRun:
    """Rows at a steady rate, made beforehand, kept as the engine's runner keeps them."""

    rate = 200.0

    def __init__(
        self,
        make_source: Callable[[], Source],
        on_event: Callable[[SweepEvent], None],
        **options: Any,
    ) -> None:
        self._make_source = make_source
        self._tell = on_event
        self._keep = options["keep"]
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.start = self._thread.start
        self.join = self._thread.join

    def cancel(self) -> None:
        """It has ended when this is asked."""

    def _work(self) -> None:
        rows = rows_of(self._make_source().sweep)[1]
        total, began = len(rows), time.monotonic()
        self._tell(SweepStarted(total, 0))
        for number, row in enumerate(rows):
            time.sleep(max(began + number / self.rate - time.monotonic(), 0))
            self._keep(row)
            self._tell(CellFinished(row, number + 1, total, (total - number) / self.rate))
        self._tell(SweepEnded("finished", None, time.monotonic() - began, 0.0))


def main() -> None:
    """Print the longest time without a turn of the event loop, for curves and for a map."""
    parser = described(__doc__)
    parser.add_argument("--rate", type=float, default=200.0, metavar="ROWS", help="rows a second")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="of the sweeps whose name has this text"
    )
    options = parser.parse_args()
    InventedRun.rate = options.rate
    application = QApplication([])
    apply_style(application, DARK)
    for name, sweep in SWEEPS.items():
        if options.only in name:
            watch = longest_block(application, sweep)
            cells = f"{len(all_cells(sweep))} cells at {options.rate:.0f}/s"
            print(
                f"{name:17} {cells}: {watch.longest_ms:.0f} ms, {watch.longest_work_ms:.0f} ms of"
                " them at work"
            )


def longest_block(application: QApplication, sweep: SweepRequest) -> EventLoopWatch:
    """How long the event loop did not turn while a sweep ran."""
    with tempfile.TemporaryDirectory() as folder:
        delivery, pane = Delivery(), SweepPane()
        history = HistoryThread(Path(folder) / NAME, delivery)
        thread = SweepThread(history, make_run=InventedRun)  # type: ignore[arg-type]
        pane.resize(1400, 800)
        Theme.current = DARK
        apply_theme(pane)
        pane.show()
        begun: list[bool] = []
        over: list[SweepEvent] = []

        def show(event: SweepEvent) -> None:
            match event:
                case CellFinished(result, done, total, remaining):
                    pane.add_rows([result])
                    pane.show_progress(done, total, remaining)
                case SweepEnded():
                    over.append(event)
                case _:
                    pass

        def turn(enough: Callable[[], object]) -> None:
            while not enough():
                application.processEvents()
                time.sleep(0.001)

        rows_of(sweep)
        thread.begun.connect(lambda shown, _rows: pane.show_sweep(shown, rows_of(sweep)[0]))
        thread.begun.connect(lambda *_: begun.append(True))
        thread.received.connect(show)
        thread.run(sweep, ("cuda:0",))
        turn(lambda: begun)
        opened = time.monotonic() + (WARM_UP_SECONDS if rows_of(sweep)[0] else 0.0)
        turn(lambda: time.monotonic() > opened)  # what was there beforehand is shown
        gc.set_threshold(50_000)  # as the window does
        watch = EventLoopWatch()
        watch.start()
        turn(lambda: over)
        watch.stop()
        thread.close()
        history.close()
        delivery.close()
        pane.close()
        pane.deleteLater()
        application.processEvents()
    return watch


if __name__ == "__main__":
    main()

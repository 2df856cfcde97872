"""How long a sweep keeps the window's event loop: rows come from an invented worker, 200 a second, into the pane on the
screen.

    python -m tests.benchmarks.sweep_window_times [--rate 200] [--cells 1600] [--only "four curves"]

Of the largest sweeps all but the last LIVE_ROWS rows are there when it begins, as when one is resumed; what
opening these takes is not counted.
No GPU is needed: what is measured is the window. Run with QT_QPA_PLATFORM=offscreen where there is no display.
"""

import argparse
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
from lnexplorer.engine.sweep import CellFinished, SweepEnded, SweepEvent, SweepProgress, SweepStarted
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.responsive import Delivery
from lnexplorer.gui.shell.style import apply_style
from lnexplorer.gui.sweep.pane import SweepPane
from lnexplorer.gui.sweep.runner import SweepThread
from lnexplorer.store.database import NAME
from tests.benchmarks.event_loop import EventLoopWatch
from tests.gui.sample_sweeps import invented_row

SIZE = (1400, 800)
WARM_UP_SECONDS = 1.0
LIVE_ROWS = 1500  # rows that arrive while it is measured, of a sweep that has more than MOST_LIVE
MOST_LIVE = 5000
LARGE = (4_000, 20_000)  # cells of curves; the second is the most that a sweep may have


class InventedRun:
    """Rows at a steady rate, made beforehand, kept as the engine's runner keeps them."""

    rate = 200.0

    def __init__(self, sweep: SweepRequest, on_event: Callable[[SweepEvent], None], **options: Any) -> None:
        self._tell, self._keep = on_event, options["keep"]
        self._rows = rows_of(sweep)[1]
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._over = False

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def pause(self) -> None:
        """Not used."""

    def resume(self) -> None:
        """Not used."""

    def cancel(self) -> None:
        """End."""
        self._over = True

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the end."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        total = len(self._rows)
        self._tell(SweepStarted(total, 0))
        began = time.monotonic()
        for number, row in enumerate(self._rows):
            time.sleep(max(began + number / self.rate - time.monotonic(), 0))
            if self._over:
                break
            self._keep(row)
            self._tell(CellFinished(row))
            self._tell(SweepProgress(number + 1, total, (total - number) / self.rate))
        self._tell(SweepEnded("finished", None, time.monotonic() - began, 0.0))


@cache
def rows_of(sweep: SweepRequest) -> tuple[list[CellResult], list[CellResult]]:
    """What is there beforehand, and what arrives."""
    rows = [invented_row(sweep, cell) for cell in in_good_order(sweep, all_cells(sweep))]
    before = len(rows) - LIVE_ROWS if len(rows) > MOST_LIVE else 0
    return rows[:before], rows[before:]


def main() -> None:
    """Print the longest time without a turn of the event loop, for curves and for a map."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=200.0, metavar="ROWS", help="rows a second")
    parser.add_argument("--cells", type=int, default=1600, help="cells of the map; the curves have about as many")
    parser.add_argument("--only", default="", metavar="TEXT", help="of the sweeps whose name has this text")
    options = parser.parse_args()
    InventedRun.rate = options.rate
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    application.setStyle("Fusion")
    apply_style(application, DARK)
    side = max(int(options.cells**0.5), 2)
    step = max(15 * 1024 * 4 // options.cells, 16)
    sweeps = {
        "tutorial's curve": TUTORIAL.sweep,
        "four curves": replace(
            TUTORIAL.sweep,
            axes=(Axis(name="n", values=tuple(range(1024, 16384, step))),),
            strategies=("locked", "persistent", "split"),
        ),
        **{f"curves of {cells}": _curves_of(cells) for cells in LARGE},
        f"map of {side} × {side}": SweepRequest(
            base=TUTORIAL.sweep.base,
            axes=(
                Axis(name="n", values=tuple(range(1024, 1024 + 64 * side, 64))),
                Axis(name="group_size_m", values=tuple(range(1, side + 1))),
            ),
        ),
    }
    for name, sweep in sweeps.items():
        if options.only not in name:
            continue
        away, at_work = longest_block(application, sweep)
        print(
            f"{name:17} {len(all_cells(sweep)):5} cells at {options.rate:.0f}/s: {away:.0f} ms, {at_work:.0f} ms of them at work"
        )


def _curves_of(cells: int) -> SweepRequest:
    """Three strategies and a peer, over so many values of N that there are so many cells."""
    values = tuple(range(1024, 1024 + 3 * (cells // 4), 3))
    return replace(TUTORIAL.sweep, axes=(Axis(name="n", values=values),), strategies=("locked", "persistent", "split"))


def longest_block(application: QApplication, sweep: SweepRequest) -> tuple[float, float]:
    """The longest time in ms in which the event loop did not turn while a sweep ran, and the most that a turn computed.

    Where other programs want the processors, the first is longer than the second.
    """
    with tempfile.TemporaryDirectory() as folder:
        delivery, pane = Delivery(), SweepPane()
        thread = SweepThread(Path(folder) / NAME, delivery, make_run=InventedRun)  # type: ignore[arg-type]
        pane.resize(*SIZE)
        pane.apply_theme(DARK)
        pane.show()
        over: list[SweepEvent] = []

        def show(event: SweepEvent) -> None:
            match event:
                case CellFinished(result):
                    pane.add_rows([result])
                case SweepProgress(done, total, remaining):
                    pane.show_progress(done, total, remaining)
                case SweepEnded():
                    over.append(event)
                case _:
                    pass

        thread.begun.connect(lambda shown, _rows: pane.show_sweep(shown, rows_of(sweep)[0]))
        thread.received.connect(show)
        warm = time.monotonic() + WARM_UP_SECONDS
        while time.monotonic() < warm:
            application.processEvents()
        begun: list[bool] = []
        thread.begun.connect(lambda *_: begun.append(True))
        thread.run(sweep, ("cuda:0",))
        while not begun:  # rows are invented before the sweep begins, which takes this thread's time
            application.processEvents()
        opened = time.monotonic() + (WARM_UP_SECONDS if rows_of(sweep)[0] else 0.0)
        while time.monotonic() < opened:  # what was there beforehand is shown
            application.processEvents()
        gc.freeze()  # as the window does
        watch, at_work = EventLoopWatch(), 0.0
        watch.start()
        while not over:
            before = time.thread_time()
            application.processEvents()
            at_work = max(at_work, 1000 * (time.thread_time() - before))
            time.sleep(0.001)
        longest = watch.stop()
        thread.close()
        delivery.close()
        pane.close()
        pane.deleteLater()
        application.processEvents()
    return longest, at_work


if __name__ == "__main__":
    main()

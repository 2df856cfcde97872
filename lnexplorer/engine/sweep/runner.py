"""A sweep that runs by itself on a thread of its own, and tells a listener what happens."""

import logging
import queue
import threading
from collections.abc import Callable, Collection, Sequence

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.pool import Lane
from lnexplorer.engine.sweep.conduct import Conduct
from lnexplorer.engine.sweep.events import SweepEvent
from lnexplorer.engine.sweep.sources import Grid, Source

_log = logging.getLogger(__name__)


def _keep_nothing(_: CellResult) -> None:
    """Rows are only told."""


class SweepRunner:
    """One sweep over a pool of workers, one for each device. No method waits, `join` apart; all may be called from any thread.

    The workers belong to the sweep and are gone when `SweepEnded` is told. A cell that hangs or takes its worker with it costs
    its own row and nothing else.

    Args:
        sweep: one that `check_sweep` passes.
        on_event: hears every SweepEvent, on the sweep's thread; it must return quickly.
        devices: "auto", "cuda:N" …: one worker each.
        done: numbers of the cells that have a row from before and are not measured again.
        keep: keeps a row, before it is told, on the sweep's thread. Where it raises ExplainedError, the sweep pauses and says
            why; `resume` tries again, so that no row is lost.
        step_seconds: time for one step of a cell, such as its compilation; None takes what is usual.
        source: where cells come from, if not the grid of `sweep`.
        command: the worker's program, if not this package's.
        deadlines: how long a worker may take to start, and to show a sign of life.
    """

    def __init__(
        self,
        sweep: SweepRequest,
        on_event: Callable[[SweepEvent], None],
        *,
        devices: Sequence[str] = ("auto",),
        done: Collection[int] = (),
        keep: Callable[[CellResult], None] = _keep_nothing,
        step_seconds: float | None = None,
        source: Source | None = None,
        command: Sequence[str] | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._on_event = on_event
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._conduct = Conduct(sweep, source or Grid(sweep, done), self._emit, keep, step_seconds)
        self._lanes = [Lane(device, self._conduct, self._inbox.put, command, deadlines) for device in dict.fromkeys(devices)]
        self._thread = threading.Thread(target=self._work, name="sweep", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def pause(self) -> None:
        """Hand out no more cells; those that are being measured still end."""
        self._inbox.put(self._conduct.pause)

    def resume(self) -> None:
        """Go on after a pause."""
        self._inbox.put(self._conduct.resume)

    def cancel(self) -> None:
        """End now. Rows so far are kept; the cells that are being measured have none."""
        self._inbox.put(self._conduct.cancel)

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the end, and say whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        conduct = self._conduct
        try:
            conduct.start(self._lanes)
            while not conduct.over:
                try:
                    due = self._inbox.get(timeout=conduct.seconds_to_look())
                except queue.Empty:
                    due = conduct.look
                due()
        except Exception as error:  # noqa: BLE001 - see below
            # Whatever it is, the workers are let go, and whoever waits hears of the end.
            _log.exception("the sweep failed")
            conduct.fail(f"{type(error).__name__}: {error}")

    def _emit(self, event: SweepEvent) -> None:
        try:
            self._on_event(event)
        except Exception:  # noqa: BLE001 - a listener's mistake must not take the sweep with it
            _log.exception("the listener failed on %s", type(event).__name__)

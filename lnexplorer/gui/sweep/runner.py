"""Sweeps of the window: a runner, the database that has every row as it comes, and batches of events for Qt's thread."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from lnexplorer.domain.doubts import ONE_OTHER
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.sweep import CellFinished, SweepEnded, SweepEvent
from lnexplorer.gui.responsive import Delivery, log_failure
from lnexplorer.gui.sweep.events import SweepEvents
from lnkernels.sentence import Sentence, say

if TYPE_CHECKING:
    from lnexplorer.store.history import History
    from lnexplorer.store.sweeps import Sweeps

BATCH_MS = 50  # the window hears of a sweep at most 20 times a second …
BATCH_EVENTS = 200  # … and of so many events at once
CLOSE_SECONDS = 10.0


class SweepRun(Protocol):
    """What is asked of a running sweep; the engine's runner offers it."""

    def start(self) -> None:
        """Begin."""

    def pause(self) -> None:
        """Hand out no more cells."""

    def resume(self) -> None:
        """Go on."""

    def cancel(self) -> None:
        """End now."""

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the end."""


def _engine_run(sweep: SweepRequest, on_event: Callable[[Any], None], **options: Any) -> SweepRun:
    from lnexplorer.engine.sweep import SweepRunner  # noqa: PLC0415  (no work for the start of the window)

    return SweepRunner(sweep, on_event, **options)


class SweepThread(QObject):
    """One sweep at a time. Signals come on Qt's thread."""

    begun = Signal(object, list)  # SweepRequest, and the rows of before; `told` follows
    shown = Signal(object, list)  # SweepRequest and rows of a kept sweep that is only looked at
    told = Signal(list)  # SweepEvents, in order
    kept = Signal(list)  # SweepRow, newest first
    abandoned = Signal()  # a sweep that was asked for does not begin: it was cancelled, or `warned` says why
    warned = Signal(object)

    def __init__(
        self,
        path: Path,
        delivery: Delivery,
        parent: QObject | None = None,
        make_run: Callable[..., SweepRun] = _engine_run,
    ) -> None:
        super().__init__(parent)
        self._path = path
        self._delivery = delivery
        self._make_run = make_run
        self._run: SweepRun | None = None
        self._number: int | None = None
        self._history: History | None = None
        self._guard = threading.Lock()  # the store is used by the sweep's thread and by this one's
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="sweeps")
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._deliver)
        schedule = self._schedule
        self._events = SweepEvents(lambda: delivery.post(schedule))
        self._wanted = self._unwanted = False
        self._closed = False
        self._own_gpu: str | None = None

    @property
    def busy(self) -> bool:
        """Whether a sweep runs, or is about to."""
        return self._wanted or self._run is not None

    def set_own_gpu(self, device: str | None) -> None:
        """On which GPU ("cuda:0") the window's own worker is, which idles while a sweep runs; None where it is on none."""
        self._own_gpu = device

    def run(self, sweep: SweepRequest, devices: Sequence[str]) -> None:
        """Begin a sweep; nothing while another one runs."""
        self._begin(lambda: (sweep, []), devices, None)

    def go_on(self, number: int, devices: Sequence[str]) -> None:
        """Go on with a kept sweep, without measuring again what has a row."""

        def load() -> tuple[SweepRequest, list[CellResult]]:
            kept = self._opened().load(number)
            return kept.sweep, list(kept.results)

        self._begin(load, devices, number)

    def show(self, number: int) -> None:
        """Load a kept sweep to look at."""

        def work() -> None:
            with self._guard:
                kept = self._opened().load(number)
            self._delivery.post(lambda: self.shown.emit(kept.sweep, list(kept.results)))

        self._submit(work)

    def look_at(self, sweep: SweepRequest, results: list[CellResult]) -> None:
        """Show a sweep that comes from elsewhere; nothing while one runs."""
        if not self.busy:
            self.shown.emit(sweep, results)

    def list_kept(self) -> None:
        """Ask which sweeps are kept."""
        self._submit(self._tell_kept)

    def pause(self) -> None:
        """Hand out no more cells."""
        if self._run is not None:
            self._run.pause()

    def resume(self) -> None:
        """Go on after a pause."""
        if self._run is not None:
            self._run.resume()

    def cancel(self) -> None:
        """End now; rows so far are kept. A sweep that is about to begin does not."""
        self._unwanted = self._wanted
        if self._run is not None:
            self._run.cancel()

    def close(self) -> None:
        """End the sweep and the thread, in bounded time. The sweep is offered again at the next start."""
        if self._closed:
            return
        self._closed = True
        self._timer.stop()
        run, self._run = self._run, None
        if run is not None:
            run.cancel()
            run.join(CLOSE_SECONDS)
        self._pool.submit(self._close_store).add_done_callback(log_failure)
        self._pool.shutdown(wait=True)

    def _begin(
        self, load: Callable[[], tuple[SweepRequest, list[CellResult]]], devices: Sequence[str], number: int | None
    ) -> None:
        if self.busy:
            return
        self._wanted, self._unwanted = True, False

        def work() -> None:
            try:
                with self._guard:
                    sweep, results = load()
                options = self._search_options(sweep, results)
                with self._guard:
                    self._number = self._noted(sweep, number)
            except BaseException:
                self._delivery.post(self._give_up)
                raise
            options["done"] = frozenset(result.cell.number for result in results)
            self._delivery.post(lambda: self._start(sweep, results, devices, options))

        self._submit(work)

    def _search_options(self, sweep: SweepRequest, results: list[CellResult]) -> dict[str, Any]:
        """What a search needs besides; Optuna is loaded here, on this object's thread, for it takes a second.

        Raises:
            StoreError: Optuna is not installed.
        """
        if not sweep.search:
            return {}
        from lnexplorer.engine.sources import Search, why_no_search  # noqa: PLC0415
        from lnexplorer.store.files import StoreError  # noqa: PLC0415

        if why_no_search():
            raise StoreError(say("A search needs Optuna: pip install 'lnexplorer[search]'."))
        return {"source": Search(sweep, results)}

    def _noted(self, sweep: SweepRequest, number: int | None) -> int | None:
        """The sweep's number in the database; None where it cannot be kept, which is told.

        Raises:
            SweepInUseError: another window, or a command, is at it.
        """
        from lnexplorer.domain.sweep.cells import all_cells  # noqa: PLC0415
        from lnexplorer.store.files import StoreError  # noqa: PLC0415
        from lnexplorer.store.sweeps import SweepInUseError  # noqa: PLC0415

        try:
            store = self._opened()
            if number is not None:
                store.go_on(number)
                return number
            return store.begin(sweep, sweep.search or len(all_cells(sweep)))
        except SweepInUseError:
            raise  # two programs would measure, and keep, the same rows
        except StoreError as error:
            self._warn(say("{error} Its rows are on the screen only.", error=error.sentence))
            return None

    def _start(self, sweep: SweepRequest, results: list[CellResult], devices: Sequence[str], options: dict[str, Any]) -> None:
        if self._closed:
            return
        if self._unwanted:
            number, self._number = self._number, None
            if number is not None:
                self._submit(lambda: self._note_end(number, "cancelled"))
            self._give_up()
            return
        self._wanted = False
        self._run = self._make_run(sweep, self._hear, devices=tuple(devices), keep=self._keep, **options)
        self.begun.emit(sweep, results)
        self._run.start()

    def _give_up(self) -> None:
        self._wanted = False
        self.abandoned.emit()

    def _hear(self, event: SweepEvent) -> None:
        self._events.put(CellFinished(self._without_own(event.result)) if isinstance(event, CellFinished) else event)

    def _keep(self, result: CellResult) -> None:
        """Write a row, on the sweep's thread. An error of the store pauses the sweep, which says why."""
        if self._number is not None:
            with self._guard:
                self._opened().add(self._number, self._without_own(result))

    def _without_own(self, result: CellResult) -> CellResult:
        """The row without the doubt that another process was on the GPU, where that is this window's idle worker alone."""
        if result.device != self._own_gpu or ONE_OTHER not in result.notes:
            return result
        return replace(result, notes=tuple(note for note in result.notes if note != ONE_OTHER))

    def _schedule(self) -> None:
        waited = self._since.elapsed() if self._since.isValid() else BATCH_MS
        if not self._timer.isActive() and not self._closed:
            self._timer.start(max(BATCH_MS - int(waited), 0))

    def _deliver(self) -> None:
        self._since.start()
        batch = self._events.take(BATCH_EVENTS)
        if len(batch) == BATCH_EVENTS:
            self._timer.start(BATCH_MS)
        ended = next((event for event in batch if isinstance(event, SweepEnded)), None)
        if ended is not None:
            number, self._number, self._run = self._number, None, None
            if number is not None:
                self._submit(lambda: self._note_end(number, ended.how))
        if batch:
            self.told.emit(batch)

    def _note_end(self, number: int, how: str) -> None:
        with self._guard:
            self._opened().end(number, how)
        self._tell_kept()

    def _tell_kept(self) -> None:
        with self._guard:
            rows = self._opened().rows()
        self._delivery.post(lambda: self.kept.emit(rows))

    def _opened(self) -> "Sweeps":
        from lnexplorer.store.history import History  # noqa: PLC0415  (no work for the start of the window)

        if self._history is None:
            self._history = History(self._path, self._warn)
        return self._history.sweeps

    def _close_store(self) -> None:
        if self._history is not None:
            self._history.close()

    def _submit(self, work: Callable[[], None]) -> None:
        if not self._closed:
            self._pool.submit(self._guarded, work).add_done_callback(log_failure)

    def _guarded(self, work: Callable[[], None]) -> None:
        from lnexplorer.store.files import StoreError  # noqa: PLC0415

        try:
            work()
        except StoreError as error:
            self._warn(error.sentence)

    def _warn(self, sentence: Sentence) -> None:
        self._delivery.post(lambda: self.warned.emit(sentence))

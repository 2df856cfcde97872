"""Sweeps of the window: the engine's runner, and the database that has every row as it comes."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain.doubts import ONE_OTHER
from lnexplorer.domain.sweep.cells import CellResult, kernels_left_out, kernels_of
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.cluster import Cluster
from lnexplorer.engine.sources import Search, why_no_search
from lnexplorer.engine.sweep import CellFinished, SweepEnded, SweepEvent, SweepRunner
from lnexplorer.gui.responsive import Background, Delivery
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History
from lnexplorer.store.sweeps import SweepInUseError, Sweeps
from lnkernels.launch.source import KernelSource
from lnkernels.sentence import Sentence, say

CLOSE_SECONDS = 10.0
Kept = tuple[SweepRequest, list[CellResult]]


class SweepThread(QObject):
    """One sweep at a time. Signals come on Qt's thread."""

    begun = Signal(object, list)  # SweepRequest, and the rows of before; `received` follows
    shown = Signal(object, list)  # SweepRequest and rows of a kept sweep that is only looked at
    received = Signal(object)  # SweepEvent, in order
    noted = Signal()  # in the history something else is said of a sweep now
    abandoned = Signal()  # a sweep that was asked for does not begin: it was cancelled, or `warned` says why
    warned = Signal(object)

    def __init__(
        self,
        path: Path,
        delivery: Delivery,
        parent: QObject | None = None,
        make_run: Callable[..., SweepRunner] = SweepRunner,
    ) -> None:
        super().__init__(parent)
        self._path, self._make_run = path, make_run
        self._run: SweepRunner | None = None
        self._number: int | None = None  # in the database; None where the sweep cannot be kept
        self._history: History | None = None
        self._guard = threading.Lock()  # the store is used by the sweep's thread and by the one in the background
        self._background = Background(delivery, "sweeps", self)
        self._background.warned.connect(self.warned)
        self._background.failed.connect(self._fail)
        self._wanted = self._unwanted = self._closed = False
        self._own_gpu: str | None = None

    @property
    def busy(self) -> bool:
        return self._wanted or self._run is not None

    def set_own_gpu(self, device: str | None) -> None:
        """On which GPU ("cuda:0") the window's own worker is, which idles while a sweep runs; None where it is on none."""
        self._own_gpu = device

    def run(self, sweep: SweepRequest, devices: Sequence[str], cluster: str = "", kernel: KernelSource | None = None) -> None:
        """Begin a sweep, on the Dask workers of a cluster where one is named; nothing while another one runs."""
        self._begin(lambda: (sweep, []), devices, cluster, None, kernel)

    def go_on(
        self,
        number: int,
        devices: Sequence[str],
        cluster: str = "",
        kernel: KernelSource | None = None,
        offered: Sequence[str] = (),
    ) -> None:
        """Go on with a kept sweep, without measuring again what has a row; `offered` are providers that the worker has."""

        def load() -> Kept:
            sweep, results = self._load(number)
            if left := kernels_left_out(sweep, kernels_of(sweep, kernel), offered):
                names = ", ".join(left)
                raise StoreError(
                    say("Sweep {sweep} has {names}, of your own: watch its file in Run first.", sweep=number, names=names)
                )
            return sweep, results

        self._begin(load, devices, cluster, number, kernel)

    def show(self, number: int) -> None:
        self._background.do(lambda: self._load(number), lambda kept: self.shown.emit(*kept))

    def pause(self) -> None:
        if self._run is not None:
            self._run.pause()

    def resume(self) -> None:
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
        if self._run is not None:
            self._run.cancel()
            self._run.join(CLOSE_SECONDS)
        self._background.do(self._close_history)
        self._background.close()

    def _begin(
        self,
        load: Callable[[], Kept],
        devices: Sequence[str],
        cluster: str,
        number: int | None,
        kernel: KernelSource | None,
    ) -> None:
        if self.busy:
            return
        self._wanted, self._unwanted = True, False

        def work() -> tuple[Kept, int | None, dict[str, Any]]:
            sweep, results = load()
            options: dict[str, Any] = {"done": frozenset(result.cell.number for result in results), "devices": tuple(devices)}
            options["kernels"] = kernels_of(sweep, kernel)
            if cluster:
                options["cluster"] = partial(Cluster, cluster)
            if sweep.search:
                if why_no_search():
                    raise StoreError(say("A search needs Optuna: pip install 'lnexplorer[search]'."))
                options["source"] = Search(sweep, results)  # on this thread, for Optuna takes a second to load
            return (sweep, results), self._note_begin(sweep, number), options

        self._background.do(work, lambda ready: self._start(*ready), otherwise=self._fail)

    def _start(self, kept: Kept, number: int | None, options: dict[str, Any]) -> None:
        if self._unwanted:
            self._note_end(number, "cancelled")
            self._give_up()
            return
        self._wanted, self._number = False, number
        self._run = self._make_run(kept[0], self._hear, keep=self._keep, **options)
        self.begun.emit(*kept)
        self.noted.emit()
        self._run.start()

    def _fail(self, sentence: Sentence) -> None:
        if self._wanted:
            self._give_up()
        self.warned.emit(sentence)

    def _give_up(self) -> None:
        self._wanted = False
        self.abandoned.emit()

    def _hear(self, event: SweepEvent) -> None:
        known = replace(event, result=self._without_own(event.result)) if isinstance(event, CellFinished) else event
        self._background.tell(self._tell, known)

    def _tell(self, event: SweepEvent) -> None:
        if isinstance(event, SweepEnded):
            self._note_end(self._number, event.how)
            self._run = self._number = None
        self.received.emit(event)

    def _keep(self, result: CellResult) -> None:
        """Write a row, on the sweep's thread. An error of the store pauses the sweep, which says why."""
        if self._number is not None:
            with self._guard:
                self._sweeps().add(self._number, self._without_own(result))

    def _without_own(self, result: CellResult) -> CellResult:
        """The row without the doubt that another process was on the GPU, where that is this window's idle worker alone."""
        if result.device != self._own_gpu or ONE_OTHER not in result.notes:
            return result
        return replace(result, notes=tuple(note for note in result.notes if note != ONE_OTHER))

    def _note_begin(self, sweep: SweepRequest, number: int | None) -> int | None:
        """The sweep's number in the database; None where it cannot be kept, and says so.

        Raises:
            SweepInUseError: another window, or a command, is at it.
        """
        try:
            with self._guard:
                return self._sweeps().begin(sweep, number)
        except SweepInUseError:
            raise  # two programs would measure, and keep, the same rows
        except StoreError as error:
            self._warn(say("{error} Its rows are on the screen only.", error=error.sentence))
            return None

    def _note_end(self, number: int | None, how: str) -> None:
        def work() -> None:
            if number is not None:
                with self._guard:
                    self._sweeps().end(number, how)

        self._background.do(work, lambda _: self.noted.emit())

    def _load(self, number: int) -> Kept:
        with self._guard:
            kept = self._sweeps().load(number)
        return kept.sweep, list(kept.results)

    def _sweeps(self) -> Sweeps:
        if self._history is None:
            self._history = History(self._path, self._warn)
        return self._history.sweeps

    def _close_history(self) -> None:
        if self._history is not None:
            self._history.close()

    def _warn(self, sentence: Sentence) -> None:
        self._background.tell(self.warned.emit, sentence)

"""Sweeps of the window: the engine's runner, and the history that keeps every row as it comes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from lnexplorer.domain.doubts import ONE_OTHER
from lnexplorer.domain.sweep.cells import CellResult, kernels_left_out, kernels_of
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.search import source_of
from lnexplorer.engine.sources import Source
from lnexplorer.engine.sweep import SweepRunner
from lnexplorer.engine.sweep_events import CellFinished, SweepEnded, SweepEvent, SweepStarted
from lnexplorer.gui.session.history import TEND_MS, HistoryThread
from lnexplorer.store.files import StoreError
from lnexplorer.store.sweep_keeper import KeptSweep, SweepKeeper
from lnkernels.launch.source import KernelSource
from lnkernels.values.sentence import say

CLOSE_SECONDS = 10.0


class SweepThread(QObject):
    """Runs one sweep at a time, and emits what it reports on Qt's thread."""

    begun = Signal(object, list)  # SweepRequest and rows from before; `received` follows
    received = Signal(object)  # SweepEvent, in order
    abandoned = Signal()  # a sweep does not begin: it was cancelled, or the history warns why

    def __init__(
        self,
        history: HistoryThread,
        parent: QObject | None = None,
        make_run: Callable[..., SweepRunner] = SweepRunner,
    ) -> None:
        super().__init__(parent)
        self._history = history
        self._make_run = make_run
        self._run: SweepRunner | None = None
        self._keeper = SweepKeeper(history.wait_for, self._warn)
        self._kept: KeptSweep | None = None  # the sweep under way, once it is known
        self._begun = False
        self._closing = False
        self.own_gpu: str | None = None  # of the window's worker ("cuda:0"), which idles meanwhile
        # While rows are added, the history shows every so often how many.
        self._noting = QTimer(self, interval=TEND_MS)
        self._noting.timeout.connect(partial(history.changed.emit, "sweeps"))

    @property
    def busy(self) -> bool:
        return self._run is not None

    def run(
        self,
        wanted: SweepRequest | int,
        devices: Sequence[str],
        cluster: str = "",
        kernel: KernelSource | None = None,
        offered: Sequence[str] = (),
    ) -> None:
        """Begin a sweep, or resume a kept one by its number; nothing while one runs.

        Args:
            wanted: the sweep or the number.
            devices: those of this machine.
            cluster: address of a Dask cluster; empty for this machine.
            kernel: the user's own.
            offered: providers that the worker has, of which a kept sweep may need some.
        """
        if self.busy:
            return

        def make_source() -> Source:
            kept = (
                self._keeper.load(wanted)
                if isinstance(wanted, int)
                else KeptSweep(None, wanted, ())
            )
            kernels = kernels_of(kept.sweep, kernel)
            left = kernels_left_out(kept.sweep, kernels, offered)
            if left and kept.number is not None:
                raise StoreError(
                    say(
                        "Sweep {sweep} has {names}, of your own: watch its file in Run first.",
                        sweep=kept.number,
                        names=", ".join(left),
                    )
                )
            source = source_of(kept.sweep, kept.results, kernels)
            self._keeper.begin(kept.sweep, kept.number)
            self._kept = kept
            return source

        self._begun = False
        self._run = self._make_run(
            make_source,
            self._hear,
            devices=tuple(devices),
            keep=lambda result: self._keeper.add(self._without_own(result)),
            cluster=cluster or None,
        )
        self._run.start()

    def pause(self) -> None:
        if self._run is not None:
            self._run.pause()

    def resume(self) -> None:
        if self._run is not None:
            self._run.resume()

    def cancel(self) -> None:
        """End now; rows so far are kept."""
        if self._run is not None:
            self._run.cancel()

    def close(self) -> None:
        """End the sweep, in bounded time. It is offered again at the next start."""
        self._closing = True
        self._noting.stop()
        if self._run is not None:
            self._run.cancel()
            self._run.join(CLOSE_SECONDS)

    def _hear(self, event: SweepEvent) -> None:
        """Take an event, on the sweep's thread."""
        if isinstance(event, CellFinished):
            event = replace(event, result=self._without_own(event.result))
        elif isinstance(event, SweepEnded) and not self._closing:
            self._keeper.end(event.how)
        self._history.tell(self._forward, event)

    def _forward(self, event: SweepEvent) -> None:
        if isinstance(event, SweepStarted) and self._kept is not None:
            self._begun = True
            self.begun.emit(self._kept.sweep, list(self._kept.results))
            self._noting.start()
        if not isinstance(event, SweepEnded):
            self.received.emit(event)
            return
        self._noting.stop()
        self._run = None
        self._history.changed.emit("sweeps")
        if self._begun:
            self.received.emit(event)
        else:
            if event.sentence is not None:
                self._history.warned.emit(event.sentence)
            self.abandoned.emit()

    def _without_own(self, result: CellResult) -> CellResult:
        """Drop the doubt that another process was on the GPU, if that is this window's idle worker
        alone.
        """
        if result.device != self.own_gpu or ONE_OTHER not in result.notes:
            return result
        return replace(result, notes=tuple(note for note in result.notes if note != ONE_OTHER))

    def _warn(self, error: StoreError) -> None:
        sentence = say("{error} Its rows are on the screen only.", error=error.sentence)
        self._history.tell(self._history.warned.emit, sentence)

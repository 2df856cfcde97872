"""Sweeps of the window: the engine's runner, and the history that has every row as it comes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from lnexplorer.domain.doubts import ONE_OTHER
from lnexplorer.domain.sweep.cells import CellResult, kernels_left_out, kernels_of
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.cluster import Cluster
from lnexplorer.engine.sources import Search, why_no_search
from lnexplorer.engine.sweep import CellFinished, SweepEnded, SweepEvent, SweepRunner
from lnexplorer.gui.session.history import TEND_MS, HistoryThread
from lnexplorer.store.files import StoreError
from lnexplorer.store.sweeps import SweepInUseError
from lnkernels.launch.source import KernelSource
from lnkernels.values.sentence import say

CLOSE_SECONDS = 10.0
Kept = tuple[SweepRequest, list[CellResult]]


class SweepThread(QObject):
    """One sweep at a time. Signals come on Qt's thread."""

    begun = Signal(object, list)  # SweepRequest, and the rows of before; `received` follows
    shown = Signal(object, list)  # SweepRequest and rows of a kept sweep that is only looked at
    received = Signal(object)  # SweepEvent, in order
    abandoned = (
        Signal()
    )  # a sweep that was asked for does not begin: it was cancelled, or the history warns why

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
        self._number: int | None = None  # in the history; None where the sweep cannot be kept
        self._wanted = self._unwanted = False
        self._own_gpu: str | None = None
        self._noting = QTimer(
            self, interval=TEND_MS
        )  # while rows are added, so soon the history shows how many
        self._noting.timeout.connect(partial(history.changed.emit, "sweeps"))

    @property
    def busy(self) -> bool:
        return self._wanted or self._run is not None

    def set_own_gpu(self, device: str | None) -> None:
        """On which GPU ("cuda:0") the window's own worker is, which idles while a sweep runs; None
        where it is on none.
        """
        self._own_gpu = device

    def run(
        self,
        sweep: SweepRequest,
        devices: Sequence[str],
        cluster: str = "",
        kernel: KernelSource | None = None,
    ) -> None:
        """Begin a sweep, on the Dask workers of a cluster where one is named; nothing while another
        one runs.
        """
        self._begin(lambda: (sweep, []), devices, cluster, None, kernel)

    def go_on(
        self,
        number: int,
        devices: Sequence[str],
        cluster: str = "",
        kernel: KernelSource | None = None,
        offered: Sequence[str] = (),
    ) -> None:
        """Go on with a kept sweep, without measuring again what has a row; `offered` are providers
        that the worker has.
        """

        def load() -> Kept:
            sweep, results = self._load(number)
            if left := kernels_left_out(sweep, kernels_of(sweep, kernel), offered):
                names = ", ".join(left)
                raise StoreError(
                    say(
                        "Sweep {sweep} has {names}, of your own: watch its file in Run first.",
                        sweep=number,
                        names=names,
                    )
                )
            return sweep, results

        self._begin(load, devices, cluster, number, kernel)

    def show(self, number: int) -> None:
        self._history.do(lambda: self._load(number), lambda kept: self.shown.emit(*kept))

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
        """End the sweep, in bounded time. It is offered again at the next start."""
        self._noting.stop()
        if self._run is not None:
            self._run.cancel()
            self._run.join(CLOSE_SECONDS)

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
        self._wanted = True
        self._unwanted = False

        def prepare() -> tuple[Kept, int | None, dict[str, Any]]:
            sweep, results = load()
            options: dict[str, Any] = {
                "done": frozenset(result.cell.number for result in results),
                "devices": tuple(devices),
            }
            options["kernels"] = kernels_of(sweep, kernel)
            if cluster:
                options["cluster"] = partial(Cluster, cluster)
            if sweep.search:
                if why_no_search():
                    raise StoreError(
                        say("A search needs Optuna: pip install 'lnexplorer[search]'.")
                    )
                options["source"] = Search(
                    sweep, results
                )  # on this thread, for Optuna takes a second to load
            return (sweep, results), self._note_begin(sweep, number), options

        def work() -> tuple[Kept, int | None, dict[str, Any]]:
            try:
                return prepare()
            except Exception:
                self._history.tell(self._give_up)
                raise

        self._history.do(work, lambda ready: self._start(*ready))

    def _start(self, kept: Kept, number: int | None, options: dict[str, Any]) -> None:
        if self._unwanted:
            self._note_end(number, "cancelled")
            self._give_up()
            return
        self._wanted = False
        self._number = number
        self._run = self._make_run(kept[0], self._hear, keep=self._keep, **options)
        self.begun.emit(*kept)
        self._history.changed.emit("sweeps")
        self._noting.start()
        self._run.start()

    def _give_up(self) -> None:
        self._wanted = False
        self.abandoned.emit()

    def _hear(self, event: SweepEvent) -> None:
        known = (
            replace(event, result=self._without_own(event.result))
            if isinstance(event, CellFinished)
            else event
        )
        self._history.tell(self._tell, known)

    def _tell(self, event: SweepEvent) -> None:
        if isinstance(event, SweepEnded):
            self._noting.stop()
            self._note_end(self._number, event.how)
            self._run = self._number = None
        self.received.emit(event)

    def _keep(self, result: CellResult) -> None:
        """Write a row, on the sweep's thread. An error of the store pauses the sweep, which says
        why.
        """
        if (number := self._number) is not None:
            self._history.wait_for(
                lambda history: history.sweeps.add(number, self._without_own(result))
            )

    def _without_own(self, result: CellResult) -> CellResult:
        """The row without the doubt that another process was on the GPU, where that is this
        window's idle worker alone.
        """
        if result.device != self._own_gpu or ONE_OTHER not in result.notes:
            return result
        return replace(result, notes=tuple(note for note in result.notes if note != ONE_OTHER))

    def _note_begin(self, sweep: SweepRequest, number: int | None) -> int | None:
        """The sweep's number in the history; None where it cannot be kept, and says so.

        Raises:
            SweepInUseError: another window, or a command, is at it.
        """
        try:
            return self._history.opened().sweeps.begin(sweep, number)
        except SweepInUseError:
            raise  # two programs would measure, and keep, the same rows
        except StoreError as error:
            sentence = say("{error} Its rows are on the screen only.", error=error.sentence)
            self._history.tell(self._history.warned.emit, sentence)
            return None

    def _note_end(self, number: int | None, how: str) -> None:
        if number is not None:
            self._history.change("sweeps", lambda history: history.sweeps.end(number, how))

    def _load(self, number: int) -> Kept:
        kept = self._history.opened().sweeps.load(number)
        return kept.sweep, list(kept.results)

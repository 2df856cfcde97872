"""The controller of the Sweep pane: runs, opens and saves sweeps."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QObject, QTimer, Signal

from lnexplorer.domain.doubts import ONE_OTHER
from lnexplorer.domain.sweep.cells import CellResult, kernels_left_out, kernels_of
from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.request import FEW_ROWS, SweepRequest
from lnexplorer.engine import sweep_events as events
from lnexplorer.engine.sources import Source, source_of, why_no_search
from lnexplorer.engine.sweep import SweepRunner
from lnexplorer.engine.sweep_events import CellFinished, SweepEnded, SweepEvent, SweepStarted
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnexplorer.gui.panes.sweep.views import joined
from lnexplorer.gui.session.files import ask_where_to_save, recording_title, shown_path
from lnexplorer.gui.session.history import TEND_MS, HistoryThread
from lnexplorer.gui.session.services import HISTORY, Controller, Services
from lnexplorer.gui.session.state import SessionState
from lnexplorer.report.overlays import overlays_of, read_overlays, sweep_of
from lnexplorer.store.archive import SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import (
    RecordedSweep,
    read_recorded_sweep,
    recorded_sweep,
    title_of,
    write_recorded_sweep,
)
from lnexplorer.store.resources import resource
from lnexplorer.store.sweep_keeper import KeptSweep, SweepKeeper
from lnkernels.launch.source import KernelSource
from lnkernels.values import say

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
                    "Sweep {sweep} has {names}, of your own: watch its file in Run first.",
                    sweep=kept.number,
                    names=left,
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


class SweepController(Controller):
    opened = Signal(object, str)  # RecordedSweep, or None of a benchmark; path

    def __init__(
        self, services: Services, pane: SweepPane, sweeps: SweepThread, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._pane = pane
        self.sweeps = sweeps
        self._window = services.window
        self._session = services.session
        self._files = services.files
        pane.runRequested.connect(self._run)
        pane.list_kept.triggered.connect(lambda: services.part(HISTORY).list_sweeps())
        pane.bar.pause.clicked.connect(self._pause_or_resume)
        pane.bar.cancel.clicked.connect(self._cancel)
        pane.picture.chosen.settingChosen.connect(services.session.set_request)
        pane.form.take.clicked.connect(lambda: pane.set_base(self._session.state.request))
        pane.save.triggered.connect(self._ask_where_to_save)
        sweeps.begun.connect(self._on_begun)
        sweeps.abandoned.connect(self._on_abandoned)
        sweeps.received.connect(self._on_event)
        self._history = services.history
        self._services = services
        self._session.changed.connect(self._on_session)
        pane.aboutChanged.connect(partial(self._window.show_about, "sweep"))
        pane.retranslate()
        self._gpus = tuple(name for name in self._window.devices() if name.startswith("cuda:"))
        self._show_device(self._session.state)
        self._history.ask(lambda history: history.sweeps.rows(), pane.offer_kept, "kept sweeps")
        self._files.do(lambda: read_overlays(resource("recordings")), pane.set_overlays)

    @property
    def busy(self) -> bool:
        return self.sweeps.busy or self._pane.bar.state != "idle"

    @property
    def _devices(self) -> tuple[str, ...]:
        """The devices that the window runs on; all GPUs of the host where that is wanted."""
        gpu = self._session.state.gpu
        if self._pane.form.cluster_address:
            wish = self._services.preferences.device
            return (wish if wish.startswith("interpreter") else "auto",)
        if gpu is None:
            return (self._services.preferences.device,)
        every = self._pane.form.all_gpus.isChecked() and len(self._gpus) > 1
        return self._gpus if every else (gpu,)

    def _run(self, wanted: SweepRequest | int) -> None:
        """Run a sweep, or resume the kept one of a number.

        The GPU is the sweep's: nothing else of this window is timed beside it.
        """
        state = self._session.state
        elsewhere = self._pane.form.cluster_address
        self.sweeps.own_gpu = None if elsewhere else state.gpu
        if elsewhere and not elsewhere.startswith("local:"):
            pass  # another machine's GPUs
        elif state.device is None or state.backend == "cuda":
            self._session.stop()
            self._session.hold(
                say(
                    "A sweep is using the GPU, also while it is paused. Cancel it to run something"
                    " else."
                )
            )
        self._pane.set_state("running")
        self._pane.say(say("The sweep's workers are starting …"))
        offered = [each.name for each in state.device.offered] if state.device is not None else []
        self.sweeps.run(wanted, self._devices, elsewhere, state.own.source, offered)

    def _pause_or_resume(self) -> None:
        if self._pane.bar.state == "paused":
            self.sweeps.resume()
        else:
            self.sweeps.pause()

    def _cancel(self) -> None:
        self._pane.set_state("ending")
        self.sweeps.cancel()

    def _on_session(self, before: SessionState, after: SessionState) -> None:
        if (before.device, before.own.source) != (after.device, after.own.source):
            self._show_device(after)

    def _show_device(self, state: SessionState) -> None:
        interpreted = state.device is not None and state.backend != "cuda"
        self._pane.picture.set_interpreted(interpreted)
        if interpreted:
            self._pane.propose(FEW_ROWS.sweep)
        self._pane.form.offer_search(installed=not why_no_search(), timed=not interpreted)
        self._pane.form.offer(
            state.device.offered if state.device is not None else (), state.own.source
        )
        self._pane.form.offer_gpus(len(self._gpus) if state.backend == "cuda" else 0)

    def _on_begun(self, sweep: SweepRequest, results: list[CellResult]) -> None:
        self._pane.show_sweep(sweep, results)
        self._pane.set_state("running")

    def _on_abandoned(self) -> None:
        self._session.hold("")
        self._pane.set_state("idle")
        self._pane.say("")

    def _on_event(self, event: events.SweepEvent) -> None:
        pane = self._pane
        match event:
            case events.SweepStarted(total, kept):
                pane.bar.show_progress(kept, total)
            case events.SweepPaused(why):
                pane.set_state("paused")
                pane.say(why or say("Paused; settings that are under way still end."))
            case events.SweepResumed():
                pane.set_state("running")
            case events.SweepEnded(how, sentence, wall_seconds, _):
                self._session.hold("")
                pane.show_end(how, sentence, wall_seconds)
            case (
                events.DeviceLost(device, sentence)
                | events.WorkerReplaced(device, sentence)
                | events.TurnAwaited(device, sentence)
            ):
                pane.say(joined((device, sentence), ": "))
            case events.DeviceReady(_, facts):
                pane.picture.set_interpreted(facts.backend != "cuda")
            case events.CellFinished(result, done, total, remaining):
                pane.add_rows([result])
                pane.show_progress(done, total, remaining)
            case events.BatchMeasured():
                pass  # its rows follow
            case _:
                assert_never(event)

    def close(self) -> None:
        self.sweeps.close()

    def open(self, path: Path) -> None:
        """Show a recorded sweep, or lay the figures of a benchmark beside a sweep over N."""
        if path.suffix == SWEEP.suffix:
            self._files.do(
                lambda: read_recorded_sweep(path),
                lambda recorded: self._show_recorded(recorded, path),
            )
        else:
            self._files.do(
                lambda: (overlays_of(path), sweep_of(path)),
                lambda found: self._lay_beside(*found, path),
            )

    def _lay_beside(self, overlays: list[Overlay], sweep: SweepRequest, path: Path) -> None:
        if self._pane.lay_beside(overlays, sweep):
            self._window.show_part("sweep")
            self.opened.emit(None, str(path))
        else:
            self._session.remark(
                say("A sweep of something else is under way: end it to look at these figures.")
            )

    def open_kept(self, number: int, go_on: bool) -> None:
        if self.busy:
            self._session.remark(say("A sweep is under way: end it to look at another one."))
            return
        self._window.show_part("sweep")
        if not go_on:
            self._pane.say("")
            self._history.ask(
                lambda history: history.sweeps.load(number),
                lambda kept: self._pane.show_sweep(kept.sweep, kept.results),
            )
        elif not self._pane.form.refuse_cluster():
            self._run(number)

    def save(self, path: Path) -> None:
        """Write the sweep on show with its rows so far; nothing where there is none."""
        pane = self._pane
        if pane.model is None or not pane.model.results:
            self._session.remark(say("There is no row of a sweep to save yet."))
            return
        sweep, results, title = pane.model.sweep, list(pane.model.results.values()), path.stem

        def write() -> Path:
            write_recorded_sweep(path, recorded_sweep(sweep, results, title=title))
            return path

        self._files.do(write, self._session.tell_saved)

    def _show_recorded(self, recorded: RecordedSweep, path: Path) -> None:
        pane = self._pane
        if self.busy:
            self._session.remark(say("A sweep is under way: end it to look at a recorded one."))
            return
        self._window.show_part("sweep")
        pane.show_sweep(recorded.sweep, recorded.results)
        pane.show_progress(
            len(recorded.results), recorded.total, None, [*recorded.gpus, recorded.date[:10]]
        )
        if any(result.figures for result in recorded.results):
            # Where kernels are interpreted, errors were shown so far.
            pane.picture.bar.choose("gbps")
        self.opened.emit(recorded, str(path))
        title = recording_title(title_of(recorded))
        self._session.remark(
            say("Recorded sweep: {title} ({path})", title=title, path=shown_path(path))
        )
        if self._services.keeps:
            self._history.change("sweeps", lambda history: history.sweeps.take(recorded))

    def _ask_where_to_save(self) -> None:
        path = ask_where_to_save(
            self._services.dialogs, self.tr("Save sweep"), "sweep", SWEEP.suffix
        )
        if path is not None:
            self.save(path)


def connect(pane: SweepPane, services: Services) -> SweepController:
    return SweepController(services, pane, SweepThread(services.history, pane), pane)

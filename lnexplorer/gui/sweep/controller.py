"""Ties the Sweep pane to the desk that runs sweeps, to the session and to the form of parameters."""

import gc
from functools import partial
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject

from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine import sweep as events
from lnexplorer.engine.sources import why_no_search
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.shell.services import Services
from lnexplorer.gui.shell.state import SessionState
from lnexplorer.gui.sweep.files import RecordedSweeps, SweepFiles
from lnexplorer.gui.sweep.pane import SweepPane
from lnexplorer.gui.sweep.runner import SweepThread
from lnexplorer.store.resources import resource

if TYPE_CHECKING:
    from lnexplorer.gui.sweep.overlays import Overlay

CHUNK = 200  # rows of before that are shown in one turn of the event loop


class SweepController(QObject):
    """Hears both sides."""

    def __init__(self, services: Services, pane: SweepPane, desk: SweepThread, parent: QObject) -> None:
        super().__init__(parent)
        self._preferences, self._pane, self._desk = services.preferences, pane, desk
        self._window, self._session, self._files, self._steps = services.window, services.session, services.files, services.steps
        self._shown = 0  # sweeps, so that rows of an older one are not shown with a newer one
        pane.runRequested.connect(self._run)
        pane.keptChosen.connect(self._take_kept)
        pane.allKeptWanted.connect(self._list_all)
        pane.pauseRequested.connect(desk.pause)
        pane.resumeRequested.connect(desk.resume)
        pane.cancelRequested.connect(self._cancel)
        pane.settingChosen.connect(self._take_over)
        pane.baseWanted.connect(lambda: pane.set_base(self._session.state.request))
        self._tutorial = SweepFiles(services, pane, self)
        desk.begun.connect(self._on_begun)
        desk.shown.connect(self._show)
        desk.abandoned.connect(self._on_abandoned)
        desk.told.connect(self._on_told)
        desk.kept.connect(self._take_list)
        services.history.sweepsChanged.connect(desk.list_kept)
        desk.warned.connect(self._session.warn)
        self._session.changed.connect(self._on_session)
        offered = [str(action.data()) for action in self._window.actions_.groups["devices"].actions()]
        self._gpus = tuple(name for name in offered if name.startswith("cuda:"))
        self._show_device(self._session.state)
        desk.list_kept()
        self._files.do(self._read_overlays, pane.set_overlays)

    @staticmethod
    def _read_overlays() -> "list[Overlay]":
        from lnexplorer.gui.sweep.overlays import read_overlays  # noqa: PLC0415  (no work for the start of the window)

        return read_overlays(resource("recordings"))

    def _run(self, sweep: SweepRequest) -> None:
        self._prepare()
        self._desk.run(sweep, self._devices)

    def _take_list(self, rows: list[SweepRow]) -> None:
        self._pane.set_kept(rows)
        if "history" in self._window.made:
            self._window.made["history"].set_sweeps(rows)

    def _list_all(self) -> None:
        self._window.show_part("history")
        self._window.pane("history").show_kind("sweeps")

    def _take_kept(self, number: int, go_on: bool) -> None:
        if go_on:
            self._prepare()
            self._desk.go_on(number, self._devices)
        else:
            self._desk.show(number)

    @property
    def _devices(self) -> tuple[str, ...]:
        """What the window runs on, so that a sweep has the same; all GPUs of the host where that is wanted."""
        device = self._session.state.device
        if device is None or device.index is None:
            return (self._preferences.device,)
        return self._gpus if self._pane.form.all_gpus.isChecked() and len(self._gpus) > 1 else (f"cuda:{device.index}",)

    def _prepare(self) -> None:
        """The GPU belongs to the sweep: nothing else of this window is timed beside it."""
        state = self._session.state
        own = state.device.index if state.device is not None else None
        self._desk.set_own_gpu(None if own is None else f"cuda:{own}")
        if state.device is None or state.backend == "cuda":
            self._session.stop()
            self._session.hold(
                lambda: self.tr("A sweep has the GPU. Pause does not free it; cancel the sweep to run something else.")
            )
        self._pane.set_state("running")
        self._pane.say(lambda: self.tr("The sweep's workers are starting …"))

    def _cancel(self) -> None:
        self._pane.set_state("ending")
        self._desk.cancel()

    def _take_over(self, request: RunRequest) -> None:
        self._window.parameters.set_request(request)
        self._session.set_request(request)

    def _on_session(self, before: SessionState, after: SessionState) -> None:
        if before.device != after.device:
            self._show_device(after)

    def _show_device(self, state: SessionState) -> None:
        interpreted = state.device is not None and state.backend != "cuda"
        self._pane.set_interpreted(interpreted)
        self._pane.form.offer_search(installed=not why_no_search(), timed=not interpreted)
        self._pane.form.offer_peers(state.device.offered if state.device is not None else ())
        self._pane.form.offer_gpus(len(self._gpus) if state.backend == "cuda" else 0)

    def _on_begun(self, sweep: SweepRequest, results: list[CellResult]) -> None:
        # Rows are many objects. Python would look through everything else for garbage every now and then, 0.1 s each time.
        gc.freeze()
        self._show(sweep, results)
        self._pane.set_state("running")

    def _on_abandoned(self) -> None:
        self._session.hold("")
        self._pane.set_state("idle")
        self._pane.say(str)

    def _show(self, sweep: SweepRequest, results: list[CellResult]) -> None:
        self._shown += 1
        self._pane.show_sweep(sweep)
        for start in range(0, len(results), CHUNK):
            part = results[start : start + CHUNK]
            self._steps.add(f"sweep rows {self._shown} {start}", partial(self._add, self._shown, part))

    def _add(self, shown: int, results: list[CellResult]) -> None:
        if shown == self._shown:
            self._pane.add_rows(results)

    def _on_told(self, event: events.SweepEvent) -> None:
        pane = self._pane
        match event:
            case events.SweepStarted(total, kept):
                pane.bar.show_progress(kept, total)
            case events.SweepProgress(done, total, remaining):
                pane.show_progress(done, total, remaining)
            case events.SweepPaused(why):
                pane.set_state("paused")
                pane.say(lambda: told(why) or self.tr("Paused; settings that are under way still end."))
            case events.SweepResumed():
                pane.set_state("running")
            case events.SweepEnded(how, sentence, wall_seconds, _):
                self._session.hold("")
                pane.show_end(how, told(sentence), wall_seconds)
                self._tutorial.on_end(how)
            case events.DeviceLost(device, sentence) | events.WorkerReplaced(device, sentence):
                pane.say(lambda: f"{device}: {told(sentence)}")
            case events.DeviceReady(_, facts):
                pane.set_interpreted(facts.backend != "cuda")
            case events.CellFinished(result):
                pane.add_rows([result])
            case events.CellStarted():
                pass
            case _:
                assert_never(event)


def connect(pane: SweepPane, services: Services) -> RecordedSweeps:
    """Sweeps run beside the session, and come from files."""
    sweeps = SweepThread(services.database, services.delivery, pane)
    SweepController(services, pane, sweeps, pane)
    return RecordedSweeps(services, pane, sweeps, pane)

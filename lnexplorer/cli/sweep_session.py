"""One sweep of the command line: the runner, its progress, where its rows are kept, and how it
ends.
"""

import queue
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from lnexplorer.cli import commands, interrupts
from lnexplorer.cli.commands import CommandEnd, unusable
from lnexplorer.cli.outcome import missing_devices, refused
from lnexplorer.cli.terminal import Progress, say
from lnexplorer.domain import wording
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.findings import cell_words
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.wording import counted
from lnexplorer.engine.cluster import Cluster
from lnexplorer.engine.sources import Search
from lnexplorer.engine.sweep import (
    CellFinished,
    DeviceLost,
    DeviceReady,
    SweepEnded,
    SweepEvent,
    SweepPaused,
    SweepRunner,
    SweepStarted,
    TurnAwaited,
    WorkerReplaced,
)
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History
from lnexplorer.store.paths import find_paths
from lnexplorer.store.sweep_csv import SweepFile
from lnexplorer.store.sweeps import SweepInUseError
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Kind

ENDING_SECONDS = 30.0  # for the end of a sweep that nobody hears any more


@dataclass(frozen=True, eq=False, slots=True)
class KeptSweep:
    """A sweep of the history that is gone on with."""

    number: int
    sweep: SweepRequest
    results: tuple[CellResult, ...]  # rows that it keeps


class SweepSession:
    """Runs a sweep to its end. Rows go to the file first, and to the database of all sweeps."""

    def __init__(
        self, sweep: SweepRequest, file: SweepFile | None, kept: KeptSweep | None = None
    ) -> None:
        self.results: list[CellResult] = [] if kept is None else list(kept.results)
        self.ended = "failed"
        self.because = ""  # why it ended so, where that needs words
        self.times: dict[str, float] = {}
        self.refused = False  # nothing was tried, and that is the request's fault, or the file's
        self.in_history = True  # all of it, so far
        self._rows_came = False
        self._sweep = sweep
        self._file = file
        self._kept = None if kept is None else kept.number
        self._lines = Progress()
        self._history: History | None = None
        self._number: int | None = None

    def run(
        self,
        devices: Sequence[str],
        step_seconds: float | None,
        cluster: str | None = None,
        kernels: Sequence[KernelSource] = (),
    ) -> int:
        """Try every setting; the exit status.

        Raises:
            CommandEnd: nothing was tried, and that is the request's fault, or the file's.
        """
        heard: queue.SimpleQueue[SweepEvent | None] = (
            queue.SimpleQueue()
        )  # None: somebody pressed Ctrl-C
        # An exception out of nowhere could take a row with it, or the news that the sweep has
        # ended.
        with interrupts.told(lambda: heard.put(None)):
            try:
                self._begin()
                done = frozenset(result.cell.number for result in self.results)
                source = Search(self._sweep, self.results) if self._sweep.search else None
                runner = SweepRunner(
                    self._sweep,
                    heard.put,
                    devices=devices,
                    done=done,
                    keep=self._keep,
                    step_seconds=step_seconds,
                    source=source,
                    kernels=kernels,
                    cluster=None if cluster is None else partial(Cluster, cluster),
                )
                runner.start()
                try:
                    return self._hear(runner, () if cluster else devices, heard)
                finally:
                    # Where hearing failed, as where nobody reads what is said any more, rows still
                    # come, and the file is closed next.
                    runner.cancel()
                    runner.join(ENDING_SECONDS)
            finally:
                self._lines.clear()
                self._close()

    def _hear(
        self,
        runner: SweepRunner,
        devices: Sequence[str],
        heard: "queue.SimpleQueue[SweepEvent | None]",
    ) -> int:
        interrupted = full = False
        refusal = ""
        while True:
            event = heard.get()
            if event is None:
                interrupted = True
                runner.cancel()
                continue
            show_event(event, self._sweep, self._lines)
            match event:
                case SweepPaused(why=why) if why:
                    full = True
                    runner.cancel()
                case DeviceReady(facts=facts):
                    refusal = refusal or self._why_not_on(facts.backend)
                    if refusal:
                        runner.cancel()
                case SweepEnded():
                    break
        self.ended = event.how
        self.because = str(event.sentence or "")
        self.times = {"wall_seconds": event.wall_seconds, "timing_seconds": event.timing_seconds}
        if refusal:
            raise self._refusal(refusal)
        if event.how == "finished":
            if self.because:
                self._lines.line(self.because)
            return commands.OK
        if event.how == "failed":
            missing = [] if self._rows_came else missing_devices(devices)
            if missing:
                self.refused = True
                raise refused(missing)
            self._say(f"failed: {self.because}")
        elif interrupted:
            self._say("interrupted")
        self._say_how_to_go_on()
        return commands.FAILED if full or event.how == "failed" else commands.INTERRUPTED

    def _refusal(self, why: object) -> CommandEnd:
        self.refused = True
        return unusable(why)

    def _say_how_to_go_on(self) -> None:
        if self._file is not None and self._file.count:
            rows, path = (
                counted(self._file.count, "row is", "rows are"),
                shlex.quote(str(self._file.path)),
            )
            how = (
                f"; lnexplorer sweep --resume {path} goes on"
                if self._number is not None
                else ", and not in the history"
            )
            self._say(f"{rows} in {self._file.path}{how}")
        elif (
            self._file is None
            and self.results
            and self._history is not None
            and self._number is not None
        ):
            rows = counted(len(self.results), "row is", "rows are")
            self._say(
                f"{rows} kept as sweep {self._number}: the window goes on with it; with --csv FILE"
                " this command does, too"
            )

    def _why_not_on(self, backend: str) -> str:
        if self._sweep.search and backend != "cuda":
            return (
                "a search compares times, and the interpreter's mean nothing: choose a GPU with"
                " --device"
            )
        kind = Kind.MEASURED if backend == "cuda" else Kind.INTERPRETED
        others = {result.kind.value for result in self.results} - {kind.value}
        if not others or self._file is None:
            return ""
        return (
            f"{self._file.path} has {min(others)} rows, and this device gives {kind} ones: choose"
            " the device with --device"
        )

    def _keep(self, result: CellResult) -> None:
        self._rows_came = True
        if self._file is not None:
            self._file.add(result)
        self.results.append(result)
        if self._history is not None and self._number is not None:
            try:
                self._history.sweeps.add(self._number, result)
            except StoreError as error:
                self._give_up(error)

    def _begin(self) -> None:
        try:
            paths = find_paths()
            if paths.warning is not None:
                self._say(paths.warning)
            self._history = History(paths.history, self._say)
            self._number = self._history.sweeps.begin(self._sweep, self._kept)
        except SweepInUseError as error:
            raise self._refusal(error) from error
        except StoreError as error:
            self._give_up(error)

    def _close(self) -> None:
        if self._history is not None:
            try:
                if self._number is not None:
                    self._history.sweeps.end(self._number, self.ended)
                self._history.close()
            except StoreError as error:
                self._give_up(error)
        if self._file is not None:
            self._file.close(complete=self.ended == "finished")
            # Not before the end: until there is a row the file may be put back.
            if self._file.kept is not None:
                self._say(
                    f"{self._file.path} was there already, and is kept as {self._file.kept.name}."
                )

    def _give_up(self, error: StoreError) -> None:
        """Go on without the history: the file and the output have every row, too."""
        where = (
            "printed at its end, and not kept there"
            if self._file is None
            else f"in {self._file.path}"
        )
        self._say(f"{error} Its rows are {where}.")
        if self._history is not None:
            self._history.close()
        self._history = self._number = None
        self.in_history = False

    def _say(self, sentence: object) -> None:
        self._lines.clear()
        say("sweep", sentence)


def show_event(event: SweepEvent, sweep: SweepRequest, lines: Progress) -> None:
    """Tell an event; those that are no progress are passed over."""
    match event:
        case SweepStarted(total=total, kept=kept):
            lines.line(
                wording.counted(total, "setting") + (f", {kept} with a row already" if kept else "")
            )
        case DeviceReady(facts=facts):
            lines.ready(facts)
            if facts.backend != "cuda":
                lines.line("Rows have errors here, and no speeds: they are left empty.")
        case WorkerReplaced(device=device, sentence=sentence):
            lines.line(f"{device}: {sentence} Another worker goes on.")
        case DeviceLost(device=device, sentence=sentence):
            lines.line(f"{device} takes no more settings: {sentence}")
        case TurnAwaited(device=device, sentence=sentence):
            lines.changing(f"{device}: {sentence}")
        case CellFinished(result, done, total, seconds):
            left = f", about {wording.duration(seconds)} left" if seconds else ""
            words = f"{done}/{total}{left}: {row_words(sweep, result)}"
            if result.status == "ok":
                lines.changing(words)
            else:  # it stays on the terminal, with its reason
                lines.line(f"{words}: {result.reason}")
        case SweepPaused(why=why) if why:
            lines.line(str(why))


def row_words(sweep: SweepRequest, result: CellResult) -> str:
    parts = [f"{cell_words(sweep, result.cell)} {result.status.replace('_', ' ')}"]
    for direction in sweep.directions:
        if (figure := result.figure(direction, sweep.modes[0])) is not None:
            share = figure.share_of_ceiling
            of_ceiling = "" if share is None else f" ({wording.share(share)} of ceiling)"
            parts.append(f"{direction} {wording.figure(figure.gbps)} GB/s{of_ceiling}")
    return ", ".join(parts)

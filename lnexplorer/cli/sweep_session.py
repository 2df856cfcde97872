"""Sweeps of the command line: `sweep`, `bench` and `tune` run theirs here."""

import queue
import shlex
from collections.abc import Callable, Sequence

from lnexplorer.cli import commands, interrupts
from lnexplorer.cli.commands import CommandEnd, refused, unusable
from lnexplorer.cli.jobs import missing_devices
from lnexplorer.cli.sweep_text import show_event
from lnexplorer.cli.terminal import Progress, say
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.wording import counted
from lnexplorer.engine.sources import Source
from lnexplorer.engine.sweep import SweepRunner
from lnexplorer.engine.sweep_events import (
    CellFinished,
    DeviceReady,
    SweepEnded,
    SweepEvent,
    SweepPaused,
)
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History
from lnexplorer.store.paths import find_paths
from lnexplorer.store.sweep_csv import SweepFile
from lnexplorer.store.sweep_keeper import KeptSweep, SweepKeeper
from lnexplorer.store.sweeps import SweepInUseError
from lnkernels.values.environment import Kind

ENDING_SECONDS = 30.0  # for a sweep to end after nobody listens any more


class Rows:
    """Takes the rows of a command's sweep. All but `keep` is called by the command's thread."""

    def begin(self) -> None:
        """Prepare to keep rows."""

    def show(self, event: SweepEvent, lines: Progress) -> None:
        """Show an event."""

    def keep(self, result: CellResult) -> None:
        """Keep a row, on the sweep's thread. An ExplainedError ends the sweep."""

    def why_not_on(self, backend: str) -> str:
        """Return why a backend cannot be used, by default where nothing is timed; empty where it
        can.
        """
        return "" if backend == "cuda" else "the interpreter's times mean nothing: choose a GPU"

    def say_how_to_resume(self) -> None:
        """Say how to go on after an end before the last row."""

    def close(self, how: str) -> None:
        """Keep no more rows."""


class SweepSession:
    """Runs one sweep to its end: progress, Ctrl-C, devices that cannot be used, and exit status."""

    def __init__(self, command: str) -> None:
        self.how = "failed"
        self.because = ""  # why it ended so, where that needs words
        self.times: dict[str, float] = {}
        self.refused = False  # nothing was tried, and that is the request's fault, or the file's
        self.lines = Progress()
        self._command = command

    def run(
        self,
        make_source: Callable[[], Source],
        devices: Sequence[str],
        rows: Rows,
        *,
        named: Sequence[str] | None = None,
        step_seconds: float | None = None,
        cluster: str | None = None,
    ) -> int:
        """Measure all cells. Return the exit status.

        Devices that the user `named`, by default all, are at fault where they are not there. The
        other arguments are those of a SweepRunner.

        Raises:
            CommandEnd: nothing was tried, and that is the request's fault, or the file's.
        """
        # None: somebody pressed Ctrl-C. An exception out of nowhere could take a row with it, or
        # the news that the sweep has ended.
        heard: queue.SimpleQueue[SweepEvent | None] = queue.SimpleQueue()
        try:
            rows.begin()
            with interrupts.handled_by(lambda: heard.put(None)):
                runner = SweepRunner(
                    make_source,
                    heard.put,
                    devices=devices,
                    keep=rows.keep,
                    step_seconds=step_seconds,
                    cluster=cluster,
                )
                runner.start()
                try:
                    at_fault = () if cluster else devices if named is None else named
                    status = self._hear(runner, at_fault, rows, heard)
                finally:
                    # Where hearing failed, as where nobody reads what is said any more, rows still
                    # come, and their file is closed next.
                    runner.cancel()
                    runner.join(ENDING_SECONDS)
                    self.lines.clear()
                if self.how != "finished":
                    rows.say_how_to_resume()
            return status
        except SweepInUseError as error:
            raise self._refuse(error) from error
        finally:
            rows.close(self.how)

    def say(self, sentence: object) -> None:
        self.lines.clear()
        say(self._command, sentence)

    def _refuse(self, why: object) -> CommandEnd:
        self.refused = True
        return unusable(why)

    def _hear(
        self,
        runner: SweepRunner,
        devices: Sequence[str],
        rows: Rows,
        heard: "queue.SimpleQueue[SweepEvent | None]",
    ) -> int:
        interrupted = full = rows_came = False
        refusal = ""
        while not isinstance(event := heard.get(), SweepEnded):
            if event is None:
                interrupted = True
                runner.cancel()
                continue
            rows.show(event, self.lines)
            match event:
                case SweepPaused(why=why) if why:
                    full = True
                    runner.cancel()
                case CellFinished():
                    rows_came = True
                case DeviceReady(facts=facts):
                    refusal = refusal or rows.why_not_on(facts.backend)
                    if refusal:
                        runner.cancel()
        self.how = event.how
        self.because = str(event.sentence or "")
        self.times = {"wall_seconds": event.wall_seconds, "timing_seconds": event.timing_seconds}
        if refusal:
            raise self._refuse(refusal)
        if event.how == "finished":
            if self.because:
                self.lines.line(self.because)
            return commands.OK
        if event.how == "failed":
            missing = [] if rows_came else missing_devices(devices)
            if missing:
                self.refused = True
                raise refused(missing)
            self.say(f"failed: {self.because}")
            return commands.FAILED
        if interrupted:
            self.say("interrupted")
        return commands.FAILED if full else commands.INTERRUPTED


class SweepRows(Rows):
    """The rows of `lnexplorer sweep`, which go to its CSV file first, and then to the history."""

    def __init__(
        self,
        sweep: SweepRequest,
        file: SweepFile | None,
        kept: KeptSweep | None,
        session: SweepSession,
    ) -> None:
        self.results: list[CellResult] = [] if kept is None else list(kept.results)
        self.in_history = True  # all of it, so far
        self._sweep = sweep
        self._file = file
        self._kept = kept
        self._say = session.say
        self._history: History | None = None
        self._keeper = SweepKeeper(lambda function: function(self._opened()), self._on_lost)

    def begin(self) -> None:
        self._keeper.begin(self._sweep, None if self._kept is None else self._kept.number)

    def show(self, event: SweepEvent, lines: Progress) -> None:
        show_event(event, self._sweep, lines)

    def keep(self, result: CellResult) -> None:
        if self._file is not None:
            self._file.add(result)
        self.results.append(result)
        try:
            self._keeper.add(result)
        except StoreError as error:
            self._keeper.lose(error)

    def close(self, how: str) -> None:
        self._keeper.end(how)
        if self._history is not None:
            self._history.close()
        if self._file is not None:
            self._file.close(complete=how == "finished")
            # Not before the end: until there is a row the file may be put back.
            if self._file.kept is not None:
                self._say(
                    f"{self._file.path} was there already, and is kept as {self._file.kept.name}."
                )

    def say_how_to_resume(self) -> None:
        number = self._keeper.number
        if self._file is not None and self._file.count:
            rows = counted(self._file.count, "row is", "rows are")
            resume = f"; lnexplorer sweep --resume {shlex.quote(str(self._file.path))} goes on"
            how = ", and not in the history" if number is None else resume
            self._say(f"{rows} in {self._file.path}{how}")
        elif self._file is None and self.results and number is not None:
            self._say(
                f"{counted(len(self.results), 'row is', 'rows are')} kept as sweep {number}: the"
                " window goes on with it; with --csv FILE this command does, too"
            )

    def why_not_on(self, backend: str) -> str:
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

    def _opened(self) -> History:
        if self._history is None:
            paths = find_paths()
            if paths.warning is not None:
                self._say(paths.warning)
            self._history = History(paths.history, self._say)
        return self._history

    def _on_lost(self, error: StoreError) -> None:
        """Go on without the history: the file and the output have every row, too."""
        file = self._file
        where = "printed at its end, and not kept there" if file is None else f"in {file.path}"
        self._say(f"{error} Its rows are {where}.")
        self.in_history = False

"""Progress of a sweep on stderr: one line that changes on a terminal, a line for each row elsewhere."""

from lnexplorer.cli.progress import Progress
from lnexplorer.domain import wording
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.findings import cell_words
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.sweep import (
    CellFinished,
    DeviceLost,
    DeviceReady,
    SweepEvent,
    SweepPaused,
    SweepProgress,
    SweepStarted,
    WorkerReplaced,
)
from lnkernels.values.figures import Figure


class SweepProgressLine:
    """Shows the events of a sweep as they come."""

    def __init__(self, sweep: SweepRequest, lines: Progress) -> None:
        self._sweep = sweep
        self._lines = lines
        self._last: CellResult | None = None

    def show(self, event: SweepEvent) -> None:
        """One event; those that are no progress are passed over."""
        match event:
            case SweepStarted(total=total, kept=kept):
                self._lines.line(wording.counted(total, "setting") + _before(kept, total))
            case DeviceReady(device=device, facts=facts):
                self._lines.line(f"device: {facts.name} ({device})" if facts.index is not None else f"device: {facts.name}")
                for note in facts.notes:
                    self._lines.line(str(note))
                if facts.backend != "cuda":
                    self._lines.line("Rows have errors here, and no speeds: they are left empty.")
            case WorkerReplaced(device=device, sentence=sentence):
                self._lines.line(f"{device}: {sentence} Another worker goes on.")
            case DeviceLost(device=device, sentence=sentence):
                self._lines.line(f"{device} takes no more settings: {sentence}")
            case CellFinished(result=result):
                self._last = result
            case SweepProgress(done=done, total=total, remaining_seconds=seconds):
                left = f", about {duration(seconds)} left" if seconds else ""
                self._row(f"{done}/{total}{left}")
            case SweepPaused(why=why) if why:
                self._lines.line(str(why))

    def _row(self, place: str) -> None:
        """The newest row; one that is not right stays on the terminal, with its reason."""
        if self._last is None:
            return
        words = f"{place}: {row_words(self._sweep, self._last)}"
        if self._last.status == "ok":
            self._lines.changing(words)
        else:
            self._lines.line(f"{words}: {self._last.reason}")


def _before(kept: int, total: int) -> str:
    """How many of all settings have a row from before, where there are any."""
    if kept < total:
        return f", {kept} of them {'has' if kept == 1 else 'have'} a row already" if kept else ""
    return ", which has a row already" if kept == 1 else ", all of which have a row already"


def row_words(sweep: SweepRequest, result: CellResult) -> str:
    """A row in a few words."""
    speeds = [
        f"{direction} {wording.gbps(figure.gbps)} GB/s{_share(figure)}"
        for direction in sweep.directions
        for mode in sweep.modes[:1]
        if (figure := result.figure(direction, mode)) is not None
    ]
    return ", ".join([f"{cell_words(sweep, result.cell)} {result.status.replace('_', ' ')}", *speeds])


def _share(figure: Figure) -> str:
    known = figure.share_of_ceiling is not None
    return f" ({wording.share(figure.share_of_ceiling)} of ceiling)" if known else ""


def duration(seconds: float) -> str:
    """A time for people: 40 s, 12 min, 3.5 h."""
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"

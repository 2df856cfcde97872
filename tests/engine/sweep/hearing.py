"""Hears a sweep, and waits for what it says."""

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.engine.sweep import SweepRunner
from lnexplorer.engine.sweep_events import CellFinished, SweepEnded, SweepEvent
from tests.engine.listener import Event, News


class Hearing(News[SweepEvent]):
    """Every event of a sweep, in order."""

    patience = 60.0
    runner: SweepRunner
    ending: SweepEnded

    def end(self) -> SweepEnded:
        """The end."""
        return self.wait_for(SweepEnded)

    def rows(self) -> list[CellResult]:
        """Rows that were told up to what was waited for."""
        return [event.result for event in self.of(CellFinished)]

    def of(self, kind: type[Event]) -> list[Event]:
        """Events of a kind up to what was waited for."""
        return [event for event in self.events if isinstance(event, kind)]

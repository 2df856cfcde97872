"""Sweeps of the window between the runner, the database and Qt's thread."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.doubts import ONE_OTHER, doubts
from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import PRESETS, SweepRequest
from lnexplorer.engine.sources import Source
from lnexplorer.engine.sweep_events import (
    CellFinished,
    SweepEnded,
    SweepEvent,
    SweepPaused,
    SweepStarted,
)
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.panes.sweep.controller import SweepThread
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.store.database import NAME
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import open_history
from lnkernels.values.sentence import Sentence, say
from tests.gui.sample_sweeps import invented_rows
from tests.sample_results import make_environment

GROUPS = PRESETS[2].sweep
OTHER = say("Other.")


class InventedRun:
    """Gives invented rows on a thread, as the engine's runner does; some are held back until the
    end.
    """

    def __init__(
        self,
        make_source: Callable[[], Source],
        on_event: Callable[[SweepEvent], None],
        **options: Any,
    ) -> None:
        self.make_source = make_source
        self.tell = on_event
        self.options = options
        self.source: Source
        self.held = threading.Event()
        self.ended = "finished"
        self.notes: tuple[Sentence, ...] = ()
        self.stop_after = 99
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def cancel(self) -> None:
        self.ended = "cancelled"
        self.held.set()

    def join(self, seconds: float | None = None) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            source = self.source = self.make_source()
        except StoreError as error:
            self.tell(SweepEnded("failed", error.sentence, 1.0, 0.5))
            return
        if self.ended == "cancelled":
            self.tell(SweepEnded("cancelled", None, 1.0, 0.5))
            return
        self.tell(SweepStarted(source.total, source.kept))
        left = {cell.number for cell in source.ahead()}
        rows = [row for row in invented_rows(source.sweep) if row.cell.number in left]
        for number, invented in enumerate(rows):
            if number == self.stop_after:
                self.held.wait(20)
            if self.ended == "cancelled":
                break
            row = replace(invented, notes=self.notes)
            try:
                self.options["keep"](row)
            except StoreError as error:
                self.tell(SweepPaused(error.sentence))
                break
            self.tell(CellFinished(row, number + 1, source.total, 1.0))
        self.tell(SweepEnded(self.ended, None, 1.0, 0.5))


class Hearing:
    """Everything that is said of sweeps."""

    def __init__(self, sweeps: SweepThread) -> None:
        self.begun: list[tuple[SweepRequest, list[CellResult]]] = []
        self.events: list[SweepEvent] = []
        self.warned: list[str] = []
        sweeps.begun.connect(lambda sweep, rows: self.begun.append((sweep, rows)))
        sweeps.received.connect(self.events.append)
        self._path = sweeps._history._path
        sweeps._history.warned.connect(lambda sentence: self.warned.append(str(sentence)))

    @property
    def rows(self) -> list[CellResult]:
        return [event.result for event in self.events if isinstance(event, CellFinished)]

    def has(self, kind: type[Any]) -> bool:
        return any(isinstance(event, kind) for event in self.events)

    @property
    def kept(self) -> list[SweepRow]:
        """The sweeps of the database, newest first."""
        with open_history(self._path, pytest.fail) as history:
            return history.sweeps.rows()


Make = Callable[..., tuple[SweepThread, Hearing, list[InventedRun]]]


@pytest.fixture
def make_sweeps(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    del qtbot
    all_sweeps: list[tuple[SweepThread, HistoryThread, Delivery]] = []

    def make(**settings: Any) -> tuple[SweepThread, Hearing, list[InventedRun]]:
        runs: list[InventedRun] = []

        def make_run(*args: Any, **options: Any) -> InventedRun:
            runs.append(InventedRun(*args, **options))
            for name, value in settings.items():
                setattr(runs[-1], name, value)
            return runs[-1]

        delivery = Delivery()
        history = HistoryThread(tmp_path / NAME, delivery)
        sweeps = SweepThread(history, make_run=make_run)
        all_sweeps.append((sweeps, history, delivery))
        return sweeps, Hearing(sweeps), runs

    yield make
    for sweeps, history, delivery in all_sweeps:
        sweeps.close()
        history.close()
        delivery.close()


def leave(sweeps: SweepThread) -> None:
    """As a window that is closed does."""
    sweeps.close()
    sweeps._history.close()


def test_a_sweep_that_is_cancelled_before_it_begins_does_not(
    make_sweeps: Make, qtbot: QtBot
) -> None:
    sweeps, hearing, runs = make_sweeps()
    with qtbot.waitSignal(sweeps.abandoned):
        sweeps.run(GROUPS, ("cuda:0",))
        sweeps.cancel()
    qtbot.waitUntil(lambda: [row.ended for row in hearing.kept] == ["cancelled"])
    assert not sweeps.busy
    assert hearing.begun == []
    sweeps.run(GROUPS, ("cuda:0",))
    qtbot.waitUntil(lambda: hearing.has(SweepEnded))
    assert len(runs) == 2


def test_a_sweep_runs_to_its_end_and_is_kept(make_sweeps: Make, qtbot: QtBot) -> None:
    sweeps, hearing, runs = make_sweeps()
    sweeps.run(GROUPS, ("cuda:0",))
    sweeps.run(GROUPS, ("cuda:0",))  # while one runs, another one does not begin
    qtbot.waitUntil(lambda: hearing.has(SweepEnded) and any(row.ended for row in hearing.kept))
    assert len(runs) == 1
    assert runs[0].options["devices"] == ("cuda:0",)
    assert len(hearing.rows) == 13
    assert [(row.done, row.total, row.ended) for row in hearing.kept] == [(13, 13, "finished")]
    assert not sweeps.busy


def test_a_sweep_that_the_window_left_goes_on_without_measuring_again(
    make_sweeps: Make, qtbot: QtBot
) -> None:
    sweeps, hearing, runs = make_sweeps(stop_after=5)
    sweeps.run(GROUPS, ("cuda:0",))
    qtbot.waitUntil(lambda: len(hearing.rows) == 5)
    leave(sweeps)
    assert runs[0].ended == "cancelled"
    sweeps, hearing, runs = make_sweeps()
    qtbot.waitUntil(lambda: bool(hearing.kept))
    assert [(row.done, row.total, row.ended) for row in hearing.kept] == [(5, 13, "")]
    sweeps.run(hearing.kept[0].id, ("cuda:0",))
    qtbot.waitUntil(lambda: hearing.has(SweepEnded))
    assert hearing.warned == []
    sweep, before = hearing.begun[0]
    assert sweep == GROUPS
    assert len(before) == 5
    assert len(hearing.rows) == 8
    assert {row.cell.number for row in (*before, *hearing.rows)} == set(range(13))
    qtbot.waitUntil(lambda: [(row.done, row.ended) for row in hearing.kept] == [(13, "finished")])


def test_a_kernel_of_one_s_own_has_to_be_watched_before_its_sweep_goes_on(
    make_sweeps: Make, qtbot: QtBot
) -> None:
    sweeps, hearing, _runs = make_sweeps(stop_after=2)
    sweeps.run(replace(GROUPS, axes=(), providers=("my_norm", "of_another_machine")), ("cuda:0",))
    qtbot.waitUntil(lambda: len(hearing.rows) == 2)
    leave(sweeps)
    sweeps, hearing, _ = make_sweeps()
    qtbot.waitUntil(lambda: bool(hearing.kept))
    with qtbot.waitSignal(sweeps.abandoned):
        sweeps.run(hearing.kept[0].id, ("cuda:0",), offered=("of_another_machine",))
    qtbot.waitUntil(lambda: bool(hearing.warned))
    assert "has my_norm, of your own: watch its file in Run first" in hearing.warned[0]
    assert not hearing.begun


def test_a_database_that_cannot_be_used_costs_no_row_on_the_screen(
    make_sweeps: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / NAME).mkdir()
    sweeps, hearing, _runs = make_sweeps()
    sweeps.run(GROUPS, ("cuda:0",))
    qtbot.waitUntil(lambda: hearing.has(SweepEnded))
    assert len(hearing.rows) == 13
    assert any("on the screen only" in sentence for sentence in hearing.warned)


def test_the_windows_own_idle_worker_is_no_reason_for_doubt(
    make_sweeps: Make, qtbot: QtBot
) -> None:
    before = make_environment()
    (doubt,) = doubts(
        replace(before, other_processes=1), before, [invented_rows(GROUPS)[0].figures[0]]
    )
    assert doubt == ONE_OTHER
    for own, notes in (("cuda:0", (OTHER,)), (None, (ONE_OTHER, OTHER))):
        sweeps, hearing, _runs = make_sweeps(notes=(ONE_OTHER, OTHER))
        sweeps.own_gpu = own
        sweeps.run(GROUPS, ("cuda:0",))
        qtbot.waitUntil(lambda hearing=hearing: hearing.has(SweepEnded))
        assert {row.notes for row in hearing.rows} == {notes}

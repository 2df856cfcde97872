"""Sweeps of the window between the runner, whose workers measure nothing, the database and Qt's
thread.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.doubts import ONE_OTHER, doubts
from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.engine.sweep import SweepRunner
from lnexplorer.engine.sweep_events import CellFinished, SweepEnded, SweepEvent
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.panes.sweep.controller import SweepThread
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.store.database import NAME
from lnexplorer.store.history import open_history
from lnkernels.values.sentence import Sentence, say
from tests.engine.sweep.conftest import DEADLINES, FAKE_WORKER, hold_after
from tests.gui.sample_sweeps import GROUPS, invented_rows
from tests.gui.windows import Until, heard
from tests.sample_results import make_environment

OTHER = say("Other.")
HERE = ("cuda:0",)
make_run = partial(SweepRunner, command=FAKE_WORKER, deadlines=DEADLINES)


class SweepsDesk:
    """Runs the sweeps of a window; has everything that is said of them."""

    def __init__(self, folder: Path, until: Until, make_run: Callable[..., SweepRunner]) -> None:
        self.path = folder / NAME
        self.until = until
        self.delivery = Delivery()
        self.history = HistoryThread(self.path, self.delivery)
        self.sweeps = SweepThread(self.history, make_run=make_run)
        self.begun = heard(self.sweeps.begun)
        self.abandoned = heard(self.sweeps.abandoned)
        self.events = heard(self.sweeps.received)
        self.warned = heard(self.history.warned)

    @property
    def rows(self) -> list[CellResult]:
        return [event.result for event in self.events if isinstance(event, CellFinished)]

    def wait_for_end(self) -> None:
        self.until(lambda: any(isinstance(event, SweepEnded) for event in self.events))

    def kept(self, how: str) -> SweepRow:
        """Wait until the newest sweep of the database has ended like this, and return it."""
        found: list[SweepRow] = []

        def is_kept() -> bool:
            with open_history(self.path, pytest.fail) as history:
                found[:] = [row for row in history.sweeps.rows()[:1] if row.ended == how]
            return bool(found)

        self.until(is_kept)
        return found[0]

    def close(self) -> None:
        """Leave, as a window that is closed does."""
        self.sweeps.close()
        self.history.close()
        self.delivery.close()


Make = Callable[..., SweepsDesk]


@pytest.fixture
def make_desk(tmp_path: Path, until: Until, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    desks: list[SweepsDesk] = []
    monkeypatch.setenv("LNEXPLORER_FAKE_LOG", str(tmp_path / "asked"))

    def make(make_run: Callable[..., SweepRunner] = make_run) -> SweepsDesk:
        desks.append(SweepsDesk(tmp_path, until, make_run))
        return desks[-1]

    yield make
    for desk in desks:
        desk.close()


def test_a_sweep_that_is_cancelled_before_it_begins_does_not(make_desk: Make) -> None:
    desk = make_desk()
    desk.sweeps.run(GROUPS, HERE)
    desk.sweeps.cancel()
    assert desk.kept("cancelled").done == 0
    desk.until(lambda: len(desk.abandoned) == 1)
    assert not desk.sweeps.busy
    assert desk.begun == []


def test_a_sweep_runs_to_its_end_and_is_kept(make_desk: Make) -> None:
    made: list[Any] = []

    def note(*given: Any, **options: Any) -> SweepRunner:
        made.append(options["devices"])
        return make_run(*given, **options)

    desk = make_desk(note)
    desk.sweeps.run(GROUPS, HERE)
    desk.sweeps.run(GROUPS, HERE)  # while one runs, another one does not begin
    desk.wait_for_end()
    kept = desk.kept("finished")
    assert kept.done == kept.total == len(desk.rows) == 13
    assert made == [HERE]
    assert not desk.sweeps.busy


def test_a_sweep_that_the_window_left_goes_on_without_measuring_again(
    make_desk: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = hold_after(2, tmp_path, monkeypatch)
    first = make_desk()
    first.sweeps.run(GROUPS, HERE)
    first.until(lambda: len(first.rows) >= 5)
    first.close()
    hold.unlink()
    desk = make_desk()
    left = desk.kept("")
    assert 5 <= left.done < left.total == 13
    desk.sweeps.run(left.id, HERE)
    desk.wait_for_end()
    assert desk.warned == []
    ((sweep, before),) = desk.begun
    assert sweep == GROUPS
    assert len(before) == left.done
    assert len(desk.rows) == 13 - left.done
    assert {row.cell.number for row in (*before, *desk.rows)} == set(range(13))
    assert desk.kept("finished").done == 13


def test_a_kernel_of_one_s_own_has_to_be_watched_before_its_sweep_goes_on(
    make_desk: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_after(1, tmp_path, monkeypatch)
    desk = make_desk()
    theirs = "of_another_machine"
    desk.sweeps.run(replace(GROUPS, providers=("my_norm", theirs)), HERE)
    desk.until(lambda: len(desk.rows) >= 2)
    desk.close()
    desk = make_desk()
    desk.sweeps.run(desk.kept("").id, HERE, offered=(theirs,))
    desk.until(lambda: len(desk.abandoned) == len(desk.warned) == 1)
    told = "has my_norm, of your own: watch its file in Run first"
    assert told in str(desk.warned[0])
    assert not desk.begun


def test_a_database_that_cannot_be_used_costs_no_row_on_the_screen(
    make_desk: Make, tmp_path: Path
) -> None:
    (tmp_path / NAME).mkdir()
    desk = make_desk()
    desk.sweeps.run(GROUPS, HERE)
    desk.wait_for_end()
    assert len(desk.rows) == 13
    assert any("on the screen only" in str(sentence) for sentence in desk.warned)


@pytest.mark.parametrize(("own", "notes"), [("cuda:0", (OTHER,)), (None, (ONE_OTHER, OTHER))])
def test_the_windows_own_idle_worker_is_no_reason_for_doubt(
    make_desk: Make, own: str | None, notes: tuple[Sentence, ...]
) -> None:
    alone = make_environment()
    figures = [invented_rows(GROUPS)[0].figures[0]]
    assert doubts(replace(alone, other_processes=1), alone, figures) == (ONE_OTHER,)

    def doubtful(make_source: Any, hear: Callable[[SweepEvent], None], **options: Any) -> Any:
        def hear_doubts(event: SweepEvent) -> None:
            if isinstance(event, CellFinished):
                result = replace(event.result, notes=(ONE_OTHER, OTHER))
                event = replace(event, result=result)
            hear(event)

        return make_run(make_source, hear_doubts, **options)

    desk = make_desk(doubtful)
    desk.sweeps.own_gpu = own
    desk.sweeps.run(GROUPS, HERE)
    desk.wait_for_end()
    assert {row.notes for row in desk.rows} == {notes}

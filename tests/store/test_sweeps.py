"""Sweeps are kept row by row, and each belongs to one process at a time."""

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import sweep_command
from lnexplorer.protocol.codec import encode
from lnexplorer.store import database
from lnexplorer.store.recordings import recorded_sweep
from lnexplorer.store.sweeps import SweepInUseError, stamp_of
from tests.domain.sweep.results import OVER_N as SWEEP
from tests.domain.sweep.results import row
from tests.programs import start_program
from tests.store.histories import open_whole

CELLS = all_cells(SWEEP)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / database.NAME


def test_a_sweep_comes_back_with_its_rows_and_their_samples(path: Path) -> None:
    with open_whole(path) as history:
        number = history.sweeps.begin(SWEEP)
        history.sweeps.add(number, row(CELLS[2], time_ms=2.0))
        history.sweeps.add(number, row(CELLS[0], status="timed_out", reason="It hung."))
        history.sweeps.annotate(number, "before the fix")
        (kept,) = history.sweeps.rows()
        assert (kept.command, kept.total, kept.done, kept.ended, kept.complete) == (
            sweep_command(SWEEP),
            3,
            2,
            "",
            False,
        )
    with open_whole(path) as history:
        found = history.sweeps.load(number)
    assert (found.sweep, found.note) == (SWEEP, "before the fix")
    assert [(each.cell, each.status, str(each.reason or "")) for each in found.results] == [
        (CELLS[0], "timed_out", "It hung."),
        (CELLS[2], "ok", ""),
    ]
    assert encode(found.results[1].figures) == encode(row(CELLS[2], time_ms=2.0).figures)


def test_only_one_program_is_at_a_sweep(path: Path) -> None:
    with open_whole(path) as one, open_whole(path) as other:
        number = one.sweeps.begin(SWEEP)
        assert [[kept.running for kept in each.sweeps.rows()] for each in (one, other)] == [
            [True],
            [True],
        ]
        with pytest.raises(
            SweepInUseError, match=f"Sweep {number} is running in another window or command"
        ):
            other.sweeps.begin(SWEEP, number)
        with pytest.raises(SweepInUseError, match="cancel it before it is deleted"):
            other.sweeps.set_deleted([number], deleted=True)
        one.sweeps.end(number, "cancelled")
        other.sweeps.begin(SWEEP, number)
        assert [(kept.ended, kept.running) for kept in one.sweeps.rows()] == [("", True)]
        other.sweeps.release_all()
        assert [(kept.ended, kept.running) for kept in one.sweeps.rows()] == [("", False)]


PROGRAM = """
import sys, time
from pathlib import Path
from lnexplorer.store.history import History
from tests.store.test_sweeps import CELLS, SWEEP, row
sweeps = History(Path(sys.argv[1]), print).sweeps
number = sweeps.begin(SWEEP)
for cell in CELLS[:2]:
    sweeps.add(number, row(cell))
print("written", flush=True)
time.sleep(60)
"""


def test_a_killed_process_has_kept_every_row_that_it_wrote_and_others_go_on(path: Path) -> None:
    with start_program(PROGRAM, path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        with open_whole(path) as history:
            assert [kept.running for kept in history.sweeps.rows()] == [True]
        process.send_signal(signal.SIGKILL)
    with open_whole(path) as history:
        (kept,) = history.sweeps.rows()
        assert (kept.done, kept.ended, kept.running) == (2, "", False)
        history.sweeps.begin(SWEEP, kept.id)
        assert len(history.sweeps.load(kept.id).results) == 2


def test_a_sweep_from_a_file_is_kept_once(path: Path) -> None:
    with open_whole(path) as history:
        sweeps = history.sweeps
        recorded = replace(
            recorded_sweep(SWEEP, [row(cell) for cell in CELLS[:2]]),
            date="2025-01-02T03:04:05+00:00",
        )
        number = sweeps.take(recorded)
        assert sweeps.take(replace(recorded, note="of a file")) == number
        (kept,) = sweeps.rows()
        assert (kept.date, kept.done, kept.ended, kept.note) == (
            recorded.date,
            2,
            "cancelled",
            "of a file",
        )
        # More rows, or other ones, are another sweep; fewer are part of one that is here.
        assert sweeps.take(recorded_sweep(SWEEP, [row(CELLS[0])])) == number
        assert (
            sweeps.take(recorded_sweep(SWEEP, [row(cell) for cell in CELLS], ended="finished"))
            != number
        )


def test_a_sweep_is_found_by_a_row_of_its(path: Path) -> None:
    with open_whole(path) as history:
        found = row(CELLS[1])
        stamp = stamp_of(found.environment.date, found.device, found.seconds)
        older, newer = (
            history.sweeps.take(recorded_sweep(SWEEP, [row(CELLS[0])])),
            history.sweeps.begin(SWEEP),
        )
        assert history.sweeps.with_row(sweep_command(SWEEP), 1, stamp) is None
        history.sweeps.add(newer, found)
        assert history.sweeps.with_row(sweep_command(SWEEP), 1, stamp) == newer != older
        assert (
            history.sweeps.with_row(sweep_command(replace(SWEEP, effort="quick")), 1, stamp) is None
        )

"""A sweep over workers that are invented: every cell has one row, whatever happens to its worker."""

import threading
from pathlib import Path

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult, all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.engine.sweep_events import (
    CellFinished,
    DeviceLost,
    DeviceReady,
    SweepPaused,
    SweepResumed,
    TurnAwaited,
    WorkerReplaced,
)
from lnkernels.values.sentence import ExplainedError, say, verbatim
from tests.domain.sweep.results import row
from tests.engine.sweep.conftest import Asked, Start, groups, hold_after
from tests.engine.sweep.fake_worker import DIES, HANGS, WAITS, WRONG


def by_group(rows: list[CellResult]) -> dict[int | None, CellResult]:
    return {row.cell.request.launch.group_size_m: row for row in rows}


def test_a_cell_that_kills_its_worker_costs_its_own_row_and_nothing_else(
    sweep_of: Start, asked: Asked
) -> None:
    hearing = sweep_of(groups(64, DIES, 128, WRONG))
    assert hearing.end().how == "finished"
    rows = by_group(hearing.rows())
    assert {group: row.status for group, row in rows.items()} == {
        64: "ok",
        DIES: "failed",
        128: "ok",
        WRONG: "incorrect",
    }
    assert "was killed (SIGKILL)" in str(rows[DIES].reason)
    assert rows[WRONG].reason
    assert not rows[WRONG].figures
    assert hearing.of(WorkerReplaced)
    assert len(asked()) == 4, "nothing was measured twice"


def test_a_cell_that_hangs_is_ended_at_its_deadline_and_another_worker_goes_on(
    sweep_of: Start,
) -> None:
    hearing = sweep_of(groups(HANGS, 64, 128), step_seconds=1.0)
    hearing.wait_for(WorkerReplaced)
    assert hearing.end().how == "finished"
    rows = by_group(hearing.rows())
    assert {group: row.status for group, row in rows.items()} == {
        64: "ok",
        HANGS: "timed_out",
        128: "ok",
    }
    assert "took longer than 1 s" in str(rows[HANGS].reason)


def test_settings_of_one_n_stay_on_like_devices_while_there_is_one(sweep_of: Start) -> None:
    axes = (
        Axis(name="n", values=(512, 1024, 2048, 4096)),
        Axis(name="group_size_m", values=(64, 96, 128, 160, 192)),
    )
    hearing = sweep_of(
        SweepRequest(base=RunRequest(m=4096), axes=axes), devices=("cuda:0", "cuda:5")
    )
    assert hearing.end().how == "finished"
    kinds = {(row.cell.request.n, row.hardware) for row in hearing.rows()}
    assert len(hearing.rows()) == 20
    assert len(kinds) == 4, "one kind of GPU for each N"
    assert {kind for _, kind in kinds} <= {
        "NVIDIA H200",
        "NVIDIA A100",
    }  # a busy machine may start one of them too late


def test_a_device_that_is_not_there_leaves_its_cells_to_the_others(
    sweep_of: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LNEXPLORER_FAKE_SECONDS", "0.5")
    hearing = sweep_of(groups(64, 96), devices=("cuda:9", "cuda:0"))
    assert hearing.end().how == "finished"
    assert hearing.of(DeviceLost) == [DeviceLost("cuda:9", verbatim("There is no GPU 9."))]
    assert len(hearing.rows()) == 2


def test_who_has_the_turn_on_its_gpu_is_told(sweep_of: Start) -> None:
    hearing = sweep_of(groups(64, WAITS))
    waits = hearing.wait_for(TurnAwaited)
    assert (waits.device, str(waits.sentence)) == (
        "cuda:0",
        "waiting: it is the turn of ada (process 7) on this GPU",
    )
    hearing.end()
    assert {row.status for row in hearing.rows()} == {"ok"}


def test_pause_hands_out_nothing_more_and_resume_goes_on(
    sweep_of: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = hold_after(1, tmp_path, monkeypatch)
    ns = Axis(name="n", values=tuple(range(256, 256 * 13, 256)))
    hearing = sweep_of(SweepRequest(base=RunRequest(m=64), axes=(ns,)))
    hearing.wait_for(CellFinished)
    threading.Thread(target=hearing.runner.pause).start()
    assert hearing.wait_for(SweepPaused).why is None
    hold.unlink()
    assert not hearing.runner.join(0.5)
    before = len(hearing.rows())
    hearing.runner.resume()
    hearing.wait_for(SweepResumed)
    assert len(hearing.rows()) <= before + 1, "at most the cell that was being measured"
    assert hearing.end().how == "finished"
    assert len(hearing.rows()) == 12


def test_cancel_keeps_the_rows_so_far_and_waits_for_no_cell(sweep_of: Start) -> None:
    hearing = sweep_of(
        groups(100, 101, 102, 103, 104, 105, 106, HANGS, *range(200, 215)), step_seconds=600
    )
    hearing.wait_for(CellFinished)
    hearing.runner.cancel()
    assert hearing.end().how == "cancelled"
    assert 0 < len(hearing.rows()) < 23


def test_a_sweep_with_all_its_rows_starts_no_worker(sweep_of: Start, asked: Asked) -> None:
    sweep = groups(64, 96)
    hearing = sweep_of(sweep, before=[row(cell) for cell in all_cells(sweep)])
    assert hearing.end().how == "finished"
    assert not hearing.rows()
    assert not hearing.of(DeviceReady)
    assert asked() == []


def test_a_row_that_cannot_be_kept_pauses_the_sweep_and_is_not_lost(sweep_of: Start) -> None:
    kept: list[CellResult] = []
    full = threading.Event()

    def keep(row: CellResult) -> None:
        if len(kept) == 2 and not full.is_set():
            raise ExplainedError(say("The disk is full."))
        kept.append(row)

    hearing = sweep_of(groups(*range(100, 110)), keep=keep)
    assert str(hearing.wait_for(SweepPaused).why) == "The disk is full."
    assert len(hearing.rows()) == 2
    full.set()
    hearing.runner.resume()
    assert hearing.end().how == "finished"
    assert sorted(row.cell.number for row in kept) == list(range(10))

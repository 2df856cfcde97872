"""A search over invented workers, whose time falls with GROUP_SIZE_M and num_warps."""

import pytest

from lnexplorer.domain.sweep.best import PATIENCE, best
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from tests.engine.listener import Hearing
from tests.engine.sweep.conftest import PROBLEM, Start
from tests.engine.sweep.fake_worker import DIES

pytest.importorskip("optuna", reason="the search needs the extra `search`")


def searched(sweep_of: Start, sweep: SweepRequest) -> Hearing:
    hearing = sweep_of(sweep)
    hearing.ending = hearing.end()
    return hearing


def test_a_search_begins_with_the_automatic_setting_and_ends_when_nothing_better_comes(
    sweep_of: Start,
) -> None:
    sweep = SweepRequest(base=PROBLEM, search=400, effort="quick")
    hearing = searched(sweep_of, sweep)
    rows = hearing.rows()
    assert min(rows, key=lambda row: row.cell.number).cell.request == PROBLEM
    assert PATIENCE < len(rows) < 400
    assert f"of the last {PATIENCE} settings" in str(hearing.ending.sentence)
    (found,) = best(rows, ("forward", "backward"))
    automatic = next(row for row in rows if row.cell.number == 0).figure("forward")
    fastest = found.result.figure("forward")
    assert automatic is not None and fastest is not None  # noqa: PT018
    assert fastest.p50_ms < automatic.p50_ms


def test_a_small_space_is_exhausted_and_a_setting_that_kills_costs_its_row(sweep_of: Start) -> None:
    axes = [Axis(name="group_size_m", values=(64, DIES)), Axis(name="num_warps", values=(4, 8))]
    others = (
        "block_size",
        "num_stages",
        "reduce_block_size_m",
        "reduce_block_size_n",
        "reduce_num_warps",
    )
    axes += [
        Axis(name=name, values=(value,))
        for name, value in zip(others, (1024, 1, 32, 128, 4), strict=True)
    ]
    hearing = searched(sweep_of, SweepRequest(base=PROBLEM, axes=tuple(axes), search=100))
    assert hearing.ending.how == "finished"
    assert "not tried" in str(hearing.ending.sentence)
    statuses = {
        (row.cell.request.launch.group_size_m, row.cell.request.launch.num_warps): row.status
        for row in hearing.rows()
    }
    assert statuses == {
        (None, None): "ok",
        (64, 4): "ok",
        (64, 8): "ok",
        (DIES, 4): "failed",
        (DIES, 8): "failed",
    }


def test_a_search_that_goes_on_tries_what_is_missing_and_learns_from_what_is_there(
    sweep_of: Start,
) -> None:
    sweep = SweepRequest(base=PROBLEM, search=12)
    rows = searched(sweep_of, sweep).rows()
    before = [
        row for row in rows if row.cell.number not in {0, 4, 9}
    ]  # as if these had been under way
    hearing = sweep_of(sweep, before=before)
    assert hearing.end().how == "finished"
    new = hearing.rows()
    assert sorted(row.cell.number for row in new) == [0, 4, 9]
    assert next(row for row in new if row.cell.number == 0).cell.request == PROBLEM
    assert len({row.cell.request for row in [*before, *new]}) == 12

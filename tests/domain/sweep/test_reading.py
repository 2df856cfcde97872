"""What is read off a sweep: the best setting, lines, changes and crossings."""

from dataclasses import replace

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.best import best
from lnexplorer.domain.sweep.cells import Cell, all_cells
from lnexplorer.domain.sweep.curves import (
    Crossing,
    Curve,
    SettingChange,
    crossings,
    crossings_between,
    curves,
    setting_changes,
)
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from tests.domain.sweep.results import row

BOTH = ("forward", "backward")


def cell(number: int, provider: str = "locked", **request: int) -> Cell:
    peer = provider == "torch"
    return Cell(
        number=number,
        point=(number,),
        provider=provider,
        peer=peer,
        request=RunRequest.of(m=4096, **request),
    )


def test_the_best_is_the_fastest_correct_one_and_sure_where_nobody_comes_near() -> None:
    rows = [
        row(cell(0, n=1024, num_warps=1), time_ms=2.0),
        row(cell(1, n=1024, num_warps=2), time_ms=1.0),
        row(cell(2, n=1024, num_warps=4), time_ms=0.5, status="incorrect"),
        row(cell(3, n=1024, num_warps=8), time_ms=None),
        row(cell(4, "torch", n=1024), time_ms=0.1),
    ]
    (found,) = best(rows, BOTH)
    assert found.result is rows[1]
    assert found.next is rows[0]
    assert found.sure
    assert found.advantage is not None
    assert found.advantage.value == pytest.approx(2.0, rel=1e-6)
    near = [rows[1], row(cell(5, n=1024, num_warps=16), time_ms=1.001)]
    (tied,) = best(near, BOTH)
    assert tied.result is near[0]
    assert not tied.sure


def test_equal_launches_are_one_under_the_name_of_its_strategy_however_noise_ranks_them() -> None:
    sweep = SweepRequest(
        base=RunRequest(m=4096),
        axes=(Axis(name="n", values=(1024, 2048)),),
        strategies=("auto", "persistent"),
        providers=("torch",),
        directions=("backward",),
    )
    times = {"auto": 1.0, "persistent": 1.01, "torch": 1.02}
    cells = all_cells(sweep)
    rows = [
        row(
            each, time_ms=times[each.provider] if each.point == (0,) else 1.0 / times[each.provider]
        )
        for each in cells
    ]
    assert {one.resolved and one.resolved.launch.strategy for one in rows if not one.cell.peer} == {
        "persistent"
    }
    found = best(rows, ("backward",))
    assert [(each.result.cell.provider, each.next) for each in found] == [("persistent", None)] * 2
    (crossing,) = crossings_between(sweep, rows, "backward")
    assert (crossing.ahead_before, crossing.ahead_after, crossing.between) == (
        "persistent",
        "torch",
        (1024, 2048),
    )


def test_each_problem_and_each_kind_of_hardware_has_its_best() -> None:
    rows = [
        row(cell(0, n=1024), time_ms=1.0),
        row(cell(1, n=2048), time_ms=2.0),
        row(cell(2, n=2048), time_ms=3.0, gpu="NVIDIA A100"),
    ]
    assert [found.result for found in best(rows, ("forward",))] == rows


def test_the_heuristics_change_where_the_tutorial_s_curve_has_its_steps() -> None:
    changes = setting_changes(RunRequest(m=4096), range(1024, 15873, 512))
    assert SettingChange(1536, "block_size", 1024, 2048) in changes
    assert SettingChange(8704, "block_size", 8192, 16384) in changes
    assert SettingChange(8704, "group_size_m", 96, 64) in changes
    assert SettingChange(1536, "num_warps", 4, 8) in changes


def test_lines_hold_correct_rows_by_provider_and_hardware_in_the_order_of_the_axis() -> None:
    sweep = SweepRequest(
        base=RunRequest(m=4096),
        axes=(Axis(name="n", values=(1024, 2048, 4096)),),
        providers=("torch",),
    )
    first, peer, second, _, third, _ = all_cells(sweep)
    rows = [
        row(third, time_ms=4.0),
        row(first, time_ms=1.0),
        row(second, status="failed", reason="It crashed."),
        row(peer, time_ms=2.0),
        row(second, time_ms=2.0, gpu="NVIDIA A100"),
    ]
    assert curves(sweep, rows, "forward") == [
        Curve("locked", "NVIDIA H200", (1024, 4096), (100.0, 25.0)),
        Curve("torch", "NVIDIA H200", (1024,), (50.0,)),
        Curve("locked", "NVIDIA A100", (2048,), (50.0,)),
    ]


def test_an_automatic_value_lies_where_it_was_resolved_to() -> None:
    sweep = SweepRequest(
        base=RunRequest(m=4096, n=8192), axes=(Axis(name="group_size_m", values=(None, 128)),)
    )
    (line,) = curves(sweep, [row(each) for each in all_cells(sweep)], "forward")
    assert line.x == (96, 128)


def test_a_curve_overtakes_another_where_the_straight_lines_meet() -> None:
    one = Curve("locked", "H200", (0, 10, 20, 30, 40), (1.0, 1.0, 3.0, 3.0, 0.0))
    other = replace(one, provider="torch", y=(2.0, 1.0, 1.0, 3.0, 3.0))
    assert crossings(one, other) == [
        Crossing(
            pytest.approx(0 + 20 / 3), pytest.approx(1 + 2 / 3), (0, 20), "H200", "torch", "locked"
        ),
        Crossing(
            pytest.approx(20 + 20 * 2 / 5), pytest.approx(1.8), (20, 40), "H200", "locked", "torch"
        ),
    ]


def test_curves_that_touch_do_not_cross_and_missing_points_are_passed_over() -> None:
    one = Curve("locked", "H200", (0, 10, 20), (1.0, 1.0, 1.0))
    other = Curve("torch", "H200", (0, 5, 20), (2.0, 0.0, 1.0))
    assert crossings(one, other) == []

import shlex
from dataclasses import replace

import pytest

from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.domain.sweep.best import Patience, best
from lnexplorer.domain.sweep.cells import all_cells, in_good_order, slow_to_compile
from lnexplorer.domain.sweep.findings import place_words
from lnexplorer.domain.sweep.request import (
    MOST_CELLS,
    TUTORIAL,
    WORTH_TRYING,
    Axis,
    SweepRequest,
    check_sweep,
    open_settings,
    sweep_command,
    sweep_options,
)
from lnexplorer.domain.sweep.table import row
from lnkernels.launch import belongs
from tests.domain.sweep import results as rows

WARPS = Axis(name="num_warps", values=(1, 2, 4, None))
NS = Axis(name="n", values=(512, 1024))


@pytest.mark.parametrize(
    ("sweep", "field"),
    [
        (SweepRequest(axes=(WARPS, WARPS)), "sweep"),
        (SweepRequest(axes=(Axis(name="colour", values=("red",)),)), "sweep"),
        (SweepRequest(axes=(Axis(name="n", values=()),)), "n"),
        (SweepRequest(axes=(Axis(name="n", values=("wide",)),)), "n"),
        (SweepRequest(axes=(Axis(name="num_warps", values=(True,)),)), "num_warps"),
        (SweepRequest(axes=(Axis(name="seed", values=(None,)),)), "seed"),
        (SweepRequest(base=RunRequest(dtype="float16; true")), "dtype"),
        (SweepRequest(axes=(Axis(name="n", values=tuple(range(1, MOST_CELLS + 2))),)), "sweep"),
        (SweepRequest(strategies=("fastest",)), "strategy"),
        (SweepRequest(strategies=()), "strategy"),
        (SweepRequest(directions=()), "mode"),
        (SweepRequest(modes=("hot",)), "timing"),
        (SweepRequest(effort="lazy"), "effort"),
    ],
)
def test_an_impossible_sweep_is_refused_by_field(sweep: SweepRequest, field: str) -> None:
    assert [problem.field for problem in check_sweep(sweep)] == [field]


OWN = SweepRequest(
    axes=(NS, Axis(name="mine.WARPS", values=(4, 8, 16))),
    strategies=("locked",),
    providers=("torch", "mine"),
    modes=("kernel_cold",),
)


def test_settings_of_a_kernel_of_ones_own_are_an_axis_for_it_alone() -> None:
    assert check_sweep(OWN) == []
    cells = all_cells(OWN)
    assert [cell.provider for cell in cells].count("mine") == 6
    assert [cell.provider for cell in cells].count("locked") == 2
    assert [cell.provider for cell in cells].count("torch") == 2
    (first, *_) = [cell for cell in cells if cell.provider == "mine" and cell.point == (1, 2)]
    assert first.settings == (("WARPS", 16),)
    assert first.candidate == "mine.WARPS=16"
    assert str(place_words(OWN, first)) == "N = 1024, mine.WARPS = 16"
    assert str(place_words(OWN, cells[0])) == "N = 512"
    assert sweep_options(OWN)["--setting"] == "mine.WARPS=4:16:x2"
    found = row(OWN, rows.row(first))
    assert found["mine.WARPS"] == 16
    assert row(OWN, rows.row(cells[0]))["mine.WARPS"] is None
    timed = [
        rows.row(cell, time_ms=1.0 / (1 + dict(cell.settings).get("WARPS", 0))) for cell in cells
    ]
    assert [each.result.cell.candidate for each in best(timed, ("forward",))] == [
        "mine.WARPS=16"
    ] * 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"providers": ("torch",)}, "sweep"),
        ({"axes": (Axis(name="mine.WARPS", values=(None,)),)}, "mine.WARPS"),
    ],
)
def test_a_setting_without_its_kernel_and_one_without_a_value_are_refused(
    changes: dict[str, object], field: str
) -> None:
    assert [problem.field for problem in check_sweep(replace(OWN, **changes))] == [field]


def test_a_peer_has_one_cell_for_a_problem_however_many_launches_are_tried_on_it() -> None:
    cells = all_cells(SweepRequest(axes=(NS, WARPS), providers=("torch",)))
    peers = [cell for cell in cells if cell.peer]
    assert [cell.request.n for cell in peers] == [512, 1024]
    assert all(cell.request.launch.num_warps is None for cell in peers)
    assert len(cells) == 8 + 2


def test_a_peer_is_not_refused_a_row_that_is_too_wide_for_a_strategy() -> None:
    wide = SweepRequest(
        base=RunRequest(m=4), axes=(Axis(name="n", values=(100_000,)),), providers=("torch",)
    )
    locked, peer = all_cells(wide)
    assert check(locked.request, "cuda")
    assert check(peer.request, "cuda") == []


def test_a_strategy_has_one_cell_for_the_settings_of_another() -> None:
    groups = Axis(name="group_size_m", values=(32, 64, 128))
    cells = all_cells(
        SweepRequest(
            base=RunRequest.of(n=512, barrier=False),
            axes=(groups,),
            strategies=("locked", "persistent"),
        )
    )
    assert [
        (cell.provider, cell.request.launch.group_size_m, cell.request.launch.barrier)
        for cell in cells
    ] == [
        ("locked", 32, False),
        ("persistent", None, None),
        ("locked", 64, False),
        ("locked", 128, False),
    ]


def test_the_order_goes_from_coarse_to_fine_and_misses_nothing() -> None:
    sweep = TUTORIAL.sweep
    cells = all_cells(sweep)
    ordered = in_good_order(sweep, cells)
    assert sorted(cell.number for cell in ordered) == list(range(len(cells)))
    first = list(dict.fromkeys(cell.request.n for cell in ordered))[:3]
    assert first == [1024, 15872, 8192]
    assert [cell.provider for cell in ordered[:4]] == ["locked", "torch", "locked", "torch"]


def test_what_is_slow_to_compile_comes_last_and_peers_do_not_wait_for_it() -> None:
    axes = (
        Axis(name="block_size", values=(256, 2048, 16384)),
        Axis(name="num_warps", values=(1, 4, 32)),
    )
    sweep = SweepRequest(base=RunRequest(m=4096, n=8192), axes=axes, providers=("torch",))
    ordered = in_good_order(sweep, all_cells(sweep))
    slow = [slow_to_compile(cell.request) and not cell.peer for cell in ordered]
    assert slow == sorted(slow)
    assert [
        cell.request.launch.num_warps for cell, late in zip(ordered, slow, strict=True) if late
    ] == [
        1,
        1,
        1,
    ]  # stage 1 holds 8192 columns
    assert len(ordered) == len(all_cells(sweep)) == 10


def test_the_command_of_a_sweep_says_what_is_not_automatic() -> None:
    assert sweep_options(TUTORIAL.sweep) == {
        "--m": "4096",
        "--n": "1024:15872:512",
        "--strategy": "locked",
        "--provider": "torch",
        "--mode": "forward,backward",
        "--timing": "kernel_cold",
        "--effort": "thorough",
    }


def test_the_command_of_a_sweep_can_be_given_to_a_shell_whatever_stands_in_it() -> None:
    assert "'" not in sweep_command(TUTORIAL.sweep)
    hostile = replace(TUTORIAL.sweep, providers=("torch", "x;touch$IFS/y `z`"))
    words = shlex.split(sweep_command(hostile))
    assert words[words.index("--provider") + 1] == "torch,x;touch$IFS/y `z`"
    assert ";" not in list(shlex.shlex(sweep_command(hostile), posix=True, punctuation_chars=True))


def test_a_search_varies_what_is_automatic_and_belongs_to_the_strategy() -> None:
    sweep = SweepRequest(
        base=RunRequest.of(n=1024, num_warps=4), strategies=("persistent",), search=50
    )
    found = open_settings(sweep)
    assert "num_warps" not in found
    assert "group_size_m" not in found
    assert found["rows"] == WORTH_TRYING["rows"]
    given = replace(sweep, axes=(Axis(name="rows", values=(1, 2)),))
    assert open_settings(given)["rows"] == (1, 2)
    assert all(belongs(name, "persistent") for name in found)


@pytest.mark.parametrize(
    ("sweep", "refused"),
    [
        (SweepRequest(providers=("torch",), search=9), [("provider", "torch")]),
        (
            SweepRequest(strategies=(), providers=("torch",), search=9),
            [("strategy", "nothing"), ("provider", "torch")],
        ),
        (SweepRequest(strategies=(), search=9), [("strategy", "nothing")]),
    ],
)
def test_a_search_is_on_one_problem_and_of_one_strategy(
    sweep: SweepRequest, refused: list[tuple[str, str]]
) -> None:
    assert [(problem.field, problem.value) for problem in check_sweep(sweep)] == refused


def near(time_ms: float) -> Interval:
    return Interval(time_ms * 0.99, time_ms, time_ms * 1.01)


def test_patience_ends_when_nothing_surely_faster_is_found() -> None:
    patience = Patience(limit=3)
    for time_ms in (None, 2.0, 1.0):
        patience.hear(None if time_ms is None else near(time_ms))
    assert patience.in_vain == 0
    # Slower, failed, and faster within the noise: none of them keeps the search alive.
    patience.hear(near(1.5))
    patience.hear(None)
    assert not patience.over
    patience.hear(near(0.999))
    assert patience.over
    assert patience.best == near(0.999)

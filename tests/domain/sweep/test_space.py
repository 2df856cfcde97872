import pytest

from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest, check_sweep
from lnexplorer.domain.sweep.space import WORTH_TRYING, Patience, open_settings
from lnkernels.launch import belongs


def test_a_search_varies_what_is_automatic_and_belongs_to_the_strategy() -> None:
    sweep = SweepRequest(base=RunRequest.of(n=1024, num_warps=4), strategies=("persistent",), search=50)
    found = open_settings(sweep)
    assert "num_warps" not in found
    assert "group_size_m" not in found
    assert found["rows"] == WORTH_TRYING["rows"]
    assert all(belongs(name, "persistent") for name in found)


def test_an_axis_says_what_a_search_may_choose_from() -> None:
    axes = tuple(
        Axis(name=name, values=values) for name, values in (("num_warps", (4, 8)), ("rows", (1, 2)), ("num_stages", (1,)))
    )
    sweep = SweepRequest(base=RunRequest(n=1024), axes=axes, strategies=("persistent",), search=50)
    assert check_sweep(sweep) == []
    assert open_settings(sweep)["num_warps"] == (4, 8)


@pytest.mark.parametrize(
    ("sweep", "refused"),
    [
        (SweepRequest(strategies=("locked", "persistent"), search=9), [("strategy", "locked, persistent")]),
        (SweepRequest(providers=("torch",), search=9), [("provider", "torch")]),
        (SweepRequest(strategies=(), providers=("torch",), search=9), [("strategy", "nothing"), ("provider", "torch")]),
        (SweepRequest(axes=(Axis(name="n", values=(1, 2)),), search=9), [("n", "1,2")]),
        (SweepRequest(strategies=(), search=9), [("strategy", "nothing")]),
    ],
)
def test_a_search_is_on_one_problem_and_of_one_strategy(sweep: SweepRequest, refused: list[tuple[str, str]]) -> None:
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

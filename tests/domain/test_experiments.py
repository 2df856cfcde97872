"""What experiments may be asked, and the sentences that their findings make."""

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.experiments.barrier import Barriers, BarrierSide
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS, check_experiment
from lnexplorer.domain.experiments.experiment import (
    ExperimentRequest,
    ExperimentResult,
    Findings,
)
from lnexplorer.domain.experiments.gpus import Gpus
from lnexplorer.domain.experiments.group_size import GroupSizePoint, GroupSizes
from lnexplorer.domain.experiments.invariance import INVARIANT, BitsCell, Invariance
from lnexplorer.domain.experiments.order import Orders, OrderSide
from lnexplorer.domain.experiments.strategies import Strategies, StrategyRow
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.timeline import LockWait
from lnkernels.values.sentence import translated
from lnkernels.values.timeline import TraceCost
from tests.domain.timelines import model
from tests.sample_experiments import sample


def test_providers_whose_bits_stay_share_a_sentence() -> None:
    made = sample("invariance", gpu=False)
    findings = made.findings_of(Invariance)
    sides = {side.name: side for side in findings.sides}
    twice = (sides["locked"], sides[INVARIANT], replace(sides[INVARIANT], name="mine"))
    told = replace(made, findings=replace(findings, sides=twice)).seen()
    assert "locked changes bits of dw, db. dw has other bits in run 2." in told
    assert "no bit of y, dx, dw, db changes with invariant, mine." in told


def test_a_small_price_of_the_invariant_launch_is_told() -> None:
    made = sample("invariance", gpu=True)
    findings = made.findings_of(Invariance)
    ms = {"persistent": (0.02, 0.04), INVARIANT: (0.01998, 0.0403)}
    sides = tuple(
        replace(side, forward_ms=ms[side.name][0], backward_ms=ms[side.name][1])
        for side in findings.sides
        if side.name in ms
    )
    told = replace(made, findings=replace(findings, sides=sides)).seen()
    assert "beside that of persistent: −0.1 % forward, +0.8 % backward." in told


def test_settings_of_another_launch_are_a_list_and_a_grid_among_them_is_none() -> None:
    cell = BitsCell(way="size", result="y", at=5, setting="a.grid (4, 8) → (5, 8), a.EVEN 0 → 1")
    assert str(cell.settings) == cell.setting
    in_chinese = translated(cell.settings, lambda text: "、" if text == ", " else text)
    assert in_chinese == "a.grid (4, 8) → (5, 8)、a.EVEN 0 → 1"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_words_in_the_head_of_a_table_can_be_translated(name: str) -> None:
    heads, *_ = sample(name).table()
    plain = {head for head in heads if isinstance(head, str)}
    assert plain <= {"", "ms", "GB/s", "N", "KiB", "GROUP_SIZE_M", "y", "dx", "dw", "db"}


def result(findings: Findings, *, gpu: bool = True) -> ExperimentResult:
    made = sample(findings.experiment, gpu=gpu)
    if isinstance(findings, Strategies):
        made = sample("order", gpu=gpu)  # whose problem is the experiment's own
    return replace(made, findings=findings)


@pytest.mark.parametrize("backend", ["cuda", "interpreter"])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_possible_as_it_is_and_keeps_a_given_default(
    name: str, backend: str
) -> None:
    assert check_experiment(ExperimentRequest(name=name), backend) == []
    given = RunRequest()
    problem = (
        EXPERIMENTS[name].complete(ExperimentRequest(name=name, problem=given), backend).problem
    )
    changed = {field for field, value in problem.flat().items() if value != given.value(field)}
    assert changed <= {"m", "n", "group_size_m", "partial_dtype"}, "these can be left open"


def side(
    barrier: bool,
    wrong: int,
    runs: int = 1000,
    columns: tuple[int, ...] = (),
    atomic_count: bool = True,
) -> BarrierSide:
    counts = np.zeros(16, np.int64)
    counts[list(columns)] = 1
    return BarrierSide(
        barrier=barrier,
        atomic_count=atomic_count,
        runs=runs,
        wrong_runs=wrong,
        wrong_dw=counts,
        wrong_db=0 * counts,
        first=(),
    )


def barriers(left_out: BarrierSide | None, plain: int, put_back: BarrierSide) -> Barriers:
    plain_count = side(False, plain, put_back.runs, atomic_count=False)
    return Barriers(left_out=left_out, plain_count=plain_count, put_back=put_back)


def point(size: int, ms: float | None, wait: float | None, same: float) -> GroupSizePoint:
    return GroupSizePoint(
        group_size_m=size,
        ms_float32=ms,
        ms_same=ms,
        wait=None if wait is None else LockWait(trying_ns=700.0, queued_ns=wait),
        error_float32=2e-6,
        error_same=same,
        bytes_float32=8 * size,
        bytes_same=4 * size,
    )


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (ExperimentRequest(name="levitation"), "experiment"),
        (ExperimentRequest(name="order", providers=("torch",)), "provider"),
        (ExperimentRequest(name="invariance", providers=("copy",)), "provider"),
        (ExperimentRequest(name="invariance", problem=RunRequest(n=32769)), "n"),
        (ExperimentRequest(name="barrier", problem=RunRequest.of(strategy="atomic")), "strategy"),
        (ExperimentRequest(name="order", problem=RunRequest(m=0)), "m"),
        (ExperimentRequest(name="gpus", ranks=3, problem=RunRequest(m=2)), "ranks"),
        (ExperimentRequest(name="gpus", ranks=3, gpus=(0, 1)), "ranks"),
        (ExperimentRequest(name="gpus", gpus=(1,)), "ranks"),
    ],
)
def test_what_is_not_possible_is_named(request_: ExperimentRequest, field: str) -> None:
    assert [problem.field for problem in check_experiment(request_, "cuda")] == [field]


def test_sums_of_ones_need_buffers_enough_for_their_type() -> None:
    rows = {"float16": 2048, "bfloat16": 256}
    for dtype, most in rows.items():
        fits = RunRequest.of(m=4 * most, n=64, dtype=dtype, group_size_m=4)
        assert check_experiment(ExperimentRequest(name="barrier", problem=fits), "cuda") == []
        (problem,) = check_experiment(
            ExperimentRequest(name="barrier", problem=replace(fits, m=4 * most + 1)), "cuda"
        )
        assert "take at least 5" in str(problem.allowed)


def test_a_pass_that_recording_made_shorter_is_not_called_longer() -> None:
    timeline = simulate(4, 8, 2, 32, 128, model())
    timeline = replace(timeline, cost=TraceCost(plain_ns=1000.0, traced_ns=944.0, repetitions=9))
    found = Strategies(rows=(), timeline=timeline)
    (told,) = map(str, result(found).facts())
    assert "changes the time of the pass by: locked −5.6 %." in told


def test_none_of_many_is_a_rate_below_three_over_their_number() -> None:
    assert side(False, 0).rate_below == pytest.approx(0.003)
    assert side(False, 1).rate_below is None
    text = result(barriers(side(False, 54, columns=(1, 5)), 0, side(True, 0))).seen()
    assert "54 of 1000" in text
    assert "5.4 %" in text
    assert f"columns with them: 2 of {side(False, 0).wrong_dw.size}." in text
    assert "0.30 %" in text
    both = result(barriers(side(False, 0), 0, side(True, 2, columns=(3,)))).seen()
    assert "2 of 1000" in both
    assert "below" in both
    plain = result(barriers(side(False, 0), 247, side(True, 0))).seen()
    assert "Without the barrier, none of 1000 runs had wrong sums" in plain
    assert "Without barrier and atomic count, 247 of 1000" in plain
    assert "With the barrier, none of" in plain
    assert ("3.9" in both, "3.9" in plain) == (True, False), "said where no side lost a row"
    interpreted = barriers(side(False, 0, 3), 0, side(True, 0, 3))
    assert "%" not in result(interpreted, gpu=False).seen(), "no rate is claimed"


@pytest.mark.parametrize(("second", "told"), [(2e-6, True), (1e-6, False)])
def test_an_error_is_explained_where_it_is_the_same_for_every_size(
    second: float, told: bool
) -> None:
    points = (point(1, 2.0, 5.0, 0.3), replace(point(2, 1.0, 2.0, 0.2), error_float32=second))
    found = result(GroupSizes(points=points, torch_error=None))
    assert any("rounding dw itself to float16" in str(fact) for fact in found.facts()) == told
    untimed = replace(points[0], ms_float32=None)
    interpreted = result(GroupSizes(points=(untimed,), torch_error=None), gpu=False).seen()
    assert "fastest" not in interpreted
    assert "times mean nothing" in interpreted


def test_the_fastest_group_size_is_named_with_its_wait_and_the_worst_error() -> None:
    found = GroupSizes(
        points=(point(1, 9.0, 2e6, 0.2), point(64, 0.3, 4e3, 0.03), point(128, 0.5, 1e3, 0.02)),
        torch_error=None,
    )
    text = result(found).seen()
    assert "With float32 buffers GROUP_SIZE_M = 64 is the fastest: 300 µs, against 9.00 ms" in text
    assert "2000 µs" in text
    assert "with 64 buffers 4.00 µs and 0.700 µs" in text
    assert "0.20 in dw (GROUP_SIZE_M = 1)" in text


def order_side(strategy: str, dtype: str | None, distinct: int, spread: float) -> OrderSide:
    spreads = np.full(16, spread, np.float32)
    return OrderSide(
        strategy=strategy,
        partial_dtype=dtype,
        runs=9,
        distinct=distinct,
        spread=spreads,
        error=1e-3,
    )


@pytest.mark.parametrize(("distinct", "words"), [(1, "the same bits"), (3, "3 different")])
def test_no_spread_is_said_only_where_there_is_none(distinct: int, words: str) -> None:
    sides = (
        order_side("locked", "same", 9, 0.02),
        order_side("locked", "float32", 9, 3e-6),
        order_side("split", None, distinct, 0.0),
    )
    text = result(Orders(sides=sides)).seen()
    assert "2.0e-2" in text
    assert "3.0e-6" in text
    assert words in text


def test_strategies_are_told_apart_by_their_bits() -> None:
    def row(name: str, ms: float, distinct: int) -> StrategyRow:
        return StrategyRow(
            strategy=name,
            ms=ms,
            gbps=1.0,
            workspace_bytes=2048,
            runs=50,
            distinct=distinct,
            error=1e-3,
        )

    def seen(*rows: StrategyRow) -> ExperimentResult:
        return result(Strategies(rows=rows, timeline=None))

    rows = (row("locked", 0.3, 50), row("atomic", 0.2, 50), row("persistent", 0.1, 1))
    text = seen(*rows).seen()
    assert "persistent is the fastest: 100 µs, against locked's 300 µs (3.00×)" in text
    assert "persistent gave the same bits in all 50 runs" in text
    assert "locked, atomic gave other bits" in text
    text = seen(row("locked", 0.1, 50), rows[1]).seen()
    assert text.startswith("locked is the fastest here: 100 µs.")


def test_the_model_of_sums_over_gpus_goes_through_what_was_measured_and_grows_as_shots_and_rings_do() -> (
    None
):
    found = sample("gpus").findings_of(Gpus)
    for row in found.rows:
        for way in ("one_shot", "nccl"):
            assert found.model.microseconds(way, 2, row.bytes) == pytest.approx(
                row.microseconds(way), rel=1e-6
            )
    large = 1 << 30
    shots, rings = (
        [found.model.microseconds(way, ranks, large) for ranks in (2, 8)]
        for way in ("one_shot", "nccl")
    )
    assert shots[1] / shots[0] == pytest.approx(7, rel=0.01)  # each reads seven others
    assert rings[1] / rings[0] == pytest.approx(2 * 7 / 8, rel=0.01)  # of parts, an eighth each


@pytest.mark.parametrize(
    ("nccl_us", "told"),
    [
        ((9.0, 9.0, 9.0), ["The one shot is faster than NCCL at 3 of 3"]),
        (
            (9.0, 9.0, 4.0),
            [
                "The one shot is faster than NCCL at 2 of 3",
                "NCCL is faster than the one shot at 1 of 3",
            ],
        ),
    ],
)
def test_the_faster_sum_over_gpus_is_named_with_its_widths(
    nccl_us: tuple[float, ...], told: list[str]
) -> None:
    found = sample("gpus").findings_of(Gpus)
    rows = [
        replace(row, one_shot_us=5.0, nccl_us=us)
        for row, us in zip(found.rows, nccl_us, strict=True)
    ]
    words = result(replace(found, rows=tuple(rows))).seen()
    assert [part for part in told if part in words] == told
    assert words.count("faster than") == len(told)

"""The check passes what float32 arithmetic can give, and finds every fault that is put into it."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lnkernels.check.accuracy import Tally, check_all, worse
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import Results, torch_results
from lnkernels.launch import Launch, LaunchWish, resolve_launch
from lnkernels.values.accuracy import Correctness, TensorCheck
from tests.truth import truth

EPS = 1e-5
DTYPES = [torch.float16, torch.bfloat16, torch.float32]


def checked(*given: torch.Tensor) -> TensorCheck:
    """The check of a result as a whole."""
    tally = Tally("y")
    tally.add(*given)
    return tally.check()


class Rehearsal:
    """A large problem, with the float64 truth rounded to the dtype standing in for the kernels'
    results.
    """

    def __init__(self, m: int, n: int, dtype: torch.dtype, distribution: str = "tutorial") -> None:
        self.inputs: Inputs = make_inputs(m, n, dtype, distribution, 0, "cpu")
        self.launch: Launch = resolve_launch(n, str(dtype).removeprefix("torch."))
        self.true = truth(self.inputs, EPS)
        self.theirs = torch_results(self.inputs, EPS)
        self.exact = Results(
            *(getattr(self.true, name).to(dtype) for name in ("y", "dx", "dw", "db"))
        )

    def terms(self, rows: int | slice) -> torch.Tensor:
        """The terms that some rows add to dw."""
        xhat = (self.inputs.x[rows].double() - self.true.mean[rows, None]) * self.true.rstd[
            rows, None
        ]
        return (self.inputs.dy[rows].double() * xhat).squeeze(0)

    def check(self, **changed: torch.Tensor) -> Correctness:
        """The check of a result."""
        return check_all(self.inputs, EPS, self.launch, replace(self.exact, **changed), self.theirs)


@pytest.fixture(scope="module", params=DTYPES, ids=str)
def small(request: pytest.FixtureRequest) -> Rehearsal:
    return Rehearsal(40, 96, request.param)


@pytest.fixture(scope="module")
def tall() -> Rehearsal:
    return Rehearsal(16384, 64, torch.float16)


def test_the_rounded_truth_passes(small: Rehearsal) -> None:
    accuracy = small.check()
    assert accuracy.passed
    assert [check.name for check in accuracy.checks] == ["y", "dx", "dw", "db"]


@pytest.mark.parametrize("name", ["y", "dx"])
@pytest.mark.parametrize("fill", [0.0, torch.nan, torch.inf])
def test_a_dropped_column_is_found(small: Rehearsal, name: str, fill: float) -> None:
    faulty = getattr(small.exact, name).clone()
    faulty[:, -1] = fill
    check = small.check(**{name: faulty}).check(name)
    assert not check.passed
    assert check.worst_ratio > 1
    assert check.failed >= 38  # a true value may be as small as the fault


def test_one_row_lost_among_16384_is_found_in_dw_and_db(tall: Rehearsal) -> None:
    row = 16383
    dtype = tall.inputs.x.dtype
    dw, db = tall.true.dw - tall.terms(row), tall.true.db - tall.inputs.dy[row].double()
    found = tall.check(dw=dw.to(dtype), db=db.to(dtype))
    assert not found.check("dw").passed
    assert not found.check("db").passed


def test_a_float32_sum_in_any_order_passes(tall: Rehearsal) -> None:
    inputs = tall.inputs
    terms = tall.terms(slice(None)).float()
    buffers = torch.zeros(tall.launch.group_size_m, 64)
    for rows in torch.randperm(16384, generator=torch.Generator().manual_seed(1)).split(
        tall.launch.group_size_m
    ):
        buffers += terms[rows]
    assert tall.check(dw=buffers.sum(0).to(inputs.x.dtype)).check("dw").passed


def test_equal_rows_whose_roundings_all_point_one_way_pass() -> None:
    plain = make_inputs(4096, 8, torch.float32, "normal", 0, "cpu")
    inputs = replace(plain, x=plain.x[:1].expand(4096, 8), dy=torch.full((4096, 8), 0.1))
    true, launch = truth(inputs, EPS), resolve_launch(8, "float32", LaunchWish(group_size_m=1))
    xhat = ((inputs.x[0].double() - true.mean[0]) * true.rstd[0]).float()
    dw, db = torch.zeros(8), torch.zeros(8)
    for row in range(4096):
        dw += inputs.dy[row] * xhat
        db += inputs.dy[row]
    kernel = Results(true.y.float(), true.dx.float(), dw, db)
    found = check_all(inputs, EPS, launch, kernel, torch_results(inputs, EPS))
    assert found.check("dw").passed
    assert found.check("db").passed
    assert found.check("db").kernel_vs_truth.max_abs > 1e-3  # the roundings did add up


def test_half_precision_buffers_are_judged_by_what_they_can_do() -> None:
    rehearsal = Rehearsal(4096, 128, torch.float16)
    terms = rehearsal.terms(slice(None)).float()
    groups = rehearsal.launch.group_size_m
    buffers = torch.zeros(groups, 128, dtype=torch.float16)
    for start in range(0, 4096, groups):
        buffers += terms[start : start + groups].half()
    dw = buffers.float().sum(0)
    strict = rehearsal.check(dw=dw.half()).check("dw")
    rehearsal.launch = replace(rehearsal.launch, partial_dtype="same")
    honest = rehearsal.check(dw=dw.half()).check("dw")
    lost = rehearsal.check(dw=(dw - terms[7]).half()).check("dw")
    assert not strict.passed
    assert honest.passed
    assert not lost.passed


def test_an_error_in_a_small_element_cannot_hide_beside_a_large_one() -> None:
    rehearsal = Rehearsal(4, 256, torch.float32, "spike")
    faulty = rehearsal.exact.y.clone()
    row = faulty[0]
    column = int(row.abs().argmin())
    row[column] += 1e-3
    check = rehearsal.check(y=faulty).check("y")
    assert check.failed == 1


def test_an_error_no_greater_than_pytorchs_own_passes() -> None:
    true = torch.tensor([1.0, 2.0], dtype=torch.float64)
    bound = torch.full_like(true, 1e-6)
    kernel, theirs = torch.tensor([1.001, 2.0]), torch.tensor([1.001, 2.0])
    assert checked(kernel, true, theirs, bound).passed
    assert not checked(kernel, true, torch.tensor([1.0, 2.0]), bound).passed


def test_infinities_have_to_be_the_truths_or_pytorchs() -> None:
    true = torch.tensor([torch.nan, torch.inf, -torch.inf, 1e6, 65519.0], dtype=torch.float64)
    bound = torch.full_like(true, 40.0)
    right = torch.tensor(
        [torch.nan, torch.inf, -torch.inf, torch.inf, torch.inf], dtype=torch.float16
    )
    assert checked(right, true, right, bound).passed
    for index in range(4):
        wrong = right.clone()
        wrong[index] = 0.0 if index == 0 else -right[index]
        check = checked(wrong, true, right, bound)
        assert check.failed == 1
        assert check.kernel_vs_torch.misplaced == 1


def test_the_tutorials_verdict_is_one_absolute_tolerance_against_pytorch() -> None:
    true, bound = torch.zeros(2, dtype=torch.float64), torch.full((2,), 1.0, dtype=torch.float64)
    zeros = torch.zeros(2)
    assert checked(zeros + 0.009, true, zeros, bound).tutorial_passed
    assert not checked(zeros + 0.011, true, zeros, bound).tutorial_passed
    assert not checked(zeros * torch.nan, true, zeros * torch.nan, bound).tutorial_passed


def test_no_rows_pass_without_an_error() -> None:
    rehearsal = Rehearsal(0, 8, torch.float32)
    accuracy = rehearsal.check()
    assert accuracy.passed
    assert accuracy.check("y").kernel_vs_truth.max_abs == 0.0


def test_chunks_of_rows_give_what_one_piece_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rehearsal = Rehearsal(150, 16, torch.float32)
    whole = rehearsal.check(y=rehearsal.exact.y + 1e-4)
    monkeypatch.setattr("lnkernels.check.results.CHECK_CHUNK_BYTES", 1)
    pieces = rehearsal.check(y=rehearsal.exact.y + 1e-4)
    assert np.array_equal(pieces.maps[0].values, whole.maps[0].values)
    for one, other in zip(pieces.histograms, whole.histograms, strict=True):
        assert np.array_equal(one.kernel, other.kernel)
    assert pieces.check("y").failed == whole.check("y").failed
    assert pieces.check("dw").tolerance == pytest.approx(whole.check("dw").tolerance)


def test_of_several_repeats_each_tensor_s_worst_counts(small: Rehearsal) -> None:
    good = small.check()
    bad_dw, bad_dx = small.check(dw=small.exact.dw + 1), small.check(dx=small.exact.dx + 1)
    worst = worse(worse(bad_dw, good), bad_dx)
    assert [each.name for each in worst.checks if not each.passed] == ["dx", "dw"]
    assert float(worst.columns[0].kernel.min()) > 0.9
    assert float(worst.columns[1].kernel.max()) < 0.5

"""Sums in half precision are inexact; a lost update, a row left out or swapped columns are wrong,
at the shapes of Triton's tutorial.
"""

import re
from dataclasses import replace

import pytest
import torch

from lnkernels.check.inexact import only_inexact
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.judging import Judgement, judge
from lnkernels.check.results import Results, torch_results
from lnkernels.launch import Launch, LaunchWish, resolve_launch

EPS = 1e-5


def problem(m: int, n: int, dtype: torch.dtype) -> tuple[Inputs, Launch, torch.Tensor]:
    """Return inputs, their launch, and the terms of dw, float32 [M, N]."""
    inputs = make_inputs(m, n, dtype, "tutorial", 0, "cpu")
    launch = resolve_launch(n, str(dtype).removeprefix("torch."), LaunchWish(), m=m)
    x = inputs.x.double()
    xhat = (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True, unbiased=False) + EPS).sqrt()
    return inputs, launch, (inputs.dy.double() * xhat).float()


def summed(terms: torch.Tensor, buffers: int, dtype: torch.dtype) -> torch.Tensor:
    """Add rows into buffers of a dtype, row r into buffer r % buffers, then the buffers."""
    partial = terms.new_zeros((buffers, terms.shape[1]), dtype=dtype)
    for start in range(0, len(terms), buffers):
        rows = terms[start : start + buffers]
        partial[: len(rows)] = (partial[: len(rows)].float() + rows).to(dtype)
    return partial.float().sum(0).to(dtype)


def verdict(inputs: Inputs, launch: Launch, given: torch.Tensor, name: str = "dw") -> bool:
    results = Results(inputs.x, None, **{"dw": None, "db": None, name: given})
    return only_inexact(inputs, EPS, results, launch, (name,))


def swapped(result: torch.Tensor, one: int, other: int) -> torch.Tensor:
    changed = result.clone()
    changed[..., [one, other]] = changed[..., [other, one]]
    return changed


@pytest.mark.parametrize(
    ("m", "n", "buffers", "dtype"),
    [
        (4096, 512, 256, torch.bfloat16),
        (1151, 2048, 96, torch.float16),
    ],
)
def test_half_precision_sums_of_the_tutorial_are_inexact_and_a_lost_row_is_wrong(
    m: int, n: int, buffers: int, dtype: torch.dtype
) -> None:
    inputs, launch, terms = problem(m, n, dtype)
    dw = summed(terms, buffers, dtype)
    assert verdict(inputs, launch, dw)
    without = terms.clone()
    without[m // 2] = 0
    assert not verdict(inputs, launch, summed(without, buffers, dtype))
    half = terms.clone()
    half[m // 3, : n // 2] = 0
    assert not verdict(inputs, launch, summed(half, buffers, dtype))
    twice = torch.cat([terms, terms[7:8]])
    assert not verdict(inputs, launch, summed(twice, buffers, dtype))
    assert not verdict(inputs, launch, swapped(dw, 3, 5))


# Columns, and the buffers that the tutorial has for them.
@pytest.mark.parametrize(
    ("n", "buffers", "dtype"),
    [
        (512, 256, torch.float32),
        (1024, 256, torch.float16),
        (512, 256, torch.bfloat16),
        (2048, 128, torch.bfloat16),
    ],
)
def test_two_swapped_columns_of_dw_or_db_are_wrong(
    n: int, buffers: int, dtype: torch.dtype
) -> None:
    inputs, launch, terms = problem(4096, n, dtype)
    for name, added in (("dw", terms), ("db", inputs.dy.float())):
        given = summed(added, buffers, dtype)
        assert verdict(inputs, launch, given, name)
        totals = added.double().sum(0)
        least = 0.1 * totals.std()
        for one in range(3, n - 1, n // 3):
            apart = (totals - totals[one]).abs()
            other = int(torch.where(apart > least, apart, torch.inf).argmin())  # the hardest
            assert not verdict(inputs, launch, swapped(given, one, other), name), (one, other)


@pytest.mark.parametrize("shape", [(64, 4096), (300, 1024), (1151, 512)])
@pytest.mark.parametrize("buffers", [1, 2, 16, 64])
def test_no_column_of_honest_sums_stands_out(shape: tuple[int, int], buffers: int) -> None:
    inputs, launch, terms = problem(*shape, torch.float16)
    for shift in (0.0, 0.02):
        dy = inputs.dy + shift
        given = summed(dy.float(), buffers, torch.float16)
        assert verdict(replace(inputs, dy=dy), launch, given, "db")
    assert verdict(inputs, launch, summed(terms, buffers, torch.float16))


def test_the_sentence_names_error_and_bound_of_the_same_element() -> None:
    inputs, launch, terms = problem(1151, 512, torch.float16)
    theirs = torch_results(inputs, EPS)
    results = {"y": theirs.y, "dx": theirs.dx, "dw": summed(terms, 96, torch.float16)}
    judged = judge(results, inputs, EPS, launch, theirs)
    told = re.search(
        r"up to (\S+) times .*\(dw (\S+) where (\S+) is allowed\)", str(judged.inexact)
    )
    assert told is not None
    ratio, error, allowed = map(float, told.groups())
    assert error / allowed == pytest.approx(ratio, rel=0.05)
    assert judged.correctness is not None
    check = judged.correctness.check("dw")
    assert error <= check.kernel_vs_truth.max_abs * 1.05
    assert allowed <= check.tolerance * 1.05


def test_where_rounding_hides_a_row_the_sum_is_wrong() -> None:
    inputs, launch, terms = problem(4096, 512, torch.bfloat16)
    assert not verdict(inputs, launch, summed(terms, 1, torch.bfloat16))


def backward(
    inputs: Inputs, dtype: torch.dtype, fault: str = "", sums: torch.dtype | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return dx and dw as kernels give them that keep mean and rstd in a dtype, as Liger's do."""
    x, dy = inputs.x.float(), inputs.dy.float()
    assert inputs.weight is not None
    mean = x.mean(1, keepdim=True)
    rstd = (x.var(1, unbiased=False, keepdim=True) + EPS).rsqrt()
    if fault == "another row's rstd":
        rstd[[3, 5]] = rstd[[5, 3]] * 1.02
    if fault == "another row's mean":
        mean[3] = mean[5] + 0.05
    mean, rstd = mean.to(dtype).float(), rstd.to(dtype).float()
    xhat, wdy = (x - mean) * rstd, dy * inputs.weight.float()
    c1, c2 = (xhat * wdy).mean(1, keepdim=True), wdy.mean(1, keepdim=True)
    dx = (wdy - xhat * (0 if fault == "no c1" else c1) - (0 if fault == "no c2" else c2)) * rstd
    terms = dy * xhat
    if fault == "a lost row":
        terms[7] = 0
    if fault == "half a lost row":
        terms[7, : terms.shape[1] // 2] = 0
    dw = terms.sum(0)
    if fault == "swapped columns":
        dw = dw.roll(1)
    return dx.to(inputs.x.dtype), dw.to(sums or inputs.x.dtype)


@pytest.mark.parametrize(
    ("m", "dtype", "data"), [(64, torch.float16, "tutorial"), (300, torch.bfloat16, "normal")]
)
def test_statistics_kept_in_half_precision_are_inexact_and_faults_beside_them_wrong(
    m: int, dtype: torch.dtype, data: str
) -> None:
    inputs = make_inputs(m, 256, dtype, data, 0, "cpu")
    launch = resolve_launch(256, str(dtype).removeprefix("torch."), LaunchWish(), m=m)
    theirs = torch_results(inputs, EPS)

    def judged(kept: torch.dtype, fault: str = "") -> Judgement:
        dx, dw = backward(inputs, kept, fault)
        results = {"y": theirs.y, "dx": dx, "dw": dw}
        return judge(results, inputs, EPS, launch, theirs)

    exact = judged(torch.float32)
    assert (exact.wrong, exact.inexact) == (None, None)
    kept = judged(dtype)
    assert kept.wrong is None
    assert f"one running sum of all {m:,} rows in {str(dtype)[6:]} may be" in str(kept.inexact)
    faults = ["no c1", "no c2", "a lost row", "half a lost row", "swapped columns"]
    faults += ["another row's rstd", "another row's mean"]
    for fault in faults:
        assert judged(dtype, fault).wrong is not None, fault


# Rows of the tutorial's check, and a width of its benchmark that is no power of two.
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("data", "fault"), [("tutorial", "unmasked"), ("constant", "no eps")])
def test_an_unmasked_variance_and_a_missing_eps_are_wrong(
    data: str, fault: str, dtype: torch.dtype
) -> None:
    n, block = 1536, 2048
    inputs = make_inputs(1151, n, dtype, data, 0, "cpu")
    launch = resolve_launch(n, str(dtype).removeprefix("torch."), LaunchWish(), m=1151)
    theirs = torch_results(inputs, EPS)
    x, weight, bias = inputs.x.float(), inputs.weight, inputs.bias
    assert weight is not None
    assert bias is not None
    mean = x.double().mean(1, keepdim=True).float()
    for wrong in (False, True):
        squares = (x - mean).square().sum(1, keepdim=True)
        if wrong and fault == "unmasked":  # lanes beyond the row hold 0
            squares += (block - n) * mean.square()
        rstd = (squares / n + (0 if wrong and fault == "no eps" else EPS)).rsqrt()
        y = ((x - mean) * rstd * weight.float() + bias.float()).to(dtype)
        found = judge({"y": y}, inputs, EPS, launch, theirs).wrong
        assert ("y is wrong" in str(found)) == wrong


@pytest.mark.parametrize("m", [1, 2])
def test_of_few_rows_statistics_kept_in_half_precision_are_inexact_and_a_swap_wrong(
    m: int,
) -> None:
    launch = resolve_launch(512, "float16", LaunchWish(), m=m)
    for seed in range(12):
        inputs = make_inputs(m, 512, torch.float16, "normal", seed, "cpu")
        dx, dw = backward(inputs, torch.float16, sums=torch.float32)
        given = {"y": torch_results(inputs, EPS).y, "dx": dx, "dw": dw}
        judged = judge(given, inputs, EPS, launch)
        assert judged.wrong is None
        assert judge(given | {"dw": swapped(dw, 3, 9)}, inputs, EPS, launch).wrong is not None

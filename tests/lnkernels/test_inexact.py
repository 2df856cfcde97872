"""Sums in half precision are inexact; a lost update, a row left out or swapped columns are wrong,
at the shapes of Triton's tutorial.
"""

from dataclasses import replace

import pytest
import torch

from lnkernels.check.inexact import only_inexact
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import Results, torch_results
from lnkernels.check.verifier import Judgement, judge
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


def verdict(inputs: Inputs, launch: Launch, dw: torch.Tensor) -> bool:
    results = replace(torch_results(inputs, EPS), dw=dw)
    return only_inexact(
        inputs, EPS, Results(results.y, results.dx, dw, results.db), launch, ("dw",)
    )


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
    swapped = dw.clone()
    swapped[[3, 5]] = swapped[[5, 3]]
    assert not verdict(inputs, launch, swapped)


def test_where_rounding_hides_a_row_the_sum_is_wrong() -> None:
    inputs, launch, terms = problem(4096, 512, torch.bfloat16)
    assert not verdict(inputs, launch, summed(terms, 1, torch.bfloat16))


def backward(
    inputs: Inputs, dtype: torch.dtype, fault: str = ""
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
    return dx.to(inputs.x.dtype), dw.to(inputs.x.dtype)


@pytest.mark.parametrize(
    ("m", "dtype", "data"), [(64, torch.float16, "tutorial"), (300, torch.bfloat16, "normal")]
)
def test_statistics_kept_in_half_precision_are_inexact_and_faults_beside_them_wrong(
    m: int, dtype: torch.dtype, data: str
) -> None:
    inputs = make_inputs(m, 512, dtype, data, 0, "cpu")
    launch = resolve_launch(512, str(dtype).removeprefix("torch."), LaunchWish(), m=m)
    theirs = torch_results(inputs, EPS)

    def judged(kept: torch.dtype, fault: str = "") -> Judgement:
        dx, dw = backward(inputs, kept, fault)
        results = {"y": theirs.y, "dx": dx, "dw": dw}
        return judge(results, inputs, EPS, launch, theirs)

    exact = judged(torch.float32)
    assert (exact.wrong, exact.inexact) == (None, None)
    kept = judged(dtype)
    assert kept.wrong is None
    assert "of mean and rstd, explains" in str(kept.inexact)
    faults = ["no c1", "no c2", "a lost row", "half a lost row", "swapped columns"]
    faults += ["another row's rstd", "another row's mean"]
    for fault in faults:
        assert judged(dtype, fault).wrong is not None, fault

"""Sums in half precision are inexact; a lost update, a row left out or swapped columns are wrong,
at the shapes of Triton's tutorial.
"""

from dataclasses import replace

import pytest
import torch

from lnkernels.check.inexact import only_inexact
from lnkernels.check.inputs import Inputs, make_inputs
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


def verdict(inputs: Inputs, launch: Launch, dw: torch.Tensor) -> bool:
    results = replace(torch_results(inputs, EPS), dw=dw)
    return only_inexact(
        inputs, EPS, Results(results.y, results.dx, dw, results.db), launch, ("dw",)
    )


@pytest.mark.parametrize(
    ("m", "n", "buffers", "dtype"),
    [
        (4096, 1024, 256, torch.float16),
        (4096, 1024, 256, torch.bfloat16),
        (1151, 8192, 96, torch.float16),
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
    inputs, launch, terms = problem(4096, 1024, torch.bfloat16)
    assert not verdict(inputs, launch, summed(terms, 1, torch.bfloat16))

"""Rows of half precision whose spread is narrow beside their mean, or wide beside all but one of
their numbers, for which the forward pass does without a second mean, and up to 1024 columns with
sums that are taken at once.
"""

from typing import Any

import pytest
import torch

from lnkernels.launch import Launch
from lnkernels.passes import forward
from lnkernels.passes.arguments import ForwardTensors
from tests.lnkernels.conftest import DEVICE

EPS = 1e-5
REDUCE = ("block_size_m", "block_size_n", "num_warps")
U32 = 2.0**-24
# A power of two, just below one, and inside a binade, large and small.
BASES = (1.0, 0.1, 1000.0, 2047.0, 30000.0)


def step(value: float, dtype: torch.dtype, steps: int) -> float:
    """The number so many numbers of `dtype` above `value`, which is positive."""
    return float((torch.tensor([value], dtype=dtype).view(torch.int16) + steps).view(dtype))


def rows_about(base: float, n: int, dtype: torch.dtype) -> list[torch.Tensor]:
    """Rows of n numbers next to `base`: one of them a step away, half of them, some below zero."""
    generator = torch.Generator().manual_seed(n)
    half, few = torch.rand(n, generator=generator) < 0.5, torch.rand(n, generator=generator) < 0.1
    one = torch.arange(n) == n // 3
    at, above, below = (step(base, dtype, steps) for steps in (0, 1, -1))
    return [
        torch.where(one, above, at),
        torch.where(one, below, at),
        torch.where(half, above, at),
        torch.where(half, below, at),
        torch.where(few, -below, -at),
    ]


def hard_rows(n: int, dtype: torch.dtype) -> torch.Tensor:
    """Return such rows, and rows of the smallest numbers, with outliers, and of several exponents,
    [37, n].
    """
    generator = torch.Generator().manual_seed(n)
    normal = torch.randn(n, generator=generator)
    lanes = torch.arange(n)
    least = torch.finfo(dtype).smallest_normal
    if dtype == torch.float16:  # Triton's interpreter misreads subnormal bfloat16 (3.7.1)
        least *= torch.finfo(dtype).eps
    found = [row for base in BASES for row in rows_about(base, n, dtype)]
    found += [
        torch.full((n,), 0.1),
        (normal * 10).round() * least,
        torch.where(lanes % 97 == 0, least, 1.0),
        torch.where(lanes == n // 2, 60000.0, normal),
        torch.where(lanes == n // 2, -60000.0, 1000 + normal),
        torch.where(lanes == 0, 60000.0, normal),
        torch.where(lanes == 0, normal, 30000.0),
        torch.where(lanes % 101 == 0, normal, 2040.0),
        torch.where(lanes % 2 == 0, 30000.0, -30000.0),
        1024 + 8 * normal,
        0.5 * normal - 2.3,
        100 + 300 * lanes / n,
    ]
    return torch.stack(found).to(dtype).to(DEVICE)


def forward_launch(block_size: int, **rest: Any) -> Launch:
    fields = ("block_size_n", "num_warps", *(f"reduce_{each}" for each in REDUCE))
    unused = dict.fromkeys(fields, 1)
    return Launch(
        strategy="persistent", block_size=block_size, forward_num_warps=4, **unused, **rest
    )


def whole(n: int, rows: int = 1, programs: int = 0) -> Launch:
    return forward_launch(1 << (n - 1).bit_length(), forward_rows=rows, forward_programs=programs)


def held(block_size: int) -> Launch:
    return forward_launch(block_size, forward_held=True)


def normalised(x: torch.Tensor, launch: Launch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """y, mean and rstd without weight and bias, into rows that are apart from each other and were
    NaN before.
    """
    m, n = x.shape
    y = torch.full((m, n + 8), torch.nan, dtype=x.dtype, device=x.device)
    mean, rstd = torch.full((2, m), torch.nan, device=x.device)
    forward.launch_forward(
        ForwardTensors(x=x, weight=None, bias=None, eps=EPS, y=y[:, :n], mean=mean, rstd=rstd),
        launch,
    )
    assert y[:, n:].isnan().all()
    return y[:, :n], mean, rstd


def apart(x: torch.Tensor) -> torch.Tensor:
    """Return the same rows with NaN between them."""
    wide = torch.full((x.shape[0], x.shape[1] + 16), torch.nan, dtype=x.dtype, device=x.device)
    wide[:, 3:-13] = x
    return wide[:, 3:-13]


@pytest.mark.parametrize(
    ("n", "launch", "dtype"),
    [
        (1, whole(1, rows=4), torch.float16),
        (7, held(8), torch.bfloat16),
        (1000, held(1024), torch.float16),
        (1000, held(256), torch.bfloat16),
        (1000, whole(1000, rows=8, programs=2), torch.float16),
        (6000, whole(6000, rows=4), torch.bfloat16),
    ],
)
def test_every_row_is_as_near_to_the_truth_as_pytorchs(
    n: int, launch: Launch, dtype: torch.dtype
) -> None:
    x = hard_rows(n, dtype)
    assert launch.forward_rows == 1 or len(x) % launch.forward_rows, "the last tile is to lack rows"
    given, mean, rstd = normalised(apart(x), launch)
    wide = x.double()
    true_mean, deviation = wide.mean(1), (wide - wide.mean(1, keepdim=True)).square().mean(1)
    true_rstd = (deviation + EPS).rsqrt()
    expected = (wide - true_mean[:, None]) * true_rstd[:, None]
    theirs = torch.nn.functional.layer_norm(x, (n,), None, None, EPS)
    ours, other = ((one.double() - expected).abs().amax(1) for one in (given, theirs))
    unit = torch.finfo(dtype).eps * expected.abs().amax(1)
    assert (ours <= torch.maximum(1.25 * other, unit)).all()
    # Sums taken at once are of numbers less the mean of four of them, which may be far from that of
    # all.
    at_once = launch.forward_held and n <= 1024
    four = wide[:, [0, n // 4, n // 2, n * 3 // 4]].mean(1)
    far = (four - true_mean).abs() if at_once else torch.zeros_like(true_mean)
    # The sum's last rounding and the division's, and what a wide spread adds.
    off = (mean.double() - true_mean).abs()
    assert (off <= 2 * U32 * (true_mean.abs() + far) + 32 * U32 * deviation.sqrt()).all()
    # The error of the mean enters the variance squared.
    allowed = 16 * (1 + (far * true_rstd).square()) * U32 + (off * true_rstd).square()
    assert ((rstd.double() - true_rstd).abs() <= allowed * true_rstd).all()


@pytest.mark.parametrize(("n", "block_size", "rows"), [(200, 64, 4), (256, 256, 1)])
def test_rows_behind_each_other_and_rows_apart_give_the_same_bits(
    n: int, block_size: int, rows: int
) -> None:
    """The compiler knows the length of the former."""
    x = hard_rows(n, torch.bfloat16)
    launch = forward_launch(block_size, forward_held=True, forward_rows=rows)
    given = ForwardTensors.allocate(x, None, None, EPS)
    forward.launch_forward(given, launch)
    together = given.y, given.mean, given.rstd
    for one, other in zip(together, normalised(apart(x), launch), strict=True):
        assert torch.equal(one, other)

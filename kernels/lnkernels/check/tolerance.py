"""Bounds for the error of every element, argued from the arithmetic that leads to it.

u is the unit roundoff: 2^-24 of float32, in which the kernels compute, 2^-11 of float16, 2^-8 of
bfloat16. A float32 sum in which no value passes through more than D additions is off by at most D·u
times the sum of the magnitudes. From this:

- mean: the second walk corrects the first one's error, so what is left is u·|mean| for its last
  rounding and D·u·σ for the sum of the residues. The first is what large data with a small spread
  suffers from: in units of xhat it is u·|mean|·rstd, and PyTorch, which keeps the mean in float32
  too, suffers likewise. Half precision's rows of up to 8192 columns have no second walk
  (`lnkernels.passes.forward` says why): their sum and the division are rounded once each, which the
  factor 2 below covers.
- rstd: half the relative error of variance + eps. The squares' sum gives D·u; the error of the
  first walk's mean, at most D·u·√(mean² + σ²), enters squared. Where that mean stays, so does its
  error's square: of xhat it is at most the mean's own share, as no xhat is larger than √N.
- y = xhat·w + b, dx = (wdy - xhat·c1 - c2)·rstd: the errors of the factors, each times the
  magnitude of the others, and one rounding an operation; a product and a sum that are fused round
  once less. c1 and c2 are sums over the row.
- dw, db: the errors of the rows' terms and of the summation itself, both over thousands of rows
  (`sum_tolerance`).
- last, one rounding to the output's dtype: u_out·|value|.

RMSNorm has no mean: with it go the mean's errors, the first walk's, and c2's. It has one more
instead. Llama's definition, which PyTorch and Liger follow in half precision, rounds xhat to the
type of x before the weight is applied, and wdy and the terms of dw likewise: one rounding u_x to
xhat, one to wdy, and two to dy·xhat (a factor and the product). A kernel that keeps float32 stays
within the same bound. These roundings are of known size, so they need no factor for products of
errors.

The norm of x + residual: the truth is that of the sum as it is stored, rounded to the type of x,
which PyTorch and Liger normalise, and which whoever reads it sees. quack and FlashAttention go on
with the sum in float32, and apply its mean and rstd to the stored sum in the backward pass. Both
sums are known, so what this choice makes is computed, not bounded: xhat may be off by the distance
of the two xhat, and by what the distances of the two means and of the two rstd make of it. The
gradient of the norm may be rounded to the type of x before that of the sum is added, as autograd
does. The sum itself is one addition, rounded once.

All but the sums over rows are worst cases, so the part that float32 arithmetic makes is small
beside the output's rounding in half precision, and a factor 2 on it for products of errors costs
nothing. Magnitudes are those of the element and its row, hence a small element beside a large one
is still held to its own.
"""

from math import ceil, log2, sqrt

import torch
from torch import Tensor

from lnkernels.check.inputs import Inputs
from lnkernels.check.results import TrueRows, true_rows
from lnkernels.launch import Launch, buffers_in_use, ceil_div
from lnkernels.values.frozen import frozen

U32 = 2.0**-24
SAFETY = 2.0
# Independent roundings add up as a random walk. Each is spread evenly over at most u·|sum| to both
# sides, a deviation of 0.42·u·|sum| on average over a binade, so 3·u is seven deviations.
RANDOM_WALK = 3.0
_THREADS_PER_WARP = 32
_INTERPRETER_DEPTH = 16  # numpy's sum adds runs of 16 before it pairs


@frozen
class RowBounds:
    """Largest errors that correct kernels can make in some rows, float64."""

    y: Tensor  # [rows, N]
    dx: Tensor  # [rows, N]
    dw_terms: Tensor  # [rows, N], of each row's dy·xhat


@frozen
class ColumnSums:
    """Sums over the terms of each column of dw or db, from which its bound follows, each [N]
    float64.
    """

    total: Tensor
    squares: Tensor  # sum of the terms' squares
    errors: Tensor  # sum of the terms' own largest errors
    error_squares: Tensor  # sum of the squares of these

    @classmethod
    def zeros(cls, like: Tensor) -> "ColumnSums":
        """Return sums over no row of a matrix."""
        return cls(*(like.new_zeros(like.shape[1], dtype=torch.float64) for _ in range(4)))

    def add(self, terms: Tensor, errors: Tensor | None = None) -> None:
        """Take in the terms of some rows [rows, N], and their largest errors, where they have
        some.
        """
        self.total.add_(terms.sum(0))
        self.squares.add_(terms.square().sum(0))
        if errors is not None:
            self.errors.add_(errors.sum(0))
            self.error_squares.add_(errors.square().sum(0))

    def coherence(self, m: int) -> Tensor:
        """Return the total over the largest total that m terms of these squares can have: about 1 /
        √m of random terms, 1 of equal.
        """
        return torch.where(
            self.squares > 0, self.total.abs() / (m * self.squares).sqrt(), 0.0
        ).clamp(max=1.0)


def unit_roundoff(dtype: torch.dtype) -> float:
    """Return the largest relative error of rounding to nearest in `dtype`."""
    return float(torch.finfo(dtype).eps) / 2


def least_step(dtype: torch.dtype) -> float:
    """Return the distance between the smallest numbers of `dtype`; of float32 the smallest normal
    number, as a GPU may flush what is below it to zero.
    """
    limits = torch.finfo(dtype)
    return float(limits.tiny) if dtype == torch.float32 else float(limits.tiny * limits.eps)


def sum_depth(n: int, block: int, num_warps: int, rows: int = 1) -> int:
    """Return the most additions that a value passes through when one program sums n values in steps
    of `block`.

    A step may as well be a program's share of a row. A program that takes several rows at once
    shares its threads among them.
    """
    threads = num_warps * _THREADS_PER_WARP
    return (
        ceil_div(n, block)
        + ceil_div(block * rows, threads)
        + ceil(log2(max(block, 2)))
        + _INTERPRETER_DEPTH
    )


def row_bounds(chunk: TrueRows, inputs: Inputs, eps: float, launch: Launch) -> RowBounds:
    """Return bounds for the rows of `chunk`, by the argument at the head of this file."""
    n, warps = chunk.dy.shape[1], launch.forward_num_warps or launch.num_warps
    depth = sum_depth(n, launch.block_size, warps, launch.forward_rows)
    variance, mean, rstd, xhat, c1, c2 = (
        chunk.variance,
        chunk.mean,
        chunk.rstd,
        chunk.xhat,
        chunk.c1,
        chunk.c2,
    )
    mean_error = U32 * (mean.abs() + (depth + 3) * variance.sqrt())
    first_mean_error = U32 * depth * (mean.square() + variance).sqrt()
    halved = 0.0
    if inputs.norm == "rms_norm":
        mean_error = first_mean_error = torch.zeros_like(mean)
        halved = unit_roundoff(inputs.x.dtype)  # of roundings on the way
    relative_variance = (
        2 * (depth + 3) * U32 * (variance + first_mean_error.square()) / (variance + eps)
    )
    relative = relative_variance / 2 + 5 * U32
    shift = rstd * mean_error
    size = xhat.abs()
    rounded = torch.zeros_like(xhat)  # what rounding x + residual makes of xhat
    if inputs.residual is not None:
        wide = true_rows(inputs, eps, chunk.rows, wide=True)
        rounded = (wide.xhat - xhat).abs()
        relative = relative + (wide.rstd / rstd - 1).abs()
        shift = shift + rstd * (wide.mean - mean).abs()
    xhat_error = shift + relative * size + rounded

    y_error = xhat_error + 3 * U32 * size
    if inputs.weight is not None:
        y_error = y_error * inputs.weight.double().abs()
    if inputs.bias is not None:
        y_error = y_error + 3 * U32 * inputs.bias.double().abs()

    depth = sum_depth(n, launch.block_size_n, launch.num_warps, launch.rows)
    mean_wdy = chunk.wdy.abs().mean(1, keepdim=True)
    mean_product = (chunk.wdy * xhat).abs().mean(1, keepdim=True)
    c1_error = (U32 * (depth + 3) + relative) * mean_product + shift * mean_wdy
    c1_error = c1_error + (chunk.wdy.abs() * rounded).mean(1, keepdim=True)
    c2_error = U32 * (depth + 2) * mean_wdy if inputs.norm == "layer_norm" else mean_error
    dx_error = (size + xhat_error) * c1_error + c1.abs() * xhat_error + c2_error
    dx_error += 4 * U32 * (chunk.wdy.abs() + size * c1.abs() + c2.abs())
    dx_error = dx_error * rstd + relative * chunk.norm_dx.abs()

    y_error = SAFETY * y_error + halved * chunk.y.abs()
    # wdy is rounded by itself and in c1, xhat in c1 and in its product with c1
    halved_dx = halved * rstd * (chunk.wdy.abs() + size * (2 * mean_product + c1.abs()))
    if inputs.residual is not None:
        halved_dx = halved_dx + unit_roundoff(inputs.x.dtype) * chunk.norm_dx.abs()
    dw_error = SAFETY * (xhat_error + 2 * U32 * size) + 2 * halved * size
    return RowBounds(
        y=with_rounding(y_error, chunk.y, inputs.x.dtype),
        dx=with_rounding(SAFETY * dx_error + halved_dx, chunk.dx, inputs.x.dtype),
        # Where RMSNorm's row has an infinity, every other xhat of it is 0, and exact.
        dw_terms=(chunk.dy.abs() * dw_error).nan_to_num(nan=0.0, posinf=torch.inf),
    )


def with_rounding(error: Tensor, truth: Tensor, dtype: torch.dtype) -> Tensor:
    """Add the rounding to `dtype` to the error of a float32 value near `truth`."""
    return error + unit_roundoff(dtype) * (truth.abs() + error) + least_step(dtype)


def sum_tolerance(
    sums: ColumnSums,
    dy: ColumnSums,
    m: int,
    x_dtype: torch.dtype,
    out_dtype: torch.dtype,
    launch: Launch,
) -> Tensor:
    """Return the bound [N] for dw or db, summed over m rows by the two stages.

    Stage 1 adds m / B rows into each of B buffers, one rounding of a running sum to the buffers'
    dtype a row. Buffers are the locks' or the programs' own: every strategy has some, and adds at
    most so many rows into one. In whichever order the rows come, a running sum is about the root of
    the buffer's sum of squares where the terms have no common sign, and grows to the buffer's share
    of the total where they have. Its roundings are independent in the first case, and add up as a
    random walk. In the second (equal rows, say) they may all point one way, and add up in full. The
    terms' coherence tells the cases apart. Taking the worst case always would let a lost row pass
    unseen at large m.

    The terms' own errors likewise: that of xhat, times dy. What it has in common between rows adds
    up as dy does (the mean's rounding, where all rows have one mean) or as the terms do (rstd's).
    So it adds up in full as far as either is coherent.

    Stage 2 adds the buffers in float32, for which the worst case is small enough.

    The bound follows the buffers' dtype. With buffers in half precision it is what half precision
    can do, so a result that passes has no fault but theirs: what they cost shows as the distance to
    the truth, and in the tutorial's verdict.

    Args:
        sums: of the column's terms.
        dy: of the column of dy; the same as `sums` for db.
        m: number of terms.
        x_dtype: the buffers' dtype where the launch says "same".
        out_dtype: of dw or db.
        launch: the launch that made the sums.
    """
    if m == 0:
        return torch.zeros_like(sums.total)
    buffers = buffers_in_use(m, launch)
    partial_dtype = torch.float32 if launch.partial_dtype == "float32" else x_dtype
    rows = ceil_div(m, buffers)
    roundings = rows - 1 if partial_dtype == torch.float32 else rows
    coherence = sums.coherence(m)
    running = (sums.squares + sums.total.square() / buffers).sqrt()
    stage1 = RANDOM_WALK * sqrt(roundings) + roundings * sqrt(buffers) * coherence
    stage1 = stage1 * unit_roundoff(partial_dtype) * running
    if partial_dtype != torch.float32:
        stage1 = stage1 + m * least_step(partial_dtype)
    steps = (
        ceil_div(buffers, launch.reduce_block_size_m) + ceil(log2(launch.reduce_block_size_m)) + 1
    )
    stage2 = SAFETY * U32 * steps * sqrt(buffers) * running
    common = torch.maximum(coherence, dy.coherence(m))
    terms = torch.minimum(
        RANDOM_WALK * sums.error_squares.sqrt() + common * sums.errors, sums.errors
    )
    return with_rounding(terms + stage1 + stage2, sums.total, out_dtype)

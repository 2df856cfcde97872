"""Tell sums and statistics in half precision from wrong results.

dw and db of other people's kernels are often added up in the type of x, as in Triton's published
tutorial, and are then off by more than sums in float32 may be. Such a result is inexact, not wrong,
where rounding explains it:

- Every element is within what one running sum of all M rows in that type may be off by: the longest
  chain of additions that a kernel can have (`tolerance.sum_tolerance` with one buffer). How many
  buffers a kernel really has is not known.
- No row is missing, and none was added twice. Half precision may hide a row's share of one element,
  but not of all of them: the error of a result that lacks row r is -t_r plus rounding, t_r being
  the row's terms. Its share of t_r, the scalar product of error and t_r over that of t_r with
  itself, is then -1, and near 0 otherwise, as roundings know nothing of any row. Shares are taken
  of parts of a row, for a kernel that loses an update of some columns. Where rounding is so large
  that it hides such a share, a missing row cannot be ruled out, and the result is wrong.
- No column stands out, as a swapped one does. One chain of M rows may be off by almost all that a
  column adds up to, and a swap hides in that; but where the other columns are far better, there is
  no such chain. How many buffers B there are follows from the median column, as errors are 1/√B as
  large with them, and so is by how much the largest exceeds the median: of 24,000 simulated sums
  of up to 4096 columns up to 10 times with 256 buffers, 28 times with one. Columns whose terms have
  a common sign are left out, as their errors follow from their values, and sums so small that the
  type's steps no longer do.

Others hand mean and rstd to the backward pass in the type of x, as Liger does. With one rounding of
each, mean·(1 + δ) and rstd·(1 + ε), no larger than u, xhat is off by u·(rstd·|mean| + |xhat|). In
c1, a mean over the row, both factors are the row's own, so that it is off by u·(rstd·|mean|·|c2| +
|c1|), c2 not at all, and dx as the product says, worst cases throughout: about as much as its own
rounding. In dw these are errors of the rows' terms, which `sum_tolerance` adds up: as a random
walk, or in full as far as rows are alike. y is computed before the statistics are stored, and db
without them: they are no excuse for these.
"""

from dataclasses import replace

import torch
from torch import Tensor

from lnkernels.check.inputs import Inputs
from lnkernels.check.results import Results, TrueRows, true_chunks
from lnkernels.check.tolerance import (
    ColumnSums,
    least_step,
    row_bounds,
    sum_tolerance,
    unit_roundoff,
)
from lnkernels.launch import Launch

MOST_SHARE = 0.5  # of a row in the error, halfway between a row that is there and one that is not
PARTS = 4  # of a row
LEAST_COLUMNS = 128  # of a part: the error's roundings average out over them
MOST_OF_MEDIAN = 10.0  # of a column's error, with many buffers; with B (1 + 2/√B) times as much
MEDIAN_OF_CHAIN = 0.13  # of one buffer's errors, in u·√M times the root of the terms' squares
LEAST_FOR_MEDIAN = 32  # columns
MOST_COHERENCE = 3.0  # of random terms, in 1/√M


def only_inexact(
    inputs: Inputs, eps: float, results: Results, launch: Launch, names: tuple[str, ...]
) -> bool:
    """Return True if rounding in the type of x explains the errors of some results.

    Args:
        inputs: the problem, M rows.
        eps: added to the variance.
        results: of a provider.
        launch: the run's, for the sum of the buffers.
        names: of "dx", "dw" and "db": what is beyond the tolerance of float32.
    """
    m = inputs.x.shape[0]
    added, stored, db = (ColumnSums.zeros(inputs.x) for _ in range(3))
    kept = unit_roundoff(inputs.x.dtype)
    for chunk in true_chunks(inputs, eps):
        xhat_error = kept * (chunk.rstd * chunk.mean.abs() + chunk.xhat.abs())
        if "dx" in names and not _is_dx_inexact(inputs, eps, results, launch, chunk, xhat_error):
            return False
        added.add(chunk.dy * chunk.xhat)
        stored.add(chunk.dy * chunk.xhat, chunk.dy.abs() * xhat_error)
        db.add(chunk.dy)
    one_buffer = replace(launch, strategy="locked", group_size_m=1, partial_dtype="same")
    errors = {}
    for name in set(names) - {"dx"}:
        result: Tensor = getattr(results, name)
        sums = added if name == "dw" else db
        errors[name] = result.double() - sums.total
        half = max(inputs.x.dtype, result.dtype, key=unit_roundoff)
        bounds = [sum_tolerance(sums, db, m, half, result.dtype, one_buffer)]
        if name == "dw":
            in_float32 = replace(one_buffer, partial_dtype="float32")
            bounds.append(sum_tolerance(stored, db, m, half, result.dtype, in_float32))
        if not any(bool((errors[name].abs() <= bound).all()) for bound in bounds):
            return False
        scale = unit_roundoff(half) * (m * sums.squares).sqrt()
        usual = (sums.coherence(m) < MOST_COHERENCE / m**0.5) & (scale > m * least_step(half))
        # Of fewer rows all may have a common sign, and no chain is long enough to hide a swap.
        if m > MOST_COHERENCE**2 and _stands_out((errors[name].abs() / scale)[usual]):
            return False
    return not any(
        _holds_a_row(errors[name], chunk.dy * chunk.xhat if name == "dw" else chunk.dy)
        for chunk in true_chunks(inputs, eps)
        for name in errors
    )


def _is_dx_inexact(
    inputs: Inputs,
    eps: float,
    results: Results,
    launch: Launch,
    chunk: TrueRows,
    xhat_error: Tensor,
) -> bool:
    """Return True if statistics kept in the type of x explain the errors of dx in some rows."""
    assert results.dx is not None, "it is beyond its tolerance"
    kept = unit_roundoff(inputs.x.dtype)
    c1_error = kept * (chunk.rstd * chunk.mean.abs() * chunk.c2.abs() + chunk.c1.abs())
    product = (chunk.xhat.abs() + xhat_error) * c1_error + xhat_error * chunk.c1.abs()
    bound = row_bounds(chunk, inputs, eps, launch).dx
    bound = bound + (1 + 2 * kept) * (chunk.rstd * product + kept * chunk.norm_dx.abs())
    error = (results.dx[chunk.rows].double() - chunk.dx).abs()
    return bool((error <= bound).all())


def _stands_out(errors: Tensor) -> bool:
    """Return True if an error is too large for what the others are."""
    errors = errors[errors > 0]
    if errors.numel() < LEAST_FOR_MEDIAN:
        return False
    median = float(errors.median())
    return float(errors.max()) > MOST_OF_MEDIAN * (1 + 2 * median / MEDIAN_OF_CHAIN) * median


def _holds_a_row(error: Tensor, terms: Tensor) -> bool:
    """Return True if an error [N] may contain one of some rows' terms [rows, N]."""
    parts = max(1, min(PARTS, error.numel() // LEAST_COLUMNS))
    for columns in torch.arange(error.numel(), device=error.device).chunk(parts):
        part, rows = error[columns], terms[:, columns]
        size = rows.square().sum(1)
        share = torch.where(size > 0, (rows @ part).abs() / size, 0.0)
        if bool((share > MOST_SHARE).any()):
            return True
    return False

"""Tell sums in half precision from wrong sums.

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
"""

from dataclasses import replace

import torch

from lnkernels.check.inputs import Inputs
from lnkernels.check.results import Results, true_chunks
from lnkernels.check.tolerance import ColumnSums, sum_tolerance, unit_roundoff
from lnkernels.launch import Launch

MOST_SHARE = 0.5  # of a row in the error, halfway between a row that is there and one that is not
PARTS = 4  # of a row
LEAST_COLUMNS = 128  # of a part: the error's roundings average out over them


def only_inexact(
    inputs: Inputs, eps: float, results: Results, launch: Launch, names: tuple[str, ...]
) -> bool:
    """Return True if rounding in the type of x explains the errors of some sums.

    Args:
        inputs: the problem, M rows.
        eps: added to the variance.
        results: of a provider.
        launch: the run's, for the sum of the buffers.
        names: "dw", "db", or both: what is beyond the tolerance of sums in float32.
    """
    one_buffer = replace(launch, strategy="locked", group_size_m=1, partial_dtype="same")
    m, n = inputs.x.shape
    sums = {
        name: ColumnSums(*(inputs.x.new_zeros(n, dtype=torch.float64) for _ in range(4)))
        for name in ("dw", "db")
    }
    exact = inputs.x.new_zeros((1, n), dtype=torch.float64)
    for chunk in true_chunks(inputs, eps):
        sums["dw"].add(chunk.dy * chunk.xhat, exact)
        sums["db"].add(chunk.dy, exact)
    errors = {}
    for name in names:
        result: torch.Tensor = getattr(results, name)
        kept = max(inputs.x.dtype, result.dtype, key=unit_roundoff)
        bound = sum_tolerance(sums[name], sums["db"], m, kept, result.dtype, one_buffer)
        errors[name] = result.double() - sums[name].total
        if not bool((errors[name].abs() <= bound).all()):
            return False
    return not any(
        _holds_a_row(errors[name], chunk.dy * chunk.xhat if name == "dw" else chunk.dy)
        for chunk in true_chunks(inputs, eps)
        for name in names
    )


def _holds_a_row(error: torch.Tensor, terms: torch.Tensor) -> bool:
    """Return True if an error [N] may contain one of some rows' terms [rows, N]."""
    parts = max(1, min(PARTS, error.numel() // LEAST_COLUMNS))
    for columns in torch.arange(error.numel(), device=error.device).chunk(parts):
        part, rows = error[columns], terms[:, columns]
        size = rows.square().sum(1)
        share = torch.where(size > 0, (rows @ part).abs() / size, 0.0)
        if bool((share > MOST_SHARE).any()):
            return True
    return False

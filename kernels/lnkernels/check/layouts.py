"""Inputs of calls by users who give no contiguous matrices: tensors of three dimensions, with
strides or an offset, of other dtypes, without weight or bias, without rows, and of several calls in
turn.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from torch import Tensor

from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.values.accuracy import LATER_CALLS, MANY_ROWS

ROWS = 6


def calls(layout: str, like: Inputs) -> Iterator[Inputs]:
    """Return the tensors of the calls of one of LAYOUTS, of x [..., N]; the same ones every time.

    Args:
        layout: its name.
        like: gives N, the dtype, the device and the norm.
    """
    n = like.x.shape[-1]

    def fresh(seed: int, m: int = ROWS, columns: int = n) -> Inputs:
        of = like.x.dtype, "normal", seed, like.x.device, like.named_norm
        return make_inputs(m, columns, *of)

    def same(rows: Tensor) -> Tensor:
        return rows

    def shifted(rows: Tensor) -> Tensor:
        return rows.new_empty(rows.numel() + 1)[1:].view(ROWS, n).copy_(rows)

    given, wide = fresh(0), fresh(1, columns=n + 8).mapped(lambda rows: rows[:, :n])
    weight, bias = given.weight, given.bias
    assert weight is not None, "made with one"
    wide_bias = None if bias is None else bias.float()
    single = {
        "three_dimensions": given.mapped(lambda rows: rows.view(2, -1, n)),
        "strided_rows": replace(wide, weight=weight, bias=bias),
        "offset": given.mapped(shifted, same),
        "expanded_dy": given.mapped(same, lambda rows: rows[:1].expand(ROWS, n)),
        "transposed_dy": given.mapped(same, lambda rows: rows.t().contiguous().t()),
        "float32_weight": replace(given, weight=weight.float(), bias=wide_bias),
        "no_bias": replace(given, bias=None),
        "no_weight": replace(given, weight=None, bias=None),
        "no_rows": given.mapped(lambda rows: rows[:0]),
    }
    several = {
        "later_calls": map(fresh, range(LATER_CALLS)),
        "many_rows": map(fresh, [0], [MANY_ROWS]),
    }
    return several[layout] if layout in several else iter([single[layout]])


def rows_of(layout: str, number: int, like: Inputs) -> Inputs:
    """Return the inputs of a call of a layout as matrices."""
    call = next(islice(calls(layout, like), number, None))
    return call.mapped(lambda rows: rows.reshape(-1, rows.shape[-1]))

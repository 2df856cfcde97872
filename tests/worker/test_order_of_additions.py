"""The numbers of the animation against what the kernels gave."""

import numpy as np
import pytest
import torch

from lnexplorer.domain.ordered_sums import order_bound, ordered_sums
from lnexplorer.domain.simulation import simulate
from lnkernels.inputs import make_inputs
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.results import kernel_results, per_row_partials
from lnkernels.values.accuracy import PartialRows
from tests.domain.timelines import model

EPS = 1e-5


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("partial_dtype", ["float32", "same"])
@pytest.mark.parametrize(("m", "n", "group_size_m"), [(4, 8, 2), (16, 16, 8), (7, 5, 3), (3, 8, 8)])
def test_sums_in_a_simulated_order_agree_with_dw_and_db_within_the_argued_bound(
    dtype: str, partial_dtype: str, m: int, n: int, group_size_m: int
) -> None:
    launch = resolve_launch(n, dtype, LaunchWish(group_size_m=group_size_m, partial_dtype=partial_dtype))
    inputs = make_inputs(m, n, getattr(torch, dtype), "normal", 0, "cpu")
    results = kernel_results(inputs, EPS, launch)
    partial = per_row_partials(inputs.x, inputs.dy, results.mean, results.rstd, inputs.weight, launch)
    arrays = [tensor.float().numpy() for tensor in (*partial, results.dw, results.db) if tensor is not None]
    rows = PartialRows(dw=arrays[0], db=arrays[1], dw_total=arrays[2], db_total=arrays[3])
    buffers = "float32" if partial_dtype == "float32" else dtype
    for arbitration in ("fifo", "newest"):
        timeline = simulate(m, n, group_size_m, 32, 128, model(arbitration=arbitration, jitter=0.4, seed=m))
        sums = ordered_sums(rows, timeline, buffers)
        for own, run, partial in ((sums.dw, rows.dw_total, rows.dw), (sums.db, rows.db_total, rows.db)):
            magnitude = np.abs(partial.astype(np.float64)).sum(axis=0)
            bound = order_bound(magnitude, m, group_size_m, buffers, dtype)
            assert (np.abs(own.astype(np.float64) - run) <= bound).all()
            assert (bound <= (m + 2) * 2**-6 * magnitude + 1e-6).all()

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.measuring import TensorErrors
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import KernelFacts
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.quantities import QUANTITIES, grid, value_of
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnkernels.launch import Occupancy
from tests.domain.sweep.results import row


def kernel(name: str, registers: int | None, programs: int) -> KernelFacts:
    return KernelFacts(
        name=name,
        architecture="sm_90",
        grid=(1,),
        num_warps=4,
        registers=registers,
        spill_bytes=0,
        shared_bytes=0,
        occupancy=Occupancy(programs_per_sm=programs, share_of_warps=0.5, limited_by="registers"),
    )


def test_a_row_has_a_number_for_every_quantity() -> None:
    errors = tuple(
        TensorErrors(name=name, max_abs=0.5, torch_max_abs=0.5, tolerance=1.0, passed=True) for name in ("y", "dx", "dw", "db")
    )
    kernels = (kernel("forward", 30, 8), kernel("backward_stage1", 80, 4), kernel("backward_stage2", 100, 16))
    result = replace(row(time_ms=2.0), errors=errors, compiled=kernels, wait_ns=2500.0)
    values = {name: value_of(result, name, "backward") for name in QUANTITIES}
    assert None not in values.values()
    assert (values["gbps"], values["p50_ms"], values["share_of_ceiling"], values["dw_error"]) == (50.0, 2.0, 0.5, 0.5)
    assert (values["registers"], values["occupancy"]) == (100.0, 4.0)
    assert value_of(result, "registers", "forward") == 30.0
    assert values["lock_wait_us"] == 2.5


def test_an_incorrect_row_has_errors_and_no_speed() -> None:
    error = TensorErrors(name="dw", max_abs=9.0, torch_max_abs=0.5, tolerance=1.0, passed=False)
    result = replace(row(status="incorrect"), errors=(error,))
    assert value_of(result, "dw_error", "backward") == 9.0
    assert value_of(result, "gbps", "backward") is None
    assert value_of(result, "registers", "backward") is None
    with pytest.raises(KeyError):
        value_of(result, "beauty", "backward")


def test_a_grid_has_a_place_for_every_setting_and_nan_where_nothing_is_known() -> None:
    axes = (Axis(name="block_size", values=(256, 512)), Axis(name="num_warps", values=(1, 2, 4)))
    sweep = SweepRequest(base=RunRequest(m=4096, n=1024), axes=axes, providers=("torch",))
    cells = {(cell.provider, cell.point): cell for cell in all_cells(sweep)}
    results = [row(cells["locked", (0, 1)], time_ms=2.0), row(cells["locked", (1, 2)], time_ms=4.0)]
    results += [row(cells["locked", (1, 0)], status="failed", reason="It crashed."), row(cells["torch", (0, 0)])]
    found = grid(sweep, results, "locked", "gbps", "forward")
    np.testing.assert_array_equal(found, [[np.nan, 50.0, np.nan], [np.nan, np.nan, 25.0]])


def test_a_grid_of_one_axis_has_one_column() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096, n=1024), axes=(Axis(name="num_warps", values=(1, 2, 4)),))
    found = grid(sweep, [row(all_cells(sweep)[1])], "locked", "p50_ms", "forward")
    np.testing.assert_array_equal(found, [[np.nan], [1.0], [np.nan]])

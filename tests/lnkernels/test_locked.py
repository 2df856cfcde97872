"""The faults that the published kernels have, each with a test that fails where the mend is taken
out.
"""

from dataclasses import replace

import pytest
import torch

from lnkernels.check.accuracy import check_all
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import KernelResults, kernel_results, per_row_partials, torch_results
from lnkernels.launch import Launch, LaunchWish, resolve_launch
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.locked import (
    WIDEST_IN_REGISTERS,
    WIDEST_OF_BOTH,
    LockedWorkspace,
    allocate_workspace,
)
from lnkernels.passes.registry import run_backward
from lnkernels.values.accuracy import Correctness
from tests.lnkernels.conftest import DEVICE
from tests.truth import truth

EPS = 1e-5


def launch_for(inputs: Inputs, **wished: int | str | bool) -> Launch:
    dtype = str(inputs.x.dtype).removeprefix("torch.")
    return resolve_launch(inputs.x.shape[1], dtype, LaunchWish(**wished))  # type: ignore[arg-type]


def checked(inputs: Inputs, **wished: int | str | bool) -> Correctness:
    launch = launch_for(inputs, **wished)
    return check_all(
        inputs, EPS, launch, kernel_results(inputs, EPS, launch), torch_results(inputs, EPS)
    )


def given_by(
    inputs: Inputs, forward: KernelResults, **written: torch.Tensor | None
) -> BackwardTensors:
    statistics = {"mean": forward.mean, "rstd": forward.rstd}
    return BackwardTensors(x=inputs.x, dy=inputs.dy, weight=inputs.weight, **statistics, **written)


def backward(
    inputs: Inputs, forward: KernelResults, launch: Launch, workspace: LockedWorkspace
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    assert inputs.weight is not None
    dx = torch.full(inputs.x.shape, torch.nan, dtype=inputs.x.dtype, device=inputs.x.device)
    dw, db = (torch.full_like(inputs.weight, torch.nan) for _ in range(2))
    run_backward(given_by(inputs, forward, dx=dx, dw=dw, db=db), launch, workspace)
    return dx, dw, db


@pytest.mark.parametrize(
    ("n", "partial_dtype"),
    [
        (WIDEST_OF_BOTH.value, "float32"),
        (WIDEST_OF_BOTH.value + 8, "float32"),
        (WIDEST_IN_REGISTERS.value + 8, "same"),
    ],
)
def test_every_form_of_the_addition_gives_the_same_sums(n: int, partial_dtype: str) -> None:
    inputs = make_inputs(2, n, torch.float16, "normal", 0, DEVICE)
    assert checked(inputs, group_size_m=1, partial_dtype=partial_dtype).passed


@pytest.mark.parametrize("barrier", [True, False])
def test_a_plain_count_counts_the_rows_of_a_lock(barrier: bool) -> None:
    inputs = make_inputs(5, 12, torch.float32, "normal", 0, DEVICE)
    launch = launch_for(inputs, group_size_m=2, barrier=barrier, atomic_count=False)
    workspace = allocate_workspace(inputs.x, launch)
    backward(inputs, kernel_results(inputs, EPS, launch), launch, workspace)
    assert workspace.locks_and_counts.tolist() == [0, 0, 3, 2]
    assert checked(inputs, group_size_m=2, barrier=barrier, atomic_count=False).passed


def test_buffers_beyond_the_number_of_rows_are_neither_allocated_nor_summed() -> None:
    inputs = make_inputs(3, 12, torch.float16, "tutorial", 0, DEVICE)
    assert checked(inputs, group_size_m=256, reduce_block_size_m=16).passed
    launch = launch_for(inputs, group_size_m=256)
    assert allocate_workspace(inputs.x, launch).partial_dw.shape == (3, 12)


def test_locks_and_counts_are_cleared_before_every_launch() -> None:
    inputs = make_inputs(5, 12, torch.float32, "normal", 0, DEVICE)
    launch = launch_for(inputs, group_size_m=2)
    forward = kernel_results(inputs, EPS, launch)
    workspace = allocate_workspace(inputs.x, launch)
    first = backward(inputs, forward, launch, workspace)
    second = backward(inputs, forward, launch, workspace)
    torch.testing.assert_close(first, second, rtol=1e-5, atol=1e-6)


def test_partial_sums_are_kept_in_float32_unless_asked_otherwise() -> None:
    plain = make_inputs(24, 16, torch.bfloat16, "tutorial", 0, DEVICE)
    inputs = replace(
        plain, weight=torch.ones(16, device=DEVICE)
    )  # float32, so that dw is not rounded in the end
    errors = {}
    for partial_dtype in ("float32", "same"):
        dw = kernel_results(
            inputs, EPS, launch_for(inputs, group_size_m=2, partial_dtype=partial_dtype)
        ).dw
        assert dw is not None
        errors[partial_dtype] = float((dw.double() - truth(inputs, EPS).dw).abs().max())
    assert errors["float32"] < 1e-5
    assert errors["same"] > 1e-3


def test_the_rows_own_partial_sums_are_the_terms_of_dw_and_db() -> None:
    inputs = make_inputs(5, 12, torch.float16, "tutorial", 0, DEVICE)
    launch = launch_for(inputs, group_size_m=2, partial_dtype="same")
    forward = kernel_results(inputs, EPS, launch)
    dw, db = per_row_partials(
        inputs.x, inputs.dy, forward.mean, forward.rstd, inputs.weight, launch
    )
    true = truth(inputs, EPS)
    xhat = (inputs.x.double() - true.mean[:, None]) * true.rstd[:, None]
    assert dw.dtype == db.dtype == torch.float32
    torch.testing.assert_close(dw.double(), inputs.dy.double() * xhat, rtol=1e-5, atol=1e-6)
    assert torch.equal(db, inputs.dy.float())

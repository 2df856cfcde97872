"""The kernels on a GPU alone: real locks, large shapes, every dtype at full width."""

from dataclasses import replace

import pytest
import torch

from lnkernels import layer_norm
from lnkernels.check.accuracy import check_all
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import KernelResults, kernel_results, torch_results
from lnkernels.launch import Launch
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.locked import LockedWorkspace, allocate_workspace
from lnkernels.passes.registry import run_backward
from lnkernels.values.accuracy import Correctness
from tests.lnkernels.test_locked import checked, launch_for
from tests.truth import truth

pytestmark = pytest.mark.gpu

EPS = 1e-5
DTYPES = [torch.float16, torch.bfloat16, torch.float32]


def assert_passed(accuracy: Correctness) -> None:
    assert accuracy.passed, [check for check in accuracy.checks if not check.passed]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("m", "n"), [(1151, 8192), (4096, 1024), (4096, 4096), (4096, 15872), (1, 1), (37, 1000)]
)
def test_the_tutorials_shapes_are_computed_correctly(m: int, n: int, dtype: torch.dtype) -> None:
    assert_passed(checked(make_inputs(m, n, dtype, "tutorial", 0, "cuda")))


@pytest.mark.parametrize("group_size_m", [1, 2])
def test_rows_that_all_want_the_same_lock_lose_nothing(group_size_m: int) -> None:
    inputs = make_inputs(2048, 1000, torch.float32, "tutorial", 0, "cuda")
    for _ in range(5):
        assert_passed(checked(inputs, group_size_m=group_size_m))


@pytest.mark.parametrize(
    ("m", "n", "group_size_m", "partial_dtype"),
    [
        (4096, 8192, 96, "float32"),
        (4096, 1024, 16, "float32"),
        (4096, 8192, 96, "same"),
        (8192, 2048, 128, "same"),
    ],
)
def test_with_the_barrier_no_run_of_many_loses_a_row(
    m: int, n: int, group_size_m: int, partial_dtype: str
) -> None:
    inputs = make_inputs(m, n, torch.float16, "tutorial", 0, "cuda")
    launch = launch_for(inputs, group_size_m=group_size_m, partial_dtype=partial_dtype)
    forward = kernel_results(inputs, EPS, launch)
    assert_passed(check_all(inputs, EPS, launch, forward, torch_results(inputs, EPS)))
    true = truth(inputs, EPS)
    workspace = allocate_workspace(inputs.x, launch)
    # A lost row is off by 0.3 to 0.9 in dw. Without barrier and atomic count that was so
    # in 219 of 4000 runs of the last of these shapes (H200, triton 3.6); with both the error was
    # below 0.016 with float32 buffers, and below 0.07 with float16 ones.
    limit = 0.04 if partial_dtype == "float32" else 0.2
    for _ in range(1000):
        dw, db = repeat_backward(inputs, forward, launch, workspace)
        assert float((dw.double() - true.dw).abs().max()) < limit
        assert float((db.double() - true.db).abs().max()) < limit


def test_the_barrier_keeps_rows_from_being_lost() -> None:
    # On an H200 this shape loses a row in about 5 of 100 runs without the barrier and with a plain
    # count, so 1000 runs without any cannot be chance.
    inputs = make_inputs(8192, 2048, torch.float16, "tutorial", 0, "cuda")
    true = truth(inputs, EPS)
    lost = {}
    for barrier, atomic in ((True, True), (True, False), (False, False)):
        switches = {"barrier": barrier, "atomic_count": atomic}
        launch = launch_for(inputs, group_size_m=128, partial_dtype="same", **switches)
        forward = kernel_results(inputs, EPS, launch)
        workspace = allocate_workspace(inputs.x, launch)
        errors = torch.empty(1000, device="cuda", dtype=torch.float64)
        for run in range(1000):
            dw, _ = repeat_backward(inputs, forward, launch, workspace)
            errors[run] = (dw.double() - true.dw).abs().max()
        # Buffers in float16 are off by 0.06 at most here, a lost row by up to 0.4.
        lost[barrier, atomic] = int((errors > 0.16).sum())
    assert lost[True, True] == lost[True, False] == 0
    if torch.cuda.get_device_capability() == (9, 0):
        assert lost[False, False] > 0


def repeat_backward(
    inputs: Inputs, forward: KernelResults, launch: Launch, workspace: LockedWorkspace
) -> tuple[torch.Tensor, torch.Tensor]:
    workspace.partial_dw.fill_(torch.nan)
    workspace.partial_db.fill_(torch.nan)
    n = inputs.x.shape[1]
    dw, db = (torch.full((n,), torch.nan, dtype=inputs.x.dtype, device="cuda") for _ in range(2))
    statistics = {"mean": forward.mean, "rstd": forward.rstd}
    given = BackwardTensors(
        x=inputs.x, dy=inputs.dy, weight=inputs.weight, **statistics, dx=forward.dx, dw=dw, db=db
    )
    run_backward(given, launch, workspace)
    return dw, db


def test_more_than_two_to_the_31_elements_are_computed_correctly() -> None:
    m, n = 2**18 + 3, 8192
    assert m * n > 2**31
    inputs = make_inputs(m, n, torch.float16, "tutorial", 0, "cuda")
    launch = launch_for(inputs)
    results = kernel_results(inputs, EPS, launch)
    # The last rows lie beyond 2**31 elements; the sums need every row.
    tail = replace(inputs, x=inputs.x[-64:], dy=inputs.dy[-64:])
    true = truth(tail, EPS)
    assert float((results.y[-64:].double() - true.y).abs().max()) < 5e-3
    assert float((results.dx[-64:].double() - true.dx).abs().max()) < 5e-3
    assert results.db is not None
    total = sum(part.double().sum(0) for part in inputs.dy.split(8192))
    assert (
        float((results.db.double() - total).abs().max()) < 0.2
    )  # sums of 50 in float16, and 262147 rows of 0.1
    assert results.dw is not None
    assert results.dw.isfinite().all()


def test_a_tensor_on_another_gpu_is_computed_there() -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = torch.randn(4, 64, device="cuda:1", requires_grad=True)
    y = layer_norm(x, 64)
    y.sum().backward()
    assert y.device == x.device


@pytest.mark.parametrize("n", [256, 1024, 4096, 6000, 8192])
def test_a_variance_of_subnormal_size_is_divided_by(n: int) -> None:
    """A GPU's quick inverse root takes subnormal numbers for 0."""
    generator = torch.Generator("cuda").manual_seed(n)
    x = (torch.randn(40, n, device="cuda", generator=generator) * 2.0**-64).bfloat16()
    true = torch.nn.functional.layer_norm(x.double(), (n,), eps=0.0)
    theirs = torch.nn.functional.layer_norm(x, (n,), eps=0.0)
    ours = layer_norm(x, (n,), None, None, eps=0.0, launch="auto")
    unit = torch.finfo(x.dtype).eps * true.abs().max()
    assert (ours.double() - true).abs().max() <= torch.maximum(
        1.25 * (theirs.double() - true).abs().max(), unit
    )

"""The strategies without locks: right by the same check as `locked`, into poisoned memory, and the same from run to run."""

from dataclasses import replace
from itertools import product

import pytest
import torch

from lnkernels.accuracy import check_all
from lnkernels.inputs import DISTRIBUTIONS, Inputs, make_inputs
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import LaunchWish
from lnkernels.launch.settings import ForwardSettings, ReduceSettings, RowsSettings, SplitSettings
from lnkernels.layer_norm import layer_norm
from lnkernels.reductions import PartialSums
from lnkernels.reference import torch_results, truth
from lnkernels.results import KernelResults
from lnkernels.strategies import split
from lnkernels.strategies.persistent import launch_backward, programs_for
from lnkernels.strategies.registry import STRATEGIES, Plan, plan

DEVICE = torch.device("cpu" if IS_INTERPRETED else "cuda")
EPS = 1e-5
REDUCE = ReduceSettings(block_m=2, block_n=16, num_warps=4, overlap=False)
NARROW = ForwardSettings(rows=4, block_n=128, num_warps=4, num_stages=1, programs=2)
HELD = ForwardSettings(rows=1, block_n=16, num_warps=4, num_stages=1, programs=None, held=True)
TURNING = replace(HELD, turn_after=2)  # programs 0 and 1 take the blocks one way, 2 and 3 the other
STEPS = ForwardSettings(rows=1, block_n=16, num_warps=4, num_stages=1, programs=None)
ROWS = RowsSettings(
    rows=2, block_n=128, num_warps=4, num_stages=2, programs=2, max_registers=None, sums_per_row=False, reduce=REDUCE
)
SPLIT = SplitSettings(slices=3, block_n=32, num_warps=4, num_stages=2, max_registers=None, groups=2, reduce=REDUCE)
PLANS = {
    "rows": Plan("persistent", NARROW, ROWS),
    "rows, sums apart": Plan("persistent", STEPS, replace(ROWS, rows=4, sums_per_row=True)),
    "rows in blocks": Plan("persistent", HELD, replace(ROWS, rows=1, block_n=16)),
    "rows in blocks, packed": Plan("persistent", replace(HELD, num_warps=1), replace(ROWS, rows=1, block_n=16, num_warps=1)),
    "rows in blocks, turning": Plan("persistent", TURNING, replace(ROWS, rows=1, block_n=16)),
    "split": Plan("split", STEPS, SPLIT),
    "split, in blocks": Plan("split", HELD, replace(SPLIT, slices=2, block_n=16)),
    "split, rows alone": Plan("split", HELD, replace(SPLIT, slices=1, block_n=16)),
    "split in two": Plan("split", NARROW, replace(SPLIT, slices=2, block_n=64)),
    "atomic": replace(plan("atomic", 70, "float32", DEVICE), forward=NARROW),
}
DTYPES = [torch.float16, torch.bfloat16, torch.float32]


def results(chosen: Plan, inputs: Inputs) -> KernelResults:
    """Both passes, into outputs of NaN."""

    def poisoned(like: torch.Tensor, *shape: int) -> torch.Tensor:
        return torch.full(shape, torch.nan, dtype=like.dtype, device=like.device)

    (m, n), x, weight, bias = inputs.x.shape, inputs.x, inputs.weight, inputs.bias
    given = KernelResults(
        y=poisoned(x, m, n),
        dx=poisoned(x, m, n),
        dw=poisoned(weight, n) if weight is not None else None,
        db=poisoned(bias, n) if bias is not None else None,
        mean=torch.full((m,), torch.nan, device=x.device),
        rstd=torch.full((m,), torch.nan, device=x.device),
    )
    chosen.run_forward(x, weight, bias, EPS, y=given.y, mean=given.mean, rstd=given.rstd)
    chosen.run_backward(x, inputs.dy, weight, given.mean, given.rstd, dx=given.dx, dw=given.dw, db=given.db)
    return given


def assert_correct(chosen: Plan, inputs: Inputs) -> None:
    m, n = inputs.x.shape
    launch = chosen.as_launch(m, n, str(inputs.x.dtype).removeprefix("torch."))
    accuracy = check_all(inputs, EPS, launch, results(chosen, inputs), torch_results(inputs, EPS))
    assert accuracy.passed, [check for check in accuracy.checks if not check.passed]


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize(
    ("name", "distribution"),
    [
        *product(["rows"], DISTRIBUTIONS),
        *product(["split"], ["offset", "spike", "nan", "inf"]),
        *product(["rows, sums apart", "split in two", "atomic"], ["offset"]),
    ],
)
def test_every_distribution_is_computed_correctly(name: str, distribution: str) -> None:
    # The dtypes take turns, so that each plan meets each of them.
    dtype = DTYPES[(list(DISTRIBUTIONS).index(distribution) + list(PLANS).index(name)) % 3]
    assert_correct(PLANS[name], make_inputs(7, 70, dtype, distribution, 1, DEVICE))


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("m", "n"), [(6, 1), (1, 38)])
def test_the_settings_of_this_device_take_every_shape(strategy: str, m: int, n: int) -> None:
    dtype = DTYPES[n % 3]
    assert_correct(plan(strategy, n, str(dtype).removeprefix("torch."), DEVICE), make_inputs(m, n, dtype, "normal", 2, DEVICE))


@pytest.mark.parametrize("name", PLANS)
def test_without_rows_the_sums_are_zero(name: str) -> None:
    given = results(PLANS[name], make_inputs(0, 20, torch.float32, "normal", 0, DEVICE))
    for sums in (given.dw, given.db):
        assert sums is not None
        assert not sums.any()


@pytest.mark.parametrize("name", PLANS)
def test_weight_and_bias_may_be_absent(name: str) -> None:
    inputs = make_inputs(5, 40, torch.float32, "normal", 0, DEVICE)
    assert_correct(PLANS[name], replace(inputs, weight=None))
    assert_correct(PLANS[name], replace(inputs, bias=None))


@pytest.mark.parametrize("name", PLANS)
def test_x_and_dy_have_their_own_row_strides(name: str) -> None:
    plain = make_inputs(5, 40, torch.float32, "normal", 0, DEVICE)
    x = torch.full((5, 56), torch.nan, device=DEVICE)
    x[:, 3:43] = plain.x
    assert_correct(PLANS[name], replace(plain, x=x[:, 3:43], dy=plain.dy[0].expand(5, 40)))


@pytest.mark.parametrize("name", ["rows", "split"])
def test_rows_are_addressed_in_64_bits(name: str) -> None:
    n, stride = 8, 1 << 30
    far = torch.empty(2 * stride + n, dtype=torch.float16, device=DEVICE).as_strided((3, n), (stride, 1))
    near = make_inputs(3, n, torch.float16, "normal", 0, DEVICE)
    far.copy_(near.x)
    one, other = (results(PLANS[name], inputs) for inputs in (near, replace(near, x=far)))
    assert torch.equal(one.y, other.y)
    assert torch.equal(one.dx, other.dx)


@pytest.mark.parametrize("name", ["rows", "split, rows alone", "split in two"])
def test_repeated_runs_give_the_same_bits(name: str) -> None:
    inputs = make_inputs(7, 70, torch.float32, "normal", 0, DEVICE)
    first, second = (results(PLANS[name], inputs) for _ in range(2))
    for tensor in ("y", "dx", "dw", "db"):
        assert torch.equal(getattr(first, tensor), getattr(second, tensor))


@pytest.mark.parametrize("name", PLANS)
def test_what_is_not_wanted_is_not_written(name: str) -> None:
    inputs = make_inputs(5, 40, torch.float32, "normal", 0, DEVICE)
    full = results(PLANS[name], inputs)
    dx, db = torch.full_like(inputs.x, torch.nan), torch.full((40,), torch.nan, device=DEVICE)
    statistics = (inputs.weight, full.mean, full.rstd)
    PLANS[name].run_backward(inputs.x, inputs.dy, *statistics, dx=dx, dw=None, db=None)
    PLANS[name].run_backward(inputs.x, inputs.dy, *statistics, dx=None, dw=None, db=db)
    assert torch.equal(dx, full.dx)
    torch.testing.assert_close(db, full.db)


def test_the_first_steps_mean_may_be_far_from_the_rows() -> None:
    inputs = make_inputs(2, 160, torch.float32, "normal", 0, DEVICE)
    inputs.x[:, :16] += 1e4
    given, true = results(Plan("split", STEPS, replace(SPLIT, block_n=64)), inputs), truth(inputs, EPS)
    torch.testing.assert_close(given.rstd.double(), true.rstd, rtol=1e-5, atol=0)


def test_no_program_is_left_with_a_tile_more_than_the_others() -> None:
    assert programs_for(4096, replace(ROWS, rows=1, programs=132)) == 128
    assert programs_for(3, replace(ROWS, rows=2, programs=132)) == 2
    assert programs_for(0, ROWS) == 0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_layer_norm_takes_the_strategy_and_its_gradients_are_right(strategy: str) -> None:
    inputs = make_inputs(6, 24, torch.float32, "normal", 0, DEVICE)
    leaves = [tensor.clone().requires_grad_() for tensor in (inputs.x, inputs.weight, inputs.bias) if tensor is not None]
    y = layer_norm(leaves[0].view(2, 3, 24), 24, leaves[1], leaves[2], EPS, launch=strategy)
    expected = torch_results(inputs, EPS)
    torch.testing.assert_close(y.view(6, 24), expected.y)
    for ours, theirs in zip(
        torch.autograd.grad(y, leaves, inputs.dy.view(2, 3, 24)), (expected.dx, expected.dw, expected.db), strict=True
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_settings_of_another_strategy_are_refused() -> None:
    with pytest.raises(ValueError, match="group_size_m = 4 is not possible: it belongs to strategy locked"):
        layer_norm(torch.ones(2, 8, device=DEVICE), 8, launch=LaunchWish(strategy="persistent", group_size_m=4))


def test_a_row_too_wide_to_hold_is_refused() -> None:
    with pytest.raises(ValueError, match=r"n = 65536 is not possible.*take split or auto"):
        plan("persistent", 65536, "float16", DEVICE)
    assert plan("auto", 65536, "float16", DEVICE).strategy == "split"


def test_a_row_that_one_program_holds_needs_no_words() -> None:
    alone, together = (
        split.allocate_workspace(torch.empty(100, 40, device=DEVICE), replace(SPLIT, slices=slices)) for slices in (1, 2)
    )
    assert alone.words is None
    assert together.words is not None


def test_sums_without_a_workspace_are_refused() -> None:
    x, column = torch.ones(2, 8, device=DEVICE), torch.ones(2, device=DEVICE)
    with pytest.raises(ValueError, match="workspace = None"):
        launch_backward(x, x, None, column, column, ROWS, None, dx=None, dw=x[0], db=None)
    sums = PartialSums.allocate(1, 8, DEVICE)
    with pytest.raises(ValueError, match="rows = 2"):
        launch_backward(x, x, None, column, column, replace(ROWS, block_n=4), sums, dx=None, dw=x[0].clone(), db=None)

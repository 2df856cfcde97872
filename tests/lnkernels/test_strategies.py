"""Every strategy with launches that small shapes meet, into poisoned memory."""

from dataclasses import replace

import pytest
import torch

from lnkernels.check.accuracy import check_all
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import KernelResults, torch_results
from lnkernels.launch import Launch, LaunchWish
from lnkernels.passes.arguments import BackwardTensors, ForwardTensors
from lnkernels.passes.registry import decide_launch, run_backward, run_forward
from tests.lnkernels.conftest import DEVICE
from tests.truth import truth

EPS = 1e-5
# Forward passes: tiles of several rows that few programs walk over; rows held in blocks, which
# programs take in turns (0 and 1 one way, 2 and 3 the other); rows in steps.
NARROW = {"block_size": 128, "forward_rows": 4, "forward_programs": 2, "forward_num_warps": 4}
HELD = {"block_size": 16, "forward_held": True, "forward_num_warps": 4}
# nine programs: one too many where each has one place within a group
WALK = HELD | {"forward_programs": 9, "forward_num_stages": 2}
TURNING = HELD | {"turn_after": 2}
STEPS = {"block_size": 16, "forward_num_warps": 4}
SUM = {
    "num_warps": 4,
    "num_stages": 2,
    "reduce_block_size_m": 2,
    "reduce_block_size_n": 16,
    "reduce_num_warps": 4,
}
ROWS = {"strategy": "persistent", "block_size_n": 128, "rows": 2, "programs": 2} | SUM
BLOCKS = ROWS | {"block_size_n": 16, "rows": 1}
SPLIT = {"strategy": "split", "block_size_n": 32, "slices": 3, "programs": 6} | SUM
LAUNCHES = {
    "rows": Launch(**NARROW | ROWS),
    "rows, sums apart": Launch(**STEPS | ROWS | {"rows": 4, "sums_per_row": True}),
    "rows all at once": Launch(
        **STEPS | ROWS | {"rows": 1, "num_stages": 1, "programs": 8, "reduce_block_size_m": 8}
    ),
    "rows in blocks": Launch(**HELD | BLOCKS),
    "rows in blocks, packed": Launch(**HELD | BLOCKS | {"num_warps": 1, "forward_num_warps": 1}),
    "rows in groups": Launch(**WALK | BLOCKS | {"programs": 9}),
    "rows in groups of a block": Launch(**WALK | BLOCKS | {"programs": 8, "block_size_n": 128}),
    "rows in blocks, turning": Launch(**TURNING | BLOCKS),
    "split": Launch(**STEPS | SPLIT),
    "split, in blocks": Launch(**HELD | SPLIT | {"slices": 2, "programs": 4, "block_size_n": 16}),
    "split, rows alone": Launch(**HELD | SPLIT | {"slices": 1, "programs": 2, "block_size_n": 16}),
    "split in groups": Launch(**HELD | SPLIT | {"programs": 27, "block_size_n": 16}),
    "split in two": Launch(**NARROW | SPLIT | {"slices": 2, "programs": 4, "block_size_n": 64}),
    "atomic": Launch(**NARROW | SUM | {"strategy": "atomic", "block_size_n": 128}),
    "locked": Launch(
        **STEPS | SUM | {"strategy": "locked", "block_size_n": 128, "group_size_m": 2}
    ),
}
DTYPES = [torch.float16, torch.bfloat16, torch.float32]


def results(inputs: Inputs, launch: Launch) -> KernelResults:
    """Both passes of the very launch, into outputs of NaN."""
    forward = ForwardTensors.allocate(inputs.x, inputs.weight, inputs.bias, EPS)
    given = forward.gradients(inputs.dy)
    for tensor in (forward.y, forward.mean, forward.rstd, given.dx, given.dw, given.db):
        if tensor is not None:
            tensor.fill_(torch.nan)
    run_forward(forward, launch)
    run_backward(given, launch)
    return KernelResults(
        forward.y, given.dx, given.dw, given.db, mean=forward.mean, rstd=forward.rstd
    )


def assert_correct(launch: Launch, inputs: Inputs) -> None:
    accuracy = check_all(inputs, EPS, launch, results(inputs, launch), torch_results(inputs, EPS))
    assert accuracy.passed, [check for check in accuracy.checks if not check.passed]


@pytest.mark.parametrize("name", LAUNCHES)
def test_without_rows_the_sums_are_zero(name: str) -> None:
    given = results(make_inputs(0, 20, torch.float32, "normal", 0, DEVICE), LAUNCHES[name])
    for sums in (given.dw, given.db):
        assert sums is not None
        assert not sums.any()


@pytest.mark.parametrize("name", LAUNCHES)
def test_weight_and_bias_may_be_absent_and_x_and_dy_have_their_own_row_strides(name: str) -> None:
    plain = make_inputs(5, 40, torch.float32, "normal", 0, DEVICE)
    x = torch.full((5, 56), torch.nan, device=DEVICE)
    x[:, 3:43] = plain.x
    assert_correct(LAUNCHES[name], replace(plain, weight=None))
    assert_correct(
        LAUNCHES[name], replace(plain, bias=None, x=x[:, 3:43], dy=plain.dy[0].expand(5, 40))
    )


@pytest.mark.parametrize("name", ["rows", "rows all at once", "split", "locked"])
def test_rows_are_addressed_in_64_bits(name: str) -> None:
    n, stride = 8, 1 << 30
    far = torch.empty(2 * stride + n, dtype=torch.float16, device=DEVICE).as_strided(
        (3, n), (stride, 1)
    )
    near = make_inputs(3, n, torch.float16, "normal", 0, DEVICE)
    far.copy_(near.x)
    one, other = (results(inputs, LAUNCHES[name]) for inputs in (near, replace(near, x=far)))
    assert torch.equal(one.y, other.y)
    assert torch.equal(one.dx, other.dx)


@pytest.mark.parametrize("name", ["rows", "rows all at once", "split, rows alone", "split in two"])
def test_repeated_runs_give_the_same_bits(name: str) -> None:
    inputs = make_inputs(7, 70, torch.float32, "normal", 0, DEVICE)
    first, second = (results(inputs, LAUNCHES[name]) for _ in range(2))
    for tensor in ("y", "dx", "dw", "db"):
        assert torch.equal(getattr(first, tensor), getattr(second, tensor))


@pytest.mark.parametrize("name", LAUNCHES)
def test_what_is_not_wanted_is_not_written(name: str) -> None:
    inputs = make_inputs(5, 40, torch.float32, "normal", 0, DEVICE)
    full = results(inputs, LAUNCHES[name])
    dx, db = torch.full_like(inputs.x, torch.nan), torch.full((40,), torch.nan, device=DEVICE)
    given = {"x": inputs.x, "dy": inputs.dy, "weight": inputs.weight}
    given |= {"mean": full.mean, "rstd": full.rstd}
    run_backward(BackwardTensors(**given, dx=dx, dw=None, db=None), LAUNCHES[name])
    run_backward(BackwardTensors(**given, dx=None, dw=None, db=db), LAUNCHES[name])
    assert torch.equal(dx, full.dx)
    torch.testing.assert_close(db, full.db)


def test_the_first_steps_mean_may_be_far_from_the_rows() -> None:
    inputs = make_inputs(2, 160, torch.float32, "normal", 0, DEVICE)
    inputs.x[:, :16] += 1e4
    given, true = results(inputs, replace(LAUNCHES["split"], block_size_n=64)), truth(inputs, EPS)
    torch.testing.assert_close(given.rstd.double(), true.rstd, rtol=1e-5, atol=0)


def test_a_row_too_wide_to_hold_is_refused() -> None:
    with pytest.raises(ValueError, match=r"n = 65536 is not possible.*take split or auto"):
        decide_launch(LaunchWish(strategy="persistent"), 65536, "float16", DEVICE)
    assert decide_launch(LaunchWish(strategy="auto"), 65536, "float16", DEVICE).strategy == "split"

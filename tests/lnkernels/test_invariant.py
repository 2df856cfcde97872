"""An invariant launch: bits of a row's y and dx, and of the sums of rows, whatever is around them."""

import random
import re
from collections.abc import Sequence

import pytest
import torch

from lnkernels import layer_norm
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.compiled.facts import facts_in_own_process
from lnkernels.launch import LaunchWish, known_limits, resolve_launch
from lnkernels.passes.registry import decide_launch
from tests.lnkernels.conftest import DEVICE
from tests.lnkernels.test_compiled import compile_request

# On the interpreter 16 programs share the rows.
INVARIANT = LaunchWish(strategy="persistent", invariant=True, rows=1, programs_per_sm=1)
TILES = LaunchWish(invariant=True)
USUAL = LaunchWish(strategy="persistent", rows=1, programs_per_sm=4)
WIDTHS = [(40, torch.float16), (64, torch.float32), (99, torch.bfloat16)]
Bits = tuple[torch.Tensor, ...]


def laid(rows: torch.Tensor, stride: int = 0, offset: int = 0) -> torch.Tensor:
    """The same rows, each `stride` elements longer than it has to be, from an element on."""
    m, n = rows.shape
    memory = rows.new_zeros(m * (n + stride) + offset)
    return memory.as_strided((m, n), (n + stride, 1), offset).copy_(rows)


def bits(inputs: Inputs, x: torch.Tensor, dy: torch.Tensor, launch: LaunchWish) -> Bits:
    """y, dx, dw and db by autograd, as whole numbers: a NaN is equal to itself."""
    given = (x, inputs.weight, inputs.bias)
    leaves = [each.detach().requires_grad_() for each in given if each is not None]
    y = layer_norm(leaves[0], (x.shape[1],), *leaves[1:], launch=launch)
    found = (y, *torch.autograd.grad(y, leaves, dy))
    return tuple(
        each.detach().view(torch.int16 if each.element_size() == 2 else torch.int32)
        for each in found
    )


def among(inputs: Inputs, k: int, m: int, at: int, others: float | None = None) -> Bits:
    """X and dy of m rows, k of them from row `at` on, those around them without a gradient."""
    x = torch.randn(m, inputs.x.shape[1], generator=torch.Generator().manual_seed(m + at))
    x = x.to(inputs.x) if others is None else torch.full_like(x, others).to(inputs.x)
    dy = torch.zeros_like(x)
    x[at : at + k], dy[at : at + k] = inputs.x[:k], inputs.dy[:k]
    return x, dy


def made(m: int, n: int, dtype: torch.dtype) -> Inputs:
    return make_inputs(m, n, dtype, "normal", 0, DEVICE)


def changed(inputs: Inputs, launch: LaunchWish, sizes: Sequence[int], k: int) -> set[str]:
    """Results of k rows whose bits are others in a batch, at another place, or laid otherwise."""
    alone = bits(inputs, inputs.x[:k], inputs.dy[:k], launch)
    draw = random.Random(0)
    differ = set()
    for m in sizes:
        at, stride, offset = draw.randrange(m - k + 1), draw.randrange(9), draw.randrange(9)
        x, dy = among(inputs, k, m, at)
        found = bits(inputs, laid(x, stride, offset), laid(dy, offset, stride), launch)
        behind = bits(inputs, *among(inputs, k, m, 0), launch)
        beside = bits(inputs, *among(inputs, k, m, at, torch.nan), launch)
        row = draw.randrange(k)
        single = bits(inputs, inputs.x[row : row + 1], inputs.dy[row : row + 1], launch)
        for place, name in enumerate(("y", "dx")):
            pairs = [(each[place][at : at + k], alone[place]) for each in (found, beside)]
            pairs.append((single[place][0], alone[place][row]))
            differ |= {name for one, other in pairs if not torch.equal(one, other)}
        for place, name in ((2, "dw"), (3, "db")):
            differ |= set() if torch.equal(behind[place], alone[place]) else {name}
    return differ


@pytest.mark.parametrize(("n", "dtype"), WIDTHS)
def test_bits_depend_on_the_rows_alone(n: int, dtype: torch.dtype) -> None:
    assert changed(made(7, n, dtype), TILES, (8, 13), k=7) == set()


def test_programs_of_several_rows_add_them_in_one_order() -> None:
    assert changed(made(19, 64, torch.float32), INVARIANT, (20, 33), k=19) == set()


def test_other_launches_are_found_to_depend_on_the_batch() -> None:
    assert "dw" in changed(made(7, 64, torch.float32), USUAL, (9, 13), k=7)


def test_a_wish_for_invariance_alone_takes_a_strategy_that_has_it() -> None:
    inputs = made(5, 40, torch.float32)
    x, dy = inputs.x, inputs.dy
    named = bits(inputs, x, dy, LaunchWish(strategy="auto", invariant=True))
    assert all(map(torch.equal, bits(inputs, x, dy, LaunchWish(invariant=True)), named))
    with pytest.raises(
        ValueError, match="invariant = True is not possible: it belongs to strategy"
    ):
        decide_launch(LaunchWish(strategy="split", invariant=True), 40, "float32", DEVICE)
    with pytest.raises(ValueError, match=r"n = 40000 is not possible: take at most 32768 columns"):
        decide_launch(LaunchWish(strategy="auto", invariant=True), 40_000, "float32", DEVICE)


def test_the_launch_is_that_of_the_architecture() -> None:
    def launch(m: int | None, **limits: object) -> object:
        here = known_limits("sm_90")
        assert here is not None
        other = type(here)(**{name: getattr(here, name) for name in here.__slots__} | limits)
        wish = LaunchWish(strategy="auto", invariant=True)
        return resolve_launch(5120, "float16", wish, other, m=m)

    assert launch(None) == launch(1) == launch(1 << 16) == launch(300, sm_count=114)
    assert launch(300) == launch(300, name="NVIDIA H100", memory_bytes=80 << 30)


# Of PTX: what an order of additions consists of.
ARITHMETIC = re.compile(r"^\s+(?:@\S+ )?((?:add|fma|mul|sub|div)\S*\.f32|shfl\S*)\s", re.M)


def test_every_number_of_rows_is_compiled_to_the_same_arithmetic() -> None:
    requests = [
        compile_request(
            m,
            1000,
            rows=m,
            strategy="persistent",
            invariant=True,
            stages=("ptx",),
            kernels=("backward_stage1",),
        )
        for m in (2, 4099)
    ]
    found = facts_in_own_process(*requests)
    assert len({tuple(ARITHMETIC.findall(each.texts["ptx"])) for each in found}) == 1

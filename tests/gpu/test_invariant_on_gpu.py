"""Bits of an invariant launch on a GPU, and the experiment that looks for changed ones."""

import random

import pytest
import torch

from lnexplorer.domain.experiments.invariance import INVARIANT, Invariance
from lnexplorer.domain.request import RunRequest
from tests.gpu.test_experiments_on_gpu import done
from tests.lnkernels.test_invariant import TILES, bits, changed, laid, made

pytestmark = pytest.mark.gpu

ROWS = 300
WIDTHS = [
    (64, torch.float16),
    (1000, torch.bfloat16),
    (1024, torch.float16),
    (1024, torch.float32),
    (2048, torch.float16),
    (4097, torch.float16),
    (5120, torch.bfloat16),
    (8192, torch.float16),
    (8193, torch.float32),
    (16384, torch.float16),
]


@pytest.mark.parametrize(("n", "dtype"), WIDTHS)
def test_bits_depend_on_the_rows_alone(n: int, dtype: torch.dtype) -> None:
    draw = random.Random(n)
    sizes = [ROWS + 1, 512, *(draw.randrange(ROWS, 5000) for _ in range(3))]
    assert changed(made(ROWS, n, dtype), TILES, sizes, k=ROWS) == set()


@pytest.mark.parametrize("n", [1024, 4097, 8192])
def test_calls_that_are_repeated_past_triton_give_the_same_bits(n: int) -> None:
    inputs = made(ROWS, n, torch.float16)
    usual = bits(inputs, inputs.x, inputs.dy, TILES)
    for layout in ((0, 0), (8, 0), (1, 0), (0, 1), (3, 2)):
        for _ in range(3):
            found = bits(inputs, laid(inputs.x, *layout), laid(inputs.dy, *layout[::-1]), TILES)
            assert all(map(torch.equal, usual, found)), layout


def test_the_experiment_names_whose_bits_change_and_the_price_of_keeping_them() -> None:
    found = done("invariance", RunRequest.of(m=2048, n=1024, dtype="float32")).findings_of(
        Invariance
    )
    sides = {side.name: side for side in found.sides}
    assert list(sides) == ["locked", "persistent", "torch", INVARIANT]
    assert {cell.at for cell in sides[INVARIANT].cells} == {None}
    runs = {cell.result: cell.at for cell in sides["locked"].cells if cell.way == "run"}
    assert runs["y"] is None
    assert runs["dx"] is None
    assert runs["dw"] is not None
    persistent = [cell for cell in sides["persistent"].cells if cell.at is not None]
    assert {cell.way for cell in persistent} & {"size", "stride", "sms"}
    assert all(cell.setting for cell in persistent if cell.way == "size")
    assert not any(cell.way == "run" for cell in persistent)
    for name in ("locked", "persistent", INVARIANT):
        assert sides[name].forward_ms
        assert sides[name].backward_ms

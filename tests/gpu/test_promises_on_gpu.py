"""Promises of every strategy on a GPU: a thousand runs without a wrong sum, errors near PyTorch's,
and little memory.
"""

from collections.abc import Iterator

import pytest
import torch

from lnkernels import layer_norm
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.launch import DTYPE_BYTES

pytestmark = pytest.mark.gpu

EPS = 1e-5
DEVICE = torch.device("cuda", 0)
RUNS = 1000
# Few and many rows a program, rows in blocks, rows shared by up to 5 programs, more programs than
# rows, few locks in demand.
SHAPES = [
    (4096, 1024),
    (8192, 2048),
    (1151, 8192),
    (1000, 9216),
    (700, 15872),
    (500, 20480),
    (37, 4096),
]
WIDTHS = [(4096, n) for n in (1024, 2560, 5120, 8192, 9216, 15872, 16384, 20480, 32768)]
WIDTHS += [(32768, n) for n in (256, 1024, 4096)]


@pytest.fixture(autouse=True)
def _no_leftovers() -> Iterator[None]:
    yield
    torch.cuda.empty_cache()


def both_passes(inputs: Inputs, strategy: str | None) -> dict[str, torch.Tensor]:
    """y, dx, dw and db of a strategy, or of PyTorch."""
    assert inputs.weight is not None
    assert inputs.bias is not None
    leaves = [tensor.detach().requires_grad_() for tensor in (inputs.x, inputs.weight, inputs.bias)]
    if strategy is None:
        y = torch.nn.functional.layer_norm(leaves[0], inputs.x.shape[1:], leaves[1], leaves[2], EPS)
    else:
        y = layer_norm(leaves[0], inputs.x.shape[1:], leaves[1], leaves[2], EPS, launch=strategy)
    y.backward(inputs.dy)
    found = [y.detach(), *(leaf.grad for leaf in leaves if leaf.grad is not None)]
    return dict(zip(("y", "dx", "dw", "db"), found, strict=True))


def truth(inputs: Inputs) -> dict[str, torch.Tensor]:
    """Return the results in float64."""
    wide = [
        tensor.double() if tensor is not None else None
        for tensor in (inputs.x, inputs.weight, inputs.bias, inputs.dy)
    ]
    return both_passes(Inputs(*wide), None)  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", ["persistent", "split", "atomic", "locked"])
@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_a_thousand_runs_have_no_wrong_sum(strategy: str, m: int, n: int) -> None:
    inputs = make_inputs(m, n, torch.float16, "tutorial", 0, DEVICE)
    expected = truth(inputs)
    first = both_passes(inputs, strategy)
    wrong = torch.zeros((), dtype=torch.int64, device=DEVICE)
    # A row lost or added twice is as large as a row's share, a thousand times the rounding of a sum
    # in float32.
    slack = {
        name: 4 * torch.finfo(torch.float16).eps * float(expected[name].abs().max())
        for name in ("dw", "db")
    }
    for _ in range(RUNS):
        again = both_passes(inputs, strategy)
        for name in ("y", "dx"):
            wrong += (again[name].view(torch.int16) != first[name].view(torch.int16)).sum()
        for name in ("dw", "db"):
            wrong += (
                ~((again[name].double() - expected[name]).abs() <= slack[name])
            ).sum()  # a NaN is wrong, too
            if strategy in ("persistent", "split"):
                wrong += (again[name].view(torch.int16) != first[name].view(torch.int16)).sum()
    assert int(wrong) == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize(("m", "n"), WIDTHS)
def test_errors_are_near_pytorchs(m: int, n: int, dtype: torch.dtype) -> None:
    """Within 1.25 times PyTorch's, or within one unit in the last place at the result's magnitude."""
    inputs = make_inputs(m, n, dtype, "tutorial", 1, DEVICE)
    expected, theirs, ours = truth(inputs), both_passes(inputs, None), both_passes(inputs, "auto")
    for name in ("dx", "dw", "db"):
        error, allowed = (
            (one[name].double() - expected[name]).abs().max() for one in (ours, theirs)
        )
        unit = torch.finfo(dtype).eps * expected[name].abs().max()
        assert error <= max(1.25 * allowed, unit), (name, float(error), float(allowed), float(unit))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    ("strategy", "m", "n"), [*(("auto", *shape) for shape in WIDTHS), ("split", 2**20, 40)]
)
def test_memory_is_little_more_than_pytorchs(strategy: str, m: int, n: int, dtype: str) -> None:
    """At the peak of both passes: PyTorch's, and a workspace of 5 % of x or of 16 bytes a column
    and SM.
    """
    inputs = make_inputs(m, n, getattr(torch, dtype), "tutorial", 0, DEVICE)
    sms = torch.cuda.get_device_properties(DEVICE).multi_processor_count
    workspace = max(0.05 * m * n * DTYPE_BYTES[dtype], 16 * n * sms)
    peaks = {}
    for one in (None, strategy):
        both_passes(inputs, one)
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        both_passes(inputs, one)
        torch.cuda.synchronize()
        peaks[one] = torch.cuda.max_memory_allocated() - before
    assert peaks[strategy] <= peaks[None] + workspace

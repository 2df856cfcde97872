"""PyTorch's results: those of its own gradient by dy, without what the first such call imports."""

import subprocess
import sys

import pytest
import torch

from lnkernels.inputs import make_inputs
from lnkernels.results import torch_results


@pytest.mark.parametrize("data", ["tutorial", "nan", "inf"])
@pytest.mark.parametrize("shape", [(5, 24), (0, 24)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_are_to_the_last_bit_those_that_pytorch_has_for_dy(
    data: str, shape: tuple[int, int], dtype: torch.dtype
) -> None:
    inputs = make_inputs(*shape, dtype, data, 3, "cpu")
    assert inputs.weight is not None
    assert inputs.bias is not None
    leaves = [tensor.detach().requires_grad_() for tensor in (inputs.x, inputs.weight, inputs.bias)]
    y = torch.nn.functional.layer_norm(leaves[0], (shape[1],), leaves[1], leaves[2], 1e-5)
    wanted = (y.detach(), *torch.autograd.grad(y, leaves, inputs.dy))
    found = torch_results(inputs, 1e-5)
    for name, theirs in zip(("y", "dx", "dw", "db"), wanted, strict=True):
        torch.testing.assert_close(getattr(found, name), theirs, rtol=0, atol=0, equal_nan=True)


def test_a_first_check_does_not_wait_for_symbolic_shapes() -> None:
    """Where torch itself has not imported them already, as some versions do."""
    script = """
import sys, torch
from lnkernels.inputs import make_inputs
from lnkernels.results import torch_results
before = "torch.fx.experimental.symbolic_shapes" in sys.modules
torch_results(make_inputs(4, 8, torch.float32, "tutorial", 0, "cpu"), 1e-5)
sys.exit(before != ("torch.fx.experimental.symbolic_shapes" in sys.modules))
"""
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=100).returncode == 0

"""What is looked at again of a run that has ended."""

from dataclasses import replace

import pytest
import torch

from lnexplorer.domain.jobs import InspectJob
from lnexplorer.worker.checking import LastRun, inspect
from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import torch_results
from lnkernels.values.accuracy import ErrorMap

EPS = 1e-5


@pytest.mark.parametrize("tensor", ["y", "dx"])
def test_an_element_has_the_values_of_kernel_pytorch_and_float64(tensor: str) -> None:
    inputs = make_inputs(6, 40, torch.float16, "normal", 0, "cpu")
    theirs = torch_results(inputs, EPS)
    kernel = replace(theirs, **{tensor: getattr(theirs, tensor) + 0.5})
    found = inspect(LastRun(inputs, kernel, EPS), InspectJob(tensor, 4, 5, 7, 8))
    assert isinstance(found, ErrorMap)
    assert found.element is not None
    got, torch_value, truth = found.element
    assert got == float(getattr(kernel, tensor)[4, 7])
    assert torch_value == float(getattr(theirs, tensor)[4, 7])
    x, dy, weight = inputs.x.double(), inputs.dy.double(), inputs.weight.double()  # type: ignore[union-attr]
    rstd = (x.var(1, keepdim=True, unbiased=False) + EPS).rsqrt()
    xhat = (x - x.mean(1, keepdim=True)) * rstd
    scaled = dy * weight
    dx = rstd * (
        scaled - scaled.mean(1, keepdim=True) - xhat * (scaled * xhat).mean(1, keepdim=True)
    )
    y = xhat * weight + inputs.bias.double()  # type: ignore[union-attr]
    assert truth == pytest.approx(float({"y": y, "dx": dx}[tensor][4, 7]), rel=1e-9)
    assert found.values.item() == pytest.approx(abs(got - truth), rel=1e-5)
    whole = inspect(LastRun(inputs, kernel, EPS), InspectJob(tensor, 4, 6, 7, 8))
    assert isinstance(whole, ErrorMap)
    assert whole.element is None

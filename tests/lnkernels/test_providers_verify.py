"""No speed without correctness."""

import pytest
import torch
from lnkernels.providers.locked import Locked

from lnkernels.inputs import Inputs, make_inputs
from lnkernels.launch import resolve_launch
from lnkernels.measure import measure
from lnkernels.providers.protocol import Case, CountsBytes
from lnkernels.providers.pytorch import Eager
from lnkernels.providers.verify import Verifier


def make_case(m=8, n=48, dtype=torch.float32, device="cpu"):
    launch = resolve_launch(n, str(dtype).removeprefix("torch."))
    return Case.of(make_inputs(m, n, dtype, "tutorial", 0, device), 1e-5, launch)


class Wrong(Eager):
    """PyTorch, with one fault."""

    def __init__(self, fault):
        self.fault = fault

    def forward(self, case):
        right = super().forward(case)
        return lambda: self.fault("y", right())

    def backward(self, case):
        right = super().backward(case)
        return lambda: tuple(map(self.fault, ("dx", "dw", "db"), right()))


class WrongThroughAutograd(Eager):
    """PyTorch, whose public function forgets the bias."""

    def autograd(self, case):
        right = super().autograd(case)
        return lambda x, weight, bias: right(x, weight, bias * 1.0625)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_pytorch_passes_by_its_own_measure(dtype):
    assert Verifier(make_case(dtype=dtype))(Eager()) is None


@pytest.mark.parametrize("name", ["y", "dx", "dw", "db"])
def test_one_wrong_element_is_named(name):
    def fault(result, tensor):
        if result == name:
            tensor = tensor.clone()
            tensor.view(-1)[7] += 1.0
        return tensor

    reason = Verifier(make_case())(Wrong(fault))
    assert reason.startswith(f"{name} is wrong in 1 element, at worst by ")


def test_a_result_of_another_shape_is_named():
    def fault(result, tensor):
        return tensor[:, :-1] if result == "dx" else tensor

    assert Verifier(make_case())(Wrong(fault)) == "dx has shape [8, 47] in place of [8, 48]"


def test_the_path_through_autograd_is_checked_as_well():
    reason = Verifier(make_case())(WrongThroughAutograd())
    assert reason.startswith("through autograd, y is wrong in")


def test_the_projects_own_provider_passes_and_counts_its_bytes():
    case = make_case(m=6, n=33)
    assert Verifier(case)(Locked()) is None
    assert isinstance(Locked(), CountsBytes)
    assert Locked().counted_bytes(case, "backward") > Locked().counted_bytes(case, "forward") > 0


def test_a_case_without_a_weight_is_refused_by_name():
    x = torch.ones(2, 4)
    with pytest.raises(ValueError, match="weight = None"):
        Case.of(Inputs(x, None, torch.ones(4), x), 1e-5, resolve_launch(4, "float32"))


def test_timing_without_a_gpu_is_refused_in_one_sentence():
    with pytest.raises(RuntimeError, match="timing needs a CUDA device; the interpreter's times mean nothing"):
        measure(make_case(), [Eager()])

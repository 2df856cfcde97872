"""`lnkernels.rms_norm` where models need it: eager, compiled, exported, transformed, refused, as
torch.nn.functional's is.
"""

from typing import Any

import pytest
import torch
from torch._subclasses import FakeTensorMode

from lnkernels import rms_norm
from tests.lnkernels.conftest import DEVICE
from tests.lnkernels.test_operators import N, assert_alike, block, gradients


def leaves(*shape: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    x, weight = (
        torch.randn(*size, generator=generator).to(DEVICE) for size in (shape or (5, N), (N,))
    )
    return x.requires_grad_(), weight.requires_grad_()


def ours(x: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
    return block(rms_norm, x, weight)


def theirs(x: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
    return block(torch.nn.functional.rms_norm, x, weight)


@pytest.mark.parametrize("shape", [(5, N), (2, 3, N), (N,)])
def test_any_leading_dimensions_agree(shape: tuple[int, ...]) -> None:
    x, weight = leaves(*shape)
    strided = torch.randn(*shape, 2, device=DEVICE)[..., 0].requires_grad_()
    for given in ((x, weight), (x,), (strided, weight)):
        assert_alike(gradients(ours, given), gradients(theirs, given))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_eps_is_float32s_where_none_is_given_and_row_may_have_dimensions(
    dtype: torch.dtype,
) -> None:
    # so small that eps counts
    x = (torch.randn(3, 2, N, device=DEVICE) * 1e-4).to(dtype)
    weight = torch.rand(2, N, device=DEVICE).to(dtype)
    found, expected = (norm(x, (2, N), weight) for norm in (rms_norm, torch.nn.functional.rms_norm))
    assert found.dtype == dtype
    step = 2 * torch.finfo(dtype).eps
    torch.testing.assert_close(found, expected, rtol=step, atol=step)


def test_a_second_call_of_a_kind_is_of_its_own_norm() -> None:
    from lnkernels import layer_norm  # of which the same arguments are another kind

    x = leaves()[0].detach() + 3
    for _ in range(2):
        for norm, of_torch in (
            (layer_norm, torch.nn.functional.layer_norm),
            (lambda x, *given: rms_norm(x, given[0], given[1], given[3]), torch_rms_norm),
        ):
            given: tuple[Any, ...] = ((N,), None, None, 1e-5)
            torch.testing.assert_close(norm(x, *given), of_torch(x, *given))


def torch_rms_norm(x: torch.Tensor, *given: Any) -> torch.Tensor:
    return torch.nn.functional.rms_norm(x, given[0], given[1], given[3])


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(N))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return rms_norm(x, (N,), self.weight, 1e-5)


@pytest.mark.filterwarnings("ignore")
def test_it_is_exported_decomposed_and_traced_as_a_whole() -> None:
    model, x = Block().to(DEVICE), leaves()[0].detach()
    dynamic = ({0: torch.export.Dim("m")},)
    program = torch.export.export(model, (x,), dynamic_shapes=dynamic)
    assert "lnkernels.rms_norm_forward" in program.graph_module.code
    operator = torch.ops.lnkernels.rms_norm_forward.default
    apart = program.run_decompositions({operator: torch._decomp.decomposition_table[operator]})
    assert "lnkernels" not in apart.graph_module.code
    for one in (program, apart):
        torch.testing.assert_close(one.module()(x[:3]), model(x[:3]))
    traced = torch.fx.symbolic_trace(model)
    called = [node.target for node in traced.graph.nodes if node.op == "call_function"]
    assert called == [rms_norm]
    torch.testing.assert_close(traced(x), model(x))


def test_what_is_impossible_is_refused_by_name() -> None:
    x, weight = leaves()
    with pytest.raises(TypeError, match="x is a list: give a tensor"):
        rms_norm([1.0], 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="normalized_shape = \\[7\\] is not possible"):
        rms_norm(x, 7)
    with pytest.raises(ValueError, match="weight has shape"):
        rms_norm(x, N, weight[1:])
    with pytest.raises(ValueError, match="strategy"):
        rms_norm(x, N, launch="fastest")
    (dx,) = torch.autograd.grad(rms_norm(x, N).square().sum(), x, create_graph=True)
    with pytest.raises(ValueError, match="has no second derivative"):
        dx.sum().backward()
    with FakeTensorMode():
        y = rms_norm(torch.empty(3, N, device="cuda"), (N,))
        assert (y.shape, y.device.type) == ((3, N), "cuda")

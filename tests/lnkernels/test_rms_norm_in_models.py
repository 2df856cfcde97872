"""`lnkernels.rms_norm` where models need it: eager, compiled, exported, transformed, refused, as
torch.nn.functional's is.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._subclasses import FakeTensorMode

from lnkernels import rms_norm

N = 24


def leaves(device: torch.device, *shape: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    x, weight = (
        torch.randn(*size, generator=generator).to(device) for size in (shape or (5, N), (N,))
    )
    return x.requires_grad_(), weight.requires_grad_()


def ours(x: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    return rms_norm(2 * x, (N,), weight, 1e-5).sin()


def theirs(x: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    return torch.nn.functional.rms_norm(2 * x, (N,), weight, 1e-5).sin()


def results(function: Callable[..., torch.Tensor], *given: torch.Tensor) -> list[torch.Tensor]:
    y = function(*given)
    return [y.detach(), *torch.autograd.grad(y.square().sum(), given)]


def assert_alike(found: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("shape", [(5, N), (2, 3, N), (N,)])
def test_any_leading_dimensions_agree(shape: tuple[int, ...], device: torch.device) -> None:
    given = leaves(device, *shape)
    assert_alike(results(ours, *given), results(theirs, *given))
    x = given[0]
    assert_alike(results(lambda x: ours(x, None), x), results(lambda x: theirs(x, None), x))
    strided = torch.randn(*shape, 2, device=device)[..., 0].requires_grad_()
    assert_alike(results(ours, strided, given[1]), results(theirs, strided, given[1]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_eps_is_float32s_where_none_is_given_and_row_may_have_dimensions(
    dtype: torch.dtype, device: torch.device
) -> None:
    # so small that eps counts
    x = (torch.randn(3, 2, N, device=device) * 1e-4).to(dtype)
    weight = torch.rand(2, N, device=device).to(dtype)
    found, expected = (norm(x, (2, N), weight) for norm in (rms_norm, torch.nn.functional.rms_norm))
    assert found.dtype == dtype
    step = 2 * torch.finfo(dtype).eps
    torch.testing.assert_close(found, expected, rtol=step, atol=step)


def test_a_second_call_of_a_kind_is_of_its_own_norm(device: torch.device) -> None:
    from lnkernels import layer_norm  # of which the same arguments are another kind

    x = leaves(device)[0].detach() + 3
    for _ in range(2):
        for norm, of_torch in (
            (layer_norm, torch.nn.functional.layer_norm),
            (lambda x, *given: rms_norm(x, given[0], given[1], given[3]), torch_rms_norm),
        ):
            given: tuple[Any, ...] = ((N,), None, None, 1e-5)
            torch.testing.assert_close(norm(x, *given), of_torch(x, *given))


def torch_rms_norm(x: torch.Tensor, *given: Any) -> torch.Tensor:
    return torch.nn.functional.rms_norm(x, given[0], given[1], given[3])


def test_its_operators_keep_torchs_rules(device: torch.device) -> None:
    x, weight = leaves(device)
    forward = torch.ops.lnkernels.rms_norm_forward.default
    torch.library.opcheck(forward, (x, [N], weight, None, 1e-5, "auto"))
    torch.library.opcheck(forward, (x, [N], None, None, 1e-5, "persistent rows=2"))
    _, mean, rstd = forward(x, [N], weight, None, 1e-5, "auto")
    dy, x, weight = (one.detach() for one in (x, x, weight))
    for needs in ([True, True, False], [False, True, False]):
        arguments = (dy, x, [N], weight, None, mean, rstd, 1e-5, "auto", needs)
        torch.library.opcheck(torch.ops.lnkernels.rms_norm_backward.default, arguments)


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(N))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return rms_norm(x, (N,), self.weight, 1e-5)


@pytest.mark.filterwarnings("ignore")
def test_it_is_compiled_exported_decomposed_and_traced_as_a_whole(device: torch.device) -> None:
    torch.compiler.reset()
    given = leaves(device)
    compiled = torch.compile(ours, fullgraph=True, backend="aot_eager")
    assert_alike(results(compiled, *given), results(theirs, *given))
    model, x = Block().to(device), given[0].detach()
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


def test_what_is_impossible_is_refused_by_name(device: torch.device) -> None:
    x, weight = leaves(device)
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

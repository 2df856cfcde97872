"""layer_norm where models need it: traced, exported, transformed, checkpointed and distributed, as
torch's is.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.utils.checkpoint import checkpoint

import lnkernels
from lnkernels import LayerNorm, layer_norm
from lnkernels.launch import LaunchWish
from tests.lnkernels.conftest import DEVICE
from tests.programs import printed

N = 24
ROOT = Path(__file__).parents[2]
Tensors = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
Norm = Callable[..., torch.Tensor]


def leaves(m: int = 5) -> Tensors:
    generator = torch.Generator().manual_seed(m)
    x, weight, bias = (
        torch.randn(*size, generator=generator).to(DEVICE) for size in ((m, N), (N,), (N,))
    )
    return x.requires_grad_(), weight.requires_grad_(), bias.requires_grad_()


def block(norm: Norm, x: torch.Tensor, *parameters: torch.Tensor | None) -> torch.Tensor:
    """Call a norm as in a model: something before and something behind."""
    return norm(2 * x, (N,), *parameters).sin()


def gradients(
    function: Callable[..., torch.Tensor], given: tuple[torch.Tensor, ...]
) -> list[torch.Tensor]:
    y = function(*given)
    return [y.detach(), *torch.autograd.grad(y.square().sum(), given)]


def ours(*given: torch.Tensor) -> torch.Tensor:
    return block(layer_norm, *given)  # type: ignore[arg-type]


def theirs(*given: torch.Tensor) -> torch.Tensor:
    return block(torch.nn.functional.layer_norm, *given)  # type: ignore[arg-type]


def assert_alike(found: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    torch.testing.assert_close(found, expected, rtol=2e-5, atol=2e-5)


@pytest.fixture(autouse=True)
def _forget_graphs() -> None:
    torch.compiler.reset()


@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
def test_both_operators_keep_torchs_rules(norm: str) -> None:
    x, weight, bias = leaves()
    given = (weight, bias if norm == "layer_norm" else None)
    forward, backward = (
        getattr(torch.ops.lnkernels, f"{norm}_{direction}").default
        for direction in ("forward", "backward")
    )
    torch.library.opcheck(forward, (x, [N], *given, 1e-5, "auto"))
    torch.library.opcheck(forward, (x, [N], None, None, 1e-5, "persistent rows=2"))
    _, *statistics = forward(x, [N], *given, 1e-5, "auto")
    kept = [None if one is None else one.detach() for one in (x, *given, *statistics)]
    for needs in ([True, True, norm == "layer_norm"], [False, True, False]):
        arguments = (x.detach(), kept[0], [N], *kept[1:], 1e-5, "auto", needs)
        torch.library.opcheck(backward, arguments)


@pytest.mark.parametrize(("norm", "parameters"), [("layer_norm", 2), ("rms_norm", 1)])
def test_a_compiled_graph_is_whole_and_serves_every_number_of_rows(
    norm: str, parameters: int
) -> None:
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
        graphs.append(graph)
        return torch._dynamo.lookup_backend("aot_eager")(graph, inputs)  # type: ignore[no-any-return]

    own, of_torch = (
        partial(block, getattr(package, norm)) for package in (lnkernels, torch.nn.functional)
    )
    compiled = torch.compile(own, fullgraph=True, dynamic=True, backend=backend)
    made = []
    for m in (5, 9):
        given = leaves(m)[: 1 + parameters]
        assert_alike(gradients(compiled, given), gradients(of_torch, given))
        made.append(len(graphs))
    assert made[0] == made[-1]


def test_a_launch_is_kept_in_a_compiled_graph() -> None:
    launch = LaunchWish(strategy="persistent", rows=2)
    model = torch.nn.Sequential(torch.nn.Linear(N, N), LayerNorm(N, launch=launch)).to(DEVICE)
    x = leaves()[0]
    torch.testing.assert_close(
        torch.compile(model, fullgraph=True, backend="aot_eager")(x), model(x)
    )


def test_a_model_is_exported_with_rows_of_any_number() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(N, N), LayerNorm(N)).to(DEVICE)
    for strict in (False, True):
        exported = torch.export.export(
            model,
            (torch.ones(5, N, device=DEVICE),),
            dynamic_shapes=({0: torch.export.Dim("m")},),
            strict=strict,
        )
        assert "lnkernels.layer_norm_forward" in exported.graph_module.code
        x = torch.randn(11, N, device=DEVICE)
        torch.testing.assert_close(exported.module()(x), model(x))


def test_tensors_without_memory_get_shapes_and_refusals() -> None:
    meta = layer_norm(torch.empty(3, 4, N, device="meta", dtype=torch.float16), N)
    assert (meta.shape, meta.dtype, meta.device.type) == ((3, 4, N), torch.float16, "meta")
    with FakeTensorMode():
        y = layer_norm(torch.empty(3, N, device="cuda"), (N,))
        assert (y.shape, y.device.type) == ((3, N), "cuda")
        assert layer_norm(torch.empty(N, 3).T, (N,)).is_contiguous()
        with pytest.raises(ValueError, match="weight has shape"):
            layer_norm(torch.empty(3, N), N, torch.empty(N + 1))
    with pytest.raises(TypeError, match=r"x is torch\.jagged: give a dense tensor"):
        layer_norm(torch.nested.nested_tensor([torch.ones(2, N)], layout=torch.jagged), N)


def test_functorch_differentiates_and_batches() -> None:
    x, weight, bias = (one.detach() for one in leaves())

    def loss(norm: Norm) -> Callable[..., torch.Tensor]:
        return lambda weight, x: block(norm, x, weight, bias).square().sum()

    def assert_same(
        transformed: Callable[[Callable[..., torch.Tensor]], Callable[..., torch.Tensor]],
    ) -> None:
        found, expected = (
            transformed(loss(norm))(weight, x)
            for norm in (layer_norm, torch.nn.functional.layer_norm)
        )
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)

    assert_same(torch.func.grad)
    assert_same(lambda function: torch.func.grad(function, 1))
    assert_same(lambda function: torch.func.vmap(torch.func.grad(function), (None, 0)))
    assert_same(
        lambda function: torch.compile(
            torch.func.grad(function), fullgraph=True, backend="aot_eager"
        )
    )
    assert (
        torch.func.vmap(lambda row: block(layer_norm, row, weight, bias))(x[:0]).shape
        == x[:0].shape
    )


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpointed_block_gives_the_same_gradients(reentrant: bool) -> None:
    given = leaves()

    def kept(*tensors: torch.Tensor) -> torch.Tensor:
        return checkpoint(ours, *tensors, use_reentrant=reentrant)  # type: ignore[no-any-return]

    assert_alike(
        gradients(kept, given) if not reentrant else _by_backward(kept, given),
        gradients(theirs, given),
    )


def _by_backward(function: Callable[..., torch.Tensor], given: Tensors) -> list[torch.Tensor]:
    y = function(*given)
    y.square().sum().backward()  # type: ignore[no-untyped-call]
    return [y.detach(), *(one.grad for one in given if one.grad is not None)]


def test_autocast_gives_torchs_types() -> None:
    module, reference = (kind(N).to(DEVICE) for kind in (LayerNorm, torch.nn.LayerNorm))
    x = leaves()[0].detach()
    with torch.autocast(DEVICE.type, torch.bfloat16):
        narrow = torch.nn.functional.linear(x, torch.eye(N, device=DEVICE))
        found, expected = module(narrow), reference(narrow)
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")(narrow)
    assert narrow.dtype == torch.bfloat16
    assert found.dtype == compiled.dtype == expected.dtype
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(compiled, expected)


def test_the_module_takes_torchs_place() -> None:
    theirs, found = (
        torch.nn.LayerNorm((3, N), eps=1e-6, bias=False),
        LayerNorm((3, N), eps=1e-6, bias=False),
    )
    torch.nn.init.normal_(theirs.weight)
    found.load_state_dict(theirs.state_dict())
    assert isinstance(found, torch.nn.LayerNorm)
    assert list(found.state_dict()) == list(theirs.state_dict()) == ["weight"]
    assert repr(found) == repr(theirs)
    torch.testing.assert_close(found.weight, theirs.weight)
    row = torch.randn(2, N, device=DEVICE)
    counted = LayerNorm(np.int64(N), device=DEVICE)  # type: ignore[arg-type]
    torch.testing.assert_close(counted(row), layer_norm(row, (np.int64(N),)))  # type: ignore[arg-type]
    assert torch.compile(counted, fullgraph=True, backend="aot_eager")(row).shape == row.shape
    with pytest.raises(TypeError, match="launch is a int"):
        LayerNorm(N, launch=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("m", [1, 3, 40])
@pytest.mark.parametrize("strategy", ["locked", "persistent", "split", "atomic"])
def test_a_row_of_one_column_has_no_gradient_at_all(strategy: str, m: int) -> None:
    x, weight = torch.randn(m, 1, device=DEVICE), torch.randn(1, device=DEVICE)
    given = x.requires_grad_(), weight.requires_grad_()
    for _ in range(3):  # on a GPU the second is repeated past Triton
        y = layer_norm(x, 1, weight, launch=strategy)
        assert not any(one.any() for one in torch.autograd.grad(y.square().sum(), given))


# What is asked of the package first, in a process of its own, is a graph that is whole.
_FIRST = """
import sys, lnkernels, lnkernels.launch
assert not {"torch", "triton"} & set(sys.modules)
import torch
step = lambda x: lnkernels.layer_norm(2 * x, (24,)) + lnkernels.dropout(x, 0.0, 7)
x = torch.randn(5, 24, requires_grad=True)
found = torch.compile(step, fullgraph=True, dynamic=True, backend="aot_eager")(x)
expected = torch.nn.functional.layer_norm(2 * x, (24,)) + x
torch.testing.assert_close(found, expected)
for one, other in zip(*(torch.autograd.grad(y.square().sum(), x) for y in (found, expected))):
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
"""


def test_the_package_brings_no_torch_before_it_is_asked_for() -> None:
    printed(_FIRST, TRITON_INTERPRET="1", PYTHONWARNINGS="ignore")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lnkernels.nothing

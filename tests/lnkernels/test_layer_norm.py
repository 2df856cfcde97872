"""layer_norm behaves as torch.nn.functional.layer_norm, whatever the shape, strides and dtypes of
its arguments.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import lnkernels.passes.forward
from lnkernels import layer_norm, rms_norm
from lnkernels.call.known_calls import reload_tuned_settings
from lnkernels.device import device_limits
from lnkernels.launch import Launch
from lnkernels.launch.measured import ForwardEntry
from lnkernels.launch.tuned import write_tuned
from tests.lnkernels.conftest import DEVICE

pytestmark = pytest.mark.usefixtures("poisoned")

TOLERANCE = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def randn(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator(DEVICE).manual_seed(seed)
    return torch.randn(shape, generator=generator, device=DEVICE).to(dtype)


def results(
    function: Callable[..., torch.Tensor],
    x: torch.Tensor,
    shape: tuple[int, ...],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    dy: torch.Tensor,
    eps: float,
    widen: bool = False,
) -> list[torch.Tensor]:
    """Run forward and backward; y and the gradients of whatever is there."""
    leaves = [t.detach().requires_grad_() if t is not None else None for t in (x, weight, bias)]
    used = [t.double() if t is not None and widen else t for t in leaves]
    y = function(used[0], shape, used[1], used[2], eps)
    gradients = torch.autograd.grad(
        y, [t for t in leaves if t is not None], dy.double() if widen else dy
    )
    return [y.detach(), *gradients]


def assert_agrees(
    x: torch.Tensor,
    shape: tuple[int, ...],
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    dy: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> None:
    """Compare with PyTorch in float64, in everything but the dtypes, which are those of the
    arguments.
    """
    dy = randn(*x.shape, dtype=x.dtype, seed=9) if dy is None else dy
    ours = results(layer_norm, x, shape, weight, bias, dy, eps)
    truth = results(torch.nn.functional.layer_norm, x, shape, weight, bias, dy, eps, widen=True)
    like = [x, *(t for t in (x, weight, bias) if t is not None)]
    for mine, true, model in zip(ours, truth, like, strict=True):
        assert mine.dtype == model.dtype
        assert mine.shape == model.shape
        bound = TOLERANCE[mine.dtype] * max(1.0, float(true.abs().max()) if true.numel() else 0.0)
        torch.testing.assert_close(mine.double(), true.double(), rtol=0, atol=bound, equal_nan=True)


@settings(max_examples=settings().max_examples // 6)
@given(
    m=st.integers(0, 5),
    n=st.integers(1, 40),
    dtype=st.sampled_from(sorted(TOLERANCE, key=str)),
    parameters=st.sampled_from(["both", "neither", "weight", "bias"]),
)
def test_any_shape_dtype_and_choice_of_parameters_agrees(
    m: int, n: int, dtype: torch.dtype, parameters: str
) -> None:
    weight = randn(n, dtype=dtype, seed=1) if parameters in ("both", "weight") else None
    bias = randn(n, dtype=dtype, seed=2) if parameters in ("both", "bias") else None
    assert_agrees(randn(m, n, dtype=dtype), (n,), weight, bias)


@pytest.mark.parametrize("shape", [(5,), (4, 5), (3, 4, 5)])
def test_several_dimensions_may_be_normalized(shape: tuple[int, ...]) -> None:
    assert_agrees(randn(2, 3, 4, 5), shape, randn(*shape, seed=1), randn(*shape, seed=2))
    assert_agrees(
        randn(*shape), shape, randn(*shape, seed=1), randn(*shape, seed=2)
    )  # all of them: one row


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_x_takes_float32_parameters(dtype: torch.dtype) -> None:
    assert_agrees(randn(4, 24, dtype=dtype), (24,), randn(24, seed=1), randn(24, seed=2))
    assert_agrees(
        randn(4, 24, dtype=dtype), (24,), randn(24, seed=1), randn(24, dtype=dtype, seed=2)
    )


LAYOUTS: dict[str, Callable[[], torch.Tensor]] = {
    "rows of a wider tensor": lambda: randn(4, 20)[:, 3:15],
    "every other row": lambda: randn(8, 12)[::2],
    "every other column": lambda: randn(4, 24)[:, ::2],
    "transposed": lambda: randn(12, 4).T,
    "one row, expanded": lambda: randn(12).expand(4, 12),
    "one column, expanded": lambda: randn(4, 1).expand(4, 12),
    "one element, expanded": lambda: randn(1, 1).expand(4, 12),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_x_and_dy_may_have_any_strides(name: str) -> None:
    plain, weight, bias = randn(4, 12, seed=5), randn(12, seed=1), randn(12, seed=2)
    assert_agrees(LAYOUTS[name](), (12,), weight, bias)
    assert_agrees(plain, (12,), weight, bias, dy=LAYOUTS[name]())


def test_parameters_may_be_strided() -> None:
    assert_agrees(randn(3, 4, 5), (4, 5), randn(5, 4, seed=1).T, randn(8, 5, seed=2)[::2])


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_where_nothing_is_differentiated_autograd_is_not_asked(
    mode: Callable[[], AbstractContextManager[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, weight = randn(5, 24).requires_grad_(), randn(24, seed=1).requires_grad_()
    expected = layer_norm(x, (24,), weight), rms_norm(x, (24,), weight)
    monkeypatch.setattr("lnkernels.call.functional._apply", None)
    with mode():
        found = layer_norm(x, (24,), weight), rms_norm(x, (24,), weight)
    for one, other in zip(found, expected, strict=True):
        assert torch.equal(one, other)
        assert not one.requires_grad


@pytest.mark.parametrize("differentiated", [True, False])
def test_a_tensor_that_has_left_a_transform_is_what_it_was_made_of(differentiated: bool) -> None:
    left: list[torch.Tensor] = []

    def keep(*tensors: torch.Tensor) -> torch.Tensor:
        left.extend(tensors)
        return sum((tensor.sum() for tensor in tensors), torch.zeros(()))

    given = randn(5, 24), randn(24, seed=1), randn(24, seed=2)
    torch.func.grad(keep, argnums=(0, 1, 2))(*given)
    x, weight, bias = left
    with torch.set_grad_enabled(differentiated):
        for _ in range(2):
            found = layer_norm(x, (24,), weight, bias)
            assert torch.equal(found, layer_norm(given[0], (24,), *given[1:]))


@pytest.mark.parametrize(("m", "n"), [(0, 6), (3, 0)])
def test_no_rows_or_no_columns_give_empty_results_and_zero_gradients(m: int, n: int) -> None:
    x, weight, bias = (randn(*shape).requires_grad_() for shape in ((m, n), (n,), (n,)))
    y = layer_norm(x, n, weight, bias)
    y.backward(torch.empty_like(y))
    assert y.shape == (m, n)
    for tensor in (x, weight, bias):
        assert tensor.grad is not None
        assert tensor.grad.shape == tensor.shape
        assert not tensor.grad.any()


@pytest.mark.parametrize("eps", [0.0, 1e-5, 100.0])
def test_any_eps_agrees(eps: float) -> None:
    assert_agrees(randn(3, 12), (12,), randn(12, seed=1), randn(12, seed=2), eps=eps)


@pytest.mark.parametrize(
    "wanted", [(True, False, False), (False, True, False), (False, False, True)]
)
def test_only_the_gradients_that_are_needed_are_computed(wanted: tuple[bool, bool, bool]) -> None:
    tensors = [randn(4, 12), randn(12, seed=1), randn(12, seed=2)]
    for tensor, need in zip(tensors, wanted, strict=True):
        tensor.requires_grad_(need)
    dy = randn(4, 12, seed=3)
    layer_norm(tensors[0], 12, tensors[1], tensors[2]).backward(dy)
    ours = [tensor.grad for tensor in tensors]
    for tensor in tensors:
        tensor.grad = None
    torch.nn.functional.layer_norm(tensors[0], (12,), tensors[1], tensors[2]).backward(dy)
    for mine, tensor in zip(ours, tensors, strict=True):
        assert (mine is None) == (tensor.grad is None)
        if mine is not None:
            torch.testing.assert_close(mine, tensor.grad, rtol=1e-4, atol=1e-5)


def test_x_that_is_changed_before_the_backward_pass_is_noticed() -> None:
    leaf = randn(2, 6).requires_grad_()
    x = leaf * 1
    y = layer_norm(x, 6)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_second_derivative_is_refused_by_name() -> None:
    x = randn(2, 6).requires_grad_()
    (dx,) = torch.autograd.grad(layer_norm(x, 6).square().sum(), x, create_graph=True)
    with pytest.raises(ValueError, match="x, weight: a norm of lnkernels has no second"):
        dx.sum().backward()


@pytest.mark.usefixtures("tuned_home")
def test_what_another_process_tuned_is_launched_after_the_next_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launched: list[Launch] = []

    monkeypatch.setattr(
        lnkernels.passes.forward, "launch_forward", lambda _, launch: launched.append(launch)
    )
    x, limits = randn(4, 1000), device_limits(torch.device(DEVICE))

    def warps() -> int:
        layer_norm(x, (1000,), launch="split")
        return launched[-1].forward_num_warps

    before = warps()
    entry = ForwardEntry(4, 1000, rows=1, num_warps=2 * before)
    write_tuned(limits, "2026-01-01T00:00:00+00:00", [entry])
    assert warps() == before
    reload_tuned_settings()
    assert warps() == 2 * before


@pytest.mark.parametrize("turned", [0, 1, 3])
def test_memory_that_holds_the_other_sign_is_read_with_its_sign(turned: int) -> None:
    """As of an imaginary part of a conjugate."""
    given = [randn(5, 48), randn(48, seed=1), randn(48, seed=2), randn(5, 48, seed=3)]
    given[turned] = torch._neg_view(given[turned])
    x, weight, bias, dy = given
    for _ in range(2):  # a call of a kind that is known, too
        assert_agrees(x, (48,), weight, bias, dy)


def test_threads_get_the_results_of_their_own_calls() -> None:
    weight, bias = randn(64), randn(64, seed=1)

    def is_right(seed: int) -> bool:
        x = randn(24, 64, seed=seed)
        wanted = torch.nn.functional.layer_norm(x, (64,), weight, bias)
        return torch.allclose(layer_norm(x, (64,), weight, bias), wanted, atol=1e-4)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(is_right, range(8)))


def test_torchs_function_may_be_replaced_where_gradients_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = randn(4, 8)

    def total(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, (8,)).square().sum()

    expected = torch.func.grad(total)(x)
    monkeypatch.setattr(torch.nn.functional, "layer_norm", layer_norm)
    compiled = torch.compile(torch.func.grad(total), backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), expected)


@pytest.mark.parametrize(
    ("strategy", "refused"), [("locked", True), ("atomic", True), ("persistent", False)]
)
def test_deterministic_algorithms_refuse_strategies_that_are_not(
    strategy: str, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = randn(4, 8).requires_grad_()
    weight = randn(8).requires_grad_()
    y = layer_norm(x, (8,), weight, launch=strategy)
    monkeypatch.setattr(torch, "are_deterministic_algorithms_enabled", lambda: True)
    if refused:
        with pytest.raises(
            RuntimeError, match=f"strategy {strategy} does not have a deterministic"
        ):
            y.sum().backward()
    else:
        y.sum().backward()


def test_several_gradients_are_computed_at_once() -> None:
    x, weight = randn(3, 8).requires_grad_(), randn(8, seed=1).requires_grad_()
    several = randn(4, 3, 8, seed=2)
    y = layer_norm(x, (8,), weight)
    found = torch.autograd.grad(y, (x, weight), several, is_grads_batched=True, retain_graph=True)
    for dy, dx, dw in zip(several, *found, strict=True):
        torch.testing.assert_close(
            (dx, dw), torch.autograd.grad(y, (x, weight), dy, retain_graph=True)
        )
    jacobian = torch.autograd.functional.jacobian(
        lambda x: layer_norm(x, (8,), weight), x.detach(), vectorize=True
    )
    expected = torch.autograd.functional.jacobian(
        lambda x: torch.nn.functional.layer_norm(x, (8,), weight), x.detach()
    )
    torch.testing.assert_close(jacobian, expected, atol=1e-5, rtol=1e-4)

"""Dropout from a seed: Philox's own numbers, one mask everywhere, and the gradients of what it is
fused with.
"""

import re
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch.autograd import forward_ad

from lnkernels import dropout, fused_dropout_add_layer_norm, layer_norm
from lnkernels.interpreter import IS_INTERPRETED
from tests.lnkernels.conftest import DEVICE

SEED, P = 2**40 + 7, 0.3


def philox(seed: int, count: int) -> NDArray[np.uint32]:
    """The first `count` words of Philox4x32-10, as its authors write it: four for each counter, in
    order.
    """
    counters = np.arange(-(-count // 4), dtype=np.uint64)
    words = [
        counters & 0xFFFFFFFF,
        counters >> 32,
        np.zeros_like(counters),
        np.zeros_like(counters),
    ]
    keys = [seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF]
    for _ in range(10):
        first, second = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [
            (second >> 32) ^ words[1] ^ np.uint64(keys[0]),
            second & 0xFFFFFFFF,
            (first >> 32) ^ words[3] ^ np.uint64(keys[1]),
            first & 0xFFFFFFFF,
        ]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(words, axis=1).astype(np.uint32).reshape(-1)[:count]


def expected_mask(seed: int, p: float, count: int) -> torch.Tensor:
    return torch.from_numpy(philox(seed, count).astype(np.int64) >= round(p * 2**32))


def test_the_reference_gives_the_numbers_that_philoxs_authors_publish() -> None:
    assert [f"{word:08x}" for word in philox(0, 4)] == [
        "6627e8d5",
        "e169c58d",
        "bc57ac4c",
        "9b00dbd8",
    ]


@pytest.mark.parametrize("seed", [0, SEED, -1, np.uint64(2**63 + 5)])
def test_an_elements_word_is_philoxs_by_seed_and_index(seed: int) -> None:
    kept = dropout(torch.ones(7, 33, device=DEVICE), P, seed) > 0
    assert torch.equal(kept.cpu().flatten(), expected_mask(int(seed) % 2**64, P, 7 * 33))


# Of the first two, rows begin within a counter.
@pytest.mark.parametrize("n", [33, 2, 64 if IS_INTERPRETED else 4096])
def test_every_block_warp_pass_and_kernel_has_the_same_mask(n: int) -> None:
    x = torch.ones(6, n, device=DEVICE, requires_grad=True)
    expected = expected_mask(SEED, P, 6 * n).reshape(6, n).to(DEVICE)
    for block_size, num_warps in ((4, 1), (64, 2), (4096, 4)):
        y = dropout(x, P, SEED, block_size=block_size, num_warps=num_warps)
        (dx,) = torch.autograd.grad(y.sum(), x)
        assert torch.equal(y > 0, expected)
        assert torch.equal(dx, y)
    for num_warps in (1, 4):
        _, total = fused_dropout_add_layer_norm(
            x, torch.zeros_like(x), None, None, P, SEED, num_warps=num_warps
        )
        (dx,) = torch.autograd.grad(total.sum(), x)
        assert torch.equal(total > 0, expected)
        assert torch.equal(dx > 0, expected)


@pytest.mark.parametrize("p", [0.0, 0.5, 1 - 2**-33, 1.0])
def test_every_probability_scales_what_is_kept(p: float) -> None:
    y = dropout(torch.full((400,), 3.0, device=DEVICE), p, SEED)
    assert torch.isfinite(y).all()
    if p in (0.0, 1.0):
        assert y.eq(3.0 * (1 - p)).all()
    kept = y[y > 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 3 / (1 - p) if p < 1 else 0.0))


@pytest.mark.parametrize("wide", [False, True], ids=["held", "three steps"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_fused_kernel_gives_what_the_three_steps_give(
    dtype: torch.dtype, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wide:
        monkeypatch.setattr("lnkernels.call.dropout._WIDEST", 8)
    generator = torch.Generator().manual_seed(0)
    given = [
        torch.randn(*size, generator=generator).to(DEVICE, dtype)
        for size in ((5, 20), (5, 20), (20,), (20,))
    ]
    weights = [torch.randn(5, 20, generator=generator).to(DEVICE, dtype) for _ in range(2)]
    leaves = [one.requires_grad_() for one in given]
    y, total = fused_dropout_add_layer_norm(leaves[0], leaves[1], leaves[2], leaves[3], P, SEED)
    found = [y, total, *torch.autograd.grad((y, total), leaves, weights)]
    exact = [one.detach().double().requires_grad_() for one in given]
    mask = expected_mask(SEED, P, 100).reshape(5, 20).to(DEVICE)
    true_total = exact[0] * mask / (1 - P) + exact[1]
    true_y = torch.nn.functional.layer_norm(true_total, (20,), exact[2], exact[3])
    expected = [
        true_y,
        true_total,
        *torch.autograd.grad((true_y, true_total), exact, [one.double() for one in weights]),
    ]
    slack = 1e-5 if dtype == torch.float32 else 0.06
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == dtype
        torch.testing.assert_close(one.double(), other, rtol=slack, atol=slack)


def test_one_result_alone_is_differentiated_and_the_mask_again() -> None:
    x = torch.randn(3, 16, device=DEVICE, requires_grad=True)
    y, total = fused_dropout_add_layer_norm(x, torch.zeros_like(x), None, None, 0.5, SEED)
    assert (
        torch.autograd.grad(total.sum(), x, retain_graph=True)[0].count_nonzero()
        == total.count_nonzero()
    )
    assert torch.autograd.grad(y.square().sum(), x, retain_graph=True)[0].shape == x.shape
    (first,) = torch.autograd.grad(dropout(x, 0.5, SEED).square().sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.count_nonzero() == (dropout(torch.ones_like(x), 0.5, SEED) > 0).sum()
    (dx,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
    with pytest.raises(ValueError, match="no second derivative"):
        torch.autograd.grad(dx.sum(), x)


def test_a_compiled_graph_is_whole_and_has_the_same_mask() -> None:
    def steps(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        y, total = fused_dropout_add_layer_norm(dropout(2 * x, P, 7), x, weight, None, P, SEED)
        return y.sin() + total

    torch.compiler.reset()
    compiled = torch.compile(steps, fullgraph=True, dynamic=True, backend="aot_eager")
    weight = torch.randn(16, device=DEVICE, requires_grad=True)
    for m in (3, 4):
        x = torch.randn(m, 16, device=DEVICE, requires_grad=True)
        found, expected = compiled(x, weight), steps(x, weight)
        assert torch.equal(found, expected)
        torch.testing.assert_close(
            *(torch.autograd.grad(y.sum(), (x, weight)) for y in (found, expected))
        )


def test_shapes_are_kept_and_nothing_in_them_is_needed() -> None:
    x = torch.randn(2, 3, 8, device=DEVICE).transpose(0, 1)
    torch.testing.assert_close(dropout(x, 0.0, 0), x)
    y, total = fused_dropout_add_layer_norm(x, x, None, None, 0.0, 0)
    assert y.shape == total.shape == x.shape
    torch.testing.assert_close(y, torch.nn.functional.layer_norm(2 * x, (8,)), rtol=1e-5, atol=1e-5)
    empty = torch.empty(0, 8, device=DEVICE)
    assert (
        dropout(empty, P, 0).shape
        == fused_dropout_add_layer_norm(empty, empty, None, None, P, 0)[0].shape
        == (0, 8)
    )


def test_the_operators_keep_torchs_rules_and_say_what_autocast_would_give() -> None:
    x, weight = torch.randn(3, 8, device=DEVICE), torch.randn(8, device=DEVICE, requires_grad=True)
    torch.library.opcheck(
        torch.ops.lnkernels.dropout.default, (x.requires_grad_(), P, SEED, 4096, 4)
    )
    fused = torch.ops.lnkernels.fused_dropout_add_layer_norm.default
    torch.library.opcheck(fused, (x, x.detach(), weight, None, P, SEED, 1e-5, False, 0))
    torch.library.opcheck(
        fused, (x.detach().half(), x.detach().half(), None, None, P, SEED, 1e-5, True, 0)
    )


@pytest.mark.parametrize(
    ("p", "seed", "words"),
    [
        (1.5, 0, "p = 1.5 is not possible"),
        (float("nan"), 0, "from 0 to 1"),
        (True, 0, "p = True"),
        (0.1, 0.5, "seed is a float"),
    ],
)
def test_a_wrong_setting_is_named(p: float, seed: int, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        dropout(torch.ones(4, device=DEVICE), p, seed)


def test_what_does_not_fit_together_is_named() -> None:
    x = torch.ones(2, 8, device=DEVICE)
    with pytest.raises(ValueError, match=r"residual is torch.float32 \[2, 7\]"):
        fused_dropout_add_layer_norm(x, x[:, :7], None, None, P, 0)
    with pytest.raises(ValueError, match="block_size = 6"):
        dropout(x, P, 0, block_size=6)
    with pytest.raises(TypeError, match=r"x is torch\.float64"):
        dropout(x.double(), P, 0)
    with pytest.raises(TypeError, match=r"x is torch\.sparse_coo: give a dense tensor"):
        dropout(x.to_sparse(), P, 0)
    with pytest.raises(TypeError, match="residual is a NoneType"):
        fused_dropout_add_layer_norm(x, None, None, None, P, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["a", True, 3, 0, 1 << 21])
def test_a_launch_that_no_compiler_takes_is_named(value: Any) -> None:
    x = torch.ones(2, 8, device=DEVICE)
    for call in (
        lambda: dropout(x, P, 0, block_size=value),
        lambda: dropout(x, P, 0, num_warps=value),
        lambda: fused_dropout_add_layer_norm(x, x, None, None, P, 0, num_warps=value),
    ):
        with pytest.raises(
            ValueError, match=re.escape(f" = {value!r} is not possible: take a power of two from ")
        ):
            call()


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")
def test_forward_mode_is_refused_and_not_left_out() -> None:
    x = torch.randn(3, 8, device=DEVICE)
    for step in (
        lambda rows: dropout(rows, P, SEED),
        lambda rows: fused_dropout_add_layer_norm(rows, x, None, None, P, SEED),
        lambda rows: layer_norm(rows, (8,)),
    ):
        for mode in (torch.enable_grad, torch.no_grad):
            with mode(), forward_ad.dual_level(), pytest.raises(NotImplementedError, match="jvp"):
                step(forward_ad.make_dual(x, x))

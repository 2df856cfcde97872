"""On the interpreter, casts, arithmetic and launches are those of a GPU."""

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice

from lnkernels.interpreter import IS_INTERPRETED, ieee_arithmetic
from tests.lnkernels.conftest import DEVICE
from tests.programs import run_program


@triton.jit
def round_kernel(in_ptr, out_ptr, N: tl.constexpr):  # noqa: N803
    lanes = tl.arange(0, N)
    tl.store(out_ptr + lanes, tl.load(in_ptr + lanes).to(out_ptr.dtype.element_ty))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_values_are_rounded_to_nearest_even_as_pytorch_rounds(dtype: torch.dtype) -> None:
    special = [
        0.0,
        -0.0,
        1.0,
        1 + 2.0**-8,
        1 + 3 * 2.0**-8,
        3.4e38,
        -1e5,
        torch.inf,
        -torch.inf,
        torch.nan,
        1e-40,
        65519.0,
    ]
    values = torch.cat([torch.tensor(special), torch.randn(1012)]).to(DEVICE)
    out = torch.empty(1024, dtype=dtype, device=DEVICE)
    with ieee_arithmetic():
        round_kernel[(1,)](values, out, N=1024)
    torch.testing.assert_close(out, values.to(dtype), rtol=0, atol=0, equal_nan=True)


@triton.jit
def scale_kernel(in_ptr, out_ptr, factor, N: tl.constexpr):  # noqa: N803
    lanes = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + lanes, tl.load(in_ptr + lanes) * factor - factor.to(tl.float32))


def test_a_number_with_a_fraction_is_a_scalar_of_float32_and_a_grid_may_be_a_list() -> None:
    values, out = (
        torch.full((32,), 60000.0, dtype=torch.float16, device=DEVICE),
        torch.empty(32, device=DEVICE),
    )
    scale_kernel[[1]](values, out, 1.1, N=16)
    scale_kernel[lambda given: [32 // given["N"]]](values, out, 1.1, N=16)
    torch.testing.assert_close(out, values.float() * torch.tensor(1.1, device=DEVICE) - 1.1)


rsqrt = tl.math.rsqrt


@triton.jit
def root_kernel(x_ptr, N: tl.constexpr):  # noqa: N803
    lanes = tl.arange(0, N)
    tl.store(x_ptr + lanes, rsqrt(tl.load(x_ptr + lanes)))


def test_a_function_of_the_language_may_have_another_name() -> None:
    x = torch.full((4,), 4.0, device=DEVICE)
    for expected in (0.5, 2**0.5):
        root_kernel[(1,)](x, N=4)
        torch.testing.assert_close(x, torch.full_like(x, expected))


@triton.jit
def choose_kernel(out_ptr, wanted, N: tl.constexpr):  # noqa: N803
    lanes = tl.arange(0, N)
    if wanted:
        tl.store(out_ptr + lanes, tl.where(wanted & (lanes > 0), 2.0, 1.0))


def test_true_and_false_may_be_handed_to_a_kernel() -> None:
    out = torch.zeros(4, device=DEVICE)
    choose_kernel[(1,)](out, False, N=4)
    assert not out.any()
    choose_kernel[(1,)](out, True, N=4)
    assert out.tolist() == [1.0, 2.0, 2.0, 2.0]


@triton.jit
def bfloat16_kernel(a_ptr, b_ptr, sum_ptr, larger_ptr, root_ptr, N: tl.constexpr):  # noqa: N803
    lanes = tl.arange(0, N)
    a, b = tl.load(a_ptr + lanes), tl.load(b_ptr + lanes)
    tl.store(sum_ptr + lanes, a * b + a - b)
    tl.store(larger_ptr + lanes, tl.where(a < b, b, a).to(tl.float16))
    tl.store(root_ptr + lanes, libdevice.rsqrt(cuda_libdevice.abs(a.to(tl.float32) * a)))


def test_somebodys_kernel_computes_with_bfloat16_and_libdevice() -> None:
    a, b = torch.randn(2, 512).to(DEVICE, torch.bfloat16)
    total, larger, root = torch.empty_like(a), torch.empty_like(a), torch.empty(512, device=DEVICE)
    bfloat16_kernel[(1,)](a, b, total, larger, root, N=512)
    if IS_INTERPRETED:  # a GPU may keep the product for a fused multiplication and addition
        torch.testing.assert_close(total, a * b + a - b, rtol=0, atol=0)
    torch.testing.assert_close(total, a * b + a - b, rtol=2**-6, atol=2**-6)
    torch.testing.assert_close(larger, torch.maximum(a, b))
    torch.testing.assert_close(root, 1 / a.float().abs())


@triton.jit
def bfloat16_tile_kernel(a_ptr, b_ptr, product_ptr, fused_ptr, sum_ptr, N: tl.constexpr):  # noqa: N803
    lanes = tl.arange(0, N)
    at = lanes[:, None] * N + lanes[None, :]
    a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
    tl.store(product_ptr + at, tl.dot(a, b))
    tl.store(fused_ptr + at, tl.fma(a, b, 1 + a) * 0.5)
    tl.store(sum_ptr + lanes, tl.sum(a, axis=1) + tl.full((N,), 3, tl.bfloat16))


def test_somebodys_kernel_multiplies_and_adds_up_tiles_of_bfloat16_and_numbers_beside_them() -> (
    None
):
    a, b = torch.randn(2, 16, 16).to(DEVICE, torch.bfloat16)
    product, fused, total = (
        torch.empty(16, 16, device=DEVICE),
        torch.empty_like(a),
        torch.empty_like(a[0]),
    )
    bfloat16_tile_kernel[(1,)](a, b, product, fused, total, N=16)
    torch.testing.assert_close(product, a.float() @ b.float())
    torch.testing.assert_close(fused, (a * b + 1 + a) * 0.5, rtol=2**-6, atol=2**-6)
    torch.testing.assert_close(total, a.sum(1) + 3, rtol=2**-6, atol=2**-4)


def test_a_choice_that_comes_after_triton_is_refused_in_one_sentence() -> None:
    program = (
        "import os, triton, triton.language\n"
        "os.environ['TRITON_INTERPRET'] = '0' if os.environ.get('TRITON_INTERPRET') == '1' else '1'\n"
        "import lnkernels.interpreter\n"
    )
    told = run_program(program).stderr
    assert "ImportError: TRITON_INTERPRET was changed after triton was imported" in told

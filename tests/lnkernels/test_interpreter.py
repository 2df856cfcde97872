"""On the interpreter, casts and arithmetic are those of a GPU."""

import pytest
import torch
import triton
import triton.language as tl

from lnkernels.interpreter import IS_INTERPRETED, ieee_arithmetic, rounded


@triton.jit
def round_kernel(in_ptr, out_ptr, N: tl.constexpr):  # noqa: N803
    lanes = tl.arange(0, N)
    tl.store(out_ptr + lanes, rounded(tl.load(in_ptr + lanes), out_ptr.dtype.element_ty))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_values_are_rounded_to_nearest_even_as_pytorch_rounds(dtype: torch.dtype, device: torch.device) -> None:
    special = [0.0, -0.0, 1.0, 1 + 2.0**-8, 1 + 3 * 2.0**-8, 3.4e38, -1e5, torch.inf, -torch.inf, torch.nan, 1e-40, 65519.0]
    values = torch.cat([torch.tensor(special), torch.randn(1012)]).to(device)
    out = torch.empty(1024, dtype=dtype, device=device)
    with ieee_arithmetic():
        round_kernel[(1,)](values, out, N=1024)
    torch.testing.assert_close(out, values.to(dtype), rtol=0, atol=0, equal_nan=True)


@pytest.mark.skipif(not IS_INTERPRETED, reason="numpy's warnings exist on the interpreter only")
def test_an_overflow_is_an_infinity_and_no_warning(device: torch.device) -> None:
    values = torch.full((16,), 1e30, device=device)
    out = torch.empty(16, dtype=torch.float16, device=device)
    with ieee_arithmetic():
        round_kernel[(1,)](values, out, N=16)
    assert out.isposinf().all()

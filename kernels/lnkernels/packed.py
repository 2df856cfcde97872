"""Values of half precision that wait in registers for their second use, two in each.

A kernel that uses a row twice would keep it as float32, because compilers recognise that both uses need the same conversion and
make it once. That is twice the registers, and where rows are wide they are what runs out. `anew` hides from the compiler
that the second use starts from the same bits, so it converts them again: one cheap instruction in place of a register.
"""

import triton.language as tl

from lnkernels.interpreter import INTERPRETED, device_function


def packs(columns: int, most_as_float: int, element_bytes: int) -> bool:
    """Whether a program that holds `columns` of a row should keep them packed; up to `most_as_float` that was slower."""
    return element_bytes == 2 and columns > most_as_float


@device_function
def hidden_zero(N, later):  # noqa: N803
    """A 16-bit 0 that no compiler knows, as N is never negative; and not before `later`, a float32, is there."""
    return tl.where(N < 0, later.to(tl.int32, bitcast=True), 0).to(tl.int16)


@device_function
def anew(values, zero, PACKED: tl.constexpr):  # noqa: N803
    """The same values of half precision; with PACKED a compiler cannot know that they are the same."""
    if PACKED and not INTERPRETED and values.dtype.primitive_bitwidth == 16:  # a weight may be float32
        return tl.inline_asm_elementwise(
            "or.b32 $0, $1, $2;", "=r,r,r", [values, zero], dtype=values.dtype, is_pure=False, pack=2
        )
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return values

"""Rows that begin at any element, read and written in whole groups of 16 to 128 bytes.

A row whose length is no multiple of 16 bytes begins somewhere inside a line of memory. A program
that takes rows alone that begin at the same place (`shared_group`, `first_group`) loads whole
lines. The few elements before and behind them, the row's ends, are blocks of their own
(`outside_groups`), kept in float32; the functions below them do for ends what a kernel does for
its blocks of columns. Figures stand in `kernels/notes.md`.
"""

from typing import TYPE_CHECKING

import triton.language as tl

from lnkernels.interpreter import device_function
from lnkernels.language.device_functions import of_mean

if TYPE_CHECKING:
    from torch import Tensor


def held_together(block: int, num_warps: int, element_bytes: int) -> int:
    """Return the adjacent elements of a block that a thread holds: 16 bytes, or fewer."""
    return max(min(block // (32 * num_warps), 16 // element_bytes), 1)


def shared_group(n: int, programs: int, lanes: int, *tensors: "Tensor | None") -> int:
    """Return the elements of a piece of memory, of 128 bytes if possible and 16 at least, in which
    rows of n elements can be read whose length is no multiple of 16 bytes; else 1.

    Rows of the same number have to begin at the same element of such a piece in all tensors, which
    may be None (`first_group`). At most a sixteenth of the programs, or one, are left over, and the
    elements outside of a row's pieces fit `lanes`. Pieces are counted from where a tensor begins,
    which has to be a multiple of 16 bytes: what repeats a call (`lnkernels.call.replay`) knows no
    more of an address, and must not launch another order of additions.
    """
    given = [tensor for tensor in tensors if tensor is not None]
    size, stride = given[0].element_size(), given[0].stride(0)
    if stride * size % 16 == 0:
        return 1
    for group in (line // size for line in (128, 64, 32, 16)):
        fits = 2 * group <= n and group <= min(lanes, programs)
        fits = fits and programs % group <= max(programs // 16, 1)
        if fits and all(
            tensor.data_ptr() % 16 == 0
            and tensor.element_size() == size
            and (tensor.stride(0) - stride) % group == 0
            for tensor in given
        ):
            return group
    return 1


@device_function
def first_group(row, stride, N, GROUP: tl.constexpr):
    """Return the column at which a row's first whole group of GROUP elements begins, and the
    columns of all its whole groups.

    A group is one piece of memory, of 16 to 128 bytes: a thread loads 16 at once, and a warp whole
    lines where they are 128 and the tensor begins with a line. Rows r, r + GROUP, r + 2·GROUP …
    have the same first group, whatever their length: an odd number of elements too. The elements
    before and behind the whole groups, fewer than GROUP each, are `outside_groups`. So nothing
    outside of the row is written. With a GROUP of 1 the groups are the row.
    """
    if GROUP > 1:
        lead = (GROUP - (row % GROUP) * (stride % GROUP) % GROUP) % GROUP
        return lead, (N - lead) // GROUP * GROUP
    else:  # the compiler drops the branch not taken only where there is an else
        return 0, N


@device_function
def outside_groups(lead, length, N, GROUP: tl.constexpr, LANES: tl.constexpr):
    """Return the elements outside of a row's whole groups as blocks of LANES: their columns less
    that of the first group, and masks of those that there are.

    The groups begin at column `lead` and have `length` columns.
    """
    places = ()
    masks = ()
    for first in tl.static_range(0, 2 * GROUP, LANES):
        lanes = first + tl.arange(0, LANES)
        place = lanes - GROUP + tl.where(lanes < GROUP, 0, length)
        column = lead + place
        places = places + (place,)
        masks = masks + ((lanes < 2 * GROUP) & (column >= 0) & (column < N),)
    return places, masks


@device_function
def parameter_ends(pointer, lead, places, masks, default):
    """Return weight or bias of the elements outside of a row's groups, `default` where it is None,
    as float32 in blocks as `outside_groups` has them.
    """
    values = ()
    for block in tl.static_range(len(places)):
        value = tl.full(places[block].shape, default, tl.float32)
        if pointer is not None:
            columns = lead + places[block]
            value = tl.load(pointer + columns, mask=masks[block], other=0.0).to(tl.float32)
        values = values + (value,)
    return values


@device_function
def last_element(pointer, stride, M, N):
    """Load the last element of the last row, as a block of one."""
    return tl.load(pointer + tl.full((), M - 1, tl.int64) * stride + (N - 1) + tl.arange(0, 1))


@device_function
def load_ends(pointers, last, row, lead, places, masks, M, N):
    """Load a row's elements outside of its groups as float32, zeros elsewhere, in such blocks.

    `pointers` are those of the first whole group. Two bytes cannot be loaded ahead, as the row is,
    but four can: so each element comes with its neighbour, of a neighbouring row where need be.
    Behind the last element of all there may be no memory: it is `last`, see `last_element`.
    """
    values = ()
    for block in tl.static_range(len(places)):
        place, mask = places[block], masks[block]
        if pointers.dtype.element_ty.primitive_bitwidth == 32:
            value = tl.load(pointers + place, mask=mask, other=0.0)
        else:  # the compiler drops the branch not taken only where there is an else
            odd = place & 1
            wanted = mask & ((lead + place - odd < N - 1) | (row < M - 1))
            word = (pointers + place - odd).to(tl.pointer_type(tl.int32))
            bits = (tl.load(word, mask=wanted, other=0) >> 16 * odd).to(tl.int16)
            value = bits.to(pointers.dtype.element_ty, bitcast=True)
            value = tl.where(mask & ~wanted, last, value)
        values = values + (tl.where(mask, value.to(tl.float32), 0.0),)
    return values


@device_function
def masks_where(masks, wanted):
    """Return `masks` where `wanted`, a scalar, holds, and else masks of nothing."""
    new = ()
    for block in tl.static_range(len(masks)):
        new = new + (masks[block] & wanted,)
    return new


@device_function
def normalised_ends(x_ends, mean, rstd, masks):
    """Return xhat of a row's elements outside of its groups, zeros elsewhere."""
    xhats = ()
    for block in tl.static_range(len(masks)):
        xhats = xhats + (tl.where(masks[block], (x_ends[block] - mean) * rstd, 0.0),)
    return xhats


@device_function
def add_ends(c1s, c2s, xhats, dy_ends, weight_ends, mean_ptr):
    """Return the sums for c1 and c2 with a row's elements outside of its groups."""
    for block in tl.static_range(len(xhats)):
        wdy = dy_ends[block] * weight_ends[block]
        c1s += xhats[block] * wdy
        c2s += of_mean(wdy, mean_ptr)
    return c1s, c2s


@device_function
def with_ends(dw_ends, db_ends, dy_ends, xhats):
    """Return the sums for dw and db with a row's elements outside of its groups."""
    dw = ()
    db = ()
    for block in tl.static_range(len(xhats)):
        dw = dw + (dw_ends[block] + dy_ends[block] * xhats[block],)
        db = db + (db_ends[block] + dy_ends[block],)
    return dw, db


@device_function
def store_dx_ends(
    dx_ptr, wide, dx_stride, lead, xhats, dy_ends, weight_ends, rstd, c1, c2, places, masks
):
    """Store dx of the elements outside of groups of row number `wide`."""
    for block in tl.static_range(len(places)):
        wdy = dy_ends[block] * weight_ends[block]
        dx = (wdy * rstd - (xhats[block] * c1 + c2)).to(dx_ptr.dtype.element_ty)
        tl.store(dx_ptr + (wide * dx_stride + lead) + places[block], dx, mask=masks[block])


@device_function
def store_sums_of_ends(dw_ptr, db_ptr, at, lead, dw_ends, db_ends, places, masks):
    """Store sums over rows of the elements outside of their groups, where the pointer is not None;
    a program's sums begin `at` elements behind it.
    """
    for block in tl.static_range(len(places)):
        columns = lead + places[block]
        if dw_ptr is not None:
            tl.store(dw_ptr + at + columns, dw_ends[block], mask=masks[block])
        if db_ptr is not None:
            tl.store(db_ptr + at + columns, db_ends[block], mask=masks[block])


@device_function
def of_threads(values, EACH: tl.constexpr):
    """Return sums of EACH adjacent elements of a block, which a thread holds."""
    if EACH > 1:
        return tl.sum(tl.reshape(values, (values.shape[0] // EACH, EACH)), axis=1)
    else:  # the compiler drops the branch not taken only where there is an else
        return values

"""The `split` backward strategy, for wide rows: several programs share a row, each holds one slice of its columns.

A row of 32768 columns, with its sums of dw and db in float32, does not fit the registers of one program. So SLICES programs on
as many SMs take one slice of BLOCK_N columns each, of every groups-th tile of ROWS rows, and keep the sums of dw and db of their
slice in registers. What a row's dx needs of the whole row are the sums c1 and c2. Each program publishes its slice's
share of them in one 64-bit word a row, and picks up those of the others one tile later, when the words have long arrived: x and
dy stay in registers in between and are read from memory once.

A word is its own flag. Before the launch all words are EMPTY, a pattern that no pair of sums is published as, and whoever
finds a word empty asks again. That is why all programs have to be resident together: the launch is a cooperative one, which
either keeps that promise or fails. Where it cannot be made (Triton's interpreter runs one program after the other), two
launches do the same work, first all sums and then all dx, reading x and dy twice.

All sums run in an order that the launch fixes, so results are the same bit by bit from run to run.
"""

from __future__ import annotations  # torch is imported where memory is allocated; compiling must not wait for it

from dataclasses import dataclass
from typing import TYPE_CHECKING

import triton
import triton.language as tl

from lnkernels.interpreter import INTERPRETED, IS_INTERPRETED, device_function, rounded
from lnkernels.launch import ceil_div
from lnkernels.launch.consequences import even_share
from lnkernels.launch.settings import SplitSettings
from lnkernels.persistent import load_tile
from lnkernels.reductions import PartialSums, launch_sum, let_next_kernel_start, row_sums
from lnkernels.replay import fill, launch_kernel

if TYPE_CHECKING:
    import torch

EMPTY = -1  # every bit set: c2's half would be a NaN, and those are published as one other pattern
_WORD_UNIT = 16  # slices start at multiples of this many columns, so that loads stay aligned


@device_function
def packed(c1, c2):
    """Two float32 as one 64-bit word that is never EMPTY."""
    low = c1.to(tl.int32, bitcast=True).to(tl.int64) & 0xFFFFFFFF
    high = tl.where(c2 != c2, 0x7FC00000, c2.to(tl.int32, bitcast=True)).to(tl.int64)  # noqa: PLR0124 - so a NaN is known
    return (high << 32) | low


@device_function
def unpacked(words):
    """The two float32 of each word."""
    low = (words & 0xFFFFFFFF).to(tl.uint32).to(tl.float32, bitcast=True)
    high = ((words >> 32) & 0xFFFFFFFF).to(tl.uint32).to(tl.float32, bitcast=True)
    return low, high


@device_function
def peek(pointers, wanted):
    """The words as they are now, without waiting for them; 0 where not wanted.

    Not a plain load: the compiler's pipeline would run it several rows early, when no word is there yet.
    """
    if INTERPRETED:
        return tl.load(pointers, mask=wanted, other=0)
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return tl.inline_asm_elementwise(
            """
            {
                .reg .pred wanted;
                setp.ne.s32 wanted, $2, 0;
                mov.b64 $0, 0;
                @wanted ld.relaxed.gpu.global.b64 $0, [$1];
            }
            """,
            "=&l,l,r",
            [pointers.to(tl.int64), wanted.to(tl.int32)],
            dtype=tl.int64,
            is_pure=False,
            pack=1,
        )


@device_function
def arrived(pointers, words):
    """`words`, read anew from `pointers` until none is EMPTY.

    Written in PTX because a loop that each thread leaves on its own has no place in Triton's language, and because the
    compiler pipelines no loop that has another one inside.
    """
    if INTERPRETED:
        return words
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return tl.inline_asm_elementwise(
            """
            {
                .reg .pred empty;
                mov.b64 $0, $2;
            again:
                setp.eq.s64 empty, $0, -1;
                @empty ld.relaxed.gpu.global.b64 $0, [$1];
                @empty bra again;
            }
            """,
            "=&l,l,l",
            [pointers.to(tl.int64), words],
            dtype=tl.int64,
            is_pure=False,
            pack=1,
        )


@triton.jit
def split_kernel(  # noqa: PLR0915
    x_ptr,  # [M, N], columns adjacent, as dy and dx
    dy_ptr,
    dx_ptr,  # written, or None
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32
    rstd_ptr,  # [M] float32
    words_ptr,  # [M, SLICES] int64, EMPTY before the first launch: each slice's sums for c1 and c2; None without dx
    partial_dw_ptr,  # [groups, N] float32, written, or None where dw is not wanted
    partial_db_ptr,  # the same, for db
    x_stride,  # elements from one row to the next
    dy_stride,
    dx_stride,
    M,  # noqa: N803 - rows
    N,  # noqa: N803 - columns of a row
    ROWS: tl.constexpr,  # noqa: N803 - rows that a program takes at once
    WIDTH: tl.constexpr,  # noqa: N803 - columns of a slice; the last may have fewer
    SLICES: tl.constexpr,  # noqa: N803
    BLOCK_S: tl.constexpr,  # noqa: N803 - a power of two, at least SLICES
    BLOCK_N: tl.constexpr,  # noqa: N803 - at least WIDTH
    EVEN: tl.constexpr,  # noqa: N803 - BLOCK_N is WIDTH, and SLICES of them make N
    STAGES: tl.constexpr,  # noqa: N803 - tiles in flight
    PUBLISH: tl.constexpr,  # noqa: N803 - compute the sums for c1 and c2
    FINISH: tl.constexpr,  # noqa: N803 - compute dx, and the sums of dw and db
    OVERLAP: tl.constexpr,  # noqa: N803
):
    group = tl.program_id(0) // SLICES
    part = tl.program_id(0) % SLICES
    step = tl.num_programs(0) // SLICES * ROWS
    offsets = tl.arange(0, BLOCK_N)
    columns = part * WIDTH + offsets
    in_slice = (offsets < WIDTH) & (columns < N)
    lanes = tl.arange(0, ROWS)
    # The words of a tile in one dimension: inline assembly on two is repeated for every layout that its users have.
    word_lanes = tl.arange(0, ROWS * BLOCK_S)
    parts = word_lanes % BLOCK_S
    others = tl.minimum(parts, SLICES - 1)
    weight = tl.full((BLOCK_N,), 1.0, tl.float32)
    if weight_ptr is not None:
        weight = tl.load(weight_ptr + columns, mask=in_slice, other=0.0)
    dw = tl.full((ROWS, BLOCK_N), 0.0, tl.float32)
    db = tl.full((ROWS, BLOCK_N), 0.0, tl.float32)
    # The tile before, whose dx is still to be computed. At first there is none: with an rstd of 0 it adds nothing.
    # Each is made on its own: of two names for one value before a loop, Triton (3.7) carries neither around it.
    last_x = tl.full((ROWS, BLOCK_N), 0.0, x_ptr.dtype.element_ty)
    last_dy = tl.full((ROWS, BLOCK_N), 0.0, dy_ptr.dtype.element_ty)
    last_mean = tl.full((ROWS,), 0.0, tl.float32)
    last_rstd = tl.full((ROWS,), 0.0, tl.float32)
    for start in tl.range(group * ROWS, M + step, step, num_stages=STAGES):
        rows = start + lanes
        wide = rows.to(tl.int64)  # a row's address passes 2**31 elements
        here = rows < M
        before = wide - step
        there = (before >= 0) & (before < M)
        mask = here[:, None] if EVEN else in_slice[None, :] & here[:, None]
        done = there[:, None] if EVEN else in_slice[None, :] & there[:, None]
        word_rows = tl.full((), start, tl.int64) - step + word_lanes // BLOCK_S
        words_there = (parts < SLICES) & (word_rows >= 0) & (word_rows < M)
        word_pointers = words_ptr + word_rows * SLICES + others if FINISH and dx_ptr is not None else 0
        x = load_tile(x_ptr + wide[:, None] * x_stride + columns[None, :], mask, False)
        dy = load_tile(dy_ptr + wide[:, None] * dy_stride + columns[None, :], mask, False)
        mean = tl.load(mean_ptr + rows, mask=here, other=0.0)
        rstd = tl.load(rstd_ptr + rows, mask=here, other=0.0)
        if PUBLISH:
            xhat = (x.to(tl.float32) - mean[:, None]) * rstd[:, None]
            if not EVEN:
                xhat = tl.where(in_slice[None, :], xhat, 0.0)
            wdy = dy.to(tl.float32) * weight.to(tl.float32)[None, :]
        if FINISH and dx_ptr is not None:
            # Asked for before this tile's sums, so that they are there when they are needed.
            words = peek(word_pointers, words_there)
        if PUBLISH:
            c1, c2 = row_sums(xhat * wdy, wdy, 1)
            tl.atomic_xchg(words_ptr + wide * SLICES + part, packed(c1, c2), mask=here, sem="relaxed")
        if FINISH:
            xhat = (last_x.to(tl.float32) - last_mean[:, None]) * last_rstd[:, None]
            if not EVEN:
                xhat = tl.where(in_slice[None, :], xhat, 0.0)
            dy32 = last_dy.to(tl.float32)
            if dx_ptr is not None:
                c1s, c2s = unpacked(arrived(word_pointers, words))
                c1, c2 = row_sums(tl.reshape(c1s, (ROWS, BLOCK_S)), tl.reshape(c2s, (ROWS, BLOCK_S)), 1)
                c1 = c1 / N * last_rstd
                c2 = c2 / N * last_rstd
                dx = dy32 * weight.to(tl.float32)[None, :] * last_rstd[:, None] - (xhat * c1[:, None] + c2[:, None])
                to = dx_ptr + before[:, None] * dx_stride + columns[None, :]
                tl.store(to, rounded(dx, dx_ptr.dtype.element_ty), mask=done, cache_modifier=".cs")
            dw += dy32 * xhat
            db += dy32
            last_x = x
            last_dy = dy
            last_mean = mean
            last_rstd = rstd
    let_next_kernel_start(OVERLAP)
    at = group.to(tl.int64) * N + columns
    if FINISH and partial_dw_ptr is not None:
        tl.store(partial_dw_ptr + at, tl.sum(dw, axis=0), mask=in_slice)
    if FINISH and partial_db_ptr is not None:
        tl.store(partial_db_ptr + at, tl.sum(db, axis=0), mask=in_slice)


@dataclass(frozen=True, slots=True)
class SplitWorkspace:
    """Device memory of one launch. Its contents before do not matter."""

    words: torch.Tensor  # [M, slices] int64
    sums: PartialSums  # [groups, N]

    @classmethod
    def allocate(
        cls, m: int, n: int, settings: SplitSettings, device: torch.device | str, *, dw: bool = True, db: bool = True
    ) -> SplitWorkspace:
        """Memory for x [m, n], not initialised."""
        import torch  # noqa: PLC0415

        words = torch.empty((m, settings.slices), dtype=torch.int64, device=device)
        return cls(words, PartialSums.allocate(groups_for(m, settings), n, device, dw=dw, db=db))


def groups_for(m: int, settings: SplitSettings) -> int:
    """Tiles at work at one time, and the number of partial sums: the fewest that give no group more tiles than the most would."""
    return even_share(ceil_div(m, settings.rows), settings.groups)


def slice_width(n: int, settings: SplitSettings) -> int:
    """Columns of every slice but the last."""
    return ceil_div(ceil_div(n, settings.slices), _WORD_UNIT) * _WORD_UNIT


def launch_backward(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    settings: SplitSettings,
    workspace: SplitWorkspace,
    *,
    dx: torch.Tensor | None,
    dw: torch.Tensor | None,
    db: torch.Tensor | None,
) -> None:
    """Both stages, the words emptied before them. Checks little, allocates nothing.

    Args:
        x: [M, N], any row stride, column stride 1.
        dy: [M, N], any row stride (0 too), column stride 1.
        weight: [N] contiguous, or None.
        mean: [M] float32, from the forward pass.
        rstd: [M] float32, from the forward pass.
        settings: of this N; slices of at most `block_n` columns cover it.
        workspace: allocated for this shape and these settings.
        dx: [M, N] written, any row stride, column stride 1; None where it is not wanted.
        dw: [N] contiguous, written; None where it is not wanted.
        db: [N] contiguous, written; None where it is not wanted.

    Raises:
        ValueError: block_n does not cover a slice.
    """
    m, n = x.shape
    with_sums = dw is not None or db is not None
    width = slice_width(n, settings)
    if settings.block_n < width:
        raise ValueError(f"block_n = {settings.block_n} is not possible: a program holds a slice of {width} columns")
    groups = groups_for(m, settings)
    together = not IS_INTERPRETED
    if dx is not None:
        fill(workspace.words, EMPTY)
    phases = [(dx is not None, True)] if together or dx is None else [(True, False), (False, True)]
    cooperative = {"launch_cooperative_grid": True} if together and dx is not None else {}
    if m > 0 and (with_sums or dx is not None):
        for publish, finish in phases:
            launch_kernel(
                split_kernel,
                (groups * settings.slices,),
                x,
                dy,
                dx,
                weight,
                mean,
                rstd,
                workspace.words if dx is not None else None,
                workspace.sums.dw if dw is not None else None,
                workspace.sums.db if db is not None else None,
                x.stride(0),
                dy.stride(0),
                dx.stride(0) if dx is not None else 0,
                m,
                n,
                ROWS=settings.rows,
                WIDTH=width,
                SLICES=settings.slices,
                BLOCK_S=triton.next_power_of_2(settings.slices),
                BLOCK_N=settings.block_n,
                EVEN=settings.block_n == width and width * settings.slices == n,
                STAGES=settings.num_stages,
                PUBLISH=publish,
                FINISH=finish,
                OVERLAP=settings.reduce.overlap and with_sums,
                num_warps=settings.num_warps,
                maxnreg=settings.max_registers,
                **cooperative,
            )
    if with_sums:
        launch_sum(groups, n, workspace.sums, settings.reduce, dw=dw, db=db)

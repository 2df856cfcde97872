"""The `split` backward strategy, for wide rows: several programs share a row and hold one slice of
its columns each.

A row of 32768 columns, with its sums of dw and db in float32, does not fit the registers of one
program. So SLICES programs take one slice each of every groups-th row, as blocks of BLOCK_N
columns, and keep the sums of dw and db of their slice in registers. What a row's dx needs of the
whole row are the sums c1 and c2. Each program publishes its slice's share of them in one 64-bit
word, and picks up those of the others one row later, when the words have long
arrived: x and dy stay in registers in between and are read from memory once.

A word is its own flag. Before the launch all words are EMPTY, a pattern that no pair of sums is
published as, and whoever finds a word empty asks again. That is why all programs have to be
resident together: the launch is a cooperative one, which either keeps that promise or fails. Where
it cannot be made (Triton's interpreter runs one program after the other), two launches do the same
work, first all sums and then all dx, reading x and dy twice.

A row that is one slice, as narrow rows are, needs no words: its program keeps the sums until its
next turn. Rows that begin at any element are read in aligned groups, as in
`lnkernels.passes.persistent_blocks`; the last slice has the elements at both ends.

All sums run in an order that the launch fixes, so results are the same bit by bit from run to run.
"""

# torch is imported where memory is allocated; compiling must not wait for it
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import triton
import triton.language as tl

from lnkernels.interpreter import INTERPRETED, IS_INTERPRETED, device_function
from lnkernels.language.clock import reading, stamp_end, stamp_start, stamp_turn
from lnkernels.language.device_functions import (
    common_step,
    in_steps,
    let_next_kernel_start,
    load_tile,
    of_mean,
    row_sums,
)
from lnkernels.language.groups import (
    add_ends,
    first_group,
    last_element,
    load_ends,
    masks_where,
    normalised_ends,
    of_threads,
    outside_groups,
    parameter_ends,
    store_dx_ends,
    store_sums_of_ends,
    with_ends,
)
from lnkernels.language.launching import empty, fill, launch_kernel
from lnkernels.launch import Launch, ceil_div
from lnkernels.launch.limits import REGISTERS_PER_SM
from lnkernels.launch.split import groups_in_use, slice_width
from lnkernels.passes.arguments import BackwardTensors, groups_of_rows
from lnkernels.passes.partial_sums import PartialSums, launch_sum
from lnkernels.trace.memory import ProgramTrace, array_of, pointers_of
from lnkernels.values.timeline import StrategyTimeline, Times

if TYPE_CHECKING:
    from torch import Tensor

EMPTY = -1  # every bit set: c2's half would be a NaN, and those are published as one other pattern
_WHOLE_LOAD = 8  # elements of half precision that a thread loads at once
_MOST_REGISTERS = 255  # of a thread, on every architecture


@device_function
def packed(c1, c2):
    """Return two float32 as one 64-bit word that is never EMPTY."""
    low = c1.to(tl.int32, bitcast=True).to(tl.int64) & 0xFFFFFFFF
    not_a_number = c2 != c2  # noqa: PLR0124
    high = tl.where(not_a_number, 0x7FC00000, c2.to(tl.int32, bitcast=True)).to(tl.int64)
    return (high << 32) | low


@device_function
def unpacked(words):
    """Return the two float32 of each word."""
    low = (words & 0xFFFFFFFF).to(tl.uint32).to(tl.float32, bitcast=True)
    high = ((words >> 32) & 0xFFFFFFFF).to(tl.uint32).to(tl.float32, bitcast=True)
    return low, high


@device_function
def peek(pointers, wanted):
    """Return the words as they are now, without waiting for them; 0 where not wanted.

    Not a plain load: the compiler's pipeline would run it several rows early, when no word is there
    yet.
    """
    if INTERPRETED:
        return tl.load(pointers, mask=wanted, other=0)
    else:  # the compiler drops the branch not taken only where there is an else
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
    """Return `words`, read again from `pointers` until none is EMPTY.

    Written in PTX because a loop that each thread leaves on its own has no place in Triton's
    language, and because the compiler pipelines no loop that has another one inside.
    """
    if INTERPRETED:
        return words
    else:  # the compiler drops the branch not taken only where there is an else
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
def split_kernel(
    x_ptr,  # [M, N], columns adjacent, as dy and dx
    dy_ptr,
    dx_ptr,  # written, or None
    weight_ptr,  # [N], or None for ones
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    # [M, SLICES] int64, EMPTY before the first launch: each slice's sums for c1 and c2; None where
    # nobody needs them
    words_ptr,
    partial_dw_ptr,  # [groups, N] float32, written, or None where dw is not wanted
    partial_db_ptr,  # the same, for db
    x_stride,  # elements from one row to the next
    dy_stride,
    dx_stride,
    M,  # rows
    N,  # columns of a row
    WIDTH: tl.constexpr,  # columns of a slice; the last may have fewer
    SLICES: tl.constexpr,
    BLOCK_S: tl.constexpr,  # a power of two, at least SLICES
    BLOCK_N: tl.constexpr,
    BLOCKS: tl.constexpr,  # the fewest that hold WIDTH columns
    FULL: tl.constexpr,  # blocks that need no mask in any slice
    STAGES: tl.constexpr,  # rows in flight
    PUBLISH: tl.constexpr,  # compute the sums for c1 and c2
    FINISH: tl.constexpr,  # compute dx, and the sums of dw and db
    OVERLAP: tl.constexpr,
    STEP: tl.constexpr,  # see `in_steps`
    GROUP: tl.constexpr,  # see `first_group`; 1, or strides differ by multiples of it
    EACH: tl.constexpr,  # adjacent elements of a block that are summed first; 1 without a GROUP
    # [M + groups, SLICES, 3] int64, written: own sums known; those of the row groups before there;
    # its dx written. None unless traced, as the next three.
    turn_ptr=None,
    times_ptr=None,  # [3, programs] int64, written: start, writing of the sums begins, and ends
    sm_ptr=None,  # [programs] int32, written
    steps_ptr=None,  # as `lnkernels.language.clock.now` takes it
):
    stamp_start(times_ptr, steps_ptr)
    x_stride, dy_stride, dx_stride = (
        in_steps(x_stride, STEP),
        in_steps(dy_stride, STEP),
        in_steps(dx_stride, STEP),
    )
    N = in_steps(N, STEP)
    group = tl.program_id(0) // SLICES
    part = tl.program_id(0) % SLICES
    groups = in_steps(tl.num_programs(0) // SLICES, GROUP)
    lead, length = first_group(group, x_stride, N, GROUP)
    lanes = tl.arange(0, BLOCK_N)
    first = part * WIDTH
    end = tl.minimum(first + WIDTH, length)
    parts = tl.arange(0, BLOCK_S)
    others = tl.minimum(parts, SLICES - 1)
    # Statistics are blocks of one: a loop that loads scalars is not pipelined (triton 3.6, 3.7).
    one = tl.arange(0, 1)
    weights = ()
    dw = ()
    db = ()
    # The row before, whose dx is still to be computed. At first there is none: with an rstd of 0 it
    # adds nothing. Each is made on its own: of two names for one value before a loop, Triton (3.7)
    # carries neither around it.
    last_x = ()
    last_dy = ()
    for block in tl.static_range(BLOCKS):
        columns = first + block * BLOCK_N + lanes
        if weight_ptr is not None:
            weight = tl.load(weight_ptr + lead + columns, mask=columns < end, other=0.0)
            weights = weights + (weight,)
        dw = dw + (tl.full((BLOCK_N,), 0.0, tl.float32),)
        db = db + (tl.full((BLOCK_N,), 0.0, tl.float32),)
        last_x = last_x + (tl.full((BLOCK_N,), 0.0, x_ptr.dtype.element_ty),)
        last_dy = last_dy + (tl.full((BLOCK_N,), 0.0, dy_ptr.dtype.element_ty),)
    last_mean = tl.full((1,), 0.0, tl.float32)
    last_rstd = tl.full((1,), 0.0, tl.float32)
    last_c1 = tl.full((), 0.0, tl.float32)
    last_c2 = tl.full((), 0.0, tl.float32)
    start = group
    if GROUP > 1:
        start = tl.where(group < groups, group, M + groups)  # those that are left over take none
        places, in_row = outside_groups(lead, length, N, GROUP, BLOCK_N // EACH)
        ends = masks_where(in_row, part == SLICES - 1)
        last_element_x = last_element(x_ptr, x_stride, M, N)
        last_element_dy = last_element(dy_ptr, dy_stride, M, N)
        weight_ends = parameter_ends(weight_ptr, lead, places, ends, 1.0)
        dw_ends = parameter_ends(None, lead, places, ends, 0.0)
        db_ends = parameter_ends(None, lead, places, ends, 0.0)
        last_x_ends = parameter_ends(None, lead, places, ends, 0.0)
        last_dy_ends = parameter_ends(None, lead, places, ends, 0.0)
    for row in tl.range(start, M + groups, groups, num_stages=STAGES):
        wide = tl.full((), row, tl.int64)  # a row's address passes 2**31 elements
        here = row < M
        before = wide - groups
        there = (before >= 0) & (before < M)
        word_pointers = (
            words_ptr + before * SLICES + others if FINISH and words_ptr is not None else 0
        )
        x = ()
        dy = ()
        x_at = in_steps(wide * x_stride + lead, GROUP)
        dy_at = in_steps(wide * dy_stride + lead, GROUP)
        for block in tl.static_range(BLOCKS):
            columns = first + block * BLOCK_N + lanes
            mask = here if block < FULL else (columns < end) & here
            x_block = load_tile(x_ptr + x_at + columns, mask, False)
            dy_block = load_tile(dy_ptr + dy_at + columns, mask, False)
            x = x + (x_block,)
            dy = dy + (dy_block,)
        mean = tl.full((1,), 0.0, tl.float32)
        if mean_ptr is not None:
            mean = tl.load(mean_ptr + row + one, mask=row + one < M, other=0.0)
        rstd = tl.load(rstd_ptr + row + one, mask=row + one < M, other=0.0)
        if GROUP > 1:
            ends_here = masks_where(ends, here)
            given = (row, lead, places, ends_here, M, N)
            x_ends = load_ends(x_ptr + x_at, last_element_x, *given)
            dy_ends = load_ends(dy_ptr + dy_at, last_element_dy, *given)
        if PUBLISH:
            # Added up by each thread first, so that threads wait for each other once a row.
            c1s = tl.full((BLOCK_N // EACH,), 0.0, tl.float32)
            c2s = tl.full((BLOCK_N // EACH,), 0.0, tl.float32)
            if GROUP > 1:
                xhat_ends = normalised_ends(x_ends, mean, rstd, ends_here)
                c1s, c2s = add_ends(c1s, c2s, xhat_ends, dy_ends, weight_ends, mean_ptr)
            for block in tl.static_range(BLOCKS):
                xhat = (x[block].to(tl.float32) - mean) * rstd
                if block >= FULL:
                    xhat = tl.where(first + block * BLOCK_N + lanes < end, xhat, 0.0)
                wdy = dy[block].to(tl.float32)
                if weight_ptr is not None:
                    wdy *= weights[block].to(tl.float32)
                c1s += of_threads(xhat * wdy, EACH)
                c2s += of_threads(of_mean(wdy, mean_ptr), EACH)
        if FINISH and words_ptr is not None:
            # Asked for before this row's sums, so that they are there when they are needed.
            words = peek(word_pointers, (parts < SLICES) & there)
        if PUBLISH:
            own_c1, own_c2 = row_sums(c1s, c2s, 0)
        # Before the word is out, so that nobody can be seen to have read it earlier.
        stamp_turn(turn_ptr, row, SLICES, part, 0, steps_ptr)
        if PUBLISH and words_ptr is not None:
            tl.atomic_xchg(
                words_ptr + wide * SLICES + part, packed(own_c1, own_c2), mask=here, sem="relaxed"
            )
        if FINISH:
            if dx_ptr is not None:
                if words_ptr is not None:
                    c1s, c2s = unpacked(arrived(word_pointers, words))
                    c1 = tl.sum(c1s, axis=0) / N * last_rstd
                    c2 = tl.sum(c2s, axis=0) / N * last_rstd
                else:
                    c1 = last_c1 / N * last_rstd
                    c2 = last_c2 / N * last_rstd
            stamp_turn(turn_ptr, row, SLICES, part, 1, steps_ptr)
            with_row_dw = ()
            with_row_db = ()
            dx_at = in_steps(before * dx_stride + lead, GROUP)
            for block in tl.static_range(BLOCKS):
                columns = first + block * BLOCK_N + lanes
                xhat = (last_x[block].to(tl.float32) - last_mean) * last_rstd
                if block >= FULL:
                    xhat = tl.where(columns < end, xhat, 0.0)
                gradient = last_dy[block].to(tl.float32)
                if dx_ptr is not None:
                    wdy = gradient
                    if weight_ptr is not None:
                        wdy *= weights[block].to(tl.float32)
                    dx = (wdy * last_rstd - (xhat * c1 + c2)).to(dx_ptr.dtype.element_ty)
                    done = there if block < FULL else (columns < end) & there
                    tl.store(dx_ptr + dx_at + columns, dx, mask=done, cache_modifier=".cs")
                with_row_dw = with_row_dw + (dw[block] + gradient * xhat,)
                with_row_db = with_row_db + (db[block] + gradient,)
            dw = with_row_dw
            db = with_row_db
            if GROUP > 1:
                xhat_ends = normalised_ends(last_x_ends, last_mean, last_rstd, ends)
                if dx_ptr is not None:
                    store_dx_ends(
                        dx_ptr,
                        before,
                        dx_stride,
                        lead,
                        xhat_ends,
                        last_dy_ends,
                        weight_ends,
                        last_rstd,
                        c1,
                        c2,
                        places,
                        masks_where(ends, there),
                    )
                dw_ends, db_ends = with_ends(dw_ends, db_ends, last_dy_ends, xhat_ends)
                last_x_ends = x_ends
                last_dy_ends = dy_ends
            last_x = x
            last_dy = dy
            last_mean = mean
            last_rstd = rstd
            if PUBLISH and words_ptr is None:  # a row of one slice: nobody else's sums are missing
                last_c1 = own_c1
                last_c2 = own_c2
            stamp_turn(turn_ptr, row, SLICES, part, 2, steps_ptr)
    let_next_kernel_start(OVERLAP)
    begin = reading(times_ptr, steps_ptr)
    for block in tl.static_range(BLOCKS):
        columns = first + block * BLOCK_N + lanes
        at = group.to(tl.int64) * N + lead + columns
        if FINISH and partial_dw_ptr is not None:
            tl.store(partial_dw_ptr + at, dw[block], mask=columns < end)
        if FINISH and partial_db_ptr is not None:
            tl.store(partial_db_ptr + at, db[block], mask=columns < end)
    if FINISH and GROUP > 1:
        # With the lead: the offset within the row alone would be one more to widen, and spill.
        at = group.to(tl.int64) * N + lead
        store_sums_of_ends(partial_dw_ptr, partial_db_ptr, at, 0, dw_ends, db_ends, places, ends)
    stamp_end(times_ptr, sm_ptr, begin, steps_ptr)


@dataclass(frozen=True, slots=True)
class SplitWorkspace:
    """Device memory of one launch. Need not be initialised."""

    words: Tensor | None  # [M, slices] int64; None where a row is one slice
    sums: PartialSums  # [groups, N]


def allocate_workspace(
    x: Tensor, launch: Launch, *, dw: bool = True, db: bool = True
) -> SplitWorkspace:
    m, n = x.shape
    words = empty((m, launch.slices), "int64", x.device) if launch.slices > 1 else None
    sums = PartialSums.allocate(groups_in_use(m, launch), n, x.device, dw=dw, db=db)
    return SplitWorkspace(words, sums)


def loaded_step(given: BackwardTensors) -> int:
    """Return how many elements a thread loads at once, as far as that makes slices faster.

    In half precision, 2 or 4 at once take so many registers for addresses that a thread spills: 498
    µs in place of 300 at 4096 by 20004 on an H200. 8 at once do not (164 µs), nor does float32 (271
    in place of 542).
    """
    step = common_step(given.x.shape[1], *given.strides)
    return 1 if given.x.element_size() == 2 and step < _WHOLE_LOAD else step


def launch_backward(
    given: BackwardTensors,
    launch: Launch,
    workspace: SplitWorkspace,
    trace: ProgramTrace | None = None,
) -> None:
    """Launch both stages, after emptying the words.

    On the interpreter all sums that others need are published first; the trace is that of what
    follows.
    """
    m, n = given.x.shape
    groups = groups_in_use(m, launch)
    group, each = groups_of_rows(launch, groups, given.x, given.dy, given.dx)
    in_groups = n // group * group
    width, least = slice_width(in_groups, launch.slices), n - 2 * (group - 1)
    words = workspace.words if given.dx is not None else None
    if words is not None:
        fill(words, EMPTY)
    phases = (
        [(True, False), (False, True)]
        if IS_INTERPRETED and words is not None
        else [(given.dx is not None, True)]
    )
    cooperative = {} if IS_INTERPRETED or words is None else {"launch_cooperative_grid": True}
    for publish, finish in phases:
        launch_kernel(
            split_kernel,
            (groups * launch.slices,),
            *given.pointers,
            words,
            workspace.sums.dw if given.dw is not None else None,
            workspace.sums.db if given.db is not None else None,
            *given.strides,
            m,
            n,
            WIDTH=width,
            SLICES=launch.slices,
            BLOCK_S=triton.next_power_of_2(launch.slices),
            BLOCK_N=launch.block_size_n,
            BLOCKS=ceil_div(width, launch.block_size_n),
            FULL=max(min(width, least - (launch.slices - 1) * width), 0) // launch.block_size_n,
            STAGES=launch.num_stages,
            PUBLISH=publish,
            FINISH=finish,
            OVERLAP=launch.overlap and given.with_sums,
            STEP=loaded_step(given),
            GROUP=group,
            EACH=each,
            num_warps=launch.num_warps,
            maxnreg=None if trace is None else registers_at_most(launch),
            **cooperative,
            **(pointers_of(trace) if finish else {}),
        )
    if given.with_sums:
        launch_sum(groups, n, workspace.sums, launch, dw=given.dw, db=given.db, trace=trace)


def registers_at_most(launch: Launch) -> int | None:
    """Return the most registers that a thread of a traced kernel may use; None where the compiler
    keeps to that limit by itself.

    A traced kernel needs more than another, and all its programs have to be resident at once.
    """
    if launch.programs_per_sm == 1:
        return None
    most = REGISTERS_PER_SM // (launch.programs_per_sm * launch.num_warps * 32) // 8 * 8
    return most if most < _MOST_REGISTERS else None


def allocate_trace(x: Tensor, launch: Launch) -> ProgramTrace:
    groups = groups_in_use(x.shape[0], launch)
    turns = (x.shape[0] + groups, launch.slices, 3)
    return ProgramTrace.allocate(x, launch, turns, groups * launch.slices)


def read_trace(
    x: Tensor, launch: Launch, trace: ProgramTrace, *, dw: Tensor, db: Tensor
) -> StrategyTimeline:
    """Return a traced pass as a timeline. A program computes a row's dx one turn after it has
    published its share of the row's sums.

    So a row's turn is told as the time from the end of the turn before, which for a program's first
    row is its start, to its slice of dx written and its share in the program's sums. In it lies the
    wait for the sums of the row's other slices, which begins when the next row's own are published.
    """
    m, n = x.shape
    groups, times = groups_in_use(m, launch), array_of(trace.times)
    group, _ = groups_of_rows(launch, groups, x)
    groups -= groups % group
    assert trace.turn is not None, "`allocate_trace` gave it"
    # Nothing is written for the groups that are left over.
    turns, starts = array_of(trace.turn)[: m + groups], times[0, : groups * launch.slices]
    pieces, waits = turns_of_rows(turns, starts, groups)
    rows, parts = np.divmod(np.arange(m * launch.slices, dtype=np.int32), np.int32(launch.slices))
    program = rows % np.int32(max(groups, 1)) * np.int32(launch.slices) + parts
    return trace.read(
        "split", m, n, 1, program, pieces, first_row=rows, waits=waits, slices=launch.slices
    )


def turns_of_rows(turns: Times, starts: Times, groups: int) -> tuple[Times, Times]:
    """Return when each program began and finished its slice of each row, and when it waited in
    between.

    Args:
        turns: [M + groups, slices, 3] as the kernel writes them: what is written of a row is in the
            turn of the row groups later.
        starts: [programs] of the programs.
        groups: rows at work at one time.

    Returns:
        Two arrays [2, M * slices]: begin and end of the turns, begin and end of the waits; the
        slices of a row together.
    """
    rows_and_more, slices, _ = turns.shape
    known, there, written = np.moveaxis(turns, -1, 0)
    ready = written[groups:]
    begin = np.empty_like(ready)
    begin[:groups] = starts.reshape(groups, slices)[: ready.shape[0]]
    begin[groups:] = ready[: max(rows_and_more - 2 * groups, 0)]
    waits = (known[groups:], there[groups:])
    return np.stack((begin, ready)).reshape(2, -1), np.stack(waits).reshape(2, -1)

"""Read clocks in a traced kernel, and store the readings.

A kernel takes its trace pointers last. Each is None unless the launch is traced. Where it is None
every function here compiles to nothing, so tracing costs an untraced launch nothing.

All multiprocessors of a GPU share one timer, in ns. The interpreter has no clock and counts
readings instead: there `steps_ptr` points at an int64 zero. On a GPU `steps_ptr` is None.
"""

import triton.language as tl

from lnkernels.interpreter import INTERPRETED, device_function
from lnkernels.language.device_functions import wait_for_all_threads


@device_function
def now(steps_ptr):
    """Return the GPU's timer in ns."""
    if INTERPRETED:
        return tl.atomic_add(steps_ptr, 1)
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.extra.cuda.globaltimer()


@device_function
def wait_until_written():
    """Wait until all stores and atomics of the program's threads have reached memory."""
    if not INTERPRETED:
        tl.inline_asm_elementwise(
            "membar.gl; mov.u32 $0, 0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1
        )
    wait_for_all_threads()


@device_function
def reading(trace_ptr, steps_ptr):
    """Return the time if the launch is traced."""
    if trace_ptr is not None:
        return now(steps_ptr)


@device_function
def low_reading(trace_ptr, steps_ptr):
    """Return the lower half of the time if the launch is traced: it takes one register, not two."""
    if trace_ptr is not None:
        if INTERPRETED:
            return tl.atomic_add(steps_ptr, 1).to(tl.int32)
        else:
            return tl.inline_asm_elementwise(
                "mov.u32 $0, %globaltimer_lo;", "=r", [], dtype=tl.int32, is_pure=False, pack=1
            )


@device_function
def cycles(trace_ptr):
    """Return the cycle count of the program's multiprocessor if the launch is traced."""
    if trace_ptr is not None:
        return tl.inline_asm_elementwise(
            "mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1
        )


@device_function
def note(trace_ptr, at, value):
    """Store a value if the launch is traced."""
    if trace_ptr is not None:
        tl.store(trace_ptr + at, value)


@device_function
def note_place(sm_ptr, at):
    """Store the number of the program's multiprocessor if traced; 0 on the interpreter."""
    if sm_ptr is not None:
        if INTERPRETED:
            tl.store(sm_ptr + at, 0)
        else:
            tl.store(sm_ptr + at, tl.extra.cuda.smid())


@device_function
def note_event(low_ptr, cycles_ptr, EVENT: tl.constexpr, row, low, cycle):
    """Store the time of one of a row's events if traced; EVENT is 1 for the first after its start.

    low_ptr points at [events, rows] int32, cycles_ptr at [1 + events, rows] int64.
    """
    if low_ptr is not None:
        tl.store(low_ptr + (EVENT - 1) * tl.num_programs(0) + row, low)
    if cycles_ptr is not None:
        tl.store(cycles_ptr + EVENT * tl.num_programs(0) + row, cycle)


@device_function
def stamp_start(times_ptr, steps_ptr):
    """Store a program's start if traced: at once, because registers may be scarce."""
    if times_ptr is not None:
        tl.store(times_ptr + tl.program_id(0), now(steps_ptr))


@device_function
def stamp_turn(turn_ptr, row, SLICES: tl.constexpr, part, EVENT: tl.constexpr, steps_ptr):
    """Store the time of an event in a program's turn with its part of a row, if traced.

    turn_ptr points at [rows, SLICES, 3] int64.
    """
    if turn_ptr is not None:
        wide = tl.full((), row, tl.int64)
        tl.store(turn_ptr + (wide * SLICES + part) * 3 + EVENT, now(steps_ptr))


@device_function
def stamp_end(times_ptr, sm_ptr, begin, steps_ptr):
    """Store when a program began to write its sums, when all are written, and where it ran.

    times_ptr points at [3, programs] int64, of which the first are the programs' starts; sm_ptr at
    [programs] int32.
    """
    if times_ptr is not None:
        wait_until_written()
        end = now(steps_ptr)
        program = tl.program_id(0)
        programs = tl.num_programs(0)
        tl.store(times_ptr + programs + program, begin)
        tl.store(times_ptr + 2 * programs + program, end)
        note_place(sm_ptr, program)


@device_function
def stamp_tile(times_ptr, sm_ptr, set_up, start, steps_ptr):
    """Store when a tile of stage 2 was set up, began and ended, and where it ran, if traced.

    times_ptr points at [3, tiles] int64, sm_ptr at [tiles] int32; the tiles of dw come before those
    of db.
    """
    if times_ptr is not None:
        wait_for_all_threads()
        end = now(steps_ptr)
        tile = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
        tiles = tl.num_programs(0) * tl.num_programs(1)
        tl.store(times_ptr + tile, set_up)
        tl.store(times_ptr + tiles + tile, start)
        tl.store(times_ptr + 2 * tiles + tile, end)
        note_place(sm_ptr, tile)

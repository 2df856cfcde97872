"""The clocks that kernels read while they are traced, and how they note what they read.

A kernel takes its trace pointers last. Each is None unless the launch is traced, and then the
compiler is left with nothing of what stands here: the code of a launch that is not traced is that
of a kernel which knows no trace.

A GPU has a timer, in ns, that all its multiprocessors share. The interpreter has no clock: there
`steps_ptr` points at an int64 zero, and it is counted how often the time was asked for before. On a
GPU `steps_ptr` is None.
"""

import triton.language as tl

from lnkernels.interpreter import INTERPRETED, device_function
from lnkernels.language.device_functions import wait_for_all_threads


@device_function
def now(steps_ptr):
    """The GPU's timer in ns."""
    if INTERPRETED:
        return tl.atomic_add(steps_ptr, 1)
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.extra.cuda.globaltimer()


@device_function
def wait_until_written():
    """Return when everything that the program's threads have stored or added in memory is there."""
    if not INTERPRETED:
        tl.inline_asm_elementwise(
            "membar.gl; mov.u32 $0, 0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1
        )
    wait_for_all_threads()


@device_function
def reading(trace_ptr, steps_ptr):
    """The time, where it is traced."""
    if trace_ptr is not None:
        return now(steps_ptr)


@device_function
def low_reading(trace_ptr, steps_ptr):
    """The lower half of the time, where it is traced: one register to keep it in, where the whole
    takes two.
    """
    if trace_ptr is not None:
        if INTERPRETED:
            return tl.atomic_add(steps_ptr, 1).to(tl.int32)
        else:
            return tl.inline_asm_elementwise(
                "mov.u32 $0, %globaltimer_lo;", "=r", [], dtype=tl.int32, is_pure=False, pack=1
            )


@device_function
def cycles(trace_ptr):
    """Cycles of the streaming multiprocessor that the program runs on, where they are traced."""
    if trace_ptr is not None:
        return tl.inline_asm_elementwise(
            "mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1
        )


@device_function
def note(trace_ptr, at, value):
    """Note a value, where it is traced."""
    if trace_ptr is not None:
        tl.store(trace_ptr + at, value)


@device_function
def note_place(sm_ptr, at):
    """Note the streaming multiprocessor that the program runs on, where it is traced; the
    interpreter's is called 0.
    """
    if sm_ptr is not None:
        if INTERPRETED:
            tl.store(sm_ptr + at, 0)
        else:
            tl.store(sm_ptr + at, tl.extra.cuda.smid())


@device_function
def note_event(low_ptr, cycles_ptr, EVENT: tl.constexpr, row, low, cycle):
    """Note when one of a row's events came, where it is traced; EVENT is 1 for the first after its
    start.

    low_ptr points at [events, rows] int32, cycles_ptr at [1 + events, rows] int64.
    """
    if low_ptr is not None:
        tl.store(low_ptr + (EVENT - 1) * tl.num_programs(0) + row, low)
    if cycles_ptr is not None:
        tl.store(cycles_ptr + EVENT * tl.num_programs(0) + row, cycle)


@device_function
def stamp_start(times_ptr, steps_ptr):
    """Note the start of a program, where it is traced: at once, as registers may be few."""
    if times_ptr is not None:
        tl.store(times_ptr + tl.program_id(0), now(steps_ptr))


@device_function
def stamp_turn(turn_ptr, row, SLICES: tl.constexpr, part, EVENT: tl.constexpr, steps_ptr):
    """Note the time of an event in a program's turn with its part of a row, where it is traced.

    turn_ptr points at [rows, SLICES, 3] int64.
    """
    if turn_ptr is not None:
        wide = tl.full((), row, tl.int64)
        tl.store(turn_ptr + (wide * SLICES + part) * 3 + EVENT, now(steps_ptr))


@device_function
def stamp_end(times_ptr, sm_ptr, begin, steps_ptr):
    """Where it is traced, note when a program began to put its sums into memory, when all of them
    are there, and its place.

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
    """Where it is traced, note when a tile of stage 2 was set up, began and ended, and its place.

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

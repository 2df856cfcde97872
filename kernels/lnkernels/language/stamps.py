"""`stamp`, with which any kernel records when its programs reach a point.

A kernel takes `trace_ptr=None` as its last parameter and stamps what it does; its launcher passes
on what it is given as `trace`. Where nobody traces, the pointer is None and a stamp compiles to
nothing.

    stamp(trace_ptr, "start")
    stamp(trace_ptr, "wanted", row, lock)
    stamp(trace_ptr, "held", row, lock)
    stamp(trace_ptr, "released", row)

Name the row where a program takes several, and its lock where it has one. In place of these four a
kernel may have up to four names of its own, each of which begins a phase; the last ends all.
`lnkernels.trace.stamp_timeline` reads them as a timeline.

A stamp is written when its phase begins, so that it can be read while a kernel hangs. A program
that waits for others stamps "waits" before it: with the number of the program that it waits for in
place of the lock, or without one where it waits for all.

    stamp(trace_ptr, "waits", None, program)
"""

import zlib
from typing import TYPE_CHECKING, Any

import triton.language as tl

from lnkernels.interpreter import INTERPRETED, IS_INTERPRETED, device_function
from lnkernels.language.clock import now
from lnkernels.language.launching import empty

if TYPE_CHECKING:
    import torch

STANDARD = ("start", "wanted", "held", "released")
WAITS = "waits"
MOST_ROWS = 1 << 16  # that are recorded; later ones are skipped
# int64 numbers of a row, and of the header before the rows, where the interpreter counts readings.
WIDTH = 64
# What a row wants, and holds where it names that, too; and where it runs: the SM in the lower 16
# bits, its program in the next 24, and how many there are in those above. All but programs count
# from 1: 0 is nothing.
LOCK, PLACE, HELD, _FIRST = 0, 1, 2, 3
PROGRAM_BITS, COUNT_BITS = 16, 40


def place_of(name: str) -> int:
    """Return the index of a name's time in a row, which depends on the name alone."""
    return (
        STANDARD.index(name) + _FIRST
        if name in STANDARD
        else _FIRST + 4 + zlib.crc32(name.encode()) % (WIDTH - _FIRST - 4)
    )


if IS_INTERPRETED:
    _place: Any = place_of
else:

    @tl.core.builtin
    def _place(name: Any, _semantic: Any = None) -> Any:
        return tl.constexpr(place_of(getattr(name, "value", name)))


_ROWS, _ROW_WIDTH = tl.constexpr(MOST_ROWS), tl.constexpr(WIDTH)
_HELD, _PROGRAM, _COUNT = map(tl.constexpr, (HELD, PROGRAM_BITS, COUNT_BITS))


@device_function
def stamp(trace_ptr, NAME: tl.constexpr, row=None, lock=None):
    """Record when the program's first thread gets here and on which multiprocessor, if traced.

    Args:
        trace_ptr: what the launcher was given as `trace`; None where nobody traces.
        NAME: start, wanted, held or released; waits; or a name of the kernel's own.
        row: of several that a program takes, each with stamps of its own; the program's number
            where it is None.
        lock: number of the lock that the row wants or holds; of the program that it waits for.
    """
    if trace_ptr is not None:
        at = tl.full((), tl.program_id(0) if row is None else row, tl.int64)
        kept = at < _ROWS
        at_ptr = trace_ptr + (at + 1) * _ROW_WIDTH
        tl.store(at_ptr + _place(NAME), now(trace_ptr), mask=kept)
        if lock is not None:
            tl.store(at_ptr + (_HELD if NAME == "held" else 0), lock + 1, mask=kept)
        # While a lock is held, every further store would lengthen the queue.
        if NAME != "held" and NAME != "released":  # noqa: PLR1714 - the compiler knows no sets
            place = tl.full((), tl.program_id(0), tl.int64) << _PROGRAM
            place += tl.full((), tl.num_programs(0), tl.int64) << _COUNT
            if INTERPRETED:
                tl.store(at_ptr + 1, place + 1, mask=kept)
            else:
                tl.store(at_ptr + 1, place + tl.extra.cuda.smid() + 1, mask=kept)


def allocate(device: "torch.device") -> "torch.Tensor":
    """Allocate the memory that a launcher is given as `trace`: 32 MiB of int64."""
    memory = empty(((MOST_ROWS + 1) * WIDTH,), "int64", device).zero_()
    memory[0] = 1
    return memory

"""Memory of stamps that can be read while the kernel that writes it runs, or hangs.

A GPU that hangs answers no call that waits for it, neither an allocation nor a copy to pageable
memory, on whatever thread. So all memory is allocated before the launch: memory of the device, and
a stream of its own that copies it. Pinned memory of the host could be read directly, but a fence
of a kernel may have to wait for it. The interpreter writes ordinary memory.
"""

import ast
import linecache
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray

from lnkernels.language.launching import empty, launch_kernel
from lnkernels.language.stamps import (
    COUNT_BITS,
    HELD,
    LOCK,
    MOST_ROWS,
    PLACE,
    PROGRAM_BITS,
    STANDARD,
    WAITS,
    WIDTH,
    allocate,
    place_of,
)
from lnkernels.launch.source import stamp_lines
from lnkernels.trace.memory import clock_kernel, measured_tick
from lnkernels.trace.stamp_timeline import MOST_PHASES, timeline_of
from lnkernels.values.timeline import NO_NUMBER, HangSnapshot


class FlightRecorder:
    """Memory for one kernel at a time.

    Attributes:
        memory: of `stamps.allocate`, which a launcher is given as `trace`.
    """

    def __init__(self, device: torch.device) -> None:
        self.memory = self._read = allocate(device)
        self._tick_ns = measured_tick(device)
        self._ahead_ns = 0  # the GPU's timer, of the host's
        self._stream: torch.cuda.Stream | None = None
        if device.type == "cuda":
            self._stream = torch.cuda.Stream(device)
            self._read = torch.empty_like(self.memory, device="cpu", pin_memory=True)
            clock = empty((1,), "int64", device)
            launch_kernel(clock_kernel, (1,), clock, 1, num_warps=1)
            self._ahead_ns = int(clock) - time.perf_counter_ns()
        self._copy()  # the first one makes what later ones need

    def clear(self) -> None:
        """Forget what was stamped; while nothing hangs."""
        self.memory[1:].zero_()
        if self.memory.is_cuda:
            torch.cuda.synchronize(self.memory.device)

    def _copy(self) -> NDArray[np.int64]:
        """Return the memory as it is now, [1 + rows, WIDTH]."""
        if self._stream is not None:
            torch.cuda.set_device(self.memory.device)  # of this thread
            with torch.cuda.stream(self._stream):
                self._read.copy_(self.memory, non_blocking=True)
            self._stream.synchronize()
        return self._read.numpy().reshape(-1, WIDTH).copy()

    def snapshot(
        self, kernel: str, lines: Mapping[str, tuple[int, ...]], n: int
    ) -> HangSnapshot | None:
        """Return where the programs stand that write the memory now, on any thread; None where they
        have stamped nothing. Arguments are those of `watching`.
        """
        copied = self._copy()
        table, now = copied[1:], int(copied[0, 0])
        if self._tick_ns is not None:
            now = time.perf_counter_ns() + self._ahead_ns
        names, rows = list(lines), np.flatnonzero(table[:, PLACE])
        if not rows.size:
            return None
        noted = table[rows].T
        times = noted[[place_of(name) for name in names]]
        since, first = times.max(axis=0), int(times[times > 0].min())
        last = len(names) - 1 - times[::-1].argmax(axis=0)  # of two at once the text's later one
        wanted, held, released = noted[[place_of(name) for name in STANDARD[1:]]]
        taken = np.where(noted[HELD] > 0, noted[HELD], noted[LOCK]) - 1
        holds = np.where(held > released, taken, NO_NUMBER)
        lock = noted[LOCK] - 1
        # Of two stamps within a tick of the timer, the locks tell which came last.
        wants = (wanted > held) | ((holds != NO_NUMBER) & (holds != lock))
        wants |= (np.array(names) == WAITS)[last]
        programs = min(int((noted[PLACE] >> COUNT_BITS).max()), MOST_ROWS)
        program = noted[PLACE] % (1 << COUNT_BITS) >> PROGRAM_BITS
        timeline = None
        if 2 <= len(names) <= MOST_PHASES:
            timeline = timeline_of(
                table[rows if (rows != program).any() else np.arange(programs)],
                names,
                source=kernel,
                n=n,
                tick_ns=self._tick_ns,
                stop=int(since.max()) + max(int(np.ptp(since)) // 20, 1),
            )
        return HangSnapshot(
            kernel=kernel,
            stamps=tuple(names),
            lines=tuple(lines.values()),
            programs=programs,
            row=rows,
            program=program,
            last=last,
            since_ns=since - first,
            now_ns=max(now - first, 0),
            holds=holds,
            wants=np.where(wants, lock, NO_NUMBER),
            counted=self._tick_ns is None,
            timeline=timeline,
        )


_recorder = cache(FlightRecorder)
_looks: list[Callable[[], HangSnapshot | None]] = []  # of the kernel that is watched, if any


@contextmanager
def watching(device: torch.device, kernel: str, text: str, n: int) -> Iterator[torch.Tensor]:
    """Yield memory for the stamps of a kernel; inside, `snapshot` reads them.

    Args:
        device: that it runs on.
        kernel: its file.
        text: the name under which Python has the lines of its text.
        n: columns.
    """
    recorder = _recorder(device)
    recorder.clear()
    lines = stamp_lines(ast.parse("".join(linecache.getlines(text))))
    _looks[:] = [lambda: recorder.snapshot(kernel, lines, n)]
    try:
        yield recorder.memory
    finally:
        _looks.clear()


def snapshot() -> HangSnapshot | None:
    """Return where the programs stand of the kernel that is watched; on any thread."""
    return next((look() for look in _looks[:]), None)

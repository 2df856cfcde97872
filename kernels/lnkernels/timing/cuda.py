"""Stopwatches on a CUDA device. Timed work runs on the stream that is current when a stopwatch is
called.

Kernel time is the time between two events around one replay of a CUDA graph, so Python and the
launches' own cost on the host are outside. The host stays ahead of the GPU: a spinning kernel holds
the stream while the first repetitions are enqueued. Without it an event would be recorded before
the graph behind it is there, and the gap would be counted.

Cold means that FLUSH_BYTES were written to a scratch buffer just before the first event, as
`triton.testing.do_bench` does: nothing of the inputs is left in L2, and some of the lines that the
timed kernels evict are dirty. The ceilings are measured the same way, so a share of the ceiling
compares like with like.
"""

# L2State is named in annotations only: in an exported script a stopwatch needs torch alone
from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import torch

from lnkernels.launch import FLUSH_BYTES

if TYPE_CHECKING:
    from lnkernels.values.figures import L2State

NO_DEVICE = "timing needs a CUDA device; the interpreter's times mean nothing"

_WARM_UP_CALLS = 3
_HOST_CALLS = 21  # of which the median is taken
# Cycles that the stream is held for each repetition to be enqueued: 50 µs at 2 GHz, several times
# what a replay costs the host.
_HOLD_CYCLES = 100_000
# Of a device's memory: what the allocator may keep unused, for other processes are there, too.
_UNUSED_SHARE = 0.25


def require_cuda(device: torch.device) -> None:
    """Refuse to time on anything but a CUDA device.

    Raises:
        RuntimeError: `device` is not a CUDA device that torch can use.
    """
    if device.type != "cuda" or not torch.cuda.is_available():
        raise RuntimeError(NO_DEVICE)


class Flush:
    """A scratch buffer larger than any L2 cache; a call overwrites it and so empties the cache."""

    def __init__(self, device: torch.device) -> None:
        require_cuda(device)
        self._buffer = torch.empty(FLUSH_BYTES // 4, dtype=torch.int32, device=device)

    def __call__(self) -> None:
        self._buffer.zero_()


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A graph, and the call behind it, which owns the memory that the graph reads and writes."""

    graph: torch.cuda.CUDAGraph
    call: Callable[[], object]
    results: object = None  # that a replay writes, where they were to be kept

    def replay(self) -> object:
        """Return the results, computed again."""
        self.graph.replay()
        return self.results

    def writes(self) -> bool:
        """Return whether a replay writes the first result. None does where the call launches on
        another stream than PyTorch's, as `kernel<<<grid, 256>>>` does.
        """
        first = self.results[0] if isinstance(self.results, tuple | list) else self.results
        if not isinstance(first, torch.Tensor):
            return True
        first.detach().fill_(float("nan"))
        self.graph.replay()
        return not bool(first.isnan().all())


class Capture:
    """Captures calls as CUDA graphs, all on one stream and in one memory pool.

    The pool is shared because nothing reads the outputs of a replay, but right after it: a later
    graph may write where an earlier one did.
    """

    def __init__(self, device: torch.device) -> None:
        require_cuda(device)
        self._device = device
        self._pool = torch.cuda.graph_pool_handle()

    @property
    def _stream(self) -> torch.cuda.Stream:
        # One for all: memory that a stream has used is kept for that stream.
        if self._device not in _STREAMS:
            _STREAMS[self._device] = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        return _STREAMS[self._device]

    def __call__(
        self, prepare: Callable[[], Callable[[], object]], *, keep: bool = False
    ) -> Captured:
        """Capture one call as a graph.

        Args:
            prepare: builds the call. It runs on the capture stream, as autograd runs a backward
                pass on the stream of its forward pass; so does the warm-up, which compiles, tunes
                and allocates what may not happen during capture.
            keep: keep the results, for who reads what a replay wrote.

        Raises:
            RuntimeError: the call does something that a graph cannot hold, such as waiting for the
                device, or a replay does not write what is kept.
        """
        outside = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(outside)
        with torch.cuda.stream(self._stream):
            call = prepare()
            for _ in range(_WARM_UP_CALLS):
                call()
        torch.cuda.synchronize(self._device)  # what went wrong by then is no fault of the capture
        give_back_unused(self._device)
        graph = torch.cuda.CUDAGraph()
        try:
            # Not `torch.cuda.graph`, which empties the allocator's cache each time: blocks of 100
            # MB, freed and taken again.
            with torch.cuda.stream(self._stream):
                # thread_local: what a heartbeat or telemetry thread asks of the device meanwhile is
                # no reason to fail.
                graph.capture_begin(self._pool, capture_error_mode="thread_local")
                try:
                    results = call()
                finally:
                    with warnings.catch_warnings():
                        # `writes` finds one that is empty.
                        warnings.filterwarnings("ignore", "The CUDA Graph is empty")
                        graph.capture_end()
        except Exception as error:
            self._recover(outside)
            # Ending a broken capture raises too; what broke it is the error before.
            cause = error.__context__ or error
            raise RuntimeError(f"the call cannot be captured in a CUDA graph: {cause}") from error
        outside.wait_stream(self._stream)
        captured = Captured(graph, call, results if keep else None)
        if not captured.writes():
            self._pool = torch.cuda.graph_pool_handle()  # this one ends with the graph
            raise RuntimeError("the call cannot be captured in a CUDA graph: it writes elsewhere")
        return captured

    def _recover(self, outside: torch.cuda.Stream) -> None:
        """Leave a capture that failed, which `CUDAGraph.capture_end` does not do when it fails
        itself.

        It then does not tell the allocator, which refuses to free cached memory for good.
        """
        torch.cuda.set_stream(outside)
        # Raises where the allocator was told after all.
        with contextlib.suppress(RuntimeError):
            torch._C._cuda_endAllocateToPool(outside.device_index, self._pool)
        _STREAMS.pop(self._device, None)
        self._pool = torch.cuda.graph_pool_handle()


_STREAMS: dict[torch.device, torch.cuda.Stream] = {}  # on which graphs are captured


def give_back_unused(device: torch.device) -> None:
    """Empty the allocator's cache if it holds much: graphs of other shapes each leave blocks of
    their own.

    A capture cannot take memory from that cache. It needs no more than its warm-up did, which is in
    the cache now, so it fits where as much is free beside the cache.
    """
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    free, total = torch.cuda.mem_get_info(device)
    if unused > min(free, _UNUSED_SHARE * total):
        torch.cuda.empty_cache()


class _Stopwatch:
    """Times a call between two events, again and again."""

    def __init__(self, call: Callable[[], object], *ahead: Callable[[], object]) -> None:
        """Time `call`; what is `ahead` of each repetition is outside of the events."""
        self.results: object = None  # of the last repetition
        self._call = call
        self._ahead = ahead

    def __call__(self, repetitions: int) -> Sequence[float]:
        """Return the times of some repetitions in ms."""
        events = [(_event(), _event()) for _ in range(repetitions)]
        self._begin(repetitions)
        for start, end in events:
            for prepare in self._ahead:
                prepare()
            self.results = None  # its memory is free for the next
            start.record()
            self.results = self._call()
            end.record()
        events[-1][1].synchronize()
        return [start.elapsed_time(end) for start, end in events]

    def _begin(self, repetitions: int) -> None:
        """Do what comes once, ahead of all repetitions."""


class KernelStopwatch(_Stopwatch):
    """Times replays of a graph; `results` are None unless they were to be kept."""

    def __init__(
        self,
        captured: Captured,
        l2: L2State,
        flush: Flush,
        refresh: Callable[[], None] | None = None,
    ) -> None:
        """Time a graph; `refresh` changes its inputs ahead of each repetition."""
        ahead = refresh, flush if l2 == "cold" else None
        super().__init__(captured.replay, *(each for each in ahead if each is not None))
        self._launches = 1 if refresh is None else 2  # that the host enqueues for a repetition

    def _begin(self, repetitions: int) -> None:
        # Not timed: brings the instructions, and for a warm L2 the data, back after another
        # candidate's turn.
        self._call()
        held = repetitions * self._launches * _HOLD_CYCLES
        torch.cuda._sleep(held)  # type: ignore[no-untyped-call]


class AutogradStopwatch(_Stopwatch):
    """Times a call as the tutorial does: from Python, events around it, the L2 cache flushed before
    the first event.

    The flush keeps the GPU busy while Python works, so part of the host's time is hidden; `host_us`
    measures that part alone.
    """

    def __init__(
        self, call: Callable[[], object], before: Callable[[], None], flush: Callable[[], None]
    ) -> None:
        """Time `call`; `before` runs ahead of each repetition, to reset gradients."""
        super().__init__(call, before, flush)
        self._before = before
        for _ in range(_WARM_UP_CALLS):
            before()
            call()

    def host_us(self) -> float:
        """Return the median of the microseconds that one call keeps Python busy; it does not wait
        for the device.
        """
        times = []
        torch.cuda.synchronize()
        for _ in range(_HOST_CALLS):
            self._before()
            began = time.perf_counter_ns()
            self._call()
            times.append((time.perf_counter_ns() - began) / 1e3)
        torch.cuda.synchronize()
        return median(times)


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]

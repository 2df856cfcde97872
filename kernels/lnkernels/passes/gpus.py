"""The third stage of the reduction: add dw and db of several GPUs by a kernel that reads the memory
of the others.

One shot: each GPU puts its sums into a buffer that all can read, tells the others so, waits until
they have done so, too, reads all buffers and adds them in the order of the ranks. So all get the
same bits, whatever came first. Each GPU reads (ranks - 1) * 4 bytes an element over the links, at
once; a ring moves 2 * (ranks - 1) / ranks * 4 bytes, in 2 * (ranks - 1) steps one after the other.
Sums of a LayerNorm are small, so what counts is how often a kernel waits. vLLM and TensorRT-LLM add
in this way, too.

All ranks belong to one process, and their memory to one address space. A rank tells another by a
word in the other's memory, with atomics of system scope: a release after the sums are written, an
acquire before they are read. No kernel waits for ever: after so many looks it gives up, adds
nothing, and says so. Multicast is not used.

The interpreter has no GPUs. There a rank is a buffer, and one kernel runs after the other: all tell
first, then all add.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import permutations

import numpy as np
import numpy.typing as npt
import torch
import triton
import triton.language as tl

from lnkernels.interpreter import INTERPRETED, IS_INTERPRETED, device_function
from lnkernels.language.clock import now, stamp_start, wait_until_written
from lnkernels.language.launching import launch_kernel
from lnkernels.launch.limits import ceil_div, next_power_of_two
from lnkernels.trace.memory import steps_from_zero
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import ExplainedError

MOST_LOOKS = 1 << 24  # at words of others, 0.2 µs each: seconds, where a peer takes microseconds
_LEAST_BLOCK = 512  # 16 bytes a thread and load
# that surely run at one time; the interpreter runs one after the other
_MOST_PROGRAMS = 8 if IS_INTERPRETED else 128
_WARPS = 4
ROUNDS = 64  # of a ping-pong: the quickest of them count


@device_function
def tell_others(pads_ptr, topic, rank, value, RANKS: tl.constexpr, LANES: tl.constexpr):
    """Tell all other ranks at once that this one has reached `value`, with everything written
    before.

    pads_ptr points at [RANKS] addresses of pads [topics, RANKS] int32; LANES is a power of two of
    at least RANKS.
    """
    peers = tl.arange(0, LANES)
    others = (peers < RANKS) & (peers != rank)
    pads = tl.load(pads_ptr + peers, mask=others, other=0).to(tl.pointer_type(tl.int32))
    tl.atomic_xchg(pads + topic * RANKS + rank, value, mask=others, sem="release", scope="sys")


@device_function
def wait_for(word_ptr, value, looks):
    """Wait until a word has reached `value`; return how many looks are left, 0 where it did not."""
    while (tl.atomic_add(word_ptr, 0, sem="acquire", scope="sys") < value) & (looks > 0):
        looks -= 1
    return looks


@device_function
def wait_for_others(pads_ptr, topic, rank, value, looks, RANKS: tl.constexpr):
    """Wait until all other ranks have told this one `value`; return True if they have."""
    pad = tl.load(pads_ptr + rank).to(tl.pointer_type(tl.int32))
    left = tl.full((), looks, tl.int32)
    for peer in range(RANKS):
        if peer != rank:
            left = wait_for(pad + topic * RANKS + peer, value, left)
    return left > 0


@device_function
def time_after(value, steps_ptr):
    """Return the time, not before `value`, a block of float32, is loaded."""
    if INTERPRETED:
        return now(steps_ptr)
    else:  # the compiler drops the branch not taken only where there is an else
        there = tl.max(value, axis=0).to(tl.int32, bitcast=True)
        return tl.inline_asm_elementwise(
            "mov.u64 $0, %globaltimer;", "=l,r", [there], dtype=tl.int64, is_pure=False, pack=1
        )


@triton.jit(do_not_specialize=["topic", "rank", "turn"])
def meet_kernel(
    pads_ptr, status_ptr, topic, rank, turn, looks, RANKS: tl.constexpr, LANES: tl.constexpr
):
    """Wait in one program until all ranks have come here."""
    tell_others(pads_ptr, topic, rank, turn, RANKS, LANES)
    if not wait_for_others(pads_ptr, topic, rank, turn, looks, RANKS):
        tl.store(status_ptr, 1)


@triton.jit(do_not_specialize=["rank", "turn"])
def one_shot_kernel(
    buffers_ptr,  # [RANKS] int64: addresses of the sums of every rank, [size] float32
    # [RANKS] int64: addresses of the pads, [topics, RANKS] int32; a program's number is its topic
    pads_ptr,
    out_ptr,  # [size] float32, written: the sums over all ranks
    status_ptr,  # int32: becomes 1 where somebody did not come
    rank,  # this one
    turn,  # one more with every call
    size,
    looks,  # before it gives up
    RANKS: tl.constexpr,
    LANES: tl.constexpr,  # a power of two of at least RANKS
    BLOCK: tl.constexpr,  # elements a program
    TELL: tl.constexpr,  # whether this launch tells the others that the sums are there
    ADD: tl.constexpr,  # and whether it waits and adds; on a GPU one launch does both
    # [4, programs] int64, written: started, all have come, all is read, all is added; None unless
    # traced
    times_ptr=None,
    steps_ptr=None,  # as `lnkernels.language.clock.now` takes it
):
    program = tl.program_id(0)
    stamp_start(times_ptr, steps_ptr)
    if TELL:
        tell_others(pads_ptr, program, rank, turn, RANKS, LANES)
    if ADD:
        if wait_for_others(pads_ptr, program, rank, turn, looks, RANKS):
            programs = tl.num_programs(0)
            if times_ptr is not None:
                tl.store(times_ptr + programs + program, now(steps_ptr))
            columns = program * BLOCK + tl.arange(0, BLOCK)
            mask = columns < size
            total = tl.zeros((BLOCK,), tl.float32)
            seen = tl.zeros((BLOCK,), tl.float32)
            for peer in tl.static_range(RANKS):
                sums = tl.multiple_of(
                    tl.load(buffers_ptr + peer).to(tl.pointer_type(tl.float32)), 16
                )
                part = tl.load(sums + columns, mask=mask, other=0.0)
                if times_ptr is not None:
                    seen = tl.maximum(seen, part)
                total += part
            if times_ptr is not None:
                tl.store(times_ptr + 2 * programs + program, time_after(seen, steps_ptr))
            tl.store(out_ptr + columns, total, mask=mask)
            if times_ptr is not None:
                wait_until_written()
                tl.store(times_ptr + 3 * programs + program, now(steps_ptr))
        else:
            tl.store(status_ptr, 1)


@triton.jit(do_not_specialize=["topic", "rank", "peer", "start"])
def ping_pong_kernel(
    pads_ptr,  # as above
    # [2, ROUNDS] int64, written: sent and answered by the one that is FIRST; got, twice, by the
    # other
    times_ptr,
    status_ptr,
    topic,
    rank,
    peer,
    start,  # what the words were before, at most
    looks,
    RANKS: tl.constexpr,
    ROUNDS: tl.constexpr,
    FIRST: tl.constexpr,
):
    """Pass a word back and forth between one program on each of two GPUs, and record the times."""
    own_ptr = tl.load(pads_ptr + rank).to(tl.pointer_type(tl.int32)) + topic * RANKS + peer
    other_ptr = tl.load(pads_ptr + peer).to(tl.pointer_type(tl.int32)) + topic * RANKS + rank
    left = tl.full((), looks, tl.int32)
    for number in range(ROUNDS):
        before = tl.extra.cuda.globaltimer()
        if FIRST:
            tl.atomic_xchg(other_ptr, start + number + 1, sem="relaxed", scope="sys")
        left = wait_for(own_ptr, start + number + 1, left)
        after = tl.extra.cuda.globaltimer()
        if not FIRST:
            tl.atomic_xchg(other_ptr, start + number + 1, sem="relaxed", scope="sys")
            before = after
        tl.store(times_ptr + number, before)
        tl.store(times_ptr + ROUNDS + number, after)
    if left == 0:
        tl.store(status_ptr, 1)


@triton.jit(do_not_specialize=["at"])
def stamp_kernel(times_ptr, at):
    """Store the time in an int64 array, before or behind a kernel that cannot be traced itself."""
    tl.store(times_ptr + at, tl.extra.cuda.globaltimer())


class GpusError(ExplainedError):
    """The GPUs cannot add together, or one of them did not come."""


@frozen
class ExchangeTrace:
    """Device memory that a traced pass of a rank writes, int64."""

    times: torch.Tensor  # [4, programs]: started, all have come, all is read, all is added
    timers: torch.Tensor  # [2, ranks, 2, ROUNDS]: of two ping-pongs with each rank
    stamps: torch.Tensor  # [2]: before and behind another kernel that adds
    steps: torch.Tensor | None  # what the interpreter counts events in


class Exchange:
    """Buffers and pads of all ranks, and the third stage on each. Calls of one turn run on the
    ranks' current streams.
    """

    def __init__(self, devices: Sequence[torch.device], size: int, looks: int = MOST_LOOKS) -> None:
        """Allocate for sums of `size` float32 each.

        Args:
            devices: of the ranks: different GPUs, or the CPU once for each rank on the interpreter.
            size: elements that are added, at least 1.
            looks: at a word before a kernel gives up.

        Raises:
            GpusError: a GPU cannot reach the memory of another.
        """
        self.devices = tuple(devices)
        self.size = size
        self._looks = looks
        let_reach(self.devices)
        self._block = max(_LEAST_BLOCK, next_power_of_two(ceil_div(size, _MOST_PROGRAMS)))
        self.programs = ceil_div(size, self._block)
        self._ranks = {"RANKS": len(self.devices), "LANES": next_power_of_two(len(self.devices))}
        self._turn = 0

        def each(shape: tuple[int, ...], dtype: torch.dtype) -> list[torch.Tensor]:
            return [torch.zeros(shape, dtype=dtype, device=device) for device in self.devices]

        # Two, in turns: a rank that is ahead may write the next sums while others still read these.
        self._buffers = [each((size,), torch.float32) for _ in range(2)]
        self.results = each((size,), torch.float32)
        # Of programs, two meetings, two ping-pongs.
        self._pads = each((self.programs + 4, len(self.devices)), torch.int32)
        self._status = each((1,), torch.int32)
        addresses = [
            [tensor.data_ptr() for tensor in tensors] for tensors in (*self._buffers, self._pads)
        ]
        self._addresses = [
            [torch.tensor(each, device=device) for each in addresses] for device in self.devices
        ]
        self._compile()

    @property
    def buffers(self) -> list[torch.Tensor]:
        """Return the buffers for what stage 2 of each rank writes this turn, [size] float32."""
        return self._buffers[self._turn % 2]

    def next_turn(self) -> None:
        """Begin the next turn; every rank has been given its work of this one."""
        self._turn += 1

    def meet(self, rank: int, *, again: bool = False) -> None:
        """Hold a rank's stream until all ranks are here, so that what follows begins at one time;
        at most twice a turn.
        """
        with on(self.devices[rank]):
            launch_kernel(
                meet_kernel,
                (1,),
                self._addresses[rank][2],
                self._status[rank],
                self.programs + again,
                rank,
                self._turn + 1,
                self._looks,
                **self._ranks,
                num_warps=1,
            )

    def compare_timers(self, rank: int, times: torch.Tensor, *, again: bool = False) -> None:
        """Run a rank's side of the ping-pongs between the first rank and each other, for `timers`;
        at most twice a turn.

        Args:
            rank: each does its side.
            times: [ranks, 2, ROUNDS] int64, of this rank, written.
            again: whether it is the second time.
        """
        start, ranks = self._turn * ROUNDS, self._ranks["RANKS"]
        for peer in range(1, ranks) if rank == 0 else (0,):
            with on(self.devices[rank]):
                launch_kernel(
                    ping_pong_kernel,
                    (1,),
                    self._addresses[rank][2],
                    times[peer],
                    self._status[rank],
                    self.programs + 2 + again,
                    rank,
                    peer,
                    start,
                    self._looks,
                    RANKS=ranks,
                    ROUNDS=ROUNDS,
                    FIRST=rank == 0,
                    num_warps=1,
                )

    def add(
        self, rank: int, trace: ExchangeTrace | None = None, *, tell: bool = True, add: bool = True
    ) -> None:
        """Write `results` of a rank: the sum of all buffers of this turn, once they are written.
        Allocates nothing.
        """
        addresses = self._addresses[rank]
        traced = {} if trace is None else {"times_ptr": trace.times, "steps_ptr": trace.steps}
        with on(self.devices[rank]):
            launch_kernel(
                one_shot_kernel,
                (self.programs,),
                addresses[self._turn % 2],
                addresses[2],
                self.results[rank],
                self._status[rank],
                rank,
                self._turn + 1,
                self.size,
                self._looks,
                **self._ranks,
                BLOCK=self._block,
                TELL=tell,
                ADD=add,
                num_warps=_WARPS,
                **traced,
            )

    def allocate_trace(self, rank: int) -> ExchangeTrace:
        device, shapes = (
            self.devices[rank],
            ((4, self.programs), (2, len(self.devices), 2, ROUNDS), (2,)),
        )
        times, between, stamps = (
            torch.zeros(shape, dtype=torch.int64, device=device) for shape in shapes
        )
        return ExchangeTrace(times, between, stamps, steps_from_zero(device))

    def check(self) -> None:
        """Wait for all work.

        Raises:
            GpusError: a rank has waited for one that did not come.
        """
        late = [rank for rank, status in enumerate(self._status) if int(status)]
        if late:
            names = [f"{self.devices[rank]}" for rank in late]
            raise GpusError("{names} waited for another GPU, which did not come", names=names)

    def _compile(self) -> None:
        """Launch every kernel once without waiting, because nothing may be compiled or loaded while
        another GPU waits.
        """
        if IS_INTERPRETED:
            return
        looks = self._looks
        self._looks = 0
        for rank, device in enumerate(self.devices):
            trace = self.allocate_trace(rank)
            for times in (None, trace):
                self.add(rank, times)
            self.meet(rank)
            self.compare_timers(rank, trace.timers[0])
            with on(device):
                launch_kernel(stamp_kernel, (1,), trace.stamps, 0)
        synchronize(self.devices)
        for tensor in (*self._pads, *self._status, *self.results):
            tensor.zero_()
        self._looks = looks
        synchronize(self.devices)


def timers(times: Sequence[torch.Tensor]) -> tuple[list[tuple[float, float]], list[float]]:
    """Return by how much every rank's timer is ahead of the first one's and how far that may be
    off, and every other rank's median time of a round trip; all in ns.

    Args:
        times: [ranks, 2, ROUNDS] of each rank, as `Exchange.compare_timers` wrote them.
    """
    first, *others = (each.cpu().numpy() for each in times)
    found = [
        ahead(first[rank, 0], first[rank, 1], other[0, 0]) for rank, other in enumerate(others, 1)
    ]
    return [(0.0, 0.0), *found], [
        float(np.median(first[rank, 1] - first[rank, 0])) for rank in range(1, len(times))
    ]


def ahead(
    sent: npt.NDArray[np.int64], answered: npt.NDArray[np.int64], got: npt.NDArray[np.int64]
) -> tuple[float, float]:
    """Return by how much one timer is ahead of another, and how far that may be off.

    A word is got after it was sent, and answered after it was got: each round bounds the difference
    from both sides. A timer that steps shows a time up to a step too early.

    Args:
        sent: [rounds] by the other timer.
        answered: [rounds] by the other timer.
        got: [rounds] by the timer in question.
    """
    # of a timer that runs through, 1
    tick = int(np.gcd.reduce(np.diff(np.concatenate((sent, answered))))) or 1
    least, most = int((got - answered).max()) - tick, int((got - sent).min()) + tick
    return (least + most) / 2, (most - least) / 2


def let_reach(devices: Sequence[torch.device]) -> None:
    """Let the kernels of every GPU read and write the memory of every other.

    Raises:
        GpusError: two of them cannot.
    """
    for one, other in permutations(devices, 2):
        if one.type != "cuda":
            continue
        if not torch.cuda.can_device_access_peer(one, other):
            raise GpusError(
                "{one} cannot reach the memory of {other}", one=str(one), other=str(other)
            )
        # torch opens the way with the first copy
        torch.zeros(1, device=one).copy_(torch.zeros(1, device=other))


def on(device: torch.device) -> AbstractContextManager[object]:
    """Make this the current device inside the context."""
    if device.type != "cuda":
        return nullcontext()
    return torch.cuda.device(device)


def synchronize(devices: Sequence[torch.device]) -> None:
    """Wait for all devices."""
    for device in devices:
        if device.type == "cuda":
            torch.cuda.synchronize(device)

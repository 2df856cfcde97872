"""Measures the third stage: dw and db added over GPUs, each of which has its part of the rows.

They are added by NCCL and by our own kernel.

One process drives all GPUs. Work is enqueued while their streams are held; then the GPUs meet, so
that they begin at one time, whatever the host was slow with. The GPU that comes last to the sum
waits for nobody: its time is the exchange's.
"""

import os
import statistics
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from lnexplorer.domain.experiments import gpus
from lnexplorer.domain.experiments.experiment import ExperimentRequest
from lnexplorer.domain.request import RunRequest, check, resolve
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.experiments.work import Work, true_sums
from lnexplorer.worker.experiments.work import statistics as row_statistics
from lnexplorer.worker.trace import Backward, interruptible
from lnexplorer.worker.turns import turn
from lnkernels.check.inputs import Inputs
from lnkernels.device import device_limits
from lnkernels.launch import DeviceLimits
from lnkernels.launch.persistent import holds_rows
from lnkernels.launch.strategy import WIDEST_HELD
from lnkernels.passes.gpus import (
    Exchange,
    ExchangeTrace,
    GpusError,
    on,
    stamp_kernel,
    synchronize,
    timers,
)
from lnkernels.timing.cuda import Flush
from lnkernels.values import frozen, say

# Rows that several programs share; the interpreter takes one tile after the other, so there they
# are few.
_SHARED: dict[str, dict[str, Any]] = {
    "cuda": {"strategy": "split"},
    "interpreter": {"strategy": "split", "reduce_block_size_n": 2048},
}
RANKS = {"cuda": 2, "interpreter": 4}  # unless somebody says otherwise
_HELD_CYCLES = 6_000_000  # 3 ms at 2 GHz: several times what enqueuing a pass on two GPUs takes
_TRACED_PASSES = 3  # the last one is shown


@frozen
class _Rank:
    """A GPU, and its part of the rows."""

    device: torch.device
    inputs: Inputs
    backward: Backward


def measure(work: Work) -> gpus.Gpus:
    """Add dw and db of all widths over the GPUs both ways; check, time and trace them.

    Raises:
        GpusError: there are too few GPUs, two of them cannot reach each other, or one did not come.
    """
    task, first = work.task, work.torch_device
    devices = devices_of(work.request, first)
    problem = work.problem.problem(gpus.GPUS.strategy)
    problems = problems_of(problem, work.device.backend, work.device.limits)
    assert problem.n is not None, "completed"
    task.begin("run")
    rows: list[gpus.ExchangeRow] = []
    phases: tuple[gpus.GpuPhase, ...] = ()
    clocks = None
    with ExitStack() as turns:
        for gpu in sorted(set(devices), key=str):  # everybody takes them in this order
            turns.enter_context(turn(task, gpu))
        for number, each in enumerate(problems):
            task.step(say("N = {n}", n=str(each.n)), number, len(problems) + 1)
            with interruptible(task, first):
                rows.append(_row(each, devices, work.runs))
        if work.on_gpu:
            task.step(say("trace"), len(problems), len(problems) + 1)
            phases, clocks = _traced(problem, devices)
    model = gpus.ASSUMED
    if clocks is not None:
        model = gpus.model_of(rows, clocks.trip_ns, work.device.name)
    return gpus.Gpus(
        ranks=len(devices),
        rows=tuple(rows),
        model=model,
        traced_n=problem.n,
        phases=phases,
        clocks=clocks,
    )


def problems_of(problem: RunRequest, backend: str, limits: DeviceLimits | None) -> list[RunRequest]:
    """Return a problem of each width that there is room for."""
    wide = (
        problem.changed(n=n, **(_SHARED[backend] if _shared(n, problem.dtype, limits) else {}))
        for n in gpus.WIDTHS[backend]
    )
    return [each for each in wide if not check(each, backend, limits=limits)]


def _shared(n: int, dtype: str, limits: DeviceLimits | None) -> bool:
    """Return True for rows that one program holds not at all, or too slowly."""
    return n > WIDEST_HELD or (limits is not None and not holds_rows(n, dtype, limits))


def devices_of(request: ExperimentRequest, first: torch.device) -> list[torch.device]:
    """Return the devices of the ranks: GPUs that are named, or the worker's own and the next.

    On the interpreter each is the CPU.

    Raises:
        GpusError: there are not so many GPUs.
    """
    if first.type != "cuda":
        return [first] * (request.ranks or RANKS["interpreter"])
    count, ranks = torch.cuda.device_count(), request.ranks or RANKS["cuda"]
    numbers = request.gpus or tuple((int(first.index) + step) % count for step in range(ranks))
    if len(set(numbers)) < len(numbers) or max(numbers) >= count:
        need = ranks if not request.gpus else f"cuda:{max(numbers)}"
        raise GpusError(
            "the sum over GPUs needs {need}, and the last GPU here is cuda:{last}",
            need=need,
            last=count - 1,
        )
    return [torch.device("cuda", number) for number in numbers]


def _ranks(problem: RunRequest, devices: Sequence[torch.device]) -> list[_Rank]:
    """Return the ranks, each with rows from a seed of its own; its kernels are compiled."""
    ranks = []
    assert problem.m is not None, "completed"
    for number, device in enumerate(devices):
        with on(device):
            m = problem.m // len(devices) + (number < problem.m % len(devices))
            backend = "cuda" if device.type == "cuda" else "interpreter"
            resolved = resolve(problem.changed(m=m), backend, device_limits(device))
            inputs = inputs_of(replace(resolved, seed=resolved.seed + number), device)
            rank = _Rank(
                device,
                inputs,
                Backward(inputs, *row_statistics(inputs.x, resolved.eps), resolved.launch),
            )
            if device.type == "cuda":
                rank.backward(*torch.empty((2, resolved.n), device=device))
            ranks.append(rank)
    return ranks


def _row(problem: RunRequest, devices: Sequence[torch.device], runs: int) -> gpus.ExchangeRow:
    assert problem.n is not None, "of the widths"
    ranks, exchange = _ranks(problem, devices), Exchange(devices, 2 * problem.n)
    truth = torch.stack(
        [true_sums(rank.inputs, problem.eps).flatten().cpu() for rank in ranks]
    ).sum(dim=0)
    on_gpu = devices[0].type == "cuda"
    figures: dict[str, Any] = dict.fromkeys(
        ("nccl_us", "nccl_pass_us", "one_shot_us", "one_shot_pass_us", "nccl_error")
    )
    if on_gpu:
        passes = _Passes(ranks, exchange)
        times: dict[str, list[tuple[float, float]]] = {way: [] for way in gpus.WAYS}
        for run in range(runs + 1):
            for way in gpus.WAYS:
                measured = passes(way)
                if run:  # the first one warms up
                    times[way].append(measured)
        for way, pairs in times.items():
            figures[f"{way}_us"], figures[f"{way}_pass_us"] = (
                statistics.median(each) for each in zip(*pairs, strict=True)
            )
        figures["nccl_error"] = _error(passes.results("nccl"), truth)
        results = passes.results("one_shot")
    else:
        for _ in range(runs):
            exchange.next_turn()
            for number, rank in enumerate(ranks):
                rank.backward(*exchange.buffers[number].view(2, -1))
                exchange.add(number, add=False)
            for number in range(len(ranks)):
                exchange.add(number, tell=False)
        exchange.check()
        results = [result.clone() for result in exchange.results]
    return gpus.ExchangeRow(
        n=problem.n,
        bytes=8 * problem.n,
        one_shot_error=_error(results, truth),
        alike=all(torch.equal(result, results[0]) for result in results),
        **figures,
    )


class _Passes:
    """Runs whole passes of all GPUs."""

    def __init__(self, ranks: Sequence[_Rank], exchange: Exchange) -> None:
        self.ranks = ranks
        self.exchange = exchange
        self._flushes = [Flush(device) for device in exchange.devices]
        all_reduce(exchange.buffers, exchange.results)  # opens its ways between the GPUs
        synchronize(exchange.devices)

    def __call__(
        self, way: str, stages: Sequence[Any] = (), traces: Sequence[ExchangeTrace] = ()
    ) -> tuple[float, float]:
        """Run one pass, and write the traces if each rank has memory for them.

        Returns:
            µs of the sum and of the whole.
        """
        exchange, event = self.exchange, partial(torch.cuda.Event, enable_timing=True)
        marks = [[event() for _ in range(3)] for _ in self.ranks]
        exchange.next_turn()
        for rank, flush in zip(self.ranks, self._flushes, strict=True):
            with on(rank.device):
                flush()
                torch.cuda._sleep(_HELD_CYCLES)  # type: ignore[no-untyped-call]
        for number, rank in enumerate(self.ranks):
            trace = traces[number] if traces else None
            with on(rank.device):
                exchange.meet(number)
                if trace is not None:
                    exchange.compare_timers(number, trace.timers[0])
                    exchange.meet(number, again=True)
                marks[number][0].record()
                dw, db = exchange.buffers[number].view(2, -1)
                rank.backward(dw, db, trace=stages[number] if stages else None)
                marks[number][1].record()
                if way == "one_shot":
                    exchange.add(number, trace)
                elif trace is not None:
                    stamp_kernel[(1,)](trace.stamps, 0)
        if way == "nccl":
            all_reduce(exchange.buffers, exchange.results)
        for number, rank in enumerate(self.ranks):
            with on(rank.device):
                marks[number][2].record()
                if traces:
                    stamp_kernel[(1,)](traces[number].stamps, 1)
                    exchange.compare_timers(number, traces[number].timers[1], again=True)
        synchronize(exchange.devices)
        exchange.check()
        summed = min(events[1].elapsed_time(events[2]) for events in marks)
        return 1e3 * summed, 1e3 * max(events[0].elapsed_time(events[2]) for events in marks)

    def results(self, way: str) -> list[torch.Tensor]:
        """Return the sums of all GPUs, on the CPU, from memory that held something else."""
        for result in self.exchange.results:
            result.fill_(torch.nan)
        synchronize(self.exchange.devices)
        self(way)
        return [result.cpu() for result in self.exchange.results]


def all_reduce(inputs: Sequence[torch.Tensor], results: Sequence[torch.Tensor]) -> None:
    """Add over GPUs by NCCL, on their current streams."""
    # Without multicast: a program that uses it can disturb other GPUs.
    os.environ["NCCL_NVLS_ENABLE"] = "0"
    from torch.cuda import nccl  # reads the variable

    nccl.all_reduce(list(inputs), list(results))  # type: ignore[no-untyped-call]


def _error(results: Sequence[torch.Tensor], truth: torch.Tensor) -> float:
    return max(float((result.double() - truth).abs().max()) for result in results)


def _traced(
    problem: RunRequest, devices: Sequence[torch.device]
) -> tuple[tuple[gpus.GpuPhase, ...], gpus.ClockAlignment]:
    """Trace one pass of each way, on one time axis."""
    assert problem.n is not None, "completed"
    ranks, exchange = _ranks(problem, devices), Exchange(devices, 2 * problem.n)
    passes = _Passes(ranks, exchange)
    stages = [rank.backward.allocate_trace() for rank in ranks]
    for rank, own in zip(ranks, stages, strict=True):  # compiled before anybody waits
        with on(rank.device):
            dw, db = torch.empty((2, problem.n), device=rank.device)
            rank.backward(dw, db, trace=own)
    phases: list[gpus.GpuPhase] = []
    doubts: list[float] = []
    trips: list[float] = []
    for way in gpus.WAYS:
        traces = [exchange.allocate_trace(number) for number in range(len(ranks))]
        for _ in range(_TRACED_PASSES):
            passes(way, stages, traces)
        (early, one_way), (late, other_way) = (
            timers([trace.timers[when] for trace in traces]) for when in (0, 1)
        )
        trips += one_way + other_way
        spans = []
        for number, (one, other) in enumerate(zip(early, late, strict=True)):
            doubts.append(max(one[1], other[1]) + abs(one[0] - other[0]) / 2)
            ahead = round((one[0] + other[0]) / 2)
            own_phases = _stage_phases(stages[number]) | _sum_phases(way, traces[number])
            spans += [
                (number, phase, begin - ahead, end - ahead)
                for phase, (begin, end) in own_phases.items()
            ]
        start = min(begin for _, _, begin, _ in spans)
        phases += [
            gpus.GpuPhase(
                rank=number,
                way=way,
                phase=phase,
                begin_ns=float(begin - start),
                end_ns=float(end - start),
            )
            for number, phase, begin, end in spans
        ]
    return tuple(phases), gpus.ClockAlignment(
        uncertainty_ns=max(doubts), trip_ns=statistics.median(trips)
    )


def _stage_phases(memory: Any) -> dict[str, tuple[int, int]]:
    """Return begin and end of both stages by the GPU's own timer."""
    programs, tiles = memory.times.cpu(), memory.tiles.times.cpu()
    return {
        "stage1": (int(programs[0].min()), int(programs[2].max())),
        "stage2": (int(tiles[1].min()), int(tiles[2].max())),
    }


def _sum_phases(way: str, trace: ExchangeTrace) -> dict[str, tuple[int, int]]:
    """Return begin and end of the phases of the sum, of all programs together.

    Between phases stands the programs' median; the ends are the first start and the last end.
    """
    if way == "nccl":
        begin, end = trace.stamps.tolist()
        return {"exchange": (begin, end)}
    stamps = trace.times.cpu()
    start, come, read, added = (
        int(stamps[0].min()),
        int(stamps[1].median()),
        int(stamps[2].median()),
        int(stamps[3].max()),
    )
    return {"waiting": (start, come), "reading": (come, read), "adding": (read, added)}

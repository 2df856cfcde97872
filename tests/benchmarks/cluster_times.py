"""How well a sweep uses the workers of a Dask cluster; needs Dask, and no GPU.

    python -m tests.benchmarks.cluster_times stand-ins --workers 64 --rows 1280
    python -m tests.benchmarks.cluster_times killed --workers 4 --rows 10000 --seconds 5

`stand-ins` has so many Dask workers, threads of this process that take 0.3 s a row and answer with our frames; scheduler,
client, and the rows' way back are in the same process. It prints how many times as fast as one of them that is, from the
first answer on that the last worker's start allows; at least 0.9 of their number is wanted. `killed` sweeps with Dask
workers of this machine on the interpreter, of which one is killed every so many seconds, and counts the rows of each
setting.
"""

import argparse
import contextlib
import queue
import random
import threading
import time
from collections import Counter
from functools import partial
from types import SimpleNamespace
from typing import Any

import distributed
import psutil

from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.engine import cluster_host
from lnexplorer.engine.cluster import Cluster
from lnexplorer.engine.sweep import CellFinished, SweepEnded, SweepEvent, SweepRunner
from lnexplorer.protocol.messages import Do, Finished, JobEnded, WorkerReady, decode_command
from lnkernels.launch import limits_for_architecture
from lnkernels.values.environment import Device, Environment, Kind

ROW_SECONDS = 0.3
ENVIRONMENT = Environment(date="", python="", torch="", triton="")


def begin(wish: bytes, ahead: bytes) -> bytes:
    del wish, ahead
    limits = limits_for_architecture("sm_90")
    device = Device(
        backend="interpreter",
        name="stand-in",
        index=None,
        limits=limits,
        free_memory_bytes=1 << 34,
        drives_display=False,
        notes=(),
        environment=ENVIRONMENT,
    )
    return cluster_host.pack([WorkerReady(device)])


def measure(wish: bytes, command: bytes) -> bytes:
    """A row of 0.3 s, whose answer is as long as one of the interpreter."""
    del wish
    do = decode_command(command)
    assert isinstance(do, Do)
    request = do.request
    assert isinstance(request, MeasureRequest)
    time.sleep(ROW_SECONDS)
    outcomes = tuple(CandidateOutcome(label=label, status="ok") for label in request.labels)
    measured = Measured(
        request=request,
        problem=request.subject,
        kind=Kind.INTERPRETED,
        outcomes=outcomes,
        before=ENVIRONMENT,
        after=ENVIRONMENT,
    )
    return cluster_host.pack([JobEnded(do.job, Finished(measured))])


def rows_of(count: int) -> SweepRequest:
    seeds = Axis(name="seed", values=tuple(range(count)))
    return SweepRequest(base=RunRequest.of(m=4, n=16, group_size_m=2), axes=(seeds,), strategies=("locked",))


def stand_ins(workers: int, rows: int) -> None:
    tasks = SimpleNamespace(greet=cluster_host.greet, let_go=cluster_host.let_go, begin=begin, measure=measure)
    options: dict[str, Any] = {"processes": False, "protocol": "tcp", "dashboard_address": ":0", "silence_logs": 60}
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, resources={"GPU": 1}, **options) as cluster:
        time.sleep(2)
        heard: queue.SimpleQueue[tuple[float, SweepEvent]] = queue.SimpleQueue()
        runner = SweepRunner(
            rows_of(rows),
            lambda event: heard.put((time.monotonic(), event)),
            cluster=partial(Cluster, cluster.scheduler_address, tasks=tasks),
        )
        runner.start()
        times: list[float] = []
        numbers: Counter[int] = Counter()
        while True:
            at, event = heard.get()
            if isinstance(event, CellFinished):
                times.append(at)
                numbers[event.result.cell.number] += 1
            if isinstance(event, SweepEnded):
                break
    assert event.how == "finished", str(event.sentence)
    assert sorted(numbers) == list(range(rows))
    assert set(numbers.values()) == {1}
    # The start: until every worker has answered once, which is when as many rows have come as there are workers.
    wall = times[-1] - times[workers - 1]
    speed = (rows - workers) * ROW_SECONDS / wall
    print(f"{workers} stand-ins, {rows} rows of {ROW_SECONDS} s: {speed:.1f} x one, {speed / workers:.3f} of {workers}")


def dask_workers() -> list[psutil.Process]:
    """The processes that the nannies of `local:N` watch over, and start again."""
    found = []
    for nanny in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if "distributed.cli.dask_worker" in nanny.cmdline():
                found += [child for child in nanny.children() if "spawn_main" in " ".join(child.cmdline())]
    return found


def killed(workers: int, rows: int, seconds: float) -> None:
    heard: queue.SimpleQueue[SweepEvent] = queue.SimpleQueue()
    runner = SweepRunner(rows_of(rows), heard.put, devices=("interpreter",), cluster=partial(Cluster, f"local:{workers}"))
    over = threading.Event()
    kills = 0

    def kill() -> None:
        nonlocal kills
        choose = random.Random(0)
        while not over.wait(seconds):
            there = dask_workers()
            if len(there) == workers:
                choose.choice(there).kill()
                kills += 1

    began = time.monotonic()
    runner.start()
    killer = threading.Thread(target=kill, daemon=True)
    numbers: Counter[int] = Counter()
    states: Counter[str] = Counter()
    while not isinstance(event := heard.get(), SweepEnded):
        if isinstance(event, CellFinished):
            if not numbers:
                killer.start()
            numbers[event.result.cell.number] += 1
            states[event.result.status] += 1
    over.set()
    once = sum(count == 1 for count in numbers.values())
    print(
        f"{rows} settings over {workers} workers in {time.monotonic() - began:.0f} s, {kills} killed: {event.how} "
        f"({event.sentence}); {once} settings have one row, {len(numbers) - once} several, {rows - len(numbers)} none; "
        f"{dict(states)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("stand-ins", "killed"))
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--rows", type=int, default=1280)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    if options.what == "stand-ins":
        stand_ins(options.workers, options.rows)
    else:
        killed(options.workers, options.rows, options.seconds)


if __name__ == "__main__":
    main()

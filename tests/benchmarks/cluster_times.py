"""How well a sweep uses the workers of a Dask cluster; needs Dask, and no GPU.

    python -m tests.benchmarks.cluster_times stand-ins --workers 64 --rows 1280
    python -m tests.benchmarks.cluster_times killed --workers 4 --rows 10000 --seconds 5

`stand-ins` has so many Dask workers, threads of a few processes that take 0.3 s a row and answer
with our frames, a scheduler in a process of its own, and rows that are kept in a file and a
database as the command keeps them. It prints how many times as fast as one of them that is, from
when each has answered once; at least 0.9 of their number is wanted. `killed` sweeps with Dask
workers of this machine on the interpreter, of which one is killed every so many seconds, and counts
the rows of each setting.
"""

import argparse
import asyncio
import contextlib
import os
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import distributed

from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.engine import cluster_host
from lnexplorer.engine.sources import Grid
from lnexplorer.engine.sweep import SweepRunner
from lnexplorer.engine.sweep_events import CellFinished, SweepEnded, SweepEvent
from lnexplorer.protocol.messages import Do, Finished, JobEnded, WorkerReady, decode_command
from lnexplorer.store.history import History
from lnexplorer.store.sweep_csv import SweepFile
from lnkernels.launch import limits_for_architecture
from lnkernels.values.environment import Device, Environment, Kind

PROCESSES = 2  # that have the stand-ins
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
    return SweepRequest(
        base=RunRequest.of(m=4, n=16, group_size_m=2), axes=(seeds,), strategies=("locked",)
    )


async def serve() -> None:
    async with distributed.Scheduler(
        host="127.0.0.1", port=0, dashboard=False, dashboard_address="127.0.0.1:0"
    ) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()


async def host(address: str, count: int) -> None:
    workers = [
        await distributed.Worker(address, nthreads=1, resources={"GPU": 1}, dashboard=False)
        for _ in range(count)
    ]
    await asyncio.gather(*(worker.finished() for worker in workers))


@contextlib.contextmanager
def cluster_of(workers: int) -> Iterator[str]:
    """The address of a scheduler that has so many stand-ins."""
    again = (sys.executable, "-m", "tests.benchmarks.cluster_times")
    processes = [
        subprocess.Popen(
            [*again, "serve"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    ]
    try:
        assert processes[0].stdout is not None
        address = processes[0].stdout.readline().strip()
        for _ in range(PROCESSES):
            command = [*again, "host", "--address", address, "--workers", str(workers // PROCESSES)]
            processes.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
        time.sleep(2)
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


def stand_ins(workers: int, rows: int) -> None:
    from tests.benchmarks import cluster_times  # whose functions Dask pickles by name

    cluster_host.begin, cluster_host.measure = cluster_times.begin, cluster_times.measure
    sweep = rows_of(rows)
    heard: queue.SimpleQueue[tuple[float, SweepEvent]] = queue.SimpleQueue()
    with cluster_of(workers) as address, tempfile.TemporaryDirectory() as folder:
        file, history = (
            SweepFile(Path(folder, "rows.csv"), sweep),
            History(Path(folder, "history.db"), print),
        )
        number = history.sweeps.begin(sweep)

        def keep(result: CellResult) -> None:
            file.add(result)
            history.sweeps.add(number, result)

        runner = SweepRunner(
            lambda: Grid(sweep),
            lambda event: heard.put((time.monotonic(), event)),
            keep=keep,
            cluster=address,
        )
        runner.start()
        times: list[float] = []
        numbers: Counter[int] = Counter()
        while not isinstance((came := heard.get())[1], SweepEnded):
            if isinstance(came[1], CellFinished):
                times.append(came[0])
                numbers[came[1].result.cell.number] += 1
        history.close()
    assert came[1].how == "finished", str(came[1].sentence)
    assert sorted(numbers) == list(range(rows))
    assert set(numbers.values()) == {1}
    # The start: until every worker has answered once, which is when as many rows have come as there
    # are workers.
    wall = times[-1] - times[workers - 1]
    speed = (rows - workers) * ROW_SECONDS / wall
    print(
        f"{workers} stand-ins, {rows} rows of {ROW_SECONDS} s: {speed:.1f} x one,"
        f" {speed / workers:.3f} of {workers}"
    )


def killed(workers: int, rows: int, seconds: float) -> None:
    options = {"threads_per_worker": 1, "resources": {"GPU": 1}, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(n_workers=workers, **options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        sweep_while_killing(client, workers, rows, seconds)


def sweep_while_killing(
    client: distributed.Client, workers: int, rows: int, seconds: float
) -> None:
    heard: queue.SimpleQueue[SweepEvent] = queue.SimpleQueue()
    runner = SweepRunner(
        lambda: Grid(rows_of(rows)),
        heard.put,
        devices=("interpreter",),
        cluster=client.scheduler.address,
    )
    over = threading.Event()
    kills = 0

    def kill() -> None:
        nonlocal kills
        choose = random.Random(0)
        while not over.wait(seconds):
            there = list(client.run(os.getpid, on_error="ignore").values())
            if len(there) == workers:
                os.kill(choose.choice(there), signal.SIGKILL)
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
        f"{rows} settings over {workers} workers in {time.monotonic() - began:.0f} s, {kills}"
        f" killed: {event.how} ({event.sentence}); {once} settings have one row,"
        f" {len(numbers) - once} several, {rows - len(numbers)} none; {dict(states)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("stand-ins", "killed", "serve", "host"))
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--rows", type=int, default=1280)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument(
        "--address", help="of the scheduler that a process with stand-ins belongs to"
    )
    options = parser.parse_args()
    match options.what:
        case "stand-ins":
            stand_ins(options.workers, options.rows)
        case "killed":
            killed(options.workers, options.rows, options.seconds)
        case "serve":
            asyncio.run(serve())
        case _:
            asyncio.run(host(options.address, options.workers))


if __name__ == "__main__":
    main()

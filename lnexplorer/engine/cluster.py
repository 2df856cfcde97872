"""The Dask workers of a scheduler as devices of a sweep.

Dask knows who is there, carries bytes and has one task at a time done on each resource; which setting goes where is said
by the sweep, as it is for devices of this machine.
"""

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import subprocess
import sys
import threading
import uuid
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from typing import Any

from lnexplorer import __version__
from lnexplorer.doctor.facts import find_driver
from lnexplorer.domain.jobs import JobRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine import cluster_host
from lnexplorer.engine.cluster_host import Hello, HostWish
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.spawn import child_environment
from lnexplorer.protocol.codec import decode, encode
from lnexplorer.protocol.messages import (
    Broken,
    Do,
    EngineEvent,
    JobEnded,
    Outcome,
    Prepare,
    Stopped,
    WorkerLost,
    encode_message,
)
from lnkernels.sentence import ExplainedError, Sentence, say, verbatim

HOST_LOST = "host"  # the phase of what broke because its machine is gone, which is not the fault of any setting
CONNECT_SECONDS = 10.0
GREET_SECONDS = 60.0  # for a Dask worker to import this package from a cold disk
LOOK_SECONDS = 0.25  # how often the connection is looked at
# How long a sweep waits for Dask workers where there are none: a new one takes some seconds, one in a batch system more.
ALONE_SECONDS = 60.0
# The same where there are some, none of which can be used.
UNUSABLE_SECONDS = 5.0
# Measurements that a Dask worker has at once: one at work and one that waits for it, so that no answer has to travel to
# the client and back before the next one begins.
SEATS = 2
CLOSE_SECONDS = 10.0
LEAVE_SECONDS = 3.0  # for local Dask workers, before they are killed


class ClusterError(ExplainedError):
    """A cluster that cannot be used, or not any more."""


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A Dask worker that a sweep can use."""

    address: str
    hello: Hello
    supervise: Callable[..., "Seat"]  # what DeviceRunner makes its supervisor by

    @property
    def place(self) -> str:
        return f"{self.hello.host}/"


class Cluster:
    """The connection to a scheduler, on a thread of its own. No method waits, `close` apart.

    Args:
        address: one that `check_cluster` passes.
        device: what each worker process is on: "auto", "cuda:N", "interpreter".
        on_member: hears of each Dask worker that can be used, once for each measurement that it takes at a time.
        on_refused: hears of each one that cannot, and why.
        on_over: hears, once, why the sweep cannot go on.
        command, deadlines: of the worker processes, as for a Supervisor.
        tasks: the functions that Dask workers call, if not those of `cluster_host`.
    """

    def __init__(
        self,
        address: str,
        *,
        device: str,
        on_member: Callable[[Member], None],
        on_refused: Callable[[str, Sentence], None],
        on_over: Callable[[Sentence], None],
        command: Sequence[str] | None = None,
        deadlines: Deadlines | None = None,
        alone_seconds: float = ALONE_SECONDS,
        tasks: Any = cluster_host,
    ) -> None:
        self.disconnected = False  # Dask has dropped what it was asked for, be it that it is connected again
        self.size = 1  # measurements that the Dask workers take at a time, as far as that is known
        self._address, self._device, self._tasks = address, device, tasks
        self._on_member, self._on_refused, self._on_over = on_member, on_refused, on_over
        self._alone_seconds = alone_seconds
        self._session = uuid.uuid4().hex
        wish = HostWish(session=self._session, device=device, command=tuple(command or ()), deadlines=deadlines or Deadlines())
        self._wish = encode(wish)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._leave = asyncio.Event()
        self._client: Any = None
        self._resources: dict[str, float] = {}
        self._seats: dict[str, list[Seat]] = {}  # by Dask worker, in the order of their jobs
        self._refused: Sentence | None = None  # why the last one of those that cannot be used cannot
        self._background: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Let all worker processes go, and end what was started here; bounded time."""
        if self._thread.is_alive():
            self.post(self._leave.set)
            self._thread.join(CLOSE_SECONDS)

    def post(self, function: Callable[[], object]) -> None:
        """Have a function called on the cluster's thread; nothing where that has ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)

    async def call(self, name: str, address: str, data: bytes) -> bytes:
        """Have a function of `cluster_host` called on one Dask worker, when its GPU is free."""
        future = self._client.submit(
            getattr(self._tasks, name),
            self._wish,
            data,
            key=f"lnexplorer-{name}-{uuid.uuid4().hex}",
            workers=[address],
            allow_other_workers=False,
            resources=self._resources,
            pure=False,
        )
        try:
            answer: bytes = await future
            return answer
        finally:
            # A task whose Dask worker is gone would wait for one of the same address.
            await self._forget(future)

    async def _forget(self, future: Any) -> None:
        if not future.done():
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._client.cancel([future]), LEAVE_SECONDS)

    @property
    def connected(self) -> bool:
        return self._client is not None and self._client.status == "running"

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(lambda _loop, _context: None)  # Dask leaves tasks behind where futures end early
        try:
            self._loop.run_until_complete(self._serve())
        except ClusterError as error:
            self._on_over(error.sentence)
        except Exception as error:
            logging.getLogger(__name__).exception("the cluster failed")
            self._on_over(_cause(self._address, error))
        finally:
            with contextlib.suppress(Exception):
                self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _serve(self) -> None:
        import distributed

        # What Dask has to say of lost workers is said by the sweep, in one sentence.
        for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        warnings.filterwarnings("ignore", module="distributed")
        async with contextlib.AsyncExitStack() as stack:
            address = self._address
            if address.startswith("local:"):
                address = await stack.enter_async_context(_local(int(address.removeprefix("local:")), self._device))
            try:
                await self._unless_left(_reach(address), CONNECT_SECONDS)
                client = distributed.Client(address, asynchronous=True, timeout=CONNECT_SECONDS, set_as_default=False)
                self._client = await self._unless_left(stack.enter_async_context(client), CONNECT_SECONDS + 5)
                versions = await self._unless_left(client.scheduler.versions(), CONNECT_SECONDS)
            except Exception as error:
                raise ClusterError(_cause(self._address, error)) from error
            self._check_version(versions)
            try:
                await self._attend(client)
            finally:
                await self._let_go()

    async def _unless_left(self, work: Any, seconds: float) -> Any:
        """What comes of work; a TimeoutError where it takes longer, or where the sweep leaves meanwhile."""
        doing, leaving = asyncio.ensure_future(work), asyncio.ensure_future(self._leave.wait())
        try:
            await asyncio.wait((doing, leaving), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                raise TimeoutError(f"there was no answer within {seconds:g} s")
            return doing.result()
        finally:
            for each in (doing, leaving):
                each.cancel()

    def _check_version(self, versions: dict[str, Any]) -> None:
        import distributed

        theirs, ours = versions["packages"]["distributed"], distributed.__version__
        if theirs != ours:
            raise ClusterError(
                say(
                    "The scheduler at {address} has Dask {theirs}, and this side {ours}: both need the same. "
                    "pip install 'distributed=={theirs}'",
                    address=self._address,
                    theirs=str(theirs),
                    ours=ours,
                )
            )

    async def _attend(self, client: Any) -> None:
        """Take in Dask workers as they come and go, until the sweep leaves."""
        client.subscribe_topic("all", self._hear)
        there = list(await client.nthreads())
        self.size = max(SEATS * len(there), 1)
        for address in there:
            self._welcome_soon(address)
        alone_since: float | None = self._loop.time()
        while not self._leave.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leave.wait(), LOOK_SECONDS)
            if (client.status != "running" or self.disconnected) and not self._leave.is_set():
                raise ClusterError(say("The Dask scheduler at {address} does not answer any more.", address=self._address))
            if any(not seat.lost for seats in self._seats.values() for seat in seats):
                alone_since = None
                continue
            alone_since = self._loop.time() if alone_since is None else alone_since
            unusable = self._refused is not None and bool(await client.nthreads())
            if self._loop.time() - alone_since > (
                min(UNUSABLE_SECONDS, self._alone_seconds) if unusable else self._alone_seconds
            ):
                raise ClusterError(self._refused if unusable and self._refused is not None else self._nobody())

    def _nobody(self) -> Sentence:
        return say(
            "The scheduler at {address} has had no Dask worker for {seconds} s.",
            address=self._address,
            seconds=f"{self._alone_seconds:g}",
        )

    def _hear(self, event: tuple[float, Any]) -> None:
        match event[1]:
            case {"action": "add-worker", "worker": str(address)}:
                self._welcome_soon(address)
            case {"action": "remove-worker", "worker": str(address)}:
                self._part_from(address)

    def _welcome_soon(self, address: str) -> None:
        if address not in self._seats:
            self._seats[address] = []
            self.spawn(self._welcome(address))

    def spawn(self, work: Any) -> None:
        """Do something beside all else."""
        task = self._loop.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _welcome(self, address: str) -> None:
        try:
            answers = await asyncio.wait_for(self._client.run(self._tasks.greet, workers=[address]), GREET_SECONDS)
            hello = decode(answers[address], Hello)
        except Exception as error:  # noqa: BLE001 - whatever Dask, or the other side's Python, raises
            if address in self._seats and self.connected:
                missing = isinstance(error, ImportError | AttributeError)
                self._refuse(address, _missing(error) if missing else verbatim(f"{type(error).__name__}: {error}"))
            return
        reason = self._why_not(hello)
        if reason is not None:
            self._refuse(hello.host, reason)
            return
        if address not in self._seats:
            return  # it has gone meanwhile
        self._resources = {"GPU": 1} if hello.gpus else {}
        for _ in range(SEATS):
            self._on_member(Member(address, hello, partial(self._seat, address, hello.host)))

    def _why_not(self, hello: Hello) -> Sentence | None:
        if hello.version != __version__:
            return say(
                "It has lnexplorer {theirs}, and this side {ours}: pip install 'lnexplorer=={ours}' there.",
                theirs=hello.version,
                ours=__version__,
            )
        if not hello.gpus and not self._device.startswith("interpreter"):
            return say("The Dask worker has no resource GPU: start it with --resources GPU=1, or choose the device interpreter.")
        return None

    def _refuse(self, place: str, reason: Sentence) -> None:
        self._refused = say("{place}: {reason}", place=place, reason=reason)
        self._on_refused(place, reason)

    def _seat(self, address: str, host: str, on_event: Callable[[EngineEvent], None], *, device: str) -> "Seat":
        del device  # it is in the wish that all share
        return Seat(self, address, host, on_event)

    def sit(self, seat: "Seat") -> None:
        """Take a seat in, on the cluster's thread; one whose Dask worker has gone meanwhile is lost at once."""
        seats = self._seats.get(seat.address)
        if seats is None:
            seat.part(guilty=False)
        else:
            seats.append(seat)
            self.spawn(seat.begin())

    def _part_from(self, address: str) -> None:
        seats = self._seats.pop(address, [])
        first = min((seat.since for seat in seats if seat.job), default=0)
        for seat in seats:
            # What waits on the worker for the other one to end has not been tried.
            seat.part(guilty=bool(seat.job) and seat.since == first)

    async def _let_go(self) -> None:
        for task in list(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        if self.connected and self._seats:
            with contextlib.suppress(Exception):
                work = self._client.run(self._tasks.let_go, self._session, workers=list(self._seats), on_error="ignore")
                await asyncio.wait_for(work, LEAVE_SECONDS)


class Seat:
    """One of the measurements that a Dask worker takes at a time, with the methods of a Supervisor. The rest is for the
    cluster's thread alone.
    """

    _order = itertools.count(1)

    def __init__(self, cluster: Cluster, address: str, host: str, on_event: Callable[[EngineEvent], None]) -> None:
        self.address = address
        self.lost = False
        self.job = 0  # under way; 0 for none
        self.since = 0  # its place among all jobs
        self._cluster, self._host, self._on_event = cluster, host, on_event
        self._numbers = itertools.count(1)
        self._ahead = Prepare(())
        self._task: asyncio.Task[None] | None = None  # that waits for an answer of the Dask worker

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        self._ahead = Prepare(tuple(requests))

    def start(self) -> None:
        self._cluster.post(lambda: self._cluster.sit(self))

    def submit(self, request: JobRequest) -> int:
        job = next(self._numbers)
        self._cluster.post(lambda: self._cluster.spawn(self._do(Do(job, request))))
        return job

    def cancel(self, job: int) -> None:
        """Nothing by itself: a sweep cancels when it ends, and then the cluster lets all workers go."""

    def close(self) -> None:
        """Nothing by itself, for the same reason."""

    def part(self, *, guilty: bool) -> None:
        """The Dask worker is gone. What it was at broke by that; what only waited there has not begun."""
        if self.lost:
            return
        self.lost = True
        if self._task is not None:
            self._task.cancel()
        sentence = say("The Dask worker on {host} is gone.", host=self._host)
        if self.job:
            job, self.job = self.job, 0
            outcome: Outcome = Broken(HOST_LOST, sentence, "") if guilty else Stopped()
            self._on_event(JobEnded(job, outcome))
        self._on_event(WorkerLost(sentence, "", restarting=False))

    async def begin(self) -> None:
        self._task = asyncio.current_task()
        try:
            events = cluster_host.unpack(await self._cluster.call("begin", self.address, encode_message(self._ahead)))
        except Exception as error:  # noqa: BLE001 - as in `_do`
            if not self.lost and self._cluster.connected:
                self.lost = True
                self._on_event(WorkerLost(verbatim(f"{type(error).__name__}: {error}"), "", restarting=False))
            return
        self._tell(events)

    async def _do(self, do: Do) -> None:
        if self.lost:
            self._on_event(JobEnded(do.job, Stopped()))
            return
        self.job, self.since = do.job, next(self._order)
        self._task = asyncio.current_task()
        try:
            events = cluster_host.unpack(await self._cluster.call("measure", self.address, encode_message(do)))
        except Exception as error:  # noqa: BLE001 - Dask raises here what a task raised, and its own: all end this job alone
            # Where the connection to the scheduler was lost the sweep ends, and this cell has no row.
            lost = isinstance(error, CancelledError) or not self._cluster.connected
            if self.job == do.job and lost:
                self._cluster.disconnected = True
            elif self.job == do.job:
                self.job = 0
                broken = Broken("run", verbatim(f"{type(error).__name__}: {error}"), "")
                self._on_event(JobEnded(do.job, broken))
            return
        if self.job == do.job:  # and the Dask worker was not told to be gone meanwhile
            self.job = 0
            self._tell(events)

    def _tell(self, events: Sequence[EngineEvent]) -> None:
        for event in events:
            if self.lost:
                return
            self.lost = isinstance(event, WorkerLost) and not event.restarting
            self._on_event(event)


@contextlib.asynccontextmanager
async def _local(count: int, device: str) -> Any:
    """A scheduler in this process and so many Dask workers beside it, each with a GPU of its own where there are some."""
    import distributed

    gpus = _visible_gpus() if not device.startswith("interpreter") else []
    if gpus and count > len(gpus):
        reason = say("There are {gpus} GPUs here, so local:{count} is too many.", gpus=str(len(gpus)), count=str(count))
        raise ClusterError(reason)
    options = ("--nthreads", "1", "--resources", "GPU=1", "--no-dashboard", "--death-timeout", "20")
    processes: list[subprocess.Popen[bytes]] = []
    async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard=False, dashboard_address="127.0.0.1:0") as scheduler:
        try:
            for number in range(count):
                environment = child_environment() | ({"CUDA_VISIBLE_DEVICES": gpus[number]} if gpus else {})
                command = (sys.executable, "-P", "-m", "distributed.cli.dask_worker", scheduler.address, *options)
                processes.append(
                    subprocess.Popen(
                        command,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        env=environment,
                        start_new_session=True,  # Ctrl-C in a terminal is this side's affair
                    )
                )
            yield scheduler.address
        finally:
            await _end(processes)


async def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    until = asyncio.get_running_loop().time() + LEAVE_SECONDS
    while any(process.poll() is None for process in processes) and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.05)
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with what a Dask worker has started
        process.wait()


async def _reach(address: str) -> None:
    """Connect once, and leave: the system says at once, and plainly, what Dask would try for seconds."""
    host, _, port = address.partition("://")[2].rpartition(":")
    _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    writer.close()


def _visible_gpus() -> list[str]:
    driver = find_driver()
    visible = driver.hidden_by
    named = [str(index) for index in range(len(driver.gpus))] if visible is None else visible.split(",")
    return [name.strip() for name in named if name.strip()] if driver.gpus else []


def _cause(address: str, error: Exception) -> Sentence:
    """Why a scheduler cannot be reached, from what Dask raised: the last cause is the one that says something."""
    causes = [error]
    while (inner := causes[-1].__cause__) is not None and isinstance(inner, Exception):
        causes.append(inner)
    told = next((str(each) for each in reversed(causes) if str(each)), type(error).__name__)
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        told = os.strerror(error.errno) if error.errno > 0 else error.strerror  # a name that does not resolve has its own
    if isinstance(error, TimeoutError | OSError):
        return say("The Dask scheduler at {address} does not answer: {cause}.", address=address, cause=told.rstrip("."))
    return say("The Dask scheduler at {address} cannot be used: {cause}.", address=address, cause=told.rstrip("."))


def _missing(error: Exception) -> Sentence:
    return say("lnexplorer {version} is not installed there ({error}).", version=__version__, error=str(error))

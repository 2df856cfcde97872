"""The Dask workers of a scheduler as devices of a sweep.

Dask knows who is there, carries bytes and has one task at a time done on each resource; which
setting goes where is said by the sweep, as it is for devices of this machine.
"""

import asyncio
import contextlib
import itertools
import logging
import os
import threading
import uuid
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any

from lnexplorer import __version__
from lnexplorer.domain.jobs import JobRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine import cluster_host
from lnexplorer.engine.cluster_host import Hello, HostWish
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.local_cluster import ClusterError, LocalWorkers
from lnexplorer.protocol.cleaning import clean
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
from lnkernels.values import Sentence, say, verbatim

# the phase of what broke because its machine is gone, which need not be the fault of any setting
HOST_LOST = "host"
CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 30.0  # for a scheduler that is busy
GREET_SECONDS = 60.0  # for a Dask worker to import this package from a cold disk
LOOK_SECONDS = 0.25  # how often it is looked who is there
# How long a sweep waits for Dask workers where there are none: a new one takes some seconds, one in
# a batch system more.
ALONE_SECONDS = 60.0
# The same where there are some, none of which can be used.
UNUSABLE_SECONDS = 5.0
# Measurements that a Dask worker has at once: one at work and one that waits for it, so that no
# answer has to travel to the client and back before the next one begins.
SEATS = 2
CLOSE_SECONDS = 10.0
LEAVE_SECONDS = 3.0


class Cluster:
    """The connection to a Dask scheduler, on a thread of its own. No method waits but `close`.

    Args:
        address: one that `check_cluster` passes.
        device: what each worker process is on: "auto", "cuda:N", "interpreter".
        on_member: hears of each Dask worker that can be used.
        on_refused: hears of each one that cannot, and why.
        on_over: hears, once, why the sweep cannot go on.
        command, deadlines: of the worker processes, as for a Supervisor.
    """

    def __init__(
        self,
        address: str,
        *,
        device: str,
        on_member: Callable[["Member"], None],
        on_refused: Callable[[str, Sentence], None],
        on_over: Callable[[Sentence], None],
        command: Sequence[str] | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        # Dask has dropped what it was asked for, even if it is connected again.
        self.disconnected = False
        self.size = 1  # Dask workers, as far as that is known
        self._address = address
        self._device = device
        self._on_member = on_member
        self._on_refused = on_refused
        self._on_over = on_over
        self._session = uuid.uuid4().hex
        self._wish = HostWish(
            session=self._session,
            device=device,
            command=tuple(command or ()),
            deadlines=deadlines or Deadlines(),
        )
        self._local: LocalWorkers | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._leave = asyncio.Event()
        self._client: Any = None
        # By address, who is there: None while that one has not answered, or why it cannot be used.
        self._there: dict[str, Member | Sentence | None] = {}
        self._background: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """End all worker processes, and what was started here; takes a bounded time."""
        if self._thread.is_alive():
            self.post(self._leave.set)
            self._thread.join(CLOSE_SECONDS)

    def post(self, function: Callable[[], object]) -> None:
        """Call a function on the cluster's thread; nothing where that has ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)

    async def call(
        self, name: str, address: str, resources: dict[str, float], data: bytes
    ) -> bytes:
        """Call a function of `cluster_host` on one Dask worker, when its GPU is free."""
        devices = {} if self._local is None else self._local.devices
        future = self._client.submit(
            getattr(cluster_host, name),
            encode(replace(self._wish, device=devices.get(address, self._device))),
            data,
            key=f"lnexplorer-{name}-{uuid.uuid4().hex}",
            workers=[address],
            allow_other_workers=False,
            resources=resources,
            pure=False,
        )
        try:
            answer: bytes = await future
            return answer
        finally:
            # A task whose Dask worker is gone would wait for one of the same address.
            if not future.done():
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(self._client.cancel([future]), LEAVE_SECONDS)

    @property
    def connected(self) -> bool:
        return self._client is not None and self._client.status == "running"

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(
            lambda _loop, _context: None
        )  # Dask leaves tasks behind where futures end early
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
        import distributed  # an extra, which takes a second to load

        # What Dask has to say of lost workers is said by the sweep, in one sentence.
        for name in list(logging.root.manager.loggerDict):
            if name.startswith("distributed"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        warnings.filterwarnings("ignore", module="distributed")
        async with contextlib.AsyncExitStack() as stack:
            address = self._address
            if address.startswith("local:"):
                self._local = await stack.enter_async_context(
                    LocalWorkers(int(address.removeprefix("local:")), self._device)
                )
                address = self._local.address
            try:
                if self._local is None:
                    await self._unless_left(_reach(address), CONNECT_SECONDS)
                client = distributed.Client(
                    address, asynchronous=True, timeout=CONNECT_SECONDS, set_as_default=False
                )
                self._client = await self._unless_left(
                    stack.enter_async_context(client), CONNECT_SECONDS + 5
                )
                versions = await self._unless_left(client.scheduler.versions(), CONNECT_SECONDS)
            except Exception as error:
                raise ClusterError(_cause(self._address, error)) from error
            self._check_version(versions)
            try:
                await self._attend()
            finally:
                await self._let_go()

    async def _unless_left(self, work: Any, seconds: float) -> Any:
        """Return the result of work.

        Raise TimeoutError if it takes too long, or the sweep leaves.
        """
        doing, leaving = asyncio.ensure_future(work), asyncio.ensure_future(self._leave.wait())
        try:
            await asyncio.wait(
                (doing, leaving), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if not doing.done():
                raise TimeoutError(f"there was no answer within {seconds:g} s")
            return doing.result()
        finally:
            for each in (doing, leaving):
                each.cancel()

    def _check_version(self, versions: dict[str, Any]) -> None:
        import distributed  # an extra, which takes a second to load

        theirs, ours = versions["packages"]["distributed"], distributed.__version__
        if theirs != ours:
            raise ClusterError(
                "The scheduler at {address} has Dask {theirs}, and this side {ours}: both need"
                " the same. pip install 'distributed=={theirs}'",
                address=self._address,
                theirs=str(theirs),
                ours=ours,
            )

    async def _attend(self) -> None:
        """Take in Dask workers as they come and go, until the sweep leaves."""
        used_at = self._loop.time()
        while not self._leave.is_set():
            there = await self._addresses()
            for address in [address for address in self._there if address not in there]:
                member = self._there.pop(address)
                if isinstance(member, Member):
                    member.part()
            for address in there - self._there.keys():
                self._there[address] = None
                self.spawn(self._welcome(address))
            self.size = max(len(there), 1)
            members = self._there.values()
            if any(isinstance(each, Member) and not each.lost for each in members):
                used_at = self._loop.time()
            refusals = [each for each in members if isinstance(each, Sentence)]
            unusable = bool(there) and len(refusals) == len(there)
            patience = UNUSABLE_SECONDS if unusable else ALONE_SECONDS
            if self._loop.time() - used_at > patience:
                nobody = say(
                    "The scheduler at {address} has had no Dask worker for {seconds} s.",
                    address=self._address,
                    seconds=f"{patience:g}",
                )
                raise ClusterError(refusals[-1] if unusable else nobody)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leave.wait(), LOOK_SECONDS)

    async def _addresses(self) -> set[str]:
        """Return the addresses of the scheduler's Dask workers."""
        try:
            there = set(await self._unless_left(self._client.nthreads(), ANSWER_SECONDS))
        except Exception:  # noqa: BLE001
            # Whatever Dask raises, the connection is gone, or the sweep leaves.
            there = None
        if there is not None and self.connected and not self.disconnected:
            return there
        if self._leave.is_set():
            return set(self._there)
        raise ClusterError(
            "The Dask scheduler at {address} does not answer any more.", address=self._address
        )

    def spawn(self, work: Any) -> asyncio.Task[None]:
        """Do something beside all else."""
        task: asyncio.Task[None] = self._loop.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    async def _welcome(self, address: str) -> None:
        place, refusal = address, None
        try:
            answers = await asyncio.wait_for(
                self._client.run(cluster_host.greet, workers=[address]), GREET_SECONDS
            )
            hello = clean(decode(answers[address], Hello))
        except Exception as error:  # noqa: BLE001
            # Whatever Dask, or the other side's Python, raises.
            refusal = verbatim(f"{type(error).__name__}: {error}")
            if isinstance(error, ImportError | AttributeError):
                refusal = say(
                    "lnexplorer {version} is not installed there ({error}).",
                    version=__version__,
                    error=str(error),
                )
        else:
            place, refusal = hello.host, self._why_not(hello)
        if address not in await self._addresses() or address not in self._there:
            return  # it has gone meanwhile
        if refusal is None:
            self._there[address] = member = Member(self, address, hello)
            self._on_member(member)
        else:
            self._there[address] = say("{place}: {reason}", place=place, reason=refusal)
            self._on_refused(place, refusal)

    def _why_not(self, hello: Hello) -> Sentence | None:
        if hello.version != __version__:
            return say(
                "It has lnexplorer {theirs}, and this side {ours}: there, pip install . in a clone"
                " of {ours}.",
                theirs=hello.version,
                ours=__version__,
            )
        if not hello.gpus and not self._device.startswith("interpreter"):
            return say(
                "The Dask worker has no resource GPU: start it with --resources GPU=1, or choose"
                " the device interpreter."
            )
        return None

    async def _let_go(self) -> None:
        for task in list(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        members = [address for address, member in self._there.items() if isinstance(member, Member)]
        if self.connected and members:
            with contextlib.suppress(Exception):
                work = self._client.run(
                    cluster_host.let_go, self._session, workers=members, on_error="ignore"
                )
                await asyncio.wait_for(work, LEAVE_SECONDS)


class Member:
    """A Dask worker that a sweep can use, with the methods of a Supervisor."""

    def __init__(self, cluster: Cluster, address: str, hello: Hello) -> None:
        self.place = f"{hello.host}/"
        self.lost = False
        self._cluster = cluster
        self._address = address
        self._host = hello.host
        self._resources = {"GPU": 1.0} if hello.gpus else {}
        self._on_event: Callable[[EngineEvent], None] = lambda _: None
        self._numbers = itertools.count(1)
        self._ahead = Prepare(())
        self._jobs: dict[int, asyncio.Task[None]] = {}  # under way; 0 is the worker's start

    def supervise(self, on_event: Callable[[EngineEvent], None], *, device: str) -> "Member":
        """Return itself as the supervisor of a DeviceRunner."""
        del device  # it is in the wish that all share
        self._on_event = on_event
        return self

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        self._ahead = Prepare(tuple(requests))

    def start(self) -> None:
        self._cluster.post(lambda: self._begin(0, "begin", encode_message(self._ahead)))

    def submit(self, request: JobRequest) -> int:
        job = next(self._numbers)
        self._cluster.post(lambda: self._begin(job, "measure", encode_message(Do(job, request))))
        return job

    def cancel(self, job: int) -> None:
        """Do nothing: a sweep cancels when it ends, and then the cluster ends all workers."""

    def close(self) -> None:
        """End all worker processes, and what was started here; takes a bounded time."""

    def part(self) -> None:
        """Report that the Dask worker is gone, with the jobs that it had."""
        sentence = say("The Dask worker on {host} is gone.", host=self._host)
        self._lose(WorkerLost(sentence, "", restarting=False), Broken(HOST_LOST, sentence, ""))

    def _lose(self, event: WorkerLost, outcome: Outcome) -> None:
        """Take no more jobs, and end those in hand."""
        if self.lost:
            return
        self.lost = True
        self._on_event(event)
        for job, task in self._jobs.items():
            task.cancel()
            if job:
                self._on_event(JobEnded(job, outcome))

    def _begin(self, job: int, name: str, data: bytes) -> None:
        if not self.lost:
            self._jobs[job] = self._cluster.spawn(self._do(job, name, data))
        elif job:
            self._on_event(JobEnded(job, Stopped()))

    async def _do(self, job: int, name: str, data: bytes) -> None:
        events: Sequence[EngineEvent]
        try:
            events = cluster_host.unpack(
                await self._cluster.call(name, self._address, self._resources, data)
            )
        except Exception as error:  # noqa: BLE001
            # Dask raises here what a task raised, and its own: all end this job alone.
            if isinstance(error, CancelledError) or not self._cluster.connected:
                self._cluster.disconnected = True  # the sweep ends, and this cell has no row
                return
            told = verbatim(f"{type(error).__name__}: {error}")
            events = [
                (
                    JobEnded(job, Broken("run", told, ""))
                    if job
                    else WorkerLost(told, "", restarting=False)
                )
            ]
        if self.lost:
            return
        del self._jobs[job]
        for event in events:
            if isinstance(event, WorkerLost) and not event.restarting:
                self._lose(event, Stopped())
            else:
                self._on_event(event)


async def _reach(address: str) -> None:
    """Connect once and leave: the system says at once, and plainly, what Dask would try for
    seconds.
    """
    host, _, port = address.partition("://")[2].rpartition(":")
    _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    writer.close()


def _cause(address: str, error: Exception) -> Sentence:
    """Say why a scheduler cannot be reached.

    Of the causes that Dask raised the last one tells most.
    """
    if isinstance(error, MemoryError):  # of what it took for the length of a message
        cause = "something else than a Dask scheduler speaks there"
    elif isinstance(error, OSError) and error.errno and error.strerror:
        # asyncio adds words of its own; a name that does not resolve has a negative number.
        cause = os.strerror(error.errno) if error.errno > 0 else error.strerror
    else:
        cause = str(error.__cause__ or error) or type(error).__name__
    given = {"address": address, "cause": cause.rstrip(".")}
    if isinstance(error, OSError):  # a TimeoutError is one
        return say("The Dask scheduler at {address} does not answer: {cause}.", **given)
    return say("The Dask scheduler at {address} cannot be used: {cause}.", **given)

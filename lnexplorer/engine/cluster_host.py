"""Functions that Dask workers call: each hosts one worker process for every sweep that uses it.

Dask hands bytes to these functions and takes bytes back, which are frames of `protocol`; nothing of
ours is pickled.
"""

import io
import os
import queue
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any, TypeAlias

from lnexplorer import __version__
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.codec import decode, encode, read_frame, write_frame
from lnexplorer.protocol.messages import (
    Broken,
    Do,
    EngineEvent,
    Heartbeat,
    JobEnded,
    JobPart,
    JobProgress,
    JobStands,
    Prepare,
    WorkerEvent,
    WorkerLost,
    WorkerReady,
    WorkerUnusable,
    decode_command,
    decode_event,
    encode_message,
)
from lnkernels.values import frozen_by_name, say

# A client that is gone cannot say so. A worker process that was given nothing for so long is let
# go, with its memory.
IDLE_SECONDS = 60.0
Key: TypeAlias = tuple[
    str, str
]  # a sweep, and a Dask worker: several may be threads of one process


@frozen_by_name
class HostWish:
    """The worker process that a sweep wants on each Dask worker."""

    session: str  # of the sweep
    device: str = "auto"  # on a machine with GPUs the first that the Dask worker sees
    command: tuple[str, ...] = ()  # the worker's program, if not this package's
    deadlines: Deadlines = field(default_factory=Deadlines)


@frozen_by_name
class Hello:
    """The answer of a Dask worker to a greeting."""

    host: str
    version: str  # of lnexplorer
    gpus: float  # its resource of that name, of which a task takes one


def greet(dask_worker: Any) -> bytes:
    """Return an encoded `Hello`. Dask passes the worker."""
    gpus = float(dask_worker.state.total_resources.get("GPU", 0))
    hello = Hello(host=socket.gethostname(), version=__version__, gpus=gpus)
    return encode(hello)


def begin(wish: bytes, ahead: bytes) -> bytes:
    """Start a worker process, which compiles ahead. Return its WorkerReady or WorkerLost."""
    host = _host_of(wish)
    command = decode_command(ahead)
    assert isinstance(command, Prepare)
    return pack(host.begin(command))


def measure(wish: bytes, command: bytes) -> bytes:
    """Do the job in a frame. Return its events, JobEnded among them."""
    do = decode_command(command)
    assert isinstance(do, Do)
    return pack(_host_of(wish).do(do))


def let_go(session: str, dask_worker: Any) -> None:
    """End the worker process of a sweep, without waiting."""
    key = (session, dask_worker.address)
    _over.add(key)
    _retire(key)


def pack(events: Iterable[WorkerEvent]) -> bytes:
    """Return events as frames, one after the other."""
    stream = io.BytesIO()
    for event in events:
        write_frame(stream, encode_message(event))
    return stream.getvalue()


def unpack(frames: bytes) -> list[EngineEvent]:
    """Return the events of such frames that concern a sweep.

    Raises:
        DecodeError, FramingError: that is not what these bytes are.
    """
    stream, events = io.BytesIO(frames), list[EngineEvent]()
    while (frame := read_frame(stream)) is not None:
        event = decode_event(frame, foreign=True)
        if not isinstance(event, Heartbeat | JobStands | WorkerUnusable):
            events.append(event)
    return events


class Host:
    """A worker process and its supervisor. It does one job at a time."""

    def __init__(self, wish: HostWish, key: Key) -> None:
        self._heard: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        self._turn = threading.Lock()
        self._ready: WorkerReady | None = None
        self._started = False
        self._key = key
        self._idle = threading.Timer(IDLE_SECONDS, _retire, (key,))
        self._supervisor = Supervisor(
            self._heard.put,
            device=wish.device,
            command=wish.command or None,
            deadlines=wish.deadlines,
        )

    def begin(self, ahead: Prepare) -> list[WorkerEvent]:
        """Start the worker process where there is none; WorkerReady or the WorkerLost that no other
        one follows.
        """
        with self._at_work(ahead):
            return [self._ready] if self._ready is not None else self._until_ready()

    def do(self, do: Do) -> list[WorkerEvent]:
        with self._at_work(Prepare(())):
            return self._until_ended(do)

    @contextmanager
    def _at_work(self, ahead: Prepare) -> Iterator[None]:
        """Inside, no other thread has a turn, and there is a worker process."""
        with self._turn:
            self._idle.cancel()
            if not self._started:
                self._started = True
                self._supervisor.prepare(ahead.requests)
                self._supervisor.start()
            yield
            self._idle = threading.Timer(IDLE_SECONDS, _retire, (self._key,))
            self._idle.daemon = True
            self._idle.start()

    def close(self) -> None:
        """End the worker process; a job that runs is stopped."""
        self._idle.cancel()
        self._supervisor.close()
        # Whoever waits for a worker to be ready hears of none.
        self._heard.put(WorkerLost(say("The worker was let go."), "", restarting=False))

    def _until_ended(self, do: Do) -> list[WorkerEvent]:
        number = self._supervisor.submit(do.request)
        parts: list[WorkerEvent] = []
        progress: JobProgress | None = None  # the last one says at which candidate it was
        while True:
            match self._heard.get():
                case JobProgress(job=job) as event if job == number and event.step is not None:
                    progress = replace(event, job=do.job)
                case JobPart(job=job) as event if job == number:
                    parts.append(replace(event, job=do.job))
                case WorkerReady() as event:
                    parts.append(self._note(event))
                case WorkerLost() as event:  # of the job before; this one has had a worker started
                    parts.append(replace(event, restarting=True))
                case JobEnded(job=job, outcome=outcome) if job == number:
                    parts += [progress] if progress is not None else []
                    parts.append(JobEnded(do.job, outcome))
                    never_began = isinstance(outcome, Broken) and outcome.phase == "start"
                    return parts + (self._until_ready() if never_began else [])
                case _:
                    pass

    def _until_ready(self) -> list[WorkerEvent]:
        events: list[WorkerEvent] = []
        while True:
            match self._heard.get():
                case WorkerReady() as event:
                    return [*events, self._note(event)]
                case WorkerLost() as event:
                    events.append(event)
                    if not event.restarting:
                        return events
                case _:
                    pass

    def _note(self, ready: WorkerReady) -> WorkerReady:
        """Return the device by the number that the machine knows it by, where a Dask worker sees a
        part.
        """
        visible = [part.strip() for part in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")]
        index = ready.device.index
        if index is not None and index < len(visible) and visible[index].isdigit():
            ready = WorkerReady(replace(ready.device, index=int(visible[index])))
        self._ready = ready
        return ready


_hosts: dict[Key, Host] = {}
_over: set[Key] = set()  # sweeps that have ended, of which a task may still be on its way
_guard = threading.Lock()


def _host_of(data: bytes) -> Host:
    import distributed  # an extra, which takes a second to load

    wish = decode(data, HostWish)
    key = (wish.session, distributed.get_worker().address)
    with _guard:
        if key in _over:
            raise RuntimeError("this sweep has ended")
        if key not in _hosts:
            _hosts[key] = Host(wish, key)
        return _hosts[key]


def _retire(key: Key) -> None:
    with _guard:
        host = _hosts.pop(key, None)
    if host is not None:
        threading.Thread(target=host.close, name="host-closer", daemon=True).start()

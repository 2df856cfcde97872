"""Messages between an engine and a worker: commands one way, events the other. Every one about a
job carries its number.

The engine's listeners get the worker's own events, and those of the engine about worker and jobs.
"""

import hashlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, get_args

import msgspec

from lnexplorer.domain.jobs import JobFinding, JobRequest, JobResult
from lnexplorer.domain.request import RunRequest
from lnexplorer.protocol.cleaning import clean
from lnexplorer.protocol.codec import DecodeError, decode, encode
from lnexplorer.protocol.foreign import check_bounds
from lnkernels.launch import Problem
from lnkernels.values import Sentence, frozen
from lnkernels.values.environment import Device
from lnkernels.values.timeline import HangSnapshot


@frozen
class Do:
    """Do a job, and end it with one JobEnded."""

    job: int
    request: JobRequest


@frozen
class Prepare:
    """Compile the settings of jobs that may come, while other work goes on.

    It replaces an earlier Prepare, and has no answer.
    """

    requests: tuple[RunRequest, ...]


@frozen
class Cancel:
    """Leave a job between two of its steps."""

    job: int


@frozen
class Look:
    """Say where the programs of the kernel stand: it may hang. Answered by one JobStands."""


Command: TypeAlias = Do | Prepare | Cancel | Look


@frozen
class WorkerStarting:
    """A worker process is starting."""


@frozen
class WorkerReady:
    device: Device


@frozen
class WorkerUnusable:
    """The worker cannot work here, and why; it ends after this."""

    reason: Sentence


@frozen
class Heartbeat:
    """A thread of the worker is alive."""


@frozen
class WorkerLost:
    """The worker process ended, or was ended; `restarting` says whether another one follows."""

    sentence: Sentence
    detail: str  # the tail of what it wrote to stderr
    restarting: bool


@frozen
class JobStarted:
    job: int


@frozen
class JobProgress:
    job: int
    phase: str  # "compile" or "run"
    step: Sentence | None  # what begins; None where only the phase does
    done: int
    total: int


@frozen
class JobPart:
    """A finished part of a job that goes on."""

    job: int
    part: JobFinding


@frozen
class JobStands:
    """The answer to Look; it goes into the job's end."""

    hang: HangSnapshot | None  # None where nothing was stamped


@frozen
class Finished:
    value: JobResult


@frozen
class Stopped:
    """The job was left as asked."""


@frozen
class Superseded:
    """A newer request took the job's place."""


@frozen
class Refused:
    problems: tuple[Problem, ...]


@frozen
class Broken:
    """The job failed in a phase, for a reason in one sentence, with details."""

    phase: str
    sentence: Sentence
    detail: str
    line_dropped: bool = False  # to another machine; the job is not at fault
    timed_out: bool = False  # it took too long or did not answer, and was ended for that
    device_lost: bool = False  # nothing works in the worker any more
    hang: HangSnapshot | None = None  # where the kernel stood when the job was ended, if it stamps


Outcome: TypeAlias = Finished | Stopped | Superseded | Refused | Broken


@frozen
class JobEnded:
    job: int
    outcome: Outcome
    printed: str = ""  # the end of what kernels of one's own printed; an engine adds it


JobEvent: TypeAlias = JobProgress | JobPart | JobEnded
# A worker's end is told by an engine that hosts one for another engine.
WorkerEvent: TypeAlias = (
    WorkerReady | WorkerUnusable | WorkerLost | Heartbeat | JobStands | JobEvent
)
EngineEvent: TypeAlias = WorkerStarting | WorkerReady | WorkerLost | JobStarted | JobEvent


class _Frame(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """A message on the wire: its name, its job, and the name of the value in it."""

    message: str
    job: int
    kind: str
    value: msgspec.Raw


def _named(*kinds: type) -> dict[str, type]:
    return {kind.__name__: kind for kind in kinds}


def _holding_themselves(*kinds: type) -> dict[str, dict[str, type]]:
    return {kind.__name__: _named(kind) for kind in kinds}


_ENDS = _named(Stopped, Superseded, Refused, Broken)
# The values that each message on the wire may hold, by the message's name and then by theirs.
_COMMANDS = {"Do": _named(*get_args(JobRequest))} | _holding_themselves(Prepare, Cancel, Look)
_EVENTS = {
    "JobPart": _named(*get_args(JobFinding)),
    "JobEnded": _ENDS | _named(*get_args(JobResult)),
} | _holding_themselves(WorkerReady, WorkerUnusable, WorkerLost, Heartbeat, JobProgress, JobStands)


def encode_message(message: Command | WorkerEvent) -> bytes:
    """Encode a message as a frame.

    Raises:
        TypeError: the value in it has no form on the wire.
    """
    value: object = message
    match message:
        case Do(_, inner) | JobPart(_, inner) | JobEnded(_, Finished(inner)) | JobEnded(_, inner):
            value = inner
    job = getattr(message, "job", 0)
    return encode(
        _Frame(type(message).__name__, job, type(value).__name__, msgspec.Raw(encode(value)))
    )


def decode_command(data: bytes | bytearray | memoryview) -> Command:
    """Decode the command in a frame; a DecodeError where there is none."""
    frame, value = _decode(data, _COMMANDS)
    command: Command = Do(frame.job, value) if frame.message == "Do" else value
    return command


def decode_event(data: bytes | bytearray | memoryview, *, foreign: bool = False) -> WorkerEvent:
    """Decode the event in a frame; a DecodeError where there is none.

    One that is `foreign`, from another machine, is bounded and cleaned as a file is.
    """
    frame, value = _decode(data, _EVENTS, foreign=foreign)
    match frame.message:
        case "JobPart":
            return JobPart(frame.job, value)
        case "JobEnded":
            return JobEnded(frame.job, value if frame.kind in _ENDS else Finished(value))
        case _:
            event: WorkerEvent = value
            return event


def _decode(
    data: bytes | bytearray | memoryview,
    messages: dict[str, dict[str, type]],
    *,
    foreign: bool = False,
) -> tuple[_Frame, Any]:
    frame = decode(data, _Frame)
    kind = messages.get(frame.message, {}).get(frame.kind)
    if kind is None:
        raise DecodeError(f"there is no message {frame.message!r} that holds {frame.kind!r}")
    if not foreign:
        return frame, decode(frame.value, kind)
    check_bounds(bytes(frame.value), kind)
    return frame, clean(decode(frame.value, kind))


# What a worker on another machine says first: this, then what is there as one line of JSON, then
# frames. A login shell may have printed a greeting before it. An empty frame in the other direction
# says that somebody is there.
PREAMBLE = b"lnexplorer worker: "


@cache
def fingerprint() -> str:
    """Hash the files that say what messages hold and mean: two sides with the same hash understand
    each other.
    """
    folders = (
        Path(inspect.getfile(kind)).parent for kind in (RunRequest, DecodeError, Problem, Device)
    )
    texts = (file.read_bytes() for folder in folders for file in sorted(folder.rglob("*.py")))
    return hashlib.sha256(b"".join(texts)).hexdigest()[:12]

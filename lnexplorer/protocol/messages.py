"""The two closed unions: commands to a worker, events from it. Every message about a job carries its number."""

from typing import TypeAlias, cast

import msgspec

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.touch import Touched, TouchRequest
from lnexplorer.protocol.codec import decode
from lnkernels.launch import Problem
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Device
from lnkernels.values.figures import Figure
from lnkernels.values.timeline import ReductionTimeline


class _Message(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    pass


class Run(_Message, frozen=True):
    """Check and time the kernels."""

    job: int
    request: RunRequest
    providers: tuple[str, ...] = DEFAULT_PEERS  # who is timed beside them


class Trace(_Message, frozen=True):
    """Record when each row wanted, held and released its lock."""

    job: int
    request: RunRequest


class Measure(_Message, frozen=True):
    """Check and time several candidates, interleaved."""

    job: int
    request: MeasureRequest


class Conduct(_Message, frozen=True):
    """Do an experiment of several steps."""

    job: int
    request: ExperimentRequest


class Touch(_Message, frozen=True):
    """Tell what the programs of one row load and store; the interpreter can."""

    job: int
    request: TouchRequest


class Prepare(_Message, frozen=True):
    """Compile settings ahead of a job that may come, beside whatever goes on, in place of those of an earlier one. No answer."""

    requests: tuple[RunRequest, ...]


class Inspect(_Message, frozen=True):
    """Send the errors of a part of y or dx of the last finished run, in full resolution where it fits."""

    job: int
    tensor: str
    row_start: int
    row_stop: int
    column_start: int
    column_stop: int


class Cancel(_Message, frozen=True):
    """Leave a job between two of its steps."""

    job: int


class Ready(_Message, frozen=True):
    """The worker has its device and waits for commands."""

    device: Device


class Unusable(_Message, frozen=True):
    """The worker cannot work here, and why; it ends after this."""

    reason: str


class Heartbeat(_Message, frozen=True):
    """A thread of the worker is alive."""


class PhaseStarted(_Message, frozen=True):
    """The job has entered a phase: "compile" or "run"."""

    job: int
    phase: str


class Progress(_Message, frozen=True):
    """Steps done, in words and numbers."""

    job: int
    step: str
    done: int
    total: int


class CorrectnessReady(_Message, frozen=True):
    """Errors of the run, before its times."""

    job: int
    correctness: Correctness


class CompiledReady(_Message, frozen=True):
    """What the compiler made of the kernels."""

    job: int
    compiled: tuple[KernelFacts, ...]


class FigureReady(_Message, frozen=True):
    """One speed; a later one of the same provider, direction and mode replaces it."""

    job: int
    figure: Figure


class CandidateMeasured(_Message, frozen=True):
    """One candidate of a measurement, for good."""

    job: int
    outcome: CandidateOutcome


class MeasureFinished(_Message, frozen=True):
    """The whole measurement."""

    job: int
    measured: Measured


class ConductedSoFar(_Message, frozen=True):
    """What an experiment has found until now; a later one takes its place."""

    job: int
    result: ExperimentResult


class Conducted(_Message, frozen=True):
    """A finished experiment."""

    job: int
    result: ExperimentResult


class TouchFinished(_Message, frozen=True):
    """Every load and store."""

    job: int
    touched: Touched


class RunFinished(_Message, frozen=True):
    """The whole run."""

    job: int
    result: RunResult


class TraceFinished(_Message, frozen=True):
    """A recorded timeline."""

    job: int
    timeline: ReductionTimeline


class Inspected(_Message, frozen=True):
    """A part of an error map."""

    job: int
    map: ErrorMap


class Rejected(_Message, frozen=True):
    """The request is not possible."""

    job: int
    problems: tuple[Problem, ...]


class Failed(_Message, frozen=True):
    """The job ended in an error that the worker survived, unless it says that its device is lost."""

    job: int
    phase: str
    cause: str  # one sentence
    detail: str  # the traceback
    device_lost: bool


class Cancelled(_Message, frozen=True):
    """The job was left as asked."""

    job: int


# What has an end.
Work: TypeAlias = Run | Trace | Inspect | Measure | Conduct | Touch
Command: TypeAlias = Work | Prepare | Cancel
JobEvent: TypeAlias = (
    PhaseStarted
    | Progress
    | CorrectnessReady
    | CompiledReady
    | FigureReady
    | CandidateMeasured
    | MeasureFinished
    | ConductedSoFar
    | Conducted
    | TouchFinished
    | RunFinished
    | TraceFinished
    | Inspected
    | Rejected
    | Failed
    | Cancelled
)
Event: TypeAlias = Ready | Unusable | Heartbeat | JobEvent


def decode_command(data: bytes | bytearray | memoryview) -> Command:
    """The command in `data`.

    Raises:
        DecodeError: there is none.
    """
    return decode(data, cast("type[Command]", Command))


def decode_event(data: bytes | bytearray | memoryview) -> Event:
    """The event in `data`.

    Raises:
        DecodeError: there is none.
    """
    return decode(data, cast("type[Event]", Event))

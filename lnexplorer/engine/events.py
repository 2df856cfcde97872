"""What the engine tells its listener: the state of the worker, the progress of a job, and exactly one end for each job."""

from dataclasses import dataclass
from typing import TypeAlias

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.measuring import CandidateOutcome, Measured
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.touch import Touched
from lnkernels.launch import Problem
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Device
from lnkernels.values.figures import Figure
from lnkernels.values.timeline import ReductionTimeline


@dataclass(frozen=True, slots=True)
class WorkerStarting:
    """A worker process is on its way up."""


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """The worker has its device."""

    device: Device


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """The worker process ended, or was ended, and why in one sentence. `restarting` says whether another one follows."""

    sentence: str
    detail: str  # the tail of what it wrote to stderr
    restarting: bool


@dataclass(frozen=True, slots=True)
class JobStarted:
    """The worker has begun a job."""

    job: int


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is."""

    job: int
    phase: str
    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class JobPart:
    """A finished part of an unfinished run or measurement, or what an experiment has found so far.

    A later figure of the same provider, pass and mode replaces it, as later findings do.
    """

    job: int
    part: Correctness | tuple[KernelFacts, ...] | Figure | CandidateOutcome | ExperimentResult


# What a job may give.
Value: TypeAlias = RunResult | ReductionTimeline | ErrorMap | Measured | ExperimentResult | Touched


@dataclass(frozen=True, slots=True)
class Finished:
    """A job's result."""

    value: Value


@dataclass(frozen=True, slots=True)
class Stopped:
    """The user stopped the job."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A newer request took the job's place."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The request is not possible."""

    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """The job failed: in which phase, why in one sentence, and the details for those who want them."""

    phase: str
    sentence: str
    detail: str
    timed_out: bool = False  # it took too long or did not answer, and was ended for that


Outcome: TypeAlias = Finished | Stopped | Superseded | Refused | Broken


@dataclass(frozen=True, slots=True)
class JobEnded:
    """The one end of a job."""

    job: int
    outcome: Outcome


EngineEvent: TypeAlias = WorkerStarting | WorkerReady | WorkerLost | JobStarted | JobProgress | JobPart | JobEnded

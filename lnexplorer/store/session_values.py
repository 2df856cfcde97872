"""What a session is: everything that a window has open, and how it is shown."""

from dataclasses import dataclass, field

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.residents import Kernel, SeenLaunch
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.curves import Curve
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.views import CorrectnessView, ReductionView, SweepView, ThroughputView, TouchView
from lnexplorer.store.sweep_values import RecordedSweep
from lnkernels.values.accuracy import ErrorMap
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.timeline import ReductionTimeline


class SessionError(ValueError):
    """A session that cannot be written or read, and why, in one sentence."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SessionRun:
    """A run of the session, with what its user wrote about it."""

    result: RunResult
    note: str = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SessionTimeline:
    """The timeline on show. A simulated one is not kept: `view.model` gives it again."""

    request: ResolvedRequest
    timeline: ReductionTimeline | None
    view: ReductionView = field(default_factory=ReductionView)
    environment: Environment | None = None  # where it was recorded; None where it was not, or that is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLaunch:
    """What a trace told that was on show before: models of its kernel are measured by it."""

    kernel: Kernel
    seen: SeenLaunch


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SessionCurves:
    """Curves of GB/s against N from a benchmark or a published table, laid beside the sweep on show."""

    title: str
    kind: Kind  # published or recorded
    problem: str
    direction: str
    mode: str | None
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionViews:
    """How the panes show what they have."""

    correctness: CorrectnessView | None = None
    throughput: ThroughputView | None = None
    sweep: SweepView | None = None
    touch: TouchView | None = None
    experiment: str | None = None  # that is chosen


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Session:
    """What one file holds. `baseline`, `shown` and `charted` are places in `runs`, `sweep` is one in `sweeps`."""

    request: RunRequest
    runs: tuple[SessionRun, ...] = ()
    baseline: int | None = None
    shown: int | None = None  # the run on the screen
    charted: tuple[int, ...] = ()  # those on the chart of speeds
    layout: str = ""  # where the panes are, as Qt keeps it, in base64
    part: ErrorMap | None = None  # the finer part of an error map of the run on the screen
    timeline: SessionTimeline | None = None
    launches: tuple[SessionLaunch, ...] = ()  # that were traced
    sweeps: tuple[RecordedSweep, ...] = ()
    sweep: int | None = None  # the one on the screen
    sweep_form: SweepRequest | None = None  # what its form says
    beside: tuple[SessionCurves, ...] = ()
    experiments: tuple[ExperimentResult, ...] = ()
    views: SessionViews = field(default_factory=SessionViews)
    left_out: tuple[str, ...] = ()  # parts of the file that cannot be shown, a sentence each; reading fills it

"""Measurements: the request of one, with several candidates on a problem, and its outcomes."""

from collections import Counter
from dataclasses import fields
from typing import Any, Literal, get_args

from lnexplorer.domain import wording
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.timeline import LockWait
from lnkernels.launch import Problem
from lnkernels.launch.source import KernelSource
from lnkernels.values import Sentence, frozen_by_name, join_sentences, say
from lnkernels.values.accuracy import LAYOUTS, TensorErrors
from lnkernels.values.compiled import KernelFacts, LaunchedKernels
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.figures import DIRECTIONS, Figure, Verdict, find

Status = Literal["ok", "incorrect", "invalid", "out_of_resources", "timed_out", "failed"]

# What a job says once a second that waits for others to time on its GPU.
WAITING = say("waiting: it is the turn of {who} on this GPU")
STATUSES: tuple[Status, ...] = get_args(Status)
# What makes two settings the same problem; the rest is how it is computed.
PROBLEM_NAMES = ("m", "n", "dtype", "norm", "eps", "data", "seed")


@frozen_by_name
class MeasureRequest:
    """Candidates to check and to time, all interleaved in one run: the project's own settings, and
    providers beside them.
    """

    settings: tuple[RunRequest, ...] = ()  # of one problem; `repeats` is not looked at
    providers: tuple[str, ...] = ()  # names of entry points, such as "torch", and of `kernels`
    kernels: tuple[KernelSource, ...] = ()  # of one's own among the providers, whose code is run
    problem: RunRequest | None = (
        None  # whose m, n, dtype, eps, data and seed count; None takes those of the first setting
    )
    directions: tuple[str, ...] = DIRECTIONS
    modes: tuple[str, ...] = (
        "kernel_cold",
    )  # of MODES; none only checks the results, which the interpreter can do, too
    seconds: float = 2.0  # no turn of timing starts later than this after the first
    # half-width of the median's 95 % interval, as a share of it, at which a candidate rests
    within: float = 0.01
    most: int = 200  # samples after which it rests in any case
    # of timing that each figure gets, even where its median is known before, or `seconds` are over
    least_seconds: float = 0.0
    with_ceilings: bool = True
    time_anyway: bool = False  # also those whose results are wrong
    # trace each right setting of `locked` once, for how long its rows wait; the interpreter cannot
    waits: bool = False
    # of LAYOUTS: check the providers on tensors laid out like this, in place of the problem's
    layout: str = ""
    # for one step, such as the compilation or the check of one candidate; more ends the worker
    limit_seconds: float = 60.0

    @property
    def subject(self) -> RunRequest:
        """The problem, with everything else automatic.

        Raises:
            ValueError: there is neither a problem nor a setting.
        """
        given = self.problem or next(iter(self.settings), None)
        if given is None:
            raise ValueError("settings is empty, so that problem is needed")
        return given.problem("auto")

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for every candidate, settings first, each once."""
        return _unique([label(setting) for setting in self.settings] + list(self.providers))


@frozen_by_name(eq=False)
class MeasuredCandidate:
    """The verdict on one candidate, and its speeds: the one carrier of figures from the worker to
    files, tables and charts.
    """

    status: Status = "ok"
    # None where the status is ok and nothing is to be said, such as why a figure is not there
    reason: Sentence | None = None
    figures: tuple[Figure, ...] = ()  # with their samples; of wrong results where somebody insisted
    errors: tuple[TensorErrors, ...] = ()  # empty where it gave no results
    # the kernels of both passes as launched here; empty for others' providers
    compiled: tuple[KernelFacts, ...] = ()
    wait: LockWait | None = None  # where that was asked for
    inexact: bool = False  # beyond the tolerance, as sums in half precision are; timed all the same
    launched: LaunchedKernels | None = None  # by a kernel of one's own that is not wrong

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on its results; None where there are none."""
        if self.status != "ok":
            return "wrong" if self.status == "incorrect" else None
        if self.inexact:
            return "inexact"
        return "right" if self.launched is None or self.launched.own else "no kernel"

    @property
    def standing(self) -> str:
        """The verdict of what is ok; else the status, which says more."""
        return str(self.verdict) if self.status == "ok" else self.status

    def figure(self, direction: str, mode: str = "kernel_cold") -> Figure | None:
        return find(self.figures, direction, mode)

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the results that are beyond their tolerance."""
        wrong = self.status == "incorrect"
        return tuple(error.name for error in self.errors if wrong and not error.passed)


@frozen_by_name(eq=False)
class CandidateOutcome(MeasuredCandidate):
    """The outcome of a candidate of a request. Each has one; it says why there is no time."""

    label: str  # as in MeasureRequest.labels; its figures carry it as their provider
    setting: RunRequest | None = None  # None for a provider
    # Before and after the timing of its figures, where it is told ahead of the whole measurement,
    # which may never come.
    around: tuple[Environment, Environment] | None = None

    def part(self) -> dict[str, Any]:
        """The fields of a MeasuredCandidate, for one that is more than that."""
        return {field.name: getattr(self, field.name) for field in fields(MeasuredCandidate)}


@frozen_by_name(eq=False)
class Measured:
    request: MeasureRequest
    problem: RunRequest  # request.subject with m and n written out
    kind: Kind  # measured; interpreted where results were only checked, without a GPU
    outcomes: tuple[CandidateOutcome, ...]  # in the order of request.labels
    ceilings: tuple[Figure, ...] = ()  # of providers "copy" (forward) and "add" (backward)
    before: Environment | None = None  # None where the worker was lost before it was known
    after: Environment | None = None
    warnings: tuple[Sentence, ...] = ()  # what makes the figures doubtful; none where nothing does
    timing_seconds: float = 0.0  # in which the GPU was being timed
    total_seconds: float = 0.0

    def outcome(self, label: str) -> CandidateOutcome | None:
        return next((outcome for outcome in self.outcomes if outcome.label == label), None)


def label(setting: RunRequest) -> str:
    """A short name of a setting: its strategy, and what is not automatic."""
    return str(
        join_sentences([setting.strategy, *wording.setting_words(setting.launch.given())], ", ")
    )


def check_measure(request: MeasureRequest) -> list[Problem]:
    """List what is wrong with a request as a whole; an impossible setting costs its own candidate
    alone.
    """
    if not request.settings and not request.providers:
        return [Problem("settings", "nothing", say("give a setting or a provider"))]
    if request.layout and request.layout not in LAYOUTS:
        return [Problem("layout", request.layout, say("choose {names}", names=LAYOUTS))]
    if request.problem is None and not request.settings:
        return [
            Problem("problem", "nothing", say("give the shape that the providers are timed on"))
        ]
    pairs = [
        (name, getattr(setting, name)) for setting in request.settings for name in PROBLEM_NAMES
    ]
    wanted = {name: getattr(request.subject, name) for name in PROBLEM_NAMES}
    one = say("give all settings of one measurement the same")
    return [Problem(name, str(value), one) for name, value in pairs if value != wanted[name]][:1]


def _unique(names: list[str]) -> tuple[str, ...]:
    total, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if total[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)

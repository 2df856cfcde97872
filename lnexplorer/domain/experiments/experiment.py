"""An experiment as one object: its request, the base of its findings, and its result."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import Interval, gain_text
from lnexplorer.domain.panels import PanelPicture, Text
from lnexplorer.domain.peers import check_peers
from lnexplorer.domain.request import ResolvedRequest, RunRequest, plan_run
from lnkernels.launch import DeviceLimits, Problem
from lnkernels.launch.source import KernelSource, SettingValue, with_settings
from lnkernels.values import Sentence, frozen, frozen_by_name, say
from lnkernels.values.environment import Provenance
from lnkernels.values.timeline import StrategyTimeline

MOST_RUNS = 100_000
MOST_STEPS = 6  # from a result, worth a click
MOST_RANKS = 64  # GPUs, or ranks of the interpreter
NO_TIMES = say(
    "The interpreter runs programs one after another: no row waits, and times mean nothing."
)
Table = Sequence[Sequence[Text]]  # figures as text, the titles first


@frozen
class Change:
    """A setting with another value."""

    name: str  # of a launch setting, "strategy", or in SETTINGS of a kernel of one's own
    before: SettingValue
    after: SettingValue
    own: bool = False  # of a kernel of one's own, which may have the name of another one

    @property
    def text(self) -> Sentence:
        """The change under the name that the parameters have: GROUP_SIZE_M 96 → 48."""
        return say(
            "{name} {before} → {after}",
            name=self.name if self.own else wording.setting_label(self.name),
            before=wording.setting_value(self.before),
            after=wording.setting_value(self.after),
        )


@frozen
class Step:
    """A change that was taken, and the speed after it over that before."""

    change: Change
    gain: Interval

    @property
    def text(self) -> Sentence:
        """Say what the change does: num_warps 8 → 4: 6.1 % faster (5.4 to 6.8)."""
        return say("{name}: {why}", name=self.change.text, why=gain_text(self.gain))


@frozen_by_name
class ExperimentRequest:
    """A request for an experiment; None leaves the choice to the experiment."""

    name: str  # of EXPERIMENTS
    problem: RunRequest = field(default_factory=RunRequest)
    runs: int | None = None  # of each side that is compared; of dropout the seeds that follow
    ranks: int | None = None  # of gpus: GPUs, or ranks of the interpreter
    gpus: tuple[int, ...] = ()  # of gpus: their numbers; empty for the worker's own and the next
    providers: tuple[str, ...] = ()  # of invariance: who is looked at; empty for the usual
    # Of neighbours:
    budget_seconds: float = 60.0  # of timing
    path: tuple[Step, ...] = ()  # that led to this setting
    kernel: KernelSource | None = None  # of one's own, whose code is run; no file names one

    def changed(self, change: Change) -> "ExperimentRequest":
        """Return the request with a change of its kernel of one's own, else of its problem; another
        strategy begins with its automatic settings.
        """
        settings = {change.name: change.after}
        if self.kernel is not None:
            kernel = replace(with_settings(self.kernel, settings), name=self.kernel.name)
            return replace(self, kernel=kernel)
        if change.name == "strategy":
            return replace(self, problem=self.problem.problem(str(change.after)))
        return replace(self, problem=self.problem.changed(**settings))


@frozen_by_name(eq=False)
class ProgramLanes:
    """A chart of programs over time: a strip for each strategy, and notes below them."""

    timelines: tuple[StrategyTimeline, ...]
    notes: tuple[Sentence, ...] = ()


ExperimentChart = PanelPicture | ProgramLanes


class Findings:
    """Base of the findings of experiments: frozen dataclasses that describe themselves.

    `experiment` is a field with the experiment's name as its default: the tag of the value in files
    and messages. Subclasses define at least `sentences` and `table`.
    """

    __slots__ = ()
    TRACES: ClassVar[tuple[str, ...]] = ()  # fields that hold a timeline, or a tuple of them
    experiment: str

    def sentences(self, result: "ExperimentResult") -> list[Sentence]:
        """Return all that is seen, the most important first."""
        raise NotImplementedError

    def facts(self, result: "ExperimentResult") -> list[Sentence]:
        """Return what stands beside the chart, such as why figures are missing."""
        return []

    def table(self, result: "ExperimentResult") -> Table:
        """Return the figures as text, a line of titles first."""
        raise NotImplementedError

    def charts(self, result: "ExperimentResult") -> tuple[ExperimentChart, ...]:
        """Return the charts, the most important first; without any, the table is shown."""
        return ()

    def faults(self, result: "ExperimentResult") -> Iterator[Sentence]:
        """Yield why findings from a file are impossible, without a full stop."""
        yield from ()

    def steps(self) -> list[Step]:
        """Return what may be done from here, the best first."""
        return []

    def document(self, plain: dict[str, Any]) -> dict[str, Any]:
        """Return what `--json` shows of the findings in plain form; timelines are summaries."""
        return plain


F = TypeVar("F", bound=Findings)


@frozen_by_name
class ExperimentResult:
    """A finished experiment, or what was found so far."""

    request: ExperimentRequest  # completed
    resolved: ResolvedRequest
    provenance: Provenance
    findings: Findings

    def findings_of(self, kind: type[F]) -> F:
        """Return the findings, which are of a known kind."""
        assert isinstance(self.findings, kind), f"an experiment on {self.request.name}"
        return self.findings

    @property
    def on_gpu(self) -> bool:
        return self.provenance.environment.gpu is not None

    def sentences(self) -> list[Sentence]:
        """Return all that is seen, the most important first."""
        return self.findings.sentences(self)

    def seen(self) -> str:
        """Return all that is seen, in English."""
        return " ".join(map(str, self.sentences()))

    def facts(self) -> list[Sentence]:
        """Return what stands beside the chart."""
        return self.findings.facts(self)

    def table(self) -> Table:
        """Return the figures as text, a line of titles first."""
        return self.findings.table(self)

    def charts(self) -> tuple[ExperimentChart, ...]:
        """Return the charts, the most important first."""
        return self.findings.charts(self)


@frozen_by_name
class Experiment:
    """An experiment: its question, and the problem on which it is done by default.

    Its measuring code is the function `measure` of lnexplorer.worker.experiments.NAME.

    Args:
        findings: the type of its findings.
        problems, runs: by backend, "cuda" and "interpreter".
        least_runs: that make sense.
        strategy: of the problem that a result names; "locked" is what a request has to name.
        with_group_size: whether GROUP_SIZE_M belongs to the problem's description.
        takes_gpus: whether it runs on several GPUs.
        any_launch: whether its problem may have any strategy, settings and norm.
        refuse: returns what else makes a problem impossible, as it is run on a device.
    """

    name: str
    title: Sentence
    question: Sentence
    findings: type[Findings]
    problems: Mapping[str, RunRequest]
    runs: Mapping[str, int]
    least_runs: int = 1
    strategy: str = "locked"
    with_group_size: bool = False
    takes_gpus: bool = False
    any_launch: bool = False
    refuse: Callable[[ResolvedRequest], list[Problem]] = lambda _resolved: []

    def complete(self, request: ExperimentRequest, backend: str) -> ExperimentRequest:
        """Return the request with shape and number of runs chosen; what is given stays.

        The experiment's own problem differs from the default one in shape and buffers alone, so
        that a default that is given by name is not taken for one that is open. Where the shape is
        given, GROUP_SIZE_M is not taken from it either.
        """
        own, given, default = self.problems[backend], request.problem, RunRequest()
        shaped = given.m is not None or given.n is not None
        chosen = {
            name: own.value(name)
            for name, value in given.flat().items()
            if value == default.value(name) and not (shaped and name == "group_size_m")
        }
        runs = self.runs[backend] if request.runs is None else request.runs
        return replace(request, problem=given.changed(**chosen), runs=runs)

    def resolve(
        self, whole: ExperimentRequest, backend: str, limits: DeviceLimits | None
    ) -> ResolvedRequest:
        """Return the problem of a completed request as it is run on a device."""
        problem = whole.problem
        if not self.any_launch and self.strategy != problem.strategy:
            problem = problem.problem(self.strategy)
        return replace(plan_run(problem, backend, limits).resolved, repeats=1)

    def check(
        self, request: ExperimentRequest, backend: str, limits: DeviceLimits | None = None
    ) -> list[Problem]:
        """Return what makes a request impossible; empty if it can be done."""
        whole = self.complete(request, backend)
        assert whole.runs is not None, "completed"
        problems = self._wrong_ranks(request, whole.problem.m)
        if not self.least_runs <= whole.runs <= MOST_RUNS:
            problems.append(
                Problem("repeats", str(whole.runs), _whole_number(self.least_runs, MOST_RUNS))
            )
        refused = () if self.name == "invariance" else request.providers
        if request.kernel is not None and not self.any_launch:
            refused = (*refused, request.kernel.name)
        if refused:
            allowed = say("leave it out: only invariance takes providers")
            problems.append(Problem("provider", ", ".join(refused), allowed))
        problems += check_peers(request.providers)
        if not self.any_launch and whole.problem.strategy != "locked":
            allowed = say("choose locked; the experiment chooses others by itself")
            return [*problems, Problem("strategy", whole.problem.strategy, allowed)]
        if not self.any_launch and whole.problem.norm != "layer_norm":
            return [Problem("norm", whole.problem.norm, say("choose layer_norm"))]
        plan = plan_run(whole.problem, backend, limits)
        problems += plan.problems
        return problems or self.refuse(plan.resolved)

    def _wrong_ranks(self, request: ExperimentRequest, m: int | None) -> list[Problem]:
        """Return what is wrong with ranks, each of which needs a row at least."""
        named, ranks = request.gpus, request.ranks
        if not self.takes_gpus:
            given = {"gpus": named or None, "ranks": ranks}
            allowed = say("leave it out: only gpus has them")
            return [
                Problem(name, str(value), allowed)
                for name, value in given.items()
                if value is not None
            ][:1]
        if len(set(named)) < len(named):
            devices = ",".join(f"cuda:{number}" for number in named)
            return [Problem("device", devices, say("name each GPU once"))]
        if ranks is not None and named and ranks != len(named):
            allowed = say("leave it out: {count} GPUs are named", count=len(named))
            return [Problem("ranks", str(ranks), allowed)]
        count, most = (
            len(named) or (2 if ranks is None else ranks),
            min(MOST_RANKS, m or MOST_RANKS),
        )
        if 2 <= count <= most:
            return []
        return [Problem("ranks", str(count), _whole_number(2, most))]


def _whole_number(least: int, most: int) -> Sentence:
    return say("take a whole number from {least} to {most}", least=least, most=most)


def wrong_length(name: str, values: NDArray[np.generic], length: int) -> Iterator[Sentence]:
    """Yield why an array of a file is not one value for each column."""
    if values.shape != (length,):
        shape = " × ".join(map(str, values.shape))
        yield say("the shape of {what} is {found}", what=name, found=shape or say("none"))


def not_ascending(values: list[int]) -> Iterator[Sentence]:
    """Yield why the sizes or widths of a file are no axis."""
    if len(values) < 2 or values != sorted(set(values)):
        yield say("its sizes are fewer than 2, or not in their order, each once")

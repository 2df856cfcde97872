"""The runs on the chart of speeds, and what is said of the newest one."""

from collections.abc import Iterable

from lnexplorer.domain.live import LivePoint
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.speed_runs import Run
from lnkernels.values.environment import KIND_NAMES
from lnkernels.values.figures import Figure, Throughput
from lnkernels.values.sentence import Sentence, say

MOST_RUNS = 300  # kept in the chart


class ChartedRuns:
    """Keeps the newest MOST_RUNS runs, oldest first; the last one is filled while it runs."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self.gpu = ""  # that runs are begun on

    @property
    def last(self) -> Run | None:
        return self._runs[-1] if self._runs else None

    @property
    def timed(self) -> list[Run]:
        """The runs that have figures to draw."""
        return [run for run in self._runs if run.providers()]

    @property
    def failed(self) -> list[Run]:
        return [run for run in self._runs if run.failed]

    @property
    def whole(self) -> list[Run]:
        """The runs that have ended."""
        return [run for run in self._runs if run.finished]

    def begin(self, resolved: ResolvedRequest) -> None:
        # Live figures stay until the run has better.
        if not (self._runs and self._runs[-1].is_live(resolved)):
            self._append(resolved)

    def add_figure(self, figure: Figure) -> None:
        """Give a figure to the run that was begun last, unless it has ended."""
        if self._runs and not self._runs[-1].finished:
            self._runs[-1].add(figure)

    def follow(self, point: LivePoint) -> None:
        """Take the figures so far of a setting that has just been moved to."""
        if not (self._runs and self._runs[-1].is_live(point.resolved)):
            before = list(self._runs)
            self._append(point.resolved).take_lines(before)
        self._runs[-1].follow(point)

    def end(self, result: RunResult) -> None:
        """Take the end of the run that was begun last, or a whole run from elsewhere."""
        last = self.last
        if last is None or last.finished or last.resolved != result.resolved:
            last = self._append(result.resolved)
        last.finish(result)

    def put_before(self, results: Iterable[RunResult]) -> None:
        """Put whole runs from elsewhere before all others, unless they are there."""
        there = {(run.resolved, run.date) for run in self.whole}
        runs = [Run.of(result) for result in results]
        earlier = [run for run in runs if (run.resolved, run.date) not in there]
        self._runs = [*earlier, *self._runs][-MOST_RUNS:]
        for number, run in enumerate(self._runs, 1):
            run.number = number

    def _append(self, resolved: ResolvedRequest) -> Run:
        """Add a run, in the place of one that has brought no figure."""
        if self._runs and not self._runs[-1].finished and not self._runs[-1].figures:
            self._runs.pop()
        number = self._runs[-1].number + 1 if self._runs else 1
        run = Run(number, resolved, expected=self.gpu)
        self._runs = [*self._runs, run][-MOST_RUNS:]
        return run


def remarks_of(run: Run, *, interpreted: bool) -> list[Sentence]:
    """Return who has no time in a run, and why; `interpreted` where the device gives none."""
    remarks = []
    if run.failed and run.strategy not in run.providers():
        remarks.append(
            say(
                "No time for {provider} in run {run}: the result is wrong, {names} beyond"
                " tolerance",
                provider=run.strategy,
                run=run.number,
                names=", ".join(run.failed),
            )
        )
    elif run.reason:
        remarks.append(
            say(
                "No time for {provider} in run {run}: {reason}",
                provider=run.strategy,
                run=run.number,
                reason=run.reason,
            )
        )
    if interpreted and run.providers():
        remarks.append(
            say(
                "Not measured here: {kind} on {device}. This machine has only Triton's"
                " interpreter.",
                kind=KIND_NAMES[run.kind],
                device=run.device or "?",
            )
        )
    times = Throughput(figures=tuple(run.figures.values()))
    for refusal in run.refusals:
        provider, reason = provider_label(refusal.provider), refusal.reason
        if times.is_timed_anyway(refusal):
            said = say(
                "{provider} is WRONG, and timed all the same: {reason}",
                provider=provider,
                reason=reason,
            )
        else:
            said = say("No time for {provider}: {reason}", provider=provider, reason=reason)
        remarks.append(said)
    return remarks

"""What recording costs on this machine's GPU, about two minutes: `python -m
tests.benchmarks.trace_costs`, instrumented passes against plain ones.

A line for each launch of `locked`: the plain pass and the traced one, their ratio, the mean wait
that the trace tells; then the strategies of the experiment. Run it twice to see how far the figures
are those of the moment.
"""

import sys

from lnexplorer.domain.experiments.experiment import (
    ExperimentRequest,
    ExperimentResult,
)
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.jobs import TraceJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.timeline import summarize
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Finished
from lnkernels.values.timeline import ReductionTimeline, TraceCost

SHAPES = [
    *((4096, 1024, size) for size in (1, 4, 16, 64, 256, 512)),
    (16384, 1024, 256),
    (4096, 2048, 128),
    (1151, 8192, None),
    (4096, 8192, None),
]


def main() -> int:
    """Print all lines; 1 where something could not be traced."""
    print(
        f"{'pass':<32}{'plain µs':>12}{'traced µs':>12}{'cost':>9}{'queued µs':>12}{'trying µs':>12}"
    )
    for m, n, group in SHAPES:
        (outcome,) = run_in_turn([TraceJob(RunRequest.of(m=m, n=n, group_size_m=group))])
        if (
            not (isinstance(outcome, Finished) and isinstance(outcome.value, ReductionTimeline))
            or outcome.value.cost is None
        ):
            print(f"{m}×{n} was not traced: {outcome}", file=sys.stderr)
            return 1
        timeline = outcome.value
        wait = summarize(timeline).wait
        print(
            _line(f"locked {m}×{n}, G {timeline.group_size_m}", outcome.value.cost)
            + f"{wait.queued_ns / 1e3:>12.2f}{wait.trying_ns / 1e3:>12.2f}",
            flush=True,
        )
    (outcome,) = run_in_turn([ExperimentRequest(name="strategies")])
    if not (isinstance(outcome, Finished) and isinstance(outcome.value, ExperimentResult)):
        print(f"the strategies were not compared: {outcome}", file=sys.stderr)
        return 1
    for lanes in outcome.value.findings_of(Strategies).timelines():
        if lanes.cost is not None:
            print(_line(f"{lanes.strategy} {lanes.m}×{lanes.n}", lanes.cost))
    return 0


def _line(name: str, cost: TraceCost) -> str:
    return f"{name:<32}{cost.plain_ns / 1e3:>12.1f}{cost.traced_ns / 1e3:>12.1f}{100 * cost.share:>+8.1f} %"


if __name__ == "__main__":
    raise SystemExit(main())

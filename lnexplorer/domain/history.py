"""One run as a line of the history: few plain values, so that thousands of runs stay a small table."""

from dataclasses import dataclass
from datetime import datetime

from lnexplorer.domain.comparison import Interval, median_interval, ratio
from lnexplorer.domain.result import RunResult
from lnkernels.sentence import Sentence
from lnkernels.values.accuracy import TENSORS
from lnkernels.values.environment import Kind
from lnkernels.values.figures import DIRECTIONS

HEADLINE_MODE = "kernel_cold"  # the mode whose speeds stand in the table: the kernels alone, L2 flushed before each repetition


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """What the history shows of a run. None is "not known", as the speeds on the interpreter are."""

    id: int  # number of the run in the history
    date: str  # ISO 8601, UTC
    kind: Kind
    device: str
    m: int
    n: int
    dtype: str
    strategy: str
    group_size_m: int
    passed: bool
    failed: tuple[str, ...]  # the results beyond their tolerance
    y_error: float | None  # largest absolute error of kernel − truth
    dx_error: float | None
    dw_error: float | None
    db_error: float | None
    forward_gbps: float | None
    backward_gbps: float | None
    forward_share: float | None  # of the measured ceiling, as a fraction
    backward_share: float | None
    # The 95 % interval of the median speed; None where there are no samples, or too few for one.
    forward_low: float | None = None
    forward_high: float | None = None
    backward_low: float | None = None
    backward_high: float | None = None
    # GB/s of all bytes that the kernels move; None where the run was kept before these were listed.
    forward_counted: float | None = None
    backward_counted: float | None = None
    note: str = ""  # what its user wrote about the run

    def speed(self, direction: str) -> Interval | None:
        """GB/s of "forward" or "backward" with its interval; None where one of them is not known."""
        low, value, high = (getattr(self, f"{direction}_{part}") for part in ("low", "gbps", "high"))
        return Interval(low, value, high) if low and value and high else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """A sweep as a line of the history."""

    id: int
    date: str  # ISO 8601, UTC
    command: str  # its options
    total: int  # cells
    done: int  # cells with a row
    ended: str  # finished, cancelled or failed; empty while it runs, and after a crash
    note: str = ""  # what its user wrote about it
    running: bool = False  # somebody is at it now: this window, another one, or a command

    @property
    def complete(self) -> bool:
        """Whether there is nothing to go on with; a search may end before it has tried all."""
        return self.done >= self.total or self.ended == "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRow:
    """An experiment as a line of the history."""

    id: int
    date: str  # ISO 8601, UTC
    name: str  # of the experiment
    kind: Kind
    device: str
    m: int
    n: int
    dtype: str
    ended: str  # finished, stopped or failed
    reason: Sentence | None  # why it failed
    done: int  # steps of `total` that were behind it when it ended early
    total: int


def local_minute(iso: str) -> str:
    """A date of the history, ISO 8601, in local time, as it is shown."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return iso


def unlike(row: HistoryRow, baseline: HistoryRow) -> str:
    """In what two runs differ so that their speeds say nothing about each other: "problem", "device", or nothing."""
    if (row.m, row.n, row.dtype) != (baseline.m, baseline.n, baseline.dtype):
        return "problem"
    return "device" if row.device != baseline.device else ""


def compare(row: HistoryRow, baseline: HistoryRow, direction: str) -> Interval | None:
    """Speed of `row` over that of `baseline`, or None: one of them is not known, or `unlike` says why not."""
    one, other = row.speed(direction), baseline.speed(direction)
    if one is None or other is None or unlike(row, baseline):
        return None
    return ratio(one, other)


def history_row(id: int, date: str, result: RunResult) -> HistoryRow:  # noqa: A002 - the field's name
    """The line of one run.

    Args:
        id: number of the run in the history.
        date: when it was run, ISO 8601, UTC.
        result: the run. The speeds of a result beyond its tolerance are left out.
    """
    resolved, checks = result.resolved, result.correctness.checks
    found: dict[str, float | None] = {f"{name}_error": None for name in TENSORS}
    found |= {f"{check.name}_error": check.kernel_vs_truth.max_abs for check in checks}
    for direction in DIRECTIONS:
        figure = None
        if result.throughput is not None and result.correctness.passed:
            figure = result.throughput.find(resolved.launch.strategy, direction, HEADLINE_MODE)
        if figure is None:
            found |= {f"{direction}_{name}": None for name in ("gbps", "share")}
            continue
        found |= {
            f"{direction}_gbps": figure.gbps,
            f"{direction}_counted": figure.counted_gbps,
            f"{direction}_share": figure.share_of_ceiling,
        }
        interval = median_interval(figure.samples_ms)
        if interval is not None and interval.is_known:
            # GB/s is bytes over time: the slow end of the times is the low end of the speeds.
            moved = figure.gbps * figure.p50_ms
            found |= {f"{direction}_low": moved / interval.high, f"{direction}_high": moved / interval.low}
    return HistoryRow(
        id=id,
        date=date,
        kind=result.provenance.kind,
        device=result.provenance.environment.gpu or "CPU",
        m=resolved.m,
        n=resolved.n,
        dtype=resolved.dtype,
        strategy=resolved.launch.strategy,
        group_size_m=resolved.launch.group_size_m,
        passed=result.correctness.passed,
        failed=tuple(check.name for check in checks if not check.passed),
        **found,  # type: ignore[arg-type]  # numbers alone
    )

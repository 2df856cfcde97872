"""A report: one page of HTML that holds everything it shows, follows the reader's light or dark, and can be printed."""

from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from lnexplorer import __version__
from lnexplorer.domain import wording
from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.words import TITLES
from lnexplorer.domain.history import HEADLINE_MODE, HistoryRow, compare, history_row, unlike
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.state_words import state_lines
from lnexplorer.report.document import run_document
from lnexplorer.report.experiment_section import experiment_section
from lnexplorer.report.page import page, table, verdict
from lnexplorer.report.pictures import errors, speeds
from lnexplorer.report.script import command, triton_config
from lnexplorer.report.speed_text import BYTES_HELP, speed_text
from lnexplorer.report.sweep_section import heading, sweep_section
from lnexplorer.report.table import KeptRun
from lnexplorer.store.history_lines import local_minute
from lnexplorer.store.sweep_values import RecordedSweep
from lnkernels.values.environment import KIND_HELP

ERRORS_HELP = "Elements by the size of their error, of the kernels and, in the other colour, of PyTorch."


def report(
    runs: Sequence[KeptRun],
    baseline: KeptRun | None,
    written: str,
    sweeps: Sequence[RecordedSweep] = (),
    experiments: Sequence[ExperimentResult] = (),
) -> str:
    """The page.

    Args:
        runs: what is reported on, in this order.
        baseline: the run that the others are compared with; it is among them, or shown before them.
        written: when, ISO 8601.
        sweeps: those that follow the runs.
        experiments: those that follow the sweeps.
    """
    if baseline is not None and all(run.id != baseline.id for run in runs):
        runs = [baseline, *runs]
    lines = {run.id: history_row(run.id, run.result.provenance.environment.date, run.result) for run in runs}
    title = _title(runs, sweeps, experiments)
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="muted">Written by lnexplorer {__version__}, {escape(local_minute(written))}</p>',
        _overview(runs, lines, None if baseline is None else lines[baseline.id]) if runs else "",
        _contents(sweeps, experiments),
        *(_section(run) for run in runs),
        *(sweep_section(sweep, f"sweep-{number}", number) for number, sweep in enumerate(sweeps, 1)),
        *(experiment_section(result, f"experiment-{number}") for number, result in enumerate(experiments, 1)),
    ]
    return page(title, body)


def _title(runs: Sequence[KeptRun], sweeps: Sequence[RecordedSweep], experiments: Sequence[ExperimentResult]) -> str:
    if len(runs) == 1 and not sweeps and not experiments:
        return f"LayerNorm: {_shape(runs[0].result)}"
    counted = (("run", len(runs)), ("sweep", len(sweeps)), ("experiment", len(experiments)))
    return "LayerNorm: " + ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in counted if count)


def _contents(sweeps: Sequence[RecordedSweep], experiments: Sequence[ExperimentResult]) -> str:
    """Where to find what is not in the overview."""
    links = [f'<a href="#sweep-{number}">{escape(heading(sweep, number))}</a>' for number, sweep in enumerate(sweeps, 1)]
    links += [
        f'<a href="#experiment-{number}">{escape(str(TITLES[result.request.name]))}</a>'
        for number, result in enumerate(experiments, 1)
    ]
    return f"<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul>" if links else ""


def _overview(runs: Sequence[KeptRun], lines: dict[int, HistoryRow], baseline: HistoryRow | None) -> str:
    titles = ["run", "device", "kind", "problem", "strategy", "verdict", "forward GB/s", "share", "backward GB/s", "share"]
    if baseline is not None:
        titles += ["forward to baseline", "backward to baseline"]
    rows = []
    for run in runs:
        line = lines[run.id]
        cells = [
            f'<a href="#run-{line.id}">{line.id}</a>',
            escape(line.device),
            f'<span title="{escape(KIND_HELP[line.kind])}">{line.kind}</span>',
            escape(wording.shape(line.m, line.n, line.dtype)),
            escape(line.strategy),
            _verdict(line),
            _speed(run.result, line, "forward"),
            wording.share(line.forward_share),
            _speed(run.result, line, "backward"),
            wording.share(line.backward_share),
        ]
        if baseline is not None:
            cells += [_difference(line, baseline, direction) for direction in ("forward", "backward")]
        rows.append(cells)
    note = f'<p class="muted">{BYTES_HELP}</p>' if any(line.forward_gbps or line.backward_gbps for line in lines.values()) else ""
    if baseline is not None:
        note += (
            f'<p class="muted">Baseline: run {baseline.id}. Differences are ratios of median speeds with their 95 % interval, '
            "from the samples of both runs, where they are of one problem on one device.</p>"
        )
    return f"{table(titles, rows, numbers_from=6)}{note}"


def _speed(result: RunResult, line: HistoryRow, direction: str) -> str:
    """What the overview shows of a pass: nothing where the line has no speed, as with results beyond their tolerance."""
    if result.throughput is None or getattr(line, f"{direction}_gbps") is None:
        return wording.ABSENT
    return speed_text(result.throughput.find(result.resolved.launch.strategy, direction, HEADLINE_MODE))


def _difference(line: HistoryRow, baseline: HistoryRow, direction: str) -> str:
    if line.id == baseline.id:
        return "baseline"
    interval = compare(line, baseline, direction)
    if interval is None:
        known = line.speed(direction) is not None and baseline.speed(direction) is not None
        return f"another {unlike(line, baseline)}" if known and unlike(line, baseline) else wording.ABSENT
    low, value, high = (f"{100 * (part - 1):+.1f}" for part in (interval.low, interval.value, interval.high))
    return f"within noise ({low} to {high} %)" if interval.holds_nothing else f"{value} % ({low} to {high})"


def _section(run: KeptRun) -> str:
    result = run.result
    resolved = result.resolved
    heading = f"Run {run.id}: {_shape(result)}, {resolved.launch.strategy}"
    checks = [
        [
            check.name,
            wording.error(check.kernel_vs_truth.max_abs),
            wording.error(check.torch_vs_truth.max_abs),
            wording.error(check.tolerance),
            verdict(good=check.passed, words="within" if check.passed else "beyond"),
        ]
        for check in result.correctness.checks
    ]
    parts = [
        f'<h2 id="run-{run.id}">{escape(heading)}</h2>',
        f"<p>{escape(run.note)}</p>" if run.note else "",
        f"<section>{table(['', 'largest error', 'PyTorch’s', 'tolerance', ''], checks, numbers_from=1)}</section>",
        f"<section>{speeds(result)}</section>" if result.throughput else _untimed(result),
        f"<section>{errors(result)}<p class='muted'>{ERRORS_HELP}</p></section>",
        f"<section><pre>{escape(command(result))}\n\n{escape(triton_config(result))}</pre></section>",
        *(f'<p class="muted">{escape(note)}</p>' for note in result.notes),
        f"<section><details open><summary>Settings and environment</summary>{_facts(result)}</details></section>",
    ]
    return "\n".join(filter(None, parts))


def _untimed(result: RunResult) -> str:
    return f'<p class="muted">No speeds: {escape(KIND_HELP[result.provenance.kind])}</p>'


def _facts(result: RunResult) -> str:
    resolved = run_document(result)["resolved"]
    launch = {key: value for key, value in resolved["launch"].items() if value is not None}
    values = {key: value for key, value in resolved.items() if key != "launch"} | launch
    stamp = {key: value for key, value in asdict(result.provenance.environment).items() if value not in (None, ())}
    times = result.throughput
    around = dict(state_lines(times.before, times.after)) if times is not None and times.before is not None else {}
    around = {f"{name}, before → after timing": value for name, value in around.items()}
    peers = {"timed beside": ", ".join(result.providers)} if times is not None else {}
    halves = (values | peers, stamp | around)
    tables = ([[escape(key), escape(_words(value))] for key, value in half.items()] for half in halves)
    return f'<div class="beside">{"".join(table(["", ""], rows, numbers_from=2) for rows in tables)}</div>'


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _verdict(line: HistoryRow) -> str:
    return verdict(good=line.passed, words="✓" if line.passed else f"✗ {', '.join(line.failed)}")


def _shape(result: RunResult) -> str:
    return wording.shape(result.resolved.m, result.resolved.n, result.resolved.dtype)

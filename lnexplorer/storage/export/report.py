"""A report: one page of HTML that holds everything it shows, follows the reader's light or dark, and can be printed."""

from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from lnexplorer import __version__
from lnexplorer.domain import wording
from lnexplorer.domain.history import HistoryRow, compare, history_row
from lnexplorer.domain.provenance import KIND_HELP
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.state_words import state_lines
from lnexplorer.storage.export.pictures import errors, speeds
from lnexplorer.storage.export.script import command, triton_config
from lnexplorer.storage.export.table import KeptRun
from lnexplorer.storage.history_lines import local_minute

ERRORS_HELP = "Elements by the size of their error, of the kernels and, in the other colour, of PyTorch."
STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --text: #15181c; --muted: #565f6b; --line: #cfd4db; --own: #E69F00;
  --peer: #56B4E9; --good: #00734f; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #16191d; --text: #eceff3; --muted: #a5adb8; --line: #3a4049;
  --good: #3ecf8e; --bad: #ff6b5e; } }
@media print { :root { --page: #ffffff; --text: #000000; --muted: #444444; --line: #999999; --good: #00734f; --bad: #b3261e; }
  section { break-inside: avoid; } }
body { background: var(--page); color: var(--text); font: 16px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif;
  max-width: 1000px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; border-top: 1px solid var(--line); padding-top: 1rem; }
.muted { color: var(--muted); } .good { color: var(--good); } .bad { color: var(--bad); }
table { border-collapse: collapse; margin: 0.5rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; } .wide { overflow-x: auto; }
pre { white-space: pre-wrap; border: 1px solid var(--line); padding: 0.5rem; }
svg { max-width: 100%; height: auto; margin: 0.5rem 0.5rem 0.5rem 0; } svg text { fill: var(--text); font-size: 13px; }
.own { fill: var(--own); } .peer { fill: var(--peer); } .thin { fill-opacity: 0.55; } .sample { fill: var(--text); opacity: 0.4; }
.spread { stroke: var(--text); stroke-width: 2; } .ceiling { stroke: var(--muted); stroke-dasharray: 4 3; }
"""


def report(runs: Sequence[KeptRun], baseline: KeptRun | None, written: str) -> str:
    """The page.

    Args:
        runs: what is reported on, in this order.
        baseline: the run that the others are compared with; it is among them, or shown before them.
        written: when, ISO 8601.
    """
    if baseline is not None and all(run.id != baseline.id for run in runs):
        runs = [baseline, *runs]
    lines = {run.id: history_row(run.id, run.result.provenance.environment.date, run.result) for run in runs}
    title = f"LayerNorm: {len(runs)} runs" if len(runs) != 1 else f"LayerNorm: {_shape(runs[0].result)}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="muted">Written by lnexplorer {__version__}, {escape(local_minute(written))}</p>',
        _overview(runs, lines, None if baseline is None else lines[baseline.id]),
        *(_section(run) for run in runs),
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(body) + "\n</body></html>\n"


def _overview(runs: Sequence[KeptRun], lines: dict[int, HistoryRow], baseline: HistoryRow | None) -> str:
    titles = ["run", "device", "kind", "problem", "strategy", "verdict", "forward GB/s", "backward GB/s", "share"]
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
            wording.gbps(line.forward_gbps),
            wording.gbps(line.backward_gbps),
            wording.share(line.backward_share),
        ]
        if baseline is not None:
            cells += [_difference(line, baseline, direction) for direction in ("forward", "backward")]
        rows.append(cells)
    note = ""
    if baseline is not None:
        note = (
            f'<p class="muted">Baseline: run {baseline.id}. Differences are ratios of median speeds with their 95 % interval, '
            "from the samples of both runs.</p>"
        )
    return f'<div class="wide">{_table(titles, rows, numbers_from=6)}</div>{note}'


def _difference(line: HistoryRow, baseline: HistoryRow, direction: str) -> str:
    if line.id == baseline.id:
        return "baseline"
    interval = compare(line, baseline, direction)
    if interval is None:
        return wording.ABSENT
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
            '<span class="good">within</span>' if check.passed else '<span class="bad">beyond</span>',
        ]
        for check in result.correctness.checks
    ]
    parts = [
        f'<h2 id="run-{run.id}">{escape(heading)}</h2>',
        f"<p>{escape(run.note)}</p>" if run.note else "",
        f"<section>{_table(['', 'largest error', 'PyTorch’s', 'tolerance', ''], checks, numbers_from=1)}</section>",
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
    launch = asdict(result.resolved.launch)
    values = {key: value for key, value in asdict(result.resolved).items() if key != "launch"} | launch
    stamp = {key: value for key, value in asdict(result.provenance.environment).items() if value not in (None, ())}
    times = result.throughput
    around = dict(state_lines(times.before, times.after)) if times is not None and times.before is not None else {}
    around = {f"{name}, before → after timing": value for name, value in around.items()}
    peers = {"timed beside": ", ".join(result.providers)} if times is not None else {}
    rows = [[escape(key), escape(_words(value))] for key, value in (values | peers | stamp | around).items()]
    return _table(["", ""], rows, numbers_from=2)


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _verdict(line: HistoryRow) -> str:
    if line.passed:
        return '<span class="good">✓</span>'
    return f'<span class="bad">✗ {escape(", ".join(line.failed))}</span>'


def _shape(result: RunResult) -> str:
    return wording.shape(result.resolved.m, result.resolved.n, result.resolved.dtype)


def _table(titles: list[str], rows: list[list[str]], numbers_from: int) -> str:
    """Cells are HTML already; titles are text."""

    def cells(tag: str, values: list[str]) -> str:
        kinds = (' class="number"' if place >= numbers_from else "" for place in range(len(values)))
        return "".join(f"<{tag}{kind}>{value}</{tag}>" for kind, value in zip(kinds, values, strict=True))

    head = f"<tr>{cells('th', [escape(title) for title in titles])}</tr>" if any(titles) else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table>{head}{body}</table>"

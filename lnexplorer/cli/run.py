"""`lnexplorer run`: one run, checked and timed, without a window."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lnexplorer.cli.commands import FAILED, NOT_WITHIN_TOLERANCE, OK
from lnexplorer.cli.jobs import add_hard_inputs, keep_run, run_beside
from lnexplorer.cli.options import (
    CommandParser,
    Options,
    add_device_option,
    add_flag,
    add_run_options,
)
from lnexplorer.cli.providers import add_provider_option, add_time_anyway_option, read_run
from lnexplorer.cli.terminal import aligned, give
from lnexplorer.domain import wording
from lnexplorer.domain.compiled import Rows, facts_of
from lnexplorer.domain.doubts import state_sentence
from lnexplorer.domain.kernel_versions import HardInputs
from lnexplorer.domain.result import RunResult
from lnexplorer.report.documents import run_document
from lnkernels.values.accuracy import TensorCheck
from lnkernels.values.environment import KIND_HELP
from lnkernels.values.figures import Figure

DESCRIPTION = "Check and time the kernels once. What is not given is automatic."
EPILOG = """\
Exit status: 0 correct; 1 ran, and a result is not within its tolerance, or a provider that is named
is wrong, fails or is not here; 2 the request is not possible; 3 the worker failed, or the run is
not in the history; 130 interrupted, 143 by SIGTERM, 129 by a hang-up.
"""
# GB/s of the tutorial's bytes, and of all bytes that the kernels move.
SPEED_HEADS = (
    "provider",
    "pass",
    "timing",
    "GB/s",
    "requested",
    "p20–p80",
    "median",
    "× torch",
    "of ceiling",
    "host",
)
SPEEDS_FROM = 3  # the first column of numbers


def main(options: Options) -> int:
    job = read_run(options)
    if not job.kernels:
        options.refuse_given(("hard",), "name a kernel of your own by --provider FILE")
    if job.request.strategy not in ("locked", "auto"):
        options.refuse_given(("autopsy",), "choose locked, whose rows stamp what they do")
    options.end_if_refused()
    result, hard, interrupted = run_beside(job, options.device), dict[str, HardInputs](), False
    if options.hard:
        result, hard, interrupted = add_hard_inputs(result, job.kernels, options.device)
    kept = keep_run("run", result, job.kernels, hard)  # before a reader such as `head` can end this
    give(run_document(result), run_text(result), as_json=options.json)
    if interrupted:
        raise KeyboardInterrupt
    return status_of(result) if kept else FAILED


def status_of(result: RunResult) -> int:
    """Return 0 where the kernels are right, and every provider that was asked for and could be
    checked.
    """
    return NOT_WITHIN_TOLERANCE if result.failed else OK


def parser() -> CommandParser:
    made = CommandParser("run", DESCRIPTION, EPILOG)
    add_run_options(made)
    add_provider_option(made)
    add_time_anyway_option(made)
    add_flag(
        made,
        "--hard",
        "check the kernels of your own on hard inputs, too: other data, shapes at the edges of"
        " blocks, three dimensions, strides, offsets, dtypes, no weight, no rows, later calls,"
        " and on a GPU 65,537 rows",
    )
    add_flag(
        made,
        "--autopsy",
        "record what rows of locked do while they are checked, --repeats times: if it hangs,"
        " the end says which row, lock and line is the cause. Kernels of your own that stamp their"
        " phases need no --autopsy: on a GPU they are recorded before their check",
    )
    add_device_option(made)
    return made


def run_text(result: RunResult) -> str:
    """Format a run, in lines of at most about 100 characters."""
    parts = [_head(result), _errors(result)]
    if result.compiled:  # of the strategy, so before what is of other kernels
        parts.append(facts_table([(facts.name, facts_of(facts)) for facts in result.compiled]))
    # Their notes say the verdict, which is not of the errors alone.
    parts += [
        f"{name}\n{_error_table(checks, 'inexact' if name in result.inexact else 'FAILED')}"
        for name, checks in result.own_checks.items()
    ]
    if result.throughput is not None:
        parts.append(_speeds(result.throughput.figures))
        state = state_sentence(result.throughput.before, result.throughput.after)
        parts += [f"device before → after timing: {state}"] if state else []
        parts += [
            f"{refusal.provider}: {'WRONG, timed all the same' if anyway else 'no time'},"
            f" {refusal.reason}"
            for refusal in result.throughput.refusals
            for anyway in [result.throughput.is_timed_anyway(refusal)]
        ]
    parts += map(str, result.notes)
    return "\n\n".join(parts)


def _head(result: RunResult) -> str:
    resolved, provenance = result.resolved, result.provenance
    launch, environment = resolved.launch, provenance.environment
    problem = resolved.title
    asked = result.request.strategy
    strategy = launch.strategy if asked == launch.strategy else f"{asked}: {launch.strategy}"
    settings = wording.setting_text(launch, result.request.launch.given())
    data = f"data {resolved.data}, seed {resolved.seed}"
    choices = f"strategy {strategy}, {settings}, {data}"
    return "\n".join(
        (
            f"{problem}, {choices}",
            f"{provenance.kind}: {KIND_HELP[provenance.kind]}",
            ", ".join(environment.stamp),
        )
    )


def _errors(result: RunResult) -> str:
    verdict = "All results are within tolerance."
    failed = [check.name for check in result.correctness.checks if not check.passed]
    if failed:
        verdict = f"Beyond tolerance: {', '.join(failed)}."
    return f"{_error_table(result.correctness.checks)}\n{verdict}"


def _error_table(checks: Iterable[TensorCheck], beyond: str = "FAILED") -> str:
    heads = (
        "largest error",
        "kernel − truth",
        "torch − truth",
        "kernel − torch",
        "tolerance",
        "verdict",
    )
    return aligned([heads, *(_error_line(check, beyond) for check in checks)])


def _error_line(check: TensorCheck, beyond: str) -> tuple[str, ...]:
    sides = (check.kernel_vs_truth, check.torch_vs_truth, check.kernel_vs_torch)
    errors = [wording.error(side.largest) for side in sides]
    verdict = "passed" if check.passed else beyond
    if check.kernel_vs_truth.misplaced:
        verdict += f", {check.kernel_vs_truth.misplaced} misplaced NaN or infinity"
    elif verdict == "FAILED" and check.worst_ratio > 1:
        # Of the element's own tolerance: the table has the largest of any element.
        verdict += f", {wording.ratio(check.worst_ratio)} what is allowed"
    return (check.name, *errors, wording.error(check.tolerance), verdict)


def facts_table(kernels: Sequence[tuple[str, Rows]]) -> str:
    """Format a line of facts for each kernel, under their labels; those that no kernel has are left
    out.
    """
    heads = ("kernel", *(str(label) for label, _ in kernels[0][1]))
    lines = [(name, *(str(value) for _, value in facts)) for name, facts in kernels]
    known = [
        column for column in zip(heads, *lines, strict=True) if {*column[1:]} != {wording.ABSENT}
    ]
    return aligned([*zip(*known, strict=True)])


def _speeds(figures: tuple[Figure, ...]) -> str:
    torch_ms = {
        (figure.direction, figure.mode): figure.p50_ms
        for figure in figures
        if figure.provider == "torch"
    }
    rows = [
        speed_cells(
            str(wording.with_verdict(figure.provider, figure.verdict)),
            figure.direction,
            figure.mode,
            figure.flat(),
            torch_ms.get((figure.direction, figure.mode)),
        )
        for figure in figures
    ]
    return aligned([SPEED_HEADS, *rows], right_from=SPEEDS_FROM)


def speed_cells(
    provider: str, direction: str, mode: str, numbers: Mapping[str, Any], torch_ms: float | None
) -> tuple[str, ...]:
    """A line below SPEED_HEADS; `numbers` as `Figure.flat` gives them, and PyTorch's median of the
    same where known.
    """
    spread = wording.ABSENT
    if numbers["p20_gbps"] is not None and numbers["p80_gbps"] is not None:
        spread = f"{wording.figure(numbers['p20_gbps'])}–{wording.figure(numbers['p80_gbps'])}"
    return (
        provider,
        direction,
        mode.replace("_", ", "),
        wording.figure(numbers["gbps"]),
        wording.figure(numbers["requested_gbps"]),
        spread,
        wording.milliseconds(numbers["p50_ms"]),
        wording.ratio(torch_ms / numbers["p50_ms"] if torch_ms and numbers["p50_ms"] else None),
        wording.share(numbers["share_of_ceiling"]),
        wording.microseconds(numbers["host_us"]),
    )

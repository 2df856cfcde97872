"""`lnexplorer record`: a run and the trace of its locks, in a file that can be handed on."""

import shlex
from dataclasses import replace

from lnexplorer.cli.commands import FAILED
from lnexplorer.cli.jobs import do_job, keep_run, run_beside
from lnexplorer.cli.options import (
    CommandParser,
    Options,
    add_device_option,
    add_file,
    add_run_options,
    unicode,
)
from lnexplorer.cli.providers import add_provider_option, read_run
from lnexplorer.cli.run import run_text, status_of
from lnexplorer.cli.terminal import say, show
from lnexplorer.cli.trace_text import cost_text, trace_text
from lnexplorer.domain.jobs import TraceJob
from lnexplorer.domain.result import RunResult
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import Recording, write_recording
from lnkernels.launch import split_norm
from lnkernels.values import verbatim
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

DESCRIPTION = "Run, trace when every row wanted, held and released its lock, and save both in FILE."
EPILOG = """\
Only strategy locked has locks, and the interpreter traces the sums of a small LayerNorm, without
times: else FILE holds the run alone. A provider's file that stamps its phases is traced in place of
the strategy. Exit status as that of run.
"""


def main(options: Options) -> int:
    options.check_file("file", options.file)
    job = read_run(options)
    options.end_if_refused()
    file, result = options.file, run_beside(job, options.device)
    kept = keep_run("record", result, job.kernels)
    timeline = None
    stamped = next((one for one in job.kernels if one.stamps), None)
    why = None if stamped is not None else _why_untraced(result)
    if why is None:
        timeline = do_job(TraceJob(job.request, stamped), ReductionTimeline, options.device)
    else:
        say("record", why)
    if timeline is not None and timeline.cost is not None:
        result = replace(result, notes=(*result.notes, verbatim(cost_text(timeline.cost))))
    resolved, gpu = result.resolved, result.provenance.environment.named_gpu or "interpreter"
    problem = resolved.shape_text
    title = unicode(options.title) or f"{problem}, {resolved.launch.strategy}, {gpu}"
    # Whatever becomes of the file, what was computed is shown.
    show(run_text(result))
    if timeline is not None:
        show(f"\n{trace_text(timeline, shown_rows=0)}")
    try:
        write_recording(file, Recording(title=title, result=result, timeline=timeline))
    except StoreError as error:
        say("record", error)
        return FAILED
    show(f"\nSaved as {file}. Open it with: lnexplorer {shlex.quote(str(file))}")
    return status_of(result) if kept else FAILED


def _why_untraced(result: RunResult) -> str | None:
    """Say why a run has no lock timing to record; None where it has."""
    strategy = result.resolved.launch.strategy
    if strategy != "locked":
        return f"strategy {strategy} has no locks: there is no lock timing to record"
    if result.provenance.kind is Kind.MEASURED or result.correctness.partial_rows is not None:
        return None
    if split_norm(result.resolved.norm)[0] != "layer_norm":
        return "the interpreter traces LayerNorm alone: there is no lock timing to record"
    return (
        "the interpreter runs programs one after another: there is no lock timing to record of so"
        " large a run"
    )


def parser() -> CommandParser:
    made = CommandParser("record", DESCRIPTION, EPILOG, json=False)
    add_file(made, "file", "where to save, by custom with the suffix .lnrec")
    made.add_argument(
        "--title", help="what the recording is called; its shape and GPU if not given"
    )
    add_run_options(made)
    add_provider_option(made)
    add_device_option(made)
    return made

"""`lnexplorer record`: a run and the trace of its locks, in a file that can be handed on."""

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.cli import status
from lnexplorer.cli.options import add_device_option, add_run_options, parse, read_request, unicode
from lnexplorer.cli.peer_option import add_provider_option, with_providers
from lnexplorer.cli.places import why_not_written
from lnkernels.launch import Problem

if TYPE_CHECKING:
    from lnexplorer.domain.request import RunRequest

DESCRIPTION = "Run on a GPU, trace when every row wanted, held and released its lock, and save both in FILE."
EPILOG = (
    "On the interpreter there is no contention to trace, and only strategy locked has locks: else FILE holds the run alone. "
    "Exit status as that of run."
)


def main(arguments: list[str]) -> int:
    """Run, trace, save, and return the exit status."""
    options = parse(_parser(), arguments)
    asked = with_providers(read_request(options), options)
    from lnexplorer.cli.outcome import refuse

    if isinstance(asked, list):
        return refuse("record", asked, as_json=False)
    request, providers = asked
    if not options.file.parent.is_dir():
        print(f"lnexplorer record: the folder {options.file.parent} does not exist", file=sys.stderr)
        return status.INVALID
    if why := why_not_written(options.file):
        return refuse("record", [Problem("file", str(options.file), why)], as_json=False)
    return _record(options.file, options.title, options.device, request, providers)


def _record(file: Path, title: str | None, device: str, request: "RunRequest", providers: tuple[str, ...]) -> int:
    from lnexplorer.cli.keeping import keep
    from lnexplorer.cli.outcome import end_without_result
    from lnexplorer.cli.progress import Progress
    from lnexplorer.cli.table import run_text
    from lnexplorer.cli.trace_text import cost_text, trace_text
    from lnexplorer.domain.jobs import RunJob, TraceJob
    from lnexplorer.domain.result import RunResult
    from lnexplorer.engine.supervisor import run_to_end
    from lnexplorer.protocol.messages import Finished
    from lnexplorer.store.files import StoreError
    from lnexplorer.store.recordings import Recording, write_recording
    from lnkernels.sentence import verbatim
    from lnkernels.values.environment import Kind
    from lnkernels.values.timeline import ReductionTimeline

    progress = Progress()
    ran = run_to_end(RunJob(request, providers), device, progress.show)
    progress.clear()
    if not (isinstance(ran, Finished) and isinstance(ran.value, RunResult)):
        return end_without_result("record", ran, as_json=False, device=device)
    result, timeline = ran.value, None
    keep("record", result)
    if result.resolved.launch.strategy != "locked":
        progress.line(f"Strategy {result.resolved.launch.strategy} has no locks: there is no lock timing to record.")
    elif result.provenance.kind is Kind.MEASURED or result.correctness.partial_rows is not None:
        traced = run_to_end(TraceJob(request), device, progress.show)
        progress.clear()
        if not (isinstance(traced, Finished) and isinstance(traced.value, ReductionTimeline)):
            return end_without_result("record", traced, as_json=False, device=device)
        timeline = traced.value
        if timeline.cost is not None:
            result = replace(result, notes=(*result.notes, verbatim(cost_text(timeline.cost))))
    else:
        progress.line("The interpreter runs programs one after another: there is no lock timing to record of so large a run.")
    resolved, gpu = result.resolved, result.provenance.environment.gpu or "interpreter"
    automatic_title = f"{resolved.m}×{resolved.n} {resolved.dtype}, {resolved.launch.strategy}, {gpu}"
    # Whatever becomes of the file, what was computed is shown.
    print(run_text(result))
    if timeline is not None:
        print(f"\n{trace_text(timeline, shown_rows=0)}")
    try:
        write_recording(file, Recording(title=unicode(title) or automatic_title, result=result, timeline=timeline))
    except StoreError as error:
        print(f"lnexplorer record: {error}", file=sys.stderr)
        return status.FAILED
    print(f"\nSaved as {file}. Open it with: lnexplorer {shlex.quote(str(file))}")
    return status.OK if result.correctness.passed else status.NOT_WITHIN_TOLERANCE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lnexplorer record", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", type=Path, help="where to save, by custom with the suffix .lnrec")
    parser.add_argument("--title", help="what the recording is called; its shape and GPU if not given")
    add_run_options(parser)
    add_provider_option(parser)
    add_device_option(parser)
    return parser

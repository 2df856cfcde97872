"""`lnexplorer trace`: when every row wanted, held and released its lock, measured, simulated or recorded before."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.cli import status
from lnexplorer.cli.options import add_device_option, add_run_options, parse
from lnexplorer.cli.places import why_not_written
from lnkernels.launch import Problem

if TYPE_CHECKING:
    from lnexplorer.cli.trace_source import Traced

DESCRIPTION = "Show when each row wanted its lock, held it and gave it back, and what stage 2 did."
EPILOG = (
    "simulated: by the model of an H200, or by one that is fitted to a recording, at another GROUP_SIZE_M or number of rows. "
    "recorded: as it is in FILE. Neither needs a GPU. Exit status: 0 there is a timeline; 2 the request is not possible; "
    "3 the worker, or writing a file, failed; 130 interrupted, 143 by SIGTERM, 129 by a hang-up."
)
SOURCES = ("measured", "simulated", "recorded")


def main(arguments: list[str]) -> int:
    """Trace, print, and return the exit status."""
    options = parse(_parser(), arguments)
    from lnexplorer.cli.outcome import refuse
    from lnexplorer.cli.trace_source import get_traced

    if options.chrome is not None and (why := why_not_written(options.chrome)):
        return refuse("trace", [Problem("chrome", str(options.chrome), why)], as_json=options.json)
    traced = get_traced(options)
    if isinstance(traced, int):
        return traced
    # Whatever becomes of the file, the trace that was made is shown.
    written = options.chrome is None or _write_chrome(options.chrome, traced)
    if options.json:
        from lnexplorer.cli.outcome import print_json
        from lnexplorer.report.trace_document import trace_document

        print_json(trace_document(traced.timeline, traced.title, traced.model), indent=None)
    else:
        from lnexplorer.cli.trace_text import trace_text

        print(trace_text(traced.timeline, traced.title, traced.model))
    return status.OK if written else status.FAILED


def _write_chrome(file: Path, traced: "Traced") -> bool:
    from lnexplorer.report.chrome_trace import write_chrome_trace
    from lnexplorer.store.files import reason

    try:
        write_chrome_trace(file, traced.timeline)
    except OSError as error:
        print(f"lnexplorer trace: {file} cannot be written ({reason(error)}).", file=sys.stderr)
        return False
    print(f"Saved as {file}. Open it in ui.perfetto.dev or chrome://tracing.", file=sys.stderr)
    return True


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lnexplorer trace", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("--source", choices=SOURCES, default=SOURCES[0], help="where the times come from. Default: measured.")
    parser.add_argument("--recording", metavar="FILE", type=Path, help="what is shown, or what the model is fitted to")
    parser.add_argument("--chrome", metavar="FILE", type=Path, help="write a trace for ui.perfetto.dev and chrome://tracing")
    text = (
        "of a simulation: programs of stage 1 on the device at once; if not given those of a recorded trace of the launch, "
        "in FILE or beside it, else by the compiled kernel"
    )
    parser.add_argument("--resident-programs", metavar="INT", help=text)
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout; all else goes to stderr")
    add_run_options(parser)
    add_device_option(parser)
    return parser

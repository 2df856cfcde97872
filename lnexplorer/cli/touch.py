"""`lnexplorer touch`: every load and store of one row's programs, as the kernels make them in the interpreter."""

import argparse
import re
from typing import Any

from lnexplorer.cli.options import add_run_options, parse, read_request
from lnexplorer.cli.outcome import do_job, refuse
from lnexplorer.cli.status import OK
from lnexplorer.cli.terminal import aligned, print_json, show
from lnexplorer.domain.jobs import Touched, TouchRequest
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim
from lnkernels.values.touched import Access

DESCRIPTION = (
    "Show what the forward program and the stage-1 program of a row, and the stage-2 program of a column, load and store: "
    "buffer, offsets, masked lanes and line of code, in their order."
)
EPILOG = (
    "The kernels of strategy locked run in Triton's interpreter, for these programs alone, so M may be large. "
    "Exit status: 0 shown; 2 the request is not possible; 3 the worker failed; 130 interrupted, 143 by SIGTERM, "
    "129 by a hang-up."
)
SCHEMA_VERSION = 1


def main(arguments: list[str]) -> int:
    """Listen, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="lnexplorer touch", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("--row", metavar="INT", default="0", help="row of x, from 0 on. Default: 0.")
    parser.add_argument("--column", metavar="INT", default="0", help="column of stage 2, from 0 on. Default: 0.")
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout; all else goes to stderr")
    add_run_options(parser)
    parser.set_defaults(device="interpreter")
    options = parse(parser, arguments)
    request = read_request(options)
    problems = request if isinstance(request, list) else []
    places = {name: _place(name, getattr(options, name), problems) for name in ("row", "column")}
    if isinstance(request, list) or problems:
        return refuse("touch", problems, as_json=options.json)
    asked = TouchRequest(problem=request, **places)
    touched = do_job("touch", asked, Touched, device=options.device, as_json=options.json)
    if isinstance(touched, int):
        return touched
    if options.json:
        print_json(_document(touched), indent=None)
    else:
        titles = ["kernel", "program", "action", "buffer", "offsets", "lanes", "masked", "line"]
        show(aligned([titles, *map(_cells, touched.accesses)]))
    return OK


def _place(name: str, text: str, problems: list[Problem]) -> int:
    """A row or a column; whether the tensors have it is known once they are resolved."""
    if re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    problems.append(Problem(name, text, verbatim("take a whole number, from 0 on, below the number of them")))
    return 0


def _document(touched: Touched) -> dict[str, Any]:
    resolved, request = touched.resolved, touched.request
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "interpreted",
        "m": resolved.m,
        "n": resolved.n,
        "row": request.row,
        "column": request.column,
        "group_size_m": resolved.launch.group_size_m,
        "accesses": [
            {
                "kernel": access.kernel,
                "program": access.program,
                "action": access.action,
                "buffer": access.buffer,
                "lanes": list(access.lanes),
                "offsets": access.offsets.tolist(),
                "mask": access.mask.tolist(),
                "file": access.file,
                "function": access.function,
                "line": access.line,
            }
            for access in touched.accesses
        ],
    }


def _cells(access: Access) -> list[str]:
    used = access.offsets[access.mask]
    offsets = "none" if not used.size else str(used[0]) if used.size == 1 else f"{used.min()} … {used.max()}"
    counts = (str(access.mask.size), str(access.masked))
    return [access.kernel, str(access.program), access.action, access.buffer, offsets, *counts, f"{access.file}:{access.line}"]

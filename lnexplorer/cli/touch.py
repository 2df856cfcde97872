"""`lnexplorer touch`: every load and store of one row's programs, as the kernels make them in the
interpreter.
"""

from typing import Any

from lnexplorer.cli.commands import OK
from lnexplorer.cli.jobs import do_job
from lnexplorer.cli.options import CommandParser, Options, add_option, add_run_options, read_request
from lnexplorer.cli.terminal import aligned, print_json, show
from lnexplorer.domain.jobs import Touched, TouchRequest
from lnexplorer.protocol.codec import to_plain
from lnkernels.values.touched import Access

DESCRIPTION = """\
Show what the forward program and the stage-1 program of a row, and the stage-2 program of a column,
load and store: buffer, offsets, masked lanes and line of code, in their order.
"""
EPILOG = """\
The kernels of strategy locked run in Triton's interpreter, for these programs alone, so M may be
large. Exit status: 0 shown; 2 the request is not possible; 3 the worker failed; 130 interrupted,
143 by SIGTERM, 129 by a hang-up.
"""
MOST = 999_999_999  # a row or a column


def main(options: Options) -> int:
    request = read_request(options)
    # Whether the tensors have them is known once they are resolved.
    places = {name: options.read_whole(name, 0, MOST) for name in ("row", "column")}
    if request.strategy not in ("locked", "auto"):
        options.refuse("strategy", request.strategy, "choose locked, whose programs are shown")
    options.end_if_refused()
    touched = do_job(TouchRequest(problem=request, **places), Touched, options.device)
    if options.json:
        print_json(_document(touched), indent=None)
    else:
        titles = ["kernel", "program", "action", "buffer", "offsets", "lanes", "masked", "line"]
        show(aligned([titles, *map(_cells, touched.accesses)]))
    return OK


def parser() -> CommandParser:
    made = CommandParser("touch", DESCRIPTION, EPILOG)
    add_option(made, "--row", "row of x, from 0 on. Default: 0.", "INT", default="0")
    add_option(made, "--column", "column of stage 2, from 0 on. Default: 0.", "INT", default="0")
    add_run_options(made, unused=("eps", "data", "seed", "repeats"))
    made.set_defaults(device="interpreter")
    return made


def _document(touched: Touched) -> dict[str, Any]:
    resolved, request = touched.resolved, touched.request
    return {
        "kind": "interpreted",
        "m": resolved.m,
        "n": resolved.n,
        "norm": resolved.norm,
        "row": request.row,
        "column": request.column,
        "group_size_m": resolved.launch.group_size_m,
        "accesses": [to_plain(access) for access in touched.accesses],
    }


def _cells(access: Access) -> list[str]:
    used = access.offsets[access.mask]
    offsets = (
        "none"
        if not used.size
        else str(used[0])
        if used.size == 1
        else f"{used.min()} … {used.max()}"
    )
    counts = (str(access.mask.size), str(access.masked))
    return [
        access.kernel,
        str(access.program),
        access.action,
        access.buffer,
        offsets,
        *counts,
        f"{access.file}:{access.line}",
    ]

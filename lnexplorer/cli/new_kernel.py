"""`lnexplorer new-kernel`: writes a file with a LayerNorm to start from."""

import os
import shlex
from pathlib import Path

from lnexplorer.cli.commands import OK, refusal, unusable
from lnexplorer.cli.options import CommandParser, Options, add_file
from lnexplorer.cli.terminal import show
from lnexplorer.store.files import reason, write_whole
from lnexplorer.store.kernels import new_kernel_text

DESCRIPTION = """\
Write FILE with a plain Triton LayerNorm, forward and backward, that passes the check: a start for
your own.
"""
EPILOG = "Exit status: 0 written; 2 FILE is not possible."


def parser() -> CommandParser:
    command = CommandParser("new-kernel", DESCRIPTION, EPILOG, json=False)
    add_file(command, "file", "such as my_norm.py; one that is there is not replaced")
    command.add_argument(
        "--lock",
        action="store_const",
        const="own_lock.txt",
        default="new_kernel.txt",
        help="the start of exercise 13: a backward pass that lacks its lock",
    )
    return command


def main(options: Options) -> int:
    path: Path = options.file
    options.check_file("file", path)
    if path.suffix != ".py":
        options.refuse("file", path, "name a file that ends in .py")
    options.end_if_refused()
    if os.path.lexists(path):
        allowed = "name a file that is not there yet: this one is left as it is"
        raise refusal("file", path, allowed)
    try:
        write_whole(path, new_kernel_text(path, options.lock).encode())
    except OSError as error:
        raise unusable(f"{path} cannot be written: {reason(error)}") from error
    show(f"Written: {path}. Check it with: lnexplorer run --provider {shlex.quote(str(path))}")
    return OK

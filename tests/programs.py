"""Programs of tests, each in a process of its own."""

import argparse
import os
import shlex
import subprocess
import sys

COMMAND = "import sys; from lnexplorer.cli.main import main; sys.exit(main())"


def start_program(
    program: str, *arguments: object, **variables: str | None
) -> subprocess.Popen[str]:
    """Start a text of Python with what this process can import, and with other variables; None
    takes one out.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | variables
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={name: value for name, value in environment.items() if value is not None},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_program(
    program: str, *arguments: object, seconds: float = 150, **variables: str | None
) -> subprocess.CompletedProcess[str]:
    """Run such a program to its end."""
    with start_program(program, *arguments, **variables) as process:
        try:
            told = process.communicate(timeout=seconds)
        finally:
            process.kill()  # which is nothing to one that has ended
    return subprocess.CompletedProcess(process.args, process.returncode, *told)


def printed(program: str, *arguments: object, **variables: str | None) -> str:
    """Return what a program prints, which has to end well."""
    ran = run_program(program, *arguments, **variables)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout


def run_command(
    line: str, *more: object, seconds: float = 500, **variables: str | None
) -> subprocess.CompletedProcess[str]:
    """Run a line of lnexplorer as a user types it, with more arguments behind."""
    return run_program(COMMAND, *shlex.split(line), *more, seconds=seconds, **variables)


def described(text: str | None) -> argparse.ArgumentParser:
    """A parser of options that shows the text of a script as it stands."""
    return argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )

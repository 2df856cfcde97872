"""Programs of tests, each in a process of its own."""

import os
import subprocess
import sys


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
    program: str, *arguments: object, **variables: str | None
) -> subprocess.CompletedProcess[str]:
    """Run such a program to its end."""
    with start_program(program, *arguments, **variables) as process:
        try:
            told = process.communicate(timeout=150)
        finally:
            process.kill()  # which is nothing to one that has ended
    return subprocess.CompletedProcess(process.args, process.returncode, *told)


def printed(program: str, *arguments: object, **variables: str | None) -> str:
    """Return what a program prints, which has to end well."""
    ran = run_program(program, *arguments, **variables)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout

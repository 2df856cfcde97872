"""Programs of tests, each in a process of its own."""

import os
import subprocess
import sys


def run_program(
    program: str, *arguments: object, **variables: str | None
) -> subprocess.CompletedProcess[str]:
    """Run a text of Python with what this process can import, and with other variables; None takes
    one out.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | variables
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


def printed(program: str, *arguments: object, **variables: str | None) -> str:
    """Return what a program prints, which has to end well."""
    ran = run_program(program, *arguments, **variables)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout

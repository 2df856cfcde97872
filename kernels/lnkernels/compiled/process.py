"""Compiles in a process of its own, so that neither torch nor the interpreter of the caller gets in the way."""

import json
import os
import subprocess
import sys
from pathlib import Path

from lnkernels.compiled.facts import CompileRequest, facts_from_json
from lnkernels.values.compiled import KernelFacts


class CompileError(RuntimeError):
    """The compiler's process gave no facts; the message says why."""


def facts_in_own_process(*requests: CompileRequest, timeout: float = 60.0) -> tuple[KernelFacts, ...]:
    """Facts of forward, stage 1 and stage 2 of each request in turn, compiled by one new process.

    Args:
        requests: what to compile.
        timeout: seconds after which the process is killed.

    Raises:
        CompileError: the process failed, or took too long.
    """
    command = [sys.executable, "-m", "lnkernels.compiled"]
    try:
        ran = subprocess.run(
            command,
            input=json.dumps([request.to_json() for request in requests]),
            capture_output=True,
            text=True,
            timeout=timeout,
            env=own_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CompileError(f"compiling took longer than {timeout:g} s and was ended") from error
    except OSError as error:
        raise CompileError(f"the compiler's process could not be started: {error}") from error
    try:
        answer = json.loads(ran.stdout)
        if "error" in answer:
            raise CompileError(answer["error"])
        return tuple(facts_from_json(kernel) for kernel in answer["kernels"])
    except (ValueError, KeyError, TypeError) as error:
        last_line = (ran.stderr.strip().splitlines() or ["no message"])[-1]
        raise CompileError(f"the compiler's process ended with status {ran.returncode}: {last_line}") from error


def own_environment() -> dict[str, str]:
    """This process's environment without the interpreter, and with this very package first on the path."""
    kept = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    package_root = str(Path(__file__).resolve().parents[2])
    paths = [package_root, *filter(None, [kept.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}

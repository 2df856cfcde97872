"""A request to compile, and the facts that come back, also from a process of its own.

Neither torch nor triton is needed here.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lnkernels.launch import Launch, Occupancy
from lnkernels.sentence import ExplainedError, say, verbatim
from lnkernels.values.compiled import KernelFacts

COMPILER = (sys.executable, "-P", "-m", "lnkernels.compiled.process")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest:
    """Which kernels to compile, for what. Tensors are taken as contiguous and aligned, as the project's inputs are."""

    m: int
    n: int
    dtype: str  # of x, dy, y and dx
    launch: Launch
    architecture: str  # such as "sm_90"
    weight_dtype: str | None = None  # None is that of x
    with_weight: bool = True
    with_bias: bool = True
    stages: tuple[str, ...] = ()  # ttir, ttgir, llir, ptx, sass: texts to give besides the facts

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "CompileRequest":
        return cls(**{**document, "launch": Launch(**document["launch"]), "stages": tuple(document["stages"])})


def facts_from_json(document: Mapping[str, Any]) -> KernelFacts:
    known = document["occupancy"]
    occupancy = None if known is None else Occupancy(**known)
    return KernelFacts(**{**document, "grid": tuple(document["grid"]), "occupancy": occupancy})


class CompileError(ExplainedError):
    """The compiler's process gave no facts, and why."""


def facts_in_own_process(*requests: CompileRequest, timeout: float = 60.0) -> tuple[KernelFacts, ...]:
    """Facts of forward, stage 1 and stage 2 of each request in turn, compiled by one new process.

    Raises:
        CompileError: the process failed, or took too long.
    """
    chore = json.dumps({"requests": [asdict(request) for request in requests]})
    try:
        ran = subprocess.run(
            COMPILER, input=chore + "\n", capture_output=True, text=True, timeout=timeout, env=own_environment(), check=False
        )
    except subprocess.TimeoutExpired as error:
        raise CompileError(say("compiling took longer than {seconds:g} s and was ended", seconds=timeout)) from error
    except OSError as error:
        raise CompileError(say("the compiler's process could not be started: {reason}", reason=str(error))) from error
    try:
        _ready, line = ran.stdout.splitlines()
        answer = json.loads(line)
        if "error" in answer:
            raise CompileError(verbatim(answer["error"]))
        return tuple(facts_from_json(kernel) for kernel in answer["kernels"])
    except (ValueError, KeyError, TypeError) as error:
        last_line = (ran.stderr.strip().splitlines() or ["no message"])[-1]
        raise CompileError(
            say("the compiler's process ended with status {status}: {last_line}", status=ran.returncode, last_line=last_line)
        ) from error


def own_environment() -> dict[str, str]:
    """This process's environment without the interpreter, and with this very package first on the path."""
    kept = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    package_root = str(Path(__file__).resolve().parents[2])
    # An empty part of the path would be the folder where somebody works.
    paths = [package_root, *filter(None, kept.get("PYTHONPATH", "").split(os.pathsep))]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}

"""A request to compile, and the facts that come back, also from a process of its own.

Neither torch nor triton is needed here.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lnkernels.launch import Launch, Occupancy
from lnkernels.sentence import ExplainedError, say, verbatim
from lnkernels.values.compiled import KernelFacts

STAGES = ("ttir", "ttgir", "llir", "ptx", "sass")
_FORWARD = {"forward_kernel", "whole_rows_kernel", "wide_row_kernel", "row_in_blocks_kernel"}
_STAGE2 = {"stage2_kernel", "sum_partials_kernel"}


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
    stages: tuple[str, ...] = ()  # of STAGES: which texts to give besides the facts

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "CompileRequest":
        """The request behind plain values.

        Raises:
            ValueError: a field is missing, unknown or not possible; the message names it.
        """
        try:
            fields = {**document, "launch": Launch(**document["launch"])}
            fields["stages"] = tuple(document.get("stages", ()))
            request = cls(**fields)
        except (KeyError, TypeError) as error:
            raise ValueError(f"the request to compile is incomplete or has an unknown field: {error}") from error
        unknown = [stage for stage in request.stages if stage not in STAGES]
        if unknown:
            raise ValueError(f"stages = {', '.join(unknown)} is not possible: choose of {', '.join(STAGES)}")
        return request


def facts_from_json(document: Mapping[str, Any]) -> KernelFacts:
    """The facts behind the plain values that `asdict` gives."""
    known = document["occupancy"]
    occupancy = None if known is None else Occupancy(**known)
    return KernelFacts(**{**document, "grid": tuple(document["grid"]), "occupancy": occupancy})


def resource_usage(listing: str) -> tuple[int, int]:
    """Registers and stack bytes a thread, from what `cuobjdump -res-usage` prints about one kernel.

    Raises:
        ValueError: the listing names neither.
    """
    found = re.search(r"\bREG:(\d+)\s+STACK:(\d+)", listing)
    if found is None:
        raise ValueError(f"cuobjdump gave no resource usage, but {listing.strip()!r}")
    return int(found[1]), int(found[2])


def kernel_name(function: str) -> str:
    """What `lnkernels.launch.grids` calls a kernel, by its function's name."""
    if function in _FORWARD:
        return "forward"
    return "backward_stage2" if function in _STAGE2 else "backward_stage1"


class CompileError(ExplainedError):
    """The compiler's process gave no facts, and why."""


def facts_in_own_process(*requests: CompileRequest, timeout: float = 60.0) -> tuple[KernelFacts, ...]:
    """Facts of forward, stage 1 and stage 2 of each request in turn, compiled by one new process.

    Args:
        requests: what to compile.
        timeout: seconds after which the process is killed.

    Raises:
        CompileError: the process failed, or took too long.
    """
    command = [sys.executable, "-P", "-m", "lnkernels.compiled"]
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
        raise CompileError(say("compiling took longer than {seconds:g} s and was ended", seconds=timeout)) from error
    except OSError as error:
        raise CompileError(say("the compiler's process could not be started: {reason}", reason=str(error))) from error
    try:
        answer = json.loads(ran.stdout)
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
    paths = [package_root, *filter(None, [kept.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}

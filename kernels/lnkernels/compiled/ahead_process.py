"""`python -m lnkernels.compiled.ahead_process`: compiles kernel after kernel into Triton's cache, and touches no GPU.

Writes a line when it is ready. Then it reads a chore a line, and answers each with a line: "done", or why not.
"""

import contextlib
import importlib
import json
import os
import sys
from typing import Any

import triton
from triton.backends.compiler import GPUTarget

from lnkernels.compiled.recording import settle_keys

NICENESS = 5  # the process that times kernels goes first


class _Target:
    """As much of Triton's driver as a compilation asks for. There may be no GPU here, and none is touched."""

    def __init__(self, target: GPUTarget) -> None:
        self._target = target

    def get_current_target(self) -> GPUTarget:
        """What to compile for."""
        return self._target

    def get_current_device(self) -> int:
        """Any number: nothing is launched."""
        return 0

    def get_current_stream(self, device: int) -> int:
        """Any number, likewise."""
        return device


def main() -> int:
    """Compile until the input ends."""
    os.nice(NICENESS)
    settle_keys()
    # What Triton prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer = "ready"
    while True:
        answers.write(answer + "\n")
        answers.flush()
        line = sys.stdin.readline()
        if not line:
            return 0
        try:
            do_line(line)
            answer = "done"
        except Exception as error:  # noqa: BLE001  whatever the compiler raises comes up again where the kernel is launched
            answer = f"{type(error).__name__}: {error}".replace("\n", " ")


def do_line(line: str) -> None:
    """Do one chore."""
    match json.loads(line):
        case {"host": _}:
            importlib.import_module("triton.backends.nvidia.driver").CudaUtils()
        case [module, function, specialization, target]:
            driver: Any = _Target(GPUTarget(**json.loads(target)))
            triton.runtime.driver.set_active(driver)
            kernel: Any = getattr(importlib.import_module(module), function)
            _build_launcher(kernel.preload(specialization))


def _build_launcher(kernel: Any) -> None:
    """Let Triton's C compiler put what it needs on the host into the cache, too, which some versions need for each
    signature.

    Without a driver's library to link with, or in a version that does it otherwise, it is done where the kernel is
    launched.
    """
    with contextlib.suppress(Exception):
        backend: Any = importlib.import_module("triton.backends.nvidia.driver")
        backend.CudaLauncher(kernel.src, kernel.metadata)


if __name__ == "__main__":
    raise SystemExit(main())

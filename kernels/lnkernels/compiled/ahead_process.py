"""`python -m lnkernels.compiled.ahead_process`: compiles kernel after kernel into Triton's cache, and touches no GPU.

Writes a line when it is ready. Then it reads a chore a line, and answers each with a line: "done", or why not. To a plan it
answers with the kernels that are to be compiled for it.
"""

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import triton
from triton.backends.compiler import GPUTarget

from lnkernels.compiled.ahead import Wanted, missing
from lnkernels.compiled.facts import CompileRequest
from lnkernels.compiled.offline import record, target_of
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
            answer = do_line(line)
        except Exception as error:  # noqa: BLE001  whatever the compiler raises comes up again where the kernel is launched
            answer = f"{type(error).__name__}: {error}".replace("\n", " ")


def do_line(line: str) -> str:
    """Do one chore; the answer."""
    match json.loads(line):
        case {"plan": requests}:
            return json.dumps(_plan([CompileRequest.from_json(document) for document in json.loads(requests)]))
        case {"host": _}:
            importlib.import_module("triton.backends.nvidia.driver").CudaUtils()
        case [module, function, specialization, target]:
            _have_target(GPUTarget(**json.loads(target)))
            kernel: Any = getattr(importlib.import_module(module), function)
            _build_launcher(kernel.preload(specialization))
    return "done"


def _have_target(target: GPUTarget) -> None:
    driver: Any = _Target(target)
    triton.runtime.driver.set_active(driver)


def _plan(requests: list[CompileRequest]) -> list[list[str]]:
    """The kernels that the launches of these requests need, once each, in order; of `locked`, as others ask for torch.

    Raises:
        ValueError: a request is for another strategy.
    """
    found: dict[Wanted, None] = {}
    with _without_torch():
        for request in requests:
            if request.launch.strategy != "locked":
                raise ValueError(f"strategy = {request.launch.strategy!r} cannot be planned without torch")
            _have_target(target_of(request.architecture))
            found.update(dict.fromkeys(missing(record(request))))
    return [json.loads(kernel.to_json()) for kernel in found]


@contextlib.contextmanager
def _without_torch() -> Iterator[None]:
    """Inside, torch cannot be imported. Triton would do so to look at arguments, for seconds, and does without where it must."""
    sys.modules["torch"] = None  # type: ignore[assignment]  # what Python's import system takes for "there is none"
    try:
        yield
    finally:
        del sys.modules["torch"]


def _build_launcher(kernel: Any) -> None:
    """Let Triton's C compiler put what it needs on the host into the cache, too, which some versions need for each signature.

    Without a driver's library to link with, or in a version that does it otherwise, it is done where the kernel is launched.
    """
    with contextlib.suppress(Exception):
        backend: Any = importlib.import_module("triton.backends.nvidia.driver")
        backend.CudaLauncher(kernel.src, kernel.metadata)


if __name__ == "__main__":
    raise SystemExit(main())

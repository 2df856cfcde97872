"""The real worker, with one fault when it is asked for (`tests.engine.stand_in`). It does not wait
for a compiler.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lnexplorer.worker import __main__, connection, requirements
from lnkernels.compiled import facts
from lnkernels.compiled.facts import CompileError
from lnkernels.values.sentence import verbatim
from tests.engine.stand_in import taken_fault


def exhaust_memory() -> None:
    import torch

    torch.empty(1 << 60, dtype=torch.uint8)


def exhaust_gpu_memory() -> None:
    import torch

    torch.empty(1 << 45, dtype=torch.uint8, device="cuda")


def use_an_illegal_address() -> None:
    from tests.gpu import illegal_address

    illegal_address.use_an_illegal_address()


def hide_torch() -> None:
    folder = Path(tempfile.mkdtemp())
    (folder / "torch.py").write_text(
        "raise ImportError('libtorch_cpu.so: cannot open shared object file')"
    )
    sys.path.insert(0, str(folder))
    sys.modules.pop("torch", None)


def leave_a_lock_taken() -> None:
    """Stage 1 finds the lock of its first buffer taken, and nobody to give it back."""
    from lnkernels.passes import locked

    launch_stage1 = locked.launch_stage1

    def with_a_lock_taken(*args: Any, **kwargs: Any) -> None:
        workspace = args[2]
        workspace.locks_and_counts[0] = 1
        launch_stage1(*args, **kwargs)

    locked.launch_stage1 = with_a_lock_taken


FAULTS: dict[str, Callable[[], object]] = {
    "exhaust-memory": exhaust_memory,
    "exhaust-gpu-memory": exhaust_gpu_memory,
    "illegal-address": use_an_illegal_address,
    "hide-torch": hide_torch,
    "leave-a-lock-taken": leave_a_lock_taken,
    "sleep": lambda: time.sleep(3600),
}


def instrument() -> None:
    import_, begin = requirements.import_or_refuse, connection.Task.begin

    def import_or_not(name: str, told: str = "") -> None:
        fault = taken_fault("start")
        if fault is not None:
            FAULTS[fault]()
        import_(name, told)

    def begin_or_not(self: connection.Task, phase: str) -> None:
        begin(self, phase)
        fault = taken_fault(phase)
        if fault is not None:
            FAULTS[fault]()

    def no_compiler(*_: object) -> None:
        raise CompileError(verbatim("it is left out of this test"))

    requirements.import_or_refuse = import_or_not
    connection.Task.begin = begin_or_not  # type: ignore[method-assign]
    facts.facts_in_own_process = no_compiler  # type: ignore[assignment]


if __name__ == "__main__":
    instrument()
    sys.exit(__main__.main(sys.argv[1:]))

"""The real worker, with one fault when it is asked for.

A file named by LNEXPLORER_TEST_FAULT holds "fault:phase". The first worker that reaches the phase takes the file away and has
the fault; after that everything works. Without the file this is the worker as it is, but it does not wait for a compiler.
"""

import ctypes
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lnexplorer.protocol.codec import HEADER
from lnexplorer.protocol.messages import Heartbeat, JobProgress, encode_message
from lnexplorer.worker import __main__, device, task
from lnkernels import compiled
from lnkernels.compiled import CompileError
from lnkernels.sentence import verbatim

FAULT_FILE = Path(os.environ["LNEXPLORER_TEST_FAULT"])


def taken_fault(phase: str) -> str | None:
    """The fault for a phase, which then is not there any more."""
    try:
        fault, wanted = FAULT_FILE.read_text().split(":")
    except FileNotFoundError:
        return None
    if wanted != phase:
        return None
    FAULT_FILE.unlink()
    return fault


def crash() -> None:
    ctypes.string_at(0)


def exhaust_memory() -> None:
    import torch  # noqa: PLC0415

    torch.empty(1 << 60, dtype=torch.uint8)


def exhaust_gpu_memory() -> None:
    import torch  # noqa: PLC0415

    torch.empty(1 << 45, dtype=torch.uint8, device="cuda")


def use_an_illegal_address() -> None:
    from tests.gpu import illegal_address  # noqa: PLC0415

    illegal_address.use_an_illegal_address()


def hide_torch() -> None:
    folder = Path(tempfile.mkdtemp())
    (folder / "torch.py").write_text("raise ImportError('libtorch_cpu.so: cannot open shared object file')")
    sys.path.insert(0, str(folder))
    sys.modules.pop("torch", None)


def leave_a_lock_taken() -> None:
    """Stage 1 finds the lock of its first buffer taken, and nobody to give it back."""
    from lnkernels.strategies import locked  # noqa: PLC0415

    launch_stage1 = locked.launch_stage1

    def with_a_lock_taken(*args: Any, **kwargs: Any) -> None:
        workspace = args[6]
        workspace.locks_and_counts[0] = 1
        launch_stage1(*args, **kwargs)

    locked.launch_stage1 = with_a_lock_taken


def flood() -> None:
    for _ in range(800):
        os.write(1, b"out " * 16384)
        os.write(2, b"err " * 16384)


def lose_the_device() -> None:
    from lnexplorer.worker import jobs  # noqa: PLC0415

    jobs.device_is_lost = lambda device: device is not None
    raise RuntimeError("CUDA error: an illegal memory access was encountered")


def fail() -> None:
    raise ValueError("this went wrong on purpose")


WITHOUT_CONNECTION: dict[str, Callable[[], object]] = {
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "freeze": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "crash": crash,
    "fail": fail,
    "exhaust-memory": exhaust_memory,
    "exhaust-gpu-memory": exhaust_gpu_memory,
    "illegal-address": use_an_illegal_address,
    "hide-torch": hide_torch,
    "leave-a-lock-taken": leave_a_lock_taken,
    "flood": flood,
    "sleep": lambda: time.sleep(3600),
    "lose-the-device": lose_the_device,
    "exit": lambda: os._exit(5),
}


def commit(fault: str, job: task.Task | None) -> None:
    if fault in WITHOUT_CONNECTION:
        WITHOUT_CONNECTION[fault]()
        return
    assert job is not None
    stream = job._connection._events
    match fault:
        case "half-a-message":
            payload = encode_message(JobProgress(job.number, "run", verbatim("kernels"), 1, 2))
            with job._connection._writing:
                stream.write(HEADER.pack(len(payload)) + payload[: len(payload) // 2])
                stream.flush()
                os._exit(0)
        case "half-a-message-and-go-on":
            payload = encode_message(Heartbeat()) * 4
            with job._connection._writing:
                stream.write(HEADER.pack(len(payload)) + payload[: len(payload) // 2])
                stream.flush()
        case "text-among-messages":
            with job._connection._writing:
                stream.write(b"Loading checkpoint shards: 100%\n")
                stream.flush()
        case "a-hundred-megabytes":
            job._connection.send(JobProgress(job.number, "run", verbatim("x" * 10**8), 1, 2))
        case "close-the-pipe":
            with job._connection._writing:
                os.close(stream.fileno())
                time.sleep(3600)
        case _:
            raise AssertionError(f"no such fault: {fault}")


def instrument() -> None:
    open_device = device.open_device
    begin = task.Task.begin

    def open_device_or_not(wish: str, *others: Any) -> Any:
        fault = taken_fault("start")
        if fault is not None:
            commit(fault, None)
        return open_device(wish, *others)

    def begin_or_not(self: task.Task, phase: str) -> None:
        begin(self, phase)
        fault = taken_fault(phase)
        if fault is not None:
            commit(fault, self)

    def no_compiler(*_: object) -> None:
        raise CompileError("it is left out of this test")

    device.open_device = open_device_or_not
    task.Task.begin = begin_or_not  # type: ignore[method-assign]
    compiled.facts_in_own_process = no_compiler  # type: ignore[assignment]


if __name__ == "__main__":
    instrument()
    sys.exit(__main__.main(sys.argv[1:]))

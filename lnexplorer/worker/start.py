"""From the start of a worker to its last job: what is begun while torch is imported, which takes seconds, and what
follows.

Imports neither torch nor triton by itself: the driver, the processes that compile and PyTorch's first calls come up
beside them.
"""

import contextlib
import ctypes
import os
import threading
from typing import TYPE_CHECKING

from lnkernels.compiled.ahead import HOST_TOOLS, Ahead, usual_processes
from lnkernels.device import telemetry

if TYPE_CHECKING:
    import torch

    from lnexplorer.worker.connection import Connection
    from lnexplorer.worker.task import Cancellation

LEISURE_SECONDS = 0.005  # between two looks at what is to be compiled ahead, while no job waits
# Processes that come up with the worker, where there are cores enough: they take half a second to be ready, and the
# first setting, which somebody waits for, has three kernels.
READY_EARLY = 4
CORES_FOR_EARLY = 8
# Attributes of a device (CUDA driver API, CUdevice_attribute): its compute capability.
_MAJOR, _MINOR = 75, 76
# The lock needs it; see `lnexplorer.worker.device`.
_LEAST_MAJOR = 7
# As small as such a problem can be for which PyTorch takes the kernels that it takes for usual ones.
ROWS, COLUMNS, DTYPE = 512, 1024, "float16"
# A thread that hangs is not waited for any longer: what it hangs in will hang the first job, too, which has a deadline.
LONGEST_SECONDS = 20.0


def serve(connection: "Connection", cancellation: "Cancellation", wish: str, head_start: "HeadStart") -> int:
    """Work until the device is lost; the exit status. The end of the connection ends the process elsewhere."""
    # Not before the head start, and none of it before the parent is known to be there.
    from lnexplorer.protocol.messages import Prepare, WorkerReady, WorkerUnusable
    from lnexplorer.worker.device import UnusableDeviceError, open_device

    first_calls = FirstCalls()
    try:
        torch_device, device = open_device(wish, first_calls.begin)
        from lnexplorer.worker.jobs import JobRunner  # imports torch and triton, which the above prepares
    except UnusableDeviceError as error:
        head_start.close()
        first_calls.wait()
        connection.send(WorkerUnusable(error.sentence))
        return 0
    if device.backend != "cuda":
        head_start.close()
    jobs = JobRunner(connection, cancellation, torch_device, device, head_start.take())
    first_calls.wait()  # before a job can be cancelled: the process is ended when it does not leave one soon
    connection.send(WorkerReady(jobs.device))
    while True:
        command = connection.next_job(LEISURE_SECONDS if jobs.has_leisure_work else None)
        match command:
            case None:
                jobs.at_leisure()
            case Prepare():
                jobs.prepare(command)
            case _:
                if not jobs.do(command):
                    return 0


class HeadStart:
    """Begins as soon as it is made, unless the interpreter is wished or there is no driver; nothing here is waited for."""

    def __init__(self, wish: str) -> None:
        self._ahead: Ahead | None = None
        self._changing = threading.Lock()
        backend, _, number = wish.partition(":")
        library = _driver_library() if backend in {"auto", "cuda"} and (number or "0").isdecimal() else None
        if library is None:
            return
        if (os.cpu_count() or 1) >= CORES_FOR_EARLY:
            self._ahead = Ahead(READY_EARLY, ready=READY_EARLY)
            self._ahead.want([HOST_TOOLS])
        threading.Thread(target=self._open, args=(library, int(number or "0")), name="head-start", daemon=True).start()

    def take(self) -> Ahead | None:
        """The processes, which now are the caller's; None where none were started."""
        with self._changing:
            ahead, self._ahead = self._ahead, None
        return ahead

    def close(self) -> None:
        """End the processes, if nobody has taken them."""
        ahead = self.take()
        if ahead is not None:
            ahead.close()

    def _open(self, library: ctypes.CDLL, index: int) -> None:
        """Open the driver, and the context that torch will use; calls of the driver leave Python's lock to others."""
        # As torch has it: a kernel is loaded when it is first launched. The driver looks at it when it is opened.
        os.environ.setdefault("CUDA_MODULE_LOADING", "LAZY")
        device, major, minor, count = (ctypes.c_int() for _ in range(4))
        context = ctypes.c_void_p()
        if library.cuInit(0) or library.cuDeviceGet(ctypes.byref(device), index):
            self.close()
            return
        library.cuDeviceGetCount(ctypes.byref(count))
        for attribute, value in ((_MAJOR, major), (_MINOR, minor)):
            library.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
        if major.value < _LEAST_MAJOR:
            return
        with self._changing:
            if self._ahead is not None:
                self._ahead.allow(usual_processes(count.value))
        # One context a device and process; who retains it later gets the same.
        library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        telemetry("")  # of no GPU: it opens the driver's other library, which looks at all of them


def _driver_library() -> ctypes.CDLL | None:
    with contextlib.suppress(OSError):
        return ctypes.CDLL("libcuda.so.1")
    return None


class FirstCalls:
    """The inputs, PyTorch's results and the verdict of a small problem, on a thread of their own.

    Nothing is kept of them.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def begin(self, device: "torch.device") -> None:
        """Make them on a device that works."""
        self._thread = threading.Thread(target=_make, args=(device,), name="first-calls", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Return when they are made, or have failed; nothing else may be timed or captured beside them."""
        if self._thread is not None:
            self._thread.join(LONGEST_SECONDS)
            self._thread = None


def _make(device: "torch.device") -> None:
    # Whatever goes wrong comes up again in the first job, which can tell it.
    with contextlib.suppress(Exception):
        import torch

        if device.type == "cuda":
            torch.cuda.set_device(device)  # each thread has a device of its own
        from lnkernels.inputs import make_inputs  # torch alone; what follows waits for triton, too

        inputs = make_inputs(ROWS, COLUMNS, getattr(torch, DTYPE), "tutorial", 0, device)
        from lnexplorer.domain.request import RunRequest, resolve
        from lnkernels.accuracy import check_all
        from lnkernels.results import torch_results

        request = resolve(RunRequest(m=ROWS, n=COLUMNS, dtype=DTYPE), "cuda")
        theirs = torch_results(inputs, request.eps)
        check_all(inputs, request.eps, request.launch, theirs, theirs)

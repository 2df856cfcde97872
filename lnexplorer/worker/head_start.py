"""What a worker has begun while it imports torch, which takes seconds: the driver, and the processes that compile.

Imports neither torch nor triton.
"""

import contextlib
import ctypes
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lnkernels.compiled.ahead import Ahead, HostTools, Planned, usual_processes
from lnkernels.compiled.facts import CompileRequest
from lnkernels.telemetry import telemetry

if TYPE_CHECKING:
    from lnexplorer.domain.request import RunRequest

# Processes that come up with the worker, where there are cores enough: they take half a second to be ready, and the first
# setting, which somebody waits for, has three kernels.
READY_EARLY = 4
CORES_FOR_EARLY = 8
# Settings that are planned by themselves, before all others: about those of the first measurement.
PLANNED_FIRST = 4
# Attributes of a device (CUDA driver API, CUdevice_attribute): its compute capability.
_MAJOR, _MINOR = 75, 76
# The lock needs it; see `lnexplorer.worker.device`.
_LEAST_MAJOR = 7


class HeadStart:
    """Begins as soon as it is made, unless the interpreter is wished or there is no driver; nothing here is waited for."""

    def __init__(self, wish: str) -> None:
        self._ahead: Ahead | None = None
        self._requests: Sequence[RunRequest] = ()
        self._architecture: str | None = None
        self._changing = threading.Lock()
        backend, _, number = wish.partition(":")
        library = _driver_library() if backend in {"auto", "cuda"} and (number or "0").isdecimal() else None
        if library is None:
            return
        if (os.cpu_count() or 1) >= CORES_FOR_EARLY:
            self._ahead = Ahead(READY_EARLY)
            self._ahead.warm(READY_EARLY)
            self._ahead.want([HostTools()])
        threading.Thread(target=self._open, args=(library, int(number or "0")), name="head-start", daemon=True).start()

    def prepare(self, requests: "Sequence[RunRequest]") -> None:
        """Have the kernels of settings compiled that will be asked for once the worker is ready; on any thread."""
        with self._changing:
            self._requests = requests
        self._plan()

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
            self._architecture = f"sm_{major.value}{minor.value}"
            if self._ahead is not None:
                self._ahead.allow(usual_processes(count.value))
        self._plan()
        # One context a device and process; who retains it later gets the same.
        library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        telemetry("")  # of no GPU: it opens the driver's other library, which looks at all of them

    def _plan(self) -> None:
        with self._changing:
            ahead, architecture, requests = self._ahead, self._architecture, self._requests
            if ahead is None or architecture is None:
                return
            self._requests = ()
        found = _compile_requests(requests, architecture)
        ahead.want([Planned.of(part) for part in (found[:PLANNED_FIRST], found[PLANNED_FIRST:]) if part])


def _compile_requests(requests: "Sequence[RunRequest]", architecture: str) -> list[CompileRequest]:
    """Those of the settings that can be planned without torch and without a GPU's limits."""
    from lnexplorer.domain.request import check, resolve  # noqa: PLC0415 - not before the driver is on its way

    wanted = [request for request in requests if request.strategy == "locked" and not check(request, "cuda")]
    return [
        CompileRequest(m=each.m, n=each.n, dtype=each.dtype, launch=each.launch, architecture=architecture)
        for each in (resolve(request, "cuda") for request in wanted)
    ]


def _driver_library() -> ctypes.CDLL | None:
    with contextlib.suppress(OSError):
        return ctypes.CDLL("libcuda.so.1")
    return None

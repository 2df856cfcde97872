"""PyTorch's first calls on a GPU, made while this process imports the rest: each loads kernels, which takes the driver its time.

Imports neither torch nor triton.
"""

import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

# As small as such a problem can be for which PyTorch takes the kernels that it takes for usual ones.
ROWS, COLUMNS, DTYPE = 512, 1024, "float16"
# A thread that hangs is not waited for any longer: what it hangs in will hang the first job, too, which has a deadline.
LONGEST_SECONDS = 20.0


class FirstCalls:
    """The inputs, PyTorch's results and the verdict of a small problem, on a thread of their own. Nothing is kept of them."""

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
        import torch  # noqa: PLC0415

        if device.type == "cuda":
            torch.cuda.set_device(device)  # each thread has a device of its own
        from lnkernels.inputs import make_inputs  # noqa: PLC0415 - torch alone; what follows waits for triton, too

        inputs = make_inputs(ROWS, COLUMNS, getattr(torch, DTYPE), "tutorial", 0, device)
        from lnexplorer.domain.request import RunRequest, resolve  # noqa: PLC0415
        from lnkernels.judgement import Judge  # noqa: PLC0415
        from lnkernels.reference import torch_results  # noqa: PLC0415

        request = resolve(RunRequest(m=ROWS, n=COLUMNS, dtype=DTYPE), "cuda")
        theirs = torch_results(inputs, request.eps)
        Judge(inputs, request.eps, theirs)(request.launch, theirs)

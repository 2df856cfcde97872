"""Run kernels for Nsight Compute: `python -m lnkernels.compiled.counted_run REQUEST DEVICE`."""

import json
import sys

import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.compiled.facts import CompileRequest
from lnkernels.passes.arguments import ForwardTensors
from lnkernels.passes.registry import run_backward, run_forward


def run_case(request: CompileRequest, device_number: int) -> None:
    """Launch each kernel once to have it compiled, then once to be read."""
    device, launch = torch.device("cuda", device_number), request.launch
    torch.cuda.set_device(device)
    given = make_inputs(request.m, request.n, getattr(torch, request.dtype), "tutorial", 0, device)
    forward = ForwardTensors.allocate(given.x, given.weight, given.bias, 1e-5)
    backward = forward.gradients(given.dy)
    for read in (False, True):
        if read:
            torch.cuda.cudart().cudaProfilerStart()  # type: ignore[no-untyped-call]
        run_forward(forward, launch)
        run_backward(backward, launch)
        torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    run_case(CompileRequest.from_json(json.loads(sys.argv[1])), int(sys.argv[2]))

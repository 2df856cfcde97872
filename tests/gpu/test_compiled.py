"""Facts from compiling without a GPU are those of the kernels that really run."""

import pytest
import torch
from triton.runtime.jit import JITFunction

from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import kernel_results
from lnkernels.compiled.facts import CompileRequest, facts_in_own_process
from lnkernels.compiled.launches import instruction_count
from lnkernels.device import device_limits
from lnkernels.launch import LaunchWish, resolve_launch

pytestmark = pytest.mark.gpu

DEVICE = torch.device("cuda", 0)
CASES = [
    (64, 512, "float16", {}),
    (4096, 8192, "float16", {}),
    (7, 1000, "bfloat16", {"partial_dtype": "same"}),
    (33, 4096, "float32", {"barrier": False, "num_warps": 4}),
    (1, 1, "float16", {}),
]


@pytest.fixture
def launched(monkeypatch):
    """The kernels that are launched during the test, in order."""
    kernels = []
    real = JITFunction.run

    def run(self, *args, **kwargs):
        kernel = real(self, *args, **kwargs)
        kernels.append(kernel)
        return kernel

    monkeypatch.setattr(JITFunction, "run", run)
    return kernels


@pytest.mark.parametrize(("m", "n", "dtype", "wished"), CASES)
def test_registers_spills_shared_memory_and_instructions_agree_with_the_launched_kernels(
    m, n, dtype, wished, launched
):
    launch = resolve_launch(n, dtype, LaunchWish(**wished))
    kernel_results(make_inputs(m, n, getattr(torch, dtype), "tutorial", 0, DEVICE), 1e-5, launch)
    request = CompileRequest(
        m=m, n=n, dtype=dtype, launch=launch, architecture=device_limits(DEVICE).architecture
    )
    offline = facts_in_own_process(request)
    assert len(launched) == len(offline) == 3
    for kernel, facts in zip(launched, offline, strict=True):
        found = (
            kernel.n_regs,
            kernel.n_spills * 4,
            kernel.metadata.shared,
            kernel.metadata.num_warps,
            instruction_count(kernel.asm["cubin"]),
        )
        told = (facts.registers, facts.spill_bytes, facts.shared_bytes, facts.num_warps)
        assert (*told, facts.instructions) == found, facts.name

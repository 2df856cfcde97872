"""The instrumented kernels of the strategies without locks compile, read the clock, and load as the plain ones do."""

import json
import os
import subprocess
import sys

import pytest

# In a process of its own: pytest's may be bound to the interpreter.
SCRIPT = """
import json, sys
import torch
from lnkernels import atomic, atomic_trace, persistent, persistent_trace
from lnkernels.compiled.offline import CompiledLaunch, compile_launch
from lnkernels.compiled.recording import recorded_launches
from lnkernels.launch.settings import AtomicSettings, ReduceSettings, RowsSettings
from lnkernels.reductions import PartialSums

architecture, m, n = sys.argv[1], 4096, 2048
overlap = architecture >= "sm_90"
reduce = ReduceSettings(block_m=32, block_n=16, num_warps=8, overlap=overlap)
walk = {"rows": 1, "num_warps": 4, "num_stages": 4, "programs": 256, "max_registers": None, "sums_per_row": False}
rows = RowsSettings(block_n=n, reduce=reduce, **walk)

def tensor(dtype, *shape):
    return torch.empty(shape, dtype=dtype, device="meta")

x, row, column = tensor(torch.float16, m, n), tensor(torch.float16, n), tensor(torch.float32, m)
found = {}
for plain, tracing, memory, settings in (
    (atomic, atomic_trace, "AtomicTraceMemory", AtomicSettings(block_n=n, num_warps=4, reduce=reduce)),
    (persistent, persistent_trace, "PersistentTraceMemory", rows),
):
    sums = PartialSums(tensor(torch.float32, 256, n), tensor(torch.float32, 256, n))
    kept = getattr(tracing, memory).allocate(m, n, settings, torch.device("meta"))
    arguments = (x, x, row, column, column, settings, sums)
    with recorded_launches() as launches:
        plain.launch_backward(*arguments, dx=x, dw=row, db=row)
        tracing.launch_traced(*arguments, kept, dx=x, dw=row, db=row)
    for launch in launches:
        name = launch.kernel.__name__
        facts = CompiledLaunch(name, architecture, launch.grid, compile_launch(launch, architecture)).facts(stages=("ptx",))
        ptx = facts.texts["ptx"]
        counts = [ptx.count(word) for word in ("%globaltimer", "%smid", "cp.async.cg", "membar")]
        found[name] = [facts.spill_bytes, *counts]
print(json.dumps(found))
"""


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_traced_kernels_load_as_the_plain_ones_do_and_read_the_clock(architecture: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", SCRIPT, architecture]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found = json.loads(ran.stdout)
    kernels = {
        "atomic_kernel",
        "traced_atomic_kernel",
        "rows_kernel",
        "traced_rows_kernel",
        "sum_partials_kernel",
        "traced_sum_kernel",
    }
    assert found.keys() == kernels
    for name, (spilled, timers, sms, _, fences) in found.items():
        assert spilled == 0, name
        assert (timers > 0) == (sms > 0) == name.startswith("traced")
        assert (fences > 0) == (name in {"traced_atomic_kernel", "traced_rows_kernel"})
    asynchronous = {name: copies for name, (*_, copies, _) in found.items()}
    assert asynchronous["traced_rows_kernel"] == asynchronous["rows_kernel"] > 0  # rows ahead of the one at work

"""The instrumented stages compile too, and read the clock and the SM."""

import json
import os
import subprocess
import sys

import pytest

# In a process of its own: pytest's may be bound to the interpreter.
SCRIPT = """
import json, sys
from dataclasses import asdict
from lnkernels.compiled.offline import CompiledLaunch, compile_launch
from lnkernels.compiled.recording import RecordedLaunch, StandIn
from lnkernels.lock_trace import traced_stage1_kernel
from lnkernels.tile_trace import traced_stage2_kernel
from lnkernels.trace_clock import clock_kernel

m, n, group = 64, 512, 8
matrix, column, row = StandIn("float16", m, n), StandIn("float32", m), StandIn("float16", n)
partial, locks = StandIn("float32", group, n), StandIn("int32", 2 * group)
order, times = StandIn("int32", m), StandIn("int64", 4, m)
def stage1(cycles, rows, after):
    tensors = (matrix, matrix, matrix, row, column, column, partial, partial, locks, order, order, times, order, order)
    constants = {"GROUP_SIZE_M": group, "BLOCK_SIZE_N": n, "BARRIER": True, "num_warps": 4, "num_stages": 3}
    return RecordedLaunch(traced_stage1_kernel, (m,), (*tensors, cycles, rows, after, n, n, n, n), constants)

stage2 = RecordedLaunch(
    traced_stage2_kernel,
    (4,),
    (partial, partial, row, row, StandIn("int64", 2, 4), StandIn("int32", 4), group, n),
    {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 128, "num_warps": 4, "num_stages": 3},
)
clock = RecordedLaunch(clock_kernel, (1,), (times, 4096), {"num_warps": 1})
compiled = [
    CompiledLaunch(name, sys.argv[1], launch.grid, compile_launch(launch, sys.argv[1])).facts(stages=("ptx",))
    for name, launch in (
        ("stage 1", stage1(None, None, None)),
        ("stage 1, all", stage1(times, StandIn("float32", 2, m, n), StandIn("float32", 2, m, n))),
        ("stage 2", stage2),
        ("clock", clock),
    )
]
print(json.dumps([asdict(facts) for facts in compiled]))
"""


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_the_traced_stages_compile_and_read_clock_and_sm(architecture):
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", SCRIPT, architecture]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    stage1, with_all, stage2, clock = json.loads(ran.stdout)
    assert {facts["spill_bytes"] for facts in (stage1, with_all, stage2, clock)} == {0}
    assert stage1["texts"]["ptx"].count("%globaltimer") == 4
    assert stage2["texts"]["ptx"].count("%globaltimer") >= 2
    assert "%smid" in stage1["texts"]["ptx"]
    assert "%smid" in stage2["texts"]["ptx"]
    assert "%globaltimer" in clock["texts"]["ptx"]
    assert "%clock64" not in stage1["texts"]["ptx"]
    assert with_all["texts"]["ptx"].count("%clock64") >= 4

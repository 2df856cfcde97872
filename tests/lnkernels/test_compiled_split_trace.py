"""The instrumented kernel of `split` compiles, reads the clock, loads as the plain one does, and lets as many programs in."""

import json
import os
import subprocess
import sys

import pytest

# In a process of its own: pytest's may be bound to the interpreter.
SCRIPT = """
import json, sys
import torch
from lnkernels import split, split_trace
from lnkernels.compiled.offline import CompiledLaunch, compile_launch
from lnkernels.compiled.recording import recorded_launches
from lnkernels.launch.limits import limits_for_architecture
from lnkernels.launch.settings_split import split_settings

def tensor(dtype, *shape):
    return torch.empty(shape, dtype=dtype, device="meta")

architecture, m, n = sys.argv[1], 4096, 32768
limits = limits_for_architecture(architecture)
found = []
for dtype in ("float16", "float32"):
    element = getattr(torch, dtype)
    x, row, column = tensor(element, m, n), tensor(element, n), tensor(torch.float32, m)
    settings = split_settings(n, dtype, limits)
    memory = split_trace.SplitTraceMemory.allocate(m, n, settings, torch.device("meta"))
    arguments = (x, x, row, column, column, settings, split.SplitWorkspace.allocate(m, n, settings, "meta"))
    with recorded_launches() as launches:
        split.launch_backward(*arguments, dx=x, dw=row, db=row)
        split_trace.launch_traced(*arguments, memory, dx=x, dw=row, db=row)
    both = []
    for launch in launches:
        name = launch.kernel.__name__
        if "split" not in name:
            continue
        facts = CompiledLaunch(name, architecture, launch.grid, compile_launch(launch, architecture)).facts(limits, ("ptx",))
        words = ("%globaltimer", "%smid", "membar", "cp.async.cg", "ld.relaxed")
        both.append([name, facts.spill_bytes, facts.occupancy.programs_per_sm, *map(facts.texts["ptx"].count, words)])
    found.append(both)
print(json.dumps(found))
"""


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_the_traced_kernel_loads_as_the_plain_one_does_and_reads_the_clock(architecture: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, architecture], capture_output=True, text=True, check=True, env=environment
    )
    for plain, traced in json.loads(ran.stdout):
        assert (plain[0], traced[0]) == ("split_kernel", "traced_split_kernel")
        assert traced[1] <= plain[1] + 32  # bytes a thread, where registers were short before
        assert traced[2] == plain[2] >= 1  # as many programs on an SM: all have to be resident together
        assert plain[3:6] == [0, 0, 0]
        assert traced[3] == 6  # the start, three in a turn, the sums begin to be written, and are
        assert traced[4] == 1
        assert traced[5] == 1
        assert traced[6:] == plain[6:]
        assert min(traced[6:]) > 0  # rows ahead of the one at work, and the words of others

"""While a lock is held, the traced stage 1 does what the plain one does: its code between lock and release is looked at."""

import json
import os
import subprocess
import sys
from itertools import groupby

import pytest

from lnkernels.launch.limits import registers_as_given

# In a process of its own: pytest's may be bound to the interpreter.
SCRIPT = """
import json
from lnkernels.compiled.offline import CompiledLaunch, compile_launch
from lnkernels.compiled.recording import RecordedLaunch, StandIn
from lnkernels.launch.limits import registers_as_given
from lnkernels.lock_trace import traced_stage1_kernel
from lnkernels.locked import stage1_kernel

def compiled(kernel, m, n, buffers, more, options):
    partial, matrix = StandIn("float32", buffers, n), StandIn("float16", m, n)
    column, row = StandIn("float32", m), StandIn("float16", n)
    tensors = (matrix, matrix, matrix, row, column, column, partial, partial, StandIn("int32", 2 * buffers))
    constants = {"GROUP_SIZE_M": buffers, "BLOCK_SIZE_N": n, "BARRIER": True, "num_stages": 3}
    launch = RecordedLaunch(kernel, (m,), (*tensors, *more, n, n, n, n), constants | options)
    found = CompiledLaunch(kernel.__name__, "sm_90", launch.grid, compile_launch(launch, "sm_90"))
    facts = found.facts(stages=("sass",))
    return {"registers": facts.registers, "spilled": facts.spill_bytes, "sass": facts.texts["sass"]}

m, found = 4096, []
for n, warps, buffers in ((1024, 4, 16), (1024, 4, 1), (2048, 8, 16), (8192, 8, 16)):
    plain = compiled(stage1_kernel, m, n, buffers, (), {"num_warps": warps})
    row = StandIn("int32", m)
    more = (row, row, StandIn("int64", m), StandIn("int32", 3, m), row, None, None, None)
    options = {"num_warps": warps, "maxnreg": registers_as_given(plain["registers"])}
    found.append((n, plain, compiled(traced_stage1_kernel, m, n, buffers, more, options)))
print(json.dumps(found))
"""


def while_held(sass: str) -> list[str]:
    """Instructions from the compare-and-swap that takes the lock to the exchange that gives it back."""
    lines = [line.split("*/", 1)[1].split(";")[0].split() for line in sass.splitlines() if "*/" in line and ";" in line]
    names = [next(word for word in words if not word.startswith("@")) for words in lines if words]
    first = next(at for at, name in enumerate(names) if name.startswith("ATOMG") and ".CAS" in name)
    last = next(at for at, name in enumerate(names) if name.startswith("ATOMG") and ".EXCH" in name)
    return names[first : last + 1]


def trips(held: list[str]) -> int:
    """How often loads are waited for: a stretch of loads, and then an addition of what they brought."""
    kinds = [name.split(".")[0] for name in held if name.startswith(("LDG", "FADD"))]
    return [kind for kind, _ in groupby(kinds)].count("LDG")


@pytest.fixture(scope="module")
def compiled() -> list[tuple[int, dict, dict]]:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment)
    return json.loads(ran.stdout)


def test_tracing_adds_no_trip_to_memory_while_the_lock_is_held(compiled: list[tuple[int, dict, dict]]) -> None:
    for n, plain, traced in compiled:
        counts = trips(while_held(plain["sass"])), trips(while_held(traced["sass"]))
        assert counts[0] == counts[1] > 0, n


def test_both_buffers_are_loaded_in_one_trip_where_registers_allow(compiled: list[tuple[int, dict, dict]]) -> None:
    few = [side for n, *sides in compiled if n <= 2048 for side in sides]
    assert [trips(while_held(side["sass"])) for side in few] == [1] * 6


def test_tracing_stores_nothing_more_and_waits_for_no_more_threads_while_the_lock_is_held(
    compiled: list[tuple[int, dict, dict]],
) -> None:
    for _, plain, traced in compiled:
        for kind in ("STG", "BAR", "MEMBAR", "ATOMG"):
            counts = [sum(name.startswith(kind) for name in while_held(side["sass"])) for side in (plain, traced)]
            assert counts[0] == counts[1] > 0, kind


def test_as_many_programs_are_resident_with_tracing(compiled: list[tuple[int, dict, dict]]) -> None:
    for _, plain, traced in compiled:
        assert registers_as_given(traced["registers"]) == registers_as_given(plain["registers"])
        assert traced["spilled"] == plain["spilled"] == 0

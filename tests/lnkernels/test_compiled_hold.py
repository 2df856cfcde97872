"""While a lock is held, the traced stage 1 does what the plain one does: its code between lock and release is looked at."""

import json
import os
import subprocess
import sys
from itertools import groupby

import pytest

from lnkernels.launch.limits import REGISTERS_PER_SM, registers_as_given

# In a process of its own: pytest's may be bound to the interpreter.
SCRIPT = """
import json
from lnkernels.compiled.offline import CompiledLaunch, compile_launch
from lnkernels.compiled.recording import RecordedLaunch, StandIn
from lnkernels.launch.limits import registers_as_given
from lnkernels.lock_trace import traced_stage1_kernel
from lnkernels.locked import stage1_kernel

def compiled(kernel, m, n, buffers, partial_dtype, more, options):
    partial, matrix = StandIn(partial_dtype, buffers, n), StandIn("float16", m, n)
    column, row = StandIn("float32", m), StandIn("float16", n)
    tensors = (matrix, matrix, matrix, row, column, column, partial, partial, StandIn("int32", 2 * buffers))
    constants = {"GROUP_SIZE_M": buffers, "BLOCK_SIZE_N": n, "BARRIER": True, "num_stages": 3}
    launch = RecordedLaunch(kernel, (m,), (*tensors, *more, n, n, n, n), constants | options)
    found = CompiledLaunch(kernel.__name__, "sm_90", launch.grid, compile_launch(launch, "sm_90"))
    facts = found.facts(stages=("sass",))
    threads = 32 * options["num_warps"]
    return {"registers": facts.registers, "threads": threads, "spilled": facts.spill_bytes, "sass": facts.texts["sass"]}

m, found = 4096, []
for n, warps, buffers, partial_dtype in (
    (1024, 4, 16, "float32"), (1024, 4, 1, "float32"), (1024, 4, 16, "float16"), (2048, 8, 16, "float32"),
    (4096, 8, 16, "float32"), (4096, 8, 16, "float16"), (8192, 8, 16, "float32"), (8192, 16, 16, "float32"),
    (16384, 8, 16, "float32"), (16384, 8, 16, "float16"),
):
    plain = compiled(stage1_kernel, m, n, buffers, partial_dtype, (), {"num_warps": warps})
    row = StandIn("int32", m)
    more = (row, row, StandIn("int64", m), StandIn("int32", 3, m), row, None, None, None)
    options = {"num_warps": warps, "maxnreg": registers_as_given(plain["registers"])}
    found.append((n, partial_dtype, plain, compiled(traced_stage1_kernel, m, n, buffers, partial_dtype, more, options)))
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
def compiled() -> list[tuple[int, str, dict, dict]]:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment)
    return json.loads(ran.stdout)


def test_tracing_adds_no_trip_to_memory_while_the_lock_is_held(compiled: list[tuple[int, str, dict, dict]]) -> None:
    for n, _, plain, traced in compiled:
        counts = trips(while_held(plain["sass"])), trips(while_held(traced["sass"]))
        assert counts[0] == counts[1] > 0, n


def test_both_buffers_are_loaded_in_one_trip_or_in_one_each_where_a_thread_has_many_columns(
    compiled: list[tuple[int, str, dict, dict]],
) -> None:
    for n, partial_dtype, *sides in compiled:
        wanted = 2 if n > 8192 and partial_dtype == "float32" else 1
        assert [trips(while_held(side["sass"])) for side in sides] == [wanted] * 2, n


def test_threads_exchange_no_sums_while_the_lock_is_held(compiled: list[tuple[int, str, dict, dict]]) -> None:
    for n, _, *sides in compiled:
        for side in sides:
            held = while_held(side["sass"])
            results_of_atomics = sum(name.startswith("ATOMG") for name in held[:-1])  # each reaches all threads so
            assert [sum(name.startswith(kind) for name in held) for kind in ("STS", "LDS")] == [results_of_atomics] * 2, n


def test_tracing_stores_nothing_more_and_waits_for_no_more_threads_while_the_lock_is_held(
    compiled: list[tuple[int, str, dict, dict]],
) -> None:
    for _, _, plain, traced in compiled:
        for kind in ("STG", "BAR", "MEMBAR", "ATOMG"):
            counts = [sum(name.startswith(kind) for name in while_held(side["sass"])) for side in (plain, traced)]
            assert counts[0] == counts[1] > 0, kind


def test_as_many_programs_are_resident_with_tracing(compiled: list[tuple[int, str, dict, dict]]) -> None:
    for n, _, plain, traced in compiled:
        resident = [REGISTERS_PER_SM // (registers_as_given(side["registers"]) * side["threads"]) for side in (plain, traced)]
        assert resident[0] == resident[1] > 0, n
        assert plain["spilled"] == 0, n


def test_a_register_that_tracing_lacks_costs_one_store_and_no_load_while_the_lock_is_held(
    compiled: list[tuple[int, str, dict, dict]],
) -> None:
    for n, _, _, traced in compiled:
        held = while_held(traced["sass"])
        assert not any(name.startswith("LDL") for name in held), n
        assert sum(name.startswith("STL") for name in held) <= 1, n

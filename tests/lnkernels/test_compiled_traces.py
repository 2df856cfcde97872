"""Traced launches compile, read the clock and the SM, and do otherwise what launches that are not
traced do.

Between taking a lock and giving it back nothing may be added: the code there is looked at.
"""

import json
from itertools import groupby
from typing import Any

import pytest

from lnkernels.launch.limits import REGISTERS_PER_SM, registers_as_given
from tests.lnkernels.test_stamps import LOCKED
from tests.programs import printed

# In a process of its own: pytest's may be bound to the interpreter.
PROLOGUE = """
import json, sys
import torch
from lnkernels.compiled.launches import RecordedLaunch, facts_of_launches, recorded
from lnkernels.launch import Launch, LaunchWish, resolve_launch
from lnkernels.launch.limits import limits_for_architecture, registers_as_given
from lnkernels.passes import locked
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.registry import STRATEGY_KERNELS, run_backward
from lnkernels.trace.memory import clock_kernel


def tensor(dtype, *shape):
    return torch.empty(shape, dtype=dtype, device="meta")


def facts(launch, architecture, stage):
    (found,) = facts_of_launches([launch], architecture, (stage,))
    return {
        "kernel": launch.kernel.__name__,
        "spilled": found.spill_bytes,
        "programs": found.occupancy.programs_per_sm,
        "registers": found.registers,
        stage: found.texts[stage],
    }
"""
WALKS = """
def note(launches, launch, dtype, n):
    x, row, column = tensor(dtype, m, n), tensor(dtype, n), tensor(torch.float32, m)
    kernels = STRATEGY_KERNELS[launch.strategy]
    given = BackwardTensors(x=x, dy=x, weight=row, mean=column, rstd=column, dx=x, dw=row, db=row)
    for trace in (None, kernels.allocate_trace(x, launch)):
        noted = recorded(lambda: run_backward(given, launch, trace=trace))
        launches.extend((launch, trace is not None) for launch in noted)


m, n = 4096, 2048
for architecture in ("sm_90",):
    limits, launches = limits_for_architecture(architecture), []
    tiles = {
        "reduce_block_size_m": 32,
        "reduce_block_size_n": 16,
        "reduce_num_warps": 8,
        "overlap": True,
    }
    note(
        launches,
        Launch(strategy="atomic", block_size=n, block_size_n=n, num_warps=4, **tiles),
        torch.float16,
        n,
    )
    walk = {"num_warps": 4, "num_stages": 4, "programs": 256}
    note(
        launches,
        Launch(strategy="persistent", block_size=n, block_size_n=n, **walk, **tiles),
        torch.float16,
        n,
    )
    split = resolve_launch(32768, "float16", LaunchWish(strategy="split"), limits)
    note(launches, split, torch.float16, 32768)
    walks = [
        facts(launch, architecture, "ptx") | {"traced": traced} for launch, traced in launches
    ]
"""
HOLDS = """
def compiled(m, n, buffers, partial_dtype, traced, options, architecture="sm_90", stage="sass"):
    partial, matrix = tensor(getattr(torch, partial_dtype), buffers, n), tensor(torch.float16, m, n)
    column, row = tensor(torch.float32, m), tensor(torch.float16, n)
    tensors = (
        matrix,
        matrix,
        matrix,
        row,
        column,
        column,
        partial,
        partial,
        tensor(torch.int32, 2 * buffers),
    )
    constants = {"GROUP_SIZE_M": buffers, "BLOCK_SIZE_N": n, "BARRIER": True, "ATOMIC_COUNT": True, "num_stages": 3}
    launch = RecordedLaunch(
        locked.stage1_kernel, (m,), (*tensors, n, n, n, n), constants | options | traced
    )
    return facts(launch, architecture, stage) | {"threads": 32 * options["num_warps"]}


m, found = 4096, []
row, times = tensor(torch.int32, m), tensor(torch.int64, 4, m)
noted = {"order_ptr": row, "tries_ptr": row, "sm_ptr": row}
noted |= {"start_ptr": tensor(torch.int64, m), "low_ptr": tensor(torch.int32, 3, m)}
for n, warps, buffers, partial_dtype in ((1024, 4, 16, "float16"), (16384, 8, 16, "float32")):
    plain = compiled(m, n, buffers, partial_dtype, {}, {"num_warps": warps})
    options = {"num_warps": warps, "maxnreg": registers_as_given(plain["registers"])}
    found.append((n, partial_dtype, plain, compiled(m, n, buffers, partial_dtype, noted, options)))
stages = []
for architecture in ("sm_80",):
    numbers = {
        "cycles_ptr": times,
        "rows_ptr": tensor(torch.float32, 2, m, 512),
        "after_ptr": tensor(torch.float32, 2, m, 512),
    }
    stages += [
        compiled(m, 512, 8, "float32", more, {"num_warps": 4}, architecture, "ptx")
        for more in (noted, noted | numbers)
    ]
    partial, out = tensor(torch.float32, 8, 512), tensor(torch.float16, 512)
    tiles = {"times_ptr": tensor(torch.int64, 3, 4), "sm_ptr": tensor(torch.int32, 4)}
    options = {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 128, "num_warps": 4, "num_stages": 3}
    arguments = (partial, partial, out, out, 8, 512)
    stages.append(
        facts(
            RecordedLaunch(locked.stage2_kernel, (4,), arguments, options | tiles),
            architecture,
            "ptx",
        )
    )
    clock = RecordedLaunch(clock_kernel, (1,), (times, 4096), {"num_warps": 1})
    stages.append(facts(clock, architecture, "ptx"))
"""
STAMPED = """
from importlib.util import module_from_spec, spec_from_file_location

memory = torch.empty(64, dtype=torch.int64, device="meta")
x, locks = torch.empty(8, device="meta"), torch.empty(4, dtype=torch.int32, device="meta")
texts = []
for path, more in ((sys.argv[1], {}), (sys.argv[1], {"trace_ptr": memory}), (sys.argv[2], {})):
    spec = spec_from_file_location("mine", path)
    mine = module_from_spec(spec)
    spec.loader.exec_module(mine)
    texts.append(
        facts(RecordedLaunch(mine.add, (8,), (x, x, locks), {"GROUPS": 4} | more), "sm_90", "ptx")[
            "ptx"
        ]
    )
print(json.dumps([found, stages, walks, texts]))
"""


@pytest.fixture(scope="module")
def holds(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    stamped, bare = (tmp_path_factory.mktemp("stamps") / "mine.py" for _ in range(2))
    stamped.write_text(LOCKED)
    bare.write_text(
        "".join(line for line in LOCKED.splitlines(keepends=True) if "    stamp(" not in line)
    )
    program = PROLOGUE + WALKS + HOLDS + STAMPED
    found: list[Any] = json.loads(printed(program, stamped, bare, TRITON_INTERPRET=None))
    return found


@pytest.fixture(scope="module")
def compiled(holds: list[Any]) -> list[tuple[int, str, dict, dict]]:
    return holds[0]


def count(facts: dict[str, Any], word: str) -> int:
    return facts["ptx"].count(word)


def test_traced_walks_load_as_others_do_and_read_the_clock(holds: list[Any]) -> None:
    found = holds[2]
    kernels = ["atomic_kernel", "rows_kernel", "split_kernel"]
    assert [
        facts["kernel"]
        for facts in found
        if facts["kernel"] != "sum_partials_kernel" and facts["traced"]
    ] == kernels
    for facts in found:
        traced, name = facts["traced"], facts["kernel"]
        assert (count(facts, "%globaltimer") > 0) == (count(facts, "%smid") > 0) == traced, name
        assert count(facts, "membar") == (traced and name != "sum_partials_kernel"), name
        assert facts["spilled"] == 0 or name == "split_kernel", name
    of_stage_1 = [facts for facts in found if facts["kernel"] in {"rows_kernel", "split_kernel"}]
    for plain, traced in zip(of_stage_1[::2], of_stage_1[1::2], strict=True):
        # Rows ahead of the one at work.
        assert count(traced, "cp.async.cg") == count(plain, "cp.async.cg") > 0
        if plain["kernel"] == "split_kernel":
            assert (
                traced["spilled"] <= plain["spilled"] + 32
            )  # bytes a thread, where registers were short before
            assert (
                traced["programs"] == plain["programs"] >= 1
            )  # on an SM: all have to be resident together
            assert (
                count(traced, "%globaltimer") == 6
            )  # the start, three in a turn, the sums begin to be written, and are
            assert (
                count(traced, "ld.relaxed") == count(plain, "ld.relaxed") > 0
            )  # the words of others


def test_traced_stages_of_locked_read_the_clock_and_the_sm(holds: list[Any]) -> None:
    stage1, with_all, stage2, clock = holds[1]
    assert {facts["spilled"] for facts in (stage1, with_all, stage2, clock)} == {0}
    assert count(stage1, "%globaltimer") == 4
    assert count(stage2, "%globaltimer") >= 2
    assert count(stage1, "%smid") > 0
    assert count(stage2, "%smid") > 0
    assert count(clock, "%globaltimer") > 0
    assert count(stage1, "%clock64") == 0
    assert count(with_all, "%clock64") >= 4


def while_held(sass: str) -> list[str]:
    """Instructions from the compare-and-swap that takes the lock to the exchange that gives it
    back.
    """
    lines = [
        line.split("*/", 1)[1].split(";")[0].split()
        for line in sass.splitlines()
        if "*/" in line and ";" in line
    ]
    names = [next(word for word in words if not word.startswith("@")) for words in lines if words]
    first = next(at for at, name in enumerate(names) if name.startswith("ATOMG") and ".CAS" in name)
    last = next(at for at, name in enumerate(names) if name.startswith("ATOMG") and ".EXCH" in name)
    return names[first : last + 1]


def trips(held: list[str]) -> int:
    """Return how often loads are waited for: a stretch of loads, and then an addition of their
    values.
    """
    kinds = [name.split(".")[0] for name in held if name.startswith(("LDG", "FADD"))]
    return [kind for kind, _ in groupby(kinds)].count("LDG")


def test_tracing_adds_no_trip_to_memory_while_the_lock_is_held(
    compiled: list[tuple[int, str, dict, dict]],
) -> None:
    for n, _, plain, traced in compiled:
        counts = trips(while_held(plain["sass"])), trips(while_held(traced["sass"]))
        assert counts[0] == counts[1] > 0, n


def test_both_buffers_are_loaded_in_one_trip_or_in_one_each_where_a_thread_has_many_columns(
    compiled: list[tuple[int, str, dict, dict]],
) -> None:
    for n, partial_dtype, *sides in compiled:
        wanted = 2 if n > 8192 and partial_dtype == "float32" else 1
        assert [trips(while_held(side["sass"])) for side in sides] == [wanted] * 2, n


def test_tracing_stores_nothing_more_and_waits_for_no_more_threads_while_the_lock_is_held(
    compiled: list[tuple[int, str, dict, dict]],
) -> None:
    for _, _, plain, traced in compiled:
        for kind in ("STG", "BAR", "MEMBAR", "ATOMG"):
            counts = [
                sum(name.startswith(kind) for name in while_held(side["sass"]))
                for side in (plain, traced)
            ]
            assert counts[0] == counts[1] > 0, kind


def test_as_many_programs_are_resident_with_tracing(
    compiled: list[tuple[int, str, dict, dict]],
) -> None:
    for n, _, plain, traced in compiled:
        resident = [
            REGISTERS_PER_SM // (registers_as_given(side["registers"]) * side["threads"])
            for side in (plain, traced)
        ]
        assert resident[0] == resident[1] > 0, n
        assert plain["spilled"] == 0, n


def test_no_stamp_of_a_kernel_of_ones_own_is_left_where_nobody_traces(holds: list[Any]) -> None:
    """The same text as of a kernel that knows none."""
    plain, traced, without = map(_instructions, holds[3])
    assert (plain.count("globaltimer"), traced.count("globaltimer"), traced.count("%smid")) == (
        0,
        4,
        1,
    )
    assert without == plain


def _instructions(ptx: str) -> str:
    """Return the instructions, without names of files and numbers of lines."""
    kept = [
        line
        for line in ptx.splitlines()
        if line.startswith("\t") and not line.strip().startswith((".", "//"))
    ]
    return "\n".join(line for line in kept if ".loc" not in line and "$L__" not in line)

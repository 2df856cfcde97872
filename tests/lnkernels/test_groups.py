"""Rows that begin at any element are read in aligned groups of 16 to 128 bytes, and nothing else
is.
"""

import re
from dataclasses import replace
from functools import partial

import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.compiled.facts import facts_in_own_process
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.language.groups import (
    shared_group,
)
from lnkernels.passes.arguments import ForwardTensors
from lnkernels.passes.registry import STRATEGY_KERNELS, run_backward, run_forward
from tests.lnkernels.test_compiled import compile_request
from tests.lnkernels.test_strategies import DEVICE, DTYPES, LAUNCHES, assert_correct, results
from tests.programs import printed

GROUPS = LAUNCHES["rows in groups"]

# Both passes of rows that end at the last byte of a page, behind which nothing may be read. It is
# a process of its own, since it dies of a byte too many.
AT_THE_END_OF_MEMORY = """
import ctypes, mmap, sys
import torch
from lnkernels.check.inputs import make_inputs
from tests.lnkernels.test_strategies import results
from tests.lnkernels.test_groups import GROUPS, LAUNCHES
from dataclasses import replace

libc, kept = ctypes.CDLL(None, use_errno=True), []

def at_the_end(values):
    page = mmap.PAGESIZE
    size = values.numel() * values.element_size()
    room = -(-size // page) * page
    memory = mmap.mmap(-1, room + page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert libc.mprotect(ctypes.c_void_p(start + room), page, 0) == 0
    kept.append(memory)
    flat = torch.frombuffer(memory, dtype=values.dtype, count=values.numel(), offset=room - size)
    flat.copy_(values.reshape(-1))
    return flat.view(values.shape)

# m·n is a multiple of a group, so the page's end is one of 16 bytes and the first row aligned,
# and the last row's end is the end of a group; one row less has its last group cut.
SPLIT = LAUNCHES["split in groups"]
LINES = replace(GROUPS, programs=64, forward_programs=64)
for m, n, dtype, launch in (
    (8, 37, torch.float16, GROUPS),
    (4, 41, torch.float32, GROUPS),
    (8, 37, torch.float16, SPLIT),
    (64, 137, torch.float16, LINES),
):
    print(m, n, dtype, file=sys.stderr)
    inputs = make_inputs(m, n, dtype, "normal", 0, torch.device("cpu"))
    x, dy = at_the_end(inputs.x), at_the_end(inputs.dy)
    assert x.data_ptr() % 16 == 0
    found = results(replace(inputs, x=x, dy=dy), launch)
    assert found.y.isfinite().all() and found.dx.isfinite().all()
"""


@pytest.mark.skipif(not IS_INTERPRETED, reason="memory of a GPU has no such page")
def test_nothing_is_read_behind_the_last_row() -> None:
    printed(AT_THE_END_OF_MEMORY)


@pytest.mark.parametrize(("n", "dtype"), [*zip((33, 34, 63), DTYPES, strict=True)])
def test_rows_of_any_length_are_right_and_touch_no_other(n: int, dtype: torch.dtype) -> None:
    inputs = make_inputs(18, n, dtype, "normal", 0, DEVICE)
    for name in ("rows in groups", "rows in groups of a block", "split in groups"):
        assert_correct(LAUNCHES[name], inputs)


def test_rows_that_begin_alike_in_all_tensors_share_groups() -> None:
    x = torch.zeros(8, 41, dtype=torch.float16)
    few = partial(shared_group, 41, 8, 64)
    assert few(x, x.clone(), None) == 8
    assert few(x.float()) == 8, "of 32 bytes: more would leave programs over"
    assert few(torch.zeros(8, 40, dtype=torch.float16)) == 1, "all begin at a group"
    assert few(x, torch.zeros(8, 42, dtype=torch.float16)[:, :41]) == 1
    assert few(x, torch.zeros(8, 49, dtype=torch.float16)[:, :41]) == 8
    off = torch.zeros(8 * 41 + 1, dtype=torch.float16)[1:].view(8, 41)
    assert few(x, off) == 1, "memory begins within a group"
    assert few(x, x[:1].expand(8, 41)) == 1
    assert shared_group(15, 8, 64, torch.zeros(8, 15, dtype=torch.float16)) == 1, (
        "too short for two"
    )


@pytest.mark.parametrize(
    ("programs", "lanes", "offset", "group"),
    [
        (128, 64, 0, 64),
        (132, 64, 0, 64),  # four are left over
        (250, 64, 0, 16),  # 58 would be
        (9, 64, 0, 8),
        (7, 64, 0, 1),
        (128, 32, 0, 32),  # the elements outside would have no lanes
        (128, 64, 8, 64),  # memory begins within a line
        (128, 64, 4, 1),  # and within 16 bytes
    ],
)
def test_groups_are_lines_where_programs_lanes_and_memory_allow(
    programs: int, lanes: int, offset: int, group: int
) -> None:
    memory = torch.zeros(8 * 1001 + 128, dtype=torch.float16)
    line = -memory.data_ptr() % 128 // 2
    x = memory[line + offset :][: 8 * 1001].view(8, 1001)
    assert shared_group(1001, programs, lanes, x) == group


@pytest.mark.parametrize("name", ["rows in groups", "split in groups"])
def test_a_trace_names_the_program_of_each_row(name: str) -> None:
    launch = replace(LAUNCHES[name], programs_per_sm=1)
    kernels, slices = STRATEGY_KERNELS[launch.strategy], launch.slices
    inputs = make_inputs(36, 41, torch.float16, "normal", 0, DEVICE)
    forward = ForwardTensors.allocate(inputs.x, inputs.weight, inputs.bias, 1e-5)
    run_forward(forward, launch)
    given = forward.gradients(inputs.dy)
    trace = kernels.allocate_trace(inputs.x, launch)
    run_backward(given, launch, trace=trace)
    timeline = kernels.read_trace(inputs.x, launch, trace, dw=given.dw, db=given.db)
    assert timeline.program_start_ns.size == 9 * slices
    # of nine programs, or groups of them, the ninth takes none
    taken = [row % 8 * slices + part for row in range(36) for part in range(slices)]
    assert timeline.program.tolist() == taken
    assert (timeline.ready_ns > timeline.start_ns).all()


def test_odd_rows_are_loaded_ahead_and_written_16_bytes_at_once() -> None:
    request = compile_request(
        4096,
        8001,
        "bfloat16",
        rows=4096,
        strategy="persistent",
        stages=("ptx",),
        kernels=("forward", "backward_stage1"),
    )
    for facts in facts_in_own_process(request):
        text = facts.texts["ptx"]
        assert len(re.findall(r"cp\.async\.cg\.shared\.global[^;]*0x10", text)) >= 8
        assert len(re.findall(r"st\.global[.\w:]*\.v4", text)) >= 4


def test_a_wide_row_without_mean_is_held_in_registers_by_split() -> None:
    request = compile_request(
        8192, 12289, rows=8192, strategy="split", norm="rms_norm", kernels=("backward_stage1",)
    )
    (facts,) = facts_in_own_process(request)
    assert facts.spill_bytes == 0


@pytest.mark.parametrize("name", ["rows in groups", "split in groups"])
def test_where_in_a_line_memory_begins_changes_no_bit(name: str) -> None:
    """A call that is repeated launches what its kind launched first, at any such address."""
    m, n = 64, 137
    plain = make_inputs(m, n, torch.float32, "normal", 0, DEVICE)
    many = {"forward_programs": 32, "programs": 32 * LAUNCHES[name].slices}
    launch = replace(LAUNCHES[name], block_size_n=64, block_size=64, num_warps=2, **many)
    memory = torch.empty(m * n + 128, dtype=torch.float32, device=DEVICE)
    line = -memory.data_ptr() % 128 // 4
    first, *others = (
        results(
            replace(plain, x=memory[line + offset :][: m * n].view(m, n).copy_(plain.x)), launch
        )
        for offset in (0, 4, 16)
    )
    for other in others:
        for tensor in ("y", "dx", "dw", "db"):
            assert torch.equal(getattr(first, tensor), getattr(other, tensor)), tensor

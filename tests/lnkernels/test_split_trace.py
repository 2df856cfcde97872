"""The traced kernel of `split`, whose rows several programs share: the plain one's results, and times that can have been."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from lnkernels import split, split_trace
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch.settings import ReduceSettings, SplitSettings
from lnkernels.values.timeline import Clock, StrategyTimeline
from tests.lnkernels.traced_passes import Gradients, plain_and_traced

M, N = 13, 72
REDUCE = ReduceSettings(block_m=4, block_n=16, num_warps=1, overlap=False)
# Slices of 32, 32 and 8 columns, each of two blocks; two groups take seven and six rows.
SHARED = SplitSettings(
    slices=3, block_n=16, num_warps=1, num_stages=2, max_registers=None, groups=2, reduce=REDUCE, programs_per_sm=1
)
ALONE = replace(SHARED, slices=1, groups=4)
CASES = [SHARED, ALONE]


def traced(
    settings: SplitSettings, device: torch.device, dtype: torch.dtype = torch.float16, m: int = M
) -> tuple[StrategyTimeline, Gradients, Gradients]:
    workspace = split.SplitWorkspace.allocate(m, N, settings, device)
    return plain_and_traced(split, split_trace, settings, workspace, (m, N), dtype, device)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("settings", CASES)
def test_tracing_changes_no_result(settings: SplitSettings, dtype: torch.dtype, device: torch.device) -> None:
    _, first, second = traced(settings, device, dtype)
    for name, expected in first.items():
        assert not expected.isnan().any()
        assert torch.equal(second[name], expected)


@pytest.mark.parametrize("m", [1, 2, M])
@pytest.mark.parametrize("settings", CASES)
def test_events_come_in_an_order_that_can_be(settings: SplitSettings, m: int, device: torch.device) -> None:
    trace, _, _ = traced(settings, device, m=m)
    groups = split.groups_for(m, settings)
    assert trace.sm.size == groups * settings.slices
    assert trace.wait_begin_ns is not None
    assert trace.wait_end_ns is not None
    shares = {(int(row), int(program) % settings.slices) for row, program in zip(trace.first_row, trace.program, strict=True)}
    assert shares == {(row, part) for row in range(m) for part in range(settings.slices)}
    assert trace.program.size == m * settings.slices
    for program in range(trace.sm.size):
        own = np.flatnonzero(trace.program == program)
        assert trace.first_row[own].tolist() == list(range(program // settings.slices, m, groups))
        assert trace.start_ns[own[0]] == trace.program_start_ns[program]
        events = [trace.program_start_ns[program]]
        for piece in own:
            events += [trace.start_ns[piece], trace.wait_begin_ns[piece], trace.wait_end_ns[piece], trace.ready_ns[piece]]
        events += [trace.add_begin_ns[program], trace.add_end_ns[program]]
        assert all(a <= b for a, b in pairwise(events))
    assert trace.tile_start_ns.min() + trace.tick_ns >= trace.add_end_ns.max()
    assert trace.program_start_ns.min() == 0


@pytest.mark.skipif(not IS_INTERPRETED, reason="on a GPU there is a clock")
def test_the_interpreter_counts_events_one_program_after_another(device: torch.device) -> None:
    trace, _, _ = traced(SHARED, device)
    assert trace.clock is Clock.STEPS
    assert (trace.program_start_ns[1:] == trace.add_end_ns[:-1] + 1).all()
    first = np.flatnonzero(trace.program == 0)
    # Three events a turn after the start; the first turn has no row before it, the row's own turn comes next.
    assert trace.ready_ns[first].tolist() == list(range(6, 25, 3))


@pytest.mark.parametrize(
    ("changed", "most"),
    [
        ({}, None),
        ({"programs_per_sm": 2, "num_warps": 4}, None),  # 256 would fit
        ({"programs_per_sm": 4, "num_warps": 4}, 128),
        ({"programs_per_sm": 5, "num_warps": 4}, 96),
        ({"programs_per_sm": 5, "num_warps": 4, "max_registers": 64}, 64),
    ],
)
def test_the_traced_kernel_leaves_room_for_all_programs(changed: dict[str, int], most: int | None) -> None:
    assert split_trace.registers_at_most(replace(SHARED, **changed)) == most


def test_a_turn_begins_where_the_one_before_ends() -> None:
    known, there, written = (np.arange(10).reshape(5, 2) * 10 + kind for kind in (0, 3, 6))
    begun, waits = split_trace.turns_of_rows(np.stack((known, there, written), -1), np.array([1, 2, 3, 4]), 2)
    # Rows 0 to 2 of two groups and two slices: what is written of a row is in the turn two rows later.
    assert begun.tolist() == [[1, 2, 3, 4, 46, 56], [46, 56, 66, 76, 86, 96]]
    assert waits.tolist() == [[40, 50, 60, 70, 80, 90], [43, 53, 63, 73, 83, 93]]

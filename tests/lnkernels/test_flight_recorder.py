"""Stamps that are read while their kernel runs."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import kernel_results
from lnkernels.language import stamps
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.launch.source import find_source
from lnkernels.providers.file import FileProvider
from lnkernels.trace import flight_recorder
from lnkernels.values.timeline import NO_NUMBER
from tests.lnkernels.test_stamps import noted
from tests.programs import printed

CPU = torch.device("cpu")
HANGS = Path(__file__).parents[2] / "resources" / "hangs"
NAMES = ("start", "wanted", "held", "released")
TEXT = "".join(f'stamp(trace_ptr, "{name}")\n' for name in NAMES)


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """Return the file of a kernel that has these stamps."""
    path = tmp_path / "mine.py"
    path.write_text(TEXT)
    return str(path)


def test_nothing_is_known_of_a_kernel_that_nobody_watches_or_that_stamps_nothing(
    mine: str,
) -> None:
    assert flight_recorder.snapshot() is None
    with flight_recorder.watching(CPU, "mine.py", mine, 8) as memory:
        assert memory[1:].sum() == 0
        assert flight_recorder.snapshot() is None


def test_rows_of_locked_are_stamped_while_they_are_recorded_and_at_no_other_time(
    mine: str,
) -> None:
    inputs = make_inputs(6, 8, torch.float32, "tutorial", 0, CPU)
    launch = resolve_launch(8, "float32", LaunchWish(strategy="locked", group_size_m=4), m=6)
    with flight_recorder.watching(CPU, "mine.py", mine, 8) as memory:
        kernel_results(inputs, 1e-5, launch)
        assert flight_recorder.snapshot() is None
        kernel_results(inputs, 1e-5, launch, memory)
        found = flight_recorder.snapshot()
    assert found is not None
    assert (found.programs, found.row.tolist()) == (6, list(range(6)))
    assert set(found.last.tolist()) == {3}, "all have given their lock back"
    assert (found.holds == NO_NUMBER).all()
    assert (found.wants == NO_NUMBER).all()
    assert found.timeline is not None
    assert found.timeline.lock.tolist() == [0, 1, 2, 3, 0, 1]


def test_a_row_that_has_one_lock_and_wants_another_is_told_with_both(mine: str) -> None:
    with flight_recorder.watching(CPU, "mine.py", mine, 8) as memory:
        times = {
            0: {"start": 1, "wanted": 5, "held": 5},  # within a tick: it wants another lock
            1: {"start": 2, "wanted": 4},
            2: {"start": 3, "wanted": 4, "held": 6, "released": 9},
            3: {"start": 3, "wanted": 4, "held": 6},
        }
        memory.copy_(noted(times, {0: 1, 1: 0, 2: 5, 3: 6}))
        table = memory.view(-1, stamps.WIDTH)[1:]
        table[0, stamps.HELD] = 1  # lock 0
        for row in times:
            place = (9 << stamps.COUNT_BITS) + (row << stamps.PROGRAM_BITS) + 8
            table[row, stamps.PLACE] = place
        found = flight_recorder.snapshot()
    assert found is not None
    assert found.holds.tolist() == [0, NO_NUMBER, NO_NUMBER, 6]
    assert found.wants.tolist() == [1, 0, NO_NUMBER, NO_NUMBER]
    assert found.programs == 9
    timeline = found.timeline
    assert timeline is not None
    assert (timeline.m, timeline.sm[:4].tolist()) == (9, [7, 7, 7, 7])
    assert timeline.released_ns[2] == 8
    never = timeline.released_ns.max()
    assert timeline.released_ns[[0, 1, 3]].tolist() == [never] * 3
    assert (timeline.start_ns[4:] == never).all(), "five programs never began"
    assert timeline.lock.tolist() == [1, 0, 5, 6, 0, 1, 2, 3, 4], "as the locks are numbered"
    assert (timeline.held_ns[1], timeline.held_ns[3]) == (never, 5)


def test_programs_that_wait_for_another_have_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "waiting.py"
    path.write_text("".join(f'stamp(t, "{name}")\n' for name in ("start", "waits", "end")))
    with flight_recorder.watching(CPU, "waiting.py", str(path), 8) as memory:
        memory.copy_(
            noted({row: {"start": 1, "waits": 2} for row in range(3)}, dict.fromkeys((0, 1, 2), 8))
        )
        memory.view(-1, stamps.WIDTH)[1:4, stamps.PLACE] = (9 << stamps.COUNT_BITS) + 1
        found = flight_recorder.snapshot()
    assert found is not None
    assert found.wants.tolist() == [8, 8, 8]
    assert found.timeline is not None
    assert found.timeline.lanes
    assert found.timeline.lock[:3].tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["two_orders", "release_left_out"])
def test_kernels_that_hang_tell_their_lines(name: str) -> None:
    provider = FileProvider(find_source(str(HANGS / f"{name}.py")))
    with provider.watched(CPU, 8) as traced:
        assert traced.trace is not None
    text = (HANGS / f"{name}.py").read_text().splitlines()
    assert provider.source.stamps == stamps.STANDARD
    assert sum('stamp(trace_ptr, "wanted"' in line for line in text) == 1 + (name == "two_orders")


COMPILED = """
import sys
import torch
from lnkernels.compiled.launches import RecordedLaunch, facts_of_launches
from lnkernels.launch.source import find_source
from lnkernels.providers.loading import load_file

memory = torch.empty(64, dtype=torch.int64, device="meta")
words = torch.empty(14, dtype=torch.int32, device="meta")
kernels = {"release_left_out": "add_row", "two_orders": "take_both", "grid_barrier": "meet"}
for name, kernel in kernels.items():
    module = load_file(find_source(f"{sys.argv[1]}/{name}.py"), [])
    for trace in (None, memory):
        options = {"num_warps": 32, "trace_ptr": trace}
        options |= {"locks": 7} if name == "release_left_out" else {}
        launch = RecordedLaunch(getattr(module, kernel), (8,), (words,), options)
        (facts,) = facts_of_launches([launch], "sm_90", ("ptx",))
        print(name, facts.texts["ptx"].count("globaltimer"), facts.spill_bytes)
"""


def test_kernels_that_hang_compile_with_a_stamp_for_each_that_they_have() -> None:
    lines = printed(COMPILED, HANGS, TRITON_INTERPRET=None).splitlines()
    counts = np.array([line.split()[1:] for line in lines], int)
    assert counts[:, 0].tolist() == [0, 4, 0, 6, 0, 3]
    assert not counts[:, 1].any()

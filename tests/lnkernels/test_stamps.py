"""Stamps of anybody's kernel: read as a timeline, and true to their order."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lnkernels import tracing
from lnkernels.language import stamps
from lnkernels.launch.source import read_source
from lnkernels.trace.stamp_timeline import StampError, stamp_timeline
from lnkernels.values.timeline import Clock, ReductionTimeline

LOCKED = """
import triton, triton.language as tl
from lnkernels.language.stamps import stamp

@triton.jit
def add(x_ptr, total_ptr, lock_ptr, GROUPS: tl.constexpr, trace_ptr=None):
    stamp(trace_ptr, "start")
    row = tl.program_id(0)
    group = row % GROUPS
    value = tl.load(x_ptr + row)
    stamp(trace_ptr, "wanted", row, group)
    while tl.atomic_cas(lock_ptr + group, 0, 1) == 1:
        pass
    stamp(trace_ptr, "held", row, group)
    tl.store(total_ptr + group, tl.load(total_ptr + group) + value)
    tl.debug_barrier()
    stamp(trace_ptr, "released", row)
    tl.atomic_xchg(lock_ptr + group, 0)
"""


def noted(rows: dict[int, dict[str, int]], locks: dict[int, int] | None = None) -> torch.Tensor:
    """Memory as a kernel leaves it, with a time for each row and name."""
    memory = stamps.allocate(torch.device("cpu"))
    table = memory.view(-1, 64)[1:]
    for row, times in rows.items():
        for name, time in times.items():
            table[row, stamps.place_of(name)] = time
        table[row, 0] = (locks or {}).get(row, -1) + 1
    return memory


def read(memory: torch.Tensor, *names: str) -> ReductionTimeline:
    return stamp_timeline(memory, names, source="mine", n=8, tick_ns=None)


def test_files_that_new_kernel_wrote_earlier_find_stamp() -> None:
    assert tracing.stamp is stamps.stamp


def test_a_kernel_with_locks_is_read_as_ours_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(LOCKED)
    names = read_source(path).stamps
    assert names == stamps.STANDARD
    code: dict[str, object] = {"__name__": "mine"}
    import linecache

    linecache.cache[str(path)] = (len(LOCKED), None, LOCKED.splitlines(keepends=True), str(path))
    exec(compile(LOCKED, str(path), "exec"), code)
    memory, totals = stamps.allocate(torch.device("cpu")), torch.zeros(4)
    code["add"][(8,)](torch.ones(8), totals, torch.zeros(4, dtype=torch.int32), 4, trace_ptr=memory)  # type: ignore[index]
    assert totals.tolist() == [2.0] * 4
    found = read(memory, *names)
    assert (found.m, found.group_size_m, found.source, found.phases, found.clock) == (
        8,
        4,
        "mine",
        (),
        Clock.STEPS,
    )
    assert found.lock.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert found.order.tolist() == [0] * 4 + [1] * 4
    times = np.stack((found.start_ns, found.wanted_ns, found.held_ns, found.released_ns), axis=1)
    assert times.ravel().tolist() == list(range(32))
    assert found.tile_start_ns.size == 0


def test_phases_of_its_own_take_the_places_in_the_order_of_the_text() -> None:
    rows = {
        0: {"load": 10, "sum": 30, "end": 60},
        1: {"load": 20, "sum": 25, "end": 40},
        7: {"load": 60, "end": 70},
    }
    found = read(noted(rows), "load", "sum", "end")
    assert found.phases == ("load", "sum", "end")
    assert (found.m, found.start_ns.tolist(), found.released_ns.tolist()) == (
        3,
        [0, 10, 50],
        [50, 30, 60],
    )
    assert found.held_ns.tolist() == [
        20,
        15,
        60,
    ], "what a row did not stamp came with its next stamp"
    assert found.lock.tolist() == [0, 1, 0], "rows that are not under way at once share a lane"


@pytest.mark.parametrize(
    ("locks", "told"),
    [
        ({0: 2, 1: 0, 2: 2, 3: 0}, [2, 0, 2, 0]),  # as they are numbered
        ({0: 2, 1: 0, 2: 2}, [2, 0, 2, 3]),  # what takes none is apart
        ({0: 70, 1: 9, 2: 70}, [1, 0, 1, 2]),  # more than there are rows
    ],
)
def test_a_lock_has_the_number_that_its_rows_stamp(locks: dict[int, int], told: list[int]) -> None:
    times = {
        row: dict(zip(stamps.STANDARD, range(row + 1, row + 5), strict=True)) for row in range(4)
    }
    assert read(noted(times, locks), *stamps.STANDARD).lock.tolist() == told


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ({}, "mine has stamped nothing"),
        ({0: {"a": 1}}, "take two to 4"),
        ({0: dict.fromkeys("abcdf", 1)}, "mine has stamps a, b, c, d, f: take two to 4"),
        ({0: {"a": 1, "b": 2}}, "cannot be told apart"),
    ],
)
def test_stamps_that_make_no_timeline_are_refused(
    rows: dict[int, dict[str, int]], told: str
) -> None:
    names = "abcdf"
    if "apart" in told:
        same = next(
            name for name in map(str, range(1000)) if stamps.place_of(name) == stamps.place_of("a")
        )
        names = ("a", "b", same)  # type: ignore[assignment]
    with pytest.raises(StampError, match=told):
        read(noted(rows), *names)


@pytest.mark.parametrize("name", ["", "b" * 31, "\n", "b\u202e"])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    with pytest.raises(StampError, match=r"mine has a stamp '.*': take 1 to 30 letters"):
        read(noted({0: {"a": 1, name: 2}}), "a", name)

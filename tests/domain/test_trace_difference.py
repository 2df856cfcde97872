"""Two traces beside each other: a delay is found where it is, and the sums add up to the ends."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from lnexplorer.domain.timeline import phase_times
from lnexplorer.domain.trace_difference import Growth, deciding_chain, lengths, trace_difference
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource
from lnkernels.values.timeline import ReductionTimeline
from tests.domain.timelines import simulated

M, G = 24, 4
COMPUTING, TRYING, HOLDING = 1000, 100, 800


def delayed(rows: dict[int, int], phase: str = "holding") -> ReductionTimeline:
    """Rows that all start at once and take their lock by their number, some of them later."""
    plain = simulated(M, 64, G)
    compute, hold = np.full(M, COMPUTING), np.full(M, HOLDING)
    for row, ns in rows.items():
        (hold if phase == "holding" else compute)[row] += ns
    held, released = np.zeros((2, M), np.int64)
    for row in range(M):
        free = max(compute[row], released[row - G] if row >= G else 0)
        held[row] = free + TRYING
        released[row] = held[row] + hold[row]
    numbers = np.arange(M, dtype=np.int32)
    return replace(
        plain,
        sm=numbers,
        lock=numbers % np.int32(G),
        order=numbers // np.int32(G),
        start_ns=np.zeros(M, np.int64),
        wanted_ns=compute.astype(np.int64),
        held_ns=held,
        released_ns=released,
        tile_start_ns=np.full_like(plain.tile_start_ns, released.max() + 50),
        tile_end_ns=np.full_like(plain.tile_end_ns, released.max() + 500),
    )


def test_an_artificial_delay_in_one_row_is_found_exactly() -> None:
    found = trace_difference(delayed({}), delayed({13: 5000}))
    assert found.grown == [Growth(row=13, lock=1, phase="holding", ns=5000)]
    assert found.ends_ns[1] - found.ends_ns[0] == 5000
    moved = {phase: both[1] - both[0] for phase, both in found.chain_ns.items()}
    assert {phase: ns for phase, ns in moved.items() if ns} == {"holding": 5000}
    assert "Apart from queues, row 13 changed most: holding +5.00 µs (lock 1)." in str(
        found.sentence()
    )
    assert found.locks_ns["holding"].tolist() == [0, 5000, 0, 0]
    assert found.locks_ns["queued"].tolist() == [0, 10000, 0, 0]  # rows 17 and 21 behind it
    assert (
        str(found.lines()[-1])
        == "Locks of B whose rows changed most, all rows added up: 1 (+15.0 µs)"
    )


def test_a_delay_that_the_queue_hides_moves_no_end() -> None:
    found = trace_difference(delayed({}), delayed({20: 300}, "computing"))
    assert found.grown == [Growth(row=20, lock=0, phase="computing", ns=300)]
    assert found.ends_ns[0] == found.ends_ns[1]
    assert found.rows_ns["queued"][20] == -300


def test_the_chain_is_the_queue_of_the_last_row() -> None:
    chain = deciding_chain(delayed({13: 5000}))
    assert list(dict.fromkeys(link.row for link in chain)) == [1, 5, 9, 13, 17, 21, -1]
    assert [link.phase for link in chain[:4]] == ["computing", "trying", "holding", "hand_over"]


@pytest.mark.parametrize(("resident", "groups"), [(3, 1), (8, 5), (8, 64)])
def test_a_chain_leads_from_the_start_to_the_end_without_a_gap(resident: int, groups: int) -> None:
    assert_whole(simulated(64, 256, groups, resident_programs=resident))


@pytest.mark.parametrize("name", ["4096x1024_g1", "4096x1024_g512", "64x64_g4_float16_buffers"])
def test_recorded_chains_are_whole_and_the_differences_add_up(name: str) -> None:
    paths = (resource(f"recordings/h200_{each}.lnrec") for each in ("4096x1024_g16", name))
    one, other = (read_recording(path).timeline for path in paths)
    assert one is not None
    assert other is not None
    assert_whole(other)
    found = trace_difference(one, other)
    assert sum(b - a for a, b in found.chain_ns.values()) == found.ends_ns[1] - found.ends_ns[0]
    *steps, ends = found.steps()
    assert len(found.table()) == len(steps) + 2  # its heads and the ends
    assert (steps[0][0], steps[-1][1]) == ends
    assert all(one[1] == after[0] for one, after in pairwise(steps))


def assert_whole(timeline: ReductionTimeline) -> None:
    chain = deciding_chain(timeline)
    assert (chain[0].begin_ns, chain[-1].end_ns) == (0, timeline.end_ns)
    assert all(one.end_ns == other.begin_ns for one, other in pairwise(chain))
    assert (sum(lengths(timeline).values()) == phase_times(timeline)[-1]).all()

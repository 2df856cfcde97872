"""What stored snapshots of kernels that hang tell, and what they do not."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.autopsy import cause_of, place_lines, standing, unresident
from lnexplorer.domain.experiments.hang import PLANTED
from lnkernels.values.timeline import NO_NUMBER, HangSnapshot
from tests.sample_experiments import hangs

STORED = hangs()


def test_all_five_are_stored_whole() -> None:
    assert list(STORED) == list(PLANTED)
    assert all(hang.is_whole for hang in STORED.values())
    one = STORED["endless_loop"]
    for damage in ({"lines": ()}, {"last": one.last + 9}, {"wants": one.wants[1:]}):
        assert not replace(one, **damage).is_whole  # type: ignore[arg-type]  # of any field


def test_the_cause_of_each_has_its_rows_locks_and_lines() -> None:
    grid, later = STORED["grid_barrier"], STORED["later_program"]
    waiting = int((STORED["release_left_out"].wants == 3).sum())
    assert {name: str(cause_of(hang)) for name, hang in STORED.items()} == {
        "release_left_out": "Row 17 took lock 3 (line 26 of release_left_out.py) and never gave it"
        f" back. Rows that wait for it: {waiting:,}.",
        "two_orders": "Rows 4 and 9 hold a lock each and want the other's (line 23, 30 of"
        " two_orders.py).",
        "grid_barrier": f"{grid.row.size:,} programs wait (line 20 of grid_barrier.py) for"
        f" {unresident(grid):,} that were never resident.",
        "later_program": f"{later.row.size:,} programs wait (line 22 of later_program.py) for"
        f" program {later.programs - 1:,}, one of {unresident(later):,} that were never resident.",
        "endless_loop": "Row 5 stands after the stamp search (line 18 of endless_loop.py): a loop there does"
        " not end, as no lock is wanted.",
    }


def test_places_tell_lock_stamps_and_time() -> None:
    lines = [[*map(str, line)] for line in place_lines(STORED["release_left_out"])]
    assert lines[0][1:6] == ["24", "wanted (line 23)", "held (line 26)", "–", "3"]
    assert lines[1][:6] == ["1", "17", "held (line 26)", "released (line 32)", "3", "–"]
    assert all(float(line[6].removesuffix(" s")) >= 0.5 for line in lines)


def hang(**changed: Any) -> HangSnapshot:
    """Four rows of a kernel, each its own program, that have all ended but for what is changed."""
    states = {"last": [3] * 4, "holds": [NO_NUMBER] * 4, "wants": [NO_NUMBER] * 4}
    arrays = {key: np.array(changed.pop(key, value), np.int64) for key, value in states.items()}
    rows = np.arange(4, dtype=np.int64)
    made = HangSnapshot(
        kernel="mine.py",
        stamps=("wanted", "held", "waits", "end"),
        lines=((1,), (2,), (3,), (4,)),
        programs=4,
        row=rows,
        program=rows,
        since_ns=np.arange(4, dtype=np.int64),
        now_ns=9,
        **arrays,
    )
    return replace(made, **changed)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (hang(), "why it hangs, no stamp says"),
        (
            hang(last=[0, 0, 0, 3], holds=[0, 1, 2, -1], wants=[1, 2, 0, -1]),
            "in circles (line 1 of mine.py): 3, the first is row 0.",
        ),
        (hang(last=[0, 0, 3, 3], wants=[7, 7, -1, -1]), "Who has it is not known"),
        (hang(last=[2, 3, 3, 3]), "Program 0 waits (line 3 of mine.py) for what never comes"),
        (hang(last=[2, 3, 3, 3], wants=[8, -1, -1, -1], programs=9), "for program 8, one of 5"),
        (hang(last=[1, 1, 3, 3]), "Row 0 stands after the stamp held, one of 2 that stand there"),
        (
            hang(last=[1, 3, 3, 3], programs=9),
            "or a wait for 5 programs that never began, no stamp",
        ),
        # Rows wait for one that waits for programs that find no place.
        (
            hang(last=[0, 0, 2, 3], holds=[-1, -1, 5, -1], wants=[5, 5, -1, -1], programs=9),
            "3 programs wait (line 3 of mine.py) for 5 that were never resident.",
        ),
        (hang(last=[0, 3, 3, 3], holds=[2, -1, -1, -1], wants=[2, -1, -1, -1]), "1, the first is"),
    ],
)
def test_causes_that_stamps_tell_and_those_that_they_do_not(found: HangSnapshot, told: str) -> None:
    assert told in str(cause_of(found))


def test_a_chain_as_long_as_the_grid_is_followed_once() -> None:
    count = 1 << 16
    rows = np.arange(count, dtype=np.int64)
    chain = hang(
        row=rows,
        program=rows,
        since_ns=rows.astype(np.int64),
        programs=count,
    )
    chain = replace(
        chain,
        last=np.full(count, 2, np.int64),
        holds=np.full(count, NO_NUMBER, np.int64),
        wants=np.where(rows > 0, rows - 1, NO_NUMBER).astype(np.int64),
    )
    assert len(standing(chain)) == count
    assert "65,536 programs wait" in str(cause_of(chain))

"""What replaces locks: a few programs that keep their sums to themselves, and the traffic that this saves."""

from dataclasses import dataclass

import numpy as np

from lnexplorer.domain.lecture.example import Numbers


@dataclass(frozen=True, eq=False, slots=True)
class Stride:
    """One round: which row each program takes, and what it has added up after it."""

    rows: tuple[int, ...]  # by program; -1 where no row is left
    dw: Numbers  # [P, N]
    db: Numbers  # [P, N]


def strides(dw: Numbers, db: Numbers, programs: int) -> tuple[Stride, ...]:
    """Program p adds the rows p, p + programs, p + 2 · programs …

    Args:
        dw: what each row adds to dw [M, N].
        db: what each row adds to db [M, N].
        programs: how many programs there are.
    """
    m, n = dw.shape
    found = []
    sum_dw, sum_db = np.zeros((programs, n)), np.zeros((programs, n))
    for first in range(0, m, programs):
        rows = tuple(row if row < m else -1 for row in range(first, first + programs))
        for program, row in enumerate(rows):
            if row >= 0:
                sum_dw[program] += dw[row]
                sum_db[program] += db[row]
        found.append(Stride(rows, sum_dw.copy(), sum_db.copy()))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of partial sums that cross the memory bus or the L2 cache, and how often a lock is taken."""

    stored: int
    loaded: int
    locks_taken: int


def locked_traffic(m: int, n: int, group_size_m: int, element: int) -> Traffic:
    """Each row stores dw and db into a buffer; all but the first of each buffer load them before, and stage 2 loads each once.

    So the loads that the first rows of the buffers save are those of stage 2.

    Args:
        m: rows.
        n: columns.
        group_size_m: buffers.
        element: bytes of a partial sum.
    """
    used = min(group_size_m, m)
    stage1, stage2 = m - used, used
    return Traffic(stored=m * 2 * n * element, loaded=(stage1 + stage2) * 2 * n * element, locks_taken=m)


def register_traffic(m: int, n: int, programs: int, element: int) -> Traffic:
    """Each program stores its sums once, and stage 2 loads them.

    Args:
        m: rows.
        n: columns.
        programs: programs that walk over the rows.
        element: bytes of a partial sum.
    """
    used = min(programs, m)
    return Traffic(stored=used * 2 * n * element, loaded=used * 2 * n * element, locks_taken=0)

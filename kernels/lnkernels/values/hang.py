"""Where the programs of a kernel stood when it was given up, as plain arrays."""

import numpy as np

from lnkernels.values.frozen import frozen
from lnkernels.values.timeline import ReductionTimeline, Times

NOTHING = -1  # in place of a lock


@frozen(eq=False, kw_only=True)
class HangSnapshot:
    """What R rows had stamped. A row is the number that a stamp names, else that of its program."""

    kernel: str  # its file
    stamps: tuple[str, ...]  # names, in the order of the text; the last one ends a row
    lines: tuple[tuple[int, ...], ...]  # of each name; none where the text is not known
    programs: int  # of the grid, of which 65,536 at most are noted
    row: Times  # [R], ascending
    program: Times  # [R]
    last: Times  # [R] index of the stamp that came last
    since_ns: Times  # [R] when it came, from the first stamp of all
    now_ns: int  # when the snapshot was taken
    holds: Times  # [R] the lock that was taken and not given back, or NOTHING
    # [R] the lock that is wanted; behind the stamp "waits" the program that is waited for, or
    # NOTHING for all
    wants: Times
    counted: bool = False  # stamps, because there was no clock
    timeline: ReductionTimeline | None = None  # that stops; None where the stamps make none

    @property
    def is_whole(self) -> bool:
        """True if each row has its state, and stands at one of the stamps."""
        arrays = (self.row, self.program, self.last, self.since_ns, self.holds, self.wants)
        alike = len({array.shape for array in arrays}) == 1 and len(self.lines) == len(self.stamps)
        return alike and bool(np.isin(self.last, range(len(self.stamps))).all())

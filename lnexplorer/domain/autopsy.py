"""Why a kernel hangs, from where its programs stood: one sentence, which says what is not known."""

from collections import Counter
from dataclasses import replace

import numpy as np

from lnexplorer.domain.wording import ABSENT
from lnkernels.values import Sentence, Value, Words, say
from lnkernels.values.timeline import NO_NUMBER, HangSnapshot

WAITS = "waits"  # the stamp before a wait for other programs
MOST_PLACES = 12
PLACE_TITLES = (
    say("rows"),
    say("first row"),
    say("after stamp"),
    say("before stamp"),
    say("holds lock"),
    say("waits for lock or program"),
    say("stands for"),
)


def with_cause(hang: HangSnapshot) -> HangSnapshot:
    """Return the snapshot with the cause in its timeline, where it has one."""
    stopped = hang.timeline and replace(hang.timeline, hang=cause_of(hang))
    return replace(hang, timeline=stopped)


def unresident(hang: HangSnapshot) -> int:
    """Return how many programs of the grid never began."""
    return hang.programs - int(np.unique(hang.program).size)


def standing(hang: HangSnapshot) -> dict[int, tuple[int, int, int]]:
    """Return the indices of rows that have not ended, each with the index of its last stamp, the
    lock that it holds and what it wants.
    """
    states = zip(hang.last.tolist(), hang.holds.tolist(), hang.wants.tolist(), strict=True)
    end = (len(hang.stamps) - 1, NO_NUMBER, NO_NUMBER)
    return {at: state for at, state in enumerate(states) if state != end}


def place_lines(hang: HangSnapshot) -> list[list[Words]]:
    """Return where rows stand as lines of a table, most rows first: as PLACE_TITLES."""
    found, lines = standing(hang), list[list[Words]]()
    for state, count in Counter(found.values()).most_common(MOST_PLACES):
        rows = [at for at in found if found[at] == state]
        since = (hang.now_ns - int(hang.since_ns[rows].min())) / 1e9
        stamps = [_stamp(hang, at) for at in (state[0], state[0] + 1)]
        named = [ABSENT if value == NO_NUMBER else str(value) for value in state[1:]]
        time = ABSENT if hang.counted else f"{since:.1f} s"
        lines.append([str(count), str(hang.row[rows[0]]), *stamps, *named, time])
    return lines


def cause_of(hang: HangSnapshot) -> Sentence:
    """Say why a kernel hangs, as far as its stamps tell."""
    found = standing(hang)
    if not found:
        return say("All rows that began have come to their end: why it hangs, no stamp says.")
    owner = {holds: at for at, (_, holds, _) in found.items() if holds != NO_NUMBER}
    running = {int(hang.program[at]): at for at in found}
    awaited = {
        at: (running if hang.stamps[last] == WAITS else owner).get(wants)
        for at, (last, _, wants) in found.items()
    }
    ends = {at: at if whom is None else whom for at, whom in awaited.items()}
    for _ in range(len(found).bit_length()):  # twice as far along the chain of waits each time
        ends = {at: ends[whom] for at, whom in ends.items()}
    if circle := {at for at in ends.values() if awaited[at] is not None}:
        return _circle(hang, sorted(circle))
    # Rows that are waited for in the same state are one cause.
    state, count = Counter(found[at] for at in ends.values()).most_common(1)[0]
    return _told(hang, next(at for at in ends.values() if found[at] == state), state, count)


def _told(hang: HangSnapshot, at: int, state: tuple[int, int, int], count: int) -> Sentence:
    """Say what `count` rows wait for, one at index `at` in a state and all behind it."""
    last, holds, wants = state
    stamp, absent = hang.stamps[last], unresident(hang)
    known: dict[str, Value] = {
        "row": int(hang.row[at]),
        "program": int(hang.program[at]),
        "stamp": stamp,
        "place": _place(hang, last),
        "lock": holds if wants == NO_NUMBER else wants,
        "wanted": wants,
        "count": count,
        "others": count - 1,
        "absent": absent,
    }
    if stamp == WAITS:
        whom = say("what never comes: why not, no stamp says.")
        if wants == NO_NUMBER and absent:
            whom = say("{absent:,} that were never resident.", **known)
        elif wants != NO_NUMBER and wants not in hang.program:
            whom = say("program {wanted:,}, one of {absent:,} that were never resident.", **known)
        if count > 1:
            return say("{count:,} programs wait ({place}) for {whom}", whom=whom, **known)
        return say("Program {program:,} waits ({place}) for {whom}", whom=whom, **known)
    if wants != NO_NUMBER:
        return say(
            "Rows that want lock {lock} ({place}): {count:,}. Who has it is not known: no row has"
            " stamped that it took it.",
            **known,
        )
    if holds != NO_NUMBER and count > 1:
        return say(
            "Row {row:,} took lock {lock} ({place}) and never gave it back. Rows that wait for it:"
            " {others:,}.",
            **known,
        )
    where = say("Row {row:,} stands after the stamp {stamp}", **known)
    if count > 1:
        where = say("{where}, one of {count:,} that stand there", where=where, **known)
    why = say("a loop there does not end, as no lock is wanted.")
    if absent:
        why = say(
            "whether that is a loop, or a wait for {absent:,} programs that never began, no stamp"
            " says.",
            **known,
        )
    return say("{where} ({place}): {why}", where=where, why=why, **known)


def _circle(hang: HangSnapshot, circle: list[int]) -> Sentence:
    """Say that rows wait for each other."""
    first, last = int(hang.row[circle[0]]), int(hang.row[circle[-1]])
    count, place = len(circle), _place(hang, int(hang.last[circle[0]]))
    if count == 2:
        return say(
            "Rows {first:,} and {second:,} hold a lock each and want the other's ({place}).",
            first=first,
            second=last,
            place=place,
        )
    return say(
        "Rows that wait for each other in circles ({place}): {count:,}, the first is row {row:,}.",
        place=place,
        count=count,
        row=first,
    )


def _stamp(hang: HangSnapshot, at: int) -> Words:
    """Return a stamp with its lines; nothing behind the last one."""
    if at >= len(hang.stamps):
        return ABSENT
    return say("{stamp} (line {line})", stamp=hang.stamps[at], line=hang.lines[at])


def _place(hang: HangSnapshot, at: int) -> Sentence:
    return say("line {line} of {file}", line=hang.lines[at], file=hang.kernel)

"""The second chapter: what goes wrong, or differs, without the guards of the reduction."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.lecture.by_hand import rows_of_lock_0
from lnexplorer.domain.lecture.material import Example, LectureMaterial, source_of
from lnexplorer.domain.lecture.scenes import (
    LONG,
    SHORT,
    ComparisonScene,
    LectureStep,
    Move,
    Moves,
    Opening,
    Question,
    TableLine,
    asked,
    step,
)
from lnexplorer.domain.ordered_sums import rounded
from lnexplorer.domain.wording import error
from lnkernels.values import Sentence, join_sentences, say, verbatim
from lnkernels.values.counters import operation


def without_guards(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the second chapter: a lock without its barrier, and sums in another order."""
    yield LectureStep(
        scene=Opening(2),
        shortest=SHORT,
        note=say(
            "The lock is there. Now what else it takes, and what even then is not the same twice."
        ),
    )
    yield _early_release(material.example)
    yield from (_of_barrier(material.code), _when_seen(material.code["put_back"]))
    yield from asked(how_many_wrong(material.barrier), shortest=SHORT)
    yield from (_wrong_columns(material), _two_orders(material), _many_runs(material))


def _early_release(example: Example) -> LectureStep:
    """Show a row whose second warp stores after its lock was given back."""
    (first, one), (second, two) = rows_of_lock_0(example)
    half = len(one) // 2
    zeros = (0.0,) * half
    early, wrong = (*one[:half], *zeros), (*np.add(one[:half], two[:half]), *two[half:])
    moves = (
        Move(first, say("program {row}, warp 0 stores its columns", row=first), one, early),
        Move(first, say("program {row}, warp 0 gives the lock back", row=first), one, early),
        Move(second, say("program {row} takes the lock, loads", row=second), early, early),
        Move(first, say("program {row}, warp 1 stores its columns", row=first), one, one),
        Move(second, say("program {row} adds its row, stores", row=second), wrong, wrong),
    )
    return step(
        Moves(moves, len(moves), tuple(np.add(one, two)), say("buffer {lock}, dw", lock=0)),
        "Without the barrier: the lock is given back too early",
        "A program is many warps, and one thread gives the lock back. Without a barrier it does not"
        " wait for the other warps: their columns of row {first} are lost.",
        "The barrier makes every warp of the program arrive before the lock is given back.",
        shortest=SHORT,
        first=first,
    )


def while_held(code: Sequence[str]) -> list[str]:
    """Return the operations of stage 1 from taking the lock to giving it back."""
    names = [operation(line) for line in code]
    gives = next(place for place, name in enumerate(names) if ".EXCH" in name)
    takes = max(place for place in range(gives) if ".CAS" in names[place])
    return names[takes : gives + 1]


def _found(operations: Sequence[str], pattern: str) -> Sentence | str:
    """Return the operations that a pattern finds, with their number; a dash where there is none."""
    found = Counter(
        name.replace(".DEFER_BLOCKING", "") for name in operations if re.fullmatch(pattern, name)
    )
    texts = [f"{count}\u00a0×\u00a0{name}" if count > 1 else name for name, count in found.items()]
    return join_sentences(texts, ", ") if texts else "–"


BARRIER, FENCE, STORES = r"BAR\.SYNC.*", r"MEMBAR.*", r"STG\.E\.128"


def _of_barrier(code: dict[str, Sequence[str]]) -> LectureStep:
    """Show what the switches change in the machine code, while a lock is held."""
    shown = ("put_back", "left_out", "plain_count")
    sides = [while_held(code[side]) for side in shown]
    cuts = [
        max(place for place, name in enumerate(side) if re.fullmatch(STORES, name))
        for side in sides
    ]
    early, late = (
        [side[:cut] for side, cut in zip(sides, cuts, strict=True)],
        [side[cut:] for side, cut in zip(sides, cuts, strict=True)],
    )
    on, off, plain = (sum(bool(re.search(BARRIER, line)) for line in code[side]) for side in shown)

    def line(text: Sentence, parts: Sequence[Sequence[str]], pattern: str) -> TableLine:
        with_it, *others = (_found(part, pattern) for part in parts)
        return text, with_it, *(say("same") if each == with_it else each for each in others)

    lines: list[TableLine] = [
        (say("barrier"), say("on"), say("off"), say("plain count")),
        line(say("takes the lock"), sides, r"ATOMG.*CAS.*"),
        line(say("counts its row"), sides, r"ATOMG.*ADD.*|LDG\.E|STG\.E"),
        line(say("hands it out"), early, BARRIER),
        line(say("stores sums"), sides, STORES),
        line(say("barrier"), late, BARRIER),
        line(say("fence"), late, FENCE),
        line(say("gives it back"), sides, r"ATOMG.*EXCH.*"),
    ]
    return step(
        ComparisonScene(lines, marked=5),
        "Barrier and fence: what the switch changes",
        "The barrier waits until all threads have stored; the fence, of the one thread that gives"
        " the lock back, stands in all. Without the barrier, others may store after it.",
        "The switch takes out one instruction, the barrier: {on} BAR.SYNC in all of stage 1 become"
        " {off}. Another switch makes the atomic count a load and a store without its own"
        " {of_count} barriers: {plain} are left. The kernel as first published had neither.",
        made_by(code["put_back"]),
        on=on,
        off=off,
        of_count=off - plain,
        plain=plain,
    )


def made_by(code: Sequence[str]) -> Sentence:
    """Say from what a piece of machine code was compiled, and by which compiler."""
    made = re.search(r"--m (\d+) --n (\d+) --group-size-m (\d+) .*--device (\S+).*; (.*)", code[0])
    assert made is not None, "shipped with it"
    values = zip(("m", "n", "buffers", "architecture", "compiler"), made.groups(), strict=True)
    return say(
        "{m} × {n}, {buffers} buffers, compiled for {architecture} by {compiler}", **dict(values)
    )


def _when_seen(code: Sequence[str]) -> LectureStep:
    """Show, in the order of time, what lets the next holder see what was stored."""
    held = while_held(code)
    takes, stored = (
        next(place for place, name in enumerate(held) if re.fullmatch(pattern, name))
        for pattern in (r"CCTL.*", STORES)
    )

    def line(program: int, part: Sequence[str], pattern: str, text: Sentence) -> TableLine:
        return say("program {program}", program=program), _found(part, pattern), text

    lines: list[TableLine] = [
        (say("who"), say("machine code"), say("what it does")),
        line(0, held, STORES, say("each thread stores its columns")),
        line(0, held[stored:], BARRIER, say("all threads have stored")),
        line(0, held[stored:], FENCE, say("release: these stores are in L2")),
        line(0, held, r"ATOMG.*EXCH.*", say("one thread gives the lock back")),
        line(2, held, r"ATOMG.*CAS.*", say("one thread takes the lock")),
        line(2, held[: takes + 1], r"CCTL.*", say("acquire: L1 is emptied")),
        line(2, held, r"LDG\.E\.128", say("each thread loads, from L2")),
    ]
    return step(
        ComparisonScene(lines, best=1),
        "When is a store seen?",
        "Each SM has an L1 of its own, which no other one looks into. So a fence stands before the"
        " lock is given back, and L1 is emptied after it is taken.",
        "A lock alone would say whose turn it is, not what was stored. Both come with the atomic"
        " operations: acquire and release.",
        made_by(code),
        shortest=LONG,
    )


def how_many_wrong(result: ExperimentResult) -> Question:
    """Ask how many runs had wrong sums, on the first side on which some had."""
    found = result.findings_of(Barriers)
    side = found.worst
    reason = say(
        "A fault of timing: a test that passes says little. It takes exact inputs and many runs."
    )
    if found.left_out is not None and not found.left_out.wrong_runs:
        reason = say(
            "A fault of timing: a test that passes says little. Where the barrier alone is left"
            " out, no run showed the fault, and the code has it."
        )
    options = sorted({0, 1, side.wrong_runs, side.runs})
    return Question(
        text=say(
            "{side}: how many of {runs} runs have wrong sums?", side=side.told, runs=side.runs
        ),
        options=tuple(verbatim(str(number)) for number in options),
        correct=options.index(side.wrong_runs),
        answer=tuple(result.sentences()),
        source=source_of(result),
        hint=say("[Show of hands. Ask also: would one test run have found it?]"),
        reason=reason,
    )


def _wrong_columns(material: LectureMaterial) -> LectureStep:
    result = material.barrier
    side, resolved = result.findings_of(Barriers).worst, result.resolved
    ever = np.flatnonzero((side.wrong_dw > 0) | (side.wrong_db > 0))
    caption = say("Columns are lost with their neighbours.")
    if not ever.size:
        caption = say("No column was ever wrong.")
    elif ever[0]:
        caption = say(
            "Columns before {first} were never wrong. The others are lost with their neighbours.",
            first=int(ever[0]),
        )
    return step(
        side,
        "In how many of {runs} runs each column was wrong",
        caption,
        "Inputs are 1 or −1, so sums are exact. A wrong one is one row short, and each run loses"
        " other columns. [Ask why neighbours are wrong together.]",
        "{side}: {m} × {n}, {buffers} buffers.",
        source=source_of(result),
        side=side.told,
        runs=side.runs,
        m=f"{resolved.m:,}",
        n=f"{resolved.n:,}",
        buffers=resolved.launch.group_size_m,
    )


def _two_orders(material: LectureMaterial) -> LectureStep:
    """Show a column of a half-precision buffer, added in the recorded order and by row."""
    timeline = material.rounded.timeline
    sums = timeline.sums
    assert sums is not None, "so small that it was recorded with its numbers"
    most = -1.0
    lines: list[TableLine] = []
    for lock in range(timeline.group_size_m):
        rows = np.flatnonzero(timeline.lock == lock)
        orders = rows[np.argsort(timeline.order[rows])], rows
        one, other = (_running(sums.row_dw[order], sums.partial_dtype) for order in orders)
        apart = np.abs(one[-1] - other[-1])
        column = int(apart.argmax())
        if apart[column] <= most:
            continue
        most = float(apart[column])
        title = say("buffer {lock}, dw[{column}]", lock=lock, column=column)
        lines = [(title, say("as it was recorded"), say("in the rows' order"))]
        for place in range(rows.size):
            texts = [
                say(
                    "row {row}: {sum}",
                    row=int(order[place]),
                    sum=_digits(float(total[place, column])),
                )
                for order, total in zip(orders, (one, other), strict=True)
            ]
            lines.append((say("sum after {count}", count=place + 1), *texts))
    return step(
        ComparisonScene(lines),
        "Why the last bits differ: another order, other roundings",
        "The same rows. Every sum is rounded to {dtype}, so the order shows: {apart} apart in the"
        " end.",
        "Addition of rounded numbers is not associative. Neither sum is wrong; both are within the"
        " tolerance.",
        source=material.rounded.source,
        dtype=sums.partial_dtype,
        apart=error(most),
    )


def _running(rows: np.ndarray, dtype: str) -> np.ndarray:
    """Return the sum [rows, N] after each row, rounded to a type."""
    totals = [rounded(rows[0], dtype)]
    for row in rows[1:]:
        totals.append(rounded(totals[-1] + row, dtype))
    return np.array(totals)


def _many_runs(material: LectureMaterial) -> LectureStep:
    result = material.order
    lines: list[TableLine] = [
        (
            say("{runs} runs of one input", runs=result.findings_of(Orders).sides[0].runs),
            say("different results"),
            say("furthest apart in dw"),
        )
    ]
    for side in result.findings_of(Orders).sides:
        name: Sentence | str = side.strategy
        if side.partial_dtype is not None:
            same = side.partial_dtype == "same"
            buffers = result.resolved.dtype if same else side.partial_dtype
            name = say("{strategy}, buffers in {dtype}", strategy=side.strategy, dtype=buffers)
        lines.append((name, str(side.distinct), error(float(side.spread.max()))))
    return step(
        ComparisonScene(lines, best=1),
        "So no two runs agree to the last bit",
        result.sentences()[0],
        "Every run is right, and no two are equal. It matters to whoever compares runs, or hunts a"
        " fault.",
        source=source_of(result),
    )


def _digits(value: float) -> str:
    """Return a sum in half precision to the digits in which neighbours differ."""
    return f"{value:.4f}".replace("-", "−")

"""What is written beside each step and said while a timeline plays: titles, captions, asides, and the speaker's notes."""

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.lecture.answers import Question
from lnexplorer.domain.lecture.example import Beat, BeatKind, strides
from lnexplorer.domain.lecture.material import GROUP_SIZES, Material, Passing, PassingKind, latest
from lnexplorer.domain.lecture.storyboard import (
    PROGRAMS,
    Asked,
    Charted,
    Closing,
    Compared,
    Opening,
    Played,
    Raced,
    Scene,
    Strode,
    Told,
    Worked,
)
from lnexplorer.domain.moments import locks_in_use
from lnexplorer.domain.timeline import shares
from lnexplorer.domain.wording import significant
from lnexplorer.gui.reduction.painter.wording import number, time_text
from lnkernels.values.timeline import ReductionTimeline

translate = QCoreApplication.translate


def aside(scene: Scene, material: Material) -> str:
    """A second line below a caption; empty where no recorded time is shown, or nobody measured what recording cost."""
    match scene:
        case Played(True, group_size_m):
            cost = material.costs.get(group_size_m)
            if cost is None:
                return ""
            form = translate("lecture", "Recording cost {0}: the pass took {1}, and {2} without it.")
            return form.format(share_text(cost.share), time_text(cost.traced_ns), time_text(cost.plain_ns))
        case Charted(_, True):
            return range_text(cost.share for cost in material.costs.values())
        case Raced() if material.strategies is not None and any(each.cost for each in material.strategies.timelines):
            return translate("lecture", "Compared as on the right, with launches; below: the cost of recording.")
    return ""


def range_text(costs: Iterable[float]) -> str:
    """What recording added to several passes; empty of none.

    Args:
        costs: shares, 0.02 is 2 %.
    """
    sorted_costs = sorted(costs)
    if not sorted_costs:
        return ""
    form = translate("lecture", "What recording added to the passes: {0} to {1}.")
    return form.format(share_text(sorted_costs[0]), share_text(sorted_costs[-1]))


def share_text(share: float) -> str:
    """What recording added to a pass, in per cent, with its sign."""
    return f"{'−' if share < 0 else '+'}{significant(abs(100 * share), 2)}\u00a0%"


def passing_text(timeline: ReductionTimeline, time_ns: float) -> str:
    """What happened last; empty at the end of the timeline, where there is a summary to tell."""
    passing = latest(timeline, time_ns)
    return _passing_sentence(passing, timeline) if passing is not None else ""


def _passing_sentence(passing: Passing, timeline: ReductionTimeline) -> str:
    form = {
        PassingKind.START: translate("lecture", "The programs start, one for each row. At most {count} are on the GPU at once."),
        PassingKind.FIRST_LOCK: translate("lecture", "{time}: row {row} takes lock {lock}, the first of all."),
        PassingKind.FIRST_WAIT: translate(
            "lecture", "{time}: row {row} is the first that has to wait: another row gets lock {lock} before it."
        ),
        PassingKind.MOST_WAIT: translate("lecture", "{time}: {count} rows wait at once, never more."),
        PassingKind.HALF: translate("lecture", "{time}: half of the rows are in their buffers."),
        PassingKind.LAST_START: translate("lecture", "{time}: the last row starts. From now on the GPU empties."),
        PassingKind.LONGEST_WAIT: translate(
            "lecture", "{time}: row {row} gets lock {lock} after {length}, the longest wait of all."
        ),
        PassingKind.LAST_RELEASE: translate("lecture", "{time}: row {row} gives the last lock back. Stage 1 ends."),
        PassingKind.TILES: translate("lecture", "{time}: stage 2 begins. {count} programs add up the {buffers} buffers."),
        PassingKind.END: "",
    }[passing.kind]
    return form.format(
        time=time_text(passing.time_ns, counted=timeline.counted),
        row=number(passing.row),
        lock=int(timeline.lock[passing.row]),
        count=number(passing.count),
        length=time_text(passing.length_ns, counted=timeline.counted),
        buffers=number(locks_in_use(timeline)),
    )


def notes(scene: Scene) -> str:
    """What to say and do at a step."""
    match scene:
        case Opening(chapter):
            found = _opening(chapter)
        case Worked(upto):
            found = _note_of_example(upto)
        case Told(beat):
            found = _note_of_timeline(beat.kind)
        case Asked(question, revealed):
            found = _revealed(question) if revealed else _asked(question)
        case Charted(_, True):
            found = translate(
                "lecture", "The model's times were measured in other runs. Say where it errs, and that it is a model."
            )
        case Charted():
            found = translate("lecture", "Both axes are logarithmic: on a straight line each halving costs the same factor.")
        case Played(True):
            found = translate(
                "lecture",
                "This was measured, on the GPU named above. It halts at each event; the next key goes on, Enter leaves it.",
            )
        case Played():
            found = translate(
                "lecture",
                "A model, with times taken from a GPU. It halts at each event; the next key goes on. White rows wait (black, on "
                "white).",
            )
        case Strode():
            found = translate("lecture", "The same rows, the same sums. Point at what is missing: locks, counts, queues.")
        case Compared():
            found = translate("lecture", "The price: sums of dw and db fill registers, so wide rows need another way.")
        case Raced():
            found = translate(
                "lecture",
                "Measured, L2 cache warm; on the right with launches and zeroing. Ask who waits for what: locked for "
                "locks, split for the rest of its row.",
            )
        case Closing():
            found = translate("lecture", "Take questions. Type a step's number and Enter to go back to its picture.")
    return found


def _opening(chapter: int) -> str:
    match chapter:
        case 0:
            return translate("lecture", "Ask who has written a kernel, and who has waited for a lock.")
        case 1:
            return translate("lecture", "Small enough for paper. Let everybody compute one row.")
        case 2:
            return translate("lecture", "From 4 rows to thousands. Every lock now serves many rows.")
        case 3:
            return translate("lecture", "Until now a model. From here on, what a GPU did.")
    return translate("lecture", "Ask first: how could one do without locks at all?")


def _note_of_example(upto: str) -> str:
    return {
        "inputs": translate(
            "lecture", "x is the input, dy the gradient that arrives, w the weight. The bias b plays no part in the gradients."
        ),
        "mean": translate("lecture", "Let the room say the means before the next step."),
        "rstd": translate("lecture", "Rows 1 and 2 spread twice as far, so their rstd is one half."),
        "xhat": translate("lecture", "Only 1 and −1: the example was chosen so. Real rows are not like this."),
        "c": translate("lecture", "Do row 0 together. c2 first, it is easier."),
        "dx": translate("lecture", "Stress: no program needs another one up to here."),
        "partials": translate(
            "lecture", "This is the turn of the story: columns now cross programs. How can programs add to one place?"
        ),
    }[upto]


def _note_of_timeline(kind: BeatKind) -> str:
    return {
        BeatKind.START: translate("lecture", "Colours are locks: even rows one colour, odd rows the other."),
        BeatKind.FINDS_FREE: translate("lecture", "Compare and swap: 0 becomes 1, in one step that nobody can divide."),
        BeatKind.WAITS: translate("lecture", "It tries again and again: a spin lock. Ask: what would happen without waiting?"),
        BeatKind.STORES: translate("lecture", "A store, no load: the old contents do not matter."),
        BeatKind.ADDS: translate("lecture", "Load, add, store, all under the lock. Do the sum of one column aloud."),
        BeatKind.RELEASES: translate(
            "lecture", "First every thread's stores, then the lock: a barrier in the kernel sees to it."
        ),
        BeatKind.TILES: translate("lecture", "A second kernel. It begins when the first one has ended."),
        BeatKind.END: translate("lecture", "Check one column on the board."),
    }[kind]


def _asked(question: Question) -> str:
    match question:
        case Question.TWICE:
            return translate("lecture", "Show of hands for each option; click the one with the most. Then the next step.")
        case Question.COUNT_ZERO:
            return translate("lecture", "Let them look back at the counts.")
        case Question.ZEROED:
            return translate("lecture", "Hint: each buffer has N columns, for dw and for db.")
        case Question.HALVING:
            return translate("lecture", "Let everybody write a number down first.")


def _revealed(question: Question) -> str:
    match question:
        case Question.TWICE:
            return translate("lecture", "G locks, G counts: that is why the kernel allocates 2 · G numbers.")
        case Question.COUNT_ZERO:
            return translate("lecture", "The order changes from run to run, and with it the rounding of the sums.")
        case Question.ZEROED:
            return translate("lecture", "A count is one number for a whole row of the buffer: that is why it is cheap.")
        case Question.HALVING:
            return translate("lecture", "Rows per lock double, and they pass one after the other.")


def chapter_titles() -> tuple[str, ...]:
    """Title of the lecture, then of each chapter."""
    return (
        translate("lecture", "LayerNorm's backward pass:\na reduction with locks"),
        translate("lecture", "By hand: 4 rows, 2 buffers"),
        translate("lecture", "Fewer buffers, longer queues"),
        translate("lecture", "As it happened on a GPU"),
        translate("lecture", "What replaces locks"),
    )


def plain(value: float) -> str:
    """A number of the example, as short as it is."""
    return f"{value + 0.0:g}".replace("-", "−")


def percent(figure: str) -> str:
    """A share whose sign stays on the line of its number."""
    return f"{figure}\u00a0%"


def listed(values: object) -> str:
    """Numbers of the example, one after the other."""
    return ",  ".join(plain(float(value)) for value in values)  # type: ignore[attr-defined]  # an array


def title(scene: Scene, material: Material) -> str:
    """Headline of a step; empty where the picture has its own."""
    found = ""
    match scene:
        case Worked(upto):
            found = _worked_title(upto)
        case Played(_, group_size_m):
            rows = material.request.m if material.request else 0
            form = translate("lecture", "{0} rows, {1} buffers") if rows else translate("lecture", "{1} buffers")
            found = form.format(number(rows), group_size_m)
        case Charted(_, True):
            found = translate("lecture", "The model beside the recording")
        case Charted():
            found = translate("lecture", "Time of stage 1 as G is halved")
        case Compared():
            found = translate("lecture", "Partial sums with locks and in registers")
        case Raced():
            found = translate("lecture", "With locks and without, on one axis of time")
    return found


def caption(scene: Scene, material: Material) -> str:
    """What happens, in a sentence or two; of a timeline, what it came to."""
    found = ""
    match scene:
        case Worked(upto):
            found = _caption_of_example(upto).format(*material.example.x.shape)
        case Told(beat):
            found = _caption_of_timeline(beat, material)
        case Charted(_, True):
            found = _recorded_chart(material)
        case Charted(points):
            found = _chart(points, material)
        case Played(recorded, group_size_m):
            found = _played(material, group_size_m, recorded=recorded)
        case Strode(round_):
            found = _strode(round_, material)
        case Compared():
            found = translate("lecture", "No lock, no count, no zeroing: each program stores its sums once, at its end.")
        case Raced():
            found = _raced(material)
    return found


def _worked_title(upto: str) -> str:
    return {
        "inputs": translate("lecture", "What comes in: x, dy and the weight w"),
        "mean": translate("lecture", "Mean of each row"),
        "rstd": translate("lecture", "One over the standard deviation of each row"),
        "xhat": translate("lecture", "Normalization: every row gets mean 0 and spread 1"),
        "c": translate("lecture", "Two means over a row: c1 and c2"),
        "dx": translate("lecture", "dx needs nothing but its own row"),
        "partials": translate("lecture", "dw and db need all rows: a reduction"),
    }[upto]


def _caption_of_example(upto: str) -> str:
    return {
        "inputs": translate(
            "lecture", "M = {0} rows, N = {1} columns. eps is 0 here, so that every number can be checked on paper."
        ),
        "mean": translate("lecture", "Each program takes one row, adds up its numbers and divides by N."),
        "rstd": translate("lecture", "The forward pass has kept mean and rstd of each row: the backward pass only loads them."),
        "xhat": translate("lecture", "Subtract the mean, multiply by rstd."),
        "c": translate("lecture", "Both are means over the N columns of one row."),
        "dx": translate("lecture", "So the rows can be computed at the same time, each by a program of its own."),
        "partials": translate(
            "lecture", "Each program has a row for dw and one for db. They are added over all rows, column by column."
        ),
    }[upto]


def _caption_of_timeline(beat: Beat, material: Material) -> str:
    example = material.example
    released = translate("lecture", "Program {row} gives lock {lock} back. Nobody waits for it.")
    if beat.other > 0:
        released = translate("lecture", "Program {row} gives lock {lock} back. Somebody waits for it.")
    form = {
        BeatKind.START: translate("lecture", "{m} programs start, one for each row. Row r belongs to buffer r mod {g}."),
        BeatKind.FINDS_FREE: translate("lecture", "Program {row} wants lock {lock}. It is free, so program {row} takes it."),
        BeatKind.WAITS: translate("lecture", "Program {row} wants lock {lock}. It is taken by program {other}, so it waits."),
        BeatKind.STORES: translate(
            "lecture",
            "Program {row} holds lock {lock} and raises the count from 0 to 1. It was 0: nobody has written here, so it just "
            "stores its row.",
        ),
        BeatKind.ADDS: translate(
            "lecture",
            "Program {row} holds lock {lock} and raises the count from {count} to {raised}. It was not 0: it loads the buffer, "
            "adds its row, stores the sum.",
        ),
        BeatKind.RELEASES: released,
        BeatKind.TILES: translate(
            "lecture", "All rows are in. Stage 2: each program takes some columns and adds up the {g} buffers. No locks."
        ),
        BeatKind.END: translate("lecture", "dw = {dw}. The sum over all rows at once gives the same."),
    }[beat.kind]
    return form.format(
        row=beat.row,
        lock=beat.lock,
        other=beat.other,
        count=beat.count,
        raised=beat.count + 1,
        m=example.timeline.m,
        g=example.timeline.group_size_m,
        dw=listed(example.sums.dw),
    )


def _chart(points: int, material: Material) -> str:
    if not material.growth:
        return ""
    first, last = material.growth[0], material.growth[points - 1]
    if points < len(GROUP_SIZES):
        return translate("lecture", "From {0} buffers to {1}: stage 1 goes from {2} to {3}.").format(
            first.group_size_m,
            last.group_size_m,
            time_text(first.summary.stage1_ns),
            time_text(last.summary.stage1_ns),
        )
    factor = last.summary.stage1_ns / first.summary.stage1_ns
    return translate(
        "lecture", "With 1 buffer every row waits for every other: {0}, {1} times as long as with {2} buffers."
    ).format(time_text(last.summary.stage1_ns), significant(factor, 2), first.group_size_m)


def _recorded_chart(material: Material) -> str:
    errors = [
        abs(point.summary.stage1_ns / seen - 1)
        for size, seen in material.stage1_ns.items()
        if (point := material.point(size)) is not None
    ]
    if not errors:
        return ""
    return translate("lecture", "Where there is a recording, the model is at most {0} away from it.").format(
        percent(significant(100 * max(errors), 2))
    )


def _played(material: Material, group_size_m: int, *, recorded: bool) -> str:
    found = material.recorded.get(group_size_m) if recorded else material.point(group_size_m)
    if found is None:
        return ""
    summary = found.summary
    return translate("lecture", "Stage 1 takes {0}. A row waits {1} on average: {2} of its time.").format(
        time_text(summary.stage1_ns), time_text(summary.wait_mean_ns), percent(f"{100 * summary.share_waiting:.0f}")
    )


def _strode(round_: int, material: Material) -> str:
    example = material.example
    rounds = strides(example.x, example.x, PROGRAMS)
    if round_ == 0:
        return translate("lecture", "{0} programs instead of {1}. Each keeps its own sums of dw and db in registers.").format(
            PROGRAMS, example.timeline.m
        )
    if round_ <= len(rounds):
        rows = rounds[round_ - 1].rows
        return translate("lecture", "Program 0 adds row {0}, program 1 adds row {1}, each to its own sums. Nobody waits.").format(
            *rows
        )
    if round_ == len(rounds) + 1:
        return translate("lecture", "No row is left: each program stores its sums, once, to a place of its own.")
    return translate("lecture", "Stage 2 adds what the programs stored. dw = {0}, the same as with locks.").format(
        listed(example.sums.dw)
    )


def _raced(material: Material) -> str:
    raced = material.strategies
    if raced is None:
        return ""
    first = raced.timelines[0]
    # Recording costs each strategy something else: their times are compared as they are without it.
    timed = [(each.cost.plain_ns, each.strategy) for each in raced.timelines if each.cost is not None]
    waits = percent(f"{100 * shares(first).wait:.0f}")
    if first.cost is None or min(timed)[1] == first.strategy:
        return translate("lecture", "{0} waits {1} of its time.").format(first.strategy, waits)
    least, fastest = min(timed)
    form = translate("lecture", "{0} waits {1} of its time. {3} is {2} times as fast.")
    return form.format(first.strategy, waits, significant(first.cost.plain_ns / least, 2), fastest)

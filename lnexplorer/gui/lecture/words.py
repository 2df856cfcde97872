"""What is written beside each step: its title, and a caption that tells it in plain words."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.experiments.strategy_timeline import shares
from lnexplorer.domain.lecture.beats import Beat, BeatKind
from lnexplorer.domain.lecture.growth import GROUP_SIZES
from lnexplorer.domain.lecture.material import Material
from lnexplorer.domain.lecture.registers import strides
from lnexplorer.domain.lecture.storyboard import (
    PROGRAMS,
    Charted,
    Compared,
    Played,
    Raced,
    Scene,
    Strode,
    Told,
    Worked,
)
from lnexplorer.domain.wording import significant
from lnexplorer.gui.reduction.painter.wording import number, time_text

translate = QCoreApplication.translate


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
            found = _worked(upto).format(*material.example.x.shape)
        case Told(beat):
            found = _told(beat, material)
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


def _worked(upto: str) -> str:
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


def _told(beat: Beat, material: Material) -> str:
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

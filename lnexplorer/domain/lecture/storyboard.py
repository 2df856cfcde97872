"""The steps of the lecture, in their order: what each shows, what is written beside it, and what its speaker may say."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.words import bytes_text, percent, share_text
from lnexplorer.domain.lecture.example import Beat, BeatKind, Example, beats
from lnexplorer.domain.lecture.material import GROUP_SIZES, Case, Material, time_text
from lnexplorer.domain.lecture.questions import (
    Question,
    added_by_recording,
    if_halved,
    if_zeroed,
    plain,
    when_zero,
    why_twice,
)
from lnexplorer.domain.timeline import shares
from lnexplorer.domain.wording import significant
from lnkernels.sentence import Sentence, say, verbatim
from lnkernels.values.environment import Kind

PROGRAMS = 2  # of the example without locks
PLAYED = (256, 16)  # values of GROUP_SIZE_M whose timelines are played
SHOWN_FIRST, SHOWN_THEN = 2, 5  # points of the chart
ELEMENT = 4  # bytes of a float32 partial sum
TITLE = say("LayerNorm's backward pass:\na reduction with locks")
CHAPTERS = (
    say("By hand: 4 rows, 2 buffers"),
    say("Fewer buffers, longer queues"),
    say("As it happened on a GPU"),
    say("What replaces locks"),
)


@dataclass(frozen=True, slots=True)
class Opening:
    """A chapter begins; 0 is the lecture itself."""

    chapter: int


@dataclass(frozen=True, eq=False, slots=True)
class Tables:
    """Formulas above tables of numbers, by the names of their signs; what the step is about is marked."""

    formulas: tuple[str, ...]
    marked: tuple[str, ...]  # formulas, or parts of them
    tables: tuple[tuple[str, np.ndarray, bool], ...]  # sign, values [rows, columns], whether the step is about it


@dataclass(frozen=True, eq=False, slots=True)
class Event:
    """An event of the example with its locks and buffers."""

    example: Example
    beat: Beat


@dataclass(frozen=True, eq=False, slots=True)
class Round:
    """The example without locks after a number of rounds; past the last one the programs store their sums, then stage
    2.
    """

    example: Example
    number: int


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    question: Question
    revealed: bool


@dataclass(frozen=True, eq=False, slots=True)
class Chart:
    """Stage 1 against GROUP_SIZE_M, in ns: of the model as far as the lecture has come, and recorded."""

    simulated: dict[int, int]
    recorded: dict[int, int]
    highest_ns: int  # of the steps before and after, so that all have the same axis
    lowest_ns: int


@dataclass(frozen=True, eq=False, slots=True)
class Playback:
    case: Case


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """A table of words, a line of titles first."""

    lines: tuple[tuple[Sentence, ...], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Race:
    """Strategies as they were recorded, on one axis of time."""

    result: ExperimentResult


@dataclass(frozen=True, eq=False, slots=True)
class Closing:
    """A title above what to take home."""

    title: Sentence
    points: tuple[Sentence, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Absent:
    """What a step needs is not in hand yet, or could not be read."""

    problem: Sentence | None


Scene = Opening | Tables | Event | Round | Asked | Chart | Playback | Comparison | Race | Closing | Absent


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Step:
    scene: Scene
    note: Sentence  # for its speaker
    chapter: int = 0
    title: Sentence | None = None
    caption: Sentence | None = None
    aside: Sentence | None = None  # below the caption, in small letters
    kinds: tuple[Kind, ...] | None = None  # what the numbers are; empty: calculated; None: there are none
    source: tuple[str, ...] = ()  # GPU and date of a recording


def storyboard(material: Material) -> tuple[Step, ...]:
    """All steps, as many whatever is in hand."""
    opening = say("Ask who has written a kernel, and who has waited for a lock.")
    steps = [Step(scene=Opening(0), note=opening)]
    for chapter, scenes in enumerate((_by_hand, _fewer_buffers, _on_a_gpu, _without_locks), start=1):
        steps += [replace(step, chapter=chapter) for step in scenes(material)]
    return tuple(steps)


def _by_hand(material: Material) -> Iterator[Step]:
    example = material.example
    yield Step(scene=Opening(1), note=say("Small enough for paper. Let everybody compute one row."))
    yield from _tables(example)
    most = material.recorded.get(GROUP_SIZES[0])
    for beat in beats(example.timeline):
        caption, note = _of_event(beat, example)
        yield Step(scene=Event(example, beat), caption=caption, note=note, kinds=(example.timeline.kind,))
        if beat.kind is BeatKind.STORES and beat.lock == 0:
            yield from _asked(why_twice(example))
    yield from _asked(when_zero(example.timeline, None if most is None else most.timeline))


def _fewer_buffers(material: Material) -> Iterator[Step]:
    simulated, recorded = material.simulated, {size: material.recorded[size] for size in PLAYED if size in material.recorded}
    yield Step(scene=Opening(2), note=say("From 4 rows to thousands. Every lock now serves many rows."))
    yield _playback(material, PLAYED[0], Kind.SIMULATED)
    yield from _asked(if_halved(simulated, recorded) if simulated else None, material.problem)
    yield _chart(material, SHOWN_FIRST)
    yield _chart(material, SHOWN_THEN)
    yield _playback(material, PLAYED[1], Kind.SIMULATED)
    yield _chart(material, len(GROUP_SIZES))
    yield from _asked(if_zeroed(material.request) if material.request is not None else None, material.problem)


def _on_a_gpu(material: Material) -> Iterator[Step]:
    yield Step(scene=Opening(3), note=say("Until now a model. From here on, what a GPU did."))
    for size in PLAYED:
        yield _playback(material, size, Kind.RECORDED)
    yield _recorded_chart(material)


def _without_locks(material: Material) -> Iterator[Step]:
    example = material.example
    yield Step(scene=Opening(4), note=say("Ask first: how could one do without locks at all?"))
    note = say("The same rows, the same sums. Point at what is missing: locks, counts, queues.")
    for number, caption in enumerate(_of_rounds(example)):
        yield Step(scene=Round(example, number), caption=caption, note=note, kinds=())
    yield _comparison(material)
    yield _race(material)
    yield _closing(material)


def _tables(example: Example) -> Iterator[Step]:
    m, n = example.x.shape
    values: dict[str, np.ndarray] = {
        "x": example.x,
        "dy": example.dy,
        "w": example.weight[None, :],
        "mean": example.mean[:, None],
        "rstd": example.rstd[:, None],
        "xhat": example.xhat,
        "wdy": example.weight * example.dy,
        "c1": example.c1[:, None],
        "c2": example.c2[:, None],
        "dx": example.dx,
        "dw row": example.partial_rows.dw,
        "db row": example.partial_rows.db,
    }
    statistics, gradients, sums = ("mean", "rstd", "xhat"), ("c1", "c2", "dx"), ("dw", "db")
    for title, caption, note, formulas, marked, before, about in (
        (
            say("What comes in: x, dy and the weight w"),
            say("M = {m} rows, N = {n} columns. eps is 0 here, so that every number can be checked on paper.", m=m, n=n),
            say("x is the input, dy the gradient that arrives, w the weight. The bias b plays no part in the gradients."),
            *(statistics, (), (), ("x", "dy", "w")),
        ),
        (
            say("Mean of each row"),
            say("Each program takes one row, adds up its numbers and divides by N."),
            say("Let the room say the means before the next step."),
            *(statistics, ("mean",), ("x",), ("mean",)),
        ),
        (
            say("One over the standard deviation of each row"),
            say("The forward pass has kept mean and rstd of each row: the backward pass only loads them."),
            say("Rows 1 and 2 spread twice as far, so their rstd is one half."),
            *(statistics, ("rstd",), ("x", "mean"), ("rstd",)),
        ),
        (
            say("Normalization: every row gets mean 0 and spread 1"),
            say("Subtract the mean, multiply by rstd."),
            say("Only 1 and −1: the example was chosen so. Real rows are not like this."),
            *(statistics, ("xhat",), ("x", "mean", "rstd"), ("xhat",)),
        ),
        (
            say("Two means over a row: c1 and c2"),
            say("Both are means over the N columns of one row."),
            say("Do row 0 together. c2 first, it is easier."),
            *(gradients, ("c1", "c2"), ("xhat", "wdy"), ("c1", "c2")),
        ),
        (
            say("dx needs nothing but its own row"),
            say("So the rows can be computed at the same time, each by a program of its own."),
            say("Stress: no program needs another one up to here."),
            *(gradients, ("dx",), ("wdy", "xhat", "c1", "c2", "rstd"), ("dx",)),
        ),
        (
            say("dw and db need all rows: a reduction"),
            say("Each program has a row for dw and one for db. They are added over all rows, column by column."),
            say("This is the turn of the story: columns now cross programs. How can programs add to one place?"),
            *(sums, ("rows",), ("dy", "xhat"), ("dw row", "db row")),
        ),
    ):
        tables = tuple((name, values[name], name in about) for name in (*before, *about))
        yield Step(scene=Tables(formulas, marked, tables), title=title, caption=caption, note=note, kinds=())


def _of_event(beat: Beat, example: Example) -> tuple[Sentence, Sentence]:
    """Caption and note."""
    row, lock, m, buffers = beat.row, beat.lock, example.timeline.m, example.timeline.group_size_m
    match beat.kind:
        case BeatKind.START:
            caption = say("{m} programs start, one for each row. Row r belongs to buffer r mod {g}.", m=m, g=buffers)
            note = say("Colours are locks: even rows one colour, odd rows the other.")
        case BeatKind.FINDS_FREE:
            caption = say("Program {row} wants lock {lock}. It is free, so program {row} takes it.", row=row, lock=lock)
            note = say("Compare and swap: 0 becomes 1, in one step that nobody can divide.")
        case BeatKind.WAITS:
            caption = say(
                "Program {row} wants lock {lock}. It is taken by program {other}, so it waits.",
                row=row,
                lock=lock,
                other=beat.other,
            )
            note = say("It tries again and again: a spin lock. Ask: what would happen without waiting?")
        case BeatKind.STORES:
            caption = say(
                "Program {row} holds lock {lock} and raises the count from 0 to 1. It was 0: nobody has written here, so it "
                "just stores its row.",
                row=row,
                lock=lock,
            )
            note = say("A store, no load: the old contents do not matter.")
        case BeatKind.ADDS:
            caption = say(
                "Program {row} holds lock {lock} and raises the count from {count} to {raised}. It was not 0: it loads the "
                "buffer, adds its row, stores the sum.",
                row=row,
                lock=lock,
                count=beat.count,
                raised=beat.count + 1,
            )
            note = say("Load, add, store, all under the lock. Do the sum of one column aloud.")
        case BeatKind.RELEASES:
            caption = say("Program {row} gives lock {lock} back. Nobody waits for it.", row=row, lock=lock)
            if beat.other > 0:
                caption = say("Program {row} gives lock {lock} back. Somebody waits for it.", row=row, lock=lock)
            note = say("First every thread's stores, then the lock: a barrier in the kernel sees to it.")
        case BeatKind.TILES:
            caption = say(
                "All rows are in. Stage 2: each program takes some columns and adds up the {g} buffers. No locks.", g=buffers
            )
            note = say("A second kernel. It begins when the first one has ended.")
        case BeatKind.END:
            caption = say("dw = {dw}. The sum over all rows at once gives the same.", dw=_listed(example.sums.dw))
            note = say("Check one column on the board.")
    return caption, note


def _asked(question: Question | None, problem: Sentence | None = None) -> Iterator[Step]:
    for revealed in (False, True):
        if question is None:
            yield Step(scene=Absent(problem), note=say("Let everybody write a number down first."))
            continue
        note, kinds = (question.reason, question.kinds) if revealed else (question.hint, question.kinds_asked)
        yield Step(scene=Asked(question, revealed), note=note, kinds=kinds)


def _playback(material: Material, size: int, kind: Kind) -> Step:
    recorded = kind is Kind.RECORDED
    note = say(
        "A model, with times taken from a GPU. It halts at each event; the next key goes on. White rows queue (black, on white)."
    )
    if recorded:
        note = say("This was measured, on the GPU named above. It halts at each event; the next key goes on, Enter leaves it.")
    case = (material.recorded if recorded else material.simulated).get(size)
    if case is None:
        return Step(scene=Absent(material.problem), note=note, title=say("{buffers} buffers", buffers=size), kinds=(kind,))
    summary, cost = case.summary, case.timeline.cost
    caption = say(
        "Stage 1 takes {time}. On average a row queues for {queued}, {share} of its time, and tries its free lock for {trying}.",
        time=time_text(summary.stage1_ns),
        queued=time_text(summary.queued_mean_ns),
        share=f"{100 * summary.share_queued:.0f} %",
        trying=time_text(summary.trying_mean_ns),
    )
    aside = None
    if recorded and cost is not None:
        aside = say(
            "Recording cost {share}: the pass took {traced}, and {plain} without it.",
            share=share_text(cost.share),
            traced=time_text(cost.traced_ns),
            plain=time_text(cost.plain_ns),
        )
    title = say("{m} rows, {buffers} buffers", m=f"{case.timeline.m:,}", buffers=size)
    scene = Playback(case)
    return Step(scene=scene, title=title, caption=caption, aside=aside, note=note, kinds=(kind,), source=case.source)


def _chart_scene(material: Material, points: int, *, recorded: bool = False) -> Chart | Absent:
    if not material.simulated:
        return Absent(material.problem)
    model = {size: material.simulated[size].summary.stage1_ns for size in GROUP_SIZES}
    seen = {size: case.summary.stage1_ns for size, case in material.recorded.items()}
    times = (*model.values(), *seen.values())
    shown = {size: model[size] for size in GROUP_SIZES[:points]}
    return Chart(shown, seen if recorded else {}, highest_ns=max(times), lowest_ns=min(times))


def _chart(material: Material, points: int) -> Step:
    caption, scene = None, _chart_scene(material, points)
    if isinstance(scene, Chart):
        first, last = GROUP_SIZES[0], GROUP_SIZES[points - 1]
        first_ns, last_ns = scene.simulated[first], scene.simulated[last]
        caption = say(
            "From {most} buffers to {least}: stage 1 goes from {first} to {last}.",
            most=first,
            least=last,
            first=time_text(first_ns),
            last=time_text(last_ns),
        )
        if points == len(GROUP_SIZES):
            caption = say(
                "With 1 buffer every row waits for every other: {time}, {factor} times as long as with {most} buffers.",
                time=time_text(last_ns),
                factor=significant(last_ns / first_ns, 2),
                most=first,
            )
    note = say("Both axes are logarithmic: on a straight line each halving costs the same factor.")
    title = say("Time of stage 1 as G is halved")
    return Step(scene=scene, title=title, caption=caption, note=note, kinds=(Kind.SIMULATED,))


def _recorded_chart(material: Material) -> Step:
    caption, scene = None, _chart_scene(material, len(GROUP_SIZES), recorded=True)
    if isinstance(scene, Chart):
        worst = max(abs(scene.simulated[size] / seen - 1) for size, seen in scene.recorded.items())
        caption = say("Where there is a recording, the model is at most {share} away from it.", share=percent(worst))
    return Step(
        scene=scene,
        title=say("The model beside the recording"),
        caption=caption,
        aside=added_by_recording(list(material.recorded.values())),
        note=say("The model's times were measured in other runs. Say where it errs, and that it is a model."),
        kinds=(Kind.SIMULATED, Kind.RECORDED),
    )


def _of_rounds(example: Example) -> Iterator[Sentence]:
    m = example.timeline.m
    yield say("{p} programs instead of {m}. Each keeps its own sums of dw and db in registers.", p=PROGRAMS, m=m)
    for row in range(0, m, PROGRAMS):
        yield say(
            "Program 0 adds row {first}, program 1 adds row {second}, each to its own sums. Nobody waits.",
            first=row,
            second=row + 1,
        )
    yield say("No row is left: each program stores its sums, once, to a place of its own.")
    yield say("Stage 2 adds what the programs stored. dw = {dw}, the same as with locks.", dw=_listed(example.sums.dw))


def _comparison(material: Material) -> Step:
    """The traffic of partial sums.

    Each row stores dw and db into a buffer; all but the first of each buffer load them before, and stage 2 loads each
    once, so the loads that the first rows save are those of stage 2. A program without locks stores its sums once.
    """
    request, scene = material.request, None
    if request is not None:
        programs = int(material.recorded[PLAYED[0]].timeline.sm.max()) + 1
        row = 2 * request.n * ELEMENT
        with_locks, without = bytes_text(request.m * row), bytes_text(min(programs, request.m) * row)
        shape = say("{m} × {n}, float32 sums", m=f"{request.m:,}", n=f"{request.n:,}")
        taken = say("{number} times", number=f"{request.m:,}")
        scene = Comparison(
            (
                (
                    shape,
                    say("locks, {buffers} buffers", buffers=PLAYED[0]),
                    say("registers, {programs} programs", programs=programs),
                ),
                (say("a lock is taken"), taken, say("never")),
                (say("partial sums stored"), verbatim(with_locks), verbatim(without)),
                (say("partial sums loaded"), verbatim(with_locks), verbatim(without)),
            )
        )
    return Step(
        scene=scene or Absent(material.problem),
        title=say("Partial sums with locks and in registers"),
        caption=say("No lock, no count, no zeroing: each program stores its sums once, at its end."),
        note=say("The price: sums of dw and db fill registers, so wide rows need another way."),
        kinds=(),
    )


def _race(material: Material) -> Step:
    note = say(
        "Measured, L2 cache warm; on the right with launches and zeroing. Ask who waits for what: locked for locks, split "
        "for the rest of its row."
    )
    title, result = say("With locks and without, on one axis of time"), material.strategies
    if result is None or result.strategies is None:
        return Step(scene=Absent(material.problem), title=title, note=note, kinds=(Kind.RECORDED,))
    timelines = result.strategies.timelines()
    first, aside = timelines[0], None
    own = shares(first)
    queued, trying = (f"{100 * share:.0f} %" for share in (own.waiting, own.trying))
    caption = say(
        "{strategy} queues for {queued} of its time and tries free locks for {trying}.",
        strategy=first.strategy,
        queued=queued,
        trying=trying,
    )
    # Recording costs each strategy something else: their times are compared as they are without it.
    timed = [(each.cost.plain_ns, each.strategy) for each in timelines if each.cost is not None]
    if timed:
        aside = say("Compared as on the right, with launches; below: the cost of recording.")
    if first.cost is not None and min(timed)[1] != first.strategy:
        least, fastest = min(timed)
        caption = say(
            "{strategy} queues for {queued} of its time and tries free locks for {trying}. {fastest} is {factor} times as fast.",
            strategy=first.strategy,
            queued=queued,
            trying=trying,
            fastest=fastest,
            factor=significant(first.cost.plain_ns / least, 2),
        )
    environment = result.provenance.environment
    source = (environment.gpu or "GPU", environment.date[:10])
    kinds = (Kind.RECORDED,)
    return Step(scene=Race(result), title=title, caption=caption, aside=aside, note=note, kinds=kinds, source=source)


def _closing(material: Material) -> Step:
    halved = say("Rows that share a lock pass one after the other.")
    if material.simulated:
        first, second = (material.simulated[size].summary.stage1_ns for size in GROUP_SIZES[:2])
        halved = say(
            "Half the buffers, {factor} times as long: rows that share a lock pass one after the other.",
            factor=significant(second / first, 2),
        )
    points = (
        say("dx needs one row. dw and db need all rows: they are a reduction."),
        say("A lock keeps a buffer's load, add and store together. Its count says whether there is anything to load."),
        halved,
        say("The fastest lock is none: sums of one's own, added at the end."),
    )
    return Step(
        scene=Closing(say("What to take home"), points),
        note=say("Take questions. Type a step's number and Enter to go back to its picture."),
        kinds=(Kind.SIMULATED,) if material.simulated else (),
    )


def _listed(values: np.ndarray) -> str:
    return ",  ".join(plain(float(value)) for value in values)

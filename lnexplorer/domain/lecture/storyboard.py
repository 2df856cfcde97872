"""The steps of the lecture in their order, those of a shorter one, and when each begins."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from lnexplorer.domain.lecture.buffers import why_not_more
from lnexplorer.domain.lecture.by_hand import by_hand
from lnexplorer.domain.lecture.guards import without_guards
from lnexplorer.domain.lecture.material import LectureMaterial
from lnexplorer.domain.lecture.on_a_gpu import where_it_lives
from lnexplorer.domain.lecture.program_order import order_of_programs
from lnexplorer.domain.lecture.scenes import (
    LONG,
    SHORT,
    Closing,
    LectureStep,
    Opening,
    Playback,
    QuestionScene,
    Scene,
    SceneEvent,
    Scheduling,
    step,
)
from lnexplorer.domain.lecture.without_locks import without_locks
from lnkernels.values import Sentence, say

TITLE = say("LayerNorm's backward pass:\na reduction with locks")
CHAPTERS = (
    say("By hand: 4 rows, 2 buffers"),
    say("Lost rows, and last bits"),
    say("Why not more buffers"),
    say("Where everything lives"),
    say("The order of programs"),
    say("What replaces locks"),
)


# Sheets to work on after a chapter, in the longest lecture, and minutes for each.
SHEETS = {
    1: {
        "01": say("One sum by hand"),
        "02": say("How many rows share a lock?"),
        "04": say("Who comes first?"),
    },
    2: {"08": say("Find the missing barrier"), "10": say("What a buffer's type costs")},
    3: {
        "05": say("Predict the time at G = {size}, then run it", size=32),
        "07": say("How many buffers are enough?"),
    },
    4: {"11": say("Why is N = {width} slower than {other}?", width=1001, other=1024)},
    6: {"13": say("Write the lock")},
}
SHEET_MINUTES = 3


def _practice(chapter: int) -> LectureStep:
    sheets = SHEETS[chapter]
    minutes = SHEET_MINUTES * len(sheets)
    points = (
        say("Sheet {number}: {title}", number=number, title=title)
        for number, title in sheets.items()
    )
    return step(
        Closing(tuple(points), minutes),
        "Now you: {minutes} minutes",
        "Ctrl+Shift+E opens the sheets, and checks the answers.",
        "[Go round. Whoever is stuck takes a hint.]",
        shortest=LONG,
        minutes=minutes,
    )


def storyboard(material: LectureMaterial) -> tuple[LectureStep, ...]:
    """Return the steps of the longest lecture."""
    opening = say("[Ask who has written a kernel, and who has waited for a lock.]")
    steps = [LectureStep(scene=Opening(0), note=opening, shortest=SHORT)]
    chapters = (
        by_hand,
        without_guards,
        why_not_more,
        where_it_lives,
        order_of_programs,
        without_locks,
    )
    for chapter, scenes in enumerate(chapters, start=1):
        found = list(scenes(material))
        if chapter in SHEETS:  # the last page of all stays the last
            found.insert(-1 if chapter == len(chapters) else len(found), _practice(chapter))
        steps += [replace(each, chapter=chapter) for each in found]
    return lecture_of(steps, LONG)


def lecture_of(steps: Sequence[LectureStep], length: int) -> tuple[LectureStep, ...]:
    """Return the steps of a lecture of so many minutes, with their numbers and when they begin.

    Args:
        steps: of the longest lecture.
        length: of LENGTHS.
    """
    chosen = [step for step in steps if step.shortest <= length]
    begins = accumulate((seconds(step) for step in chosen), initial=0.0)
    return tuple(
        replace(
            step,
            number=number,
            count=len(chosen),
            chapters=tuple(dict.fromkeys(each.chapter for each in chosen if each.chapter)),
            minute=say("minute {minute} of {length}", minute=int(begin / 60) + 1, length=length),
        )
        for number, (step, begin) in enumerate(zip(chosen, begins, strict=False), start=1)
    )


WORDS_A_MINUTE = 130  # of an English lecture
# Seconds in which the room looks at a step, beside those in which it is spoken of.
LOOKED_AT: dict[type[Scene], int] = {
    Opening: 5,
    SceneEvent: 12,
    QuestionScene: 60,
    Scheduling: 150,
    Playback: 8,
}
# Any other; an answer; each event at which a timeline halts.
PICTURE_S, ANSWER_S, HALT_S = 30, 15, 5


def seconds(step: LectureStep) -> float:
    """Return the seconds of a step: for its English words, and for looking at it."""
    words = sum(len(str(sentence).split()) for sentence in _spoken(step))
    scene, looked_at = step.scene, LOOKED_AT.get(type(step.scene), PICTURE_S)
    if isinstance(scene, QuestionScene) and scene.revealed:
        looked_at = ANSWER_S
    elif isinstance(scene, Playback):
        looked_at += HALT_S * (len(scene.halts) - 1)  # without its end
    elif isinstance(scene, Closing):
        looked_at = 60 * scene.minutes
    return 60 * words / WORDS_A_MINUTE + looked_at


def _spoken(step: LectureStep) -> Iterator[Sentence]:
    yield from filter(None, (step.title, step.caption, step.note))
    match step.scene:
        case QuestionScene(question, revealed):
            yield from question.answer if revealed else (question.text, *question.options)
        case Playback() as scene:
            yield from (sentence for _, sentence in scene.told)

"""The steps of the lecture in their order, at most 60, and when each begins in 45 minutes."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from math import ceil

from lnexplorer.domain.lecture.buffers import why_not_more
from lnexplorer.domain.lecture.by_hand import by_hand
from lnexplorer.domain.lecture.guards import without_guards
from lnexplorer.domain.lecture.material import LectureMaterial
from lnexplorer.domain.lecture.on_a_gpu import order_of_programs, where_it_lives
from lnexplorer.domain.lecture.scenes import (
    Asked,
    Closing,
    LectureStep,
    Opening,
    Playback,
    Scene,
    SceneEvent,
)
from lnexplorer.domain.lecture.without_locks import without_locks
from lnkernels.values.sentence import Sentence, say

TITLE = say("LayerNorm's backward pass:\na reduction with locks")
CHAPTERS = (
    say("By hand: 4 rows, 2 buffers"),
    say("Lost rows, and last bits"),
    say("Why not more buffers"),
    say("Where everything lives"),
    say("The order of programs"),
    say("What replaces locks"),
)


def storyboard(material: LectureMaterial) -> tuple[LectureStep, ...]:
    """Return all steps, with their numbers and the minutes at which they begin.

    Steps that can be left out take no time: such a one begins with the next.
    """
    opening = say(
        "Ask who has written a kernel, and who has waited for a lock. The lecture takes 45 minutes"
        " without the steps marked ○."
    )
    steps = [LectureStep(scene=Opening(0), note=opening)]
    chapters = (
        by_hand,
        without_guards,
        why_not_more,
        where_it_lives,
        order_of_programs,
        without_locks,
    )
    for chapter, scenes in enumerate(chapters, start=1):
        steps += [replace(step, chapter=chapter) for step in scenes(material)]
    *begins, end = accumulate(
        (0.0 if step.optional else seconds(step) for step in steps), initial=0.0
    )
    minutes = (
        say("minute {minute} of {length}", minute=int(begin / 60) + 1, length=ceil(end / 60))
        for begin in begins
    )
    placed = enumerate(zip(steps, minutes, strict=True), start=1)
    return tuple(
        replace(step, number=number, count=len(steps), minute=minute)
        for number, (step, minute) in placed
    )


WORDS_A_MINUTE = 130  # of an English lecture
# Seconds in which the room looks at a step, beside those in which it is spoken of.
LOOKED_AT: dict[type[Scene], int] = {
    Opening: 5,
    SceneEvent: 12,
    Asked: 60,
    Closing: 60,
    Playback: 8,
}
# Any other; an answer; each event at which a timeline halts.
PICTURE_S, ANSWER_S, HALT_S = 30, 15, 5


def seconds(step: LectureStep) -> float:
    """Return the seconds of a step: for its English words, and for looking at it."""
    words = sum(len(str(sentence).split()) for sentence in _spoken(step))
    scene, looked_at = step.scene, LOOKED_AT.get(type(step.scene), PICTURE_S)
    if isinstance(scene, Asked) and scene.revealed:
        looked_at = ANSWER_S
    elif isinstance(scene, Playback):
        looked_at += HALT_S * (len(scene.halts) - 1)  # without its end
    return 60 * words / WORDS_A_MINUTE + looked_at


def _spoken(step: LectureStep) -> Iterator[Sentence]:
    yield from filter(None, (step.title, step.caption, step.note))
    match step.scene:
        case Asked(question, revealed):
            yield from question.answer if revealed else (question.text, *question.options)
        case Playback() as scene:
            yield from (sentence for _, sentence in scene.told)

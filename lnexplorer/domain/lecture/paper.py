"""The student's handout: explanations and blanks in place of directions, and the answers."""

import re
from collections.abc import Sequence
from dataclasses import replace

from lnexplorer.domain.lecture.scenes import LectureStep, QuestionScene
from lnkernels.values import Sentence, Value, verbatim

BLANK = "________"
_DIRECTIONS = re.compile(r"(?:^|(?<=\s))\[[^\]]*\]\s*|【[^】]*】")


def explained(note: str) -> str:
    """Return a note in any language without directions for its speaker: those in brackets."""
    return _DIRECTIONS.sub("", note).strip()


def with_blanks(
    steps: Sequence[LectureStep],
) -> tuple[list[LectureStep], list[tuple[int, Sentence]]]:
    """Return steps with a blank for the last figure of each caption and without answers to
    questions, and what belongs there, by the number of its step.
    """
    shown, answers = [], []
    for step in steps:
        if isinstance(step.scene, QuestionScene):
            if step.scene.revealed:
                question = step.scene.question
                answers.append((step.number - 1, question.options[question.correct]))
                continue
        elif step.caption is not None and (name := _last_figure(step.caption)) is not None:
            values = dict(step.caption.values)
            answers.append((step.number, verbatim(str(values[name]))))
            blanked = Sentence(step.caption.template, tuple((values | {name: BLANK}).items()))
            step = replace(step, caption=blanked)  # noqa: PLW2901 - the same step on paper
        shown.append(step)
    return shown, answers


def _last_figure(caption: Sentence) -> str | None:
    """Return the name of the last value with a digit in a sentence."""
    figures: dict[str, Value] = dict(caption.values)
    names: list[str] = re.findall(r"{(\w+)", caption.template)
    return next((name for name in reversed(names) if re.search(r"\d", str(figures[name]))), None)

"""The lecture's material and steps, read once for all tests of a process, and parts of them."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from lnexplorer.domain.lecture.material import LectureMaterial
from lnexplorer.domain.lecture.scenes import ComparisonScene, LectureStep, Question, QuestionScene
from lnexplorer.domain.lecture.storyboard import storyboard
from lnexplorer.lecture.loading import load_material
from lnkernels.values.sentence import Sentence, join_sentences, verbatim

Steps = tuple[LectureStep, ...]


@cache
def recorded_material() -> LectureMaterial:
    return load_material()


@cache
def recorded_steps() -> tuple[LectureStep, ...]:
    return storyboard(recorded_material())


def shows(steps: Steps, kind: type) -> list[tuple[LectureStep, Any]]:
    """The steps with a kind of scene."""
    return [(step, step.scene) for step in steps if isinstance(step.scene, kind)]


def table(steps: Steps, words: str) -> tuple[LectureStep, ComparisonScene]:
    """The table under a title with some words."""
    return next(
        (step, scene) for step, scene in shows(steps, ComparisonScene) if words in str(step.title)
    )


def question(steps: Steps, words: str) -> Question:
    return next(
        scene.question
        for _, scene in shows(steps, QuestionScene)
        if words in str(scene.question.text)
    )


def values(sentence: Sentence | None) -> dict[str, object]:
    """What stands in the places of a sentence."""
    assert sentence is not None
    placed = [each for each in sentence.values if f"{{{each[0]}" in sentence.template]
    return as_written(placed)


def as_written(values: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Values by name, several in a row as their text."""
    listed = {join_sentences("ab").template, verbatim("").template}
    return {
        name: str(value) if isinstance(value, Sentence) and value.template in listed else value
        for name, value in values
    }


def said(part: object) -> Iterator[Sentence]:
    """All sentences of a step, however deep; not those of what it was computed from."""
    if isinstance(part, Sentence):
        yield part
    elif isinstance(part, (tuple, list)):
        for each in part:
            yield from said(each)
    elif (
        is_dataclass(part)
        and type(part).__module__.startswith("lnexplorer.domain.lecture.")
        and not isinstance(part, type)
    ):
        for each in fields(part):
            yield from said(getattr(part, each.name))

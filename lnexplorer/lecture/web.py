"""The lecture as one page of HTML: its steps with pictures and timelines, and its exercises."""

import math
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from markupsafe import Markup
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.history import local_time
from lnexplorer.domain.lecture.checks import OPEN, RIGHT, Evidence, ExerciseError
from lnexplorer.domain.lecture.exercises import Exercise
from lnexplorer.domain.lecture.material import plain
from lnexplorer.domain.lecture.paper import explained
from lnexplorer.domain.lecture.scenes import (
    Closing,
    ComparisonScene,
    LectureStep,
    Opening,
    Playback,
    QuestionScene,
    Scheduling,
)
from lnexplorer.domain.lecture.storyboard import CHAPTERS, TITLE, lecture_of
from lnexplorer.gui.charts.picture import packed
from lnexplorer.gui.charts.sheet import WHITE, Sheet
from lnexplorer.gui.kit import CHINESE, ENGLISH, Languages, has_chinese_font
from lnexplorer.lecture.exercises import markup
from lnexplorer.lecture.loading import lecture_steps
from lnexplorer.lecture.page import PageState, draw_scene
from lnexplorer.lecture.picture_pages import HiddenCanvas
from lnexplorer.report.html import render
from lnexplorer.report.pictures import TAGS, begin_drawing
from lnexplorer.report.replay import chinese, page_data, replay_data
from lnexplorer.store.exercises import load_evidence, load_exercises
from lnkernels.launch import STRATEGIES
from lnkernels.values import translated

_STEP = QSizeF(1000, 560)  # px in which a picture is laid out
_SHARPNESS = 1.2  # pixels of a picture for each of these
_QUALITY = 55  # of WebP: letters stay clean, and the longest lecture below 3 MB
# Scenes that are words and tables.
_WRITTEN_OUT = (Opening, QuestionScene, Closing, ComparisonScene)
_MOST_TURNS = 6  # of two programs, one of which may try a lock in vain
_NO_FOLDER = Path("/nonexistent")


def draw_lecture(steps: Sequence[LectureStep], page: list[bytes]) -> Iterator[int]:
    """Make the page, a picture of a step in each turn.

    Args:
        steps: of the lecture.
        page: takes the finished file.

    Yields:
        The number of pictures that are drawn.
    """
    languages, widgets, drawn = Languages(), QWidget(), 0
    pictures: dict[int, dict[str, str]] = {step.number: {} for step in steps}
    try:
        for language in (ENGLISH, CHINESE) if has_chinese_font() else (ENGLISH,):
            languages.use(language)
            canvas = HiddenCanvas(widgets)
            for step in steps:
                # What plays needs its picture where no script runs alone.
                once = isinstance(step.scene, Playback) and language != ENGLISH
                if not isinstance(step.scene, _WRITTEN_OUT) and not once:
                    pictures[step.number][TAGS[language]] = _picture(step, canvas)
                    drawn += 1
                    yield drawn
    finally:
        languages.use(ENGLISH)
        widgets.deleteLater()
    timelines: dict[str, dict[str, Any]] = {}
    entries = [_entry(step, pictures[step.number], timelines) for step in steps]
    exercises = _exercises()
    turns = {
        f"step-{step.number}": _turns(step.scene)
        for step in steps
        if isinstance(step.scene, Scheduling)
    }
    played = [entry["played"] for entry in entries if entry["played"]]
    answers = {each["name"]: each["answers"] for each in exercises}
    text = render(
        "lecture.html",
        chinese(),
        {**page_data(timelines, played), "answers": answers, "turns": turns},
        title=TITLE,
        written=local_time(datetime.now(UTC).isoformat(timespec="seconds")),
        live=True,
        steps=entries,
        exercises=exercises,
        chapters=CHAPTERS,
    )
    page.append(text.encode())


def lecture_page(minutes: int) -> bytes:
    """Make the page of a lecture; the application's language is changed meanwhile."""
    begin_drawing()
    page: list[bytes] = []
    for _ in draw_lecture(lecture_of(lecture_steps(), minutes), page):
        pass
    return page[0]


def _picture(step: LectureStep, canvas: HiddenCanvas) -> str:
    """Draw the scene of a step in the application's language, as WebP in base64."""
    image = QImage((_STEP * _SHARPNESS).toSize(), QImage.Format.Format_RGB32)
    image.fill(WHITE.background)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(_SHARPNESS, _SHARPNESS)
    sheet = Sheet(painter, _STEP, WHITE)
    room = QRectF(0, 0, _STEP.width(), _STEP.height()).adjusted(8, 8, -8, -8)
    draw_scene(sheet, room, PageState(step=step), canvas)
    painter.end()
    return b64encode(packed(image, "WEBP", _QUALITY)).decode()


def _entry(
    step: LectureStep, pictures: dict[str, str], timelines: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return what the template shows of a step; add its timeline to `timelines`, once."""
    scene, look_up, played = step.scene, chinese(), None
    if isinstance(scene, Playback):
        timeline = scene.case.timeline
        name = f"{timeline.m}-{timeline.group_size_m}"
        if name not in timelines:
            timelines[name] = replay_data(timeline, scene.case.result.resolved)
        played = {
            "anchor": f"step-{step.number}",
            "plays": name,
            "until": scene.end_ns,
            "told": [[time, str(said), translated(said, look_up)] for time, said in scene.told],
        }
    notes = (str(step.note or ""), translated(step.note or "", look_up))
    return {
        "step": step,
        "scene": scene,
        "kind": type(scene).__name__,
        "notes": dict(zip(TAGS.values(), map(explained, notes), strict=True)),
        "pictures": pictures,
        "played": played,
    }


def _turns(scene: Scheduling) -> dict[str, list[str]]:
    """Return what the last turn of an order of programs, such as 010, does: in English, in Chinese,
    the program's registers, the buffer, and ✓ or ✗ where both programs are through.
    """
    look_up, found = chinese(), {}
    begun: list[tuple[int, ...]] = [()]
    while begun:
        before = begun.pop()
        for order in ((*before, 0), (*before, 1)):
            moves = scene.played(order)
            if len(moves.moves) < len(order):  # the program is through
                continue
            move = moves.moves[-1]
            sign = ("✓" if move.buffer == moves.right else "✗") if moves.through else ""
            found["".join(map(str, order))] = [
                str(move.text),
                translated(move.text, look_up),
                *("\u00a0\u00a0".join(map(plain, values)) for values in (move.own, move.buffer)),
                sign,
            ]
            if not moves.through and len(order) < _MOST_TURNS:
                begun.append(order)
    return found


def _exercises() -> list[dict[str, Any]]:
    """Return the program's exercises in both languages, with what their answers are checked by."""
    sheets = [load_exercises(_NO_FOLDER, language)[0] for language in (ENGLISH, CHINESE)]
    evidence = load_evidence(None, _NO_FOLDER)
    return [
        {
            "name": english.name,
            "both": [
                (tag, sheet.title, Markup(markup(sheet.task)), sheet.hints)
                for tag, sheet in zip(TAGS.values(), (english, other), strict=True)
            ],
            "answers": [mark(english.name, answer) for answer in right_answers(english, evidence)],
        }
        for english, other in zip(*sheets, strict=True)
    ]


def right_answers(exercise: Exercise, evidence: Evidence) -> list[str]:
    """Return the answers that are right, or in three digits the numbers that are; none where
    something has to be run first.

    Raises:
        StoreError: a recording cannot be read.
    """
    evidence = replace(evidence, command=_run_nothing)
    lines = len(evidence.source.split("\n"))
    verdicts = {}
    for answer in ("1", *STRATEGIES):
        with suppress(ExerciseError):
            verdicts[answer] = exercise.judge(evidence, answer)
    if exercise.answer is None or any(each.state == OPEN for each in verdicts.values()):
        return []
    numbers = [(each.right, each.within) for each in verdicts.values() if each.right is not None]
    if not numbers:  # the number of a line, or a name
        answers = (*map(str, range(1, lines + 1)), *STRATEGIES) if "1" in verdicts else verdicts
        return [each for each in answers if _is_right(exercise, evidence, each)]
    right, off = numbers[0]
    if not off:
        return [plain_number(right)]
    least, most = right - off, right + off
    step = 10.0 ** (math.floor(math.log10(least)) - 2)
    whole = range(math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9) + 1)
    return [f"~{plain_number(float(f'{place * step:.3g}'))}" for place in whole]


def _run_nothing(*_command: str) -> dict[str, Any]:
    """Refuse to run a kernel for a page."""
    raise ExerciseError("something has to be run first")


def _is_right(exercise: Exercise, evidence: Evidence, answer: str) -> bool:
    try:
        return exercise.judge(evidence, answer).state == RIGHT
    except ExerciseError:
        return False


def plain_number(value: float) -> str:
    """Write a number as the page does; one in three digits, which may be off, gets a ~ before."""
    return f"{value:.6g}"


def mark(name: str, answer: str) -> int:
    """Return the mark of an answer to an exercise, from which nobody reads it: FNV-1a, 32 bits."""
    found = 0x811C9DC5
    for byte in f"{name}:{answer}".encode():
        found = (found ^ byte) * 0x01000193 % 2**32
    return found

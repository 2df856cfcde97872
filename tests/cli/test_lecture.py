"""`lnexplorer lecture --handout`: what is on the paper, and what is refused."""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.lecture.paper import BLANK, explained
from lnexplorer.domain.lecture.scenes import QuestionScene
from lnexplorer.domain.lecture.storyboard import lecture_of
from lnexplorer.gui.charts.sheet import Sheet
from lnexplorer.lecture import handout, loading
from tests.cli.conftest import Command
from tests.sample_lecture import recorded_steps

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """The first steps alone."""
    steps = recorded_steps()[:4]
    monkeypatch.setattr(loading, "lecture_steps", lambda: steps)
    return len(lecture_of(steps, 45))


def streams(pdf: bytes) -> list[bytes]:
    """The unpacked streams of a PDF."""
    found = []
    for packed in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        try:
            found.append(zlib.decompressobj().decompress(packed))
        except zlib.error:
            continue
    return found


def test_every_step_is_on_paper_two_to_a_page_with_its_words_as_text(
    tmp_path: Path, lnexplorer: Command
) -> None:
    file = tmp_path / "lecture.pdf"
    document = lnexplorer(f"lecture --handout {file} --json -q").document
    steps = lecture_of(recorded_steps(), 45)
    assert document == {
        "schema_version": 1,
        "handout": str(file),
        "format": "pdf",
        "language": "en",
        "for": "speaker",
        "minutes": 45,
        "steps": len(steps),
    }
    pdf, on_paper = file.read_bytes(), len(steps) - 5  # without those that begin a chapter
    assert int(re.findall(rb"/Count (\d+)", pdf)[0]) == -(-on_paper // 2)
    unpacked = streams(pdf)
    pages = [stream for stream in unpacked if b" Tj" in stream]
    assert len(pages) == -(-on_paper // 2), "each page has text"
    assert all(page.count(b" Tj") > 10 for page in pages)
    maps = re.findall(rb"beginbfrange(.*?)endbfrange", b"".join((pdf, *unpacked)), re.DOTALL)
    letters = {
        chr(int(code, 16)) for each in maps for code in re.findall(rb"<([0-9A-Fa-f]{4})>", each)
    }
    assert set("LayerNormreduction") <= letters, "what is selected is letters"


def test_students_get_blanks_explanations_and_the_answers_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    steps = lecture_of(recorded_steps(), 25)
    drawn: list[str] = []
    write = Sheet.write

    def noted(sheet: Sheet, area: Any, text: Any, *arguments: Any, **others: Any) -> Any:
        drawn.append(str(text))
        return write(sheet, area, text, *arguments, **others)

    monkeypatch.setattr(Sheet, "write", noted)
    command = f"lecture --handout {tmp_path}/pages.pdf --minutes 25 -q"
    document = lnexplorer(f"{command} --for student --json").document
    assert (document["for"], document["minutes"], document["steps"]) == ("student", 25, len(steps))
    text = "\n".join(drawn)
    asked = [
        step for step in steps if isinstance(step.scene, QuestionScene) and step.scene.revealed
    ]
    assert asked
    for step in asked:
        question = step.scene.question
        assert str(question.answer[0]) not in text
        assert f"{step.number - 1}:\u00a0{question.options[question.correct]}" in drawn[-1]
    lost = next(step for step in steps if "overwritten" in str(step.caption))
    assert str(lost.caption) not in text
    assert f"overwritten row {BLANK}." in text
    assert f"{lost.number}:\u00a0{dict(lost.caption.values)['first']}" in drawn[-1]
    assert "To add is three steps: load, add, store." in drawn
    assert "Ask what the buffer will hold" not in text


def test_the_window_gets_the_same_from_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handout, "lecture_steps", lambda: recorded_steps()[:3])
    assert handout.handout(45, handout.STUDENT, "zh_CN").startswith(b"%PDF")


@pytest.mark.parametrize(
    ("note", "left"),
    [
        ("[Ask them.] Nobody waits.", "Nobody waits."),
        ("Of dw[2], the sum.", "Of dw[2], the sum."),
        ("【问一问。】没有等待。", "没有等待。"),
    ],
)
def test_directions_for_the_speaker_stand_in_brackets(note: str, left: str) -> None:
    assert explained(note) == left


@pytest.mark.usefixtures("few")
def test_who_interrupts_it_finds_nothing_half_written(
    lnexplorer: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = handout.draw_handout

    def interrupt(*arguments: Any) -> Iterator[int]:
        for done in drawn(*arguments):
            yield done
            if done == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(handout, "draw_handout", interrupt)
    lnexplorer(f"lecture --handout {tmp_path}/lecture.pdf -q", status=130)
    assert list(tmp_path.iterdir()) == []


def test_a_page_of_a_few_steps_is_written_and_other_names_are_refused(
    few: int, tmp_path: Path, lnexplorer: Command
) -> None:
    path = tmp_path / "lecture.html"
    document = lnexplorer(f"lecture --html {path} --json").document
    assert (document["format"], document["steps"]) == ("html", few)
    page = path.read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert page.count('class="step"') == few + 1
    assert (
        "take a name that ends in .html"
        in lnexplorer(f"lecture --html {tmp_path}/lecture.txt", status=2).err
    )
    lnexplorer(f"lecture --html {path} --handout {path}", status=2)

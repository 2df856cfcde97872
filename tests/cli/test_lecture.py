"""`lnexplorer lecture --handout`: what is on the paper, and what is refused."""

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage

from lnexplorer.cli.main import main
from lnexplorer.gui.kit.languages import has_chinese_font
from lnexplorer.lecture import handout, loading
from tests.sample_lecture import recorded_steps

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """The first steps alone."""
    steps = recorded_steps()[:3]
    monkeypatch.setattr(loading, "lecture_steps", lambda: steps)
    return len(steps)


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
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "lecture.pdf"
    assert main(["lecture", "--handout", str(file), "--json", "-q"]) == 0
    document = json.loads(capsys.readouterr().out)
    steps = recorded_steps()
    assert document == {
        "schema_version": 1,
        "handout": str(file),
        "format": "pdf",
        "language": "en",
        "steps": len(steps),
    }
    pdf = file.read_bytes()
    assert int(re.findall(rb"/Count (\d+)", pdf)[0]) == -(-len(steps) // 2)
    unpacked = streams(pdf)
    pages = [stream for stream in unpacked if b" Tj" in stream]
    assert len(pages) == -(-len(steps) // 2), "each page has text"
    assert all(page.count(b" Tj") > 10 for page in pages)
    maps = re.findall(rb"beginbfrange(.*?)endbfrange", b"".join((pdf, *unpacked)), re.DOTALL)
    letters = {
        chr(int(code, 16)) for each in maps for code in re.findall(rb"<([0-9A-Fa-f]{4})>", each)
    }
    assert set("LayerNormreduction") <= letters, "what is selected is letters"


def test_its_pages_are_pictures_in_a_folder_of_their_own(few: int, tmp_path: Path) -> None:
    language = "zh_CN" if has_chinese_font() else "en"
    folder = tmp_path / "pages"
    assert main(["lecture", "--handout", str(folder), "--language", language, "-q"]) == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"page-{number:02d}.png" for number in range(1, -(-few // 2) + 1)]
    image = QImage(str(folder / names[0]))
    assert image.height() / image.width() == pytest.approx(297 / 210, abs=0.01)
    assert list(tmp_path.iterdir()) == [folder], "nothing is left beside it"
    assert main(["lecture", "--handout", str(folder), "-q"]) == 2, "it holds something now"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (
            ["--handout", "lecture.txt"],
            "handout = lecture.txt is not possible: take a name that ends in .pdf",
        ),
        (["--handout", "lecture.pdf", "--format", "png"], "handout = lecture.pdf is not possible"),
        (["--handout", "lecture.pdf", "--language", "fr"], "--language: invalid choice: 'fr'"),
        (["--handout", "/dev/null/lecture.pdf"], "handout = /dev/null/lecture.pdf is not possible"),
        (
            ["--handout", "nowhere/lecture.pdf"],
            "name a file in a folder that is there; nowhere is not",
        ),
        (["--handout", "nowhere/pages"], "name a file in a folder that is there; nowhere is not"),
        ([], "--handout"),
    ],
)
def test_what_is_not_possible_is_refused_by_name(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lecture", *arguments]) == 2
    assert named in capsys.readouterr().err


@pytest.mark.usefixtures("few")
def test_who_interrupts_it_finds_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = handout.draw_handout

    def interrupt(*arguments: Any) -> Iterator[int]:
        for done in drawn(*arguments):
            yield done
            if done == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(handout, "draw_handout", interrupt)
    for name in ("lecture.pdf", "pages"):
        assert main(["lecture", "--handout", str(tmp_path / name), "-q"]) == 130
    assert list(tmp_path.iterdir()) == []

"""The manual: its chapters in both languages, where F1 opens it, and what its links do."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument
from pytestqt.qtbot import QtBot

from lnexplorer.gui.window.manual import CHAPTERS, SECTIONS, ManualWindow
from lnexplorer.gui.window.menus import MENUS, Entry, Item, Menu
from lnexplorer.gui.window.workspaces import PARTS
from lnexplorer.store.resources import resource
from tests.gui.windows import Open, press

LANGUAGES = ("en", "zh_CN")


@pytest.fixture
def manual(qtbot: QtBot) -> ManualWindow:
    manual = ManualWindow("en")
    qtbot.addWidget(manual)
    manual.show()
    return manual


def test_escape_closes_it_wherever_the_keyboard_is(manual: ManualWindow, qtbot: QtBot) -> None:
    for widget in (manual.text, manual.chapters):
        manual.show()
        manual.activateWindow()
        qtbot.waitUntil(manual.isActiveWindow)
        widget.setFocus()
        press(widget, "Esc")
        assert not manual.isVisible()


def test_words_are_counted_in_all_chapters_and_found_in_the_one_on_show(
    manual: ManualWindow, qtbot: QtBot
) -> None:
    manual.open_at("panes")
    press(manual.text, "Ctrl+F")
    bar = manual.search
    qtbot.waitUntil(bar.field.hasFocus)
    plain = titles(manual)
    qtbot.keyClicks(bar.field, "arbitration")
    counted = {
        place: int(title.rpartition("(")[2].rstrip(")"))
        for place, title in enumerate(titles(manual))
        if title != plain[place]
    }
    assert len(counted) > 1
    here = next(iter(counted))
    manual.chapters.setCurrentRow(here)
    places = set()
    for _ in range(counted[here] + 1):
        press(bar.field, "Return")
        assert manual.text.textCursor().selectedText().lower() == "arbitration"
        places.add(manual.text.textCursor().position())
    assert len(places) == counted[here], "each hit once, and then the first again"
    before = manual.text.textCursor().position()
    press(bar.field, "F3")
    press(bar.field, "Shift+Return")
    assert manual.text.textCursor().position() == before

    bar.field.setText("no such words")
    assert bar.count.text() == "none"
    assert titles(manual) == plain
    press(bar.field, "Esc")
    assert manual.isVisible()
    assert not bar.isVisible()


def titles(manual: ManualWindow) -> list[str]:
    return [manual.chapters.item(row).text() for row in range(manual.chapters.count())]


def chapter(manual: ManualWindow) -> str:
    return CHAPTERS[manual.chapters.currentRow()]


def heading(manual: ManualWindow) -> str:
    """The last one at or above the top of what is seen."""
    block = manual.text.cursorForPosition(QPoint(0, 0)).block()
    while block.isValid() and not block.blockFormat().headingLevel():
        block = block.previous()
    return block.text()


def _entries(items: tuple[Item, ...]) -> list[Entry]:
    nested = [_entries(item.entries) if isinstance(item, Menu) else [item] for item in items]
    return [entry for group in nested for entry in group if isinstance(entry, Entry)]


def test_every_key_of_the_menus_is_in_the_chapter_of_keys() -> None:
    text = resource("manual/keys.md").read_text(encoding="utf-8")
    keys = [key for entry in _entries(MENUS) for key in entry.keys]
    assert len(keys) > 20
    assert not [key for key in keys if key not in text]


def test_every_chapter_is_listed_by_its_own_title_in_both_languages(manual: ManualWindow) -> None:
    english = titles(manual)
    assert len(english) == len(CHAPTERS)
    assert len(set(english)) == len(CHAPTERS)
    manual.set_language("zh_CN")
    for name, before, after in zip(CHAPTERS, english, titles(manual), strict=True):
        assert (after != before) == resource(f"manual/{name}.zh_CN.md").is_file()


def test_every_file_of_the_manual_is_a_chapter() -> None:
    assert {file.name.split(".")[0] for file in resource("manual").glob("*.md")} == set(CHAPTERS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chapter_on_panes_has_a_heading_for_every_section(
    manual: ManualWindow, language: str
) -> None:
    manual.set_language(language)
    manual.open_at("panes")
    block, headings = manual.text.document().begin(), 0
    while block.isValid():
        headings += block.blockFormat().headingLevel() > 0
        block = block.next()
    assert headings == len(SECTIONS)
    assert set(PARTS) <= set(SECTIONS)


def test_a_chosen_chapter_and_a_link_to_a_chapter_open_here(manual: ManualWindow) -> None:
    manual.chapters.setCurrentRow(CHAPTERS.index("glossary"))
    assert manual.text.document().firstBlock().text() == titles(manual)[CHAPTERS.index("glossary")]
    manual.text.anchorClicked.emit(QUrl("lecturing.md"))
    assert chapter(manual) == "lecturing"
    assert manual.text.document().firstBlock().text() == titles(manual)[CHAPTERS.index("lecturing")]


def test_every_link_between_chapters_leads_to_one() -> None:
    for file in resource("manual").glob("*.md"):
        document = QTextDocument()
        document.setMarkdown(file.read_text(encoding="utf-8"))
        block = document.begin()
        while block.isValid():
            links = [
                QUrl(piece.format.anchorHref())
                for piece in block.textFormats()
                if piece.format.isAnchor()
            ]
            assert all(
                link.scheme() == "https" or Path(link.path()).stem in CHAPTERS for link in links
            ), file.name
            block = block.next()


def test_only_addresses_of_the_web_leave_the_manual(
    manual: ManualWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda link: opened.append(link.toString()))
    for link in (
        "file:///etc/hostname",
        "javascript:alert(1)",
        "../../README.md",
        "#there",
        "unknown.md",
    ):
        manual.text.anchorClicked.emit(QUrl(link))
    assert opened == []
    assert chapter(manual) == CHAPTERS[0]
    manual.text.anchorClicked.emit(QUrl("https://triton-lang.org/"))
    assert opened == ["https://triton-lang.org/"]


@pytest.mark.timeout(170)
def test_f1_opens_it_at_the_focused_part_and_it_follows_the_window(
    opened: Open, qtbot: QtBot
) -> None:
    explorer = opened("manual")
    window = explorer.window
    window.view.show_part("correctness")
    window.actions_["manual"].trigger()
    manual = window.findChild(ManualWindow)
    assert isinstance(manual, ManualWindow)
    assert manual.isVisible()
    assert manual.text.textCursor().block().text() == "Correctness"
    manual.resize(1200, 300)
    window.activateWindow()
    window.view.show_part("throughput")
    qtbot.waitUntil(lambda: window.view.focused().part.name == "throughput")
    window.actions_["manual"].trigger()
    assert heading(manual) == "Throughput"
    english = titles(manual)
    explorer.preferences.use_language("zh_CN")
    assert titles(manual) != english
    assert chapter(manual) == "panes"
    explorer.preferences.use_language("en")
    assert titles(manual) == english
    window.close()
    assert not manual.isVisible()

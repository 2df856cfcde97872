"""The manual: its chapters in both languages, where F1 opens it, and what its links do."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QDesktopServices, QTextBlock, QTextDocument
from pytestqt.qtbot import QtBot

from lnexplorer.gui.panes.history.pane import HistoryPane
from lnexplorer.gui.window.manual import CHAPTERS, SECTIONS, ManualWindow
from lnexplorer.gui.window.menus import MENUS, Entry, Item, Menu
from lnexplorer.gui.window.workspaces import PARTS
from lnexplorer.store.resources import resource
from tests.gui.windows import Open, Until, press, type_text

_EXPERIMENTS = {"en": "Experiments", "zh_CN": "实验"}


@pytest.fixture
def manual(qtbot: QtBot) -> ManualWindow:
    manual = ManualWindow("en")
    qtbot.addWidget(manual)
    manual.show()
    return manual


def titles(manual: ManualWindow) -> list[str]:
    return [manual.chapters.item(row).text() for row in range(manual.chapters.count())]


def chapter(manual: ManualWindow) -> str:
    return CHAPTERS[manual.chapters.currentRow()]


def blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def test_escape_closes_it_wherever_the_keyboard_is(manual: ManualWindow, until: Until) -> None:
    for widget in (manual.text, manual.chapters):
        manual.show()
        manual.activateWindow()
        until(manual.isActiveWindow)
        widget.setFocus()
        press(widget, "Esc")
        assert not manual.isVisible()


def test_words_are_counted_in_all_chapters_and_found_in_the_one_on_show(
    manual: ManualWindow, until: Until
) -> None:
    field = manual.search.field
    plain = titles(manual)
    manual.open_at("panes")
    press(manual.text, "Ctrl+F")
    until(field.hasFocus)
    type_text(field, "arbitration")
    counted = {
        place: int(title.rpartition("(")[2].rstrip(")"))
        for place, title in enumerate(titles(manual))
        if title != plain[place]
    }
    assert len(counted) > 1
    here, count = next(iter(counted.items()))
    manual.chapters.setCurrentRow(here)
    places = []
    for key in ["Return"] * (count + 1) + ["F3", "Shift+Return"]:
        press(field, key)
        assert manual.text.textCursor().selectedText().lower() == "arbitration"
        places.append(manual.text.textCursor().position())
    assert len(set(places[:count])) == count, "each hit once"
    assert places[count] == places[0], "and then the first again"
    assert places[-1] == places[count], "forth and back"
    field.setText("no such words")
    assert manual.search.count.text() == "none"
    assert titles(manual) == plain
    press(field, "Esc")
    assert manual.isVisible()
    assert not manual.search.isVisible()


def _entries(items: tuple[Item, ...]) -> list[Entry]:
    nested = [_entries(item.entries) if isinstance(item, Menu) else [item] for item in items]
    return [entry for group in nested for entry in group if isinstance(entry, Entry)]


def test_every_key_of_the_menus_is_in_the_chapter_of_keys() -> None:
    text = resource("manual/keys.md").read_text(encoding="utf-8")
    keys = [key for entry in _entries(MENUS) for key in entry.keys]
    assert len(keys) > 20
    assert not [key for key in keys if key not in text]


def test_every_key_of_the_history_is_in_the_chapter_of_keys(qtbot: QtBot) -> None:
    pane = HistoryPane()
    qtbot.addWidget(pane)
    commands = [one for table in pane.tables.values() for one in table.commands.values()]
    keys = {key.toString() for action in commands for key in action.shortcuts()}
    section = resource("manual/keys.md").read_text(encoding="utf-8").partition("## History")[2]
    named = {"Return": "Enter", "Del": "Delete", "Ctrl+Ins": "Ctrl+C", "Alt+Backspace": "Ctrl+Z"}
    assert "Ctrl+B" in keys
    assert not [key for key in keys if named.get(key, key) not in section]


def test_every_file_of_the_manual_is_a_chapter_with_its_own_title_in_both_languages(
    manual: ManualWindow,
) -> None:
    assert {file.name.split(".")[0] for file in resource("manual").glob("*.md")} == set(CHAPTERS)
    english = titles(manual)
    assert len(set(english)) == len(CHAPTERS)
    manual.set_language("zh_CN")
    for name, before, after in zip(CHAPTERS, english, titles(manual), strict=True):
        assert (after != before) == resource(f"manual/{name}.zh_CN.md").is_file()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_chapter_on_panes_has_a_heading_for_every_section(
    manual: ManualWindow, language: str
) -> None:
    manual.set_language(language)
    manual.open_at("panes")
    levels = [block.blockFormat().headingLevel() for block in blocks(manual.text.document())]
    assert sum(level > 0 for level in levels) == len(SECTIONS)
    assert set(PARTS) <= set(SECTIONS)


def test_a_chosen_chapter_and_a_link_to_a_chapter_open_here(manual: ManualWindow) -> None:
    manual.chapters.setCurrentRow(CHAPTERS.index("glossary"))
    for name in ("glossary", "lecturing"):
        assert chapter(manual) == name
        title = titles(manual)[CHAPTERS.index(name)]
        assert manual.text.document().firstBlock().text() == title
        manual.text.anchorClicked.emit(QUrl("lecturing.md"))


def test_every_link_between_chapters_leads_to_one() -> None:
    for file in resource("manual").glob("*.md"):
        document = QTextDocument()
        document.setMarkdown(file.read_text(encoding="utf-8"))
        pieces = (piece for block in blocks(document) for piece in block.textFormats())
        for piece in pieces:
            link = QUrl(piece.format.anchorHref())
            if piece.format.isAnchor() and link.scheme() != "https":
                assert Path(link.path()).stem in CHAPTERS, file.name


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_link_to_a_section_opens_its_chapter_there(manual: ManualWindow, language: str) -> None:
    manual.set_language(language)
    links = {
        link
        for file in resource("manual").glob("*.md")
        for link in re.findall(r"\]\((\w+\.md#[\w-]+)\)", file.read_text(encoding="utf-8"))
    }
    assert links >= {"figures.md#compiled-code", "panes.md#experiments", "command_line.md#traces"}
    for link in sorted(links):
        manual.open_at("keys")
        manual.text.anchorClicked.emit(QUrl(link))
        block = manual.text.textCursor().block()
        assert block.blockFormat().headingLevel() > 1, link
        title = link.partition("#")[2].replace("-", " ").capitalize()
        assert block.text() == (_EXPERIMENTS[language] if title == "Experiments" else title)


def test_only_addresses_of_the_web_leave_the_manual(
    manual: ManualWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda link: opened.append(link.toString()))
    web = "https://triton-lang.org/"
    for link in (
        "file:///etc/hostname",
        "javascript:alert(1)",
        "../../README.md",
        "#there",
        "unknown.md",
        web,
    ):
        manual.text.anchorClicked.emit(QUrl(link))
    assert opened == [web]
    assert chapter(manual) == CHAPTERS[0]


def test_f1_opens_it_at_the_focused_part_and_it_follows_the_window(
    opened: Open, until: Until
) -> None:
    explorer = opened("manual")
    window = explorer.window
    f1 = window.actions_["manual"].trigger
    window.view.show_part("correctness")
    f1()
    manual = window.findChild(ManualWindow)
    assert manual.isVisible()
    assert manual.text.textCursor().block().text() == "Correctness"
    manual.resize(1200, 300)
    window.activateWindow()
    window.view.show_part("throughput")
    until(lambda: window.view.focused().part.name == "throughput")
    f1()
    block = manual.text.cursorForPosition(QPoint(0, 0)).block()
    while not block.blockFormat().headingLevel():
        block = block.previous()
    assert block.text() == "Throughput", "the last heading at or above the top"
    english = titles(manual)
    explorer.preferences.use_language("zh_CN")
    assert titles(manual) != english
    assert chapter(manual) == "panes"
    explorer.preferences.use_language("en")
    assert titles(manual) == english
    window.close()
    assert not manual.isVisible()

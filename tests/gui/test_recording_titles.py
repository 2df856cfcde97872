"""Titles of recordings in the language of the window."""

import pytest
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.i18n.recording_titles import recording_title
from lnexplorer.store.recordings import recordings_in
from lnexplorer.store.resources import resource

NAMES = ("GROUP_SIZE_M", "NVIDIA", "H200")  # of settings and things, in every language


def words(title: str) -> list[str]:
    return [word for word in title.replace(",", " ").replace(":", " ").split() if word.isalpha() and word not in NAMES]


@pytest.fixture
def chinese(qapp: QApplication):
    languages = Languages(qapp, resource("translations"))
    languages.use("zh_CN")
    yield
    languages.use("en")


def test_all_of_the_programs_own_titles_are_translated(chinese):
    titles = [title for title, _ in recordings_in(resource("recordings"))]
    assert any(words(title) for title in titles)
    for title in titles:
        assert not [word for word in words(recording_title(title)) if word.isascii()], recording_title(title)
        assert ":" not in recording_title(title), "a Chinese colon"


def test_what_somebody_else_has_written_stays(chinese):
    assert recording_title("my own run") == "my own run"


def test_in_english_a_title_is_what_the_file_says(qapp):
    for title, _ in recordings_in(resource("recordings")):
        assert recording_title(title) == title

"""Imports that leave the event loop its turns, beside other threads that import, too."""

import sys
import threading
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

import pytest
from PySide6.QtCore import QCoreApplication

from lnexplorer.gui.shell import gentle_imports
from lnexplorer.gui.shell.gentle_imports import import_gently

MODULE = "colorsys"  # of the standard library, and used by nobody here


class Spy(MetaPathFinder):
    """Stands last, finds no module, and notes the list that somebody walks at that moment."""

    def __init__(self, walked: list[object]) -> None:
        self._walked = walked
        self.seen: list[list[object]] = []

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        self.seen.append(list(self._walked))


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    walked: list[object] = list(sys.meta_path)
    spy = Spy(walked)
    walked.insert(0, spy)
    monkeypatch.setattr(sys, "meta_path", walked)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    return spy


def test_finders_stay_where_another_thread_walks_through_them(spy: Spy) -> None:
    walked = sys.meta_path
    before = list(walked)
    assert import_gently(MODULE).__name__ == MODULE
    assert spy.seen == [before]
    assert walked == before
    assert sys.meta_path == before


def test_the_event_loop_turns_for_modules_of_its_own_thread_alone(
    spy: Spy, monkeypatch: pytest.MonkeyPatch, qapp: QCoreApplication
) -> None:
    turns: list[int] = []
    monkeypatch.setattr(gentle_imports, "BREATH_S", -1.0)
    monkeypatch.setattr(QCoreApplication, "processEvents", lambda *_: turns.append(threading.get_ident()))
    breather = gentle_imports._Breather()
    other = threading.Thread(target=breather.find_spec, args=(MODULE,))
    other.start()
    other.join(10)
    assert turns == []
    breather.find_spec(MODULE)
    assert turns == [threading.get_ident()]

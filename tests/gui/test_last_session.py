"""A window that is opened again shows what was open when it was closed."""

import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.lecture.controller import LectureView
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
from lnexplorer.store.session import read_session
from lnexplorer.store.settings import load_settings
from tests.gui.test_sessions import filled, look_at_everything
from tests.gui.windows import LECTURE, Open, Until, said


def end(explorer: Explorer) -> None:
    explorer.window.close()
    explorer.close()


@pytest.mark.timeout(170)
def test_a_window_comes_back_as_it_was_left_and_runs_nothing(
    opened: Open, qtbot: QtBot, until: Until, tmp_path: Path
) -> None:
    first = opened("home")
    filled(first, qtbot, until)
    first.commands.lecture.show_view(LectureView(place=7, length=25))
    changed = first.session.state.request.changed(n=640)
    first.session.set_request(changed)
    end(first)

    second = opened("home", options=WindowOptions(language="en"))
    until(lambda: second.session.state.run.result is not None)
    look_at_everything(second, until)
    assert second.session.state.request == changed
    assert second.session.state.jobs.ended == 0
    assert second.commands.lecture.view() == LectureView(place=7, length=25)
    assert not said(second)
    assert [path.name for path in (tmp_path / "home").glob("last*")] == ["last.lnsession"]
    end(second)

    picture = WindowOptions(language="en", screenshot=tmp_path / "picture.png", request=None)
    kept = (tmp_path / "home/last.lnsession").read_bytes()
    third = opened("home", options=picture)
    until(lambda: third.session.state.jobs.ended > 0)
    until((tmp_path / "picture.png").exists)
    assert third.session.state.request != changed
    end(third)
    assert (tmp_path / "home/last.lnsession").read_bytes() == kept

    recording = resource("recordings/h200_4096x1024_g16.lnrec")
    fourth = opened("home", options=WindowOptions(language="en", recording=recording))
    until(fourth.is_complete)
    assert fourth.session.state.request.m == 4096
    assert fourth.commands.lecture.view() == LectureView()
    end(fourth)


@pytest.mark.timeout(170)
@pytest.mark.parametrize("fault", ["marker", "damage"])
def test_a_session_that_ended_the_window_or_is_damaged_is_put_aside_and_said_so(
    fault: str, opened: Open, until: Until, tmp_path: Path
) -> None:
    first = opened("home")
    end(first)
    home = tmp_path / "home"
    path = Paths(home, home).last_session
    if fault == "marker":
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        path.with_name(f"{path.name}.opening").write_text(f"{gone.pid}\nlnexplorer\n")
    else:
        path.write_bytes(b"[]")
    content = path.read_bytes()
    second = opened("home", options=WindowOptions(language="en"))
    until(lambda: "What was left open is not shown: " in said(second))
    aside = next(home.glob("last.lnsession.*"))
    assert str(aside) in said(second)
    assert aside.read_bytes() == content
    until(second.is_complete)
    assert second.session.state.request == LECTURE  # the last run's, as without a session
    assert list(home.glob("*.opening")) == []
    end(second)
    assert path.exists()


@pytest.mark.timeout(170)
def test_what_is_changed_is_kept_while_the_window_is_open(
    opened: Open, until: Until, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.gui.window.last_session.KEEP_MS", 20)
    home, explorer = tmp_path / "home", opened("home")
    path = Paths(home, home).last_session
    until(path.exists)
    changed = explorer.session.state.request.changed(n=640)
    explorer.session.set_request(changed)
    until(lambda: read_session(path).request == changed)
    explorer.preferences.use_theme("light")
    until(lambda: load_settings(home / "settings.json")[0].theme == "light")
    explorer.window.show_workspace("history")
    until(lambda: '"workspace": "history"' in read_session(path).layout)
    written: list[object] = []
    monkeypatch.setattr(
        "lnexplorer.gui.window.sessions.write_session", lambda *of: written.append(of)
    )
    for _ in range(2):
        explorer._last_session.keep()
    explorer.files.close()
    assert len(written) <= 1, "nothing was changed in between"


@pytest.mark.timeout(170)
def test_a_second_window_that_opens_the_same_session_meanwhile_does_not_put_it_aside(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    first = opened("home")
    first.session.set_live(False)
    changed = first.session.state.request.changed(n=640)
    first.session.set_request(changed)
    end(first)
    both = [opened("home", options=WindowOptions(language="en")) for _ in range(2)]
    for each in both:
        until(each.is_complete)
        assert each.session.state.request == changed
        assert not said(each)
    assert [path.name for path in (tmp_path / "home").glob("last*")] == ["last.lnsession"]

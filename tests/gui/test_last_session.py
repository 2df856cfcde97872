"""A window that is opened again shows what was open when it was closed."""

import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.last_session import LastSession
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.lecture.controller import LectureView
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
from lnexplorer.store.session import Session, read_session, write_session
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

    # A window for a picture, or for a file, restores nothing.
    picture = WindowOptions(language="en", screenshot=tmp_path / "picture.png")
    recording = resource("recordings/h200_4096x1024_g16.lnrec")
    for options in (picture, WindowOptions(language="en", recording=recording)):
        other = opened("home", options=options)
        assert "last session" not in other.steps._steps
        other.close()


@pytest.mark.parametrize("fault", ["marker", "damage"])
def test_a_session_that_ended_the_window_or_is_damaged_is_put_aside_and_said_so(
    fault: str, explorer: Explorer, until: Until, tmp_path: Path
) -> None:
    last = LastSession(explorer, Paths(tmp_path, tmp_path))
    path = Paths(tmp_path, tmp_path).last_session
    if fault == "marker":
        write_session(path, Session(request=LECTURE))
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        path.with_name(f"{path.name}.opening").write_text(f"{gone.pid}\nlnexplorer\n")
    else:
        path.write_bytes(b"[]")
    content = path.read_bytes()
    last.restore()
    until(lambda: "What was left open is not shown: " in said(explorer))
    aside = next(tmp_path.glob("last.lnsession.*"))
    assert str(aside) in said(explorer)
    assert aside.read_bytes() == content
    assert list(tmp_path.glob("*.opening")) == []
    explorer.session.dismiss()


def test_a_second_window_that_opens_the_same_session_meanwhile_does_not_put_it_aside(
    explorer: Explorer, tmp_path: Path
) -> None:
    paths = Paths(tmp_path, tmp_path)
    write_session(paths.last_session, Session(request=LECTURE))
    for window in [LastSession(explorer, paths) for _ in range(2)]:
        assert window._read().request == LECTURE


@pytest.mark.timeout(170)
def test_what_is_changed_is_kept_while_the_window_is_open(
    explorer: Explorer, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    last, paths = explorer._last_session, explorer._last_session._paths
    path = paths.last_session
    last._timer.setInterval(20)
    changed = explorer.session.state.request.changed(n=320)
    explorer.session.set_live(False)
    explorer.session.set_request(changed)
    until(lambda: path.exists() and read_session(path).request == changed)
    explorer.preferences.use_theme("light")
    until(lambda: load_settings(paths.settings)[0].theme == "light")
    explorer.window.show_workspace("history")
    until(lambda: '"workspace": "history"' in read_session(path).layout)
    written: list[object] = []
    monkeypatch.setattr(
        "lnexplorer.gui.window.sessions.write_session", lambda *of: written.append(of)
    )
    for _ in range(2):
        last.keep()
    explorer.files._pool.submit(lambda: None).result()
    assert len(written) <= 1, "nothing was changed in between"

"""A window that is opened again shows what was open when it was closed."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.lecture.controller import LectureView
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
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
        path.with_name(f"{path.name}.opening").touch()
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

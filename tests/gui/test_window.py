"""The window with the real supervisor, the real worker and the real interpreter, on small shapes."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.gui.panes.parameters.rows import IntegerField
from lnexplorer.gui.session.state import WorkerState
from lnexplorer.gui.window.application import Explorer, first_request
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.protocol.messages import JobStarted
from lnexplorer.store.recordings import Recording, write_recording
from lnexplorer.store.settings import load_settings
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import say
from tests.gui.windows import LECTURE, Open, Until, press


def _finished(explorer: Explorer, count: int = 1) -> Callable[[], bool]:
    return lambda: (
        explorer.session.state.jobs.ended >= count and not explorer.session.state.jobs.busy
    )


@pytest.mark.timeout(170)
def test_the_first_start_runs_shows_and_keeps_the_request_and_the_next_start_restores_it(
    opened: Open, qtbot: QtBot, until: Until, tmp_path: Path
) -> None:
    explorer = opened(
        "home",
        options=WindowOptions(request=LECTURE, size=(1280, 720), theme="dark", language="en"),
        own=True,
    )
    until(_finished(explorer))
    until(explorer.is_complete)
    state, window = explorer.session.state, explorer.window
    assert state.notice is None
    assert state.run.result is not None
    assert state.run.result.correctness.passed
    assert state.run.kind is Kind.INTERPRETED
    assert window.size().width() == 1280
    assert window.size().height() == 720
    assert "Within" in window.headline.verdict.text()
    assert window.headline.badge.text() == "interpreted"
    history = window.pane("history")
    until(lambda: history.model.total == 1)

    # A moved parameter runs, and the newest result is the one on the screen.
    field_of_m = window.parameters.rows["m"].field
    assert isinstance(field_of_m, IntegerField)
    for m in (5, 6, 7):
        field_of_m.setValue(m)
    until(
        lambda: (
            explorer.session.state.run.resolved is not None
            and explorer.session.state.run.resolved.m == 7
        )
    )
    until(lambda: history.model.total >= 2)

    # The first run comes back, with its request.
    history.restoreRequested.emit(1)
    until(lambda: explorer.session.state.request == LECTURE)
    assert explorer.session.state.run.resolved is not None
    assert explorer.session.state.run.resolved.m == 4

    explorer.preferences.use_theme("light")
    window.close()
    explorer.close()
    kept = load_settings(tmp_path / "home" / "settings.json")[0]
    assert kept.theme == "light"
    assert kept.request is not None
    assert kept.request.m == 7
    assert (tmp_path / "home" / "window.ini").exists()


@pytest.mark.timeout(170)
def test_stop_ends_a_long_run_the_next_one_works_and_closing_during_one_leaves_no_process(
    opened: Open, until: Until
) -> None:
    others = _children()
    long = RunRequest(m=1024, n=512)
    explorer = opened("home", options=WindowOptions(request=long), own=True)
    session = explorer.session
    until(lambda: getattr(explorer.under_way.oldest, "progress", None) is not None)
    explorer.window.parameters.stop.click()
    until(_finished(explorer))
    session.set_request(LECTURE)
    until(lambda: session.state.run.result is not None)
    assert session.state.worker is WorkerState.READY
    session.set_request(long)
    until(lambda: getattr(explorer.under_way.oldest, "progress", None) is not None)
    children = _children() - others
    assert children
    explorer.window.close()
    explorer.close()
    assert not children & _children()


@pytest.mark.timeout(170)
def test_a_picture_of_a_kernel_of_ones_own_has_its_verdict(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    picture, kernel = tmp_path / "picture.png", tmp_path / "mine.py"
    kernel.write_text("""
import torch
def layer_norm(x, shape, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, shape, weight, bias, eps)
""")
    explorer = opened(
        "home", options=WindowOptions(request=LECTURE, screenshot=picture, recording=kernel)
    )
    until(picture.exists)
    assert explorer.status == 0
    assert "own_kernels" in {part.name for part in explorer.window.view.workspace.parts()}
    assert not explorer.window.pane("own_kernels").busy


@pytest.mark.timeout(170)
def test_a_screenshot_is_saved_with_the_finished_run(
    opened: Open, qtbot: QtBot, until: Until, tmp_path: Path
) -> None:
    picture = tmp_path / "picture.png"
    explorer = opened(
        "home", options=WindowOptions(request=LECTURE, screenshot=picture, theme="dark")
    )
    until(picture.exists)
    assert explorer.status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")

    # What was run is shown from a recording too, without a run, and a damaged one is a message.
    recording = tmp_path / "run.lnrec"
    result = explorer.session.state.run.result
    write_recording(recording, Recording(title="four rows", result=result, timeline=None))
    explorer.files.open_recording(recording)
    qtbot.waitUntil(lambda: explorer.session.state.notice is not None)
    assert "four rows" in explorer.window.message.sentence.text()
    recording.write_bytes(b"nothing of the kind")
    explorer.files.open_recording(recording)
    qtbot.waitUntil(lambda: "cannot be opened" in explorer.window.message.sentence.text())

    # Ctrl+Z brings parameters back, but in the history, where it brings back what was deleted.
    asked, undo = explorer.session.state.request, explorer.window.actions_["undo"]
    explorer.session.set_live(False)
    explorer.session.set_request(asked.changed(m=5))
    explorer.window.show_workspace("history")
    assert not undo.isEnabled()
    explorer.window.show_workspace("run")
    undo.trigger()
    assert explorer.session.state.request == asked
    assert explorer.window.parameters.rows["m"].field.value() == LECTURE.m


def _children() -> set[int]:
    """Process numbers of this process's children."""
    found = set()
    for children in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        with suppress(OSError):  # of a thread that has just ended
            found |= {int(child) for child in children.read_text().split()}
    return found


def test_without_a_gpu_the_first_start_shows_rows_that_wait_for_each_other() -> None:
    resolved = resolve(first_request("interpreter"), "interpreter")
    assert resolved.m > 2 * resolved.launch.group_size_m
    assert first_request("cuda:1") == RunRequest()


def test_everything_is_in_its_place_from_the_first_frame_on(opened: Open, until: Until) -> None:
    options = WindowOptions(request=LECTURE, size=(1280, 720), language="en")
    explorer = opened("home", options=options)
    window, seen = explorer.window, list[dict[str, QRect]]()

    def note() -> None:
        parts = {"status": window.status, "bar": window.bar, "headline": window.headline}
        parts |= window.view.frames
        places = {name: part.mapTo(window, QPoint(0, 0)) for name, part in parts.items()}
        seen.append({name: QRect(places[name], part.size()) for name, part in parts.items()})

    window.firstPainted.connect(note)
    until(lambda: bool(seen))
    until(explorer.is_complete)
    explorer.session.remark(say("Saved as {path}", path="/home/ada/run.lnrec"))
    explorer.under_way.hear(JobStarted(99))
    status = window.status
    until(lambda: status.stop.isVisible() and status.step.x() > 0)
    note()
    # A message lies over the status bar, and covers neither a part nor the job.
    message = window.message.geometry()
    view = QRect(window.view.mapTo(window, QPoint(0, 0)), window.view.size())
    assert message.bottom() < window.height()
    assert message.intersected(view).height() <= 4
    job = QRect(status.step.mapTo(window, QPoint(0, 0)), status.step.size())
    assert not message.intersects(job)
    explorer.under_way.forget(None)
    until(status.stop.isHidden)
    note()
    assert seen[1] == seen[0]
    assert seen[2] == seen[0]


def test_escape_cancels_a_sweep_that_is_on_show(explorer: Explorer) -> None:
    window, pane = explorer.window, explorer.window.pane("sweep")
    pane.set_state("running")
    for workspace, state in (("run", "running"), ("sweep", "ending")):
        window.show_workspace(workspace)
        press(window, "Esc")
        assert pane.bar.state == state
    pane.set_state("idle")

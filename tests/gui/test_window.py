"""The window with the real supervisor, the real worker and the real interpreter, on small shapes."""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.gui.session.state import WorkerState
from lnexplorer.gui.window.application import Explorer, first_request
from lnexplorer.gui.window.start import WindowOptions
from lnexplorer.protocol.messages import JobProgress, JobStarted
from lnexplorer.store.recordings import Recording, write_recording
from lnexplorer.store.resources import resource
from lnexplorer.store.session import Session
from lnexplorer.store.settings import load_settings
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import say, verbatim
from tests.gui.completeness import is_complete
from tests.gui.windows import LECTURE, Open, Until, heard, press, said

IN_ENGLISH = WindowOptions(request=LECTURE, size=(1280, 720), language="en")


def has_run(explorer: Explorer) -> bool:
    jobs = explorer.session.state.jobs
    return jobs.ended >= 1 and not jobs.busy


def test_the_first_start_runs_shows_and_keeps_the_request_and_the_next_start_restores_it(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    explorer = opened("home", options=IN_ENGLISH, own=True)
    until(lambda: has_run(explorer))
    until(lambda: is_complete(explorer))
    window = explorer.window
    session = explorer.session
    assert session.state.notice is None
    assert session.state.run.result.correctness.passed
    assert session.state.run.kind is Kind.INTERPRETED
    assert window.size().toTuple() == (1280, 720)
    assert "Within" in window.headline.verdict.text()
    assert window.headline.badge.text() == "interpreted"
    history = window.pane("history")
    until(lambda: history.model.total == 1)

    # A moved parameter runs, and the newest result is the one on the screen.
    for m in (5, 6, 7):
        window.parameters.rows["m"].field.setValue(m)
    until(lambda: getattr(session.state.run.resolved, "m", 0) == 7)
    until(lambda: history.model.total >= 2)

    # The first run comes back, with its request.
    history.restoreRequested.emit(1)
    until(lambda: session.state.request == LECTURE)
    assert session.state.run.resolved.m == 4

    explorer.preferences.use_theme("light")
    window.close()
    explorer.close()
    kept = load_settings(tmp_path / "home" / "settings.json")[0]
    assert kept.theme == "light"
    assert kept.request.m == 7
    assert (tmp_path / "home" / "window.ini").exists()


def test_stop_ends_a_long_run_the_next_one_works_and_closing_during_one_leaves_no_process(
    opened: Open, until: Until
) -> None:
    others = _children()
    long = RunRequest(m=1024, n=512)
    explorer = opened("home", options=WindowOptions(request=long), own=True)
    session = explorer.session

    def is_running() -> bool:
        return getattr(explorer.under_way.oldest, "progress", None) is not None

    until(is_running)
    explorer.window.parameters.stop.click()
    until(lambda: has_run(explorer))
    session.set_request(LECTURE)
    until(lambda: session.state.run.result is not None)
    assert session.state.worker is WorkerState.READY
    session.set_request(long)
    until(is_running)
    children = _children() - others
    assert children
    explorer.window.close()
    explorer.close()
    assert not children & _children()


def _children() -> set[int]:
    """Process numbers of this process's children."""
    found = set()
    for children in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        with suppress(OSError):  # of a thread that has just ended
            found |= {int(child) for child in children.read_text().split()}
    return found


def picture_of(opened: Open, until: Until, path: Path, recording: Path | None = None) -> Explorer:
    """The window of a picture that was saved."""
    options = WindowOptions(request=LECTURE, screenshot=path, recording=recording)
    explorer = opened("home", options=options)
    until(path.exists)
    assert explorer.status == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    return explorer


def test_a_picture_of_a_kernel_of_ones_own_has_its_verdict(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    kernel = tmp_path / "mine.py"
    kernel.write_text("""
import torch
def layer_norm(x, shape, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, shape, weight, bias, eps)
""")
    window = picture_of(opened, until, tmp_path / "picture.png", kernel).window
    assert window.workspace == "own_kernels"
    assert not window.pane("own_kernels").busy


def test_a_finished_run_is_shown_from_a_recording_without_a_run_and_a_damaged_one_is_a_message(
    opened: Open, until: Until, tmp_path: Path
) -> None:
    explorer = picture_of(opened, until, tmp_path / "picture.png")
    session = explorer.session
    result = session.state.run.result
    path = tmp_path / "run.lnrec"
    write_recording(path, Recording(title="four rows", result=result, timeline=None))
    explorer.files.open_recording(path)
    until(lambda: "four rows" in said(explorer))
    assert session.state.jobs.ended == 1
    path.write_bytes(b"nothing of the kind")
    explorer.files.open_recording(path)
    until(lambda: "cannot be opened" in said(explorer))


def test_ctrl_z_brings_parameters_back_but_in_the_history(explorer: Explorer) -> None:
    session = explorer.session
    undo = explorer.window.actions_["undo"]
    asked = session.state.request
    session.set_live(False)
    session.set_request(asked.changed(m=5))
    explorer.window.show_workspace("history")  # where it brings back what was deleted
    assert not undo.isEnabled()
    explorer.window.show_workspace("run")
    undo.trigger()
    assert session.state.request == asked
    assert explorer.window.parameters.rows["m"].field.value() == asked.m


def test_without_a_gpu_the_first_start_shows_rows_that_wait_for_each_other() -> None:
    resolved = resolve(first_request("interpreter"), "interpreter")
    assert resolved.m > 2 * resolved.launch.group_size_m
    assert first_request("cuda:1") == RunRequest()


def test_a_file_is_opened_beside_the_parameters_that_a_start_without_it_has(
    opened: Open, tmp_path: Path
) -> None:
    kernel = tmp_path / "mine.py"
    kernel.write_text("")
    explorer = opened("home", options=WindowOptions(recording=kernel, language="en"))
    assert explorer.session.state.request == first_request("interpreter")


def test_a_recording_comes_into_sight_where_the_workspace_does_not_show_it(
    explorer: Explorer, until: Until
) -> None:
    window = explorer.window
    for size, opened_in, shown in ((16, "compiled", "compiled"), (64, "history", "run")):
        window.show_workspace(opened_in)
        explorer.commands.open_file(resource(f"recordings/h200_4096x1024_g{size}.lnrec"))
        until(lambda size=size: f"g{size}.lnrec" in said(explorer))
        assert window.workspace == shown


def test_a_sweep_that_a_session_puts_into_the_form_stands_in_the_headline(
    explorer: Explorer, until: Until
) -> None:
    pane = explorer.window.pane("sweep")
    about = heard(pane.aboutChanged)
    sweep = replace(pane.form.sweep(), base=RunRequest.of(m=3))
    session = Session(request=explorer.session.state.request, sweep_form=sweep)
    explorer.commands.exports.sessions.show_left(session, then=lambda _session: None)
    until(lambda: bool(about) and "M = 3" in about[-1])


def test_everything_is_in_its_place_from_the_first_frame_on(opened: Open, until: Until) -> None:
    explorer = opened("home", options=IN_ENGLISH)
    window = explorer.window
    status = window.status

    def place(part: QWidget) -> QRect:
        return QRect(part.mapTo(window, QPoint(0, 0)), part.size())

    def places() -> list[QRect]:
        return [*map(place, [status, window.bar, window.headline, *window.view.frames.values()])]

    seen: list[list[QRect]] = []
    window.firstPainted.connect(lambda: seen.append(places()))
    until(lambda: bool(seen))
    until(lambda: is_complete(explorer))
    explorer.session.remark(say("Saved as {path}", path="/home/ada/run.lnrec"))
    explorer.under_way.hear(JobStarted(99))
    until(lambda: status.stop.isVisible() and status.step.x() > 0)
    assert places() == seen[0]
    # A message lies over the status bar, and covers neither a part nor the job.
    message = window.message.geometry()
    assert message.bottom() < window.height()
    assert message.intersected(place(window.view)).height() <= 4
    assert not message.intersects(place(status.step))
    explorer.under_way.forget(None)
    until(status.stop.isHidden)
    assert places() == seen[0]


def test_a_long_name_of_a_step_widens_no_window(explorer: Explorer) -> None:
    status = explorer.window.status
    explorer.under_way.hear(JobStarted(99))
    explorer.under_way.hear(JobProgress(99, "run", verbatim("num_warps=4 " * 40), 1, 9))
    assert status.step.isVisible()
    assert status.step.toolTip().startswith("num_warps=4 num_warps=4")
    assert explorer.window.minimumSizeHint().width() <= 1280
    explorer.under_way.forget(None)


def test_escape_cancels_a_sweep_that_is_on_show(explorer: Explorer) -> None:
    window = explorer.window
    pane = window.pane("sweep")
    pane.set_state("running")
    for workspace, state in (("run", "running"), ("sweep", "ending")):
        window.show_workspace(workspace)
        press(window, "Esc")
        assert pane.bar.state == state
    pane.set_state("idle")

"""A run that is pinned as A: kept, and shown beside every other one."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRectF
from pytestqt.qtbot import QtBot

from lnexplorer.domain.pinned import PinnedRun
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.kit import unbroken
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.kit.theme import DARK, LIGHT, Theme, apply_theme
from lnexplorer.gui.panes.reduction.controller import ReductionController
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.gui.session.pinned import Pinning
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.window.application import show_session
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from tests.gui.fakes import FakeServices, Recorder, state_of
from tests.gui.windows import Until, on_screen
from tests.sample_results import make_device, make_result
from tests.store.examples import small_result, small_timeline


def recorded(group_size_m: int) -> PinnedRun:
    found = read_recording(resource(f"recordings/h200_4096x1024_g{group_size_m}.lnrec"))
    return PinnedRun(found.result, found.timeline)


@pytest.fixture
def history(tmp_path: Path, delivery: Delivery) -> Iterator[HistoryThread]:
    thread = HistoryThread(tmp_path / "kept.sqlite3", delivery)
    yield thread
    thread.close()


def session_of(result: RunResult | None = None) -> SessionController:
    session = SessionController(Recorder(), state_of(small_result().request, make_device()))
    if result is not None:
        session.show_past(result, small_timeline())
    return session


def test_the_run_on_the_screen_is_pinned_with_its_trace_and_comes_back_in_another_window(
    history: HistoryThread, until: Until
) -> None:
    result = small_result()
    session = session_of(result)
    later = session_of()
    pinning = Pinning(session, history, session)
    pinning.follow()
    pinning.toggle()
    until(lambda: session.state.pinned is not None)
    Pinning(later, history, later).follow()
    until(lambda: later.state.pinned is not None)
    assert later.state.pinned.is_of(result)
    assert later.state.pinned.timeline is not None
    pinning.toggle()
    until(lambda: later.state.pinned is None)


def test_every_figure_of_a_run_has_its_difference_beside_it(qtbot: QtBot) -> None:
    window = on_screen(qtbot, MainWindow(), 1280, 720)
    strip = window.headline.beside
    table = strip.table
    setting = strip.setting
    veil = strip.veil
    session = session_of()
    session.changed.connect(partial(show_session, window))
    a = recorded(16)
    now = recorded(64)
    session.show_past(now.result, now.timeline)
    assert not strip.isVisible()
    session.set_pinned(a)
    assert strip.isVisible()
    assert "GROUP_SIZE_M 16 · NVIDIA H200" in setting.text()
    figures = ["GB/s", "time", "share", "registers", "spills", "occupancy", "queued", "dw"]
    for told in (*figures, "within noise", "+286.8 % ± "):
        assert told in table.text().replace("&nbsp;", " ")
    assert veil.isHidden()
    state = session.state
    show_session(window, state, replace(state, run=replace(state.run, result=None)))
    assert table.isVisible()
    assert veil.note.text() == "of the run before", "while one is under way"
    session.set_request(state.request.changed(group_size_m=8))
    assert not veil.isHidden(), "the figures are of another setting"
    assert "GROUP_SIZE_M 64" in veil.note.text()
    session.show_past(make_result(4096, 2048))
    assert "do not compare" in setting.text()
    assert not table.isVisible()
    session.show_past(a.result, a.timeline)
    assert "A is this run" in setting.text()
    session.set_pinned(None)
    assert not strip.isVisible()


def test_chinese_words_are_kept_in_one_line() -> None:
    assert unbroken("寄存器 40") == "寄\u2060存\u2060器&nbsp;40"


@pytest.fixture
def services() -> FakeServices:
    made = FakeServices()
    now = recorded(64)
    made.session.show_past(now.result, now.timeline)
    return made


@pytest.fixture
def pane(qtbot: QtBot, services: FakeServices) -> ReductionPane:
    """A trace is on show."""
    made = on_screen(qtbot, ReductionPane(), 1000, 700)
    made.controller = ReductionController(made, services)  # type: ignore[arg-type]
    return made


def test_both_traces_stand_one_above_the_other_with_their_settings(
    pane: ReductionPane, services: FakeServices, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvases = pane.pictures.canvases
    difference = pane.pictures.difference

    a = recorded(16)
    services.session.set_pinned(a)
    until(lambda: not pane.model.isHidden())
    upper, lower = (canvas.mapTo(pane, QPoint(0, 0)) for canvas in canvases)
    assert lower.y() > upper.y()
    assert lower.x() == upper.x()
    assert [str(canvas._title) for canvas in canvases] == [
        "B: Recorded, GROUP_SIZE_M 64 · end, B − A: −439 µs",
        "A: LayerNorm · M 4096 × N 1024 · float16 · locked · GROUP_SIZE_M 16",
    ]
    painted: list[tuple[str, float]] = []

    def paint(_painter: object, room: QRectF, _flags: object, text: str, _ink: object) -> None:
        painted.append((text, room.right()))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lnexplorer.gui.timeline.canvas.write_text", paint)
        canvases[1].grab()
    ((title, right),) = painted
    assert title.endswith("GROUP_SIZE_M 16"), "what it differs by is in sight where it is narrow"
    assert right <= canvases[1].width()
    assert pane.canvas.scene.last_ns == pane.model.scene.last_ns
    until(lambda: difference.y() >= pane.model.geometry().bottom())  # below both
    assert "A ends after 585 µs, B after 146 µs: −439 µs." in difference.text()
    for cell in ("computing", "queued", "trying", "hand-over", "314 µs", "85.6 µs", "−228 µs"):
        assert f">{cell}</td>" in difference.text().replace("\xa0", " ")
    assert "Rows that decide the end of A, 256: " in difference.text()
    for theme in (DARK, LIGHT):  # whose links are seen
        monkeypatch.setattr(Theme, "current", theme)
        apply_theme(pane)
        assert f"color:{theme.text}" in difference.text()
    difference.linkActivated.emit("1447")
    assert [canvas.scene.followed for canvas in canvases] == [1447, 1447]
    # As high as it is in a window of 1280x720: its transport is in sight.
    assert pane.minimumSizeHint().height() <= 275
    pane.resize(1200, 500)  # beside both
    until(lambda: difference.x() >= pane.model.width())
    pane.resize(1000, 700)
    until(lambda: difference.x() == 0)
    pane.fit_bar.fit.click()  # a fitted model takes its place
    until(lambda: pane.model.scene.timeline.kind is Kind.SIMULATED)
    assert difference.isHidden()
    pane.fit_bar.close_button.click()
    assert pane.model.scene.timeline.group_size_m == 16
    services.session.show_past(a.result, a.timeline)
    until(pane.model.isHidden)


def test_a_simulation_of_other_rows_has_its_time_axis_for_itself(
    pane: ReductionPane, services: FakeServices, until: Until
) -> None:
    session = services.session
    session.set_pinned(recorded(16))
    until(lambda: not pane.model.isHidden())
    session.show_past(small_result(), None)
    until(lambda: pane.canvas.scene.timeline.kind is Kind.SIMULATED)
    assert pane.canvas.scene.timeline.m < 4096
    until(pane.model.isHidden)


def test_a_trace_of_a_has_other_rows_than_the_one_above(
    pane: ReductionPane, services: FakeServices, until: Until
) -> None:
    services.session.set_pinned(PinnedRun(small_result(), small_timeline()))
    until(lambda: not pane.model.isHidden())
    pane.follow(4000)
    pane.canvas.zoom(0.2)
    pane.grab()

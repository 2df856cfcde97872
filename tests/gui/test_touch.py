"""The pane of what a program touches, with accesses of the real kernels."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from PySide6.QtCore import Qt, QUrl
from pytestqt.qtbot import QtBot

from lnexplorer.domain.jobs import Touched, TouchRequest
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.roofline import roofline
from lnexplorer.gui.kit.responsive import Delivery
from lnexplorer.gui.kit.theme import DARK, Theme, apply_theme
from lnexplorer.gui.panes.memory_access.controller import TouchController
from lnexplorer.gui.panes.memory_access.derivation import TERMS, lines_of
from lnexplorer.gui.panes.memory_access.pane import TouchPane
from lnexplorer.gui.panes.memory_access.strips import ByteStretch, stretches
from lnexplorer.gui.session.state import ask
from lnexplorer.gui.session.under_way import UnderWay
from lnexplorer.gui.timeline.source import kernel_text
from lnexplorer.protocol.messages import Finished, JobEnded, Refused, Stopped
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource
from lnexplorer.worker.device import open_device
from lnkernels.compiled.touched import touched
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import Problem
from lnkernels.values.environment import Device, Kind
from lnkernels.values.sentence import say
from lnkernels.values.touched import Access
from tests.gui.fakes import Engine, state_of

pytestmark = pytest.mark.skipif(not IS_INTERPRETED, reason="a GPU does not tell what it touches")

PROBLEM = RunRequest.of(m=10, n=300, group_size_m=4, block_size=128)
WAIT_MS = 3000


@pytest.fixture(scope="module")
def heard() -> Touched:
    resolved = resolve(PROBLEM, "interpreter")
    accesses = touched(10, 300, torch.float16, resolved.launch, 7, 150)
    plain = [
        Access(**{name: getattr(one, name) for name in one.__dataclass_fields__})
        for one in accesses
    ]
    return Touched(
        request=TouchRequest(problem=PROBLEM, row=7, column=150),
        resolved=resolved,
        accesses=tuple(plain),
    )


@pytest.fixture(scope="module")
def interpreter() -> Device:
    return open_device("interpreter")[1]


@pytest.fixture
def services() -> Iterator[SimpleNamespace]:
    made = SimpleNamespace(supervisor=Engine(), delivery=Delivery(), under_way=UnderWay())
    yield made
    made.delivery.close()


@pytest.fixture
def pane(qtbot: QtBot) -> TouchPane:
    made = TouchPane()
    qtbot.addWidget(made)
    Theme.current = DARK
    apply_theme(made)
    made.resize(1000, 640)
    return made


def test_the_bytes_of_a_row_are_what_the_kernels_touch(heard: Touched, pane: TouchPane) -> None:
    m, row = 10, 300 * 2  # bytes of a row in float16
    assert (
        heard.bytes_of("forward") == 3 * row + row + 2 * row + 8
    )  # x three times, y; weight, bias; mean, rstd
    assert heard.bytes_of_pass("forward") == (m * heard.bytes_of("forward"), 2 * m * row)
    # Row 7 is not the first of its lock: it loads both buffers, and stores them.
    partial = 4 if heard.resolved.launch.partial_dtype == "float32" else 2
    assert heard.bytes_of("stage1") == 3 * row + row + 8 + 4 * 300 * partial
    pane.show_touched(heard)
    pane.kernel.choose("forward")
    pane.kernel.changed.emit("forward")
    assert "3.52 KiB" in pane.accesses.bytes.text()
    assert "35.2 KiB" in pane.accesses.bytes.text()


def test_a_timed_run_stands_below_its_roofline_and_others_lead_to_one(
    pane: TouchPane, qtbot: QtBot
) -> None:
    result = read_recording(resource("recordings/h200_default.lnrec")).result
    roof = roofline(result)
    assert roof is not None
    times = {
        (each.provider, each.direction): each
        for each in result.throughput.figures
        if each.mode == "kernel_cold"
    }
    assert roof.ceiling_gbps == max(times["copy", "forward"].gbps, times["add", "backward"].gbps)
    assert roof.peak.gflops == pytest.approx(132 * 128 * 2 * 1.980)
    for point in roof.points:
        assert point.gflops < point.intensity * roof.ceiling_gbps < roof.peak.gflops
    wrong = replace(result.correctness.checks[0], passed=False)
    assert (
        roofline(replace(result, correctness=replace(result.correctness, checks=(wrong,)))) is None
    )
    pane.kernel.button("roofline").click()
    with qtbot.waitSignal(pane.untimed.acted):
        pane.untimed.button.click()
    pane.show_run(roof, Kind.RECORDED, "NVIDIA H200")
    assert (pane.roofline.isVisibleTo(pane), pane.badge.text()) == (True, "recorded")
    assert "memory sets the limit, at 3760 GB/s" in pane.limit.text()
    assert pane.view().kernel == "roofline"
    pane.kernel.button("stage1").click()
    assert (pane.roofline.isVisibleTo(pane), pane.badge.isVisibleTo(pane)) == (False, False), (
        "no row was asked for"
    )


def test_a_block_past_the_last_column_is_drawn_masked(heard: Touched) -> None:
    y = [access for access in heard.of("forward") if access.buffer == "y"]
    parts = [stretches(access, 300) for access in y]
    assert parts == [
        (ByteStretch(0, 128, masked=False),),
        (ByteStretch(128, 256, masked=False),),
        (ByteStretch(256, 300, masked=False), ByteStretch(300, 384, masked=True)),
    ]


def test_the_tile_of_stage_2_is_drawn_at_its_columns(heard: Touched) -> None:
    width = heard.resolved.launch.reduce_block_size_n
    first = 150 // width * width
    for access in heard.of("stage2"):
        inside = [part for part in stretches(access, 300) if not part.masked]
        assert inside == [ByteStretch(first, min(first + width, 300), masked=False)]


def test_a_click_on_an_access_marks_its_line(heard: Touched, pane: TouchPane, qtbot: QtBot) -> None:
    pane.show_touched(heard)
    pane.show()
    pane.kernel.button("stage1").click()
    place = next(
        place
        for place, access in enumerate(pane.accesses.strips.accesses)
        if access.action == "exchange"
    )
    where = pane.accesses.strips.visualItemRect(pane.accesses.strips.topLevelItem(place)).center()
    qtbot.mouseClick(pane.accesses.strips.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert pane.accesses.strips.currentIndex().row() == place
    line = heard.of("stage1")[place].line
    assert (pane.source.file, pane.source.place) == ("passes/locked.py", (line, line))
    assert "atomic_xchg" in kernel_text("passes/locked.py").splitlines()[line - 1]
    assert "locks[3]" in pane.accesses.detail.text()
    qtbot.keyClick(pane.accesses.strips, Qt.Key.Key_Up)
    assert pane.accesses.strips.currentIndex().row() == place - 1
    assert not pane.grab().toImage().isNull()


def test_every_term_of_the_derivation_has_its_lines() -> None:
    for term in TERMS:
        first, last = lines_of(term)
        text = "\n".join(kernel_text(term.where[0]).splitlines()[first - 1 : last])
        assert text.strip().startswith(term.begins)


def test_a_click_on_a_term_marks_its_lines(pane: TouchPane) -> None:
    number = next(number for number, term in enumerate(TERMS) if term.begins == ("c1 = ",))
    pane.derivation.anchorClicked.emit(QUrl(f"term:{number}"))
    assert pane.source.place is not None
    assert "c1 = " in kernel_text("passes/locked.py").splitlines()[pane.source.place[0] - 1]


def test_nothing_is_asked_while_nobody_looks(
    pane: TouchPane, interpreter: Device, heard: Touched, qtbot: QtBot, services: SimpleNamespace
) -> None:
    engine = services.supervisor
    desk = TouchController(
        pane, services, lambda _put, _device: pytest.fail("there is an interpreter")
    )
    desk.follow(state_of(PROBLEM, interpreter))
    pane.choose_row(7)
    pane.asking.ask()  # it has rested
    assert engine.asked == []
    pane.show()
    qtbot.waitUntil(lambda: len(engine.asked) == 1, timeout=WAIT_MS)
    assert (engine.asked[0].row, engine.asked[0].problem.n) == (7, 300)
    desk.take(JobEnded(1, Stopped()))  # by a run; it is still wanted
    qtbot.waitUntil(lambda: len(engine.asked) == 2, timeout=WAIT_MS)
    desk.take(JobEnded(2, Finished(heard)))
    assert pane.accesses.strips.accesses == heard.of("forward")
    desk.close()
    assert not engine.closed  # it is the window's


def test_an_answer_about_a_problem_that_was_left_is_not_shown(
    pane: TouchPane, interpreter: Device, heard: Touched, qtbot: QtBot, services: SimpleNamespace
) -> None:
    engine, desk = services.supervisor, TouchController(pane, services)
    state = state_of(PROBLEM, interpreter)
    desk.follow(state)
    pane.show()
    qtbot.waitUntil(lambda: len(engine.asked) == 1, timeout=WAIT_MS)
    desk.follow(ask(state, RunRequest.of(m=10, n=300, strategy="persistent")))
    qtbot.waitUntil(lambda: len(engine.asked) == 2, timeout=WAIT_MS)
    desk.take(JobEnded(1, Finished(heard)))
    assert pane.notice.isVisible()
    refused = Problem("strategy", "persistent", say("choose locked"))
    desk.take(JobEnded(2, Refused((refused,))))
    assert "Choose locked" in pane.notice.body.text()


def test_beside_a_gpu_an_interpreter_of_its_own_is_started_once(
    pane: TouchPane, interpreter: Device, qtbot: QtBot, services: SimpleNamespace
) -> None:
    second, started = Engine(), []

    def start(put: object, _device: str) -> Engine:
        started.append(put)
        return second

    desk = TouchController(pane, services, start)
    desk.follow(state_of(PROBLEM, replace(interpreter, backend="cuda")))
    pane.show()
    qtbot.waitUntil(lambda: len(second.asked) == 1, timeout=WAIT_MS)
    pane.row.setValue(3)
    qtbot.waitUntil(lambda: len(second.asked) == 2, timeout=WAIT_MS)
    assert (len(started), services.supervisor.asked) == (1, [])
    desk.close()
    assert second.closed


def test_accesses_and_a_roofline_of_another_setting_are_dimmed(
    heard: Touched, pane: TouchPane, interpreter: Device
) -> None:
    result = read_recording(resource("recordings/h200_4096x1024_g16.lnrec")).result
    assert result is not None
    pane.show_touched(heard)
    accesses, below = pane.veils
    state = state_of(PROBLEM, interpreter)
    pane.compare(state.plan, result.resolved)
    assert accesses.isHidden()
    assert below.note.text() == "of 4096×1024, run to renew"
    pane.compare(ask(state, replace(PROBLEM, seed=3)).plan, None)  # touches the same
    assert accesses.isHidden()
    pane.compare(ask(state, PROBLEM.changed(group_size_m=2)).plan, None)
    assert not accesses.isHidden()
    assert accesses.note.text() == "of GROUP_SIZE_M 4"
    assert below.isHidden()

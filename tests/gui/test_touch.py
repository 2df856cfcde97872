"""The pane of what a program touches, with accesses of the real kernels."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from lnexplorer.domain.jobs import Touched, TouchRequest
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.roofline import roofline
from lnexplorer.domain.views import TouchView
from lnexplorer.gui.kit.responsive import Delivery
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
from tests.gui.windows import click, heard, off_screen, press

pytestmark = pytest.mark.skipif(not IS_INTERPRETED, reason="a GPU does not tell what it touches")

PROBLEM = RunRequest.of(m=10, n=300, group_size_m=4, block_size=128)
KERNEL = "passes/locked.py"


@pytest.fixture(scope="module")
def traced() -> Touched:
    resolved = resolve(PROBLEM, "interpreter")
    accesses = touched(10, 300, torch.float16, resolved.launch, 7, 150)
    plain = (
        Access(**{name: getattr(one, name) for name in one.__dataclass_fields__})
        for one in accesses
    )
    request = TouchRequest(problem=PROBLEM, row=7, column=150)
    return Touched(request=request, resolved=resolved, accesses=tuple(plain))


@pytest.fixture(scope="module")
def interpreter() -> Device:
    return open_device("interpreter")[1]


@pytest.fixture
def pane(qtbot: QtBot) -> TouchPane:
    return off_screen(qtbot, TouchPane(), 1000, 640)


def line_of_kernel(number: int) -> str:
    return kernel_text(KERNEL).splitlines()[number - 1]


def test_the_bytes_of_a_row_are_what_the_kernels_touch(traced: Touched, pane: TouchPane) -> None:
    row = 300 * 2  # bytes of a row in float16
    # x three times, y; weight, bias; mean, rstd
    assert traced.bytes_of("forward") == 3 * row + row + 2 * row + 8
    assert traced.bytes_of_pass("forward") == (10 * traced.bytes_of("forward"), 2 * 10 * row)
    # Row 7 is not the first of its lock: it loads both buffers, and stores them.
    partial_size = 4 if traced.resolved.launch.partial_dtype == "float32" else 2
    assert traced.bytes_of("stage1") == 3 * row + row + 8 + 4 * 300 * partial_size
    pane.show_touched(traced)
    pane.kernel.button("forward").click()
    for told in ("3.52 KiB", "35.2 KiB"):
        assert told in pane.accesses.bytes.text()


def test_a_timed_run_stands_below_its_roofline_and_others_lead_to_one(pane: TouchPane) -> None:
    result = read_recording(resource("recordings/h200_default.lnrec")).result
    roof = roofline(result)
    for point in roof.points:
        assert point.gflops < point.intensity * roof.ceiling_gbps < roof.peak.gflops
    wrong = replace(result.correctness.checks[0], passed=False)
    correctness = replace(result.correctness, checks=(wrong,))
    assert roofline(replace(result, correctness=correctness)) is None
    asked = heard(pane.untimed.acted)
    pane.kernel.button("roofline").click()
    pane.untimed.button.click()
    assert len(asked) == 1
    pane.show_run(roof, Kind.RECORDED, "NVIDIA H200")
    assert pane.roofline.isVisibleTo(pane)
    assert pane.badge.text() == "recorded"
    assert "memory sets the limit, at 3760 GB/s" in pane.limit.text()
    assert pane.view().kernel == "roofline"
    pane.kernel.button("stage1").click()
    assert not pane.roofline.isVisibleTo(pane)
    assert not pane.badge.isVisibleTo(pane), "no row was asked for"


def test_what_is_past_the_last_column_is_masked_and_a_tile_stands_at_its_columns(
    traced: Touched,
) -> None:
    stored = [stretches(access, 300) for access in traced.of("forward") if access.buffer == "y"]
    last = (ByteStretch(256, 300, masked=False), ByteStretch(300, 384, masked=True))
    first = [(ByteStretch(begin, begin + 128, masked=False),) for begin in (0, 128)]
    assert stored == [*first, last]
    width = traced.resolved.launch.reduce_block_size_n
    begin = 150 // width * width
    for access in traced.of("stage2"):
        inside = [part for part in stretches(access, 300) if not part.masked]
        assert inside == [ByteStretch(begin, min(begin + width, 300), masked=False)]


def test_a_click_on_an_access_marks_its_line(traced: Touched, pane: TouchPane) -> None:
    strips = pane.accesses.strips
    pane.show_touched(traced)
    pane.show()
    pane.kernel.button("stage1").click()
    place = [access.action for access in strips.accesses].index("exchange")
    click(strips.viewport(), strips.visualItemRect(strips.topLevelItem(place)).center())
    line = traced.of("stage1")[place].line
    assert pane.source.file == KERNEL
    assert pane.source.place == (line, line)
    assert "atomic_xchg" in line_of_kernel(line)
    assert "locks[3]" in pane.accesses.detail.text()
    press(strips, "Up")
    assert strips.currentIndex().row() == place - 1
    pane.grab()


def test_every_term_of_the_derivation_has_its_lines_and_a_click_marks_them(pane: TouchPane) -> None:
    for number, term in enumerate(TERMS):
        first, last = lines_of(term)
        text = "\n".join(kernel_text(term.where[0]).splitlines()[first - 1 : last])
        assert text.strip().startswith(term.begins)
        pane.derivation.anchorClicked.emit(QUrl(f"term:{number}"))
        assert pane.source.place == (first, last)


class TouchDesk:
    """A pane that asks an engine, and beside a GPU an interpreter of its own."""

    def __init__(self, qtbot: QtBot, pane: TouchPane, interpreter: Device) -> None:
        self.pane = pane
        self.state = state_of(PROBLEM, interpreter)
        self.delivery = Delivery()
        self.engine = Engine()
        self.own: list[Engine] = []
        services = SimpleNamespace(
            supervisor=self.engine, delivery=self.delivery, under_way=UnderWay()
        )
        self.controller = TouchController(pane, services, self.start)  # type: ignore[arg-type]
        self.until = partial(qtbot.waitUntil, timeout=3000)

    def start(self, _put: object, _device: str) -> Engine:
        self.own.append(Engine())
        return self.own[-1]

    def ask(self, count: int) -> None:
        """Look, until so much is asked for."""
        self.pane.show()
        self.until(lambda: len(self.engine.asked) == count)

    def end(self, job: int, outcome: object) -> None:
        self.controller.take(JobEnded(job, outcome))


@pytest.fixture
def desk(qtbot: QtBot, pane: TouchPane, interpreter: Device) -> Iterator[TouchDesk]:
    made = TouchDesk(qtbot, pane, interpreter)
    made.controller.follow(made.state)
    yield made
    made.delivery.close()


def test_nothing_is_asked_while_nobody_looks(desk: TouchDesk, traced: Touched) -> None:
    pane = desk.pane
    pane.choose_row(7)
    pane.asking.ask()  # it has rested
    assert desk.engine.asked == []
    desk.ask(1)
    (asked,) = desk.engine.asked
    assert asked.row == 7
    assert asked.problem.n == 300
    desk.end(1, Stopped())  # by a run; it is still wanted
    desk.ask(2)
    desk.end(2, Finished(traced))
    assert pane.accesses.strips.accesses == traced.of("forward")
    desk.controller.close()
    assert not desk.engine.closed  # it is the window's
    assert desk.own == []


def test_an_answer_about_a_problem_that_was_left_is_not_shown(
    desk: TouchDesk, traced: Touched
) -> None:
    notice = desk.pane.notice
    desk.ask(1)
    desk.controller.follow(ask(desk.state, RunRequest.of(m=10, n=300, strategy="persistent")))
    desk.ask(2)
    desk.end(1, Finished(traced))
    assert notice.isVisible()
    desk.end(2, Refused((Problem("strategy", "persistent", say("choose locked")),)))
    assert "Choose locked" in notice.body.text()


def test_beside_a_gpu_an_interpreter_of_its_own_is_started_once(
    desk: TouchDesk, interpreter: Device
) -> None:
    desk.controller.follow(state_of(PROBLEM, replace(interpreter, backend="cuda")))
    desk.pane.show()
    desk.until(lambda: bool(desk.own) and len(desk.own[0].asked) == 1)
    desk.pane.row.setValue(3)
    (own,) = desk.own
    desk.until(lambda: len(own.asked) == 2)
    assert desk.engine.asked == []
    desk.controller.close()
    assert own.closed


def test_accesses_and_a_roofline_of_another_setting_are_dimmed(
    desk: TouchDesk, traced: Touched
) -> None:
    pane = desk.pane
    state = desk.state
    result = read_recording(resource("recordings/h200_4096x1024_g16.lnrec")).result
    pane.show_touched(traced)
    accesses, below = pane.veils
    pane.compare(state.plan, result.resolved)
    assert accesses.isHidden()
    assert below.note.text() == "of 4096×1024, run to renew"
    pane.compare(ask(state, replace(PROBLEM, seed=3)).plan, None)  # touches the same
    assert accesses.isHidden()
    pane.compare(ask(state, PROBLEM.changed(group_size_m=2)).plan, None)
    assert not accesses.isHidden()
    assert accesses.note.text() == "of GROUP_SIZE_M 4"
    assert below.isHidden()


@pytest.mark.parametrize(
    ("view", "seen"),
    [
        (TouchView(row=3, column=5, kernel="stage2"), TouchView(row=3, column=5, kernel="stage2")),
        (TouchView(row=9, column=5, kernel="weather"), TouchView(row=7, column=5)),
    ],
)
def test_a_view_comes_back_as_far_as_the_pane_has_it(
    pane: TouchPane, view: TouchView, seen: TouchView
) -> None:
    pane.set_shape(8, 16)
    pane.show_view(view)
    assert pane.view() == seen

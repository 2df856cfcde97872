"""Whatever is not of the parameters in force is dimmed, and says of what it is; what comes of a run
takes its place, from one state of the session to the next.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.parameters import PARAMETERS, Parameter
from lnexplorer.domain.pinned import PinnedRun
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.kit.responsive import IdleSteps
from lnexplorer.gui.kit.veil import Veil
from lnexplorer.gui.session.services import Services
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import use_device
from lnexplorer.gui.window.application import show_session
from lnexplorer.gui.window.headline import Headline
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.gui.window.workspaces import REDUCTION, WORKSPACES
from lnexplorer.protocol.messages import (
    Finished,
    JobEnded,
    JobPart,
    JobStarted,
    WorkerReady,
    WorkerStarting,
)
from lnexplorer.store.settings import Settings
from lnkernels.values.compiled import CompiledKernels, KernelFacts
from lnkernels.values.environment import Kind
from tests.gui.fakes import Recorder, state_of
from tests.gui.windows import on_screen
from tests.sample_results import make_correctness, make_device, make_environment, make_result
from tests.store.examples import small_result, small_timeline

# Every part of Run, also one that is still to come; of Reduction, whose model is of the parameters
# in force, below.
PARTS = [part for part in WORKSPACES[0].parts() if part is not REDUCTION]
CHECKED = make_correctness(32, 64)
OLD = "of 4096×8192, run to renew"


def facts(registers: int) -> tuple[KernelFacts, ...]:
    (fact,) = small_result().compiled
    names = ("forward", "backward_stage1", "backward_stage2")
    return tuple(replace(fact, name=name, registers=registers) for name in names)


def found(wobble: float = 1.0) -> RunResult:
    """A run of one and the same setting, which gave other figures."""
    checked = make_correctness(32, 64, failing=("dw",)) if wobble > 1 else CHECKED
    result = make_result(4096, 8192, correctness=checked, wobble=wobble)
    return replace(result, compiled=facts(int(40 * wobble)))


class RunDesk(Services):
    """A window with the parts of Run and a session, and nothing behind them."""

    def __init__(self, qtbot: QtBot) -> None:
        window = on_screen(qtbot, MainWindow(), 1600, 1000)
        super().__init__(window)
        self.window = window
        self.steps = IdleSteps(window)
        self.supervisor = Recorder()  # type: ignore[assignment]
        self.preferences = SimpleNamespace(settings=Settings())  # type: ignore[assignment]
        self.files = SimpleNamespace(open_example=lambda: None)  # type: ignore[assignment]
        self.session = SessionController(self.supervisor, state_of(RunRequest()), window)
        self.session.changed.connect(partial(show_session, window))
        for part in PARTS:
            part.connect(window.pane(part.name), self)
        self.box = window.parameters.box
        self.until = qtbot.waitUntil

    def settle(self) -> None:
        self.until(lambda: not self.steps.waiting)
        self.window.pane("throughput").refresh()
        QApplication.processEvents()  # what was shown or hidden is laid out later

    def ask(self, request: RunRequest) -> None:
        self.session.set_request(request)
        self.settle()

    def take(self, *parts: object) -> None:
        for part in parts:
            self.session.take(JobPart(1, part))
        self.settle()

    def dims(self, part: str) -> bool:
        return self.window.pane(part).veil.isVisible()

    def dims_anything(self) -> bool:
        return any(veil.isVisible() for veil in self.window.findChildren(Veil))


@pytest.fixture
def empty(qtbot: QtBot) -> Iterator[RunDesk]:
    made = RunDesk(qtbot)
    yield made
    made.steps.clear()


@pytest.fixture
def desk(empty: RunDesk) -> RunDesk:
    """A run on show, beside A in the headline."""
    session = empty.session
    session._go(use_device(session.state, make_device()))
    session.set_live(False)
    session.set_pinned(PinnedRun(found(1.2)))
    empty.box.heading.setChecked(True)
    session.show_past(found())
    empty.settle()
    return empty


Seen = tuple[QImage, list[QRect]]  # a picture of a part, and the places that are dimmed


def shown(desk: RunDesk) -> dict[str, Seen]:
    parts = {part.name: desk.window.pane(part.name) for part in PARTS}
    parts["headline"] = desk.window.headline
    return {name: (part.grab().toImage(), dimmed_in(part)) for name, part in parts.items()}


def dimmed_in(part: QWidget) -> list[QRect]:
    veils = [veil for veil in part.findChildren(Veil) if veil.isVisible()]
    return [QRect(veil.mapTo(part, QPoint(0, 0)), veil.size()) for veil in veils]


def same(one: Seen, other: Seen) -> bool:
    """Return whether two pictures are the same outside of what is dimmed in them; a longer text
    takes more room than a short one.
    """
    images = [image.convertToFormat(QImage.Format.Format_RGB32) for image, _ in (one, other)]
    for image in images:
        painter = QPainter(image)
        for place in one[1] + other[1]:
            painter.fillRect(place, QColor("black"))
        painter.end()
    return images[0] == images[1]


def another(parameter: Parameter, now: object) -> object:
    """Another value of a parameter, which need not be possible."""
    if isinstance(now, bool):
        return not now
    if isinstance(now, str):
        return next(value for value in parameter.choices if value != now)
    return 2 * now if now else 1


def test_a_figure_that_shows_the_last_run_is_dimmed_once_a_parameter_is_another_one(
    desk: RunDesk,
) -> None:
    def seen(result: RunResult) -> list[dict[str, Seen]]:
        """The run, and it again with each parameter another one."""
        desk.session.show_past(result)
        desk.settle()
        pictures = [shown(desk)]
        request = desk.session.state.request
        resolved = result.resolved
        for parameter in PARAMETERS:
            name = parameter.name
            now = getattr(resolved, name, getattr(resolved.launch, name, None))
            desk.ask(request.changed(**{name: another(parameter, now)}))
            pictures.append(shown(desk))
        return pictures

    # Each part shows the run, and nothing of it once that is the run of another setting.
    (first, *firsts), (second, *seconds) = map(seen, (found(), found(1.5)))
    assert [name for name in first if same(first[name], second[name])] == []
    for parameter, first, second in zip(PARAMETERS, firsts, seconds, strict=True):
        bright = [name for name in first if not same(first[name], second[name])]
        assert bright == [], parameter.name


def test_nothing_is_dimmed_that_is_of_the_parameters_in_force(desk: RunDesk) -> None:
    headline = desk.window.headline.shape
    request = desk.session.state.request
    desk.ask(request.changed(n=640))
    assert headline.text() == OLD
    assert desk.window.pane("correctness").veil.note.text() == OLD
    desk.ask(request)
    assert not desk.dims_anything()
    assert headline.text().startswith("LayerNorm · M 4096 × N 8192")


def test_a_run_of_a_machine_that_was_left_is_dimmed_until_the_new_one_has_run(
    desk: RunDesk,
) -> None:
    session = desk.session
    other = replace(make_device(), environment=make_environment("NVIDIA A100"))
    for device in (None, other):
        session._go(use_device(session.state, device))
        desk.settle()
        assert desk.window.headline.shape.text() == "of NVIDIA H200, run to renew"
        for name in ("correctness", "throughput"):
            assert desk.dims(name)
            note = desk.window.pane(name).veil.note
            assert note.text() == "of NVIDIA H200, run to renew"
        assert all(veil.isVisible() for veil in desk.box.veils)
    session.run()
    desk.take(CHECKED)
    assert not desk.dims("correctness")
    forward = desk.box.values["forward"].text()
    assert forward == "known after a run", "registers are those of the machine that was left"
    recorded = replace(found().provenance, kind=Kind.RECORDED)
    session.show_past(replace(found(), provenance=recorded))
    desk.settle()
    assert not desk.dims_anything(), "it says so itself"


def test_registers_stay_those_of_their_own_setting_while_a_run_is_under_way(desk: RunDesk) -> None:
    box = desk.box
    desk.session.set_request(RunRequest(m=4096, n=1024))
    desk.session.run()
    desk.take(CHECKED)
    assert all(veil.isVisible() for veil in box.veils)
    assert box.of.text() == OLD
    assert not desk.dims("correctness")
    desk.take(CompiledKernels(facts(32)))
    assert not any(veil.isVisible() for veil in box.veils)
    assert "32\N{NO-BREAK SPACE}registers" in box.values["forward"].text()


def test_a_picture_of_the_reduction_is_dimmed_while_nothing_can_be_run(desk: RunDesk) -> None:
    veil = desk.window.pane(REDUCTION).veil
    REDUCTION.connect(desk.window.pane(REDUCTION), desk)
    for n, told in ((8192, ""), (1 << 21, "of 4096×8192"), (512, "")):
        desk.ask(RunRequest(m=4096, n=n))
        assert veil.isVisible() is bool(told)
        assert veil.note.text() == told


def test_a_recording_is_on_show_again_once_its_parameters_are(desk: RunDesk) -> None:
    pane = desk.window.pane(REDUCTION)
    timeline = small_timeline()
    REDUCTION.connect(pane, desk)

    def is_shown() -> bool:
        return pane.shown is not None and pane.shown[0] is timeline

    desk.session.show_past(small_result(), timeline)
    request = desk.session.state.request
    desk.session.set_request(request.changed(group_size_m=1))
    desk.until(lambda: not is_shown())
    desk.session.set_request(request)
    desk.until(is_shown)


def test_a_run_that_begins_before_its_device_is_known_is_one_run_in_the_chart(
    empty: RunDesk,
) -> None:
    chart = empty.window.pane("throughput").chart
    result = found()
    empty.session.run()
    for event in (WorkerStarting(), WorkerReady(make_device()), JobStarted(1)):
        empty.session.take(event)
        empty.settle()
    empty.take(*result.throughput.figures)
    empty.session.take(JobEnded(1, Finished(result)))
    empty.until(lambda: bool(chart.points))
    assert {(point.run, point.shape[:2]) for point in chart.points} == {(1, (4096, 8192))}
    assert empty.window.headline.badge.text() == "measured"


def test_in_a_narrow_window_less_is_said(desk: RunDesk, qtbot: QtBot) -> None:
    headline = on_screen(qtbot, Headline(), 1300, 60)
    headline.show_run(desk.session.state.run)
    dw = headline.results["dw"]
    forward = headline.speeds["forward"]
    assert "allowed" in dw.toolTip()
    assert "of ceiling" in forward.toolTip()
    for width, has_room in ((1300, True), (640, False)):
        headline.resize(width, 60)
        assert dw.isVisible() is has_room
        assert "GB/s" in forward.text()
        assert forward.isVisible()
    # Larger text needs more of it, and the verdict is whole.
    headline.setStyleSheet("QLabel { font-size: 20px; }")
    for width in (1300, 1100, 900):
        headline.resize(width, 60)
        QApplication.processEvents()
        assert headline.verdict.width() >= headline.verdict.sizeHint().width(), width

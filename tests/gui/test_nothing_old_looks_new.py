"""Whatever is not of the parameters in force is dimmed, and says of what it is."""

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
from lnexplorer.domain.request import RunRequest, other_setting, plan_run
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.kit.responsive import IdleSteps
from lnexplorer.gui.kit.veil import Veil
from lnexplorer.gui.session.services import Services
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import use_device
from lnexplorer.gui.window.application import show_session
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.gui.window.workspaces import REDUCTION, WORKSPACES
from lnexplorer.protocol.messages import JobPart
from lnexplorer.store.settings import Settings
from lnkernels.values.compiled import CompiledKernels, KernelFacts
from lnkernels.values.environment import Kind, Provenance
from tests.gui.fakes import Recorder, state_of
from tests.sample_results import make_correctness, make_device, make_environment, make_result
from tests.store.examples import small_result, small_timeline

# Every part of Run, also one that is still to come; of Reduction, whose model is of the parameters
# in force, below.
PARTS = [part for part in WORKSPACES[0].parts() if part is not REDUCTION]


def facts(registers: int) -> tuple[KernelFacts, ...]:
    names = ("forward", "backward_stage1", "backward_stage2")
    return tuple(
        KernelFacts(
            name=name,
            architecture="sm_90",
            grid=(4,),
            num_warps=4,
            registers=registers,
            spill_bytes=0,
            shared_bytes=0,
            occupancy=None,
        )
        for name in names
    )


def found(wobble: float) -> RunResult:
    """A run of one and the same setting, which gave other figures."""
    checked = make_correctness(32, 64, failing=("dw",) if wobble > 1 else ())
    result = make_result(4096, 8192, correctness=checked, wobble=wobble)
    return replace(result, compiled=facts(int(40 * wobble)))


@pytest.fixture
def services(qtbot: QtBot) -> Iterator[Services]:
    window = MainWindow()
    qtbot.addWidget(window)
    made = Services(window)
    made.window, made.steps, made.supervisor = window, IdleSteps(window), Recorder()  # type: ignore[assignment]
    made.preferences = SimpleNamespace(settings=Settings())  # type: ignore[assignment]
    made.files = SimpleNamespace(open_example=lambda: None)  # type: ignore[assignment]
    made.session = SessionController(made.supervisor, state_of(RunRequest(), make_device()), window)
    made.session.set_live(False)
    made.session.changed.connect(partial(show_session, window))
    window.resize(1600, 1000)
    window.show()
    for part in PARTS:
        part.connect(window.pane(part.name), made)
    made.session.set_pinned(
        PinnedRun(found(1.2))
    )  # A, beside which each run stands in the headline
    window.parameters.box.heading.setChecked(True)
    yield made
    made.steps.clear()


def settle(services: Services, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not services.steps.waiting)
    services.window.pane("throughput").refresh()
    QApplication.processEvents()  # what was shown or hidden is laid out later


Seen = tuple[QImage, list[QRect]]  # a picture of a part, and the places that are dimmed


def shown(services: Services) -> dict[str, Seen]:
    window = services.window
    parts = {part.name: window.pane(part.name) for part in PARTS} | {"headline": window.headline}
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
    services: Services, qtbot: QtBot
) -> None:
    session, results = services.session, (found(1.0), found(1.5))

    def seen(result: RunResult) -> list[dict[str, Seen]]:
        """The run, and it again with each parameter another one."""
        session.show_past(result)
        settle(services, qtbot)
        found, request, resolved = [shown(services)], session.state.request, result.resolved
        for parameter in PARAMETERS:
            name = parameter.name
            now = getattr(resolved, name, getattr(resolved.launch, name, None))
            session.set_request(request.changed(**{name: another(parameter, now)}))
            settle(services, qtbot)
            found.append(shown(services))
        return found

    # Each part shows the run, and nothing of it once that is the run of another setting.
    (first, *firsts), (second, *seconds) = map(seen, results)
    assert [name for name in first if same(first[name], second[name])] == []
    for parameter, first, second in zip(PARAMETERS, firsts, seconds, strict=True):
        bright = [name for name in first if not same(first[name], second[name])]
        assert bright == [], parameter.name


def test_nothing_is_dimmed_that_is_of_the_parameters_in_force(
    services: Services, qtbot: QtBot
) -> None:
    session, window = services.session, services.window
    session.show_past(found(1.0))
    settle(services, qtbot)
    request = session.state.request
    session.set_request(request.changed(n=640))
    settle(services, qtbot)
    assert window.headline.shape.text() == "of 4096×8192, run to renew"
    assert window.pane("correctness").veil.note.text() == "of 4096×8192, run to renew"
    session.set_request(request)
    settle(services, qtbot)
    assert not any(veil.isVisible() for veil in window.findChildren(Veil))
    assert window.headline.shape.text().startswith("LayerNorm · M 4096 × N 8192")


def test_a_run_of_a_machine_that_was_left_is_dimmed_until_the_new_one_has_run(
    services: Services, qtbot: QtBot
) -> None:
    session, window = services.session, services.window
    session.show_past(found(1.0))
    settle(services, qtbot)
    other = replace(make_device(), environment=make_environment("NVIDIA A100"))
    for device in (None, other):
        session._go(use_device(session.state, device))
        settle(services, qtbot)
        assert window.headline.shape.text() == "of NVIDIA H200, run to renew"
        for name in ("correctness", "throughput"):
            veil = window.pane(name).veil
            assert (veil.isVisible(), veil.note.text()) == (True, "of NVIDIA H200, run to renew")
        assert [veil.isVisible() for veil in window.parameters.box.veils] == [True] * 3
    session.run()
    session.take(JobPart(1, make_correctness(32, 64)))
    settle(services, qtbot)
    assert not window.pane("correctness").veil.isVisible()
    assert window.parameters.box.values["forward"].text() == "known after a run", (
        "registers are those of the machine that was left"
    )
    session.show_past(replace(found(1.0), provenance=recorded(found(1.0).provenance)))
    settle(services, qtbot)
    assert not any(veil.isVisible() for veil in window.findChildren(Veil)), "it says so itself"


def recorded(made: Provenance) -> Provenance:
    return replace(made, kind=Kind.RECORDED)


def test_registers_stay_those_of_their_own_setting_while_a_run_is_under_way(
    services: Services, qtbot: QtBot
) -> None:
    session, box = services.session, services.window.parameters.box
    session.show_past(found(1.0))
    session.set_request(RunRequest(m=4096, n=1024))
    session.run()
    session.take(JobPart(1, make_correctness(32, 64)))
    settle(services, qtbot)
    veils = [veil.isVisible() for veil in box.veils]
    assert veils == [True] * 3
    assert box.of.text() == "of 4096×8192, run to renew"
    assert not services.window.pane("correctness").veil.isVisible()
    session.take(JobPart(1, CompiledKernels(facts(32))))
    assert not any(veil.isVisible() for veil in box.veils)
    assert "32 registers" in box.values["forward"].text()


def test_a_picture_of_the_reduction_is_dimmed_while_nothing_can_be_run(
    services: Services, qtbot: QtBot
) -> None:
    pane = services.window.pane(REDUCTION)
    REDUCTION.connect(pane, services)
    settle(services, qtbot)
    assert not pane.veil.isVisible()
    services.session.set_request(RunRequest(m=4096, n=1 << 21))
    settle(services, qtbot)
    assert pane.veil.note.text() == "of 4096×8192"
    assert pane.veil.isVisible()
    services.session.set_request(RunRequest(m=4096, n=512))
    settle(services, qtbot)
    assert not pane.veil.isVisible()


def test_a_recording_is_on_show_again_once_its_parameters_are(
    services: Services, qtbot: QtBot
) -> None:
    pane, session, timeline = services.window.pane(REDUCTION), services.session, small_timeline()
    REDUCTION.connect(pane, services)
    session.show_past(small_result(), timeline)
    request = session.state.request
    for asked, kept in ((request.changed(group_size_m=1), False), (request, True)):
        session.set_request(asked)
        qtbot.waitUntil(
            lambda kept=kept: (pane.shown is not None and pane.shown[0] is timeline) is kept  # type: ignore[misc]
        )


def test_a_setting_is_named_by_what_differs() -> None:
    old = plan_run(RunRequest(m=64, n=512), "interpreter").resolved
    now = partial(plan_run, backend="interpreter")
    assert other_setting(old, now(RunRequest(m=64, n=512))) is None
    assert str(other_setting(old, now(RunRequest(m=64, n=512, seed=3)))) == (
        "of seed 0, run to renew"
    )
    assert str(other_setting(old, now(RunRequest(m=64, n=-1)))) == "of 64×512"
    assert other_setting(None, now(RunRequest())) is None

"""When kernels are compiled for the pane, and which answers count."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.jobs import CompileJob
from lnexplorer.domain.pinned import PinnedRun
from lnexplorer.domain.request import resolve
from lnexplorer.domain.views import CompiledView
from lnexplorer.gui.panes.compiled.controller import CompiledController
from lnexplorer.gui.session.state import Jobs, SessionState, ask, use_device
from lnexplorer.protocol.messages import (
    Broken,
    Finished,
    JobEnded,
    JobStarted,
    Refused,
    Stopped,
    WorkerLost,
)
from lnkernels.launch import KNOWN_DEVICES, Problem
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Offered
from lnkernels.values.listing import ARCHITECTURES, LiveRegisters
from lnkernels.values.sentence import say, verbatim
from tests.gui.compiled_samples import (
    PROBLEM,
    WAIT_MS,
    barred,
    choose,
    compare,
    compiled_pane,
    unbarred,
)
from tests.gui.fakes import Engine, state_of
from tests.sample_results import make_device, make_result

STATE = state_of(PROBLEM, make_device())
OTHER_SEED = ask(STATE, replace(PROBLEM, seed=3))  # no other code
NO_DEVICE = use_device(STATE, None)
VIEW = CompiledView(
    kernel="backward_stage1",
    architecture="sm_90",
    forms=("ptx", "source"),
    line=("ptx", 60),
    page="layout",
)
REFUSAL = Refused(
    (Problem("architecture", ARCHITECTURES[0], say("choose one of {known}", known="sm_90")),)
)
LOST = WorkerLost(verbatim("The worker ended."), "", restarting=True)


class CompilingDesk:
    """A pane whose controller follows a session, and the engine that compiles for it."""

    def __init__(self, qtbot: QtBot) -> None:
        self.pane = compiled_pane(qtbot)
        self.engine = Engine()
        self.asked = self.engine.asked
        self.named: list[str] = []  # in the headline
        services = SimpleNamespace(
            supervisor=self.engine,
            files=SimpleNamespace(do=lambda work, then, key: then(work())),
            session=SimpleNamespace(state=STATE, remark=lambda sentence: None),
            window=SimpleNamespace(
                show_about=lambda workspace, about: self.named.append(about),
                show_part=lambda part: None,
            ),
            history=SimpleNamespace(drop=lambda key: None),
        )
        self.controller = CompiledController(self.pane, services)  # type: ignore[arg-type]
        self.take = self.controller.take
        self.until = partial(qtbot.waitUntil, timeout=WAIT_MS)
        self.follow(STATE)

    def follow(self, state: SessionState) -> None:
        self.controller._services.session.state = state
        self.controller.follow(state)

    def ask(self, count: int) -> None:
        """Wait until so many jobs were asked for."""
        self.until(lambda: len(self.asked) >= count)

    def look(self) -> None:
        """Look, until the first compilation is asked for."""
        self.pane.show()
        self.ask(1)

    def end(self, outcome: Any, job: int = 0) -> None:
        """End a job, or the newest one."""
        self.take(JobEnded(job or len(self.asked), outcome))


@pytest.fixture
def unseen(qtbot: QtBot) -> CompilingDesk:
    return CompilingDesk(qtbot)


@pytest.fixture
def desk(unseen: CompilingDesk) -> CompilingDesk:
    """Somebody looks, and the first compilation is asked for."""
    unseen.look()
    return unseen


@pytest.fixture
def compiled(desk: CompilingDesk) -> CompilingDesk:
    """The first compilation is on show."""
    desk.end(Finished(barred()), 1)
    return desk


def test_it_is_compiled_when_somebody_looks_and_anew_when_a_parameter_moves(
    unseen: CompilingDesk,
) -> None:
    desk = unseen
    asked = unseen.asked
    desk.pane.asking.ask()  # it has rested
    assert asked == []
    desk.look()
    desk.follow(OTHER_SEED)
    desk.follow(ask(STATE, PROBLEM.changed(num_warps=8)))
    assert desk.engine.cancelled == [1]
    desk.end(Stopped())
    desk.ask(2)
    assert asked[1].problem.launch.num_warps == 8
    desk.end(Finished(barred()))
    assert desk.pane.compiled is barred()
    compare(desk.pane, "sm_80")
    assert asked[-1].architecture == "sm_80"


def test_what_was_compared_with_is_not_shown_once_nobody_wants_it(compiled: CompilingDesk) -> None:
    pane = compiled.pane
    compare(pane, "barrier")
    other = len(compiled.asked)
    assert compiled.asked[-1].problem.launch.barrier is False
    compiled.take(JobStarted(other))
    compare(pane, "")
    assert other in compiled.engine.cancelled
    assert pane.state.text() == ""
    compiled.end(Finished(unbarred()), other)
    assert pane.code.left.head.isHidden()


def test_another_device_compiles_the_same_problem_anew(compiled: CompilingDesk) -> None:
    before = len(compiled.asked)
    limits = next(each for each in KNOWN_DEVICES if each.architecture == "sm_80")
    compiled.follow(use_device(STATE, replace(make_device(), limits=limits)))
    compiled.ask(before + 1)
    assert compiled.asked[before].problem == compiled.asked[0].problem


def test_what_waits_says_so_and_live_registers_come_behind(desk: CompilingDesk) -> None:
    pane = desk.pane
    body = desk.pane.notice.body
    right = desk.pane.code.right
    desk.until(lambda: "waiting until the worker" in body.text())
    desk.take(JobStarted(1))
    assert "compiling" in body.text()
    desk.end(Finished(barred()))
    live = replace(barred().request, live=True)
    assert desk.asked[1] == live
    choose(pane, "backward_stage1")
    at = np.full(len(barred().kernels[1].stages["sass"].lines), 7, np.int32)
    at[4] = 31
    counted = tuple(
        replace(one, live=LiveRegisters(at, 31, same=False)) for one in barred().kernels
    )
    desk.end(Finished(replace(barred(), request=live, kernels=counted)))
    assert int(right.code.text.bars.argmax()) == 4
    pane.code.choose_line("sass", 4)
    assert pane.readout.text().endswith("31 live registers")
    assert "at most 31" in right.head.text()
    assert "another assembler" in right.head.text()
    assert "31 by another assembler" in pane.beside.facts.toPlainText()


def test_live_registers_give_way_to_a_run(compiled: CompilingDesk) -> None:
    desk = compiled
    desk.follow(replace(STATE, jobs=Jobs(busy=True)))
    assert desk.engine.cancelled == [2]
    desk.follow(STATE)
    assert desk.asked[1:] == [replace(barred().request, live=True)] * 2
    desk.take(LOST)
    desk.end(Broken("compile", LOST.sentence, ""))
    desk.follow(STATE)
    assert len(desk.asked) == 3, "what may have ended the worker is not asked again"
    desk.pane.asking.start()
    desk.ask(4)
    desk.take(LOST)
    desk.end(Finished(unbarred()))
    assert desk.pane.compiled is unbarred(), "what had not begun is done by the next worker"


def test_what_is_looked_at_comes_back(unseen: CompilingDesk) -> None:
    pane = unseen.pane
    code = unseen.pane.code

    def look(view: CompiledView) -> None:
        pane.show_view(view)
        pane.show_compiled(barred())

    pane.show_view(VIEW)
    unseen.look()
    assert unseen.asked[0].architecture == "sm_90"
    unseen.end(Finished(barred()))
    assert pane.view() == VIEW
    assert code.left.code.chosen == 60
    look(replace(VIEW, beside="barrier", page="code", line=None))
    pane.show_other(unbarred())
    shown = code.left.stage, code.right.stage, code.right.head.text()
    assert shown == ("ptx", "ptx", "barrier off")
    compare(pane, "kept")
    look(replace(VIEW, page="code"))
    assert code.left.head.isHidden(), "nothing is compared in this view"
    nowhere = replace(VIEW, kernel="no", architecture="sm_0", forms=("hex", ""), page="9")
    look(replace(nowhere, line=("hex", -3), beside="all"))
    assert pane.view() == CompiledView(kernel="backward_stage1", forms=("ptx", "source"))


BROKEN = Broken("compile", verbatim("CompilationError: at locked.py:158: no"), "")


@pytest.mark.parametrize(("outcome", "words"), [(BROKEN, "locked.py:158"), (Stopped(), "Stopped")])
def test_a_failure_is_a_sentence_and_the_pane_keeps_what_it_showed(
    outcome: Any, words: str, desk: CompilingDesk
) -> None:
    pane = desk.pane
    desk.end(outcome)
    assert words in pane.notice.body.text()
    pane.show_compiled(barred())
    shown = pane.code.left.code.toPlainText()
    pane.architecture.activated.emit(0)
    desk.end(outcome)
    assert words in pane.problem.text()
    assert not pane.problem.isHidden()
    assert pane.code.left.code.toPlainText() == shown


def test_the_table_has_a_row_for_each_architecture_as_it_comes(unseen: CompilingDesk) -> None:
    pane = unseen.pane
    table = unseen.pane.architectures.table
    pane.show_compiled(barred())
    choose(pane, "backward_stage1")
    pane.architectures.button.click()
    assert [job.architecture for job in unseen.asked] == list(ARCHITECTURES)
    unseen.end(REFUSAL, 1)
    unseen.end(Finished(barred()), ARCHITECTURES.index("sm_90") + 1)
    lines = table.toPlainText().splitlines()
    told = [lines[lines.index(name) + 1] for name in ("sm_90", ARCHITECTURES[0])]
    assert told[0] == str(barred().kernels[1].facts.registers)
    assert "sm_90" in told[1], "the refusal"
    unseen.follow(state_of(PROBLEM.changed(num_warps=8), make_device()))
    assert not table.isVisibleTo(pane.architectures)
    assert len(unseen.engine.cancelled) == len(ARCHITECTURES) - 2


def test_a_compilation_is_dimmed_while_another_setting_is_in_force(desk: CompilingDesk) -> None:
    veil = desk.pane.veil
    request = barred().request
    problem = STATE.plan.shaped.without_data()
    desk.end(Finished(replace(barred(), request=replace(request, problem=problem))))
    impossible, other = (ask(STATE, PROBLEM.changed(n=n)) for n in (-1, 640))
    for state in (STATE, impossible, OTHER_SEED, other):
        desk.follow(state)
        assert veil.isVisible() == (state in (impossible, other))
    assert veil.note.text() == f"of {barred().resolved.m}×{barred().resolved.n}"


def test_what_went_wrong_on_a_machine_goes_with_it(desk: CompilingDesk) -> None:
    pane = desk.pane
    desk.end(REFUSAL)
    assert ARCHITECTURES[0] in pane.notice.body.text()
    desk.follow(NO_DEVICE)
    assert "for any architecture" in pane.notice.body.text()
    desk.follow(STATE)
    pane.show_compiled(barred())
    pane.show_problem(say("stopped"))
    assert pane.problem.isVisibleTo(pane)
    desk.follow(NO_DEVICE)
    assert not pane.problem.isVisibleTo(pane)


def test_a_is_compiled_beside_another_setting_and_no_longer_once_it_is_unpinned(
    compiled: CompilingDesk,
) -> None:
    run = make_result(64, 128)
    chosen = PROBLEM.changed(num_warps=8)
    pane = compiled.pane
    other, same = (
        PinnedRun(replace(run, request=request, resolved=resolve(request, "cuda")))
        for request in (chosen, PROBLEM)
    )

    def pin(pinned: PinnedRun | None) -> list[CompileJob]:
        """Pin a run; return what was compiled so far."""
        compiled.follow(replace(STATE, pinned=pinned))
        return [job for job in compiled.asked if not job.live]

    asked = pin(other)
    assert pane.beside.chosen == "baseline"
    assert asked[-1].problem.launch.num_warps == 8
    compiled.end(Finished(unbarred()), compiled.asked.index(asked[-1]) + 1)
    assert pane.code.pair is not None
    assert pin(same) == asked, "it is of the setting on show"
    pin(None)
    assert pane.beside.chosen == ""
    assert pane.code.pair is None


def test_two_versions_of_ones_own_kernel_are_compiled_beside_each_other(
    compiled: CompilingDesk,
) -> None:
    versions = [
        KernelSource(name=name, place=f"/{name}.py", sha256="0" * 64) for name in ("old", "new")
    ]
    for first in (Finished(barred()), REFUSAL):
        compiled.controller.show_own(*versions)
        for version, outcome in zip(versions, (first, Finished(unbarred())), strict=True):
            compiled.until(lambda version=version: compiled.asked[-1].source == version)
            compiled.end(outcome)
        assert (compiled.pane.code.pair is None) == (first is REFUSAL)
        assert compiled.named[-1] == "old.py → new.py"
    assert compiled.pane.compiled is unbarred(), "alone where the one before cannot be compiled"


def test_a_peer_that_is_here_is_compiled_beside_by_its_name(desk: CompilingDesk) -> None:
    pane = desk.pane
    compared = desk.pane.beside.compare
    names = {"torch": None, "liger": None, "quack": say("{name} is not installed", name="quack")}
    offered = tuple(Offered(name=name, label=name, missing=why) for name, why in names.items())
    desk.follow(use_device(STATE, replace(make_device(), offered=offered)))
    desk.ask(2)
    desk.end(Finished(barred()))
    shown = [compared.itemData(at) for at in range(compared.count())]
    assert shown[-1] == "liger"
    assert "torch" not in shown, "whose kernels no compiler here shows"
    compare(pane, "liger")
    request = desk.asked[-1]
    assert request.source.name == "liger"
    assert request.source.place == "liger_kernel.ops.layer_norm"
    desk.end(Finished(replace(unbarred(), request=request)))
    assert "liger" in pane.beside.facts.toPlainText()


def test_kernels_of_other_names_can_be_looked_at(unseen: CompilingDesk) -> None:
    pane, (forward, stage1, _) = unseen.pane, barred().kernels
    mine = replace(forward, facts=replace(forward.facts, name="rows_of_mine"))
    alone = replace(barred(), kernels=(mine,))
    pane.show_compiled(replace(barred(), kernels=(mine, replace(stage1))))
    assert pane.kernel_name == "rows_of_mine"
    assert not pane.others.isHidden()
    choose(pane, "backward_stage1")
    assert pane.kernel_name == "backward_stage1"
    pane.show_other(alone)
    pane.show_compiled(barred())
    assert pane.others.isHidden()
    assert pane.kernel_name == "backward_stage1"
    choose(pane, "forward")
    pane.show_other(alone)  # all its names are its own
    assert pane.code.pair is not None

"""When kernels are compiled for the pane, and which answers count."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.pinned import PinnedRun
from lnexplorer.domain.request import resolve
from lnexplorer.domain.views import CompiledView
from lnexplorer.gui.panes.compiled.controller import CompiledController
from lnexplorer.gui.panes.compiled.facts import _with_difference
from lnexplorer.gui.panes.compiled.pane import CompiledPane
from lnexplorer.gui.session.state import Jobs, ask, use_device
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
from lnkernels.values.sentence import Sentence, say, verbatim
from tests.gui.compiled_samples import (
    PROBLEM,
    WAIT_MS,
    choose,
    compare,
    compiled_both,
    compiled_pane,
)
from tests.gui.fakes import Engine, state_of
from tests.sample_results import make_device, make_result


@pytest.fixture(scope="module")
def both() -> dict[bool, Compiled]:
    return compiled_both()


@pytest.fixture
def pane(qtbot: QtBot) -> CompiledPane:
    return compiled_pane(qtbot)


def desk_of(pane: CompiledPane) -> tuple[CompiledController, Engine]:
    engine, remarks = Engine(), list[Sentence]()
    services = SimpleNamespace(
        supervisor=engine,
        files=SimpleNamespace(do=lambda work, then, key: then(work())),
        session=SimpleNamespace(state=STATE, remark=remarks.append),
        window=SimpleNamespace(
            show_about=lambda workspace, about: None, show_part=lambda part: None
        ),
        history=SimpleNamespace(drop=lambda key: None),
    )
    return CompiledController(pane, services), engine  # type: ignore[arg-type]


STATE = state_of(PROBLEM, make_device())


REFUSAL = Refused(
    (Problem("architecture", ARCHITECTURES[0], say("choose one of {known}", known="sm_90")),)
)


def looking(pane: CompiledPane, qtbot: QtBot) -> tuple[CompiledController, Engine]:
    """Somebody looks, and the first compilation is asked for."""
    desk, engine = desk_of(pane)
    desk.follow(STATE)
    pane.show()
    qtbot.waitUntil(lambda: len(engine.asked) == 1, timeout=WAIT_MS)
    return desk, engine


def test_it_is_compiled_when_somebody_looks_and_anew_when_a_parameter_moves(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, engine = desk_of(pane)
    desk.follow(STATE)
    pane.asking.ask()  # it has rested
    assert engine.asked == []
    pane.show()
    qtbot.waitUntil(lambda: len(engine.asked) == 1, timeout=WAIT_MS)
    desk.follow(ask(STATE, replace(PROBLEM, seed=3)))  # no other code
    desk.follow(ask(STATE, PROBLEM.changed(num_warps=8)))
    assert engine.cancelled == [1]
    desk.take(JobEnded(1, Stopped()))
    qtbot.waitUntil(lambda: len(engine.asked) == 2, timeout=WAIT_MS)
    assert engine.asked[1].problem.launch.num_warps == 8
    desk.take(JobEnded(2, Finished(both[True])))
    assert pane.compiled is both[True]
    compare(pane, "sm_80")
    assert engine.asked[-1].architecture == "sm_80"


def test_what_was_compared_with_is_not_shown_once_nobody_wants_it(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, engine = looking(pane, qtbot)
    desk.take(JobEnded(1, Finished(both[True])))
    compare(pane, "barrier")
    other = len(engine.asked)
    assert engine.asked[-1].problem.launch.barrier is False
    desk.take(JobStarted(other))
    compare(pane, "")
    assert other in engine.cancelled
    assert pane.state.text() == ""
    desk.take(JobEnded(other, Finished(both[False])))
    assert pane.code.left.head.isHidden()


def test_another_device_compiles_the_same_problem_anew(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, engine = looking(pane, qtbot)
    desk.take(JobEnded(1, Finished(both[True])))
    before = len(engine.asked)
    desk.follow(use_device(STATE, None))
    limits = next(each for each in KNOWN_DEVICES if each.architecture == "sm_80")
    desk.follow(use_device(STATE, replace(make_device(), limits=limits)))
    qtbot.waitUntil(lambda: len(engine.asked) == before + 1, timeout=WAIT_MS)


def test_what_waits_says_so_and_live_registers_come_behind(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, engine = looking(pane, qtbot)
    qtbot.waitUntil(lambda: "waiting until the worker" in pane.notice.body.text(), timeout=WAIT_MS)
    desk.take(JobStarted(1))
    assert "compiling" in pane.notice.body.text()
    desk.take(JobEnded(1, Finished(both[True])))
    assert engine.asked[1] == replace(both[True].request, live=True)
    choose(pane, "backward_stage1")
    sass = both[True].kernels[1].stages["sass"].lines
    at = np.full(len(sass), 7, np.int32)
    at[4] = 31
    counted = tuple(
        replace(one, live=LiveRegisters(at, 31, same=False)) for one in both[True].kernels
    )
    desk.take(JobEnded(2, Finished(replace(both[True], request=engine.asked[1], kernels=counted))))
    assert int(pane.code.right.code.text.bars.argmax()) == 4
    assert "at most 31" in pane.code.right.head.text()
    pane.code.choose_line("sass", 4)
    assert pane.readout.text().endswith("31 live registers")
    assert "another assembler" in pane.code.right.head.text()
    assert "31 by another assembler" in pane.beside.facts.toPlainText()


def test_live_registers_give_way_to_a_run(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, engine = looking(pane, qtbot)
    desk.take(JobEnded(1, Finished(both[True])))
    desk.follow(replace(STATE, jobs=Jobs(busy=True)))
    assert engine.cancelled == [2]
    desk.follow(STATE)
    assert engine.asked[1:] == [replace(both[True].request, live=True)] * 2
    desk.take(WorkerLost(verbatim("The worker ended."), "", restarting=True))
    desk.take(JobEnded(3, Broken("compile", verbatim("The worker ended."), "")))
    desk.follow(STATE)
    assert len(engine.asked) == 3, "what may have ended the worker is not asked again"
    pane.asking.start()
    qtbot.waitUntil(lambda: len(engine.asked) == 4, timeout=WAIT_MS)
    desk.take(WorkerLost(verbatim("The worker ended."), "", restarting=True))
    desk.take(JobEnded(4, Finished(both[False])))
    assert pane.compiled is both[False], "what had not begun is done by the next worker"


def test_what_is_looked_at_comes_back(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    view = CompiledView(
        kernel="backward_stage1",
        architecture="sm_90",
        forms=("ptx", "source"),
        line=("ptx", 60),
        page="layout",
    )
    pane.show_view(view)
    desk, engine = looking(pane, qtbot)
    assert engine.asked[0].architecture == "sm_90"
    desk.take(JobEnded(1, Finished(both[True])))
    assert pane.view() == view
    assert pane.code.left.code.chosen == 60
    pane.show_view(replace(view, beside="barrier", page="code", line=None))
    pane.show_compiled(both[True])
    pane.show_other(both[False])
    assert (pane.code.left.stage, pane.code.right.stage, pane.code.right.head.text()) == (
        "ptx",
        "ptx",
        "barrier off",
    )
    compare(pane, "kept")
    pane.show_view(replace(view, page="code"))
    pane.show_compiled(both[False])
    assert pane.code.left.head.isHidden(), "nothing is compared in this view"
    pane.show_view(
        CompiledView(
            kernel="no",
            architecture="sm_0",
            forms=("hex", ""),
            line=("hex", -3),
            beside="all",
            page="9",
        )
    )
    pane.show_compiled(both[True])
    assert pane.view() == CompiledView(kernel="backward_stage1", forms=("ptx", "source"))


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (
            Broken("compile", verbatim("CompilationError: at locked.py:158: no"), ""),
            "locked.py:158",
        ),
        (Stopped(), "Stopped"),
    ],
)
def test_a_failure_is_a_sentence_and_the_pane_keeps_what_it_showed(
    outcome: Any, words: str, both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, _ = looking(pane, qtbot)
    desk.take(JobEnded(1, outcome))
    assert words in pane.notice.body.text()
    pane.show_compiled(both[True])
    shown = pane.code.left.code.toPlainText()
    pane.architecture.activated.emit(0)
    desk.take(JobEnded(2, outcome))
    assert words in pane.problem.text()
    assert not pane.problem.isHidden()
    assert pane.code.left.code.toPlainText() == shown


def test_the_table_has_a_row_for_each_architecture_as_it_comes(
    both: dict[bool, Compiled], pane: CompiledPane
) -> None:
    desk, engine = desk_of(pane)
    desk.follow(STATE)
    pane.show_compiled(both[True])
    choose(pane, "backward_stage1")
    pane.architectures.button.click()
    assert [job.architecture for job in engine.asked] == list(ARCHITECTURES)
    desk.take(JobEnded(1, REFUSAL))
    desk.take(JobEnded(ARCHITECTURES.index("sm_90") + 1, Finished(both[True])))
    lines = pane.architectures.table.toPlainText().splitlines()
    row = lines.index("sm_90")
    assert lines[row + 1] == str(both[True].kernels[1].facts.registers)
    assert "sm_90" in lines[lines.index(ARCHITECTURES[0]) + 1], "the refusal"
    desk.follow(state_of(PROBLEM.changed(num_warps=8), make_device()))
    assert not pane.architectures.table.isVisibleTo(pane.architectures)
    assert len(engine.cancelled) == len(ARCHITECTURES) - 2


def test_a_compilation_is_dimmed_while_another_setting_is_in_force(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, _ = looking(pane, qtbot)
    problem = STATE.plan.shaped.without_data()
    own = replace(both[True], request=replace(both[True].request, problem=problem))
    desk.take(JobEnded(1, Finished(own)))
    assert not pane.veil.isVisible()
    desk.follow(ask(STATE, replace(PROBLEM, seed=3)))  # no other code
    assert not pane.veil.isVisible()
    desk.follow(ask(STATE, PROBLEM.changed(n=640)))
    assert pane.veil.isVisible()
    assert pane.veil.note.text() == f"of {own.resolved.m}×{own.resolved.n}"
    desk.follow(ask(STATE, PROBLEM.changed(n=-1)))  # cannot be compiled at all
    assert pane.veil.isVisible()
    desk.follow(STATE)
    assert not pane.veil.isVisible()


def test_what_went_wrong_on_a_machine_goes_with_it(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, _ = looking(pane, qtbot)
    desk.take(JobEnded(1, REFUSAL))
    assert ARCHITECTURES[0] in pane.notice.body.text()
    desk.follow(use_device(STATE, None))
    assert "for any architecture" in pane.notice.body.text()
    desk.follow(STATE)
    pane.show_compiled(both[True])
    pane.show_problem(say("stopped"))
    assert pane.problem.isVisibleTo(pane)
    desk.follow(use_device(STATE, None))
    assert not pane.problem.isVisibleTo(pane)


def test_a_is_compiled_beside_another_setting_and_no_longer_once_it_is_unpinned(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, engine = looking(pane, qtbot)
    desk.take(JobEnded(1, Finished(both[True])))
    run = make_result(64, 128)
    chosen = PROBLEM.changed(num_warps=8)
    pinned = PinnedRun(replace(run, request=chosen, resolved=resolve(chosen, "cuda")))

    def follow(pinned: PinnedRun | None) -> list[CompileJob]:
        """Pin a run; return what was compiled so far."""
        desk._services.session.state = replace(STATE, pinned=pinned)
        desk.follow(desk._services.session.state)
        return [job for job in engine.asked if not job.live]

    asked = follow(pinned)
    assert pane.beside.chosen == "baseline"
    assert asked[-1].problem.launch.num_warps == 8
    desk.take(JobEnded(engine.asked.index(asked[-1]) + 1, Finished(both[False])))
    assert pane.code.pair is not None
    same = PinnedRun(replace(run, request=PROBLEM, resolved=resolve(PROBLEM, "cuda")))
    assert follow(same) == asked, "it is of the setting on show"
    follow(None)
    assert pane.beside.chosen == ""
    assert pane.code.pair is None


def test_two_versions_of_ones_own_kernel_are_compiled_beside_each_other(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, engine = looking(pane, qtbot)
    versions = [
        KernelSource(name=name, place=f"/{name}.py", sha256="0" * 64) for name in ("old", "new")
    ]
    for first in (Finished(both[True]), REFUSAL):
        desk.show_own(*versions)
        for version, outcome in zip(versions, (first, Finished(both[False])), strict=True):
            asked = len(engine.asked) + 1
            qtbot.waitUntil(lambda asked=asked: len(engine.asked) >= asked, timeout=WAIT_MS)
            assert engine.asked[-1].source == version
            desk.take(JobEnded(len(engine.asked), outcome))
        assert (pane.code.pair is None) == (first is REFUSAL)
    assert pane.compiled is both[False], "alone where the one before cannot be compiled"


def test_the_facts_of_two_sides_say_how_far_they_are_apart() -> None:
    assert str(_with_difference("1,047", "677")) == "1,047 (+370)"
    assert str(_with_difference("0 B", "16 B")) == "0 B (−16)"
    assert _with_difference("75 %", "75 %") == "75 %"
    assert _with_difference("–", "12") == "–"


def test_a_peer_that_is_here_is_compiled_beside_by_its_name(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    desk, engine = looking(pane, qtbot)
    names = {"torch": None, "liger": None, "quack": say("{name} is not installed", name="quack")}
    offered = tuple(Offered(name=name, label=name, missing=why) for name, why in names.items())
    desk.follow(use_device(STATE, replace(make_device(), offered=offered)))
    qtbot.waitUntil(lambda: len(engine.asked) == 2, timeout=WAIT_MS)
    desk.take(JobEnded(2, Finished(both[True])))
    shown = [pane.beside.compare.itemData(at) for at in range(pane.beside.compare.count())]
    assert shown[-2:] == ["torch", "liger"]
    compare(pane, "liger")
    source = engine.asked[-1].source
    assert source is not None
    assert (source.name, source.place) == ("liger", "liger_kernel.ops.layer_norm")
    forward, *rest = both[False].kernels
    peer = replace(both[False], request=engine.asked[-1], kernels=(forward, *rest))
    desk.take(JobEnded(len(engine.asked), Finished(peer)))
    assert "liger" in pane.beside.facts.toPlainText()
    compare(pane, "torch")
    assert "neither Triton's nor in a library" in pane.problem.text()


def test_kernels_of_other_names_can_be_looked_at(
    both: dict[bool, Compiled], pane: CompiledPane
) -> None:
    ours, (forward, stage1, _) = both[True], both[True].kernels
    mine = replace(forward, facts=replace(forward.facts, name="rows_of_mine"))
    pane.show_compiled(replace(ours, kernels=(mine, replace(stage1))))
    assert pane.kernel_name == "rows_of_mine"
    assert not pane.others.isHidden()
    choose(pane, "backward_stage1")
    assert pane.kernel_name == "backward_stage1"
    pane.show_other(replace(ours, kernels=(mine,)))
    pane.show_compiled(ours)
    assert pane.others.isHidden()
    assert pane.kernel_name == "backward_stage1"
    choose(pane, "forward")
    pane.show_other(replace(ours, kernels=(mine,)))  # all its names are its own
    assert pane.code.pair is not None

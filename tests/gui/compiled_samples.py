"""Kernels that are really compiled, with the barrier and without it, and their pane."""

from functools import cache

from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.gui.panes.compiled.pane import CompiledPane
from lnkernels.compiled.facts import CompileRequest, facts_in_own_process
from lnkernels.compiled.listing import TEXTS, read_listing
from lnkernels.values.listing import Listing
from lnkernels.values.listing_diff import beside
from tests.gui.windows import off_screen

PROBLEM = RunRequest.of(m=64, n=256, group_size_m=4)
WAIT_MS = 3000


@cache
def compiled_both() -> dict[bool, Compiled]:
    """The kernels with the barrier, and without it, which only stage 1 has."""
    problems = {barrier: PROBLEM.changed(barrier=barrier) for barrier in (True, False)}
    resolved = {barrier: resolve(problem, "cuda") for barrier, problem in problems.items()}
    requests = [
        CompileRequest(
            m=64,
            n=256,
            dtype="float16",
            launch=one.launch,
            architecture="sm_90",
            stages=TEXTS,
            kernels=kernels,
        )
        for one, kernels in zip(resolved.values(), ((), ("backward_stage1",)), strict=True)
    ]
    forward, stage1, stage2, without = (
        read_listing(facts) for facts in facts_in_own_process(*requests, timeout=120)
    )
    return {
        barrier: Compiled(
            request=CompileJob(problem=problems[barrier], architecture="sm_90"),
            resolved=resolved[barrier],
            architecture="sm_90",
            kernels=(forward, stage1 if barrier else without, stage2),
        )
        for barrier in problems
    }


def compiled_pane(qtbot: QtBot) -> CompiledPane:
    """A pane whose two texts are put beside each other at once."""
    made = off_screen(qtbot, CompiledPane(), 1280, 640)

    def show_rows(stage: str, a: Listing, b: Listing) -> None:
        made.code.show_rows(
            stage, a, b, beside(a.stages[stage].lines, b.stages[stage].lines, stage)
        )
        filled: list[bool] = []  # the text on the right has a turn of its own
        QTimer.singleShot(1, lambda: filled.append(True))
        qtbot.waitUntil(lambda: bool(filled))

    made.code.rowsRequested.connect(show_rows)
    return made


def barred() -> Compiled:
    return compiled_both()[True]


def unbarred() -> Compiled:
    return compiled_both()[False]


def compare(pane: CompiledPane, key: str) -> None:
    """Choose another compilation, as a person does."""
    pane.beside.compare.choose(key)
    pane.beside.compare.activated.emit(pane.beside.compare.currentIndex())


def choose(pane: CompiledPane, kernel: str) -> None:
    pane.kernel.button(kernel).click()

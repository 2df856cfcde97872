"""The reduction pane where a strategy has no locks."""

from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.gui.reduction.pane import ReductionPane
from lnkernels.launch import CATALOGUE, STRATEGIES


def problem(strategy: str) -> ResolvedRequest:
    return resolve(RunRequest.of(m=8, n=16, strategy=strategy), "interpreter")


def test_a_strategy_without_locks_has_no_timeline_and_the_pane_says_why(qtbot: QtBot) -> None:
    for strategy in STRATEGIES:
        pane = ReductionPane()
        qtbot.addWidget(pane)
        pane.resize(900, 600)
        resolved = problem(strategy)
        pane.set_problem(resolved, 64, 132)
        pane.show()
        used = resolved.launch.strategy
        assert pane.canvas.isVisible() == (used == "locked")
        if used != "locked":
            assert used in pane.notice.title.text()
            assert CATALOGUE[used].summary in pane.notice.body.text()
            assert "no timeline of locks" in pane.notice.body.text()


def test_the_picture_comes_back_with_the_locks(qtbot: QtBot) -> None:
    pane = ReductionPane()
    qtbot.addWidget(pane)
    pane.set_problem(problem("atomic"), 64, 132)
    pane.show()
    assert pane.shown is None
    pane.set_problem(problem("locked"), 64, 132)
    assert pane.canvas.isVisible()
    assert pane.shown is not None

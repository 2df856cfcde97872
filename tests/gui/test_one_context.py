"""What is on the screen belongs to one problem, and says which."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.window.application import Explorer
from lnexplorer.store.resources import resource
from tests.gui.windows import LECTURE, Until, said

RECORDED = "recordings/h200_4096x1024_g256.lnrec"


@pytest.mark.timeout(170)
def test_a_recording_is_kept_under_its_kind_and_leaves_nothing_under_the_next_run(
    explorer: Explorer, qtbot: QtBot, until: Until
) -> None:
    window, session, history = explorer.window, explorer.session, explorer.window.pane("history")
    throughput, headline = window.pane("throughput"), window.headline
    explorer.files.open_recording(resource(RECORDED))
    until(lambda: headline.badge.text() == "recorded")
    until(lambda: history.model.total == 2)
    assert {row.kind.value for row in history.model.rows} == {"interpreted", "recorded"}
    assert "h200_4096x1024_g256.lnrec" in said(explorer)
    assert str(resource("")) not in said(explorer)
    qtbot.waitUntil(
        lambda: "GB/s" in headline.speeds["forward"].text() and not throughput.notice.isVisible()
    )
    session.set_live(False)
    session.set_request(LECTURE)
    session.run()
    until(lambda: headline.badge.text() == "interpreted" and not session.state.jobs.busy)
    until(lambda: history.model.total == 3)
    window.show_workspace("run")
    until(throughput.notice.isVisible)
    assert not any("GB/s" in metric.text() for metric in headline.speeds.values())


@pytest.mark.timeout(170)
def test_an_experiment_that_is_opened_is_kept_and_has_its_own_headline(
    explorer: Explorer, until: Until
) -> None:
    window = explorer.window
    heading = window.headings["experiments"]
    assert "M = 64, float16" in window.headings["sweep"].line.text(), "the form's, not the run's"
    explorer.commands.open_file(resource("recordings/h200_barrier.lnexperiment"))
    until(lambda: "NVIDIA H200, 8192×2048 float16" in heading.line.text())
    assert heading.line.text().endswith("recorded")
    assert "M 4 × N 8" not in heading.line.text()
    until(lambda: window.pane("history").kept["experiments"].total == 1)
    explorer.commands.open_file(resource("recordings/h200_bench_4096_float16.json"))
    until(lambda: "M = 4096, float16" in window.headings["sweep"].line.text())
    assert "NVIDIA H200" in window.headings["sweep"].line.text()


def test_a_python_file_is_opened_as_a_kernel(explorer: Explorer, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def layer_norm(x, shape, weight, bias, eps): ...\n")
    assert explorer.commands.open_file(path) is None
    assert explorer.window.workspace == "own_kernels"

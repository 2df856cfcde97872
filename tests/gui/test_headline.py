"""The result in one line, at the top of the window."""

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.session.state import ShownRun
from lnexplorer.gui.window.headline import Headline
from lnkernels.values.environment import Kind
from tests.gui.windows import on_screen
from tests.sample_results import make_correctness, make_resolved, make_throughput


def test_in_a_narrow_window_less_is_said(qtbot: QtBot) -> None:
    headline = on_screen(qtbot, Headline(), 1300, 60)
    resolved = make_resolved()
    headline.show_run(
        ShownRun(
            resolved=resolved,
            kind=Kind.MEASURED,
            correctness=make_correctness(8, 16),
            figures=make_throughput(resolved).figures,
        )
    )
    dw, forward = headline.results["dw"], headline.speeds["forward"]
    assert dw.isVisible()
    assert "GB/s" in forward.text()
    assert "allowed" in dw.toolTip()
    assert "of ceiling" in forward.toolTip()
    headline.resize(640, 60)
    assert (dw.isVisible(), forward.isVisible()) == (False, True)
    # Larger text needs more of it, and the verdict is whole.
    headline.setStyleSheet("QLabel { font-size: 20px; }")
    for width in (1300, 1100, 900):
        headline.resize(width, 60)
        QApplication.processEvents()
        assert headline.verdict.width() >= headline.verdict.sizeHint().width(), width

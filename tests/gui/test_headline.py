"""The result in one line, at the top of the window."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.theme import DARK, apply_style
from lnexplorer.gui.session.state import ShownRun
from lnexplorer.gui.window.headline import Headline
from lnkernels.values.environment import Kind
from tests.sample_results import make_correctness, make_resolved, make_throughput


@pytest.fixture
def headline(qapp: QApplication, qtbot: QtBot) -> Iterator[Headline]:
    before = qapp.font(), qapp.styleSheet(), qapp.palette()
    headline = Headline()
    qtbot.addWidget(headline)
    apply_style(qapp, DARK)
    resolved = make_resolved()
    headline.show_run(
        ShownRun(
            resolved=resolved,
            kind=Kind.MEASURED,
            correctness=make_correctness(8, 16),
            figures=make_throughput(resolved).figures,
        )
    )
    yield headline
    qapp.setFont(before[0])
    qapp.setStyleSheet(before[1])
    qapp.setPalette(before[2])


def test_with_larger_text_less_is_said(headline: Headline, qapp: QApplication) -> None:
    headline.show()
    headline.resize(1500, 60)
    dw = headline.results["dw"]
    assert "≤" in dw.text()
    assert "of ceiling" in headline.speeds["forward"].text()
    headline.resize(1300, 60)
    qapp.processEvents()
    assert "≤" not in dw.text(), "the setting goes first"
    assert headline.shape.elided(headline.shape.width()) == headline.shape.text()
    headline.resize(1500, 60)
    assert "≤" in dw.text()
    apply_style(qapp, DARK, 160)
    headline.apply_theme(DARK)
    assert "≤" not in dw.text()
    assert "allowed" in dw.toolTip()
    assert "of ceiling" in headline.speeds["forward"].toolTip()

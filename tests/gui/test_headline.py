"""The result in one line, at the top of the window."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.shell.headline import Headline
from lnexplorer.gui.shell.style import apply_style
from lnkernels.values.environment import Kind
from tests.sample_results import make_correctness, make_resolved, make_throughput


@pytest.fixture
def headline(qapp: QApplication, qtbot: QtBot) -> Iterator[Headline]:
    before = qapp.font(), qapp.styleSheet(), qapp.palette()
    headline = Headline()
    qtbot.addWidget(headline)
    apply_style(qapp, DARK)
    resolved = make_resolved()
    headline.show_run(resolved, Kind.MEASURED, make_correctness(8, 16), make_throughput(resolved).figures)
    yield headline
    qapp.setFont(before[0])
    qapp.setStyleSheet(before[1])
    qapp.setPalette(before[2])


def test_what_was_run_is_whole_in_the_width_of_a_projector(headline: Headline, qtbot: QtBot) -> None:
    headline.resize(1150, headline.sizeHint().height())
    headline.show()
    shape = headline.shape
    qtbot.waitUntil(lambda: shape.width() >= shape.fontMetrics().horizontalAdvance(shape.text()))
    assert "GROUP_SIZE_M" in shape.text()


@pytest.mark.parametrize("percent", [120, 140, 160])
def test_with_larger_text_less_is_said_but_nothing_is_cut(
    headline: Headline, qapp: QApplication, qtbot: QtBot, percent: int
) -> None:
    headline.resize(1264, 60)
    headline.show()
    apply_style(qapp, DARK, percent)
    headline.apply_theme(DARK)
    labels = [headline.verdict]
    for metric in (*headline.results.values(), *headline.speeds.values()):
        labels += [metric.caption, metric.value]
    qtbot.waitUntil(lambda: all(label.width() >= label.sizeHint().width() for label in labels))
    assert headline.width() == 1264
    dw = headline.results["dw"]
    assert "≤" not in dw.value.text()
    assert "allowed" in dw.toolTip()
    assert "of ceiling" in headline.speeds["forward"].toolTip()
    apply_style(qapp, DARK)
    headline.apply_theme(DARK)
    headline.resize(1600, 60)
    qtbot.waitUntil(lambda: "≤" in dw.value.text())
    assert "of ceiling" in headline.speeds["forward"].caption.text()

"""The result in one line, at the top of the window."""

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.provenance import Kind
from lnexplorer.gui.headline import Headline
from lnexplorer.gui.style import apply_style
from lnexplorer.gui.theme import DARK
from tests.sample_results import make_correctness, make_resolved, make_throughput


def test_what_was_run_is_whole_in_the_width_of_a_projector(qapp: QApplication, qtbot: QtBot) -> None:
    before = qapp.font(), qapp.styleSheet(), qapp.palette()
    headline = Headline()
    qtbot.addWidget(headline)
    try:
        apply_style(qapp, DARK)
        resolved = make_resolved()
        headline.show_run(resolved, Kind.MEASURED, make_correctness(8, 16), make_throughput(resolved).figures)
        headline.resize(1150, headline.sizeHint().height())
        headline.show()
        shape = headline.shape
        qtbot.waitUntil(lambda: shape.width() >= shape.fontMetrics().horizontalAdvance(shape.text()))
        assert "GROUP_SIZE_M" in shape.text()
    finally:
        qapp.setFont(before[0])
        qapp.setStyleSheet(before[1])
        qapp.setPalette(before[2])

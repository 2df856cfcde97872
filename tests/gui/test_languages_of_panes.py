"""Every pane takes another language while it is open."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTranslator
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.correctness.pane import CorrectnessPane
from lnexplorer.gui.experiments.pane import ExperimentsPane
from lnexplorer.gui.history.pane import HistoryPane
from lnexplorer.gui.memory_access.pane import TouchPane
from lnexplorer.gui.throughput.pane import ThroughputPane


class Marking(QTranslator):
    """Puts every text in brackets."""

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        return f"[{source}]"

    def isEmpty(self) -> bool:  # noqa: N802
        return False


@pytest.mark.parametrize("kind", [CorrectnessPane, ThroughputPane, HistoryPane, ExperimentsPane, TouchPane])
def test_a_pane_changes_its_language_while_it_is_open(kind: type[QWidget], qtbot: QtBot) -> None:
    pane = kind()
    qtbot.addWidget(pane)
    before = pane.accessibleName()
    translator = Marking()
    QCoreApplication.installTranslator(translator)
    try:
        QCoreApplication.sendEvent(pane, QEvent(QEvent.Type.LanguageChange))
        assert pane.accessibleName() == f"[{before}]"
        own = [button for button in pane.findChildren(QAbstractButton) if button.text()]
        names = {"y", "dx", "dw", "db", "PyTorch", "torch.compile", "Liger", "quack", "Apex"}
        assert all(button.text().startswith("[") for button in own if button.text() not in names)
    finally:
        QCoreApplication.removeTranslator(translator)


@pytest.mark.parametrize("kind", [CorrectnessPane, ThroughputPane, HistoryPane, ExperimentsPane, TouchPane])
def test_every_button_has_a_name_and_a_tooltip(kind: type[QWidget], qtbot: QtBot) -> None:
    pane = kind()
    qtbot.addWidget(pane)
    for button in pane.findChildren(QAbstractButton):
        if button.text():
            assert button.accessibleName()
            assert button.toolTip()

"""Recorded experiments come into their pane, also before it is there."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.findings import STOPPED, ExperimentRecord, ExperimentResult, finished
from lnexplorer.gui.experiments.controller import RecordedExperiments
from lnexplorer.store.resources import resource
from tests.sample_experiments import sample

RECORDED = resource("recordings") / "h200_strategies.lnexperiment"


class Pane(QObject):
    """Remembers what it is to show."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen = ""
        self.shown: list[ExperimentResult] = []

    def choose(self, name: str) -> None:
        self.chosen = name

    def show_result(self, result: ExperimentResult) -> None:
        self.shown.append(result)


class Explorer(QWidget):
    """As much of the program as opening an experiment needs."""

    def __init__(self) -> None:
        super().__init__()
        self.experiments = Pane()
        self.front, self.said = "", ""
        self.records: dict[int, ExperimentRecord] = {}
        self.history = self.files = self.session = self

    @property
    def window(self) -> "Explorer":  # type: ignore[override]
        return self

    def do(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        then(work())

    def load_experiment(self, number: int, then: Callable[[ExperimentRecord], None]) -> None:
        then(self.records[number])

    def show_part(self, name: str) -> None:
        self.front = name

    def pane(self, _name: str) -> Pane:
        return self.experiments

    def note(self, path: Path) -> None:
        self.noted = path

    def remark(self, words: Callable[[], str]) -> None:
        self.said = words()


@pytest.fixture
def explorer(qtbot: QtBot) -> Explorer:
    made = Explorer()
    qtbot.addWidget(made)
    return made


def test_a_recorded_experiment_is_shown_and_its_file_is_noted(explorer: Explorer) -> None:
    opened: list[tuple[object, str]] = []
    recorded = RecordedExperiments(explorer, explorer.experiments)  # type: ignore[arg-type]
    recorded.opened.connect(lambda result, path: opened.append((result, path)))
    pane = explorer.experiments
    recorded.open(Path(RECORDED))
    assert explorer.noted == Path(RECORDED)
    (result,) = pane.shown
    assert result.strategies is not None
    assert (pane.chosen, explorer.front) == ("strategies", "experiments")
    assert opened == [(result, str(RECORDED))]
    assert str(RECORDED) in explorer.said
    assert isinstance(recorded, QObject)


def test_an_experiment_of_the_history_is_shown_and_one_without_findings_says_so(explorer: Explorer) -> None:
    recorded = RecordedExperiments(explorer, explorer.experiments)  # type: ignore[arg-type]
    pane = explorer.experiments
    kept = finished(sample("order"))
    explorer.records = {3: kept, 4: replace(kept, request=replace(kept.request, name="barrier"), result=None, ended=STOPPED)}
    recorded.open_kept(3)
    assert pane.shown == [kept.result]
    assert (pane.chosen, explorer.front) == ("order", "experiments")
    assert explorer.said == "Experiment of the history: The order of additions"
    explorer.records[5] = replace(kept, ended=STOPPED)
    recorded.open_kept(5)
    assert explorer.said == "Experiment of the history, which did not come to its end: The order of additions"
    pane.shown.pop()
    recorded.open_kept(4)
    assert pane.shown == [kept.result]
    assert pane.chosen == "barrier"
    assert "did not come to its end and found nothing: The barrier, left out and put back." in explorer.said

"""Why somebody gets no time, and a setting no figure, in the language of the window."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication

from lnexplorer.domain.request import RunRequest, check
from lnexplorer.domain.sweep.request import PRESETS
from lnexplorer.domain.sweep.views import View
from lnexplorer.gui.kit.languages import translate_message
from lnexplorer.gui.panes.sweep.views import cell_text
from lnexplorer.gui.session.messages import notice_text
from lnexplorer.protocol.messages import WorkerLost
from lnkernels.launch.settings import problems_sentence
from lnkernels.values.sentence import say, verbatim
from tests.gui.sample_sweeps import invented_rows

GROUPS = next(
    preset.sweep
    for preset in PRESETS
    if [axis.name for axis in preset.sweep.axes] == ["group_size_m"]
)


class Shouting(QTranslator):
    """A language in which every template of a sentence is in capitals, and its places are as they
    were.
    """

    def translate(self, context: str, text: str, _disambiguation: str = "", _n: int = -1) -> str:
        if context != "sentence":
            return ""
        return "".join(
            part if part.startswith("{") else part.upper()
            for part in re.split(r"(\{[^}]*\})", text)
        )


@pytest.fixture
def shouting(qapp: QApplication) -> Iterator[None]:
    translator = Shouting()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


@pytest.mark.usefixtures("shouting")
def test_a_sentence_inside_a_sentence_is_translated_and_what_is_quoted_is_not() -> None:
    when = say("while running")
    lost = WorkerLost(
        say("The worker ended {when}: {error}", when=when, error="KeyError: 'x'"),
        "",
        restarting=False,
    )
    assert notice_text(lost) == "THE WORKER ENDED WHILE RUNNING: KeyError: 'x'"
    assert translate_message(verbatim("RuntimeError: {0} of it")) == "RuntimeError: {0} of it"


@pytest.mark.usefixtures("shouting")
def test_a_cell_of_a_sweep_says_why_it_has_no_value() -> None:
    row = next(row for row in invented_rows(GROUPS) if row.status == "ok")
    reason = problems_sentence(check(RunRequest.of(num_warps=3), "cuda"))
    failed = replace(row, status="invalid", figures=(), reason=reason)
    text = translate_message(cell_text(GROUPS, failed, View()))
    assert "num_warps = 3 IS NOT POSSIBLE" in text

"""The catalogues hold every text of the window, and what is loaded is what they say."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest, check
from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.i18n.refusals import known_template, refusal
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.parameters.pane import ParametersPane
from lnexplorer.store.resources import resource
from lnkernels.launch import KNOWN_DEVICES, Problem
from resources.translations.update import LANGUAGES, compile_catalogue, gather, missing

REQUESTS = (
    RunRequest(m=0),
    RunRequest(seed=-1),
    RunRequest(block_size=3),
    RunRequest(num_stages=99),
    RunRequest(dtype="int8"),
    RunRequest(eps=float("nan")),
    RunRequest(barrier="maybe"),  # type: ignore[arg-type]
    RunRequest(n=600, block_size_n=512),
    RunRequest(n=65536),
    RunRequest(reduce_block_size_m=65536, reduce_block_size_n=65536),
    RunRequest(m=1 << 24, n=8192),
    RunRequest(strategy="persistent", group_size_m=4),
    RunRequest(strategy="persistent", n=65536),
    RunRequest(strategy="persistent", n=8192, rows=8, num_stages=8),
    RunRequest(strategy="persistent", n=8192, block_size=512, forward_rows=2),
    RunRequest(strategy="split", n=1 << 20, block_size_n=16),
    RunRequest(strategy="split", n=16384, programs_per_sm=16),
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_has_a_translation(language: str, tmp_path: Path) -> None:
    kept = resource(f"translations/lnexplorer_{language}.ts")
    copy = tmp_path / kept.name
    copy.write_bytes(kept.read_bytes())
    gather(copy, language)
    assert list(missing(copy)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_loaded_catalogue_is_compiled_from_the_source(language: str, tmp_path: Path) -> None:
    source = resource(f"translations/lnexplorer_{language}.ts")
    compiled = tmp_path / "compiled.qm"
    compile_catalogue(source, compiled)
    assert compiled.read_bytes() == source.with_suffix(".qm").read_bytes()


@pytest.mark.parametrize("request_", REQUESTS)
def test_every_kind_of_refusal_is_in_the_catalogue(request_: RunRequest) -> None:
    problems = check(request_, "cuda", memory_bytes=1 << 30, limits=KNOWN_DEVICES[1])
    assert problems
    for problem in problems:
        assert known_template(problem.allowed) is not None, problem.allowed


def test_the_window_changes_its_language_and_back(qapp: QApplication, qtbot: QtBot) -> None:
    languages = Languages(qapp, resource("translations"))
    pane = ParametersPane()
    qtbot.addWidget(pane)
    problem = Problem("block_size", "3", "take a power of two from 1 to 8, or automatic")
    try:
        languages.use("zh_CN")
        qapp.processEvents()
        assert pane.run.text() == "运行"
        assert domain_text("Partial sums") == "部分和"
        assert "2 的幂" in refusal(problem)
    finally:
        languages.use("en")
    qapp.processEvents()
    assert pane.run.text() == "Run"
    assert refusal(problem) == "Take a power of two from 1 to 8, or automatic"

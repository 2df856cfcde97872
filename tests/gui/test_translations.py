"""The catalogues hold every text of the window, and what is loaded is what they say."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import allowed_instead
from lnexplorer.gui.parameters.pane import ParametersPane
from lnexplorer.store.resources import resource
from lnkernels.launch import SETTING, Problem
from resources.translations.update import LANGUAGES, compile_catalogue, gather, missing


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


def test_the_window_changes_its_language_and_back(qapp: QApplication, qtbot: QtBot) -> None:
    languages = Languages(qapp, resource("translations"))
    pane = ParametersPane()
    qtbot.addWidget(pane)
    problem = Problem("block_size", "3", SETTING["block_size"].allowed())
    try:
        languages.use("zh_CN")
        qapp.processEvents()
        assert pane.run.text() == "运行"
        assert domain_text("Partial sums") == "部分和"
        assert "2 的幂" in allowed_instead(problem)
    finally:
        languages.use("en")
    qapp.processEvents()
    assert pane.run.text() == "Run"
    assert allowed_instead(problem) == "Take a power of two from 1 to 65536, or automatic"

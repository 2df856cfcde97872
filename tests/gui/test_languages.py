"""The window in other languages: the catalogues hold every text, and what is open follows."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import PySide6
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.parameters import GROUPS
from lnexplorer.gui.kit.languages import Languages, allowed_instead, translate_message
from lnexplorer.gui.panes.parameters.pane import ParametersPane
from lnexplorer.gui.session.files import recording_title
from lnexplorer.gui.window.workspaces import PARTS
from lnexplorer.store.archive import RECORDING, heads_in
from lnexplorer.store.resources import resource
from lnkernels.launch import SETTING, STRATEGIES, Problem
from resources.translations.update import LANGUAGES, compile_catalogue, gather, missing
from tests.gui.fakes import Marking

# PySide6 brings both; a machine's own packages of it may leave them out.
LACKING = [
    tool for tool in ("lupdate", "lrelease") if not Path(PySide6.__file__).with_name(tool).exists()
]
with_tools = pytest.mark.skipif(
    bool(LACKING), reason=f"this PySide6 comes without {' and '.join(LACKING)}"
)
NAMES = ("GROUP_SIZE_M", "NVIDIA", "H200", *STRATEGIES)  # of settings and things, in every language


@pytest.fixture
def languages(qapp: QApplication) -> Iterator[Languages]:
    made = Languages(qapp, resource("translations"))
    yield made
    made.use("en")


@with_tools
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_that_is_written_is_gathered_and_has_a_translation(
    language: str, tmp_path: Path
) -> None:
    kept = resource(f"translations/lnexplorer_{language}.ts")
    copy = tmp_path / kept.name
    copy.write_bytes(kept.read_bytes())
    gather(copy, language)
    assert list(missing(copy)) == []
    gathered = {message.findtext("source") for message in ElementTree.parse(copy).iter("message")}
    calls = [
        node
        for path in resource("translations").parents[1].glob("lnexplorer/gui/**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "tr"
    ]
    written = {
        ast.literal_eval(call.args[0]) for call in calls if isinstance(call.args[0], ast.Constant)
    }
    assert written
    assert written - gathered == set()


@with_tools
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_loaded_catalogue_is_compiled_from_the_source(language: str, tmp_path: Path) -> None:
    source = resource(f"translations/lnexplorer_{language}.ts")
    compiled = tmp_path / "compiled.qm"
    compile_catalogue(source, compiled)
    assert compiled.read_bytes() == source.with_suffix(".qm").read_bytes()


def test_the_window_changes_its_language_and_back(
    qapp: QApplication, languages: Languages, qtbot: QtBot
) -> None:
    pane = ParametersPane()
    qtbot.addWidget(pane)
    problem = Problem("block_size", "3", SETTING["block_size"].allowed())
    languages.use("zh_CN")
    qapp.processEvents()
    assert pane.run.text() == "运行"
    assert translate_message(GROUPS["reduction"]) == "部分和"
    assert "2 的幂" in allowed_instead(problem)
    assert translate_message(replace(problem, value="nothing").sentence).startswith(
        "block_size = 空 不可行"
    )
    languages.use("en")
    qapp.processEvents()
    assert pane.run.text() == "Run"
    assert allowed_instead(problem) == "Take a power of two from 1 to 65536, or automatic"


def test_the_programs_own_titles_of_recordings_are_translated_and_others_stay(
    languages: Languages,
) -> None:
    titles = [head.title for _, head in heads_in(resource("recordings"), RECORDING)]
    languages.use("zh_CN")
    for title in map(translate_message, map(recording_title, titles)):
        words = [
            word for word in title.replace(",", " ").split() if word.isalpha() and word not in NAMES
        ]
        assert not [word for word in words if word.isascii()], title
        assert ":" not in title, "a Chinese colon"
    assert str(recording_title("my own run")) == "my own run"


@pytest.fixture(params=[name for name in PARTS if name != "parameters"])
def pane(request: pytest.FixtureRequest, qtbot: QtBot) -> QWidget:
    made = PARTS[request.param].make()
    qtbot.addWidget(made)
    return made


def test_a_pane_changes_its_language_while_it_is_open(pane: QWidget) -> None:
    before = {button: button.toolTip() for button in pane.findChildren(QAbstractButton)}
    translator = Marking()
    QCoreApplication.installTranslator(translator)
    try:
        QCoreApplication.sendEvent(pane, QEvent(QEvent.Type.LanguageChange))
        assert any(tip and button.toolTip() == f"[{tip}]" for button, tip in before.items())
    finally:
        QCoreApplication.removeTranslator(translator)


def test_every_button_has_a_name_and_a_tooltip(pane: QWidget) -> None:
    for button in pane.findChildren(QAbstractButton):
        if button.text():
            assert button.accessibleName() or button.text()
            assert button.toolTip(), button.text()

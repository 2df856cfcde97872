"""The window in other languages: the catalogues hold every text, and what is open follows."""

import ast
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import PySide6
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.doubts import restless_sentence, state_lines
from lnexplorer.domain.experiments.experiment import NO_TIMES
from lnexplorer.domain.parameters import GROUPS
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.domain.sweep.best import best
from lnexplorer.domain.sweep.findings import best_sentence, findings
from lnexplorer.domain.sweep.views import View
from lnexplorer.domain.wording import setting_words
from lnexplorer.gui.charts.speed_runs import Run, sources_of
from lnexplorer.gui.kit.languages import Languages, allowed_instead, translate_message
from lnexplorer.gui.panes.history.gallery import read_exhibits
from lnexplorer.gui.panes.parameters.pane import ParametersPane
from lnexplorer.gui.panes.sweep.views import cell_text, overlay_text
from lnexplorer.gui.session.files import OWN_TITLES, recording_title
from lnexplorer.gui.session.messages import notice_text
from lnexplorer.gui.window.workspaces import PARTS
from lnexplorer.protocol.messages import WorkerLost
from lnexplorer.report.overlays import read_overlays
from lnexplorer.store.archive import RECORDING, heads_in
from lnexplorer.store.resources import resource
from lnkernels.launch import SETTING, STRATEGIES, Problem
from lnkernels.launch.settings import problems_sentence
from lnkernels.values.environment import DeviceState
from lnkernels.values.sentence import join_sentences, say, verbatim
from resources.translations.update import LANGUAGES, compile_catalogue, gather, missing
from tests.gui.fakes import Marking
from tests.gui.sample_sweeps import GROUPS as GROUPS_SWEEP
from tests.gui.sample_sweeps import invented_rows
from tests.gui.test_history import ROW
from tests.gui.windows import off_screen
from tests.sample_results import make_result

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
    made = Languages()
    yield made
    made.use("en")


def test_several_values_stand_between_the_commas_of_the_language(languages: Languages) -> None:
    told = say("take one of {choices}", choices=(3, "5", say("on")))
    assert translate_message(told) == "take one of 3, 5, on"
    languages.use("zh_CN")
    assert "3、5、" in translate_message(told)
    assert "。C" in translate_message(join_sentences([NO_TIMES, "C"], " "))
    told = restless_sentence("forward", "kernel_cold", ["locked", "liger"])
    assert "locked、liger" in translate_message(told)
    assert "dw、mine" in translate_message(
        replace(ROW, passed=False, failed=("dw", "mine")).verdict
    )
    assert translate_message(join_sentences((say("on"), "3"), ": ")) == "开：3"
    (chosen,) = setting_words({"barrier": False})
    assert translate_message(chosen) == "屏障 = 关"


def test_no_list_of_a_chinese_sentence_has_english_commas(languages: Languages) -> None:
    rows = invented_rows(GROUPS_SWEEP)
    bests = best(rows, ("backward",), "kernel_cold")
    found = [each.sentence for each in findings(GROUPS_SWEEP, rows)]
    found += [best_sentence(GROUPS_SWEEP, each, say("backward")) for each in bests]
    overlays = read_overlays(resource("recordings"))
    exhibits = read_exhibits(resource("recordings"))
    gallery = [each for each in exhibits if str(each.title) not in map(str, OWN_TITLES.values())]
    assert len(gallery) > 20
    shown = [*map(overlay_text, overlays), *(each.title for each in gallery)]
    shown += [each.source for each in gallery]
    held = DeviceState(sm_clock_mhz=1785, throttle_reasons=("heat", "power cap"))
    shown += [value for _, value in state_lines(held, held)]
    languages.use("zh_CN")
    texts = [*map(translate_message, [*found, *shown]), *sources_of([Run.of(make_result())])]
    assert len(texts) > 20
    assert [text for text in texts if re.search("[,;:] ", text)] == []


def sentences(value: Any) -> Iterator[str]:
    """Yield the templates in a value of a file."""
    if isinstance(value, dict):
        if "template" in value:
            yield value["template"]
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from sentences(each)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_a_recording_has_a_translation(language: str) -> None:
    catalogue = ElementTree.parse(resource(f"translations/lnexplorer_{language}.ts"))
    known = {message.findtext("source") for message in catalogue.iter("message")}
    texts = set[str]()
    for path in resource("recordings").glob("*.ln*"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".msgpack"):
                    texts |= {*sentences(msgspec.msgpack.decode(archive.read(name)))}
    assert len(texts) > 20
    assert {text for text in texts if re.sub("{[^}]*}", "", text)} - known == set()


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
    written = {
        ast.literal_eval(node.args[0])
        for path in resource("translations").parents[1].glob("lnexplorer/gui/**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") == "tr"
        and isinstance(node.args[0], ast.Constant)
    }
    assert written
    assert written - gathered == set()
    compiled = tmp_path / "compiled.qm"
    compile_catalogue(kept, compiled)
    loaded = kept.with_suffix(".qm").read_bytes()
    assert compiled.read_bytes() == loaded, "the loaded catalogue is compiled from the source"


def test_the_window_changes_its_language_and_back(
    qapp: QApplication, languages: Languages, qtbot: QtBot
) -> None:
    pane = off_screen(qtbot, ParametersPane(), 300, 700)
    problem = Problem("block_size", "3", SETTING["block_size"].allowed())
    languages.use("zh_CN")
    qapp.processEvents()
    assert pane.run.text() == "运行"
    assert translate_message(GROUPS["reduction"]) == "部分和"
    assert "2 的幂" in allowed_instead(problem)
    nothing = replace(problem, value="nothing").sentence
    assert translate_message(nothing).startswith("block_size = 空 不可行")
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
        words = title.replace(",", " ").split()
        english = [word for word in words if word.isalpha() and word.isascii()]
        assert set(english) <= set(NAMES), title
        assert ":" not in title, "a Chinese colon"
    assert translate_message(recording_title("4×8, my own run")) == "4×8、my own run"
    assert str(recording_title("my own, run")) == "my own, run"


@pytest.fixture
def marking(qapp: QApplication) -> Iterator[None]:
    """Every text stands in brackets."""
    translator = Marking()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


@pytest.mark.usefixtures("marking")
def test_a_sentence_inside_a_sentence_is_translated_and_what_is_quoted_is_not() -> None:
    when = say("while running")
    ended = say("The worker ended {when}: {error}", when=when, error="KeyError: 'x'")
    lost = WorkerLost(ended, "", restarting=False)
    assert notice_text(lost) == "[The worker ended [while running]: KeyError: 'x']"
    quoted = verbatim("RuntimeError: {0} of it")
    assert translate_message(quoted) == "[RuntimeError: {0} of it]", "only its frame"


@pytest.mark.usefixtures("marking")
def test_a_cell_of_a_sweep_says_why_it_has_no_value() -> None:
    row = next(row for row in invented_rows(GROUPS_SWEEP) if row.status == "ok")
    reason = problems_sentence(check(RunRequest.of(num_warps=3), "cuda"))
    failed = replace(row, status="invalid", figures=(), reason=reason)
    text = translate_message(cell_text(GROUPS_SWEEP, failed, View()))
    assert "[num_warps = 3 is not possible" in text


@pytest.fixture(params=[name for name in PARTS if name != "parameters"])
def pane(request: pytest.FixtureRequest, qtbot: QtBot) -> QWidget:
    return off_screen(qtbot, PARTS[request.param].make(), 800, 600)


def test_a_pane_changes_its_language_while_it_is_open(
    pane: QWidget, request: pytest.FixtureRequest
) -> None:
    before = {button: button.toolTip() for button in pane.findChildren(QAbstractButton)}
    request.getfixturevalue("marking")
    QCoreApplication.sendEvent(pane, QEvent(QEvent.Type.LanguageChange))
    assert any(tip and button.toolTip() == f"[{tip}]" for button, tip in before.items())


def test_every_button_has_a_name_and_a_tooltip(pane: QWidget) -> None:
    for button in pane.findChildren(QAbstractButton):
        if button.text():
            assert button.toolTip(), button.text()

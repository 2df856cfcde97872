"""Why somebody gets no time, and a setting no figure, in the language of the window."""

from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.peers import with_hint
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.domain.sweep.request import PRESETS
from lnexplorer.gui.charts.sweep_table import View
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.i18n import reason_sentences
from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.i18n.reason_sentences import reasons_in
from lnexplorer.gui.i18n.sentences import is_known, told
from lnexplorer.gui.sweep.words import SweepWords
from lnexplorer.gui.throughput.pane import ThroughputPane
from lnexplorer.store.resources import resource
from lnexplorer.worker.throughput import why_missing
from lnkernels.providers.discovery import GROUP, OWN, discover
from lnkernels.providers.lookup import missing
from lnkernels.providers.verify import _describe
from lnkernels.values.accuracy import TENSORS, TensorErrors
from lnkernels.values.environment import Offered
from lnkernels.values.figures import DIRECTIONS, MODES, Refusal, Throughput
from tests.gui.sample_sweeps import invented_rows
from tests.sample_results import make_correctness, make_device, make_result

GROUPS = next(preset.sweep for preset in PRESETS if [axis.name for axis in preset.sweep.axes] == ["group_size_m"])
TWO_PROBLEMS = RunRequest.of(m=4096, n=65536, num_warps=3, block_size=100)


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    languages = Languages(qapp, resource("translations"))
    languages.use("zh_CN")
    yield
    languages.use("en")


def problems() -> Iterator[str]:
    requests = (
        TWO_PROBLEMS,
        RunRequest.of(n=65536, strategy="atomic"),
        RunRequest.of(strategy="split", rows=2),
        RunRequest(m=0, dtype="float8"),
        RunRequest.of(reduce_block_size_m=4096, reduce_block_size_n=4096),
        RunRequest.of(n=1024, strategy="persistent", forward_held=True),
        RunRequest.of(n=131072, strategy="split", forward_held=True),
        RunRequest.of(n=4096, strategy="persistent", block_size_n=1024, rows=1, sums_per_row=True),
        RunRequest.of(n=4096, strategy="atomic", block_size=1024, forward_grid_per_sm=2),
        RunRequest.of(n=1024, strategy="persistent", forward_num_stages=3, forward_grid_per_sm=0),
        RunRequest.of(n=1024, strategy="split", slices=100, block_size_n=16),
    )
    for request in requests:
        found = "; ".join(map(str, check(request, "cuda")))
        assert found
        yield found


def verdicts() -> Iterator[str]:
    one = TensorErrors(name="dw", max_abs=1.0, torch_max_abs=0.1, tolerance=0.2, passed=False, worst_ratio=5.0, failed=1)
    yield _describe(one)
    yield f"through autograd, {_describe(replace(one, failed=12))}; {_describe(replace(one, name='db', failed=3))}"
    yield "y has shape [3] in place of [4]"


def absences() -> Iterator[str]:
    taken = [EntryPoint("copy", "mine:Copy", GROUP), EntryPoint("torch", "mine:Torch", GROUP), EntryPoint("own", "gone:X", GROUP)]
    found = discover(taken)
    yield from (why_missing(one.name, found) for one in found.broken)
    yield why_missing("nobody", found)
    sentences = [missing("gone_package"), missing("json.gone"), missing("json", "gone"), found.providers["apex"].unavailable()]
    yield from (with_hint("apex", sentence) for sentence in sentences if sentence is not None)


def failures() -> Iterator[str]:
    room = (
        "OutOfResources: out of resource: shared memory, Required: 262144, Hardware limit: 232448. "
        "Reducing block sizes or `num_stages` may help."
    )
    yield room
    yield f"forward, kernel_cold: {room}; backward, autograd: OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB."
    yield "Its results are not within tolerance, so it gets no time."


@pytest.mark.parametrize("kind", [problems, verdicts, absences, failures])
def test_every_reason_is_known_to_the_catalogue(kind: object) -> None:
    found = [part for sentence in kind() for part in reasons_in(sentence)]  # type: ignore[operator]
    assert found
    assert [part for part in found if not is_known(part)] == []
    assert [sentence for sentence in kind() if told(sentence) != sentence] == [], "in English they are what they were"  # type: ignore[operator]


def test_reasons_beside_each_other_are_taken_apart_and_a_semicolon_inside_one_is_not() -> None:
    assert len(reasons_in("; ".join(map(str, check(TWO_PROBLEMS, "cuda"))))) == len(check(TWO_PROBLEMS, "cuda")) > 1
    wide = "; ".join(map(str, check(RunRequest.of(n=65536, strategy="atomic"), "cuda")))
    assert "; take split" in wide
    assert reasons_in(wide) == [wide]


def test_what_reasons_begin_with_is_what_the_domain_has() -> None:
    assert (reason_sentences.TENSORS, reason_sentences.DIRECTIONS, reason_sentences.MODES) == (TENSORS, DIRECTIONS, MODES)
    assert set(OWN) > {"apex", "liger"}


@pytest.mark.usefixtures("chinese")
def test_the_throughput_pane_gives_reasons_in_chinese(qtbot: QtBot) -> None:
    pane = ThroughputPane()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    reason = "package liger_kernel is not installed: pip install liger-kernel"
    pane.set_device(replace(make_device(), offered=(Offered(name="liger", label="Liger", missing=reason),)))
    refusal = Refusal(provider="liger", reason=reason)
    result = make_result(correctness=make_correctness(32, 64))
    assert result.throughput is not None
    figures = result.throughput.figures
    pane.show_result(replace(result, throughput=Throughput(figures=figures, refusals=(refusal,))))
    for text in (pane.remarks.text(), pane.peers.reasons["liger"].text()):
        assert "没有安装软件包 liger_kernel" in text
        assert "pip install liger-kernel" in text
        assert "installed" not in text


@pytest.mark.usefixtures("chinese")
def test_a_cell_of_a_sweep_says_in_chinese_why_it_has_no_value() -> None:
    row = next(row for row in invented_rows(GROUPS) if row.status == "ok")
    reason = "; ".join(map(str, check(RunRequest.of(num_warps=3), "cuda")))
    text = SweepWords().cell(GROUPS, replace(row, status="invalid", figures=(), reason=reason), View())
    assert "not possible" not in text
    assert "num_warps = 3" in text

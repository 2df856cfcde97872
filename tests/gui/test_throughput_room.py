"""The Throughput pane in windows with little room: nothing is cut."""

from dataclasses import replace

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import DARK, TEXT_SIZE
from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.throughput.pane import ThroughputPane
from lnexplorer.store.resources import resource
from tests.sample_results import make_correctness, make_result


@pytest.fixture
def pane(qtbot: QtBot) -> ThroughputPane:
    pane = ThroughputPane()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    pane.show()
    for n in (4096, 8192):
        pane.show_result(make_result(n=n, correctness=make_correctness(8, 16)))
    return pane


def test_a_narrow_panes_bar_ends_beside_the_legend(pane: ThroughputPane, qtbot: QtBot) -> None:
    pane.resize(520, 400)
    qtbot.waitUntil(lambda: pane.width() == 520)
    assert pane.minimumSizeHint().width() <= 520
    assert pane.peers.isVisible()
    assert pane.badge.isVisible()
    assert pane.peers.y() > pane.mode.y() + pane.mode.height() // 2
    pane.resize(1000, 400)
    qtbot.waitUntil(lambda: abs(pane.peers.geometry().center().y() - pane.mode.geometry().center().y()) <= 2)


def test_nothing_of_the_bar_is_lost_as_it_goes_from_row_to_row(pane: ThroughputPane) -> None:
    for width in (520, 1000, 520):  # faster than Qt shows again what has another parent
        pane.resize(width, 400)
        pane.refresh()
        assert not pane.peers.isHidden()
        assert (pane.peers.parentWidget() is pane.mode.parentWidget()) == (width == 1000)


@pytest.mark.parametrize("width", [346, 400, 509, 600, 810, 920, 1400])
def test_title_and_speed_of_a_card_are_whole_at_every_width(pane: ThroughputPane, qtbot: QtBot, width: int) -> None:
    pane.resize(width, 600)
    qtbot.waitUntil(lambda: pane.width() == width)
    for card in pane.cards.values():
        for part in (card.title, card.values["speed"]):
            qtbot.waitUntil(lambda part=part: part.width() >= part.sizeHint().width())
        assert "GB/s" in card.values["speed"].text() or card.brief.text().startswith("GB/s · ")
        assert "counted" in (card.counted.text() if width > 800 else card.brief.text())


def test_a_pane_without_room_for_it_leaves_out_the_choice_of_samples(pane: ThroughputPane, qtbot: QtBot) -> None:
    for width, shown in ((340, False), (1400, True)):
        pane.resize(width, 600)
        qtbot.waitUntil(lambda width=width: pane.width() == width)
        assert pane.samples.isVisible() is shown


def test_the_bar_is_whole_as_its_words_change(pane: ThroughputPane, qtbot: QtBot) -> None:
    pane.resize(540, 400)
    pane.mode.set_text("autograd", "a name that is longer", "")
    qtbot.waitUntil(lambda: pane.mode.width() >= pane.mode.sizeHint().width())


def test_a_wide_card_names_the_strategy(pane: ThroughputPane, qtbot: QtBot) -> None:
    title = pane.cards["backward"].title
    pane.resize(1400, 600)
    qtbot.waitUntil(lambda: title.entries[0].text == "Backward · locked")
    pane.resize(810, 600)
    qtbot.waitUntil(lambda: title.entries[0].text == "Backward")


def test_the_axis_of_the_smallest_speeds_has_numbers(pane: ThroughputPane) -> None:
    pane.clear()
    result = make_result(m=8, n=8, correctness=make_correctness(8, 8))
    assert result.throughput is not None
    slow = tuple(replace(figure, gbps=1e-5 * figure.gbps) for figure in result.throughput.figures)
    pane.show_result(replace(result, throughput=replace(result.throughput, figures=slow)))
    pane.resize(1000, 600)
    axis = pane.chart.getPlotItem().getAxis("left")
    low, high = axis.range
    levels = axis.tickValues(low, high, 300)
    assert 0 < high < 0.1
    assert len(levels[0][1]) >= 3
    texts = axis.tickStrings(levels[0][1], 1.0, levels[0][0])
    assert len(set(texts)) == len(texts)
    assert all(abs(float(text) - value) < 1e-9 for text, value in zip(texts, levels[0][1], strict=True))


def test_larger_text_makes_the_cards_small_sooner(pane: ThroughputPane, qtbot: QtBot) -> None:
    pane.resize(900, 600)
    card = pane.cards["forward"]
    qtbot.waitUntil(card.captions["share"].isVisible)
    before = QApplication.font()
    larger = QFont(before)
    larger.setPointSizeF(1.3 * TEXT_SIZE)
    try:
        QApplication.setFont(larger)
        pane.apply_theme(DARK)
        assert card.brief.isVisible()
    finally:
        QApplication.setFont(before)


def test_a_small_card_puts_names_and_figures_in_the_order_of_the_language(
    pane: ThroughputPane, qapp: QApplication, qtbot: QtBot
) -> None:
    pane.resize(509, 330)
    card = pane.cards["forward"]
    qtbot.waitUntil(card.brief.isVisible)
    share, caption = card.values["share"].text(), card.captions["share"].text()
    assert card.brief.text().startswith(f"{share} {caption}")
    languages = Languages(qapp, resource("translations"))
    languages.use("zh_CN")
    try:
        qtbot.waitUntil(lambda: card.captions["share"].text() != caption)
        assert card.brief.text().startswith(f"{card.captions['share'].text()} {share}")
    finally:
        languages.use("en")

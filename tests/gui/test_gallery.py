"""The gallery: its cards, how they are found, and where they are opened."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.sweep_chart import OverlayLine
from lnexplorer.gui.kit.theme import DARK, LIGHT, Theme
from lnexplorer.gui.panes.history.controller import GalleryController
from lnexplorer.gui.panes.history.gallery import (
    HEADINGS,
    SIZE,
    Exhibit,
    GalleryView,
    lanes_of,
    picture,
    read_exhibits,
)
from lnexplorer.gui.panes.history.pane import HistoryPane
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence, say, verbatim
from tests.gui.fakes import FakeServices
from tests.gui.windows import click, heard, on_screen, press
from tests.store.examples import small_timeline

RECORDINGS = resource("recordings")
BENCHMARK, ORDER, TRACE = (
    "h200_bench_4096_float16.json",
    "h200_order.lnexperiment",
    "h200_4096x1024_g16.lnrec",
)


def trace(name: str, group_size_m: int) -> Exhibit:
    return Exhibit(
        path=Path(name),
        group="traces",
        place=(group_size_m,),
        title=verbatim(f"Trace {name}"),
        source="NVIDIA H200 · 2026-01-02",
        kind=Kind.RECORDED,
        duration_ns=1000,
    )


@pytest.fixture
def gallery(qtbot: QtBot) -> GalleryView:
    return on_screen(qtbot, GalleryView(), 1080, 700)


def test_cards_stand_in_their_order_below_headings_and_are_found_by_words(
    gallery: GalleryView,
) -> None:
    def titles() -> list[str]:
        return [card.text(0) for card in gallery.items()]

    order = replace(trace("d", 1), group="experiments", title=say("The order of additions"))
    a100 = replace(trace("c", 4), source="NVIDIA A100")
    gallery.set_exhibits([trace("b", 8), trace("a", 2), order, a100])
    assert titles() == ["Trace a", "Trace c", "Trace b", "The order of additions"]
    first, *_ = gallery.items()
    assert first.text(2) == "NVIDIA H200 · 2026-01-02"
    assert first.text(3) == "recorded"
    headings = [gallery.topLevelItem(place).text(0) for place in range(gallery.topLevelItemCount())]
    assert headings == ["Locks, recorded: by GROUP_SIZE_M", "Experiments"]
    gallery.set_filter("trace a100")
    assert titles() == ["Trace c"]
    assert gallery.total == 4
    gallery.set_filter("nowhere")
    assert titles() == []


def test_one_click_or_enter_opens_a_card(gallery: GalleryView) -> None:
    card = trace("a", 2)
    opened = heard(gallery.opened)
    gallery.set_exhibits([card])
    click(gallery.viewport(), gallery.visualItemRect(gallery.items()[0]).center())
    press(gallery, "Return")
    assert opened == [card, card]


def test_every_kind_of_figures_has_a_picture_of_its_own(qapp: QApplication) -> None:
    line = OverlayLine("", "#3af", np.arange(3.0), np.array([1.0, 3.0, 2.0]))
    shown = [
        {"lanes": lanes_of(small_timeline())},
        {"curves": (line,)},
        {"grid": np.array([[0.0, 0.5], [np.nan, 1.0]])},
        {},
    ]
    made = set()
    for theme in (DARK, LIGHT):
        Theme.current = theme
        for values in shown:
            drawn = picture(SIZE, 1.0, replace(trace("a", 2), **values))
            made.add(bytes(drawn.toImage().constBits()))
    assert len(made) == 2 * len(shown)


def test_each_card_opens_in_its_pane_and_a_damaged_file_has_none(
    qtbot: QtBot, tmp_path: Path
) -> None:
    for name in (BENCHMARK, ORDER, TRACE):
        shutil.copy(RECORDINGS / name, tmp_path)
    (tmp_path / "spoilt.lnrec").write_bytes(b"PK")
    services = FakeServices()
    pane = on_screen(qtbot, HistoryPane(), 1080, 700)
    qtbot.addWidget(services.window)
    opened: set[tuple[str, str]] = set()

    def note(part: str, path: Path) -> None:
        opened.add((part, path.name))

    for part in ("sweep", "experiments"):
        services.parts[part] = SimpleNamespace(open=partial(note, part))
    services.files.open_recording = partial(note, "run")  # type: ignore[attr-defined]
    controller = GalleryController(pane, services)  # type: ignore[arg-type]
    controller.folder = tmp_path
    controller.open_gallery()
    assert pane.bar.count.text() == "3"
    assert services.session.state.notice is None, "a damaged file disturbs nothing else"
    for card in pane.gallery.items():
        pane.gallery.itemActivated.emit(card, 0)
    assert opened == {("experiments", ORDER), ("run", TRACE), ("sweep", BENCHMARK)}
    assert services.window.brought == ["history", "reduction"]


def test_every_file_that_comes_with_the_program_has_a_card() -> None:
    exhibits = {each.path.name: each for each in read_exhibits(RECORDINGS)}
    assert {path.name for path in RECORDINGS.iterdir()} == set(exhibits)
    for each in exhibits.values():
        assert each.group in HEADINGS
        drawn = each.curves or each.lanes is not None or each.grid is not None
        assert drawn or each.group == "experiments"
        h200 = str(each.source).startswith("NVIDIA H200 · 20")
        assert each.kind is Kind.PUBLISHED or (each.kind is Kind.RECORDED and h200)
    numbers = exhibits["h200_8x8_g2_float16_buffers.lnrec"]
    assert numbers.group == "numbers"
    assert str(numbers.title) == "8×8, GROUP_SIZE_M 2, float16 buffers: each store rounds"
    title = exhibits["h200_sweep_widths.lnsweep"].title
    assert str(title) == "Sweep: Widths from 992 to 1024, M = 4096, float16, NVIDIA H200"
    assert all(isinstance(value, Sentence) for _, value in title.values), "can be translated"

"""The gallery: its cards, how they are found, and where they are opened."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
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
from lnexplorer.report.overlays import PUBLISHED, read_overlays
from lnexplorer.store.recordings import (
    recorded_sweep,
    write_recorded_sweep,
)
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence, say, verbatim
from tests.gui.fakes import FakeServices
from tests.gui.sample_sweeps import invented_rows
from tests.gui.windows import on_screen
from tests.store.examples import small_timeline

CURVE = SweepRequest(
    base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 2048, 4096)),), providers=("torch",)
)
SIZES = SweepRequest(
    base=RunRequest(m=4096, n=8192),
    axes=(Axis(name="group_size_m", values=(1, 2, 8, 64)),),
    providers=("torch",),
)
MAP = SweepRequest(
    base=RunRequest(m=4096, n=8192),
    axes=(
        Axis(name="block_size", values=(1024, 2048, 4096)),
        Axis(name="num_warps", values=(8, 32)),
    ),
)
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
        duration_ns=small_timeline(group_size_m=group_size_m).end_ns,
    )


@pytest.fixture
def gallery(qtbot: QtBot) -> GalleryView:
    return on_screen(qtbot, GalleryView(), 1080, 700)


def titles(gallery: GalleryView) -> list[str]:
    return [card.text(0) for card in gallery.items()]


def read(folder: Path) -> Exhibit:
    """Read the only file of a folder."""
    (exhibit,) = read_exhibits(folder)
    return exhibit


def test_cards_stand_in_their_order_below_headings_and_are_found_by_words(
    gallery: GalleryView,
) -> None:
    order = replace(trace("d", 1), group="experiments", title=say("The order of additions"))
    gallery.set_exhibits(
        [trace("b", 8), trace("a", 2), order, replace(trace("c", 4), source="NVIDIA A100")]
    )
    assert titles(gallery) == ["Trace a", "Trace c", "Trace b", "The order of additions"]
    first = gallery.items()[0]
    assert (first.text(2), first.text(3)) == ("NVIDIA H200 · 2026-01-02", "recorded")
    headings = [gallery.topLevelItem(place) for place in range(gallery.topLevelItemCount())]
    assert [each.text(0) for each in headings] == [
        "Locks, recorded: by GROUP_SIZE_M",
        "Experiments",
    ]
    assert not gallery.grab().isNull()
    gallery.set_filter("trace a100")
    assert titles(gallery) == ["Trace c"]
    assert (len(gallery.items()), gallery.total) == (1, 4)
    gallery.set_filter("nowhere")
    assert titles(gallery) == []


def test_one_click_or_enter_opens_a_card(gallery: GalleryView, qtbot: QtBot) -> None:
    gallery.set_exhibits([trace("a", 2)])
    place = gallery.visualItemRect(gallery.items()[0]).center()
    with qtbot.waitSignal(gallery.opened) as signal:
        qtbot.mouseClick(gallery.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert str(signal.args[0].title) == "Trace a"
    with qtbot.waitSignal(gallery.opened):
        qtbot.keyClick(gallery, Qt.Key.Key_Return)


def test_every_kind_of_figures_has_a_picture_of_its_own(qapp: QApplication) -> None:
    line = OverlayLine("", "#3af", np.arange(3.0), np.array([1.0, 3.0, 2.0]))
    shown = [
        {"lanes": lanes_of(small_timeline())},
        {"curves": (line,)},
        {"grid": np.array([[0.0, 0.5], [np.nan, 1.0]])},
        {},
    ]
    made = []
    for theme in (DARK, LIGHT):
        Theme.current = theme
        made += [picture(SIZE, 1.0, replace(trace("a", 2), **values)) for values in shown]
    assert len({bytes(each.toImage().constBits()) for each in made}) == len(made)


def test_a_recorded_sweep_over_n_can_be_laid_beside_another_one_device_by_device(
    tmp_path: Path,
) -> None:
    path = tmp_path / "curve.lnsweep"
    ours, theirs = invented_rows(CURVE), invented_rows(CURVE, gpu="NVIDIA A100")
    write_recorded_sweep(path, recorded_sweep(CURVE, [*ours[:3], *theirs[3:]], title="Mine"))
    shutil.copy(RECORDINGS / PUBLISHED, tmp_path)
    overlays = [overlay for overlay in read_overlays(tmp_path) if overlay.kind is Kind.RECORDED]
    assert [(each.direction, str(each.title).split(",")[0]) for each in overlays] == [
        (direction, gpu)
        for direction in ("forward", "backward")
        for gpu in ("NVIDIA H200", "NVIDIA A100")
    ]
    assert {each.problem for each in overlays} == {"M = 4096, float16"}
    path.write_bytes(b"PK")
    assert all(overlay.kind is Kind.PUBLISHED for overlay in read_overlays(tmp_path))


def test_each_card_opens_in_its_pane_and_a_damaged_file_has_none(
    qtbot: QtBot, tmp_path: Path
) -> None:
    for name in (BENCHMARK, ORDER, TRACE):
        shutil.copy(RECORDINGS / name, tmp_path)
    write_recorded_sweep(tmp_path / "map.lnsweep", recorded_sweep(MAP, invented_rows(MAP)))
    (tmp_path / "spoilt.lnrec").write_bytes(b"PK")
    services, pane = FakeServices(), on_screen(qtbot, HistoryPane(), 1080, 700)
    qtbot.addWidget(services.window)
    opened: list[tuple[str, str]] = []
    for part in ("sweep", "experiments"):
        note = partial(lambda part, path: opened.append((part, path.name)), part)
        services.parts[part] = SimpleNamespace(open=note)
    services.files.open_recording = lambda path: opened.append(("run", path.name))  # type: ignore[attr-defined]
    controller = GalleryController(pane, services)  # type: ignore[arg-type]
    controller.folder = tmp_path
    controller.open_gallery()
    assert pane.bar.count.text() == "4"
    assert services.session.state.notice is None, "a damaged file disturbs nothing else"
    for card in pane.gallery.items():
        pane.gallery.itemActivated.emit(card, 0)
    assert sorted(opened) == [
        ("experiments", ORDER),
        ("run", TRACE),
        ("sweep", BENCHMARK),
        ("sweep", "map.lnsweep"),
    ]
    assert services.window.brought == ["history", "reduction"]


def test_every_file_that_comes_with_the_program_has_a_card() -> None:
    exhibits = {each.path.name: each for each in read_exhibits(RECORDINGS)}
    assert {path.name for path in RECORDINGS.iterdir()} == set(exhibits)
    for each in exhibits.values():
        assert each.kind in (Kind.RECORDED, Kind.PUBLISHED)
        assert each.group in HEADINGS
        assert (
            each.lanes is not None
            or each.curves
            or each.grid is not None
            or each.group == "experiments"
        )
        if each.kind is Kind.RECORDED:
            assert str(each.source).startswith("NVIDIA H200 · 20")
    numbers = exhibits["h200_8x8_g2_float16_buffers.lnrec"]
    assert numbers.group == "numbers"
    assert str(numbers.title) == "8×8, GROUP_SIZE_M 2, float16 buffers: each store rounds"
    title = exhibits["h200_sweep_widths.lnsweep"].title
    assert str(title) == "Sweep: Widths from 992 to 1024, M = 4096, float16, NVIDIA H200"
    assert all(isinstance(value, Sentence) for _, value in title.values), "can be translated"


def test_a_peer_is_level_along_launch_settings_and_errors_stand_for_speeds_that_are_not_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.lnsweep"
    write_recorded_sweep(path, recorded_sweep(SIZES, invented_rows(SIZES)))
    locked, torch = read(tmp_path).curves
    assert np.isnan(locked.y).sum() == 1, "one setting of locked is wrong"
    assert len(set(torch.y)) == 1
    write_recorded_sweep(path, recorded_sweep(SIZES, invented_rows(SIZES, gpu=None)))
    exhibit = read(tmp_path)
    assert exhibit.kind is Kind.INTERPRETED
    assert "NVIDIA" not in str(exhibit.source)
    expected = [2e-3 / size**0.5 for size in (1, 8, 64)]
    assert exhibit.curves[0].y[[0, 2, 3]] == pytest.approx(expected)

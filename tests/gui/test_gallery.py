"""The gallery: its cards, how they are found, and where they are opened."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest
from lnexplorer.gui.charts.sweep_chart import OverlayLine
from lnexplorer.gui.kit.theme import DARK, LIGHT
from lnexplorer.gui.panes.history.gallery import (
    EXHIBIT,
    HEADINGS,
    SIZE,
    Exhibit,
    GalleryView,
    lanes_of,
    picture,
    read_exhibits,
)
from lnexplorer.report.benchmark_file import benchmark_document, file_text
from lnexplorer.report.overlays import PUBLISHED, read_overlays
from lnexplorer.store.recordings import (
    recorded_sweep,
    write_recorded_sweep,
)
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import Sentence, say, verbatim
from tests.gui.sample_sweeps import invented_rows
from tests.gui.windows import Open, Until, on_screen
from tests.sample_benchmark import benchmark
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
    made = [
        picture(theme, SIZE, 1.0, replace(trace("a", 2), **values))
        for theme in (DARK, LIGHT)
        for values in shown
    ]
    assert len({bytes(each.toImage().constBits()) for each in made}) == len(made)


def test_a_recorded_sweep_over_n_can_be_laid_beside_another_one_device_by_device(
    tmp_path: Path,
) -> None:
    path = tmp_path / "curve.lnsweep"
    ours, theirs = (
        invented_rows(TUTORIAL.sweep),
        invented_rows(TUTORIAL.sweep, gpu="NVIDIA A100"),
    )
    write_recorded_sweep(
        path, recorded_sweep(TUTORIAL.sweep, [*ours[:30], *theirs[30:]], title="Mine")
    )
    shutil.copy(RECORDINGS / PUBLISHED, tmp_path)
    overlays = [overlay for overlay in read_overlays(tmp_path) if overlay.kind is Kind.RECORDED]
    assert [(each.direction, str(each.title).split(",")[0]) for each in overlays] == [
        (direction, gpu)
        for direction in ("forward", "backward")
        for gpu in ("NVIDIA H200", "NVIDIA A100")
    ]
    assert {each.problem for each in overlays} == {"M = 4096, float16"}
    for each in overlays:
        assert {(curve.provider, curve.hardware) for curve in each.curves} == {
            (provider, str(each.title).split(",")[0]) for provider in ("locked", "torch")
        }
    path.write_bytes(b"PK")
    assert all(overlay.kind is Kind.PUBLISHED for overlay in read_overlays(tmp_path))


@pytest.mark.timeout(170)
def test_each_card_opens_in_its_pane(opened: Open, until: Until, tmp_path: Path) -> None:
    explorer = opened("own")
    folder = tmp_path / "recordings"
    folder.mkdir()
    for name in (BENCHMARK, ORDER, TRACE):
        shutil.copy(RECORDINGS / name, folder)
    tutorial = recorded_sweep(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep), title="A curve")
    write_recorded_sweep(folder / "curve.lnsweep", tutorial)
    (folder / "spoilt.lnrec").write_bytes(b"PK")
    controller, window = explorer.controllers["history"], explorer.window
    controller.folder = folder
    window.actions_["gallery"].trigger()
    history = window.pane("history")
    gallery = history.gallery
    until(lambda: history.bar.count.text() == "4")  # nothing of the damaged one
    assert explorer.session.state.notice is None, "a damaged file disturbs nothing else"

    def cards() -> dict[str, QTreeWidgetItem]:
        return {card.data(0, EXHIBIT).path.name: card for card in gallery.items()}

    def open_card(name: str) -> None:
        gallery.itemActivated.emit(cards()[name], 0)

    open_card(ORDER)
    experiments = window.pane("experiments")
    until(lambda: experiments.name == "order" and experiments.isVisible())
    sweep = window.pane("sweep")
    open_card(BENCHMARK)
    until(lambda: bool(sweep.picture.bar.chosen_overlays))
    assert sweep.isVisible()
    open_card("curve.lnsweep")
    until(lambda: sweep.model is not None and len(sweep.model.results) == 60)
    assert cards()["curve.lnsweep"].text(0) == "Sweep: A curve"
    assert cards()["curve.lnsweep"].text(2).startswith("NVIDIA H200")
    open_card(TRACE)
    until(lambda: explorer.session.state.trace.timeline is not None)
    assert explorer.session.state.trace.timeline.group_size_m == 16


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


def test_a_benchmark_has_the_curves_of_one_pass_without_the_ceilings(tmp_path: Path) -> None:
    measured = benchmark(1024, 2048)
    path = tmp_path / "my_bench.json"
    path.write_text(file_text(benchmark_document(measured)))
    exhibit = read(tmp_path)
    assert exhibit.group == "speeds"
    directions = {row.direction for row in measured.rows()}
    shown = "backward" if "backward" in directions else "forward"
    expected = {
        (row.provider, float(row.n)): row.gbps
        for row in measured.rows()
        if row.direction == shown and row.gbps is not None and row.provider not in ("copy", "add")
    }
    found = {
        (curve.label, x): y
        for curve in exhibit.curves
        for x, y in zip(curve.x, curve.y, strict=True)
    }
    assert found
    assert found == expected


def test_a_sweep_has_its_curves_and_those_of_unlike_devices_are_not_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.lnsweep"
    ours, theirs = invented_rows(CURVE), invented_rows(CURVE, gpu="NVIDIA A100")
    write_recorded_sweep(path, recorded_sweep(CURVE, [*ours[:4], *theirs[4:]], title="A curve"))
    exhibit = read(tmp_path)
    assert (exhibit.group, str(exhibit.title), exhibit.kind) == (
        "speeds",
        "Sweep: A curve",
        Kind.RECORDED,
    )
    assert str(exhibit.source).startswith("NVIDIA H200, NVIDIA A100")
    figures = [result.figure("backward") for result in (*ours[:4], *theirs[4:])]
    drawn = {curve.label: curve.y.tolist() for curve in exhibit.curves}
    assert drawn == {
        "locked · NVIDIA H200": [figures[0] and figures[0].gbps, figures[2] and figures[2].gbps],
        "PyTorch · NVIDIA H200": [figures[1] and figures[1].gbps, figures[3] and figures[3].gbps],
        "locked · NVIDIA A100": [figures[4] and figures[4].gbps],
        "PyTorch · NVIDIA A100": [figures[5] and figures[5].gbps],
    }


def test_a_peer_is_level_along_launch_settings_and_errors_stand_for_speeds_that_are_not_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.lnsweep"
    write_recorded_sweep(path, recorded_sweep(SIZES, invented_rows(SIZES)))
    locked, torch = read(tmp_path).curves
    assert (locked.x.size, torch.x.size) == (3, 4), "one setting of locked is wrong"
    assert len(set(torch.y)) == 1
    write_recorded_sweep(path, recorded_sweep(SIZES, invented_rows(SIZES, gpu=None)))
    exhibit = read(tmp_path)
    assert exhibit.kind is Kind.INTERPRETED
    assert "NVIDIA" not in str(exhibit.source)
    assert exhibit.curves[0].y == pytest.approx([2e-3 / size**0.5 for size in (1, 8, 64)])


def test_two_parameters_are_a_map_from_the_slowest_to_the_fastest(tmp_path: Path) -> None:
    path = tmp_path / "mine.lnsweep"
    rows = invented_rows(MAP)
    write_recorded_sweep(path, recorded_sweep(MAP, rows))
    grid = read(tmp_path).grid
    assert grid is not None
    assert grid.shape == (2, 3)
    assert np.isnan(grid[1, 0]), "32 warps find no room"
    assert (np.nanmin(grid), np.nanmax(grid)) == (0.0, 1.0)
    speeds = {
        row.cell.point: figure.gbps
        for row in rows
        if (figure := row.figure("backward")) is not None
    }
    fastest = max(speeds, key=lambda point: speeds[point])
    assert grid[fastest[1], fastest[0]] == 1.0

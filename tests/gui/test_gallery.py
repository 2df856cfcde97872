"""The gallery: its cards, how they are found, and where they are opened."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.words import SEPARATE_RUNS, facts
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import TUTORIAL
from lnexplorer.gui.charts.theme import DARK, LIGHT
from lnexplorer.gui.history.gallery import EXHIBIT, SIZE, GalleryView, Shown, lanes_of, picture
from lnexplorer.gui.history.gallery_files import PUBLISHED, Exhibit, read_exhibit
from lnexplorer.gui.reduction.painter.lanes import TILE
from lnexplorer.gui.shell.application import Explorer, Start
from lnexplorer.gui.shell.options import WindowOptions
from lnexplorer.gui.sweep.files import overlays_of, read_overlays, sweep_of
from lnexplorer.store.paths import Paths
from lnexplorer.store.recordings import recorded_sweep, write_recorded_sweep
from lnexplorer.store.resources import resource
from lnexplorer.store.settings import Settings
from lnkernels.sentence import say
from lnkernels.values.environment import Kind
from tests.gui.sample_sweeps import invented_rows
from tests.sample_experiments import sample
from tests.store.examples import small_timeline

LONG_MS = 60_000
RECORDINGS = resource("recordings")
BENCHMARK, ORDER, TRACE = "h200_bench_4096_float16.json", "h200_order.lnexperiment", "h200_4096x1024_g16.lnrec"


def trace(name: str, group_size_m: int) -> Exhibit:
    return Exhibit(
        path=Path(name),
        group="traces",
        place=(group_size_m,),
        title=f"Trace {name}",
        gpu="NVIDIA H200",
        date="2026-01-02T03:04:05",
        kind=Kind.RECORDED,
        timeline=small_timeline(group_size_m=group_size_m),
    )


@pytest.fixture
def gallery(qtbot: QtBot) -> GalleryView:
    made = GalleryView()
    qtbot.addWidget(made)
    made.apply_theme(DARK)
    made.resize(1080, 700)
    made.show()
    return made


def fill(gallery: GalleryView, qtbot: QtBot, *exhibits: Exhibit) -> None:
    for exhibit in exhibits:
        gallery.add(exhibit, None if exhibit.timeline is None else lanes_of(exhibit.timeline))
    qtbot.waitUntil(lambda: len(gallery.cards()) == len(exhibits))


def titles(gallery: GalleryView) -> list[str]:
    return [card.title for card in gallery.cards()]


def test_cards_stand_in_their_order_below_headings_whatever_comes_first(gallery: GalleryView, qtbot: QtBot) -> None:
    fill(gallery, qtbot, trace("b", 8), trace("a", 2), trace("c", 4), read_exhibit(RECORDINGS / ORDER))
    assert titles(gallery)[:3] == ["Trace a", "Trace c", "Trace b"]
    assert titles(gallery)[3].startswith("The order of additions")
    assert gallery.cards()[0].badge == "recorded"
    assert gallery.cards()[0].source == "NVIDIA H200 · 2026-01-02"
    assert [gallery.topLevelItem(place).text(0) for place in range(gallery.topLevelItemCount())] == [
        "Locks, recorded: by GROUP_SIZE_M",
        "Experiments",
    ]
    assert not gallery.grab().isNull()


def test_a_search_keeps_what_has_all_its_words(gallery: GalleryView, qtbot: QtBot) -> None:
    fill(gallery, qtbot, trace("a", 2), trace("b", 4), replace(trace("c", 8), gpu="NVIDIA A100"))
    gallery.set_filter("trace a100")
    assert titles(gallery) == ["Trace c"]
    assert (len(gallery.items()), gallery.total) == (1, 3)
    gallery.set_filter("nowhere")
    assert titles(gallery) == []
    gallery.set_filter("")
    assert len(titles(gallery)) == 3


def test_a_damaged_file_says_why_and_is_not_opened(gallery: GalleryView, qtbot: QtBot) -> None:
    trouble = say("x.lnrec cannot be opened: it is newer.")
    spoilt = Exhibit(path=Path("x.lnrec"), group="damaged", title="x.lnrec", trouble=trouble)
    fill(gallery, qtbot, trace("a", 2), spoilt)
    card = gallery.cards()[-1]
    assert (card.trouble, card.tone) == (str(spoilt.trouble), "bad")
    with qtbot.assertNotEmitted(gallery.opened):
        gallery.itemActivated.emit(gallery.items()[-1], 0)
    gallery.setCurrentItem(gallery.items()[0])
    with qtbot.waitSignal(gallery.opened) as signal:
        qtbot.keyClick(gallery, Qt.Key.Key_Return)
    assert signal.args[0].title == "Trace a"


def test_a_file_that_is_gone_has_no_card(gallery: GalleryView, qtbot: QtBot) -> None:
    fill(gallery, qtbot, trace("a", 2), trace("b", 4))
    gallery.keep([Path("b")])
    assert titles(gallery) == ["Trace b"]


def test_the_picture_of_a_trace_has_a_lane_for_each_lock() -> None:
    lanes = lanes_of(small_timeline(m=8, group_size_m=2), QSize(200, 40))
    assert lanes.shape == (40, 200)
    stage_1 = lanes[:, :60]
    assert set(np.unique(stage_1[:18])) & set(np.unique(stage_1[22:])) <= {0, 1}, "each lock has its own colour"
    assert stage_1[:18].max() >= 8


def test_stage_2_is_at_the_end_of_a_recorded_trace_s_picture() -> None:
    for size in [16, 128, 512]:
        timeline = read_exhibit(RECORDINGS / f"h200_4096x1024_g{size}.lnrec").timeline
        assert timeline is not None
        lanes = lanes_of(timeline, QSize(2000, 64))
        tiles = np.flatnonzero((lanes == TILE).any(axis=0))
        held = np.flatnonzero((lanes >= 8).any(axis=0))
        assert tiles.size
        assert held.size
        assert held.max() <= tiles.min()
        assert tiles.max() > 0.95 * 2000


def test_every_kind_of_figures_has_a_picture_of_its_own(qapp: QApplication) -> None:
    curves = read_exhibit(RECORDINGS / PUBLISHED).curves
    shown = [{"timeline": small_timeline()}, {"curves": curves}, {"grid": np.array([[0.0, 0.5], [np.nan, 1.0]])}, {}]
    made = [
        picture(theme, SIZE, 1.0, replace(trace("a", 2), **values), lanes_of(small_timeline()) if "timeline" in values else None)
        for theme in (DARK, LIGHT)
        for values in shown
    ]
    assert len({bytes(each.toImage().constBits()) for each in made}) == len(made)


def test_a_benchmark_lies_beside_a_sweep_of_its_own_problem() -> None:
    sweep = sweep_of(RECORDINGS / BENCHMARK)
    assert (sweep.base.m, sweep.base.dtype) == (4096, "float16")
    assert [axis.name for axis in sweep.axes] == ["n"]
    overlays = overlays_of(RECORDINGS / BENCHMARK)
    assert {overlay.mode for overlay in overlays} == {"kernel_cold"}
    assert all(set(curve.x) <= set(sweep.axes[0].values) for overlay in overlays for curve in overlay.curves)
    assert sweep_of(RECORDINGS / PUBLISHED) == TUTORIAL.sweep
    assert {overlay.kind for overlay in overlays_of(RECORDINGS / PUBLISHED)} == {Kind.PUBLISHED}


def test_a_recorded_sweep_over_n_can_be_laid_beside_another_one_device_by_device(tmp_path: Path) -> None:
    path = tmp_path / "curve.lnsweep"
    ours, theirs = invented_rows(TUTORIAL.sweep), invented_rows(TUTORIAL.sweep, gpu="NVIDIA A100")
    write_recorded_sweep(path, recorded_sweep(TUTORIAL.sweep, [*ours[:30], *theirs[30:]], title="Mine"))
    shutil.copy(RECORDINGS / PUBLISHED, tmp_path)
    overlays = [overlay for overlay in read_overlays(tmp_path) if overlay.kind is Kind.RECORDED]
    assert [(each.direction, each.title.split(" · ")[:2]) for each in overlays] == [
        (direction, ["Mine", gpu]) for direction in ("forward", "backward") for gpu in ("NVIDIA H200", "NVIDIA A100")
    ]
    assert {each.problem for each in overlays} == {"M = 4096, float16"}
    for each in overlays:
        assert {(curve.provider, curve.hardware) for curve in each.curves} == {
            (provider, each.title.split(" · ")[1]) for provider in ("locked", "torch")
        }
    path.write_bytes(b"PK")
    assert all(overlay.kind is Kind.PUBLISHED for overlay in read_overlays(tmp_path))


def test_an_experiment_made_of_recordings_says_what_it_lacks() -> None:
    whole = sample("group_size")
    assert whole.group_size is not None
    assert facts(whole) == []
    lacking = tuple(replace(point, ms_same=None, reason=SEPARATE_RUNS) for point in whole.group_size.points)
    assert [str(fact) for fact in facts(replace(whole, group_size=replace(whole.group_size, points=lacking)))] == [
        str(SEPARATE_RUNS)
    ]


@pytest.fixture
def explorer(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[], Explorer]]:
    """Opens a window without a run worth mentioning."""
    made: list[Explorer] = []

    def make() -> Explorer:
        options = WindowOptions(request=RunRequest.of(m=4, n=8, group_size_m=2), size=(1280, 720), language="en")
        start = Start(
            options=options,
            paths=Paths(tmp_path, tmp_path),
            settings=Settings(),
            warnings=(),
            device="interpreter",
            spawned=None,
        )
        made.append(Explorer(qapp, start))
        made[-1].open()
        qtbot.waitUntil(made[-1].is_complete, timeout=LONG_MS)
        return made[-1]

    yield make
    for each in made:
        each.window.close()
        each.close()


@pytest.mark.timeout(170)
def test_each_card_opens_in_its_pane(explorer: Callable[[], Explorer], qtbot: QtBot, tmp_path: Path) -> None:
    opened = explorer()
    folder = tmp_path / "recordings"
    folder.mkdir()
    for name in (BENCHMARK, ORDER, TRACE):
        shutil.copy(RECORDINGS / name, folder)
    tutorial = recorded_sweep(TUTORIAL.sweep, invented_rows(TUTORIAL.sweep), title="A curve")
    write_recorded_sweep(folder / "curve.lnsweep", tutorial)
    (folder / "spoilt.lnrec").write_bytes(b"PK")
    controller, window = opened.services.controller("history"), opened.window
    controller.folder = folder
    window.actions_["gallery"].trigger()
    history = window.pane("history")
    gallery = history.gallery
    qtbot.waitUntil(lambda: len(gallery.cards()) == 5, timeout=LONG_MS)
    assert history.bar.count.text() == "5"
    assert opened.session.state.notice is None, "a damaged file disturbs nothing else"

    def cards() -> dict[str, Shown]:
        return {card.tip.split("\n")[0]: card for card in gallery.cards()}

    def open_card(name: str) -> None:
        found = (item for item in gallery.items() if item.data(0, EXHIBIT).path.name == name)
        gallery.itemActivated.emit(next(found), 0)

    open_card(ORDER)
    experiments = window.pane("experiments")
    qtbot.waitUntil(lambda: experiments.name == "order" and experiments.badge.text() == "recorded", timeout=LONG_MS)
    assert experiments.isVisible()

    open_card(BENCHMARK)
    sweep = window.pane("sweep")
    qtbot.waitUntil(lambda: sweep.isVisible() and bool(sweep.picture.bar.chosen_overlays), timeout=LONG_MS)
    assert {"NVIDIA H200" in overlay.title for overlay in sweep.picture.bar.chosen_overlays} == {True}
    labels = [entry.text for entry in sweep.picture.legend.entries]
    assert any("PyTorch" in label and "recorded" in label for label in labels)

    open_card("curve.lnsweep")
    qtbot.waitUntil(lambda: sweep.model is not None and len(sweep.model.results) == 60, timeout=LONG_MS)
    assert (sweep.bar.badge.text(), sweep.picture.bar.chosen) == ("recorded", "gbps")
    assert cards()["curve.lnsweep"].title == "Sweep: A curve"
    assert cards()["curve.lnsweep"].source.startswith("NVIDIA H200")

    open_card(TRACE)
    qtbot.waitUntil(lambda: opened.session.state.timeline is not None, timeout=LONG_MS)
    assert opened.session.state.timeline is not None
    assert (opened.session.state.timeline.m, opened.session.state.timeline.group_size_m) == (4096, 16)

    # Another language comes to the cards that are there.
    opened.preferences.use_language("zh_CN")
    qtbot.waitUntil(lambda: cards()[TRACE].badge == "录制")
    opened.preferences.use_language("en")

    # What was opened from elsewhere is in the gallery from then on.
    elsewhere = tmp_path / "mine.lnrec"
    shutil.copy(folder / TRACE, elsewhere)
    with qtbot.waitSignal(opened.files.opened, timeout=LONG_MS):
        opened.files.open_recording(elsewhere)
    controller.open()
    qtbot.waitUntil(lambda: "mine.lnrec" in cards(), timeout=LONG_MS)


@pytest.mark.timeout(170)
def test_the_moment_and_the_film_are_in_the_menu(
    explorer: Callable[[], Explorer], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = explorer()
    pane, actions = opened.window.pane("reduction"), opened.window.actions_
    asked: list[bool] = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / f"moment{len(asked)}"), ""))
    for trigger in (actions["moment"].trigger, pane.transport.moment.click):
        trigger()
        file = tmp_path / f"moment{len(asked)}.svg"
        qtbot.waitUntil(file.exists, timeout=LONG_MS)
        assert ElementTree.fromstring(file.read_text(encoding="utf-8")).tag.endswith("svg")
        asked.append(True)
    films: list[bool] = []
    monkeypatch.setattr(type(pane), "open_film", lambda _pane: films.append(True))
    actions["film"].trigger()
    assert films == [True]


def test_a_card_says_nothing_twice(gallery: GalleryView, qtbot: QtBot) -> None:
    fill(gallery, qtbot, read_exhibit(RECORDINGS / "h200_8x8_g2_float16_buffers.lnrec"))
    assert titles(gallery) == ["8×8, GROUP_SIZE_M 2, float16 buffers: each store rounds"]

import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetricsF

from lnexplorer.domain.simulation import simulate
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.reduction.film import FilmError, FilmRequest, Still, _whole_parts, lacks, make_film, moment_svg, writer_for
from lnexplorer.gui.reduction.painter.wording import time_text
from lnexplorer.gui.reduction.pane import ReductionPane
from tests.domain.timelines import model, request
from tests.sample_results import make_environment
from tests.store.examples import small_timeline

FAKE_FFMPEG = """#!{python}
import sys
data = sys.stdin.buffer.read()
open(sys.argv[-1], "wb").write(len(data).to_bytes(8, "little") + data[:8])
"""


@pytest.fixture
def pane(qtbot):
    pane = ReductionPane()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    pane.resize(900, 600)
    pane.show()
    pane.set_problem(request(m=4, n=8, group_size_m=2), 4, 132)
    return pane


def wish(path, **changed):
    values = {"path": path, "width": 640, "height": 360, "fps": 10, "begin_ns": 0.0, "end_ns": 4000.0, "seconds": 0.5}
    return FilmRequest(**{**values, **changed})


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def make(pane, film_request, go_on=lambda _painted: True):
    make_film(pane.canvas.scene, film_request, "simulated · a test", go_on)


def test_a_gif_has_every_frame(pane, tmp_path):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "film.gif"
    make(pane, wish(path))
    with image.open(path) as film:
        assert film.size == (640, 360)
        assert film.n_frames == 5
        assert film.info["duration"] == 100
    assert names_in(tmp_path) == ["film.gif"]


@pytest.mark.skipif(shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None, reason="there is no ffmpeg here")
def test_an_mp4_has_every_frame_its_time_and_its_colours(pane, tmp_path):
    path = tmp_path / "film.mp4"
    make(pane, wish(path))
    asked = ("width", "height", "nb_read_frames", "duration", "pix_fmt", "color_space", "color_range")
    command = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", f"stream={','.join(asked)}", "-of", "json", str(path)]
    (stream,) = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["streams"]
    assert (stream["width"], stream["height"], stream["nb_read_frames"]) == (640, 360, "5")
    assert float(stream["duration"]) == 0.5
    assert (stream["pix_fmt"], stream["color_space"], stream["color_range"]) == ("yuv420p", "bt709", "tv")
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "bgr0", "-"]
    shown = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, np.uint8).reshape(360, 640, 4)
    painted = np.frombuffer(
        bytes(Still(pane.canvas.scene, QSize(640, 360), "simulated · a test").image(0.0).constBits()), np.uint8
    )
    apart = np.abs(shown[..., :3].astype(int) - painted.reshape(360, 640, 4)[..., :3])
    assert np.median(apart) <= 3, "colours are those that were painted"


@pytest.fixture
def fake_ffmpeg(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "ffmpeg"
    program.write_text(FAKE_FFMPEG.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return program


def test_ffmpeg_is_given_every_pixel(pane, tmp_path, fake_ffmpeg):
    path = tmp_path / "film.mp4"
    make(pane, wish(path))
    assert int.from_bytes(path.read_bytes()[:8], "little") == 5 * 640 * 360 * 4


def test_what_ffmpeg_complains_of_is_told_and_no_file_is_left(pane, tmp_path, fake_ffmpeg):
    fake_ffmpeg.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no encoder')\n")
    with pytest.raises(FilmError, match="no encoder"):
        make(pane, wish(tmp_path / "film.mp4"))
    assert names_in(tmp_path) == ["bin"]


def test_a_stopped_film_leaves_no_file(pane, tmp_path, fake_ffmpeg):
    with pytest.raises(FilmError, match="Stopped"):
        make(pane, wish(tmp_path / "film.mp4", seconds=60), lambda painted: painted < 3)
    assert names_in(tmp_path) == ["bin"]


def test_what_is_lacking_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "ffmpeg" in lacks(".mp4")
    with pytest.raises(FilmError, match="ffmpeg"):
        writer_for(Path("a.mp4"))
    with pytest.raises(FilmError, match=r"\.avi"):
        writer_for(Path("a.avi"))


def test_the_dialog_refuses_what_is_not_possible_before_it_is_tried(pane, tmp_path, fake_ffmpeg):
    dialog = pane.open_film()
    dialog.path.setText(str(tmp_path / "film.mp4"))
    assert dialog.make.isEnabled()
    dialog.begin.setValue(2.0)
    dialog.end.setValue(1.0)
    assert not dialog.make.isEnabled()
    assert "1 µs is not later than 2 µs" in dialog.message.text()
    dialog.end.setValue(3.0)
    dialog.path.setText(str(tmp_path / "film.avi"))
    assert "“.avi”" in dialog.message.text()
    dialog.path.setText(str(fake_ffmpeg.with_suffix(".mp4")))
    fake_ffmpeg.with_suffix(".mp4").touch()
    dialog._check()
    assert "will be replaced" in dialog.message.text()
    assert dialog.make.isEnabled()
    dialog.close()


def test_the_dialog_makes_a_film_and_says_where_it_is(pane, tmp_path, fake_ffmpeg):
    dialog = pane.open_film()
    dialog.path.setText(str(tmp_path / "film.mp4"))
    dialog.seconds.setValue(0.5)
    dialog.make.click()
    assert "Saved in" in dialog.message.text()
    assert dialog.message.text().endswith("frames: 12, 25 a second.")
    assert (tmp_path / "film.mp4").exists()
    dialog.path.setText(str(tmp_path / "nowhere" / "film.mp4"))
    dialog.make.click()
    assert "film.mp4 cannot be written (No such file" in dialog.message.text()
    dialog.close()


def test_a_moment_is_an_svg_document_with_its_provenance(pane):
    root = ElementTree.fromstring(pane.moment_svg())
    assert root.tag.endswith("svg")
    assert any("simulated" in (part.text or "") for part in root.iter() if part.tag.endswith("desc"))
    assert "GROUP_SIZE_M 2" in "".join(root.itertext())


def test_no_word_below_a_moment_is_cut_in_its_document(pane):
    provenance = "recorded · " + " · ".join(["as the traced kernel stored them"] * 4) + " · the end of it"
    scene = pane.canvas.scene
    root = ElementTree.fromstring(moment_svg(scene, QSize(500, 400), 0.0, provenance))
    texts = [part.text for part in root.iter() if part.tag.endswith("text")]
    assert provenance in texts
    assert not any(text.endswith("…") for text in texts[-2:])
    _, _, width, height = map(float, root.get("viewBox").split())
    assert width > 500
    assert height >= 400


def test_a_long_moment_is_an_svg_document_too(qtbot, pane):
    timeline = simulate(4096, 64, 64, 32, 16, model())
    pane.show_timeline(timeline, request(m=4096, n=64, group_size_m=64))
    text = moment_svg(pane.canvas.scene, QSize(10, 10), timeline.end_ns / 2, "simulated").decode()
    assert 'width="135.47mm"' in text or "viewBox" in text
    assert "<image" in text


def test_a_picture_of_a_film_names_gpu_and_problem_and_has_a_clock(pane):
    timeline = small_timeline()
    pane.comparison.set_launches(make_environment, lambda _kernel: [])
    pane.show_timeline(timeline, request(m=timeline.m, n=timeline.n, group_size_m=2))
    time_ns = float(timeline.held_ns[1])
    root = ElementTree.fromstring(moment_svg(pane.canvas.scene, QSize(960, 540), time_ns, pane._provenance()))
    *_, line, clock = [part.text or "" for part in root.iter() if part.tag.endswith("text")]
    for words in ("measured", "NVIDIA H200", f"{timeline.m} × {timeline.n}", "GROUP_SIZE_M 2"):
        assert words in line
    assert clock == time_text(time_ns)
    still = Still(pane.canvas.scene, QSize(960, 540), "recorded")
    clocks = [still.image(time).copy(700, 490, 260, 50) for time in (0.0, time_ns)]
    assert clocks[0] != clocks[1], "it runs"


def test_a_line_of_provenance_loses_whole_parts_where_it_is_too_long(pane):
    metrics = QFontMetricsF(pane.font())
    text = "recorded · NVIDIA H200 · 4,096 × 1,024 · times to 32 ns"
    assert _whole_parts(text, metrics, 10_000) == text
    assert _whole_parts(text, metrics, metrics.horizontalAdvance(text) - 1) == "recorded · NVIDIA H200 · 4,096 × 1,024"
    assert _whole_parts(text, metrics, 0) == "recorded"

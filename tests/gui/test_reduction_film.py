import importlib.machinery
import json
import shutil
import subprocess
import sys
import types
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFontInfo, QImage
from PySide6.QtWidgets import QFileDialog

from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.panes.reduction.saving import moment_png, moment_svg, open_film
from lnexplorer.gui.timeline.film import (
    FilmError,
    FilmRequest,
    Still,
    make_film,
    missing_for,
    with_large_text,
)
from lnexplorer.gui.timeline.wording import time_text
from tests.domain.timelines import request
from tests.gui.windows import on_screen
from tests.sample_results import make_environment
from tests.store.examples import small_timeline

FAKE_FFMPEG = """#!{python}
import sys
data = sys.stdin.buffer.read()
open(sys.argv[-1], "wb").write(len(data).to_bytes(8, "little") + data[:8])
"""


@pytest.fixture
def pane(qtbot):
    pane = on_screen(qtbot, ReductionPane(), 900, 600)
    pane.set_problem(request(m=4, n=8, group_size_m=2), 4, 132)
    return pane


def wish(path, **changed):
    values = {
        "path": path,
        "width": 640,
        "height": 360,
        "fps": 10,
        "begin_ns": 0.0,
        "end_ns": 4000.0,
        "seconds": 0.5,
    }
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


@pytest.mark.skipif(
    shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None,
    reason="there is no ffmpeg here",
)
def test_an_mp4_has_every_frame_its_time_and_its_colours(pane, tmp_path):
    path = tmp_path / "film.mp4"
    make(pane, wish(path))
    asked = "width,height,nb_read_frames,duration,pix_fmt,color_space,color_range"
    command = f"ffprobe -v error -count_frames -show_entries stream={asked} -of json".split()
    probed = subprocess.run([*command, path], check=True, capture_output=True).stdout
    (stream,) = json.loads(probed)["streams"]
    assert (stream["width"], stream["height"], stream["nb_read_frames"]) == (640, 360, "5")
    assert float(stream["duration"]) == 0.5
    colours = stream["pix_fmt"], stream["color_space"], stream["color_range"]
    assert colours == ("yuv420p", "bt709", "tv")
    output = ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "bgr0", "-"]
    command = ["ffmpeg", "-v", "error", "-i", path, *output]
    shown = subprocess.run(command, check=True, capture_output=True).stdout
    image = Still(pane.canvas.scene, QSize(640, 360), "simulated · a test").image(0.0)
    shown, painted = (
        np.frombuffer(data, np.uint8).reshape(360, 640, 4)
        for data in (shown, bytes(image.constBits()))
    )
    apart = np.abs(shown[..., :3].astype(int) - painted[..., :3])
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


def test_what_ffmpeg_complains_of_is_told_and_no_file_is_left(pane, tmp_path, fake_ffmpeg):
    fake_ffmpeg.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no encoder')\n")
    with pytest.raises(FilmError, match="no encoder"):
        make(pane, wish(tmp_path / "film.mp4"))
    assert names_in(tmp_path) == ["bin"]


def test_without_ffmpeg_on_the_path_that_of_imageio_is_taken(
    pane, tmp_path, fake_ffmpeg, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    brought = types.ModuleType("imageio_ffmpeg")
    brought.__spec__ = importlib.machinery.ModuleSpec("imageio_ffmpeg", None)
    brought.get_ffmpeg_exe = lambda: str(fake_ffmpeg)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", brought)
    assert missing_for(".mp4") is None
    make(pane, wish(tmp_path / "film.mp4"))
    given = int.from_bytes((tmp_path / "film.mp4").read_bytes()[:8], "little")
    assert given == 5 * 640 * 360 * 4, "every pixel"

    def none() -> str:
        raise RuntimeError("no ffmpeg exe could be found")

    brought.get_ffmpeg_exe = none
    assert "ffmpeg" in str(missing_for(".mp4"))


def test_large_text_is_legible_on_half_a_slide(pane, tmp_path, fake_ffmpeg, monkeypatch):
    scene = pane.canvas.scene
    large = with_large_text(scene, 720)
    assert large.font.pixelSize() >= 720 / 24
    assert with_large_text(scene, 100).font.pixelSize() == QFontInfo(scene.font).pixelSize()
    seen = []
    image = Still.image
    monkeypatch.setattr(
        Still, "image", lambda self, time: (seen.append(self._scene.font), image(self, time))[1]
    )
    for wished in (True, False):
        make(pane, wish(tmp_path / "film.mp4", height=720, seconds=0.1, large=wished))
        assert (seen[-1].pixelSize() > scene.font.pixelSize()) is wished
    picture = QImage.fromData(moment_png(pane))
    assert picture.size() == QSize(1280, 720)
    assert seen[-1].pixelSize() == large.font.pixelSize()


def test_a_stopped_film_leaves_no_file(pane, tmp_path, fake_ffmpeg):
    with pytest.raises(FilmError, match="Stopped"):
        make(pane, wish(tmp_path / "film.mp4", seconds=60), lambda painted: painted < 3)
    assert names_in(tmp_path) == ["bin"]


def test_what_is_lacking_is_said(pane, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    assert "ffmpeg" in str(missing_for(".mp4"))
    for suffix, said in ((".mp4", "ffmpeg"), (".avi", r"\.avi")):
        with pytest.raises(FilmError, match=said):
            make(pane, wish(tmp_path / f"film{suffix}"))
    dialog = open_film(pane)
    assert "ffmpeg" in dialog.message.text()
    dialog.close()


def test_the_dialog_makes_a_film_and_says_where_it_is(pane, tmp_path, fake_ffmpeg, monkeypatch):
    dialog = open_film(pane)
    dialog.begin.setValue(2.0)
    dialog.end.setValue(1.0)
    assert dialog.end.value() > 2.0, "a film ends after it begins"
    dialog.seconds.setValue(0.5)
    chosen = [tmp_path / "film.mp4", tmp_path / "nowhere" / "film.mp4"]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(chosen.pop(0)), ""))
    dialog.make.click()
    assert "Saved in" in dialog.message.text()
    assert dialog.message.text().endswith("frames: 12, 25 a second.")
    assert (tmp_path / "film.mp4").exists()
    dialog.make.click()
    assert "film.mp4 cannot be written (No such file" in dialog.message.text()
    dialog.close()


def written(pane):
    """The words of the picture of a moment."""
    return " ".join(" ".join(ElementTree.fromstring(moment_svg(pane)).itertext()).split())


def test_a_moment_is_an_svg_document_with_its_provenance(pane, monkeypatch):
    root = ElementTree.fromstring(moment_svg(pane))
    assert root.tag.endswith("svg")
    description = next(part.text for part in root.iter() if part.tag.endswith("desc"))
    assert "simulated" in description
    assert "GROUP_SIZE_M 2" in written(pane)
    provenance = (
        "recorded · " + " · ".join(["as the traced kernel stored them"] * 4) + " · the end of it"
    )
    monkeypatch.setattr(pane, "provenance", lambda: provenance)
    assert written(pane).endswith(provenance), "no word is cut"


def test_a_picture_of_a_film_names_gpu_and_problem_and_has_a_clock(pane):
    timeline = small_timeline()
    launch = request(m=timeline.m, n=timeline.n, group_size_m=2)
    pane.show_timeline(timeline, launch, make_environment())
    time_ns = float(timeline.held_ns[1])
    pane.player.seek(time_ns)
    problem = f"{timeline.m} × {timeline.n}"
    for words in ("measured", "NVIDIA H200", problem, "GROUP_SIZE_M 2", time_text(time_ns)):
        assert words in written(pane)
    still = Still(pane.canvas.scene, QSize(960, 540), "recorded")
    clocks = [still.image(time).copy(700, 490, 260, 50) for time in (0.0, time_ns)]
    assert clocks[0] != clocks[1], "it runs"

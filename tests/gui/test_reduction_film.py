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


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def make(pane, path, go_on=lambda _painted: True, **changed):
    """Make a film of half a second with five pictures, or as it is changed."""
    usual = {"width": 640, "height": 360, "fps": 10, "begin_ns": 0.0, "end_ns": 4000.0}
    film = FilmRequest(path=path, **{**usual, "seconds": 0.5, **changed})
    make_film(pane.canvas.scene, film, "simulated · a test", go_on)


def test_a_gif_has_every_frame(pane, tmp_path):
    image = pytest.importorskip("PIL.Image")
    make(pane, tmp_path / "film.gif")
    with image.open(tmp_path / "film.gif") as film:
        assert film.size == (640, 360)
        assert film.n_frames == 5
        assert film.info["duration"] == 100
    assert names_in(tmp_path) == ["film.gif"]


@pytest.mark.skipif(
    shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None,
    reason="there is no ffmpeg here",
)
def test_an_mp4_has_every_frame_its_time_and_its_colours(pane, tmp_path):
    def output(command, *more):
        return subprocess.run([*command.split(), *more], check=True, capture_output=True).stdout

    path = tmp_path / "film.mp4"
    make(pane, path)
    asked = "width,height,nb_read_frames,duration,pix_fmt,color_space,color_range"
    probe = f"ffprobe -v error -count_frames -show_entries stream={asked} -of json"
    (stream,) = json.loads(output(probe, path))["streams"]
    assert stream["width"] == 640
    assert stream["height"] == 360
    assert stream["nb_read_frames"] == "5"
    assert float(stream["duration"]) == 0.5
    colours = stream["pix_fmt"], stream["color_space"], stream["color_range"]
    assert colours == ("yuv420p", "bt709", "tv")
    raw = ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "bgr0", "-"]
    image = Still(pane.canvas.scene, QSize(640, 360), "simulated · a test").image(0.0)
    shown, painted = (
        np.frombuffer(data, np.uint8).reshape(360, 640, 4)
        for data in (output("ffmpeg -v error -i", path, *raw), bytes(image.constBits()))
    )
    apart = np.abs(shown[..., :3].astype(int) - painted[..., :3])
    assert np.median(apart) <= 3, "colours are those that were painted"


@pytest.fixture
def fake_ffmpeg(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text(FAKE_FFMPEG.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


def test_where_ffmpeg_fails_or_somebody_stops_the_reason_is_told_and_no_file_is_left(
    pane, tmp_path, fake_ffmpeg
):
    with pytest.raises(FilmError, match="Stopped"):
        make(pane, tmp_path / "film.mp4", lambda painted: painted < 3, seconds=60)
    fake_ffmpeg.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no encoder')\n")
    with pytest.raises(FilmError, match="no encoder"):
        make(pane, tmp_path / "film.mp4")
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
    make(pane, tmp_path / "film.mp4")
    given = int.from_bytes((tmp_path / "film.mp4").read_bytes()[:8], "little")
    assert given == 5 * 640 * 360 * 4, "every pixel"

    def none() -> str:
        raise RuntimeError("no ffmpeg exe could be found")

    brought.get_ffmpeg_exe = none
    assert "ffmpeg" in str(missing_for(".mp4"))


def test_large_text_is_legible_on_half_a_slide(pane, tmp_path, fake_ffmpeg, monkeypatch):
    scene = pane.canvas.scene
    image = Still.image
    seen = []

    def watched(still, time_ns):
        seen.append(still._scene.font.pixelSize())
        return image(still, time_ns)

    monkeypatch.setattr(Still, "image", watched)
    large = with_large_text(scene, 720).font.pixelSize()
    assert large >= 720 / 24
    assert with_large_text(scene, 100).font.pixelSize() == QFontInfo(scene.font).pixelSize()
    for wished in (True, False):
        make(pane, tmp_path / "film.mp4", height=720, seconds=0.1, large=wished)
        assert (seen[-1] > scene.font.pixelSize()) is wished
    assert QImage.fromData(moment_png(pane)).size() == QSize(1280, 720)
    assert seen[-1] == large


def test_what_is_lacking_is_said(pane, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    for suffix, said in ((".mp4", "ffmpeg"), (".avi", r"\.avi")):
        with pytest.raises(FilmError, match=said):
            make(pane, tmp_path / f"film{suffix}")
    dialog = open_film(pane)
    assert "ffmpeg" in dialog.message.text()
    dialog.close()


def test_the_dialog_makes_a_film_and_says_where_it_is(pane, tmp_path, fake_ffmpeg, save_as):
    dialog = open_film(pane)
    film = tmp_path / "film.mp4"

    def said_of(path):
        save_as(path)
        dialog.make.click()
        return dialog.message.text()

    dialog.begin.setValue(2.0)
    dialog.end.setValue(1.0)
    assert dialog.end.value() > 2.0, "a film ends after it begins"
    dialog.seconds.setValue(0.5)
    said = said_of(film)
    assert film.exists()
    assert "Saved in" in said
    assert said.endswith("frames: 12, 25 a second.")
    assert "film.mp4 cannot be written (No such file" in said_of(tmp_path / "nowhere" / "film.mp4")
    dialog.close()


def written(pane):
    """The words of the picture of a moment."""
    return " ".join(" ".join(ElementTree.fromstring(moment_svg(pane)).itertext()).split())


def test_a_moment_is_an_svg_document_with_its_provenance(pane, monkeypatch):
    root = ElementTree.fromstring(moment_svg(pane))
    (description,) = (part.text for part in root.iter() if part.tag.endswith("desc"))
    assert "simulated" in description
    parts = ["recorded", *["as the traced kernel stored them"] * 4, "the end of it"]
    monkeypatch.setattr(pane, "provenance", lambda: " · ".join(parts))
    assert written(pane).endswith(" · ".join(parts)), "no word is cut"


def test_a_picture_of_a_film_names_gpu_and_problem_and_has_a_clock(pane):
    timeline = small_timeline()
    launch = request(m=timeline.m, n=timeline.n, group_size_m=2)
    pane.show_timeline(timeline, launch, make_environment())
    time_ns = float(timeline.held_ns[1])
    pane.player.seek(time_ns)
    for words in ("measured", "NVIDIA H200", "8 × 16", "GROUP_SIZE_M 2", time_text(time_ns)):
        assert words in written(pane)
    still = Still(pane.canvas.scene, QSize(960, 540), "recorded")
    clocks = [still.image(time).copy(700, 490, 260, 50) for time in (0.0, time_ns)]
    assert clocks[0] != clocks[1], "it runs"

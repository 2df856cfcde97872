"""A stretch of the animation as a film: GIF by Pillow, MP4 by ffmpeg."""

import importlib
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter

from lnexplorer.domain.timeline import moment
from lnexplorer.gui.charts.sheet import LEFT, RIGHT
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.timeline.captions import caption
from lnexplorer.gui.timeline.frame import Scene
from lnexplorer.gui.timeline.schedule_frame import frame_of
from lnexplorer.gui.timeline.wording import time_text, words

_TAIL = 300  # characters of what ffmpeg said
RATES = (
    10,
    20,
    25,
    50,
)  # frames a second; a GIF's clock has 100 ticks a second, and a picture lasts whole ones, 2 at least
# Without them a player guesses, and has other colours for a large film than for a small one.
_COLOURS = (
    "-colorspace",
    "bt709",
    "-color_primaries",
    "bt709",
    "-color_trc",
    "bt709",
    "-color_range",
    "tv",
)


class FilmError(Exception):
    """There is no film; the text is a sentence."""


def write_gif(path: Path, pictures: Iterator[QImage], fps: int) -> None:
    """A GIF that begins again at its end, at one of RATES."""
    image_module = importlib.import_module("PIL.Image")

    def converted() -> Iterator[object]:
        for picture in pictures:
            image = image_module.frombytes(
                "RGB", picture.size().toTuple(), bytes(picture.constBits()), "raw", "BGRX"
            )
            yield image.quantize(
                256, method=image_module.Quantize.FASTOCTREE, dither=image_module.Dither.NONE
            )

    images = converted()
    first: Any = next(images)
    first.save(
        path, format="GIF", save_all=True, append_images=images, loop=0, duration=1000 // fps
    )


def write_mp4(path: Path, pictures: Iterator[QImage], fps: int) -> None:
    """An MP4 with whatever encoder ffmpeg takes for one, in the colours that every player knows."""
    first = next(pictures)
    command = [
        shutil.which("ffmpeg") or "ffmpeg",
        *("-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr0"),
        *("-video_size", f"{first.width()}x{first.height()}", "-framerate", str(fps), "-i", "-"),
        *("-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p", *_COLOURS),
        *("-movflags", "+faststart", "-f", "mp4", str(path)),
    ]
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=said) as encoder:
            assert encoder.stdin is not None
            try:
                with suppress(BrokenPipeError):  # what it said tells more
                    for picture in chain((first,), pictures):
                        encoder.stdin.write(bytes(picture.constBits()))
            except BaseException:
                encoder.kill()
                raise
            finally:
                with suppress(BrokenPipeError):
                    encoder.stdin.close()
            status = encoder.wait()
        if status:
            said.seek(0)
            told = said.read().decode(errors="replace")[-_TAIL:].strip()
            raise FilmError(words("ffmpeg gave up with status {0}: {1}", status, told))


WRITERS = {".gif": write_gif, ".mp4": write_mp4}


def lacks(suffix: str) -> str:
    """What has to be installed, or named otherwise, before such a file can be written; empty where
    nothing has.
    """
    if suffix not in WRITERS:
        return words("A film's file ends in .gif or .mp4, not in “{0}”.", suffix)
    if suffix == ".gif" and importlib.util.find_spec("PIL") is None:
        return words("GIF needs Pillow: pip install 'lnexplorer[film]'.")
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        return words(
            "MP4 needs ffmpeg, and there is none on the PATH: install your system's package ffmpeg."
        )
    return ""


_MARGIN = 2 * GRID


class Still:
    """A scene laid out for a size, with a caption, a line that says where it comes from, and a
    clock below it.
    """

    def __init__(self, scene: Scene, size: QSize, provenance: str) -> None:
        self._size = size
        self._provenance = provenance
        self._line = QFontMetricsF(scene.font).height()
        self._clock = QFont(scene.font)
        self._clock.setPixelSize(round(1.5 * self._line))
        inside = QSizeF(
            size.width() - 2 * _MARGIN, size.height() - 2 * GRID - 2 * self._line - GRID
        )
        self._scene = replace(scene, size=inside)
        self._frame = frame_of(self._scene)

    def image(self, time_ns: float) -> QImage:
        scene, line, now = self._scene, self._line, moment(self._scene.timeline, time_ns)
        image = QImage(self._size, QImage.Format.Format_RGB32)
        image.fill(scene.colours.surface)
        painter = QPainter(image)
        painter.save()
        painter.translate(_MARGIN, GRID)
        self._frame.paint(painter, now)
        painter.restore()
        clock = QRectF(
            _MARGIN,
            self._size.height() - 2 * line - GRID,
            self._size.width() - 2 * _MARGIN,
            2 * line,
        )
        widest = max(
            (time_text(ns, counted=scene.timeline.counted) for ns in (888_000.0, scene.last_ns)),
            key=len,
        )
        width = clock.width() - QFontMetricsF(self._clock).horizontalAdvance(widest) - 2 * GRID
        told = caption(scene.timeline, now, scene.followed, scene.followed_lock)
        painter.setFont(scene.font)
        for place, (text, colour) in enumerate(
            ((told, scene.colours.text), (self._provenance, scene.colours.muted))
        ):
            painter.setPen(colour)
            shown = QFontMetricsF(scene.font).elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRectF(_MARGIN, clock.top() + place * line, width, line), LEFT, shown)
        painter.setFont(self._clock)
        painter.setPen(scene.colours.text)
        painter.drawText(clock, RIGHT, time_text(time_ns, counted=scene.timeline.counted))
        painter.end()
        return image


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmRequest:
    """What a film shows, and how."""

    path: Path  # .gif or .mp4
    width: int  # px; even, since MP4 wants that
    height: int
    fps: int  # one of RATES
    begin_ns: float
    end_ns: float
    seconds: float  # that the film lasts

    def times(self) -> list[float]:
        count = max(round(self.seconds * self.fps), 2)
        times: list[float] = np.linspace(self.begin_ns, self.end_ns, count).tolist()
        return times


def make_film(
    scene: Scene, request: FilmRequest, provenance: str, go_on: Callable[[int], bool]
) -> None:
    """Paint the pictures and write them; there is no file where that does not come to its end.

    Args:
        scene: what is shown.
        request: the film.
        provenance: where the numbers come from, written below each picture.
        go_on: told how many pictures there are; False stops.

    Raises:
        FilmError: there is no film, and why.
        OSError: the file cannot be written.
    """

    def pictures() -> Iterator[QImage]:
        still = Still(scene, QSize(request.width, request.height), provenance)
        for painted, time_ns in enumerate(request.times()):
            if not go_on(painted):
                raise FilmError(words("Stopped; no file was written."))
            yield still.image(time_ns)

    suffix = request.path.suffix.lower()
    if lacking := lacks(suffix):
        raise FilmError(lacking)
    with tempfile.TemporaryDirectory(dir=request.path.parent, prefix=".") as folder:
        part = Path(folder) / request.path.name
        WRITERS[suffix](part, pictures(), request.fps)
        part.replace(request.path)

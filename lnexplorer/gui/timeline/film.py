"""Films of a part of the animation (GIF by Pillow, MP4 by ffmpeg), and pictures of a moment."""

import importlib
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from PySide6.QtCore import QRectF, QSize, QSizeF
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QImage, QPainter

from lnexplorer.domain.timeline import moment
from lnexplorer.gui.kit import GRID, LEFT, RIGHT
from lnexplorer.gui.timeline.captions import caption
from lnexplorer.gui.timeline.frame import Scene
from lnexplorer.gui.timeline.schedule_frame import frame_of
from lnexplorer.gui.timeline.wording import elided, sized, text_width, time_text, write_text
from lnkernels.values import ExplainedError, Sentence, Words, frozen_by_name, say

_TAIL = 300  # characters of ffmpeg's output
# Without these a player guesses, and shows a large film in other colours than a small one.
_COLOURS = [
    "-colorspace",
    "bt709",
    "-color_primaries",
    "bt709",
    "-color_trc",
    "bt709",
    "-color_range",
    "tv",
]


class FilmError(ExplainedError):
    """No film was written; the sentence says why."""


def write_gif(path: Path, pictures: Iterator[QImage], fps: int) -> None:
    """Write a GIF that repeats for ever.

    Its clock has 100 ticks a second; a picture lasts a whole number of ticks, at least 2.
    """
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


def ffmpeg() -> str | None:
    """Return ffmpeg on the PATH, or else that of imageio-ffmpeg; None if there is neither."""
    found = shutil.which("ffmpeg")
    if found is None and importlib.util.find_spec("imageio_ffmpeg") is not None:
        with suppress(RuntimeError):  # imageio-ffmpeg has no program for this system
            found = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    return found


def write_mp4(path: Path, pictures: Iterator[QImage], fps: int) -> None:
    """Write an MP4 with ffmpeg's default encoder, in colours that every player knows."""
    first = next(pictures)
    command = [
        ffmpeg() or "ffmpeg",
        *("-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr0"),
        *("-video_size", f"{first.width()}x{first.height()}", "-framerate", str(fps), "-i", "-"),
        *("-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p", *_COLOURS),
        *("-movflags", "+faststart", "-f", "mp4", str(path)),
    ]
    with tempfile.TemporaryFile() as output:
        with (
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=output
            ) as encoder,
            ExitStack() as at_end,
        ):
            assert encoder.stdin is not None
            at_end.callback(_close, encoder.stdin)
            at_end.callback(encoder.kill)  # if the pictures are not finished
            with suppress(BrokenPipeError):  # its output tells more
                for picture in chain((first,), pictures):
                    encoder.stdin.write(bytes(picture.constBits()))
            _close(encoder.stdin)
            status = encoder.wait()
        if status:
            output.seek(0)
            text = output.read().decode(errors="replace")[-_TAIL:].strip()
            raise FilmError(
                "ffmpeg gave up with status {status}: {output}", status=status, output=text
            )


def _close(pipe: IO[bytes]) -> None:
    with suppress(BrokenPipeError):
        pipe.close()


WRITERS = {".gif": write_gif, ".mp4": write_mp4}


def missing_for(suffix: str) -> Sentence | None:
    """Return why a film with this suffix cannot be written; None if it can be."""
    if suffix not in WRITERS:
        return say("A film's file ends in .gif or .mp4, not in “{suffix}”.", suffix=suffix)
    if suffix == ".gif" and importlib.util.find_spec("PIL") is None:
        return say("GIF needs Pillow: pip install '.[film]' in the clone.")
    if suffix == ".mp4" and ffmpeg() is None:
        return say("MP4 needs ffmpeg: pip install '.[film]' in the clone.")
    return None


_MARGIN = 2 * GRID
_LARGE = 22  # lines of large text in the height of a picture


def with_large_text(scene: Scene, height: int) -> Scene:
    """Return a scene with text that is legible on half a slide, for a picture of this height."""
    pixels = max(height // _LARGE, QFontInfo(scene.font).pixelSize())
    return replace(scene, font=sized(scene.font, pixels))


def _fitting(words: Words, font: QFont, width: float) -> QFont:
    """Return a font in which words fit into a width, but not smaller than half the size."""
    share = width / max(text_width(words, font), 1.0)
    return sized(font, round(QFontInfo(font).pixelSize() * min(max(share, 0.5), 1.0)))


class Still:
    """A scene laid out for a size; below it a caption, a line of provenance and a clock."""

    def __init__(self, scene: Scene, size: QSize, provenance: str) -> None:
        self._size = size
        self._provenance = provenance
        self._line = QFontMetricsF(scene.font).height()
        self._clock = sized(scene.font, round(1.5 * self._line))
        height = size.height() - 3 * GRID - 2 * self._line
        self._scene = replace(scene, size=QSizeF(size.width() - 2 * _MARGIN, height))
        self._frame = frame_of(self._scene)

    def image(self, time_ns: float) -> QImage:
        scene, line, counted = self._scene, self._line, self._scene.timeline.counted
        colours, now = scene.colours, moment(scene.timeline, time_ns)
        image = QImage(self._size, QImage.Format.Format_RGB32)
        image.fill(colours.surface)
        painter = QPainter(image)
        painter.save()
        painter.translate(_MARGIN, GRID)
        self._frame.paint(painter, now)
        painter.restore()
        top = self._size.height() - 2 * line - GRID
        room = QRectF(_MARGIN, top, scene.size.width(), 2 * line)
        times = (time_text(ns, counted=counted) for ns in (888_000.0, scene.last_ns))
        widest = max(text_width(text, self._clock) for text in times)
        text = caption(now, scene.followed, scene.followed_lock)
        upper = QRectF(_MARGIN, top, room.width() - widest - 2 * GRID, line)
        for box, words, colour in (
            (upper, text, colours.text),
            (upper.translated(0, line), self._provenance, colours.muted),
        ):
            font = _fitting(words, scene.font, box.width())
            write_text(painter, box, LEFT, elided(words, font, box.width()), colour, font)
        clock = time_text(time_ns, counted=counted)
        write_text(painter, room, RIGHT, clock, colours.text, self._clock)
        painter.end()
        return image


@frozen_by_name
class FilmRequest:
    """Settings of a film."""

    path: Path  # .gif or .mp4
    width: int  # px; even, since MP4 wants that
    height: int
    fps: int  # of a GIF a divisor of 100
    begin_ns: float
    end_ns: float
    seconds: float  # that the film lasts
    large: bool = False  # text

    def times(self) -> list[float]:
        count = max(round(self.seconds * self.fps), 2)
        times: list[float] = np.linspace(self.begin_ns, self.end_ns, count).tolist()
        return times


def make_film(
    scene: Scene, request: FilmRequest, provenance: str, go_on: Callable[[int], bool]
) -> None:
    """Paint the pictures and write the film; one that is not finished leaves no file.

    Args:
        scene: what is shown.
        request: the film.
        provenance: where the numbers come from, written below each picture.
        go_on: called with the number of pictures so far; False stops the film.

    Raises:
        FilmError: there is no film, and why.
        OSError: the file cannot be written.
    """

    def pictures() -> Iterator[QImage]:
        shown = with_large_text(scene, request.height) if request.large else scene
        still = Still(shown, QSize(request.width, request.height), provenance)
        for painted, time_ns in enumerate(request.times()):
            if not go_on(painted):
                raise FilmError("Stopped; no file was written.")
            yield still.image(time_ns)

    suffix = request.path.suffix.lower()
    if (missing := missing_for(suffix)) is not None:
        raise FilmError(missing)
    with tempfile.TemporaryDirectory(dir=request.path.parent, prefix=".") as folder:
        part = Path(folder) / request.path.name
        WRITERS[suffix](part, pictures(), request.fps)
        part.replace(request.path)

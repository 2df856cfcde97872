"""Writes pictures into a film's file. No Qt but for the words, so that a thread may do it."""

import importlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from PySide6.QtCore import QCoreApplication

_TAIL = 300  # characters of what ffmpeg said
GIF_TICKS = 100  # of a GIF's clock, in a second
# What shows a GIF takes a picture of 1 tick for one that names no time, and shows it for a tenth of a second.
MOST_GIF_FPS = GIF_TICKS // 2
# Without them a player guesses, and has other colours for a large film than for a small one.
_COLOURS = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv")


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels of 4 bytes: blue, green, red, and one that means nothing."""

    width: int
    height: int
    pixels: bytes


class FilmError(Exception):
    """There is no film; the text is a sentence, or empty where somebody wanted it so."""


Writer = Callable[[Path, Iterator[Picture], int], None]


def writer_for(path: Path) -> Writer:
    """What writes a file of this name.

    Raises:
        FilmError: nothing that is here can.
    """
    writers: dict[str, Writer] = {".gif": write_gif, ".mp4": write_mp4}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        text = QCoreApplication.translate("reduction", "A film's file ends in .gif or .mp4, not in “{0}”.")
        raise FilmError(text.format(path.suffix))
    lacking = lacks(path.suffix.lower())
    if lacking:
        raise FilmError(lacking)
    return writer


def lacks(suffix: str) -> str:
    """What has to be installed before a kind of film can be written; the empty text where nothing has."""
    if suffix == ".gif" and importlib.util.find_spec("PIL") is None:
        return QCoreApplication.translate("reduction", "GIF needs Pillow: pip install 'lnexplorer[film]'.")
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        return QCoreApplication.translate(
            "reduction", "MP4 needs ffmpeg, and there is none on the PATH: install your system's package ffmpeg."
        )
    return ""


def rate_of(path: Path, fps: int) -> int:
    """Frames a second that a film of this name can have, where `fps` are wanted."""
    return min(fps, MOST_GIF_FPS) if path.suffix.lower() == ".gif" else fps


def gif_durations(fps: int) -> Iterator[int]:
    """Ticks for each picture of a GIF: whole ones, such that every picture begins within half a tick of its time."""
    shown = 0
    for number in count(1):
        until = round(number * GIF_TICKS / fps)
        yield until - shown
        shown = until


def write_gif(path: Path, pictures: Iterator[Picture], fps: int) -> None:
    """A GIF that begins again at its end, of at most MOST_GIF_FPS."""
    image_module = importlib.import_module("PIL.Image")

    def converted() -> Iterator[object]:
        for picture, ticks in zip(pictures, gif_durations(fps), strict=False):
            image = image_module.frombytes("RGB", (picture.width, picture.height), picture.pixels, "raw", "BGRX")
            image = image.quantize(256, method=image_module.Quantize.FASTOCTREE, dither=image_module.Dither.NONE)
            image.info["duration"] = ticks * 1000 // GIF_TICKS
            yield image

    images = converted()
    first = next(images, None)
    if first is None:
        raise FilmError(QCoreApplication.translate("reduction", "A film without pictures cannot be written."))
    with _aside(path) as part:
        first.save(part, format="GIF", save_all=True, append_images=images, loop=0)  # type: ignore[attr-defined]


def write_mp4(path: Path, pictures: Iterator[Picture], fps: int) -> None:
    """An MP4 with whatever encoder ffmpeg takes for one, in the colours that every player knows."""
    first = next(pictures, None)
    if first is None:
        raise FilmError(QCoreApplication.translate("reduction", "A film without pictures cannot be written."))
    with _aside(path) as part, tempfile.TemporaryFile() as said:
        command = [
            shutil.which("ffmpeg") or "ffmpeg",
            *("-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr0"),
            *("-video_size", f"{first.width}x{first.height}", "-framerate", str(fps), "-i", "-"),
            *("-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p", *_COLOURS),
            *("-movflags", "+faststart", "-f", "mp4", str(part)),
        ]
        encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=said)
        assert encoder.stdin is not None
        try:
            with suppress(BrokenPipeError):  # what it said tells more
                for picture in chain((first,), pictures):
                    encoder.stdin.write(picture.pixels)
                encoder.stdin.close()
            status = encoder.wait()
        finally:
            if encoder.poll() is None:
                encoder.kill()
                encoder.wait()
            with suppress(BrokenPipeError):
                encoder.stdin.close()
        if status:
            said.seek(0)
            text = QCoreApplication.translate("reduction", "ffmpeg gave up with status {0}: {1}")
            raise FilmError(text.format(status, said.read().decode(errors="replace")[-_TAIL:].strip()))


class _aside:  # noqa: N801  (used as a function is)
    """A file beside the one that is wanted, which takes its place when it is complete, and goes when it is not."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")

    def __enter__(self) -> Path:
        self._part.touch()  # where that is not possible, the system says why
        return self._part

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._part.replace(self._path)
        else:
            self._part.unlink(missing_ok=True)

"""A stretch of the animation as a film (GIF by Pillow, MP4 by ffmpeg), and a moment of it as an SVG document."""

import importlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil
from pathlib import Path

import numpy as np
from PySide6.QtCore import QBuffer, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QProgressDialog,
    QPushButton,
    QWidget,
)

from lnexplorer.domain.timeline import moment
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import Label, lay_column, lay_row
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.reduction.painter.frame import Scene
from lnexplorer.gui.reduction.painter.schedule_frame import frame_of
from lnexplorer.gui.reduction.painter.wording import time_text, words
from lnexplorer.gui.reduction.words import caption

_TAIL = 300  # characters of what ffmpeg said
RATES = (10, 20, 25, 50)  # frames a second; a GIF's clock has 100 ticks a second, and a picture lasts whole ones, 2 at least
# Without them a player guesses, and has other colours for a large film than for a small one.
_COLOURS = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv")


class FilmError(Exception):
    """There is no film; the text is a sentence."""


Writer = Callable[[Path, Iterator[QImage], int], None]


def writer_for(path: Path) -> Writer:
    """What writes a file of this name.

    Raises:
        FilmError: nothing that is here can.
    """
    writers: dict[str, Writer] = {".gif": write_gif, ".mp4": write_mp4}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise FilmError(words("A film's file ends in .gif or .mp4, not in “{0}”.", path.suffix))
    lacking = lacks(path.suffix.lower())
    if lacking:
        raise FilmError(lacking)
    return writer


def lacks(suffix: str) -> str:
    """What has to be installed before a kind of film can be written; the empty text where nothing has."""
    if suffix == ".gif" and importlib.util.find_spec("PIL") is None:
        return words("GIF needs Pillow: pip install 'lnexplorer[film]'.")
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        return words("MP4 needs ffmpeg, and there is none on the PATH: install your system's package ffmpeg.")
    return ""


def write_gif(path: Path, pictures: Iterator[QImage], fps: int) -> None:
    """A GIF that begins again at its end, at one of RATES."""
    image_module = importlib.import_module("PIL.Image")

    def converted() -> Iterator[object]:
        for picture in pictures:
            image = image_module.frombytes("RGB", picture.size().toTuple(), bytes(picture.constBits()), "raw", "BGRX")
            image = image.quantize(256, method=image_module.Quantize.FASTOCTREE, dither=image_module.Dither.NONE)
            yield image

    images = converted()
    first = next(images, None)
    if first is None:
        raise FilmError(words("A film without pictures cannot be written."))
    with _aside(path) as part:
        first.save(part, format="GIF", save_all=True, append_images=images, loop=0, duration=1000 // fps)  # type: ignore[attr-defined]


def write_mp4(path: Path, pictures: Iterator[QImage], fps: int) -> None:
    """An MP4 with whatever encoder ffmpeg takes for one, in the colours that every player knows."""
    first = next(pictures, None)
    if first is None:
        raise FilmError(words("A film without pictures cannot be written."))
    with _aside(path) as part, tempfile.TemporaryFile() as said:
        command = [
            shutil.which("ffmpeg") or "ffmpeg",
            *("-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr0"),
            *("-video_size", f"{first.width()}x{first.height()}", "-framerate", str(fps), "-i", "-"),
            *("-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p", *_COLOURS),
            *("-movflags", "+faststart", "-f", "mp4", str(part)),
        ]
        encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=said)
        assert encoder.stdin is not None
        try:
            with suppress(BrokenPipeError):  # what it said tells more
                for picture in chain((first,), pictures):
                    encoder.stdin.write(bytes(picture.constBits()))
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
            raise FilmError(
                words("ffmpeg gave up with status {0}: {1}", status, said.read().decode(errors="replace")[-_TAIL:].strip())
            )


@contextmanager
def _aside(path: Path) -> Iterator[Path]:
    """A file beside the one that is wanted, which takes its place when it is complete, and goes when it is not."""
    part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    part.touch()  # where that is not possible, the system says why
    try:
        yield part
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    part.replace(path)


_MARGIN = 2 * GRID
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEAST_RATIO = 0.5  # of height to width, where the words below make a document wider
LEAST_SIZE = QSize(480, 320)  # nothing can be read in a smaller one


class Still:
    """A scene laid out for a size, with a caption, a line that says where it comes from, and a clock below it."""

    def __init__(self, scene: Scene, size: QSize, provenance: str) -> None:
        self._size, self._provenance = size, provenance
        self._line = QFontMetricsF(scene.font).height()
        inside = QSizeF(size.width() - 2 * _MARGIN, size.height() - 2 * GRID - 2 * self._line - GRID)
        self._scene = replace(scene, size=inside)
        self._frame = frame_of(self._scene)

    def paint(self, painter: QPainter, time_ns: float) -> None:
        scene, line = self._scene, self._line
        painter.fillRect(QRect(0, 0, self._size.width(), self._size.height()), scene.colours.surface)
        painter.save()
        painter.translate(_MARGIN, GRID)
        self._frame.paint(painter, moment(scene.timeline, time_ns))
        painter.restore()
        top = self._size.height() - 2 * line - GRID
        metrics, clock = QFontMetricsF(scene.font), _clock_width(scene)
        width = self._size.width() - 2 * _MARGIN - clock
        painter.setFont(scene.font)
        texts = (
            (_words(scene, time_ns), scene.colours.text),
            (_whole_parts(self._provenance, metrics, width), scene.colours.muted),
        )
        for place, (text, colour) in enumerate(texts):
            painter.setPen(colour)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRectF(_MARGIN, top + place * line, width, line), _LEFT, shown)
        painter.setFont(_clock_font(scene))
        painter.setPen(scene.colours.text)
        text = time_text(time_ns, counted=scene.timeline.counted)
        painter.drawText(QRectF(_MARGIN + width, top, clock, 2 * line), _RIGHT, text)

    def image(self, time_ns: float) -> QImage:
        image = QImage(self._size, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        self.paint(painter, time_ns)
        painter.end()
        return image


def _clock_font(scene: Scene) -> QFont:
    font = QFont(scene.font)
    font.setPixelSize(round(1.5 * QFontMetricsF(scene.font).height()))
    return font


def _clock_width(scene: Scene) -> float:
    widest = max((time_text(ns, counted=scene.timeline.counted) for ns in (888_000.0, scene.last_ns)), key=len)
    return QFontMetricsF(_clock_font(scene)).horizontalAdvance(widest) + 2 * GRID


def _whole_parts(text: str, metrics: QFontMetricsF, width: float) -> str:
    """As many of a line's parts as there is room for; the first is the most important."""
    parts = text.split(" · ")
    while len(parts) > 1 and metrics.horizontalAdvance(" · ".join(parts)) > width:
        parts.pop()
    return " · ".join(parts)


def _words(scene: Scene, time_ns: float) -> str:
    return caption(scene.timeline, moment(scene.timeline, time_ns), scene.followed, scene.followed_lock)


def _size_for_words(scene: Scene, time_ns: float, provenance: str) -> QSize:
    """Of a document in which no word is cut: what a recording is, is nowhere else once the document has left the
    window.
    """
    metrics = QFontMetricsF(scene.font)
    width = max(metrics.horizontalAdvance(text) for text in (_words(scene, time_ns), provenance))
    width += 2 * _MARGIN + 1 + _clock_width(scene)
    return QSize(ceil(width), ceil(width * _LEAST_RATIO))


def moment_svg(scene: Scene, size: QSize, time_ns: float, provenance: str) -> bytes:
    """A moment as an SVG document: text and lines as such, what has a cell for each row as a picture within it.

    Args:
        scene: what is shown.
        size: in pixels; a document is larger where the words below the picture need it, and at least LEAST_SIZE.
        time_ns: the moment.
        provenance: where the numbers come from, written below the picture and into the document's description.
    """
    from PySide6.QtSvg import QSvgGenerator

    size = size.expandedTo(LEAST_SIZE).expandedTo(_size_for_words(scene, time_ns, provenance))
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setResolution(QImage(1, 1, QImage.Format.Format_RGB32).logicalDpiX())  # letters as large as on the screen
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(words("The reduction of dw and db"))
    generator.setDescription(provenance)
    painter = QPainter(generator)
    Still(scene, size, provenance).paint(painter, time_ns)
    painter.end()
    return bytes(buffer.data().data())


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


def make_film(scene: Scene, request: FilmRequest, provenance: str, go_on: Callable[[int], bool]) -> None:
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

    writer_for(request.path)(request.path, pictures(), request.fps)


_SIZES = ((1280, 720), (1920, 1080), (3840, 2160), (960, 540))
_NS_PER_US = 1000.0


class FilmDialog(QDialog):
    """Size, frames a second, the stretch of time, how long it takes to watch, and the file."""

    def __init__(self, scene: Scene, provenance: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._scene, self._provenance = scene, provenance
        self.size_choice = QComboBox(self)
        for width, height in _SIZES:
            self.size_choice.addItem(f"{width} × {height}", (width, height))
        self.fps = QComboBox(self)
        for fps in RATES:
            self.fps.addItem(str(fps), fps)
        self.fps.setCurrentText("25")
        end = scene.timeline.end_ns / _NS_PER_US
        self.begin, self.end, self.seconds = (QDoubleSpinBox(self) for _ in range(3))
        for box, time_ns in ((self.begin, scene.begin_ns), (self.end, scene.end_ns)):  # what the lanes show
            box.setRange(0.0, end)
            box.setDecimals(3)
            box.setSuffix(" µs")
            box.setValue(time_ns / _NS_PER_US)
        self.seconds.setRange(0.5, 600.0)
        self.seconds.setDecimals(1)
        self.seconds.setSuffix(" s")
        self.seconds.setValue(8.0)
        suffix = ".mp4" if lacks(".gif") and not lacks(".mp4") else ".gif"
        self.path = QLineEdit(str(Path.home() / f"reduction{suffix}"), self)
        self.browse = QPushButton("…", self)
        self.browse.setAutoDefault(False)
        self.message = Label(self)
        self.message.setWordWrap(True)
        self.buttons = QDialogButtonBox(self)
        self.make = self.buttons.addButton(self.tr("Make film"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(self.tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        self.make.setDefault(True)
        self._lay_out()
        self.browse.clicked.connect(self._browse)
        for changed in (self.path.textChanged, self.begin.valueChanged, self.end.valueChanged):
            changed.connect(self._check)
        self.make.clicked.connect(self._make)
        self.buttons.rejected.connect(self.reject)
        self._check()

    def request(self) -> FilmRequest:
        width, height = self.size_choice.currentData()
        return FilmRequest(
            path=Path(self.path.text()).expanduser(),
            width=width,
            height=height,
            fps=self.fps.currentData(),
            begin_ns=self.begin.value() * _NS_PER_US,
            end_ns=self.end.value() * _NS_PER_US,
            seconds=self.seconds.value(),
        )

    def _lay_out(self) -> None:
        self.setWindowTitle(self.tr("Film of the reduction"))
        self.browse.setAccessibleName(self.tr("Choose the file"))
        file_line = lay_row(None, (self.path, 1), self.browse)
        stretch = lay_row(None, (self.begin, 1), Label("–", self), (self.end, 1))
        form = QFormLayout()
        form.addRow(self.tr("Size"), self.size_choice)
        form.addRow(self.tr("Frames a second"), self.fps)
        form.addRow(self.tr("From – to"), stretch)
        form.addRow(self.tr("Lasts"), self.seconds)
        form.addRow(self.tr("File (.gif or .mp4)"), file_line)
        lay_column(self, form, self.message, self.buttons, margins=None, spacing=GRID)
        self.setMinimumWidth(60 * GRID)

    def _browse(self) -> None:
        kinds = self.tr("Films") + " (*.gif *.mp4)"
        path, _ = QFileDialog.getSaveFileName(self, self.tr("Film of the reduction"), self.path.text(), kinds)
        if path:
            self.path.setText(path)

    def _check(self) -> None:
        """Say what is not possible before it is tried."""
        problem = ""
        try:
            writer_for(Path(self.path.text()))
        except FilmError as error:
            problem = str(error)
        if self.end.value() <= self.begin.value():
            problem = self.tr("From – to: {0} µs is not later than {1} µs.").format(
                f"{self.end.value():g}", f"{self.begin.value():g}"
            )
        path = Path(self.path.text()).expanduser()
        if not problem and path.is_file():
            self.message.setText(self.tr("{0} exists and will be replaced.").format(path))
        else:
            self.message.setText(problem)
        self.make.setEnabled(not problem)

    def _make(self) -> None:
        request = self.request()
        count = len(request.times())
        progress = QProgressDialog(self.windowTitle(), self.tr("Stop"), 0, count, self)
        progress.setWindowModality(Qt.WindowModality.WindowModal)
        progress.setMinimumDuration(0)

        def go_on(painted: int) -> bool:
            progress.setValue(painted)  # lets other events have their turn
            return not progress.wasCanceled()

        try:
            make_film(self._scene, request, self._provenance, go_on)
            sentence = self.tr("Saved in {0}; frames: {1}, {2} a second.").format(request.path, count, request.fps)
        except FilmError as error:
            sentence = str(error)
        except OSError as error:
            sentence = f"{request.path} cannot be written ({error.strerror or error})."
        progress.reset()
        progress.deleteLater()
        self.message.setText(translate_message(sentence))
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

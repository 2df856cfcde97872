"""A stretch of the animation as a film: GIF by Pillow, MP4 by ffmpeg, whichever of them there is.

Frames are painted on Qt's thread, one each time the event loop comes round, and written by a thread, which touches bytes alone.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Full, Queue

import numpy as np
from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtGui import QImage

from lnexplorer.gui.reduction.film_writers import FilmError, Picture, rate_of, writer_for
from lnexplorer.gui.reduction.painter.frame import Scene
from lnexplorer.gui.reduction.still import Still
from lnexplorer.gui.shell.mailbox import Mailbox

_AHEAD = 6  # pictures that wait to be written
_BUSY_MS = 5  # until the next look whether there is room for another


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmRequest:
    """What a film shows, and how."""

    path: Path  # .gif or .mp4
    width: int  # px; even, since MP4 wants that
    height: int
    fps: int  # that are wanted; `rate` is what the film has
    begin_ns: float
    end_ns: float
    seconds: float  # that the film lasts

    @property
    def rate(self) -> int:
        """Frames a second: fewer than wanted where this kind of film has no more."""
        return rate_of(self.path, self.fps)

    def times(self) -> list[float]:
        """The moment of each frame; the last is the end."""
        count = max(round(self.seconds * self.rate), 2)
        times: list[float] = np.linspace(self.begin_ns, self.end_ns, count).tolist()
        return times


def frames(scene: Scene, request: FilmRequest, provenance: str) -> Iterator[QImage]:
    """The film's pictures, painted as they are asked for, on Qt's thread."""
    still = Still(scene, QSize(request.width, request.height), provenance)
    for time_ns in request.times():
        yield still.image(time_ns)


class Film(QObject):
    """Makes one film."""

    progressed = Signal(int, int)  # frames painted, of all
    finished = Signal(str)  # the empty text, or why there is no film

    def __init__(self, scene: Scene, request: FilmRequest, provenance: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._request = request
        self._frames = frames(scene, request, provenance)
        self._count, self._painted = len(request.times()), 0
        self._queue: Queue[Picture | None] = Queue(_AHEAD)
        self._waiting: Picture | None = None  # painted, and not yet handed over
        self._stop = threading.Event()
        self._mailbox = Mailbox(self)
        self._thread = threading.Thread(target=self._write, name="film", daemon=True)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._step)
        self._over = False

    def start(self) -> None:
        """Begin to paint and to write."""
        self._thread.start()
        self._timer.start(0)

    def cancel(self) -> None:
        """Stop, and leave no file; returns when the thread has ended."""
        self._timer.stop()
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._over = True
        self._mailbox.close()

    def _step(self) -> None:
        """Paint a picture, or wait for the writer."""
        if self._over:
            return
        if self._waiting is None:
            image = next(self._frames, None)
            if image is None:
                self._hand_over(None)
                return
            self._waiting = Picture(image.width(), image.height(), bytes(image.constBits()))
            self._painted += 1
            self.progressed.emit(self._painted, self._count)
        self._hand_over(self._waiting)

    def _hand_over(self, picture: Picture | None) -> None:
        try:
            self._queue.put_nowait(picture)
        except Full:
            self._timer.start(_BUSY_MS)
            return
        self._waiting = None
        if picture is not None:
            self._timer.start(0)

    def _pictures(self) -> Iterator[Picture]:
        """For the thread: what was painted, until it is all or somebody stops it."""
        while not self._stop.is_set():
            try:
                picture = self._queue.get(timeout=0.1)
            except Empty:
                continue
            if picture is None:
                return
            yield picture
        raise FilmError("")

    def _write(self) -> None:
        request, why = self._request, ""
        try:
            writer_for(request.path)(request.path, self._pictures(), request.rate)
        except FilmError as error:
            why = str(error)
        except OSError as error:
            why = f"{request.path} cannot be written ({error.strerror or error})."
        if not self._stop.is_set():
            self._mailbox.post(lambda: self._finish(why))

    def _finish(self, why: str) -> None:
        self._timer.stop()
        self._over = True
        self._thread.join()
        self._mailbox.close()
        self.finished.emit(why)

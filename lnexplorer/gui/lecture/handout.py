"""The lecture on paper: its steps with their notes, two to a page of A4, as a PDF or as pictures of the pages."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter, QPen
from PySide6.QtWidgets import QProgressDialog, QWidget

from lnexplorer.domain.lecture.position import plan
from lnexplorer.domain.lecture.scenes import Playback
from lnexplorer.domain.lecture.storyboard import TITLE, Step
from lnexplorer.gui.charts.sheet import LEFT, RIGHT, TOP, WHITE, Sheet
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.lecture.loading import lecture_steps
from lnexplorer.gui.lecture.page import PageState, draw_page, minute_text, said
from lnexplorer.gui.lecture.picture_pages import Pictures
from lnexplorer.gui.responsive import Background
from lnexplorer.store.files import StoreError, unwritable, write_whole
from lnkernels.sentence import Sentence, say

PDF, PNG = "pdf", "png"
FORMATS = (PDF, PNG)
PER_PAGE = 2
_STEP = QSizeF(1280, 720)  # px in which a step is laid out; all else is in the same
_PAGE = QSizeF(1545, 2185)  # the shape of A4, with the step 174 mm wide
_LEFT, _TOP, _HALF, _FOOT = 132.5, 110.0, 1000.0, 2095.0
_NOTES = 200.0  # high, below a step
_RESOLUTION = {PDF: 1200, PNG: 200}  # points per inch
_QUALITY = 70  # of a PNG: 77 ms a page in place of 122, and 7 % more bytes
_A4_INCHES = QSizeF(210 / 25.4, 297 / 25.4)
_REST = 0.4  # of a timeline: where most of it can be seen


class Handout:
    """Draws one step at a time, so that nobody is kept waiting for all; in the language of the application.

    Args:
        steps: of the lecture.
        form: of FORMATS.
    """

    def __init__(self, steps: tuple[Step, ...], form: str) -> None:
        self.steps, self.form, self.done = steps, form, 0
        self._plan = plan(steps)
        self._full = False  # whether there is a page of pixels to be packed
        self.pages: list[bytes] = []  # the finished files: one PDF, or a PNG for each page
        self._widgets = QWidget()
        self._pictures = Pictures(self._widgets)
        self._buffer = QBuffer()
        self._painter = QPainter()
        self._image = QImage()

    @property
    def finished(self) -> bool:
        return self.done == len(self.steps) and not self._full

    def draw_next(self) -> None:
        """Draw the next step, or pack the page that is full, which takes as long; once it is finished, `pages` is
        complete.
        """
        if self._full:
            self._pack()
            return
        place = self.done % PER_PAGE
        if place == 0:
            self._begin_page()
        self._draw_step(self.steps[self.done], place)
        self.done += 1
        last = self.done == len(self.steps)
        if self.form == PNG and (last or self.done % PER_PAGE == 0):
            self._painter.end()
            self._full = True
        elif last:
            self._painter.end()
            self.pages = [bytes(self._buffer.data().data())]

    def close(self) -> None:
        """Give the widgets up; what was not finished is gone."""
        if self._painter.isActive():
            self._painter.end()
        self._widgets.deleteLater()

    def _begin_page(self) -> None:
        if self.form == PNG:
            size = _A4_INCHES * _RESOLUTION[PNG]
            self._image = QImage(size.toSize(), QImage.Format.Format_RGB32)
            self._image.fill(WHITE.background)
            self._painter.begin(self._image)
        elif self.done == 0:
            self._buffer.open(QIODevice.OpenModeFlag.WriteOnly)
            self._writer = QPdfWriter(self._buffer)
            self._writer.setTitle(_title())
            self._writer.setCreator("lnexplorer")
            self._writer.setResolution(_RESOLUTION[PDF])
            self._writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
            self._writer.setPageMargins(QMarginsF())
            self._painter.begin(self._writer)
        else:
            self._writer.newPage()
        self._painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.LosslessImageRendering)
        self._painter.resetTransform()
        self._painter.scale(*2 * (_A4_INCHES.width() * _RESOLUTION[self.form] / _PAGE.width(),))
        sheet, pages = self._sheet(), -(-len(self.steps) // PER_PAGE)
        foot = QRectF(_LEFT, _FOOT, _STEP.width(), 2 * sheet.unit)
        sheet.write(foot, _title(), sheet.small, WHITE.muted, LEFT)
        sheet.write(foot, f"{self.done // PER_PAGE + 1} / {pages}", sheet.small, WHITE.muted, RIGHT)

    def _draw_step(self, step: Step, place: int) -> None:
        time_ns = _REST * step.scene.end_ns if isinstance(step.scene, Playback) else 0.0
        minute = minute_text(self._plan, self.done)
        state = PageState(step=step, number=self.done + 1, count=len(self.steps), time_ns=time_ns, minute=minute)
        self._painter.save()
        self._painter.translate(QPointF(_LEFT, _TOP + place * _HALF))
        self._painter.save()
        self._painter.setClipRect(QRectF(QPointF(), _STEP))
        sheet = self._sheet()
        draw_page(sheet, state, self._pictures)
        self._painter.restore()
        self._painter.setPen(QPen(WHITE.line, 1.5))
        self._painter.drawRect(QRectF(QPointF(), _STEP))
        caption = translate_message(step.caption)
        lines = [caption] if caption and caption != said(state) else []  # what a timeline comes to at its end
        room = QRectF(0, _STEP.height() + 0.6 * sheet.unit, _STEP.width(), _NOTES)
        sheet.write(room, "\n".join([*lines, translate_message(step.note)]), sheet.body, align=TOP)
        self._painter.restore()

    def _pack(self) -> None:
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._image.save(buffer, "PNG", _QUALITY)  # type: ignore[call-overload]  # the format is a str, whatever the stubs say
        self.pages.append(bytes(buffer.data().data()))
        self._full = False

    def _sheet(self) -> Sheet:
        return Sheet(self._painter, _STEP, WHITE)


def write_handout(path: Path, pages: list[bytes], form: str) -> Path:
    """Write a finished handout, whole or not at all: a PDF, or a folder with a PNG for each page.

    Raises:
        StoreError: it cannot be written, or the folder holds something.
    """
    try:
        if form == PDF:
            write_whole(path, pages[0])
            return path
        if path.is_dir() and any(path.iterdir()):
            raise StoreError(say("{path} cannot be written: name a folder that is empty, or not there yet.", path=str(path)))
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            made = Path(folder) / path.name
            made.mkdir()
            for number, page in enumerate(pages, start=1):
                (made / f"page-{number:02d}.png").write_bytes(page)
            made.rename(path)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


class HandoutDialog(QProgressDialog):
    """Draws and writes a handout while the event loop turns; who stops it gets nothing.

    Args:
        path: a PDF; one that ends in .png stands for a folder of that name without it.
        background: reads and writes, and warns of what it cannot.
        then: given the path once it is written.
    """

    def __init__(self, path: Path, background: Background, then: Callable[[Path], object], parent: QWidget) -> None:
        super().__init__(parent)
        self._form = PNG if path.suffix.lower() == ".png" else PDF
        self._path = path.with_suffix("") if self._form == PNG else path
        self._background, self._then = background, then
        self._handout: Handout | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._draw)
        self.setWindowTitle(self.tr("Lecture handout"))
        self.setLabelText(self.tr("The steps are drawn …"))
        self.setCancelButtonText(self.tr("Stop"))
        self.setWindowModality(Qt.WindowModality.ApplicationModal)  # nobody changes the language on the way
        self.setAutoReset(False)
        self.setMinimumDuration(0)
        self.canceled.connect(self._end)

    def begin(self) -> None:
        """Read the recordings, then draw."""
        self.setValue(0)
        self._background.do(lecture_steps, self._draw_all, otherwise=self._refused)

    def _draw_all(self, steps: tuple[Step, ...]) -> None:
        if not self.wasCanceled():
            self._handout = Handout(steps, self._form)
            self.setMaximum(len(steps))
            self._timer.start(0)

    def _draw(self) -> None:
        handout = self._handout
        assert handout is not None, "the timer runs"
        handout.draw_next()
        if handout.finished:
            pages = handout.pages
            self._background.do(lambda: write_handout(self._path, pages, self._form), self._then)
            self._end()
        else:
            self.setValue(handout.done)

    def _refused(self, sentence: Sentence) -> None:
        self._background.warned.emit(sentence)
        self._end()

    def _end(self) -> None:
        self._timer.stop()
        if self._handout is not None:
            self._handout.close()
        self.hide()
        self.deleteLater()


def _title() -> str:
    return translate_message(TITLE).replace("：\n", "：").replace("\n", " ")

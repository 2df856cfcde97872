"""The lecture on paper, for its speaker or for students: two steps to a page of A4, as a PDF or as
pictures of the pages.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter, QPen
from PySide6.QtWidgets import QProgressDialog, QWidget

from lnexplorer.domain.lecture.paper import explained, with_blanks
from lnexplorer.domain.lecture.scenes import USUAL, LectureStep, Opening
from lnexplorer.domain.lecture.storyboard import TITLE, lecture_of
from lnexplorer.gui.charts.picture import packed
from lnexplorer.gui.charts.sheet import RIGHT, TOP, WHITE, Sheet
from lnexplorer.gui.kit.languages import translate_message
from lnexplorer.gui.kit.responsive import Background
from lnexplorer.lecture.loading import lecture_steps
from lnexplorer.lecture.page import PageState, draw_page, said
from lnexplorer.lecture.picture_pages import HiddenCanvas
from lnexplorer.store.files import StoreError, unwritable, write_whole
from lnkernels.values.sentence import Sentence, say

SPEAKER, STUDENT = READERS = ("speaker", "student")
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


def draw_handout(
    steps: Sequence[LectureStep], form: str, pages: list[bytes], reader: str = SPEAKER
) -> Iterator[int]:
    """Draw the handout in the application's language, a step or a page in each turn.

    Args:
        steps: of the lecture.
        form: of FORMATS.
        pages: takes the finished files, a PNG for each page, or one PDF at the end.
        reader: of READERS; a student gets explanations and blanks, and the answers at the end.

    Yields:
        The number of steps that are drawn.
    """
    places = _places(steps, reader)
    widgets, painter, buffer = QWidget(), QPainter(), QBuffer()
    pictures, inches = HiddenCanvas(widgets), _A4_INCHES
    image = QImage((inches * _RESOLUTION[PNG]).toSize(), QImage.Format.Format_RGB32)
    try:
        if form == PDF:
            buffer.open(QIODevice.OpenModeFlag.WriteOnly)
            writer = QPdfWriter(buffer)
            writer.setTitle(_title())
            writer.setCreator("lnexplorer")
            writer.setResolution(_RESOLUTION[PDF])
            writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
            writer.setPageMargins(QMarginsF())
            painter.begin(writer)
        for first in range(0, len(places), PER_PAGE):
            if form == PNG:
                image.fill(WHITE.background)
                painter.begin(image)
            elif first:
                writer.newPage()
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.LosslessImageRendering
            )
            painter.resetTransform()
            painter.scale(*2 * (inches.width() * _RESOLUTION[form] / _PAGE.width(),))
            sheet = Sheet(painter, _STEP, WHITE)
            foot = QRectF(_LEFT, _FOOT, _STEP.width(), 2 * sheet.unit)
            sheet.label(foot, _title())
            sheet.label(foot, f"{first // PER_PAGE + 1} / {-(-len(places) // PER_PAGE)}", RIGHT)
            for place, step in enumerate(places[first : first + PER_PAGE]):
                painter.save()
                painter.translate(QPointF(_LEFT, _TOP + place * _HALF))
                if isinstance(step, str):
                    sheet.write(QRectF(QPointF(), _STEP), step, sheet.body, align=TOP)
                else:
                    _draw_step(sheet, PageState(step=step), pictures, reader)
                painter.restore()
                yield first + place + 1
            if form == PNG:
                painter.end()
                pages.append(packed(image, quality=_QUALITY))
                yield first + place + 1  # packing a page takes as long as drawing a step
        if form == PDF:
            painter.end()
            pages.append(bytes(buffer.data().data()))
    finally:
        if painter.isActive():
            painter.end()
        widgets.deleteLater()


def _places(steps: Sequence[LectureStep], reader: str) -> Sequence[LectureStep | str]:
    """Return what stands above each other on the pages: steps but for those that only begin a
    chapter, and answers for a student.
    """
    steps = [each for each in steps if not isinstance(each.scene, Opening) or not each.chapter]
    if reader != STUDENT:
        return steps
    shown, answers = with_blanks(steps)
    lines = [f"{number}:\u00a0{translate_message(text)}" for number, text in answers]
    head = translate_message(say("Answers, by the number of the step"))
    return (*shown, "\n".join((head, "     ".join(lines))))


def _draw_step(sheet: Sheet, state: PageState, pictures: HiddenCanvas, reader: str) -> None:
    """Draw a step in its frame, with its notes below."""
    painter = sheet.painter
    painter.save()
    painter.setClipRect(QRectF(QPointF(), _STEP))
    draw_page(sheet, state, pictures)
    painter.restore()
    painter.setPen(QPen(WHITE.line, 1.5))
    painter.drawRect(QRectF(QPointF(), _STEP))
    caption = translate_message(state.step.caption)
    lines = (
        [caption] if caption and caption != said(state) else []
    )  # what a timeline comes to at its end
    room = QRectF(0, _STEP.height() + 0.6 * sheet.unit, _STEP.width(), _NOTES)
    note = translate_message(state.step.note)
    lines.append(explained(note) if reader == STUDENT else note)
    sheet.write(room, "\n".join(lines), sheet.body, align=TOP)


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
            raise StoreError(
                say(
                    "{path} cannot be written: name a folder that is empty, or not there yet.",
                    path=str(path),
                )
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            pictures = Path(folder) / path.name
            pictures.mkdir()
            for number, page in enumerate(pages, start=1):
                (pictures / f"page-{number:02d}.png").write_bytes(page)
            pictures.rename(path)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


class HandoutDialog(QProgressDialog):
    """Draws and writes a handout while the event loop turns; a stopped one writes nothing.

    Args:
        path: a PDF; one that ends in .png stands for a folder of that name without it.
        background: reads and writes, and warns of what it cannot.
        then: given the path once it is written.
        parent: the window.
        chosen: minutes of the lecture, and of READERS.
    """

    def __init__(
        self,
        path: Path,
        background: Background,
        then: Callable[[Path], object],
        parent: QWidget,
        chosen: tuple[int, str] = (USUAL, SPEAKER),
    ) -> None:
        super().__init__(parent)
        self._form = PNG if path.suffix.lower() == ".png" else PDF
        self._path = path.with_suffix("") if self._form == PNG else path
        self._chosen = chosen
        self._background = background
        self._then = then
        self._pages: list[bytes] = []
        self._drawing: Iterator[int] = iter(())
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._draw)
        self.setWindowTitle(self.tr("Lecture handout"))
        self.setLabelText(self.tr("The steps are drawn …"))
        self.setCancelButtonText(self.tr("Stop"))
        self.setWindowModality(
            Qt.WindowModality.ApplicationModal
        )  # nobody changes the language on the way
        self.setAutoReset(False)
        self.setMinimumDuration(0)
        self.canceled.connect(self._end)

    def begin(self) -> None:
        """Read the recordings, then draw."""
        self.setValue(0)
        self._background.do(lecture_steps, self._draw_all, otherwise=self._refused)

    def _draw_all(self, steps: tuple[LectureStep, ...]) -> None:
        if not self.wasCanceled():
            length, reader = self._chosen
            steps = lecture_of(steps, length)
            self._drawing = draw_handout(steps, self._form, self._pages, reader)
            self.setMaximum(len(steps))
            self._timer.start(0)

    def _draw(self) -> None:
        done = next(self._drawing, None)
        if done is not None:
            self.setValue(done)
            return
        pages = self._pages
        self._background.do(lambda: write_handout(self._path, pages, self._form), self._then)
        self._end()

    def _refused(self, sentence: Sentence) -> None:
        self._background.warned.emit(sentence)
        self._end()

    def _end(self) -> None:
        self._timer.stop()
        self._drawing = iter(())
        self.hide()
        self.deleteLater()


def _title() -> str:
    return translate_message(TITLE).replace("：\n", "：").replace("\n", " ")

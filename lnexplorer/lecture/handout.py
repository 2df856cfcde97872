"""The lecture on paper, for its speaker or for students: two steps to a page of A4, as a PDF."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, QSizeF
from PySide6.QtGui import QPageSize, QPainter, QPdfWriter, QPen
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.lecture.paper import explained, with_blanks
from lnexplorer.domain.lecture.scenes import LectureStep, Opening
from lnexplorer.domain.lecture.storyboard import TITLE, lecture_of
from lnexplorer.gui.charts.sheet import TOP, WHITE, Sheet
from lnexplorer.gui.kit import ENGLISH, RIGHT, Languages, translate_message
from lnexplorer.lecture.loading import lecture_steps
from lnexplorer.lecture.page import PageState, draw_page, said
from lnexplorer.lecture.picture_pages import HiddenCanvas
from lnexplorer.report.pictures import begin_drawing
from lnkernels.values import say

SPEAKER, STUDENT = READERS = ("speaker", "student")
PER_PAGE = 2
_STEP = QSizeF(1280, 720)  # px in which a step is laid out; all else is in the same
_PAGE = QSizeF(1545, 2185)  # the shape of A4, with the step 174 mm wide
_LEFT, _TOP, _HALF, _FOOT = 132.5, 110.0, 1000.0, 2095.0
_NOTES = 200.0  # high, below a step
_RESOLUTION = 1200  # points per inch
_A4_INCHES = 210 / 25.4  # wide


def draw_handout(
    steps: Sequence[LectureStep], finished: list[bytes], reader: str = SPEAKER
) -> Iterator[int]:
    """Draw the handout in the application's language, a step in each turn.

    Args:
        steps: of the lecture.
        finished: takes the PDF at the end.
        reader: of READERS; a student gets explanations and blanks, and the answers at the end.

    Yields:
        The number of steps that are drawn.
    """
    places = _places(steps, reader)
    widgets, painter, buffer = QWidget(), QPainter(), QBuffer()
    pictures = HiddenCanvas(widgets)
    try:
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        writer = QPdfWriter(buffer)
        writer.setTitle(_title())
        writer.setCreator("lnexplorer")
        writer.setResolution(_RESOLUTION)
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        writer.setPageMargins(QMarginsF())
        painter.begin(writer)
        for first in range(0, len(places), PER_PAGE):
            if first:
                writer.newPage()
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.LosslessImageRendering
            )
            painter.resetTransform()
            painter.scale(*2 * (_A4_INCHES * _RESOLUTION / _PAGE.width(),))
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
        painter.end()
        finished.append(bytes(buffer.data().data()))
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


def handout(minutes: int, reader: str, language: str) -> bytes:
    """Make the PDF of a lecture; the application's language is changed meanwhile."""
    begin_drawing()
    languages = Languages()
    languages.use(language)
    finished: list[bytes] = []
    for _ in draw_handout(lecture_of(lecture_steps(), minutes), finished, reader):
        pass
    languages.use(ENGLISH)
    return finished[0]


def _title() -> str:
    return translate_message(TITLE).replace("：\n", "：").replace("\n", " ")

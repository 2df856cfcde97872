"""A question with its options; after the reveal the right one stands out, and the answer says why."""

from PySide6.QtCore import QRectF

from lnexplorer.domain.lecture.answers import Answer
from lnexplorer.gui.lecture.question_words import answer_text, option_texts, question_text
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, TOP, Sheet
from lnexplorer.gui.painter.colours import legible_on, mixed

_LETTERS = "ABCD"


def draw_question_page(sheet: Sheet, room: QRectF, answer: Answer, *, revealed: bool) -> None:
    """Draw the question; the options keep their places when the answer comes."""
    unit, palette = sheet.unit, sheet.palette
    options = option_texts(answer)
    question = QRectF(room.left(), room.top(), room.width(), 0.26 * room.height())
    sheet.write(question, question_text(answer), sheet.large, palette.text, LEFT, bold=True)
    top = question.bottom() + 0.6 * unit
    height = min(3.3 * unit, (0.44 * room.height()) / len(options))
    for place, text in enumerate(options):
        right = revealed and place == answer.correct
        area = QRectF(room.left(), top + place * height, room.width(), height - 0.45 * unit)
        fill = palette.good if right else palette.cell
        sheet.box(area, fill)
        ink = legible_on(fill) if right or not revealed else mixed(palette.muted, palette.background, 0.15)
        letter = QRectF(area.left() + 0.3 * unit, area.top(), 2 * unit, area.height())
        sheet.write(letter, "✓" if right else _LETTERS[place], sheet.body, ink, CENTRE, bold=True)
        rest = QRectF(area.left() + 2.6 * unit, area.top(), area.width() - 3 * unit, area.height())
        sheet.write(rest, text, sheet.body, ink, LEFT, bold=right)
    if revealed:
        below = top + len(options) * height + 0.7 * unit
        sheet.write(QRectF(room.left(), below, room.width(), room.bottom() - below), answer_text(answer), sheet.body, align=TOP)

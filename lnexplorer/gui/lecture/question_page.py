"""A question with its options, one marked as the room's guess; after the reveal the right one stands out, and why is said."""

from PySide6.QtCore import QRectF

from lnexplorer.domain.lecture.answers import Answer
from lnexplorer.gui.lecture.question_words import answer_text, option_texts, question_text
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, TOP, Sheet
from lnexplorer.gui.reduction.painter.colours import legible_on, mixed

_LETTERS = "ABCD"
_FRAME = 0.2  # units: of the room's guess


def draw_question_page(sheet: Sheet, room: QRectF, answer: Answer, *, revealed: bool, guess: int | None = None) -> None:
    """Draw the question; the options keep their places when the answer comes.

    Args:
        sheet: the page.
        room: where.
        answer: of the question.
        revealed: whether the answer is shown, too.
        guess: the option that the room has chosen; None where it has not.
    """
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
        guessed = place == guess
        sheet.options.append(area)
        sheet.box(area, fill, palette.accent if guessed else None, _FRAME)
        ink = legible_on(fill) if right or guessed or not revealed else mixed(palette.muted, palette.background, 0.15)
        letter = QRectF(area.left() + 0.3 * unit, area.top(), 2 * unit, area.height())
        sign = "✓" if right else "✗" if revealed and guessed else _LETTERS[place]
        sheet.write(letter, sign, sheet.body, ink, CENTRE, bold=True)
        rest = QRectF(area.left() + 2.6 * unit, area.top(), area.width() - 3 * unit, area.height())
        sheet.write(rest, text, sheet.body, ink, LEFT, bold=right)
    if revealed:
        below = top + len(options) * height + 0.7 * unit
        sheet.write(QRectF(room.left(), below, room.width(), room.bottom() - below), answer_text(answer), sheet.body, align=TOP)

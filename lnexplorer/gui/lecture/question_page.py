"""A question in words with its options; after the reveal the right one stands out, and why is said."""

from PySide6.QtCore import QCoreApplication, QRectF

from lnexplorer.domain.lecture.answers import Answer, Question, if_halved, if_zeroed, when_zero, why_twice
from lnexplorer.domain.lecture.material import Material
from lnexplorer.domain.wording import significant
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, TOP, Sheet
from lnexplorer.gui.lecture.words import percent, plain, range_text
from lnexplorer.gui.reduction.painter.colours import legible_on, mixed
from lnexplorer.gui.reduction.painter.wording import number, time_text

translate = QCoreApplication.translate


def answer_to(question: Question, material: Material) -> Answer | None:
    """The answer from what is in hand; None where something is missing for it."""
    match question:
        case Question.TWICE:
            return why_twice(material.example)
        case Question.COUNT_ZERO:
            most = max(material.recorded, default=None)
            return when_zero(material.example.timeline, material.recorded[most].timeline if most is not None else None)
        case Question.ZEROED:
            return if_zeroed(material.request) if material.request is not None else None
        case Question.HALVING:
            times = {size: case.summary.stage1_ns for size, case in material.recorded.items()}
            return if_halved(material.growth, times, material.costs) if len(material.growth) > 1 else None


def question_text(answer: Answer) -> str:
    """What is asked."""
    figures = answer.figures
    match answer.question:
        case Question.TWICE:
            return translate("lecture", "There are {0} buffers. How many numbers stand beside them, and what for?").format(
                int(figures["group_size_m"])
            )
        case Question.COUNT_ZERO:
            return translate("lecture", "{0} rows, {1} buffers: how many rows find the count at 0?").format(
                int(figures["m"]), int(figures["group_size_m"])
            )
        case Question.ZEROED:
            return translate(
                "lecture", "{0} × {1}, {2} buffers: how much more is stored if the buffers are zeroed first?"
            ).format(number(int(figures["m"])), number(int(figures["n"])), int(figures["group_size_m"]))
        case Question.HALVING:
            return translate("lecture", "{0} buffers: stage 1 takes {1}. With half as many buffers it takes …").format(
                int(figures["group_size_m"]), time_text(figures["first_ns"])
            )


def option_texts(answer: Answer) -> tuple[str, ...]:
    """The options, in their order."""
    match answer.question:
        case Question.TWICE:
            forms = (
                translate("lecture", "{0}: a lock and a count for each buffer"),
                translate("lecture", "{0}: a lock for each buffer"),
                translate("lecture", "{0}: a lock for each row and buffer"),
            )
            return tuple(form.format(int(value)) for form, value in zip(forms, answer.options, strict=True))
        case Question.COUNT_ZERO:
            return tuple(_rows(int(value), answer) for value in answer.options)
        case Question.ZEROED:
            return tuple(size_text(value) for value in answer.options)
        case Question.HALVING:
            return tuple(
                translate("lecture", "just as long")
                if value == 1
                else translate("lecture", "{0} times as long").format(plain(value))
                for value in answer.options
            )


def _rows(value: int, answer: Answer) -> str:
    if value == 1:
        return translate("lecture", "1: the very first")
    if value == int(answer.figures["m"]):
        return translate("lecture", "{0}: every row, while it holds the lock").format(value)
    return translate("lecture", "{0}: the first of each buffer").format(value)


def answer_text(answer: Answer) -> str:
    """What the answer is, with the figures that show it."""
    figures = answer.figures
    match answer.question:
        case Question.TWICE:
            return translate(
                "lecture",
                "{0} numbers, {1} bytes. The count says whether the buffer has been written. Without it, a second pass adds to "
                "the first one's sums: dw[{2}] = {3} instead of {4}.",
            ).format(
                int(figures["numbers"]),
                int(figures["bytes"]),
                int(figures["column"]),
                plain(figures["wrong"]),
                plain(figures["right"]),
            )
        case Question.COUNT_ZERO:
            here = translate("lecture", "{0} of {1}: once a buffer, before its first sum is stored.").format(
                int(figures["found"]), int(figures["m"])
            )
            if "recorded_found" not in figures:
                return here
            there = translate(
                "lecture",
                "On the GPU: {0} of {1} rows. In {2} of the {3} buffers the first was not the lowest row: "
                "who comes first is luck.",
            ).format(
                int(figures["recorded_found"]),
                number(int(figures["recorded_m"])),
                int(figures["overtaken"]),
                int(figures["recorded_group_size_m"]),
            )
            return f"{here}\n{there}"
        case Question.ZEROED:
            return translate(
                "lecture",
                "{0} more stored, and {1} more loaded: the first row of each buffer has to add, too. That is {2} of the "
                "bytes of x, dy and dx. Zeroing the {3} counts costs {4} bytes.",
            ).format(
                size_text(figures["stored"]),
                size_text(figures["loaded"]),
                percent(significant(100 * figures["share"], 2)),
                int(figures["group_size_m"]),
                number(int(figures["counts_bytes"])),
            )
        case Question.HALVING:
            here = translate("lecture", "Simulated: {0} → {1}, {2} times as long.").format(
                time_text(figures["first_ns"]), time_text(figures["second_ns"]), significant(figures["factor"], 3)
            )
            if "recorded_factor" not in figures:
                return here
            there = translate(
                "lecture", "Recorded: {0} with {1} buffers, {2} with {3}: {4} times as long for each halving."
            ).format(
                time_text(figures["recorded_most_ns"]),
                int(figures["recorded_most"]),
                time_text(figures["recorded_least_ns"]),
                int(figures["recorded_least"]),
                significant(figures["recorded_factor"], 3),
            )
            added = range_text(figures[name] for name in ("recorded_most_cost", "recorded_least_cost") if name in figures)
            return "\n".join(text for text in (here, there, added) if text)


def size_text(size: float) -> str:
    """Bytes, in the unit that suits them."""
    for scale, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size:.0f} B"


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

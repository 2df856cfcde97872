"""Pages of words: the openings of the chapters, the comparison, what to take home, and all keys."""

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen

from lnexplorer.domain.lecture.answers import if_halved
from lnexplorer.domain.lecture.example import locked_traffic, register_traffic
from lnexplorer.domain.lecture.material import Material
from lnexplorer.domain.lecture.storyboard import CHAPTERS
from lnexplorer.domain.wording import significant
from lnexplorer.gui.lecture.keys import help_lines
from lnexplorer.gui.lecture.question_page import size_text
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, Sheet
from lnexplorer.gui.lecture.words import chapter_titles
from lnexplorer.gui.reduction.painter.colours import legible_on, mixed
from lnexplorer.gui.reduction.painter.wording import number

translate = QCoreApplication.translate
_TITLE = 1.6  # units: of a chapter
_EMBLEM_ROWS = 8
_LEAST_EMBLEM = 0.2  # share of the page's width
ELEMENT = 4  # bytes of a float32 partial sum


def draw_opening(sheet: Sheet, room: QRectF, chapter: int) -> None:
    """The lecture's title above the chapters, the one that begins marked."""
    unit, palette, titles = sheet.unit, sheet.palette, chapter_titles()
    head = QRectF(room.left(), room.top() + 0.04 * room.height(), room.width(), 0.3 * room.height())
    sheet.write(head, titles[0], 2.6, palette.text, LEFT, bold=True)
    emblem = sheet.rect(0.66, 0.46, 0.955, 0.86)
    height = min(3.4 * unit, 0.58 * room.height() / CHAPTERS)
    top = head.bottom() + 1.2 * unit
    left = room.left() + height + 0.5 * unit  # of the titles, beside their numbers
    longest = max(sheet.width_of(text, _TITLE, bold=True) for text in titles[1:])
    emblem.setLeft(max(emblem.left(), left + longest + 1.2 * unit))  # whichever of them is marked, and so the widest
    if emblem.width() > _LEAST_EMBLEM * sheet.size.width():
        _draw_emblem(sheet, emblem)
    for place in range(1, CHAPTERS + 1):
        current = place == chapter
        area = QRectF(room.left(), top + (place - 1) * height, room.width(), height - 0.5 * unit)
        fill = palette.accent if current else palette.cell
        side = QRectF(area.left(), area.top(), area.height(), area.height())
        sheet.box(side, fill)
        sheet.write(side, str(place), 1.5, legible_on(fill), CENTRE, bold=True)
        text = QRectF(left, area.top(), area.right() - left, area.height())
        colour = palette.text if current or not chapter else palette.muted
        sheet.write(text, titles[place], _TITLE, colour, LEFT, bold=current)


def _draw_emblem(sheet: Sheet, area: QRectF) -> None:
    """Rows, the two buffers that they go to, and the sum: the lecture in one picture."""
    palette, unit, painter = sheet.palette, sheet.unit, sheet.painter
    columns = [area.left() + share * area.width() for share in (0.0, 0.45, 0.85)]
    widths = [0.22 * area.width(), 0.2 * area.width(), 0.15 * area.width()]
    step, high = area.height() / _EMBLEM_ROWS, 0.68 * area.height() / _EMBLEM_ROWS
    middles = [area.top() + (row + 0.5) * step for row in range(_EMBLEM_ROWS)]
    buffers = [area.top() + share * area.height() for share in (0.3, 0.7)]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for row, middle in enumerate(middles):
        _draw_way(sheet, QPointF(columns[0] + widths[0], middle), QPointF(columns[1], buffers[row % 2]), palette.lock(row))
    for lock, middle in enumerate(buffers):
        _draw_way(sheet, QPointF(columns[1] + widths[1], middle), QPointF(columns[2], area.center().y()), palette.lock(lock))
    for row, middle in enumerate(middles):
        sheet.box(QRectF(columns[0], middle - high / 2, widths[0], high), palette.lock(row))
    for lock, middle in enumerate(buffers):
        sheet.box(QRectF(columns[1], middle - 0.9 * unit, widths[1], 1.8 * unit), palette.lock(lock))
    sheet.box(QRectF(columns[2], area.center().y() - 1.2 * unit, widths[2], 2.4 * unit), palette.good)


def _draw_way(sheet: Sheet, start: QPointF, end: QPointF, colour: QColor) -> None:
    path = QPainterPath(start)
    bend = (end.x() - start.x()) / 2
    path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
    sheet.painter.setPen(QPen(mixed(sheet.palette.background, colour, 0.75), 0.12 * sheet.unit))
    sheet.painter.drawPath(path)


def draw_comparison(sheet: Sheet, room: QRectF, material: Material) -> None:
    """The traffic of partial sums with locks and without."""
    request = material.request
    assert request is not None
    group_size_m = max(material.recorded, default=request.launch.group_size_m)
    locked = locked_traffic(request.m, request.n, group_size_m, ELEMENT)
    free = register_traffic(request.m, request.n, material.sm_count, ELEMENT)
    lines = (
        (
            translate("lecture", "{0} × {1}, float32 sums").format(number(request.m), number(request.n)),
            translate("lecture", "locks, {0} buffers").format(group_size_m),
            translate("lecture", "registers, {0} programs").format(material.sm_count),
        ),
        (translate("lecture", "a lock is taken"), _times(locked.locks_taken), _times(free.locks_taken)),
        (translate("lecture", "partial sums stored"), size_text(locked.stored), size_text(free.stored)),
        (translate("lecture", "partial sums loaded"), size_text(locked.loaded), size_text(free.loaded)),
    )
    unit, palette = sheet.unit, sheet.palette
    height = min(3.6 * unit, room.height() / len(lines))
    top = room.top() + (room.height() - height * len(lines)) / 3
    shares = (0.0, 0.36, 0.68, 1.0)
    for row, texts in enumerate(lines):
        for column, text in enumerate(texts):
            left = room.left() + shares[column] * room.width()
            right = room.left() + shares[column + 1] * room.width()
            area = QRectF(left, top + row * height, right - left - 0.6 * unit, height - 0.2 * unit)
            heading = row == 0 or column == 0
            colour = palette.muted if heading else palette.accent if column == 2 else palette.text
            size = sheet.body if heading else 1.9
            sheet.write(area, text, size, colour, LEFT if column == 0 else CENTRE, bold=not heading)
        sheet.painter.setPen(QPen(palette.line, 0.06 * unit))
        y = top + (row + 1) * height - 0.1 * unit
        if row < len(lines) - 1:
            sheet.painter.drawLine(QLineF(room.left(), y, room.right(), y))


def _times(count: int) -> str:
    if count == 0:
        return translate("lecture", "never")
    return translate("lecture", "{0} times").format(number(count))


def _halving(material: Material) -> str:
    if len(material.growth) < 2:
        return translate("lecture", "Rows that share a lock pass one after the other.")
    answer = if_halved(material.growth)
    return translate("lecture", "Half the buffers, {0} times as long: rows that share a lock pass one after the other.").format(
        significant(answer.figures["factor"], 2)
    )


def draw_closing(sheet: Sheet, room: QRectF, material: Material) -> None:
    """What to take home."""
    unit, palette = sheet.unit, sheet.palette
    head = QRectF(room.left(), room.top(), room.width(), 0.18 * room.height())
    sheet.write(head, translate("lecture", "What to take home"), 2.4, palette.text, LEFT, bold=True)
    points = (
        translate("lecture", "dx needs one row. dw and db need all rows: they are a reduction."),
        translate(
            "lecture", "A lock keeps a buffer's load, add and store together. Its count says whether there is anything to load."
        ),
        _halving(material),
        translate("lecture", "The fastest lock is none: sums of one's own, added at the end."),
    )
    height = (room.bottom() - head.bottom() - unit) / len(points)
    for place, text in enumerate(points):
        top = head.bottom() + unit + place * height
        mark = QRectF(room.left(), top + height / 2 - 0.9 * unit, 0.35 * unit, 1.8 * unit)
        sheet.box(mark, palette.accent)
        sheet.write(QRectF(room.left() + 1.4 * unit, top, room.width() - 1.4 * unit, height - 0.3 * unit), text, 1.5)


def draw_help(sheet: Sheet) -> None:
    """Draw the keys and what they do."""
    sheet.painter.fillRect(QRectF(0, 0, sheet.size.width(), sheet.size.height()), sheet.palette.background)
    sheet.write(sheet.rect(0.06, 0.04, 0.94, 0.15), translate("lecture", "Keys"), 2.0, align=LEFT, bold=True)
    lines = help_lines()
    height = 0.75 / len(lines)
    for place, (keys, meaning) in enumerate(lines):
        top = 0.17 + place * height
        sheet.write(sheet.rect(0.06, top, 0.38, top + height), keys, sheet.body, sheet.palette.accent, LEFT, bold=True)
        sheet.write(sheet.rect(0.4, top, 0.97, top + height), meaning, sheet.body, align=LEFT)

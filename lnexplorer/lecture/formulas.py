"""The formulas of both passes, set from boxes; parts that have a name can be marked."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from lnexplorer.gui.charts.sheet import Sheet, Written, within
from lnexplorer.gui.kit import FAMILIES, translate_message
from lnexplorer.gui.timeline.frame import legible_on
from lnkernels.values import Words, frozen, say

SERIF = ["Noto Serif", "DejaVu Serif", "serif", *FAMILIES]
SMALLER = 0.72  # size of a sum's limits, of that of the sum
_LARGEST, _SIGN = 1.5, 1.25  # units of the type
_GAP, _LEAST_GAP = 1.4, 0.4  # between two formulas, of their type's size


@frozen
class Style:
    """Size and colours of a formula."""

    pixels: float  # of the type
    colour: QColor
    mark: QColor  # behind the marked parts
    marked: tuple[str, ...] = ()


@frozen
class Box:
    """A part of a formula that is set: its size in px, and a function that draws it at a point."""

    width: float
    above: float
    below: float
    draw: Callable[[QPainter, QPointF], None]


Part = Callable[[Style], Box]


def _extent(boxes: list[Box]) -> tuple[float, float, float]:
    """Return the size of boxes side by side: width, above and below their line."""
    return (
        sum(box.width for box in boxes),
        max(box.above for box in boxes),
        max(box.below for box in boxes),
    )


@cache
def _font(pixels: int, *, italic: bool) -> QFont:
    font = QFont(SERIF)
    font.setPixelSize(max(pixels, 1))
    font.setItalic(italic)
    return font


def _up(letters: Words, *, italic: bool = False) -> Part:
    def build(style: Style) -> Box:
        font = _font(round(style.pixels), italic=italic)
        text = translate_message(letters)

        def draw(painter: QPainter, at: QPointF) -> None:
            painter.setFont(font)
            painter.setPen(style.colour)
            painter.drawText(at, text)

        width = QFontMetricsF(font).horizontalAdvance(text)
        return Box(width, 0.76 * style.pixels, 0.24 * style.pixels, draw)

    return build


# Atoms: operators with their blanks, brackets, and what is between them. Names are italic.
_ATOM = re.compile(r" (?:[·−+=] )?|\)²|[()]|[^ ()]+")
_NAMES = frozenset(["x", "x̂", "w", "dy", "dx", "dw", "db", "c₁", "c₂", "N", "j"])


def _set(text: str) -> Part:
    return _up(text, italic=text in _NAMES)


def _row(*given: Part | str) -> Part:
    """Return parts side by side; each atom of a text is a part."""
    parts: list[Part] = []
    for each in given:
        parts += map(_set, _ATOM.findall(each)) if isinstance(each, str) else [each]

    def build(style: Style) -> Box:
        boxes = [part(style) for part in parts]

        def draw(painter: QPainter, at: QPointF) -> None:
            for box in boxes:
                box.draw(painter, at)
                at = at + QPointF(box.width, 0)

        width, above, below = _extent(boxes)
        return Box(width, above, below, draw)

    return build


def _fraction(numerator: Part, denominator: Part) -> Part:
    def build(style: Style) -> Box:
        top, bottom, pixels = numerator(style), denominator(style), style.pixels
        axis, gap, width = 0.28 * pixels, 0.14 * pixels, max(top.width, bottom.width) + 0.3 * pixels

        def draw(painter: QPainter, at: QPointF) -> None:
            painter.setPen(QPen(style.colour, 0.06 * pixels))
            bar = at - QPointF(0, axis)
            painter.drawLine(
                bar + QPointF(0.05 * pixels, 0), bar + QPointF(width - 0.05 * pixels, 0)
            )
            top.draw(painter, bar + QPointF((width - top.width) / 2, -gap - top.below))
            bottom.draw(painter, bar + QPointF((width - bottom.width) / 2, gap + bottom.above))

        return Box(
            width,
            axis + gap + top.above + top.below,
            bottom.above + bottom.below + gap - axis,
            draw,
        )

    return build


def _root(inner: Part) -> Part:
    def build(style: Style) -> Box:
        box, pixels = inner(style), style.pixels
        width, above = box.width + 0.75 * pixels, box.above + 0.16 * pixels

        def draw(painter: QPainter, at: QPointF) -> None:
            painter.setPen(QPen(style.colour, 0.06 * pixels))
            top, corners = (
                0.05 * pixels - above,
                ((0.08, -0.2 * pixels), (0.22, -0.28 * pixels), (0.38, box.below)),
            )
            line = [at + QPointF(share * pixels, y) for share, y in corners]
            painter.drawPolyline([*line, at + QPointF(0.6 * pixels, top), at + QPointF(width, top)])
            box.draw(painter, at + QPointF(0.65 * pixels, 0))

        return Box(width, above, box.below, draw)

    return build


def _sum(over: Part) -> Part:
    """Return the sign of a sum above what it runs over."""

    def build(style: Style) -> Box:
        pixels = style.pixels
        limit, sign = (
            over(replace(style, pixels=SMALLER * pixels)),
            _up("Σ")(replace(style, pixels=1.35 * pixels)),
        )
        room = max(limit.width, sign.width)

        def draw(painter: QPainter, at: QPointF) -> None:
            sign.draw(painter, at + QPointF((room - sign.width) / 2, 0.12 * pixels))
            limit.draw(painter, at + QPointF((room - limit.width) / 2, sign.below + limit.above))

        return Box(room + 0.2 * pixels, sign.above, sign.below + limit.above + limit.below, draw)

    return build


def _part(name: str, *parts: Part | str) -> Part:
    """Return parts side by side that can be marked by a name."""

    def build(style: Style) -> Box:
        marked, side, margin = name in style.marked, 0.15 * style.pixels, 0.12 * style.pixels
        box = _row(*parts)(
            replace(style, colour=legible_on(style.mark), marked=()) if marked else style
        )

        def draw(painter: QPainter, at: QPointF) -> None:
            if marked:
                painter.setPen(style.mark)
                painter.setBrush(style.mark)
                area = QRectF(
                    at.x(), at.y() - box.above, box.width + 2 * side, box.above + box.below
                )
                painter.drawRoundedRect(area.adjusted(0, -margin, 0, margin), side, side)
            box.draw(painter, at + QPointF(side, 0))

        return Box(box.width + 2 * side, box.above, box.below, draw)

    return build


_MEAN_OF = _row(_fraction(_set("1"), _set("N")), " ", _sum(_set("j")))
_VARIANCE = _row(_MEAN_OF, "(x − mean)² + eps")
_DW_ROW = "dy · x\u0302"
_OVER_ROWS = _part("rows", _sum(_up(say("rows"))))

FORMULAS = {
    "mean": _part("mean", "mean = ", _MEAN_OF, "x"),
    "rstd": _part("rstd", "rstd = ", _fraction(_set("1"), _root(_VARIANCE))),
    "xhat": _part("xhat", "x\u0302 = (x − mean) · rstd"),
    "c1": _part("c1", "c₁ = ", _MEAN_OF, "x\u0302 · w · dy"),
    "c2": _part("c2", "c₂ = ", _MEAN_OF, "w · dy"),
    "dx": _part("dx", "dx = (w · dy − (x\u0302 · c₁ + c₂)) · rstd"),
    "dw": _part("dw", "dw = ", _OVER_ROWS, _part("dw row", _DW_ROW)),
    "db": _part("db", "db = ", _OVER_ROWS, _part("db row", "dy")),
}
STAGE1 = ("dx", "dw", "db")  # dx of a row, and the sums of both stages over the rows
# The signs above tables and columns.
SIGNS = {
    "x": "x",
    "dy": "dy",
    "w": "w",
    "mean": "mean",
    "rstd": "rstd",
    "xhat": "x\u0302",
    "c1": "c₁",
    "c2": "c₂",
    "wdy": "w · dy",
    "dx": "dx",
    "dw row": _DW_ROW,
    "db row": "dy",
}


def _draw(
    sheet: Sheet, room: QRectF, left: float, line: float, box: Box, name: str, pixels: float
) -> None:
    box.draw(sheet.painter, QPointF(left, line))
    taken = QRectF(left, line - box.above, box.width, box.above + box.below)
    sheet.written.append(Written(name, room, taken, pixels))


def sign_width(sheet: Sheet, name: str) -> float:
    """Return the length of one of SIGNS in px."""
    return _row(SIGNS[name])(
        Style(_SIGN * sheet.unit, sheet.palette.text, sheet.palette.text)
    ).width


def draw_sign(
    sheet: Sheet, room: QRectF, name: str, *, marked: bool = False, before: str = ""
) -> None:
    """Write one of SIGNS in the middle of a room, with a word before it."""
    colour, pixels = sheet.palette.accent if marked else sheet.palette.muted, _SIGN * sheet.unit
    part = _row(*([f"{before} "] if before else []), SIGNS[name])
    box = part(Style(pixels, colour, colour))
    line = room.center().y() + (box.above - box.below) / 2
    _draw(sheet, room, room.center().x() - box.width / 2, line, box, f"sign {name}", pixels)


def draw_formulas(
    sheet: Sheet, page: QRectF, formulas: tuple[str, ...], marked: tuple[str, ...], share: float
) -> QRectF:
    """Draw formulas side by side at the top of a page, as large as they fit; return what is below.

    Args:
        sheet: the page.
        page: the room for them and for what is below.
        formulas: keys of FORMULAS.
        marked: parts of them that are drawn on a coloured ground.
        share: of the height, for the formulas.
    """
    room = within(page, height=share * page.height())
    pixels, gaps = _LARGEST * sheet.unit, len(formulas) - 1
    while True:
        boxes = [
            FORMULAS[name](Style(pixels, sheet.palette.text, sheet.palette.accent, marked))
            for name in formulas
        ]
        width, above, below = _extent(boxes)
        fits = width + gaps * _GAP * pixels <= room.width() and above + below <= room.height()
        if fits or pixels <= sheet.unit:
            break
        pixels = max(0.97 * pixels, sheet.unit)
    # As far apart as they have room.
    gap = min(max((room.width() - width) / max(gaps, 1), _LEAST_GAP * pixels), _GAP * pixels)
    left, line = room.left(), room.center().y() + (above - below) / 2
    for name, box in zip(formulas, boxes, strict=True):
        _draw(sheet, room, left, line, box, f"formula {name}", pixels)
        left += box.width + gap
    return within(page, top=room.height())

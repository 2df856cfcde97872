"""The formulas of the pass, set from boxes, each in the group of the stage that computes it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from lnexplorer.gui.charts.theme import FAMILIES
from lnexplorer.gui.lecture.sheet import Sheet, Written
from lnexplorer.gui.reduction.painter.colours import legible_on

SMALLER = 0.72  # a sum's limits, of its own size
SERIF = ["Noto Serif", "DejaVu Serif", "serif", *FAMILIES]


@dataclass(frozen=True, slots=True)
class Ink:
    """With what a formula is drawn."""

    colour: QColor
    mark: QColor  # behind the marked part
    marked: frozenset[str] = frozenset()  # names of parts

    def for_part(self, name: str) -> "Ink":
        """The ink inside a part."""
        return Ink(legible_on(self.mark), self.mark) if name in self.marked else self


@dataclass(frozen=True, slots=True)
class Extent:
    """Size of a box in px: above and below the line on which it stands."""

    width: float
    above: float
    below: float


class Box(Protocol):
    """A part of a formula."""

    def extent(self, pixels: float) -> Extent:
        """Its size in type of so many pixels."""

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it; `at` is on the line, at its left end."""


@cache
def _font(pixels: int, *, italic: bool) -> QFont:
    font = QFont(SERIF)
    font.setPixelSize(max(pixels, 1))
    font.setItalic(italic)
    return font


@lru_cache(maxsize=1024)
def _advance(text: str, pixels: int, *, italic: bool) -> float:
    return QFontMetricsF(_font(pixels, italic=italic)).horizontalAdvance(text)


@dataclass(frozen=True, slots=True)
class Text:
    """Letters or signs; names of one letter lean."""

    text: str
    italic: bool = False

    def extent(self, pixels: float) -> Extent:
        """Its size."""
        return Extent(_advance(self.text, round(pixels), italic=self.italic), 0.76 * pixels, 0.24 * pixels)

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        painter.setFont(_font(round(pixels), italic=self.italic))
        painter.setPen(ink.colour)
        painter.drawText(at, self.text)


@dataclass(frozen=True, slots=True)
class Word:
    """A word in the language as it is when it is drawn."""

    word: Callable[[], str]

    def extent(self, pixels: float) -> Extent:
        """Its size."""
        return Text(self.word(), italic=True).extent(pixels)

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        Text(self.word(), italic=True).draw(painter, at, pixels, ink)


@dataclass(frozen=True, slots=True)
class Hat:
    """A letter with a hat."""

    letter: Text

    def extent(self, pixels: float) -> Extent:
        """Its size."""
        inner = self.letter.extent(pixels)
        return Extent(inner.width, inner.above + 0.08 * pixels, inner.below)

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        self.letter.draw(painter, at, pixels, ink)
        middle, top = at.x() + self.letter.extent(pixels).width * 0.56, at.y() - 0.8 * pixels
        painter.setPen(QPen(ink.colour, 0.055 * pixels))
        painter.drawPolyline(
            [
                QPointF(middle - 0.17 * pixels, top + 0.15 * pixels),
                QPointF(middle, top),
                QPointF(middle + 0.17 * pixels, top + 0.15 * pixels),
            ]
        )


@dataclass(frozen=True, slots=True)
class Row:
    """Boxes side by side."""

    boxes: tuple[Box, ...]

    def extent(self, pixels: float) -> Extent:
        """Its size."""
        parts = [box.extent(pixels) for box in self.boxes]
        return Extent(sum(part.width for part in parts), max(part.above for part in parts), max(part.below for part in parts))

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        x = at.x()
        for box in self.boxes:
            box.draw(painter, QPointF(x, at.y()), pixels, ink)
            x += box.extent(pixels).width


@dataclass(frozen=True, slots=True)
class Part:
    """A part with a name, by which it can be marked."""

    name: str
    inner: Box

    def extent(self, pixels: float) -> Extent:
        """Its size, with the mark's margin at both ends."""
        inner = self.inner.extent(pixels)
        return Extent(inner.width + 0.3 * pixels, inner.above, inner.below)

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        own, size = ink.for_part(self.name), self.extent(pixels)
        if own is not ink:
            painter.save()
            painter.setPen(ink.mark)
            painter.setBrush(ink.mark)
            margin = 0.12 * pixels
            area = QRectF(at.x(), at.y() - size.above - margin, size.width, size.above + size.below + 2 * margin)
            painter.drawRoundedRect(area, 0.15 * pixels, 0.15 * pixels)
            painter.restore()
        self.inner.draw(painter, QPointF(at.x() + 0.15 * pixels, at.y()), pixels, own)


@dataclass(frozen=True, slots=True)
class Fraction:
    """One box above another."""

    above: Box
    below: Box

    def extent(self, pixels: float) -> Extent:
        """Its size."""
        top, bottom = self.above.extent(pixels), self.below.extent(pixels)
        axis, gap = 0.28 * pixels, 0.14 * pixels
        width = max(top.width, bottom.width) + 0.3 * pixels
        return Extent(width, axis + gap + top.above + top.below, bottom.above + bottom.below + gap - axis)

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        top, bottom, size = self.above.extent(pixels), self.below.extent(pixels), self.extent(pixels)
        axis, gap = at.y() - 0.28 * pixels, 0.14 * pixels
        painter.setPen(QPen(ink.colour, 0.06 * pixels))
        painter.drawLine(QPointF(at.x() + 0.05 * pixels, axis), QPointF(at.x() + size.width - 0.05 * pixels, axis))
        self.above.draw(painter, QPointF(at.x() + (size.width - top.width) / 2, axis - gap - top.below), pixels, ink)
        self.below.draw(painter, QPointF(at.x() + (size.width - bottom.width) / 2, axis + gap + bottom.above), pixels, ink)


@dataclass(frozen=True, slots=True)
class Root:
    """A square root."""

    inner: Box

    def extent(self, pixels: float) -> Extent:
        """Its size."""
        inner = self.inner.extent(pixels)
        return Extent(inner.width + 0.75 * pixels, inner.above + 0.16 * pixels, inner.below)

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        size = self.extent(pixels)
        top, bottom = at.y() - size.above + 0.05 * pixels, at.y() + size.below
        painter.setPen(QPen(ink.colour, 0.06 * pixels))
        painter.drawPolyline(
            [
                QPointF(at.x() + 0.08 * pixels, at.y() - 0.2 * pixels),
                QPointF(at.x() + 0.22 * pixels, at.y() - 0.28 * pixels),
                QPointF(at.x() + 0.38 * pixels, bottom),
                QPointF(at.x() + 0.6 * pixels, top),
                QPointF(at.x() + size.width, top),
            ]
        )
        self.inner.draw(painter, QPointF(at.x() + 0.65 * pixels, at.y()), pixels, ink)


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum's sign with what it runs over below it."""

    over: Box

    def extent(self, pixels: float) -> Extent:
        """Its size."""
        limit, sign = self.over.extent(SMALLER * pixels), Text("Σ").extent(1.35 * pixels)
        return Extent(max(limit.width, sign.width) + 0.2 * pixels, sign.above, sign.below + limit.above + limit.below)

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        size, sign = self.extent(pixels), Text("Σ").extent(1.35 * pixels)
        room = size.width - 0.2 * pixels
        Text("Σ").draw(painter, QPointF(at.x() + (room - sign.width) / 2, at.y() + 0.12 * pixels), 1.35 * pixels, ink)
        limit = self.over.extent(SMALLER * pixels)
        place = QPointF(at.x() + (room - limit.width) / 2, at.y() + sign.below + limit.above)
        self.over.draw(painter, place, SMALLER * pixels, ink)


@dataclass(frozen=True, slots=True)
class Low:
    """A box with another at its foot."""

    base: Box
    foot: Box

    def extent(self, pixels: float) -> Extent:
        """Its size."""
        base, foot = self.base.extent(pixels), self.foot.extent(SMALLER * pixels)
        return Extent(base.width + foot.width, base.above, max(base.below, foot.below + 0.2 * pixels))

    def draw(self, painter: QPainter, at: QPointF, pixels: float, ink: Ink) -> None:
        """Draw it."""
        self.base.draw(painter, at, pixels, ink)
        place = QPointF(at.x() + self.base.extent(pixels).width, at.y() + 0.2 * pixels)
        self.foot.draw(painter, place, SMALLER * pixels, ink)


translate = QCoreApplication.translate

_LARGEST = 1.5  # units of the type
_GAPS = 1.4, 0.4  # between two formulas at most and at least, of their type's size
_SIGN = 1.25
_PROBE = 100.0  # px


def _name(letter: str) -> Text:
    return Text(letter, italic=True)


def _up(text: str) -> Text:
    return Text(text)


def _row(*boxes: Box) -> Row:
    return Row(boxes)


_XHAT = Hat(_name("x"))
_DY, _W, _X, _J = _name("dy"), _name("w"), _name("x"), _name("j")
_C1, _C2 = Low(_name("c"), _up("1")), Low(_name("c"), _up("2"))
_DOT, _MINUS, _PLUS, _IS = _up(" · "), _up(" − "), _up(" + "), _up(" = ")
_MEAN_OF = _row(Fraction(_up("1"), _name("N")), _up(" "), Sum(_J))
_OVER_ROWS = Sum(Word(lambda: translate("lecture", "rows")))
_SQUARE = _row(_up("("), _X, _MINUS, _up("mean"), _up(")²"))

STATISTICS: tuple[Part, ...] = (
    Part("mean", _row(_up("mean"), _IS, _MEAN_OF, _X)),
    Part("rstd", _row(_up("rstd"), _IS, Fraction(_up("1"), Root(_row(_MEAN_OF, _SQUARE, _PLUS, _up("eps")))))),
    Part("xhat", _row(_XHAT, _IS, _up("("), _X, _MINUS, _up("mean"), _up(")"), _DOT, _up("rstd"))),
)
DX: tuple[Part, ...] = (
    Part("c1", _row(_C1, _IS, _MEAN_OF, _XHAT, _DOT, _W, _DOT, _DY)),
    Part("c2", _row(_C2, _IS, _MEAN_OF, _W, _DOT, _DY)),
    Part(
        "dx",
        _row(
            _name("dx"),
            _IS,
            _up("("),
            _W,
            _DOT,
            _DY,
            _MINUS,
            _up("("),
            _XHAT,
            _DOT,
            _C1,
            _PLUS,
            _C2,
            _up("))"),
            _DOT,
            _up("rstd"),
        ),
    ),
)
SUMS: tuple[Part, ...] = (
    Part("dw", _row(_name("dw"), _IS, Part("rows", _OVER_ROWS), Part("dw row", _row(_DY, _DOT, _XHAT)))),
    Part("db", _row(_name("db"), _IS, Part("rows", _OVER_ROWS), Part("db row", _DY))),
)
# Of dx and the sums, what stage 1 does in a row and what both stages do over the rows.
STAGE1: tuple[Part, ...] = (DX[2], *SUMS)

# What stands above a table or a column.
SIGNS: dict[str, Box] = {
    "x": _X,
    "dy": _DY,
    "w": _W,
    "mean": _up("mean"),
    "rstd": _up("rstd"),
    "xhat": _XHAT,
    "c1": _C1,
    "c2": _C2,
    "wdy": _row(_W, _DOT, _DY),
    "dx": _name("dx"),
    "dw row": _row(_DY, _DOT, _XHAT),
    "db row": _DY,
}


def _fitting(room: QRectF, formulas: tuple[Part, ...], gap: float) -> float:
    """Size of the type in px at which formulas fill a room.

    They grow as their type does, up to the rounding of its size.
    """
    extents = [formula.extent(_PROBE) for formula in formulas]
    width = sum(extent.width for extent in extents) + gap * _PROBE * (len(formulas) - 1)
    height = max(extent.above for extent in extents) + max(extent.below for extent in extents)
    return 0.98 * _PROBE * min(room.width() / width, room.height() / height)


def sign_width(sheet: Sheet, name: str) -> float:
    """Length of one of SIGNS in px."""
    return SIGNS[name].extent(_SIGN * sheet.unit).width


def draw_sign(sheet: Sheet, room: QRectF, name: str, *, marked: bool = False, before: str = "") -> None:
    """Write one of SIGNS in the middle of a room, with a word before it."""
    box: Box = Row((_up(f"{before} "), SIGNS[name])) if before else SIGNS[name]
    pixels = _SIGN * sheet.unit
    extent = box.extent(pixels)
    at = QPointF(room.center().x() - extent.width / 2, room.center().y() + (extent.above - extent.below) / 2)
    colour = sheet.palette.accent if marked else sheet.palette.muted
    box.draw(sheet.painter, at, pixels, Ink(colour, colour))
    taken = QRectF(at.x(), at.y() - extent.above, extent.width, extent.above + extent.below)
    sheet.written.append(Written(f"sign {name}", room, taken, pixels))


def draw_formulas(sheet: Sheet, room: QRectF, formulas: tuple[Part, ...], marked: tuple[str, ...]) -> None:
    """Draw formulas side by side, the marked parts on a ground of their own; as large as the room allows.

    Args:
        sheet: the page.
        room: where.
        formulas: what.
        marked: names of the parts.
    """
    unit, gap = sheet.unit, _GAPS[0]
    pixels = min(_LARGEST * unit, _fitting(room, formulas, gap))
    if pixels < unit:
        pixels, gap = unit, _GAPS[1]
    extents = [formula.extent(pixels) for formula in formulas]
    if gap == _GAPS[1] and len(formulas) > 1:  # as far apart as there is room
        spare = room.width() - sum(extent.width for extent in extents)
        gap = min(max(spare / ((len(formulas) - 1) * pixels), _GAPS[1]), _GAPS[0])
    above, below = max(extent.above for extent in extents), max(extent.below for extent in extents)
    line = room.top() + (room.height() - above - below) / 2 + above
    x = room.left()
    for formula, extent in zip(formulas, extents, strict=True):
        at = QPointF(x, line)
        formula.draw(sheet.painter, at, pixels, Ink(sheet.palette.text, sheet.palette.accent, frozenset(marked)))
        taken = QRectF(x, line - extent.above, extent.width, extent.above + extent.below)
        sheet.written.append(Written(f"formula {formula.name}", room, taken, pixels))
        x += extent.width + gap * pixels

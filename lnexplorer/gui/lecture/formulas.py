"""The formulas of the pass, each in the group of the stage that computes it, and how a group is drawn."""

from PySide6.QtCore import QCoreApplication, QPointF, QRectF

from lnexplorer.gui.lecture.formula import Box, Fraction, Hat, Ink, Low, Part, Root, Row, Sum, Text, Word
from lnexplorer.gui.lecture.sheet import Sheet, Written

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
    """Size of the type in px at which formulas fill a room. They grow as their type does, up to the rounding of its size."""
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

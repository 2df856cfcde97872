"""The formulas of the pass as rich text, and the signs of its quantities. A part is marked by the name of its class."""

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QColor, QFont, QTextDocument

from lnexplorer.gui.charts.theme import FAMILIES
from lnexplorer.gui.lecture.sheet import Sheet, Written
from lnexplorer.gui.reduction.painter.colours import legible_on

SERIF = ["Noto Serif", "DejaVu Serif", "serif", *FAMILIES]
_LARGEST, _LEAST, _SIGN = 1.5, 1.0, 1.15  # units of the type
_OVER_N = "<sup>1</sup>⁄<sub><i>N</i></sub>"
_BETWEEN = "\u00a0\u00a0\u00a0 "

# What stands above a table or a column.
SIGNS = {
    "x": "<i>x</i>",
    "dy": "<i>dy</i>",
    "w": "<i>w</i>",
    "mean": "mean",
    "rstd": "rstd",
    "xhat": "<i>x\u0302</i>",
    "c1": "<i>c</i><sub>1</sub>",
    "c2": "<i>c</i><sub>2</sub>",
    "wdy": "<i>w</i> · <i>dy</i>",
    "dx": "<i>dx</i>",
    "dw row": "<i>dy</i> · <i>x\u0302</i>",
    "db row": "<i>dy</i>",
}
_FORMULAS = {
    "mean": "mean = {over_n} ∑<sub><i>j</i></sub> {x}",
    "rstd": "rstd = 1 / √( {over_n} ∑<sub><i>j</i></sub> ({x} − mean)² + eps )",
    "xhat": "{xhat} = ({x} − mean) · rstd",
    "c1": "{c1} = {over_n} ∑<sub><i>j</i></sub> {xhat} · {wdy}",
    "c2": "{c2} = {over_n} ∑<sub><i>j</i></sub> {wdy}",
    "dx": "{dx} = ({wdy} − ({xhat} · {c1} + {c2})) · rstd",
    "dw": "<i>dw</i> = <span class='rows'>∑<sub>{rows}</sub></span> <span class='dw_row'>{dw_row}</span>",
    "db": "<i>db</i> = <span class='rows'>∑<sub>{rows}</sub></span> <span class='db_row'>{db_row}</span>",
}
STATISTICS, DX, SUMS = ("mean", "rstd", "xhat"), ("c1", "c2", "dx"), ("dw", "db")
# Of dx and the sums, what stage 1 does in a row and what both stages do over the rows.
STAGE1 = ("dx", *SUMS)


def _document(sheet: Sheet, html: str, units: float, colour: QColor, marked: tuple[str, ...] = ()) -> QTextDocument:
    document = QTextDocument()
    font = QFont(sheet.font(units))
    font.setFamilies(SERIF)
    document.setDefaultFont(font)
    document.setDocumentMargin(0)
    mark, ink = sheet.palette.accent.name(), legible_on(sheet.palette.accent).name()
    styles = [f".{name.replace(' ', '_')} {{ background-color: {mark}; color: {ink}; }}" for name in marked]
    document.setDefaultStyleSheet(" ".join([f"body {{ color: {colour.name()}; }}", *styles]))
    document.setHtml(f"<body>{html}</body>")
    return document


def _draw(sheet: Sheet, room: QRectF, document: QTextDocument, name: str, units: float, *, centred: bool) -> None:
    width, height = document.idealWidth(), document.size().height()
    left = room.center().x() - width / 2 if centred else room.left()
    taken = QRectF(left, room.center().y() - height / 2, width, height)
    sheet.painter.save()
    sheet.painter.translate(taken.topLeft())
    document.drawContents(sheet.painter)
    sheet.painter.restore()
    sheet.written.append(Written(name, room, taken, units * sheet.unit))


def sign_width(sheet: Sheet, name: str) -> float:
    """Length of one of SIGNS in px."""
    return _document(sheet, SIGNS[name], _SIGN, sheet.palette.muted).idealWidth()


def draw_sign(sheet: Sheet, room: QRectF, name: str, *, marked: bool = False, before: str = "") -> None:
    """Write one of SIGNS in the middle of a room, with a word before it."""
    colour = sheet.palette.accent if marked else sheet.palette.muted
    document = _document(sheet, f"{before} {SIGNS[name]}".strip(), _SIGN, colour)
    _draw(sheet, room, document, f"sign {name}", _SIGN, centred=True)


def draw_formulas(sheet: Sheet, room: QRectF, formulas: tuple[str, ...], marked: tuple[str, ...]) -> None:
    """Draw formulas side by side, the marked parts on a ground of their own; as large as the room allows.

    Args:
        sheet: the page.
        room: where.
        formulas: names of formulas.
        marked: names of formulas or of parts of them.
    """
    rows = QCoreApplication.translate("lecture", "rows")
    signs = {name.replace(" ", "_"): sign for name, sign in SIGNS.items()}
    # No line ends inside of a formula.
    texts = [f"<span class='{name}'>{_FORMULAS[name].format(rows=rows, over_n=_OVER_N, **signs)}</span>" for name in formulas]
    html = _BETWEEN.join(text.replace(" ", "\u00a0").replace("<span\u00a0", "<span ") for text in texts)
    units = _LARGEST
    while True:
        document = _document(sheet, html, units, sheet.palette.text, marked)
        if units <= _LEAST or document.idealWidth() <= room.width():
            break
        units = max(0.95 * units, _LEAST)
    document.setTextWidth(room.width())
    _draw(sheet, room, document, "formulas", units, centred=False)

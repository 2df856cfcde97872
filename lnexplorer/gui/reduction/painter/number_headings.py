"""The headings of a small shape's sum, and the notes beside them, in as many words as find room."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QFontMetricsF

from lnexplorer.gui.shell.theme import GRID

translate = QCoreApplication.translate


def paired(
    bold: QFontMetricsF, plain: QFontMetricsF, titles: Sequence[str], notes: Sequence[str], room: float
) -> tuple[str, str]:
    """The longest title beside which a note has room, and the longest such note; else a title alone.

    Args:
        bold: metrics of a title's type.
        plain: of a note's.
        titles: the longest first; of the last one as much is taken as has room.
        notes: the longest first; none if there is nothing to say.
        room: px of both together.
    """
    for title in titles:
        rest = room - bold.horizontalAdvance(title) - 2 * GRID
        note = next((note for note in notes if plain.horizontalAdvance(note) <= rest), None)
        if note is not None:
            return title, note
    alone = next((title for title in titles if bold.horizontalAdvance(title) <= room), titles[-1])
    return bold.elidedText(alone, Qt.TextElideMode.ElideRight, room), ""


def rows_titles(formula: str) -> tuple[str, ...]:
    """Above the rows; `formula` says what stands in them."""
    forms = (
        translate("reduction", "Stage 1: each row of x gives a row of partial sums ({0})"),
        translate("reduction", "Stage 1: partial sums of each row ({0})"),
    )
    return tuple(form.format(formula) for form in forms)


def decimals_notes(digits: int) -> tuple[str, ...]:
    """To how many digits numbers are written."""
    forms = (translate("reduction", "rounded here; decimals: {0}"), translate("reduction", "decimals: {0}"))
    return tuple(form.format(digits) for form in forms)


def buffers_titles(group_size_m: int) -> tuple[str, ...]:
    """Above the buffers."""
    forms = (
        translate("reduction", "and adds it to the buffer whose number is row mod {0}"),
        translate("reduction", "added to buffer row mod {0}"),
    )
    return tuple(form.format(group_size_m) for form in forms)


def results_titles() -> tuple[str, ...]:
    """Above dw or db."""
    return (
        translate("reduction", "Stage 2: the buffers are added, column by column"),
        translate("reduction", "Stage 2: the buffers are added"),
    )

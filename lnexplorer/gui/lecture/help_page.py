"""All keys on one page."""

from PySide6.QtCore import QCoreApplication, QRectF

from lnexplorer.gui.lecture.keys import help_lines
from lnexplorer.gui.lecture.sheet import LEFT, Sheet

translate = QCoreApplication.translate


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

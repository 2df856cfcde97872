"""A header of two lines: names of columns, and above them what several columns have in common."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from lnexplorer.gui.shell.theme import GRID, LIGHT, Theme

PADDING = 3  # as far as Qt keeps the text of a cell from its edge


class GroupedHeader(QHeaderView):
    """Columns of a group are next to each other and cannot be moved."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._groups: list[tuple[int, int, str]] = []
        self._optional: Sequence[int] = ()
        self._absent: set[int] = set()
        self._theme = LIGHT

    def set_groups(self, groups: list[tuple[int, int, str]]) -> None:
        """First column, last column and text of each group."""
        self._groups = groups
        self.viewport().update()

    def set_optional(self, sections: Sequence[int]) -> None:
        """Columns that go where there is no room for all, the first of them first: a cut word says nothing."""
        self._optional = sections

    def set_absent(self, sections: set[int]) -> None:
        """Columns that are not wanted, however much room there is."""
        self._absent = sections
        self.share_width()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self.viewport().update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Two lines."""
        return QSize(super().sizeHint().width(), 2 * (self.fontMetrics().height() + GRID // 2) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give every column what its title needs, and share out the rest."""
        super().resizeEvent(event)
        self.share_width()

    def share_width(self) -> None:
        """Fill the width with as many columns as fit."""
        shown = [section for section in range(self.count()) if section not in self._absent]
        bold = QFont(self.font())  # some cells are
        bold.setWeight(QFont.Weight.DemiBold)
        plain_metrics, bold_metrics = QFontMetrics(self.font()), QFontMetrics(bold)
        needed = {section: self._needed(section, plain_metrics, bold_metrics) for section in shown}
        widths = self._widths(needed)
        for section in self._optional:
            if sum(widths.values()) <= self.viewport().width():
                break
            widths = self._widths({other: needed[other] for other in widths if other != section})
        for section in reversed(self._optional):  # what went in vain, for one that needed more, comes back
            more = self._widths({other: needed[other] for other in shown if other in widths or other == section})
            if sum(more.values()) <= self.viewport().width():
                widths = more
        for section in range(self.count()):
            if self.isSectionHidden(section) == (section in widths):
                self.setSectionHidden(section, section not in widths)
        rest = (self.viewport().width() - sum(widths.values())) / max(len(widths), 1)
        edge, done = 0.0, 0
        for section, width in widths.items():
            edge += width + rest
            self.resizeSection(section, max(round(edge) - done, self.minimumSectionSize()))
            done = round(edge)

    def _widths(self, needed: dict[int, int]) -> dict[int, int]:
        """What each column takes: what it needs for itself, and its share of the title above it."""
        widths, metrics = dict(needed), QFontMetrics(self.font())
        for first, last, text in self._groups:
            inside = [section for section in needed if first <= section <= last]
            missing = _wide(text, metrics) - sum(widths[section] for section in inside)
            if inside and missing > 0:
                for section in inside:
                    widths[section] += -(-missing // len(inside))
        return widths

    def _needed(self, section: int, plain: QFontMetrics, bold: QFontMetrics) -> int:
        """What a column needs for its title and its cells."""
        model = self.model()
        titles = {str(model.headerData(section, Qt.Orientation.Horizontal)), "8.8e-88"}
        cells = {str(model.index(row, section).data()) for row in range(model.rowCount())}
        return max(*(_wide(text, plain) for text in titles), *(_wide(text, bold) for text in cells))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802, N803
        """Draw one column's name and its share of the group's."""
        painter.save()
        painter.setClipRect(rect)
        painter.fillRect(rect, QColor(self._theme.surface))
        middle = rect.top() + rect.height() // 2
        for first, last, text in self._groups:
            if first <= logicalIndex <= last:
                self._paint_group(painter, QRect(rect.left(), rect.top(), rect.width(), middle - rect.top()), (first, last), text)
        lower = QRect(rect.left() + PADDING, middle, rect.width() - 2 * PADDING, rect.bottom() - middle)
        title = str(self.model().headerData(logicalIndex, Qt.Orientation.Horizontal))
        side = Qt.AlignmentFlag.AlignLeft if logicalIndex == 0 else Qt.AlignmentFlag.AlignRight
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(lower, side | Qt.AlignmentFlag.AlignVCenter, title)
        painter.setPen(QColor(self._theme.line))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.restore()

    def _paint_group(self, painter: QPainter, rect: QRect, group: tuple[int, int], text: str) -> None:
        visible = [section for section in range(group[0], group[1] + 1) if not self.isSectionHidden(section)]
        left = self.sectionViewportPosition(visible[0])
        right = self.sectionViewportPosition(visible[-1]) + self.sectionSize(visible[-1])
        whole = QRect(left + PADDING, rect.top(), right - left - 2 * PADDING, rect.height())
        painter.setPen(QColor(self._theme.line))
        painter.drawLine(whole.bottomLeft(), whole.bottomRight())
        painter.setPen(QColor(self._theme.text))
        side = Qt.AlignmentFlag.AlignRight if len(visible) == 1 else Qt.AlignmentFlag.AlignHCenter
        painter.drawText(whole, side | Qt.AlignmentFlag.AlignVCenter, text)


def _wide(text: str, metrics: QFontMetrics) -> int:
    return metrics.horizontalAdvance(text) + 2 * PADDING + GRID

"""The four results against the truth, as a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QTableView,
    QWidget,
)

from lnexplorer.domain import wording
from lnexplorer.gui.charts.theme import GRID, LIGHT, RESULT_COLOURS, Theme, with_text
from lnexplorer.gui.charts.widgets import RowDelegate
from lnkernels.values.accuracy import TensorCheck

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
        self._theme = theme
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 2 * (self.fontMetrics().height() + GRID // 2) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
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

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803
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


ROW_HEIGHT = 22
MOST_WIDTH = 1400  # px; wider, the eye loses its line
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class _Column:
    text: Callable[[TensorCheck], str]
    exact: Callable[[TensorCheck], float] | None = None  # for the tooltip
    verdict: Callable[[TensorCheck], bool] | None = None


def _mark(passed: bool) -> str:
    return "✓" if passed else "✗"


_COLUMNS = {
    "name": _Column(lambda c: c.name),
    "max": _Column(lambda c: wording.error(c.kernel_vs_truth.max_abs), lambda c: c.kernel_vs_truth.max_abs),
    "mean": _Column(lambda c: wording.error(c.kernel_vs_truth.mean_abs), lambda c: c.kernel_vs_truth.mean_abs),
    "relative": _Column(lambda c: wording.error(c.kernel_vs_truth.max_rel), lambda c: c.kernel_vs_truth.max_rel),
    "ulp": _Column(lambda c: wording.ulp(c.kernel_vs_truth.max_ulp), lambda c: c.kernel_vs_truth.max_ulp),
    "misplaced": _Column(lambda c: str(c.kernel_vs_truth.misplaced)),
    "torch": _Column(lambda c: wording.error(c.torch_vs_truth.max_abs), lambda c: c.torch_vs_truth.max_abs),
    "difference": _Column(lambda c: wording.error(c.kernel_vs_torch.max_abs), lambda c: c.kernel_vs_torch.max_abs),
    "tolerance": _Column(lambda c: wording.error(c.tolerance), lambda c: c.tolerance),
    "passed": _Column(lambda c: _mark(c.passed), verdict=lambda c: c.passed),
    "tutorial": _Column(lambda c: _mark(c.tutorial_passed), verdict=lambda c: c.tutorial_passed),
}
KEYS = tuple(_COLUMNS)
# What a narrow table does without, the first of them first.
_LEAST_IMPORTANT = ("mean", "relative", "ulp", "tutorial", "difference", "torch")
_GROUPS = (("max", "misplaced"), ("torch", "torch"), ("difference", "difference"), ("tolerance", "tutorial"))


class CheckModel(QAbstractTableModel):
    """A row for each of y, dx, dw and db."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._checks: tuple[TensorCheck, ...] = ()
        self._theme = LIGHT

    def set_checks(self, checks: tuple[TensorCheck, ...]) -> None:
        """Show these."""
        self.beginResetModel()
        self._checks = checks
        self.endResetModel()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._checks:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._checks) - 1, len(KEYS) - 1))

    def retranslate(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(KEYS) - 1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._checks)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(KEYS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        check, key = self._checks[index.row()], KEYS[index.column()]
        column = _COLUMNS[key]
        result: object = None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                result = self._with_word(key, column.text(check))
            case Qt.ItemDataRole.ToolTipRole:
                exact = "" if column.exact is None else f"{check.name}: {column.exact(check):.6g}\n"
                result = exact + self._help(key)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignLeft if key == "name" else Qt.AlignmentFlag.AlignRight
                result = side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ForegroundRole:
                result = self._colour(key, column, check)
            case Qt.ItemDataRole.DecorationRole if key == "name":
                result = _dot(RESULT_COLOURS[check.name])
            case Qt.ItemDataRole.FontRole if key in {"name", "max"} or column.verdict is not None:
                result = QFont()
                result.setWeight(QFont.Weight.DemiBold)
        return result

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(KEYS):
            return None
        key = KEYS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title(key)
        return self._help(key) if role == Qt.ItemDataRole.ToolTipRole else None

    def group_title(self, key: str) -> str:
        """What stands above several columns, by the first of them."""
        return {
            "max": self.tr("kernel − truth"),
            "torch": self.tr("torch − truth"),
            "difference": self.tr("kernel − torch"),
            "tolerance": self.tr("verdict"),
        }[key]

    def _title(self, key: str) -> str:
        return {
            "name": self.tr("result"),
            "max": self.tr("max"),
            "mean": self.tr("mean"),
            "relative": self.tr("relative"),
            "ulp": self.tr("ULP"),
            "misplaced": self.tr("NaN, Inf"),
            "torch": self.tr("max"),
            "difference": self.tr("max"),
            "tolerance": self.tr("tolerance"),
            "passed": self.tr("within"),
            "tutorial": self.tr("tutorial's"),
        }[key]

    def _help(self, key: str) -> str:
        return {
            "name": self.tr("y: output. dx, dw, db: gradients of input, weight and bias."),
            "max": self.tr("Largest absolute difference of the kernel's result from the result computed in float64."),
            "mean": self.tr("Mean absolute difference of the kernel's result from the result computed in float64."),
            "relative": self.tr("Largest difference from the float64 result, relative to that result."),
            "ulp": self.tr(
                "Largest difference in units in the last place of the result's dtype. Rounding alone costs half of one."
            ),
            "misplaced": self.tr("Elements that are NaN or infinite where the truth is not, or the other way round."),
            "torch": self.tr(
                "The same for PyTorch's own layer_norm in the same dtype: PyTorch in half precision is no truth either."
            ),
            "difference": self.tr("Largest difference between kernel and PyTorch. It does not say which of the two is wrong."),
            "tolerance": self.tr(
                "What is allowed at the element that comes closest to its bound: PyTorch's own error and a small slack,"
                " or the bound that the length of the sum gives."
            ),
            "passed": self.tr("Whether every element of the kernel's result is within its tolerance of the truth."),
            "tutorial": self.tr("The tutorial's own check: every element within atol 1e-2, rtol 0 of PyTorch's."),
        }[key]

    def _with_word(self, key: str, text: str) -> str:
        if key == "passed":
            word = self.tr("yes") if text == _mark(True) else self.tr("no")
            return f"{text} {word}"
        return text

    def _colour(self, key: str, column: _Column, check: TensorCheck) -> QColor | None:
        if column.verdict is not None:
            return QColor(self._theme.good if column.verdict(check) else self._theme.bad)
        if key == "misplaced" and check.kernel_vs_truth.misplaced:
            return QColor(self._theme.bad)
        return None if key in {"name", "max", "tolerance"} else QColor(self._theme.muted)


class CheckTable(QTableView):
    """The table, as high as its rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.checks = CheckModel(self)
        self.setModel(self.checks)
        header = GroupedHeader(self)
        self.setHorizontalHeader(header)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setItemDelegate(RowDelegate(self))
        header.setMinimumSectionSize(40)
        header.set_optional([KEYS.index(key) for key in _LEAST_IMPORTANT])
        header.set_absent({KEYS.index("misplaced")})
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(MOST_WIDTH)
        self.retranslate()

    def set_checks(self, checks: tuple[TensorCheck, ...]) -> None:
        """Show these; the column of misplaced NaN and Inf only where there are some."""
        self.checks.set_checks(checks)
        misplaced = any(check.kernel_vs_truth.misplaced for check in checks)
        self._header().set_absent(set() if misplaced else {KEYS.index("misplaced")})
        self.updateGeometry()

    def apply_theme(self, theme: Theme) -> None:
        self.checks.apply_theme(theme)
        self._header().apply_theme(theme)
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self._header().share_width()
        self.updateGeometry()

    def retranslate(self) -> None:
        self.checks.retranslate()
        groups = [(KEYS.index(first), KEYS.index(last), self.checks.group_title(first)) for first, last in _GROUPS]
        self._header().set_groups(groups)
        self._header().share_width()
        self.setAccessibleName(self.tr("Errors of the four results"))

    def sizeHint(self) -> QSize:
        height = self.horizontalHeader().sizeHint().height() + 4 * with_text(ROW_HEIGHT) + 2
        return QSize(640, height)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, self.sizeHint().height())

    def _header(self) -> GroupedHeader:
        header = self.horizontalHeader()
        assert isinstance(header, GroupedHeader)
        return header


def _dot(colour: str) -> QPixmap:
    pixmap = QPixmap(24, 24)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawEllipse(1, 1, 10, 10)
    painter.end()
    return pixmap

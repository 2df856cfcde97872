"""The four results against the truth, as a table."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from lnexplorer.domain import wording
from lnexplorer.gui.kit.theme import GRID, LIGHT, RESULT_COLOURS, Theme, with_text
from lnkernels.values.accuracy import TensorCheck

ROW_HEIGHT = 22
MOST_WIDTH = 1400  # px; wider, the eye loses its line
FIGURES = {
    "max": ("kernel_vs_truth", "max_abs"),
    "mean": ("kernel_vs_truth", "mean_abs"),
    "relative": ("kernel_vs_truth", "max_rel"),
    "ulp": ("kernel_vs_truth", "max_ulp"),
    "misplaced": ("kernel_vs_truth", "misplaced"),
    "torch": ("torch_vs_truth", "max_abs"),
    "difference": ("kernel_vs_torch", "max_abs"),
}
VERDICTS = {"passed": "passed", "tutorial": "tutorial_passed"}
KEYS = ("name", *FIGURES, "tolerance", *VERDICTS)
# What a narrow table does without, the first of them first.
LEAST_IMPORTANT = ("mean", "relative", "ulp", "tutorial", "difference", "torch")


class CheckTable(QTableWidget):
    """A row for each of y, dx, dw and db; as high as its rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(KEYS), parent)
        self._checks: tuple[TensorCheck, ...] = ()
        self._repeats = 1
        self._theme = LIGHT
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(MOST_WIDTH)
        self.retranslate()

    def set_checks(self, checks: tuple[TensorCheck, ...], repeats: int = 1) -> None:
        """Show these, the worst of some backward passes; the column of misplaced NaN and Inf only
        where there are some.
        """
        self._checks = checks
        self._repeats = repeats
        self._fill()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self._fill()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Errors of the four results"))
        helps = self._helps()
        for column, (key, title) in enumerate(self._titles().items()):
            item = QTableWidgetItem(title)
            item.setToolTip(helps[key])
            item.setTextAlignment(_side(key) | Qt.AlignmentFlag.AlignBottom)
            self.setHorizontalHeaderItem(column, item)
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def sizeHint(self) -> QSize:
        return QSize(
            640, self.horizontalHeader().sizeHint().height() + 4 * with_text(ROW_HEIGHT) + 2
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(320, self.sizeHint().height())

    def _fill(self) -> None:
        helps = self._helps()
        self.setRowCount(len(self._checks))
        for row, check in enumerate(self._checks):
            for column, key in enumerate(KEYS):
                self.setItem(row, column, self._item(check, key, helps[key]))
        self._share_width()
        self.updateGeometry()

    def _item(self, check: TensorCheck, key: str, about: str) -> QTableWidgetItem:
        item = QTableWidgetItem()
        item.setTextAlignment(_side(key) | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(about)
        colour = self._theme.muted
        if key == "name":
            item.setText(check.name)
            item.setIcon(_dot(RESULT_COLOURS[check.name]))
            colour = self._theme.text
        elif key in VERDICTS:
            passed = getattr(check, VERDICTS[key])
            item.setText(self.tr("✓ yes") if passed else self.tr("✗ no"))
            colour = self._theme.good if passed else self._theme.bad
        else:
            value = (
                check.tolerance
                if key == "tolerance"
                else getattr(getattr(check, FIGURES[key][0]), FIGURES[key][1])
            )
            item.setText(
                wording.ulp(value)
                if key == "ulp"
                else str(value)
                if key == "misplaced"
                else wording.error(value)
            )
            item.setToolTip(f"{check.name}: {value:.6g}\n{about}")
            if key in {"max", "tolerance"}:
                colour = self._theme.text
            elif key == "misplaced" and value:
                colour = self._theme.bad
        if key in {"name", "max", *VERDICTS}:
            font = QFont(self.font())
            font.setWeight(QFont.Weight.DemiBold)
            item.setFont(font)
        item.setForeground(QColor(colour))
        return item

    def _share_width(self) -> None:
        """Fill the width with as many columns as can be read."""
        room, metrics = self.viewport().width(), self.horizontalHeader().fontMetrics()
        needed = {
            key: (
                max(
                    self.sizeHintForColumn(column),
                    *map(metrics.horizontalAdvance, title.splitlines()),
                )
                + 2 * GRID
            )
            for column, (key, title) in enumerate(self._titles().items())
        }
        if not any(check.kernel_vs_truth.misplaced for check in self._checks):
            del needed["misplaced"]
        for key in LEAST_IMPORTANT:
            if sum(needed.values()) > room:
                del needed[key]
        rest = max(room - sum(needed.values()), 0) // len(needed)
        for column, key in enumerate(KEYS):
            self.setColumnHidden(column, key not in needed)
            if key in needed:
                self.setColumnWidth(column, needed[key] + rest)

    def _titles(self) -> dict[str, str]:
        truth, torch, both = (
            self.tr("kernel − truth\nmax"),
            self.tr("torch − truth\nmax"),
            self.tr("kernel − torch\nmax"),
        )
        return {
            "name": self.tr("result"),
            "max": truth,
            "mean": self.tr("mean"),
            "relative": self.tr("relative"),
            "ulp": self.tr("ULP"),
            "misplaced": self.tr("NaN, Inf"),
            "torch": torch,
            "difference": both,
            "tolerance": self.tr("tolerance"),
            "passed": self.tr("within"),
            "tutorial": self.tr("tutorial's"),
        }

    def _helps(self) -> dict[str, str]:
        passed = [
            self.tr(
                "Whether every element of the kernel's result is within its tolerance of the truth."
            )
        ]
        if self._repeats > 1:
            passed.append(
                self.tr("The worst of {repeats} backward passes counts.").format(
                    repeats=self._repeats
                )
            )
        return {
            "name": self.tr("y: output. dx, dw, db: gradients of input, weight and bias."),
            "max": self.tr(
                "Largest absolute difference of the kernel's result from the result computed in"
                " float64."
            ),
            "mean": self.tr(
                "Mean absolute difference of the kernel's result from the result computed in"
                " float64."
            ),
            "relative": self.tr(
                "Largest difference from the float64 result, relative to that result."
            ),
            "ulp": self.tr(
                "Largest difference in units in the last place of the result's dtype. Rounding"
                " alone costs half of one."
            ),
            "misplaced": self.tr(
                "Elements that are NaN or infinite where the truth is not, or the other way round."
            ),
            "torch": self.tr(
                "The same for PyTorch's own layer_norm in the same dtype: PyTorch in half precision"
                " is no truth either."
            ),
            "difference": self.tr(
                "Largest difference between kernel and PyTorch. It does not say which of the two is"
                " wrong."
            ),
            "tolerance": self.tr(
                "What is allowed at the element that comes closest to its bound: PyTorch's own"
                " error and a small slack, or the bound that the length of the sum gives."
            ),
            "passed": "\n".join(passed),
            "tutorial": self.tr(
                "The tutorial's own check: every element within atol 1e-2, rtol 0 of PyTorch's."
            ),
        }


def _side(key: str) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignLeft if key == "name" else Qt.AlignmentFlag.AlignRight


def _dot(colour: str) -> QIcon:
    pixmap = QPixmap(24, 24)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawEllipse(1, 1, 10, 10)
    painter.end()
    return QIcon(pixmap)

"""A table of the errors of y, dx, dw and db against the truth."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
)

from lnexplorer.domain import wording
from lnexplorer.gui.kit import (
    GRID,
    RESULT_COLOURS,
    Arranged,
    Retranslated,
    Theme,
    translate_message,
    with_text,
)
from lnkernels.values import Sentence, Words, frozen, join_sentences, say
from lnkernels.values.accuracy import TensorCheck

ROW_HEIGHT = 22
MOST_WIDTH = 1400  # px; in a wider table the eye loses its line


@frozen
class CheckColumn:
    """A column of a row for each check. Catalogues gather title and help from the calls.

    Args:
        title: of the column.
        help: its tooltip.
        value: returns the column's value of a check.
        write: turns the value into text.
    """

    title: str
    help: str
    value: Callable[[TensorCheck], Any]
    write: Callable[[Any], Words] = wording.error


def _verdict(passed: bool) -> Sentence:
    return say("✓ yes") if passed else say("✗ no")


COLUMNS = {
    "name": CheckColumn(
        "result",
        "y: output. dx, dw, db: gradients of input, weight and bias.",
        lambda check: check.name,
        str,
    ),
    "max": CheckColumn(
        "kernel − truth\nmax",
        "Largest absolute difference of the kernel's result from the result computed in float64.",
        lambda check: check.kernel_vs_truth.largest,
    ),
    "mean": CheckColumn(
        "mean",
        "Mean absolute difference of the kernel's result from the result computed in float64.",
        lambda check: check.kernel_vs_truth.mean_abs,
    ),
    "relative": CheckColumn(
        "relative",
        "Largest difference from the float64 result, relative to that result.",
        lambda check: check.kernel_vs_truth.max_rel,
    ),
    "ulp": CheckColumn(
        "ULP",
        "Largest difference in units in the last place of the result's dtype. Rounding alone"
        " costs half of one.",
        lambda check: check.kernel_vs_truth.max_ulp,
        wording.ulp,
    ),
    "misplaced": CheckColumn(
        "NaN, Inf",
        "Elements that are NaN or infinite where the truth is not, or the other way round.",
        lambda check: check.kernel_vs_truth.misplaced,
        str,
    ),
    "torch": CheckColumn(
        "torch − truth\nmax",
        "The same for PyTorch's own layer_norm in the same dtype: PyTorch in half precision is"
        " no truth either.",
        lambda check: check.torch_vs_truth.largest,
    ),
    "difference": CheckColumn(
        "kernel − torch\nmax",
        "Largest difference between kernel and PyTorch. It does not say which of the two is wrong.",
        lambda check: check.kernel_vs_torch.largest,
    ),
    "tolerance": CheckColumn(
        "tolerance",
        "The largest error that an element is allowed, which need not be the one that is"
        " furthest off: each has a bound of its own, or PyTorch's error where that is larger.",
        lambda check: check.tolerance,
    ),
    "passed": CheckColumn(
        "within",
        "Whether every element of the kernel's result is within its tolerance of the truth.",
        lambda check: check.passed,
        _verdict,
    ),
    "tutorial": CheckColumn(
        "tutorial's",
        "The tutorial's own check: every element within atol 1e-2, rtol 0 of PyTorch's.",
        lambda check: check.tutorial_passed,
        _verdict,
    ),
}
KEYS = tuple(COLUMNS)
BOLD = {"name", "max", "passed", "tutorial"}
# A narrow table hides these, the first of them first.
LEAST_IMPORTANT = ("mean", "relative", "ulp", "tutorial", "difference", "torch")


class CheckTable(Retranslated, Arranged, QTableWidget):
    """A table with a row for each of y, dx, dw and db, as high as its rows."""

    def __init__(self) -> None:
        super().__init__(
            0,
            len(COLUMNS),
            editTriggers=QAbstractItemView.EditTrigger.NoEditTriggers,
            selectionMode=QAbstractItemView.SelectionMode.SingleSelection,
            selectionBehavior=QAbstractItemView.SelectionBehavior.SelectRows,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            verticalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            showGrid=False,
            tabKeyNavigation=False,
            maximumWidth=MOST_WIDTH,
        )
        self._checks: tuple[TensorCheck, ...] = ()
        self._repeats = 1
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.write(self.setAccessibleName, say("Errors of the four results"))
        self.retranslate()

    def set_checks(self, checks: tuple[TensorCheck, ...], repeats: int) -> None:
        """Show the checks of a run: the worst of its `repeats` backward passes.

        The column of misplaced NaN and Inf is shown only if there are some.
        """
        self._checks = checks
        self._repeats = repeats
        self.retranslate()

    def apply_theme(self) -> None:
        self.verticalHeader().setDefaultSectionSize(with_text(ROW_HEIGHT))
        self.retranslate()

    def retranslate(self) -> None:
        self.setRowCount(len(self._checks))
        for place, (key, column) in enumerate(COLUMNS.items()):
            about = translate_message(say(column.help))
            if key == "passed" and self._repeats > 1:
                worst = say("The worst of {repeats} backward passes counts.", repeats=self._repeats)
                about = f"{about}\n{translate_message(worst)}"
            title = translate_message(say(column.title))
            head = _item(key, title, about, Qt.AlignmentFlag.AlignBottom)
            self.setHorizontalHeaderItem(place, head)
            for row, check in enumerate(self._checks):
                self.setItem(row, place, self._cell(check, key, about))
        self.arrange()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(
            640, self.horizontalHeader().sizeHint().height() + 4 * with_text(ROW_HEIGHT) + 2
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(320, self.sizeHint().height())

    def _cell(self, check: TensorCheck, key: str, about: str) -> QTableWidgetItem:
        column, theme = COLUMNS[key], Theme.current
        value = column.value(check)
        colour = theme.text if key in {"name", "max", "tolerance"} else theme.muted
        if column.write is _verdict:
            colour = theme.good if value else theme.bad
        elif key == "misplaced" and value:
            colour = theme.bad
        if value is not None and key != "name" and column.write is not _verdict:
            told = translate_message(join_sentences((check.name, f"{value:.6g}"), ": "))
            about = f"{told}\n{about}"
        text = translate_message(column.write(value))
        item = _item(key, text, about, Qt.AlignmentFlag.AlignVCenter)
        if key == "name":
            item.setData(Qt.ItemDataRole.DecorationRole, QColor(RESULT_COLOURS[check.name]))
        if key in BOLD:
            font = QFont(self.font())
            font.setWeight(QFont.Weight.DemiBold)
            item.setFont(font)
        item.setForeground(QColor(colour))
        return item

    def arrange(self) -> None:
        """Show as many columns as are legible, and share the width among them."""
        room, metrics = self.viewport().width(), self.horizontalHeader().fontMetrics()
        needed = {}
        for place, (key, column) in enumerate(COLUMNS.items()):
            title = translate_message(say(column.title)).splitlines()
            widest = max(self.sizeHintForColumn(place), *map(metrics.horizontalAdvance, title))
            needed[key] = widest + 2 * GRID
        if not any(check.kernel_vs_truth.misplaced for check in self._checks):
            del needed["misplaced"]
        for key in LEAST_IMPORTANT:
            if sum(needed.values()) > room:
                del needed[key]
        rest = max(room - sum(needed.values()), 0) // len(needed)
        for place, key in enumerate(KEYS):
            self.setColumnHidden(place, key not in needed)
            if key in needed:
                self.setColumnWidth(place, needed[key] + rest)


def _item(key: str, text: str, tip: str, height: Qt.AlignmentFlag) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    item.setToolTip(tip)
    side = Qt.AlignmentFlag.AlignLeft if key == "name" else Qt.AlignmentFlag.AlignRight
    item.setTextAlignment(side | height)
    return item

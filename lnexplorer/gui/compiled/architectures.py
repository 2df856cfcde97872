"""One kernel of one setting for every architecture, in a table."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from lnexplorer.domain.jobs import Compiled
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import Label
from lnexplorer.gui.compiled.facts import facts_of
from lnkernels.values.listing import ARCHITECTURES

PARTS = (0, 3, 4, 5, 7)  # of `facts_of`: the architecture, then what it changes
COLUMNS = len(PARTS) + 2


class ArchitectureTable(QWidget):
    """Filled architecture by architecture once it is asked for."""

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table, self.button, self.state = QTableWidget(0, 0), QPushButton(), Label()
        self._found: dict[str, Compiled | str] = {}  # or why there is none
        self._kernel = "forward"
        self.state.setProperty("look", "muted")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().setVisible(False)
        self.table.setTabKeyNavigation(False)
        self.button.clicked.connect(self.wanted)
        bar = QHBoxLayout()
        bar.addWidget(self.button)
        bar.addWidget(self.state, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(bar)
        layout.addWidget(self.table, 1)

    def clear(self) -> None:
        """The setting is another one."""
        self._found = {}
        self._fill()

    def add(self, architecture: str, found: Compiled | str) -> None:
        """Take what was compiled for an architecture, or why that was not possible."""
        self._found[architecture] = found
        self._fill()

    def show_kernel(self, name: str) -> None:
        """Choose a kernel, such as "backward_stage1"."""
        self._kernel = name
        self._fill()

    def retranslate(self) -> None:
        self.button.setText(self.tr("Compile for every architecture"))
        self.button.setToolTip(
            self.tr("The setting for each of {count} architectures, one after another").format(count=len(ARCHITECTURES))
        )
        self.table.setAccessibleName(self.tr("What the compiler makes of the kernel for each architecture"))
        self._fill()

    def _fill(self) -> None:
        self.table.clearSpans()
        self.table.setRowCount(0)
        self.table.setColumnCount(COLUMNS)
        heads: list[str] = []
        for architecture in (name for name in ARCHITECTURES if name in self._found):
            found, row = self._found[architecture], self.table.rowCount()
            listing = None
            if isinstance(found, Compiled):
                listing = next((each for each in found.kernels if each.facts.name == self._kernel), None)
            self.table.insertRow(row)
            if listing is None:
                cells = [architecture, found if isinstance(found, str) else "–"]
            else:
                facts, held = facts_of(listing), listing.facts.occupancy
                heads = [self.tr("architecture"), self.tr("registers"), *(facts[part][0] for part in PARTS[2:])]
                heads += [self.tr("programs an SM"), self.tr("warps")]
                cells = [facts[part][1] for part in PARTS]
                cells += ["–", "–"] if held is None else [str(held.programs_per_sm), f"{held.share_of_warps:.0%}"]
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                if column and listing is not None:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.table.setItem(row, column, item)
            if listing is None:
                self.table.setSpan(row, 1, 1, COLUMNS - 1)
        if heads:
            self.table.setHorizontalHeaderLabels(heads)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.setVisible(bool(self._found))
        done = self.tr("{done} of {all}").format(done=len(self._found), all=len(ARCHITECTURES))
        self.state.setText(done if 0 < len(self._found) < len(ARCHITECTURES) else "")

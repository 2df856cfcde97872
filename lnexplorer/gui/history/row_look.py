"""How each table of the history looks: rows of one height, chosen whole."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from lnexplorer.gui.charts.row_delegate import RowDelegate
from lnexplorer.gui.shell.theme import GRID

ROW_HEIGHT = 3 * GRID
CELL_PADDING = 5  # px; with Qt's own 3 a value stands under its title


def look_like_rows(table: QTableView) -> None:
    """Give a table this look; keys and a context menu are left to the table."""
    table.setItemDelegate(RowDelegate(table))
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setStyleSheet(f"QTableView::item {{ padding: 0 {CELL_PADDING}px; }}")
    table.setAlternatingRowColors(True)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.verticalHeader().hide()
    # Rows of one height: no cell is asked to find out where a row is.
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
    table.horizontalHeader().setHighlightSections(False)

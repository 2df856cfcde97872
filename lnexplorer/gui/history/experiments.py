"""The experiments that are kept, newest first: which, on what, and whether they came to their end."""

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QTableWidgetItem, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.words import QUESTIONS, TITLES
from lnexplorer.domain.history import ExperimentRow
from lnexplorer.gui.history.badge_delegate import BadgeDelegate
from lnexplorer.gui.history.columns import written_date
from lnexplorer.gui.history.plain_table import PlainTable
from lnexplorer.gui.history.words import kind_word
from lnexplorer.gui.i18n.sentences import told
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.shell.theme import GRID, LIGHT, Theme
from lnexplorer.gui.shell.tones import TONES

DATE, KIND, TITLE, SHAPE, DEVICE, STATE = range(6)
WIDTHS = (20 * GRID, 14 * GRID, 34 * GRID, 21 * GRID, 22 * GRID)  # at most: the state needs room, too


class ExperimentTable(PlainTable[ExperimentRow]):
    """A table of experiments."""

    openRequested = Signal(int)  # noqa: N815  # its number

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(WIDTHS, (DATE, KIND, TITLE, SHAPE, DEVICE), parent)
        self._theme = LIGHT
        self._written: dict[ExperimentRow, tuple[str, ...]] = {}  # the cells of each, in the language of the window
        self.setItemDelegateForColumn(KIND, BadgeDelegate(self))
        self._open = self.add_row_action(None, lambda row: self.openRequested.emit(row.id))
        self._delete, self.undo = self.add_deletion()
        self.languageChanged.connect(self.retranslate)
        self.cellActivated.connect(lambda *_: self._open.trigger())
        self.retranslate()
        self.restyle()

    def set_experiments(self, rows: list[ExperimentRow]) -> None:
        """Show these; what is chosen stays chosen."""
        if rows != self._rows:
            self._fill(rows)

    def remove(self, ids: Collection[int]) -> None:
        """Take experiments out of the table; the one in their place is chosen next."""
        place = self.currentRow()
        self.set_experiments([row for row in self._rows if row.id not in ids])
        self.choose_near(place)

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self.restyle()
        self._fill(self._rows)

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.setAccessibleName(self.tr("Experiments"))
        titles = [self.tr("time"), self.tr("kind"), self.tr("experiment"), self.tr("shape"), self.tr("device"), self.tr("state")]
        self.setHorizontalHeaderLabels(titles)
        self.setToolTip(self.tr("Enter or a double click shows what an experiment found, Delete removes it"))
        self._open.setText(self.tr("Show in the Experiments pane"))
        self._delete.setText(self.tr("Delete"))
        self.undo.setText(self.tr("Undo the deletion"))
        self._written.clear()
        self._fill(self._rows)

    def state_of(self, row: ExperimentRow) -> str:
        """Whether an experiment came to its end, and if not, how far it came and why."""
        if row.ended == "finished":
            return self.tr("finished")
        word = self.tr("stopped") if row.ended == "stopped" else self.tr("failed")
        if row.total > 1:
            word = self.tr("{state} after {done} of {total} steps").format(state=word, done=row.done, total=row.total)
        return f"{word} · {told(row.reason)}" if row.reason else word

    def _fill(self, rows: list[ExperimentRow]) -> None:
        self._written = {row: self._written[row] for row in rows if row in self._written}
        self.show_rows(rows, self._item_of)

    def _texts(self, row: ExperimentRow) -> tuple[str, ...]:
        found = self._written.get(row)
        if found is None:
            title = domain_text(TITLES[row.name]) if row.name in TITLES else row.name
            shape = wording.shape(row.m, row.n, row.dtype)
            found = written_date(row.date), kind_word(row.kind), title, shape, row.device, self.state_of(row)
            self._written[row] = found
        return found

    def _item_of(self, row: ExperimentRow, column: int) -> QTableWidgetItem:
        """The cell of an experiment."""
        text = self._texts(row)[column]
        item = QTableWidgetItem(text)
        if column == KIND:
            item.setForeground(QColor(getattr(self._theme, TONES[row.kind])))
        elif column in (DATE, DEVICE) or (column == STATE and row.ended != "failed"):
            item.setForeground(QColor(self._theme.muted))
        elif column == STATE:
            item.setForeground(QColor(self._theme.bad))
        if column == STATE:
            item.setToolTip(text)
        elif column == TITLE and row.name in QUESTIONS:
            item.setToolTip(domain_text(QUESTIONS[row.name]))
        return item

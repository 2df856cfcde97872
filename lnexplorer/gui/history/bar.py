"""The line above the table: which kind, the filter, how many rows match it, the baseline, and the undo of a deletion."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.history import HistoryRow, equals, with_term
from lnexplorer.gui.charts.theme import GRID, Theme
from lnexplorer.gui.charts.widgets import ElidedLabel, Segments
from lnexplorer.gui.history.columns import RUNS, place
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.shell.icons import icon

TYPING_MS = 120  # the filter waits until typing pauses
FILTER_WIDTH = 52 * GRID
DAYS = (0, 7, 30)
KINDS = ("runs", "sweeps", "experiments", "recordings")


class HistoryBar(QWidget):
    """Kind, filter, count, baseline, undo."""

    filterChanged = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = Segments(KINDS)
        self.filter, self.fields, self.count = QLineEdit(), QToolButton(), QLabel()
        self.baseline, self.unpin = ElidedLabel(), QToolButton()
        self.undo, self.other = QPushButton(), QPushButton()
        self.fields_menu = QMenu(self.fields)
        self._values: dict[str, set[str]] = {name: set() for name in ("strategy", "dtype", "device")}
        self._baseline: HistoryRow | None = None
        self._kind = KINDS[0]
        self._texts: dict[str, str] = {}  # the filters of the kinds that are not on show
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._build()
        self._typing.timeout.connect(self.apply)
        self.filter.textChanged.connect(lambda _text: self._typing.start())
        self.filter.returnPressed.connect(self.apply)
        self.fields_menu.aboutToShow.connect(self._fill_fields)

    def apply(self) -> None:
        self._typing.stop()
        self.filterChanged.emit(self.filter.text())

    def offer(self, rows: Sequence[HistoryRow]) -> None:
        """Offer the values of these rows to filter by, beside those that were offered before."""
        for name, known in self._values.items():
            known.update(getattr(row, name) for row in rows)

    def set_baseline(self, row: HistoryRow | None) -> None:
        self._baseline = row
        for part in (self.baseline, self.unpin):
            part.setVisible(row is not None and self._kind == KINDS[0])
        if row is not None:
            shape = wording.shape(row.m, row.n, row.dtype)
            self.baseline.setText(self.tr("baseline: {shape}, {strategy}").format(shape=shape, strategy=row.strategy))

    def show_kind(self, kind: str) -> None:
        """Filter what is on show, each kind by its own words."""
        if kind == self._kind:
            return
        self._texts[self._kind] = self.filter.text()
        self._kind = kind
        self.set_baseline(self._baseline)
        self.filter.setText(self._texts.get(kind, ""))
        self._typing.stop()  # nothing is typed
        self.fields.setVisible(kind == "runs")
        self.other.setVisible(kind == "recordings")
        self._name_filter()

    def show_count(self, shown: int, total: int) -> None:
        text = f"{total:,}" if shown == total else self.tr("{shown} of {total}").format(shown=f"{shown:,}", total=f"{total:,}")
        self.count.setText(text if total else "")
        self.filter.setEnabled(total > 0)
        self.fields.setEnabled(total > 0)

    def offer_undo(self, count: int) -> None:
        """Offer to undo a deletion of so many rows."""
        self.undo.setText(self.tr("Undo the deletion of {count}").format(count=count))
        self.undo.setVisible(count > 0)

    def apply_theme(self, theme: Theme) -> None:
        self.unpin.setIcon(icon("cross", theme.text))
        self.kinds.apply_theme(theme)

    def retranslate(self) -> None:
        self.kinds.set_text("runs", self.tr("runs"), self.tr("Every run"))
        self.kinds.set_text("sweeps", self.tr("sweeps"), self.tr("Every sweep, with the command that asked for it"))
        self.kinds.set_text("experiments", self.tr("experiments"), self.tr("Every experiment, with what it found"))
        self.kinds.set_text("recordings", self.tr("recordings"), self.tr("The gallery: everything that was recorded before"))
        self._name_filter()
        self.other.setText(self.tr("Another file …"))
        self.other.setToolTip(self.tr("Open a recording that is elsewhere"))
        self.fields.setText(self.tr("by field"))
        self.fields.setToolTip(self.tr("Filter by strategy, dtype, device, date or verdict"))
        self.fields.setAccessibleName(self.fields.toolTip())
        self.undo.setToolTip(self.tr("Put back what was deleted last"))
        self.baseline.setToolTip(self.tr("The run that the others are compared with"))
        self.unpin.setToolTip(self.tr("Compare with no run"))
        self.unpin.setAccessibleName(self.unpin.toolTip())
        self.set_baseline(self._baseline)

    def _name_filter(self) -> None:
        if self._kind == "runs":
            hint = self.tr("Filter: words, or N>=4096 dtype=float16 failed")
            tip = self.tr(
                "Every term must hold. A word occurs in time, device, kind, shape, dtype, strategy or note; passed and failed are"
                " verdicts; M, N, G, forward, backward, share, y, dx, dw, db and date compare with <, <=, =, >=, >."
            )
        elif self._kind == "recordings":
            hint = self.tr("Search: GROUP_SIZE_M 16, H200, barrier …")
            tip = self.tr("Every word must occur on the card.")
        else:
            hint = self.tr("Filter: words that stand in a row")
            tip = self.tr("Every word must occur in the row.")
        self.filter.setPlaceholderText(hint)
        self.filter.setAccessibleName(self.tr("Filter"))
        self.filter.setToolTip(tip)
        self.count.setToolTip(self.tr("Rows on show"))

    def _build(self) -> None:
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(FILTER_WIDTH)
        self.fields.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.fields.setMenu(self.fields_menu)
        for label in (self.count, self.baseline):
            label.setProperty("look", "muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.kinds)
        layout.addWidget(self.filter, 6)
        layout.addWidget(self.fields)
        layout.addWidget(self.count)
        layout.addStretch(1)
        layout.addWidget(self.baseline, 4)
        for part in (self.unpin, self.undo, self.other):
            layout.addWidget(part)
        self.baseline.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.other.hide()
        self.set_baseline(None)
        self.offer_undo(0)

    def _fill_fields(self) -> None:
        self.fields_menu.clear()
        for name, values in self._values.items():
            self._add_field(name, self._title(name), [(value, equals(name, value)) for value in sorted(values)])
        today = datetime.now().astimezone().date()
        words = (self.tr("today"), self.tr("last 7 days"), self.tr("last 30 days"))
        days = [f"date>={today - timedelta(days=back)}" for back in DAYS]
        self._add_field("date", self.tr("date"), list(zip(words, days, strict=True)))
        verdicts = [(self.tr("within tolerance"), "passed"), (self.tr("beyond tolerance"), "failed")]
        self._add_field("passed", self._title("passed"), verdicts)

    def _title(self, name: str) -> str:
        return translate_message(RUNS[place(RUNS, name)].title)

    def _add_field(self, name: str, text: str, terms: list[tuple[str, str]]) -> None:
        menu = self.fields_menu.addMenu(text)
        for word, term in [(self.tr("any"), ""), *terms]:
            action = menu.addAction(word)
            action.triggered.connect(lambda _checked=False, term=term: self._choose(name, term))
        menu.setEnabled(bool(terms))

    def _choose(self, name: str, term: str) -> None:
        self.filter.setText(with_term(self.filter.text(), name, term))
        self.apply()

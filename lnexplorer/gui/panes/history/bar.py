"""The bar above the history: kinds of rows, filter, counts, baseline and undo."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.history import HistoryRow
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.style import icon
from lnexplorer.gui.kit.theme import GRID, Theme
from lnexplorer.gui.kit.widgets import ElidedLabel, Label, Segments, lay_row
from lnkernels.values.sentence import say

TYPING_MS = 120  # the filter waits until typing pauses
FILTER_WIDTH = 52 * GRID
KINDS = {
    "runs": (say("runs"), say("Every run")),
    "sweeps": (say("sweeps"), say("Every sweep, with the command that asked for it")),
    "experiments": (say("experiments"), say("Every experiment, with what it found")),
    "recordings": (say("recordings"), say("The gallery: everything that was recorded before")),
}
WORDS = (say("Filter: words that stand in a row"), say("Every word must occur in the row."))
FILTERS = {  # placeholder and tooltip of the filter
    "runs": (
        say("Filter: words, or N>=4096 dtype=float16 failed date>=2026-01-31"),
        say(
            "Every term must hold. A word occurs in time, device, kind, shape, dtype, strategy or"
            " note; passed and failed are verdicts; M, N, G, forward, backward, share, y, dx, dw,"
            " db and date compare with <, <=, =, >=, >."
        ),
    ),
    "sweeps": WORDS,
    "experiments": WORDS,
    "recordings": (say("Search: GROUP_SIZE_M 16, H200, barrier …"), WORDS[1]),
}


class HistoryBar(Retranslated, QWidget):
    """Each kind keeps its own filter."""

    filterChanged = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.kinds = Segments(KINDS)
        self.filter = QLineEdit()
        self.count = Label()
        self.baseline = ElidedLabel()
        self.unpin = QToolButton()
        self.undo = QPushButton()
        self.other = QPushButton()
        self._has_baseline = False
        self._kind = ""
        self._texts: dict[str, str] = {}  # the filters of the kinds that are not on show
        self._typing = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typing.timeout.connect(self.apply)
        self.filter.textChanged.connect(lambda _text: self._typing.start())
        self.filter.returnPressed.connect(self.apply)
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(FILTER_WIDTH)
        self.write_on(self.filter, name=say("Filter"))
        self.write_on(self.other, say("Another file …"), say("Open a recording that is elsewhere"))
        self.write_on(self.undo, tip=say("Put back what was deleted last"))
        about = say("Compare with no run")
        self.write_on(self.unpin, tip=about, name=about)
        for label in (self.count, self.baseline):
            label.setProperty("look", "muted")
        self.baseline.setAlignment(Qt.AlignmentFlag.AlignRight)
        lay_row(
            self,
            self.kinds,
            (self.filter, 6),
            self.count,
            1,
            (self.baseline, 4),
            self.unpin,
            self.undo,
            self.other,
            spacing=GRID,
        )
        self.offer_undo(0)
        self.show_kind("runs")

    def apply(self) -> None:
        self._typing.stop()
        self.filterChanged.emit(self.filter.text())

    def set_baseline(self, row: HistoryRow | None) -> None:
        self._has_baseline = row is not None
        if row is not None:
            shape = wording.shape(row.m, row.n, row.dtype)
            self.write(
                self.baseline.setText,
                say("baseline: {shape}, {strategy}", shape=shape, strategy=row.strategy),
            )
            self.write_on(self.baseline, tip=say("The run that the others are compared with"))
        self._show_baseline()

    def show_kind(self, kind: str) -> None:
        if kind != self._kind:
            self._texts[self._kind] = self.filter.text()
            self._kind = kind
            self.filter.setText(self._texts.get(kind, ""))
            self._typing.stop()  # nothing is typed
            self.other.setVisible(kind == "recordings")
            hint, tip = FILTERS[kind]
            self.write(self.filter.setPlaceholderText, hint)
            self.write_on(self.filter, tip=tip)
            self._show_baseline()

    def show_count(self, shown: int, total: int) -> None:
        text = say("{shown} of {total}", shown=f"{shown:,}", total=f"{total:,}")
        self.write_on(self.count, "" if not total else f"{total:,}" if shown == total else text)
        self.filter.setEnabled(total > 0)

    def offer_undo(self, count: int) -> None:
        self.write_on(self.undo, say("Undo the deletion of {count}", count=count))
        self.undo.setVisible(count > 0)

    def apply_theme(self, theme: Theme) -> None:
        self.unpin.setIcon(icon("cross", theme.text))

    def _show_baseline(self) -> None:
        for part in (self.baseline, self.unpin):
            part.setVisible(self._has_baseline and self._kind == "runs")

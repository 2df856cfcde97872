"""One kernel of one setting for every architecture, in a table."""

from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QTextBrowser, QWidget

from lnexplorer.domain.compiled import listing_facts
from lnexplorer.domain.jobs import Compiled
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import Label, lay_column, lay_row
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.values.listing import ARCHITECTURES

CHANGED = slice(3, 9)  # of `listing_facts`: what an architecture changes


class ArchitectureTable(QWidget):
    """Filled architecture by architecture once it is asked for."""

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table, self.button, self.state = QTextBrowser(), QPushButton(), Label()
        self._found: dict[str, Compiled | str] = {}  # or why there is none
        self._kernel = "forward"
        self.state.setProperty("look", "muted")
        self.button.clicked.connect(self.wanted)
        bar = lay_row(None, self.button, (self.state, 1))
        lay_column(self, bar, (self.table, 1), spacing=GRID)

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
        rows: list[list[str]] = []
        heads = [self.tr("architecture")]
        for name in (name for name in ARCHITECTURES if name in self._found):
            found = self._found[name]
            listing = None if isinstance(found, str) else found.kernel(self._kernel)
            if listing is None:
                rows.append([name, found if isinstance(found, str) else "–"])
                continue
            facts = [tuple(map(translate_message, fact)) for fact in listing_facts(listing)[CHANGED]]
            heads = [heads[0], *(label for label, _ in facts)]
            rows.append([name, *(value for _, value in facts)])
        body = "".join(_row(cells, len(heads), "td") for cells in rows)
        self.table.setHtml(f'<table cellspacing="0" cellpadding="{GRID // 2}">{_row(heads, len(heads), "th")}{body}</table>')
        self.table.setVisible(bool(self._found))
        done = self.tr("{done} of {all}").format(done=len(self._found), all=len(ARCHITECTURES))
        self.state.setText(done if 0 < len(self._found) < len(ARCHITECTURES) else "")


def _row(cells: list[str], columns: int, tag: str) -> str:
    """Numbers to the right; a sentence in place of them over all columns."""
    side = 'align="right"' if len(cells) == columns else f'colspan="{columns - 1}"'
    first, *others = map(escape, cells)
    return f'<tr><{tag} align="left">{first}</{tag}>{"".join(f"<{tag} {side}>{cell}</{tag}>" for cell in others)}</tr>'

"""What became of a kernel, in words: registers, locks, loads and stores, shared memory. Links lead
to the lines. And the same of several architectures, in a table.
"""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QCoreApplication, QTimer, Signal
from PySide6.QtWidgets import QPushButton, QTextBrowser, QWidget

from lnexplorer.domain.compiled import (
    CompilerRemark,
    FactSection,
    Words,
    counted_facts,
    listing_facts,
    locks,
    uses,
    waits,
)
from lnexplorer.domain.jobs import Compiled
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import Label, lay_column, lay_row
from lnkernels.values.counters import KernelCounters
from lnkernels.values.listing import ARCHITECTURES, Listing
from lnkernels.values.sentence import say

LONGEST = 60  # letters of a line of source
MOST_WAITS = 4  # reasons that are shown
CHANGED = slice(3, 9)  # of `listing_facts`: what an architecture changes


class FactsPanel(QTextBrowser):
    """One kernel, and beside it the same of another compilation."""

    lineWanted = Signal(object)  # the remark whose link it was

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.links: list[CompilerRemark] = []  # that lead somewhere
        self._sides: list[tuple[Listing, str]] = []
        self._counters: KernelCounters | None = None
        self._where = ""  # they were counted
        self._theme = LIGHT
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._fill)
        self.anchorClicked.connect(
            lambda url: self.follow(int(url.toString().removeprefix("line:")))
        )

    def show_listings(
        self, *sides: tuple[Listing, str], counters: KernelCounters | None = None, where: str = ""
    ) -> None:
        """Show facts of one kernel with what the hardware counted of it, or of two beside each
        other, under their heads.
        """
        self._sides = list(sides)
        self._counters = counters
        self._where = where
        if self.isVisible():
            self._later.start()  # in a turn of its own: texts are being filled in this one
        else:
            self._fill()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fill()

    def retranslate(self) -> None:
        self.setAccessibleName(QCoreApplication.translate("compiled", "What became of the kernel"))
        self._fill()

    def follow(self, number: int) -> None:
        """Go where a link leads."""
        self.lineWanted.emit(self.links[number])

    def _fill(self) -> None:
        if not self._sides:
            return
        bar = self.verticalScrollBar()
        first = self._sides[0][0]
        self.links = []
        place = bar.value()
        tables = zip(*(listing_facts(listing) for listing, _ in self._sides), strict=True)
        joined = [(rows[0][0], *(value for _, value in rows)) for rows in tables]
        heads = [("", *(head for _, head in self._sides))] if len(self._sides) > 1 else []
        parts = [self._heading(first.function), self._table(*heads, *joined)]
        if self._counters is not None:
            words = say(
                "On {where}. Shares of what the hardware can do; then what a warp waits for between"
                " two instructions.",
                where=self._where,
            )
            table = self._table(*counted_facts(self._counters), *waits(self._counters, MOST_WAITS))
            parts += [self._heading(say("Counted")), self._muted(words), table]
        for section in (locks(self._sides), *uses(first)):
            parts += self._section(section) if section.remarks else []
        self.setHtml("".join(parts))
        bar.setValue(place)

    def _table(self, *rows: Sequence[Words]) -> str:
        """What is not the same on both sides is bold."""
        lines = []
        for label, *cells in ([_plain(cell) for cell in row] for row in rows):
            face = "font-weight:bold;" if len(set(cells)) > 1 and label else ""
            styles = [
                f"color:{self._theme.muted}",
                *[f"{face}color:{self._theme.text}"] * len(cells),
            ]
            columns = zip(styles, (label, *cells), strict=True)
            # In the middle: a line of Chinese is higher than one of figures.
            place = "padding:1px 10px 1px 0;vertical-align:middle"
            lines.append(
                "".join(f'<td style="{place};{style}">{cell}</td>' for style, cell in columns)
            )
        return f"<table cellspacing=0><tr>{'</tr><tr>'.join(lines)}</tr></table>"

    def _section(self, section: FactSection) -> list[str]:
        parts = [self._heading(section.title), self._muted(section.before)]
        for remark in section.remarks:
            colours = {
                None: self._theme.muted,
                True: self._theme.good,
                False: self._theme.warning if remark.details else self._theme.bad,
            }
            colour = f'style="color:{colours[remark.right]}"'
            mark = f"<b {colour}>{_plain(remark.mark)}</b>&nbsp; " if remark.mark else ""
            *first, last = ("", *(f"<br>{_plain(words)}" for words in remark.details))
            parts.append(
                f"<p>{mark}{self._link(remark)}{''.join(first)}<span {colour}>{last}</span></p>"
            )
        return [*parts, self._muted(section.after)]

    def _link(self, remark: CompilerRemark) -> str:
        text = translate_message(remark.text)
        text = escape(
            text if not remark.is_code or len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        )
        if remark.line < 0:
            return text
        self.links.append(remark)
        face = "font-family:monospace;" if remark.is_code else ""
        return (
            f'<a href="line:{len(self.links) - 1}"'
            f' style="{face}color:{self._theme.accent};text-decoration:none">{text}</a>'
        )

    def _heading(self, text: Words) -> str:
        return f'<p style="margin:14px 0 2px 0"><b>{_plain(text)}</b></p>'

    def _muted(self, text: Words) -> str:
        return f'<p style="color:{self._theme.muted}">{_plain(text)}</p>' if text else ""


def _plain(words: Words) -> str:
    return escape(translate_message(words))


class ArchitectureTable(QWidget):
    """Filled architecture by architecture once it is asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = QTextBrowser()
        self.button = QPushButton()
        self.state = Label()
        self._found: dict[str, Compiled | str] = {}  # or why there is none
        self._kernel = "forward"
        self.state.setProperty("look", "muted")
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
            self.tr("The setting for each of {count} architectures, one after another").format(
                count=len(ARCHITECTURES)
            )
        )
        self.table.setAccessibleName(
            self.tr("What the compiler makes of the kernel for each architecture")
        )
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
            facts = [
                tuple(map(translate_message, fact)) for fact in listing_facts(listing)[CHANGED]
            ]
            heads = [heads[0], *(label for label, _ in facts)]
            rows.append([name, *(value for _, value in facts)])
        body = "".join(_row(cells, len(heads), "td") for cells in rows)
        self.table.setHtml(
            '<table cellspacing="0"'
            f' cellpadding="{GRID // 2}">{_row(heads, len(heads), "th")}{body}</table>'
        )
        self.table.setVisible(bool(self._found))
        done = self.tr("{done} of {all}").format(done=len(self._found), all=len(ARCHITECTURES))
        self.state.setText(done if 0 < len(self._found) < len(ARCHITECTURES) else "")


def _row(cells: list[str], columns: int, tag: str) -> str:
    """Numbers to the right; a sentence in place of them over all columns."""
    side = 'align="right"' if len(cells) == columns else f'colspan="{columns - 1}"'
    first, *others = map(escape, cells)
    return (
        f"<tr><{tag}"
        f' align="left">{first}</{tag}>{"".join(f"<{tag} {side}>{cell}</{tag}>" for cell in others)}</tr>'
    )

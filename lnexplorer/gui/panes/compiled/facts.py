"""Facts of a compiled kernel, with links to its lines, and a table of several architectures."""

from collections.abc import Sequence
from html import escape
from itertools import chain

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QTextBrowser, QWidget

from lnexplorer.domain.compiled import (
    CompilerRemark,
    FactSection,
    Words,
    by_role,
    counted_facts,
    listing_facts,
    locks,
    uses,
    waits,
)
from lnexplorer.domain.jobs import Compiled
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.kit import (
    GRID,
    Choice,
    Label,
    Retranslated,
    Theme,
    lay_column,
    lay_row,
    translate_message,
    with_text,
)
from lnexplorer.gui.panes.compiled.code_page import Counted
from lnkernels.values import join_sentences, say
from lnkernels.values.listing import ARCHITECTURES, Listing

LONGEST = 60  # letters of a line of source
LEAST_WIDTH = 170  # px
MOST_WAITS = 4  # reasons that are shown
CHANGED = slice(3, 9)  # of `listing_facts`: what an architecture changes


class FactsPanel(Retranslated, QTextBrowser):
    """Registers, locks, loads and stores of a kernel, or of two beside each other."""

    lineWanted = Signal(object)  # the remark whose link it was

    def __init__(self) -> None:
        super().__init__(openLinks=False)
        self.write_on(self, name=say("What became of the kernel"))
        self.links: list[CompilerRemark] = []  # that lead somewhere
        self._sides: list[tuple[Listing, Words]] = []
        self._counted: Counted | None = None
        self._triton = ""
        self.anchorClicked.connect(
            lambda url: self.follow(int(url.toString().removeprefix("line:")))
        )

    def show_listings(
        self, *sides: tuple[Listing, Words], counted: Counted | None = None, triton: str = ""
    ) -> None:
        """Show facts of one kernel with what the hardware counted of it, or of two beside each
        other, under their heads; `triton` is the version that they are of.
        """
        self._triton = triton
        self._sides = list(sides)
        self._counted = counted
        self.retranslate()

    def follow(self, number: int) -> None:
        """Go where a link leads."""
        self.lineWanted.emit(self.links[number])

    def retranslate(self) -> None:
        if not self._sides:
            return
        bar = self.verticalScrollBar()
        first = self._sides[0][0]
        self.links = []
        place = bar.value()
        tables = zip(*(listing_facts(listing) for listing, _ in self._sides), strict=True)
        joined = [(rows[0][0], *(value for _, value in rows)) for rows in tables]
        heads = [("", *(head for _, head in self._sides))] if len(self._sides) > 1 else []
        if heads:
            joined = [(label, _with_difference(*values), values[1]) for label, *values in joined]
        remarks = chain.from_iterable(listing.facts.remarks for listing, _ in self._sides)
        parts = [self._heading(first.function), *map(self._muted, dict.fromkeys(remarks))]
        parts.append(self._table(*heads, *joined))
        roles = by_role([listing for listing, _ in self._sides])
        parts += [self._heading(say("Instructions")), self._table(*heads, *roles)]
        if self._counted is not None:
            counters, where = self._counted
            if self._triton and not where.endswith(f"Triton {self._triton}"):
                unlike = say(
                    "Compiled here, by Triton {here}. The SASS and what was counted are of"
                    " {where}.",
                    here=self._triton,
                    where=where,
                )
                parts.insert(1, self._muted(unlike))
            about = say(
                "On {where}. Shares of what the hardware can do; then what a warp waits for between"
                " two instructions.",
                where=where,
            )
            table = self._table(*counted_facts(counters), *waits(counters, MOST_WAITS))
            parts += [self._heading(say("Counted")), self._muted(about), table]
        for section in (locks(self._sides), *uses(first)):
            parts += self._section(section) if section.remarks else []
        self.setHtml("".join(parts))
        bar.setValue(place)

    apply_theme = retranslate

    def _table(self, *rows: Sequence[Words]) -> str:
        """Return a table; values that are not the same on both sides are bold."""
        lines = []
        for label, *cells in ([_plain(cell) for cell in row] for row in rows):
            face = "font-weight:bold;" if len(set(cells)) > 1 and label else ""
            styles = [
                f"color:{Theme.current.muted}",
                *[f"{face}color:{Theme.current.text}"] * len(cells),
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
                None: Theme.current.muted,
                True: Theme.current.good,
                False: Theme.current.warning if remark.details else Theme.current.bad,
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
            f' style="{face}color:{Theme.current.accent};text-decoration:none">{text}</a>'
        )

    def _heading(self, text: Words) -> str:
        return f'<p style="margin:14px 0 2px 0"><b>{_plain(text)}</b></p>'

    def _muted(self, text: Words) -> str:
        return f'<p style="color:{Theme.current.muted}">{_plain(text)}</p>' if text else ""


def _with_difference(one: Words, other: Words) -> Words:
    """Return a value with its difference from another one, where both begin with a number."""
    try:
        now, before = (float(str(value).split()[0].replace(",", "")) for value in (one, other))
    except ValueError:
        return one
    change = f"({now - before:+,.0f})".replace("-", "−")
    return one if now == before else join_sentences((one, change), " ")


def _plain(sentence: Words) -> str:
    return escape(translate_message(sentence))


class FactsSide(Retranslated, QWidget):
    """Facts of a kernel, and above them the choice of another compilation to compare it with."""

    def __init__(self) -> None:
        super().__init__()
        self.compare = self.write_on(
            Choice(),
            tip=say("Another compilation beside this one, line by line"),
            name=say("Compare with"),
        )
        self.facts = FactsPanel()
        self.count = self.write_on(
            QPushButton(),
            say("Counters"),
            say(
                "Run once under Nsight Compute: what memory, caches and SMs did, and where warps"
                " waited"
            ),
        )
        self.count.setVisible(False)
        self.peers: tuple[str, ...] = ()  # whose kernels the machine can compile
        self.compare.setMinimumWidth(1)  # whatever its longest text
        bar = lay_row(None, (self.compare, 1), self.count, spacing=GRID)
        lay_column(self, bar, (self.facts, 1), spacing=GRID // 2)
        self.offer(None)

    def apply_theme(self) -> None:
        self.setMinimumWidth(with_text(LEAST_WIDTH))

    @property
    def chosen(self) -> str:
        """An architecture, a peer, "barrier", "baseline", "kept", or "" for nothing."""
        return self.compare.currentData() or ""

    def offer(self, compiled: Compiled | None) -> None:
        """Offer the choices that a compilation has; the one that is chosen stays if it is there."""
        chosen, compare = self.chosen, self.compare
        compare.clear()  # it reports only what a person chooses
        compare.offer("", say("compare with …"))
        compare.offer("kept", say("what is on show now"))
        if compiled is not None and compiled.request.source is None:
            launch = compiled.resolved.launch
            if launch.strategy == "locked":
                compare.offer(
                    "barrier", say("barrier off") if launch.barrier else say("barrier on")
                )
        compare.offer("baseline", say("A, the pinned run"))
        for name in ARCHITECTURES:
            if compiled is None or name != compiled.architecture:
                compare.offer(name, name)
        for name in self.peers:
            compare.offer(name, provider_label(name))
        compare.choose(chosen)


class ArchitectureTable(Retranslated, QWidget):
    """A row of facts for each architecture, filled as they are compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.state = Label(look="muted")
        self._compiled: dict[str, Compiled | Words] = {}  # or why there is none
        self._kernel = "forward"
        self.table = self.write_on(
            QTextBrowser(), name=say("What the compiler makes of the kernel for each architecture")
        )
        self.button = self.write_on(
            QPushButton(),
            say("Compile for every architecture"),
            say(
                "The setting for each of {count} architectures, one after another",
                count=len(ARCHITECTURES),
            ),
        )
        bar = lay_row(None, self.button, (self.state, 1))
        lay_column(self, bar, (self.table, 1), spacing=GRID)
        self.retranslate()

    def clear(self) -> None:
        """Forget every row: the setting is another one."""
        self._compiled = {}
        self.retranslate()

    def add(self, architecture: str, compiled: Compiled | Words) -> None:
        """Take the compilation for an architecture, or why it was not possible."""
        self._compiled[architecture] = compiled
        self.retranslate()

    def show_kernel(self, name: str) -> None:
        """Choose a kernel, such as "backward_stage1"."""
        self._kernel = name
        self.retranslate()

    def retranslate(self) -> None:
        rows: list[list[Words]] = []
        heads: list[Words] = [say("architecture")]
        for name in (name for name in ARCHITECTURES if name in self._compiled):
            compiled = self._compiled[name]
            if not isinstance(compiled, Compiled):
                rows.append([name, compiled])
            elif (listing := compiled.kernel(self._kernel)) is None:
                rows.append([name, "–"])
            else:
                labels, values = zip(*listing_facts(listing)[CHANGED], strict=True)
                heads = [heads[0], *labels]
                rows.append([name, *values])
        lines = [_row(heads, len(heads), "th"), *(_row(row, len(heads), "td") for row in rows)]
        self.table.setHtml(
            f'<table cellspacing="0" cellpadding="{GRID // 2}">{"".join(lines)}</table>'
        )
        done, total = len(self._compiled), len(ARCHITECTURES)
        self.table.setVisible(done > 0)
        state = say("{done} of {all}", done=done, all=total) if 0 < done < total else ""
        self.write_on(self.state, state)


def _row(cells: list[Words], columns: int, tag: str) -> str:
    """Return a row with numbers at the right; a sentence in place of them spans all columns."""
    side = 'align="right"' if len(cells) == columns else f'colspan="{columns - 1}"'
    first, *others = map(_plain, cells)
    values = "".join(f"<{tag} {side}>{cell}</{tag}>" for cell in others)
    return f'<tr><{tag} align="left">{first}</{tag}>{values}</tr>'

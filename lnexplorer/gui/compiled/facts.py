"""What became of a kernel, in words: registers, locks, loads and stores, shared memory. Links lead to the lines."""

from collections.abc import Sequence
from dataclasses import fields
from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QTimer, QUrl, Signal
from PySide6.QtWidgets import QTextBrowser, QWidget

from lnexplorer.domain.jobs import Compiled
from lnexplorer.gui.charts.theme import LIGHT, Theme
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.counters import REASONS, KernelCounters
from lnkernels.values.listing import RULE, RULE_LIMITS, Listing, MemoryUse

translate = QCoreApplication.translate
LONGEST = 60  # letters of a line of source
MOST_WAITS, MOST_WAITS_AT = 4, 3  # reasons that are shown, of the kernel and of a line


class FactsPanel(QTextBrowser):
    """One kernel, and beside it the same of another compilation."""

    lineWanted = Signal(object, str, int)  # the listing, its stage, its line

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.links: list[tuple[Listing, str, int]] = []  # listing, stage and line that each leads to
        self._shown: tuple[Listing, Listing | None, tuple[str, str]] | None = None
        self._counters: KernelCounters | None = None
        self._where = ""  # they were counted
        self._theme = LIGHT
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._fill)
        self.anchorClicked.connect(self._on_link)

    def show_listing(
        self,
        listing: Listing,
        other: Listing | None = None,
        heads: tuple[str, str] = ("", ""),
        counters: KernelCounters | None = None,
        where: str = "",
    ) -> None:
        """Show facts of one kernel with what the hardware counted of it, or of two beside each other, under their heads."""
        self._shown, self._counters, self._where = (listing, other, heads), counters, where
        if self.isVisible():
            self._later.start()  # in a turn of its own: texts are being filled in this one
        else:
            self._fill()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fill()

    def retranslate(self) -> None:
        self.setAccessibleName(translate("compiled", "What became of the kernel"))
        self._fill()

    def follow(self, number: int) -> None:
        """Go where a link leads."""
        self.lineWanted.emit(*self.links[number])

    def _on_link(self, url: QUrl) -> None:
        number = url.toString().removeprefix("line:")
        if number.isdecimal() and int(number) < len(self.links):
            self.follow(int(number))

    def _fill(self) -> None:
        if self._shown is None:
            return
        listing, other, heads = self._shown
        bar = self.verticalScrollBar()
        place = bar.value()
        self.links = []
        parts = [self._table(listing, other, heads)]
        parts += [] if self._counters is None else self._counted(self._counters)
        parts += self._locks([(listing, heads[0]), *([] if other is None else [(other, heads[1])])])
        parts += self._memory(listing)
        parts += self._shared(listing)
        self.setHtml("".join(parts))
        bar.setValue(place)

    def _table(self, listing: Listing, other: Listing | None, heads: tuple[str, str]) -> str:
        rows: list[tuple[str, ...]] = [("", escape(listing.function))] if other is None else [("", *map(escape, heads))]
        sides = [facts_of(each) for each in (listing, other) if each is not None]
        for label, *values in zip([name for name, _ in sides[0]], *([value for _, value in side] for side in sides), strict=True):
            unlike = len(set(values)) > 1
            rows.append((escape(label), *(f"<b>{escape(value)}</b>" if unlike else escape(value) for value in values)))
        return f"<table cellspacing=0>{''.join(map(self._row, rows))}</table>"

    def _counted(self, counters: KernelCounters) -> list[str]:
        cache = translate("compiled", "{percent:.0f} %, {hits:.0f} % hits")
        rows = [
            (translate("compiled", "memory"), f"{counters.dram_percent:.0f} %, {counters.dram_gbps:,.0f} GB/s"),
            (translate("compiled", "L2"), cache.format(percent=counters.l2_percent, hits=counters.l2_hit_percent)),
            (translate("compiled", "L1"), cache.format(percent=counters.l1_percent, hits=counters.l1_hit_percent)),
            (translate("compiled", "SM"), f"{counters.sm_percent:.0f} %"),
            (translate("compiled", "issue slots"), f"{counters.issue_percent:.0f} %"),
            (translate("compiled", "warps"), f"{counters.warps_percent:.0f} %"),
        ]
        waits = sorted(counters.stalls.items(), key=lambda one: -one[1])[:MOST_WAITS]
        cycles = translate("compiled", "{cycles:.1f} cycles")
        rows += [(translate_message(REASONS.get(name, name)), cycles.format(cycles=value)) for name, value in waits]
        lines = "".join(self._row(row) for row in rows)
        words = translate(
            "compiled", "On {where}. Shares of what the hardware can do; then what a warp waits for between two instructions."
        ).format(where=self._where)
        return [self._heading(translate("compiled", "Counted")), self._muted(words), f"<table cellspacing=0>{lines}</table>"]

    def _row(self, cells: Sequence[str]) -> str:
        style = "padding:1px 10px 1px 0; color:"
        parts = (
            f'<td style="{style}{self._theme.text if place else self._theme.muted}">{cell}</td>'
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(parts)}</tr>"

    def _locks(self, sides: Sequence[tuple[Listing, str]]) -> list[str]:
        parts = []
        for listing, head in sides:
            for release in listing.releases:
                fault = bool(release.unguarded)
                line = release.unguarded[-1] if fault else release.barriers[-1] if release.barriers else release.exchange
                word = translate("compiled", "fault") if fault else translate("compiled", "right")
                colour = self._theme.bad if fault else self._theme.good
                verdict = self._link(listing, release.stage, line, translate_message(listing.verdict(release)))
                of = f"{escape(head)}&nbsp; " if head else ""
                parts.append(f'<p>{of}<b style="color:{colour}">{escape(word)}</b>&nbsp; {verdict}</p>')
        if not parts:
            return []
        before = [self._heading(translate("compiled", "Lock")), self._muted(translate_message(RULE))]
        return [*before, *parts, self._muted(translate_message(RULE_LIMITS))]

    def _memory(self, listing: Listing) -> list[str]:
        parts = [self._heading(translate("compiled", "Loads and stores"))] if listing.memory else []
        for use in listing.memory:
            stage, line = source_line(listing, use.stack)
            text = listing.stages[stage].lines[line].strip() if line >= 0 else action_text(use.action)
            text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
            colour = self._theme.muted if use.coalesced or not use.thread_bytes else self._theme.warning
            parts.append(
                f"<p>{self._link(listing, stage, line, text, code=True)}<br>{escape(instructions(use))}<br>"
                f'<span style="color:{colour}">{escape(translate_message(use.sentence()))}</span></p>'
            )
        return parts

    def _shared(self, listing: Listing) -> list[str]:
        parts = []
        if listing.shared:
            parts.append(self._heading(translate("compiled", "Shared memory and barriers")))
        for use in listing.shared:
            counts = translate("compiled", "{stores} stores, {loads} loads, {barriers} barriers").format(
                stores=len(use.stores), loads=len(use.loads), barriers=len(use.barriers)
            )
            line = min((*use.stores, *use.loads, *use.barriers))
            link = self._link(listing, "sass", line, translate_message(use.purpose))
            parts.append(f"<p>{link}<br>{self._muted(counts, inline=True)}</p>")
        if listing.spills:
            parts.append(self._heading(translate("compiled", "Spilled registers")))
            words = translate("compiled", "{count} instructions at {place}")
            for stack, lines in listing.spills_by_stack().items():
                said = words.format(count=len(lines), place=place_text(listing, stack))
                parts.append(f"<p>{self._link(listing, 'sass', lines[0], said)}</p>")
        return parts

    def _link(self, listing: Listing, stage: str, line: int, text: str, *, code: bool = False) -> str:
        if line < 0:
            return escape(text)
        self.links.append((listing, stage, line))
        face = "font-family:monospace;" if code else ""
        style = f"{face}color:{self._theme.accent};text-decoration:none"
        return f'<a href="line:{len(self.links) - 1}" style="{style}">{escape(text)}</a>'

    def _heading(self, text: str) -> str:
        return f'<p style="margin:14px 0 2px 0"><b>{escape(text)}</b></p>'

    def _muted(self, text: str, *, inline: bool = False) -> str:
        span = f'<span style="color:{self._theme.muted}">{escape(text)}</span>'
        return span if inline else f"<p>{span}</p>"


def kernel_of(compiled: Compiled | None, name: str | None) -> Listing | None:
    """The kernel of a name such as "backward_stage1"; None where there is none."""
    return None if compiled is None else next((each for each in compiled.kernels if each.facts.name == name), None)


def facts_of(listing: Listing) -> list[tuple[str, str]]:
    """Labels and values of what the compiler made of a kernel."""
    facts = listing.facts
    return [
        (translate("compiled", "compiled for"), facts.architecture),
        (translate("compiled", "programs"), " × ".join(f"{size:,}" for size in facts.grid)),
        (translate("compiled", "warps"), str(facts.num_warps)),
        (translate("compiled", "registers a thread"), _known(facts.registers)),
        (translate("compiled", "spilled"), _known(facts.spill_bytes, " B")),
        (translate("compiled", "shared memory"), _known(facts.shared_bytes, " B")),
        (translate("compiled", "occupancy"), occupancy_text(facts)),
        (translate("compiled", "instructions"), f"{listing.instructions:,}"),
        (translate("compiled", "live at most"), _live(listing)),
    ]


def _live(listing: Listing) -> str:
    if listing.live is None:
        return "–"
    words = (
        translate("compiled", "{count} registers") if listing.live.same else translate("compiled", "{count} by another assembler")
    )
    return words.format(count=listing.live.peak)


def occupancy_text(facts: KernelFacts) -> str:
    found = facts.occupancy
    if found is None:
        return "–"
    words = translate("compiled", "{programs} programs an SM, {share:.0%} of its warps")
    return words.format(programs=found.programs_per_sm, share=found.share_of_warps)


def source_line(listing: Listing, stack: int) -> tuple[str, int]:
    """The line of the source stage where something is written; -1 where there is none."""
    calls = listing.calls(stack)
    line = listing.line_of_source(*calls[0]) if calls else None
    return "source", -1 if line is None else line


def place_text(listing: Listing, stack: int) -> str:
    """Where something is written, and from where that is called."""
    return " ← ".join(f"{file.rpartition('/')[2]}:{line}" for file, line in listing.calls(stack))


def waits_text(counters: KernelCounters, instructions: NDArray[np.intp]) -> list[str]:
    """Which share of the samples was taken at some instructions, and for what warps waited there; empty without any."""
    here, reasons = counters.waits_at(instructions)
    if not here:
        return []
    said = [f"{translate_message(REASONS.get(name, name))} {share:.0%}" for name, share in list(reasons.items())[:MOST_WAITS_AT]]
    return [translate("compiled", "{share:.1%} of the samples: {waits}").format(share=here, waits=", ".join(said))]


def action_text(action: str) -> str:
    match action:
        case "load":
            return translate("compiled", "load")
        case "store":
            return translate("compiled", "store")
        case _:
            return translate("compiled", "atomic")


def instructions(use: MemoryUse) -> str:
    """Of a load or store: how many of which, under which conditions."""
    size = translate("compiled", "{elements:,} × {bytes} B").format(elements=use.elements, bytes=use.element_bytes)
    parts = [f"{action_text(use.action)} {size}"]
    if use.names:
        parts.append(f"{len(use.lines)} × {', '.join(use.names)}")
    if use.predicated:
        parts.append(translate("compiled", "{count} on a condition").format(count=use.predicated))
    if use.hint:
        parts.append(use.hint)
    return " · ".join(parts)


def unlike(one: Compiled, two: Compiled) -> tuple[str, str]:
    """What two compilations were asked differently, with the value of each; the wishes first, then what follows."""
    wished = {item.name for item in fields(one.request.problem.launch)}
    names = sorted((item.name for item in fields(one.resolved.launch)), key=lambda name: name not in wished)
    sides: list[dict[str, object]] = [
        {"": each.architecture}
        | {name: getattr(each.resolved, name) for name in ("m", "n", "dtype")}
        | {name: getattr(each.resolved.launch, name) for name in names}
        for each in (one, two)
    ]
    other = [name for name in sides[0] if sides[0][name] != sides[1][name]]
    heads = (", ".join(f"{name} {_shown(side[name])}".strip() for name in other[:3]) for side in sides)
    first, second = (head + (" …" if len(other) > 3 else "") for head in heads)
    return first, second


def _shown(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _known(value: int | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:,}{unit}"

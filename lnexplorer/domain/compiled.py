"""Tables of facts about a compiled kernel, and remarks that lead to lines, for the window and the
command line.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.jobs import Compiled
from lnexplorer.domain.wording import ABSENT, percent, setting_value, share
from lnkernels.values import Sentence, frozen_by_name, join_sentences, say, verbatim
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.counters import REASONS, KernelCounters
from lnkernels.values.listing import RULE, RULE_LIMITS, Listing, MemoryUse, code_of

Words: TypeAlias = Sentence | str
Rows: TypeAlias = list[tuple[Words, Words]]  # label and value
ACTIONS = {"load": say("load"), "store": say("store"), "atomic": say("atomic")}
DOT = " · "
ROLES = (  # of instructions, in the order of a pass, and what of `Listing.roles` belongs to each
    (say("load of x"), ("x",)),
    (say("load of dy"), ("dy",)),
    (say("weight and bias"), ("weight", "bias")),
    (say("sums along rows"), ("row sums",)),
    (say("mean and rstd"), ("statistics",)),
    (say("store of y or dx"), ("y", "dx")),
    (say("sums of dw and db"), ("sums",)),
    (say("locks"), ("locks",)),
    (say("other loads and stores"), ("other",)),
)
MOST_UNLIKE, MOST_WAITS_AT = 3, 3  # settings in a head; reasons that are told of a line
MOST_NAMES = 4  # of instructions that are told of a role


@frozen_by_name(eq=False)
class CompilerRemark:
    """A sentence about a kernel, and the line that it leads to."""

    text: Words
    listing: Listing
    stage: str
    line: int  # of the stage; -1 for none
    place: str  # where the source says it
    is_code: bool = False  # whether the text is a line of source
    right: bool | None = None  # None where there is nothing to judge
    mark: Words = ""  # before it
    details: tuple[Sentence, ...] = ()


@frozen_by_name(eq=False)
class FactSection:
    title: Sentence
    remarks: list[CompilerRemark]
    before: Words = ""
    after: Words = ""


def facts_of(facts: KernelFacts) -> Rows:
    """List the compiler's facts about a kernel."""
    held = facts.occupancy
    resident = (
        say(
            "{programs}, limited by {limit}",
            programs=held.programs_per_sm,
            limit=say(held.limited_by),
        )
        if held
        else ABSENT
    )
    return [
        (say("compiled for"), facts.architecture),
        (say("programs"), " × ".join(f"{size:,}" for size in facts.grid) or ABSENT),
        (say("warps"), _known(facts.num_warps or None)),
        (say("registers"), _known(facts.registers)),
        (say("spilled"), _known(facts.spill_bytes, " B")),
        (say("shared memory"), _known(facts.shared_bytes, " B")),
        (say("programs an SM"), resident),
        (say("warps of an SM"), share(held.share_of_warps) if held else ABSENT),
    ]


def listing_facts(listing: Listing) -> Rows:
    """List the same facts, and those of its machine code."""
    live: Words = ABSENT
    if listing.live is not None:
        live = say("{count} registers", count=listing.live.peak)
        live = (
            live
            if listing.live.same
            else say("{count} by another assembler", count=listing.live.peak)
        )
    code: Rows = [(say("instructions"), f"{listing.instructions:,}"), (say("live at most"), live)]
    return facts_of(listing.facts) + code


def by_role(listings: Sequence[Listing]) -> list[tuple[Words, ...]]:
    """Count the instructions of kernels by what they serve: a label, and what each kernel has; then
    those that serve none.
    """
    rows: list[tuple[Words, ...]] = []
    for label, names in ROLES:
        counts = [_counted_names(each, names) for each in listings]
        if any(counts):
            rows.append((label, *(count or ABSENT for count in counts)))
    served = [len(set().union(*each.roles.values())) for each in listings]
    pairs = zip(listings, served, strict=True)
    return [*rows, (say("the rest"), *(f"{each.instructions - ours:,}" for each, ours in pairs))]


def _counted_names(listing: Listing, roles: Sequence[str]) -> Words:
    """Return the names of a role's instructions, with their widths alone, each with its count."""
    lines = {line for role in roles for line in listing.roles.get(role, ())}
    sass = listing.stages["sass"].lines
    names = Counter(
        re.sub(r"\.(?!\d+\b)\w+", "", code_of(sass[line]).split()[0]) for line in sorted(lines)
    )
    told = [f"{count} × {name}" for name, count in names.most_common(MOST_NAMES)]
    return join_sentences(told, ", ") if told else ""


def counted_facts(counters: KernelCounters) -> Rows:
    """Shares of what the hardware can do."""
    return [
        (say("time"), f"{counters.time_us:.1f} µs"),
        (say("memory"), f"{counters.dram_percent:.0f} %, {counters.dram_gbps:,.0f} GB/s"),
        (
            say("L2"),
            say(
                "{percent:.0f} %, {hits:.0f} % hits",
                percent=counters.l2_percent,
                hits=counters.l2_hit_percent,
            ),
        ),
        (
            say("L1"),
            say(
                "{percent:.0f} %, {hits:.0f} % hits",
                percent=counters.l1_percent,
                hits=counters.l1_hit_percent,
            ),
        ),
        (say("SM"), f"{counters.sm_percent:.0f} %"),
        (say("issue slots"), f"{counters.issue_percent:.0f} %"),
        (say("warps"), f"{counters.warps_percent:.0f} %"),
    ]


def waits(counters: KernelCounters, most: int) -> Rows:
    """List the reasons why warps wait between two instructions, the longest first."""
    stalls = [one for one in counters.stalls.items() if one[0] != "selected"]
    longest = sorted(stalls, key=lambda one: -one[1])[:most]
    return [
        (REASONS.get(name, name), say("{cycles:.1f} cycles", cycles=value))
        for name, value in longest
    ]


def waits_at(counters: KernelCounters, instructions: NDArray[np.intp]) -> list[Sentence]:
    """Say which share of the samples was taken at some instructions, and why warps waited there;
    empty without any.
    """
    here = float(counters.samples[instructions].sum() / max(counters.samples.sum(), 1))
    reasons = counters.by_reason[instructions].sum(axis=0)
    shares = sorted(
        zip(counters.reasons, (reasons / max(reasons.sum(), 1)).tolist(), strict=True),
        key=lambda one: -one[1],
    )
    said = [
        say("{reason} {share}", reason=REASONS.get(name, name), share=share(part))
        for name, part in shares[:MOST_WAITS_AT]
    ]
    sentence = say("{share} of the samples: {waits}", share=percent(here), waits=said)
    return [sentence] if here else []


def locks(sides: Sequence[tuple[Listing, Words]]) -> FactSection:
    """List each exchange that gives a lock back, of kernels with the name of each."""
    remarks = []
    for listing, head in sides:
        for release in listing.releases:
            line = [release.exchange, *release.barriers, *release.unguarded][-1]
            word = say("fault") if release.unguarded else say("right")
            mark = join_sentences([head, word], ": ")
            verdict = listing.verdict(release)
            remarks.append(
                _remark(
                    verdict, listing, release.stage, line, right=not release.unguarded, mark=mark
                )
            )
    return FactSection(title=say("Lock"), remarks=remarks, before=RULE, after=RULE_LIMITS)


def uses(listing: Listing) -> list[FactSection]:
    """List loads and stores, shared memory and spilled registers, as far as there are any."""
    shared = []
    for place in listing.shared:
        counts = {name: len(getattr(place, name)) for name in ("stores", "loads", "barriers")}
        counted = say("{stores} stores, {loads} loads, {barriers} barriers", **counts)
        line = min((*place.stores, *place.loads, *place.barriers))
        shared.append(_remark(place.purpose, listing, "sass", line, details=(counted,)))
    spilled = []
    for stack, lines in listing.spills_by_stack().items():
        where = place_text(listing, stack)
        text = say("{count} instructions at {place}", count=len(lines), place=where)
        spilled.append(_remark(text, listing, "sass", lines[0]))
    found = {
        say("Loads and stores"): [_memory_remark(listing, use) for use in listing.memory],
        say("Shared memory and barriers"): shared,
        say("Spilled registers"): spilled,
    }
    return [
        FactSection(title=title, remarks=remarks) for title, remarks in found.items() if remarks
    ]


def _memory_remark(listing: Listing, use: MemoryUse) -> CompilerRemark:
    stage, line = source_line(listing, use.stack)
    return CompilerRemark(
        text=listing.stages[stage].lines[line].strip() if line >= 0 else ACTIONS[use.action],
        listing=listing,
        stage=stage,
        line=line,
        place=place_text(listing, use.stack),
        is_code=True,
        right=None if use.coalesced or not use.thread_bytes else False,
        details=(_instructions(use), use.sentence()),
    )


def source_line(listing: Listing, stack: int) -> tuple[str, int]:
    """Return the line of the source stage of a stack; -1 where there is none."""
    calls = listing.calls(stack)
    line = listing.line_of_source(*calls[0]) if calls else None
    return "source", -1 if line is None else line


def place_text(listing: Listing, stack: int) -> str:
    """Name the place in the source of a stack, and those that call it."""
    return " ← ".join(f"{file.rpartition('/')[2]}:{line}" for file, line in listing.calls(stack))


def unlike(one: Compiled, two: Compiled) -> tuple[Words, Words]:
    """Name the settings in which two compilations differ, with the values of each; those that were
    asked for first. Empty texts where none do.
    """
    wished = {item.name for item in fields(one.request.problem.launch)}
    names = sorted(
        (item.name for item in fields(one.resolved.launch)), key=lambda name: name not in wished
    )
    sides: list[dict[str, object]] = [
        {"": each.architecture, "kernel": Path(place).name if place else "lnkernels"}
        | {name: getattr(each.resolved, name) for name in ("m", "n", "dtype")}
        | {name: getattr(each.resolved.launch, name) for name in names}
        | dict(each.request.source.settings if each.request.source is not None else ())
        for each in (one, two)
        for place in (each.request.source.place if each.request.source is not None else "",)
    ]
    other = [name for name in sides[0] if name in sides[1] and sides[0][name] != sides[1][name]]
    if not other:
        return "", ""
    parts = [
        [join_sentences((name, setting_value(side[name])), " ") for name in other[:MOST_UNLIKE]]
        for side in sides
    ]
    more = ["…"] if len(other) > MOST_UNLIKE else []
    first, second = (join_sentences([join_sentences(each, ", "), *more], " ") for each in parts)
    return first, second


def _remark(text: Sentence, listing: Listing, stage: str, line: int, **more: Any) -> CompilerRemark:
    place = place_text(listing, int(listing.stages[stage].stacks[line]))
    return CompilerRemark(text=text, listing=listing, stage=stage, line=line, place=place, **more)


def _instructions(use: MemoryUse) -> Sentence:
    """Count the instructions of a load or store."""
    parts = [
        say(
            "{action} {elements:,} × {bytes} B",
            action=ACTIONS[use.action],
            elements=use.elements,
            bytes=use.element_bytes,
        )
    ]
    if use.names:
        parts.append(verbatim(f"{len(use.lines)} × {', '.join(use.names)}"))
    if use.predicated:
        parts.append(say("{count} predicated", count=use.predicated))
    return join_sentences([*parts, use.hint], DOT)


def _known(value: int | None, unit: str = "") -> str:
    return ABSENT if value is None else f"{value:,}{unit}"

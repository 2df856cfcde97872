"""A rule for spin locks in PTX and in SASS: what is stored while the lock is held must be separated
by a block-wide barrier from the exchange that gives it back.

One thread exchanges for all. Without a barrier it may do so while other threads of its block still
store: the next holder then reads sums that lack theirs.

The rule follows the paths of the code backwards from an exchange that a compare-and-swap leads to,
up to a barrier or to that compare-and-swap, and notes the stores to global memory that it meets.
Such a path is a fault.

What it cannot see, `RULE_LIMITS` tells. Besides, it takes a call for an instruction that returns,
and does not ask whether all threads arrive at a barrier.
"""

import re
from collections.abc import Mapping, Sequence

from lnkernels.values.frozen import frozen
from lnkernels.values.listing import LockRelease, StageText


@frozen
class _Grammar:
    """Patterns of the instructions that matter."""

    instruction: str  # its predicate, where it has one, and the rest
    label: str
    target: str  # of a jump, the label as its group
    jump: str
    last: str  # after which nothing follows, where it has no predicate
    takes: str
    gives_back: str
    stores: str
    barrier: str  # that every thread of the block waits at


_GRAMMARS = {
    "ptx": _Grammar(
        instruction=r"^\s+(@!?%\w+\s+)?(.*)",
        label=r"^(\$\w+):",
        target=r"(\$L\w+)",
        jump=r"^bra\b",
        last=r"^(bra|ret|exit|trap)\b",
        takes=r"^atom\.global\.\S*cas\.",
        gives_back=r"^atom\.global\.\S*exch\.",
        stores=r"^st\.(volatile\.|relaxed\.|release\.|weak\.)?(\w+\.)?global\.",
        barrier=r"^(bar|barrier|barrier\.cta)\.(sync|red\S*)(\.aligned)?(\.\w+)?\s+0\s*;",
    ),
    "sass": _Grammar(
        instruction=r"^/\*\w+\*/\s*(@!?U?P\w+\s+)?(.*)",
        label=r"^(\S+):$",
        target=r"`\((\S+?)\)",
        jump=r"^(BRA|BSYNC|BREAK|JMP|WARPSYNC\.COLLECTIVE)\b",
        last=r"^(BRA\s+`\(\S+\)|EXIT|RET\S*|KILL)\b",
        takes=r"^ATOMG?\.\S*CAS\b",
        gives_back=r"^ATOMG?\.\S*EXCH\b",
        stores=r"^(STG|ST)\.",
        barrier=r"^BAR\.(SYNC|RED)\S*\s+0x0\s*;",
    ),
}


def check_locks(stages: Mapping[str, StageText]) -> tuple[LockRelease, ...]:
    """Return each exchange that releases a lock, in PTX and in SASS, with the stores that no
    barrier separates from it.
    """
    return tuple(found for stage in _GRAMMARS for found in releases(stages[stage].lines, stage))


def releases(lines: Sequence[str], stage: str) -> list[LockRelease]:
    """Return the releases in the lines of one stage, "ptx" or "sass"."""
    grammar = _GRAMMARS[stage]
    read = [re.match(grammar.instruction, line) for line in lines]
    code = ["" if one is None else one[2] for one in read]
    always = {
        line for line, one in enumerate(read) if one is not None and one[1] is None
    }  # without a predicate

    def matching(pattern: str) -> list[int]:
        return [line for line, text in enumerate(code) if re.match(pattern, text)]

    before = _predecessors(code, lines, always.intersection(matching(grammar.last)), grammar)
    takes, stores, barriers = (
        matching(grammar.takes),
        matching(grammar.stores),
        always.intersection(matching(grammar.barrier)),
    )
    found = []
    for exchange in matching(grammar.gives_back):
        led_by = _backwards(exchange, before, set()).intersection(takes)
        if not led_by:
            continue  # it hands over something else
        held = _backwards(exchange, before, barriers | led_by)
        unguarded = sorted(held.intersection(stores))
        found.append(LockRelease(stage, exchange, tuple(sorted(held & barriers)), tuple(unguarded)))
    return found


def _predecessors(
    code: list[str], lines: Sequence[str], ends: set[int], grammar: _Grammar
) -> list[list[int]]:
    """Return for each line the lines that may come right before it; `ends` are followed only by
    their jump targets.
    """
    labels = {
        found[1]: line
        for line, text in enumerate(lines)
        if (found := re.match(grammar.label, text)) is not None
    }
    before: list[list[int]] = [[] for _ in lines]
    # a barrier of a warp's threads, and where its branches meet again
    meets: dict[str, list[int]] = {}
    for text in code:
        if (opened := re.match(r"BSSY\S*\s+(B\d+),.*`\((\S+?)\)", text)) is not None and opened[
            2
        ] in labels:
            meets.setdefault(opened[1], []).append(labels[opened[2]])
    for line, text in enumerate(code):
        if line + 1 < len(lines) and line not in ends:
            before[line + 1].append(line)
        if re.match(grammar.jump, text):
            met = re.match(r"(?:BSYNC|BREAK)\S*\s+(?:\S+,\s*)?(B\d+)", text)
            targets = [labels[name] for name in re.findall(grammar.target, text) if name in labels]
            for target in targets + (meets.get(met[1], []) if met is not None else []):
                before[target].append(line)
    return before


def _backwards(start: int, before: list[list[int]], ends: set[int]) -> set[int]:
    """Return the lines from which `start` can be reached, up to and including those of `ends`."""
    found: set[int] = set()
    todo = list(before[start])
    while todo:
        line = todo.pop()
        if line not in found:
            found.add(line)
            if line not in ends:
                todo += before[line]
    return found

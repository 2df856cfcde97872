"""Find the instructions of the source's loads and stores, their width, whether a warp's addresses
are adjacent, what shared memory is used for, which registers are spilled, and which instructions
serve which tensor or the sums of rows.

TTGIR says what the source asks for and which thread has which element; SASS says by which
instructions. Both name the same place of the source, by which they are joined.
"""

import math
import re
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from lnkernels.launch import ceil_div
from lnkernels.values.layouts import (
    WARP_SIZE,
    LaidOut,
    LayoutError,
    element_bytes,
    placement,
    tensors,
)
from lnkernels.values.listing import MemoryUse, SharedUse, StageText, code_of
from lnkernels.values.sentence import Sentence, say

SECTOR_BYTES = 32
_SPREAD = ("adjacent_bytes", "pieces", "gap_bytes", "sectors", "least_sectors")
_OPERATIONS = {
    "tt.load": "load",
    "ttg.async_copy_global_to_local": "load",
    "tt.store": "store",
    "tt.atomic_rmw": "atomic",
    "tt.atomic_cas": "atomic",
    # By the tensor memory accelerator, a block an instruction.
    "ttng.async_tma_copy_global_to_local": "load",
    "ttng.async_tma_gather": "load",
    "ttng.async_tma_copy_local_to_global": "store",
    "ttng.async_tma_scatter": "store",
    "ttng.async_tma_reduce": "atomic",
}
_BLOCK = re.compile(r"!ttg\.memdesc<(?!1xi64)([\dx]+)x([a-z]+\d+)")
_OPERATION = re.compile(rf"(?:^|\s|= )({'|'.join(map(re.escape, _OPERATIONS))})\s(.*)$")
_INSTRUCTIONS = {
    "load": r"LDG\b|LDGSTS|LD\.E|UTMALDG",
    "store": r"STG\b|ST\.E|UTMASTG",
    "atomic": r"ATOM|RED|UTMARED",
}
_WIDTHS = (
    (r"\.256\b", 32),
    (r"\.128\b|32x4\b", 16),
    (r"\.64\b|32x2\b|16x4\b", 8),
    (r"\.[US]16\b", 2),
    (r"\.[US]8\b", 1),
)
_SHARED_STORE, _SHARED_LOAD = r"(STS|STSM|LDGSTS|UBLKCP)\b", r"(LDS|LDSM)\b"
# Of Triton up to 3.8, and in the policy of both that 3.9 writes.
_HINT = r"(?:cacheModifier|evictionPolicy|cache_modifier|eviction_policy) = (\w+)"
_NO_HINT = ("none", "evict_normal")
_BARRIER = r"BAR\.(SYNC|RED|ARV)"
_SHARED = {"stores": _SHARED_STORE, "loads": _SHARED_LOAD, "barriers": _BARRIER}
_ANY_MEMORY = "|".join(_INSTRUCTIONS.values())
_EXCHANGE = rf"SHFL|{_SHARED_STORE}|{_SHARED_LOAD}|{_BARRIER}"  # between the threads of a program
_POINTERS = r"%(\w+): !tt\.(?:ptr|tensordesc)"  # among the parameters of a function
_FROM = r"(%[\w$.-]+)(?::\d+)? = [\w.\"]+(?: \w+,)* (%[\w$.#-]+)"  # the first operand
PURPOSES: tuple[tuple[str, Sentence], ...] = (
    (r"tt\.reduce", say("a sum over the warps")),
    (r"ttg\.convert_layout", say("elements change threads")),
    (r"ttn?g\.(local_|async_|memdesc)", say("rows on their way from memory")),
    (r"tt\.atomic", say("the result of an atomic reaches all threads")),
    (r"(ttg|gpu)\.(local_)?barrier", say("a barrier of the source")),
)
AROUND_ATOMIC = say("the compiler's own barrier around an atomic")  # from Triton 3.9 on
OTHER = say("the order of what is in shared memory")


def memory_uses(
    stages: Mapping[str, StageText], innermost: NDArray[np.int32]
) -> tuple[MemoryUse, ...]:
    """Return each load, store and atomic of the source once, in the order of TTGIR.

    Args:
        stages: of the kernel.
        innermost: the place of each call stack.
    """
    ttgir, sass = stages["ttgir"], stages["sass"]
    places = np.append(innermost, -1)[sass.stacks]
    laid_out = {one.line: one for one in tensors(ttgir.lines)}
    found: dict[tuple[str, int], MemoryUse] = {}
    for line, text in enumerate(ttgir.lines):
        operation = _OPERATION.search(text)
        if operation is None:
            continue
        action, stack = _OPERATIONS[operation[1]], int(ttgir.stacks[line])
        if stack < 0 or (action, stack) in found:
            continue
        # The compiler may have made one instruction of two that are written at one place, and that
        # has one call stack.
        here, anywhere = (
            (sass.stacks == stack).nonzero()[0],
            (places == innermost[stack]).nonzero()[0],
        )
        lines = _those(_INSTRUCTIONS[action], here, sass) or _those(
            _INSTRUCTIONS[action], anywhere, sass
        )
        found[action, stack] = _use(
            action, stack, operation[1], operation[2], laid_out.get(line), lines, sass
        )
    return tuple(found.values())


def roles(
    stages: Mapping[str, StageText], uses: tuple[MemoryUse, ...], tensors: Mapping[str, str]
) -> dict[str, tuple[int, ...]]:
    """Return the instructions of SASS that load, store or change each tensor, those of "row sums"
    and of "sums" over rows, and "other" loads and stores.

    Args:
        stages: of the kernel.
        uses: its loads and stores.
        tensors: what each parameter of the kernel is, such as "x".
    """
    ttgir, sass = stages["ttgir"], stages["sass"]
    origins = _origins(ttgir.lines)
    found: dict[str, set[int]] = {}
    for use in uses:
        here = np.flatnonzero(ttgir.stacks == use.stack)
        parameter = next((origins[at] for at in here if origins[at]), "")
        found.setdefault(tensors.get(parameter, "other"), set()).update(use.lines)
    for role, stack in _sums(ttgir):
        lines = set(np.flatnonzero(sass.stacks == stack).tolist())
        found.setdefault(role, set()).update(lines)
    every = np.arange(len(sass.lines))
    known = set[int]().union(*found.values())
    found.setdefault("other", set()).update(set(_those(_ANY_MEMORY, every, sass)) - known)
    if not ttgir.lines:  # of CUDA
        found["row sums"] = set(_those(_EXCHANGE, every, sass))
    return {role: tuple(sorted(lines)) for role, lines in found.items() if lines}


def _sums(ttgir: StageText) -> Iterator[tuple[str, int]]:
    """Yield the call stacks of reductions: along rows, or over them."""
    begins = [at for at, line in enumerate(ttgir.lines) if '"tt.reduce"' in line]
    for begin in begins:
        end = next(at for at in range(begin, len(ttgir.lines)) if "})" in ttgir.lines[at])
        axis, shape = (
            re.search(pattern, ttgir.lines[at])
            for pattern, at in ((r"axis = (\d+)", begin), (r"\(tensor<((?:\d+x)+)", end))
        )
        along = axis and shape and int(axis[1]) == shape[1].count("x") - 1
        for stack in {*ttgir.stacks[begin : end + 1].tolist()} - {-1}:
            yield "row sums" if along else "sums", stack


def _origins(lines: tuple[str, ...]) -> list[str]:
    """Return for each line of TTGIR the parameter that its load or store points into."""
    origin: dict[str, str] = {}
    found = []
    for line in lines:
        if "tt.func" in line:
            origin |= {f"%{name}": name for name in re.findall(_POINTERS, line)}
        _, _, carried = line.partition("iter_args(")
        for inner, outer in re.findall(r"(%[\w$.-]+) = (%[\w$.#-]+)", carried):
            origin[inner] = origin.get(outer, "")
        if made := re.match(rf"\s*{_FROM}", line):
            origin[made[1]] = origin.get(made[2], "")
        used = _OPERATION.search(line)
        values = re.findall(r"%[\w$.#-]+", used[2]) if used else []
        found.append(origin.get(values[0], "") if values else "")
    return found


def shared_uses(stages: Mapping[str, StageText]) -> tuple[SharedUse, ...]:
    """Return what each place of the source does with shared memory and barriers, in the order of
    the machine code.
    """
    ttgir, sass = stages["ttgir"], stages["sass"]
    lines: dict[int, dict[str, list[int]]] = {}
    for line, text in enumerate(sass.lines):
        for kind, pattern in _SHARED.items():
            if re.match(pattern, code_of(text)):
                used = lines.setdefault(int(sass.stacks[line]), {kind: [] for kind in _SHARED})
                used[kind].append(line)
    found = []
    for stack, used in lines.items():
        said = "\n".join(
            ttgir.lines[at] for at in np.flatnonzero(ttgir.stacks == stack) if stack >= 0
        )
        purpose = next((words for pattern, words in PURPOSES if re.search(pattern, said)), OTHER)
        if "tt.atomic" in said and not used["stores"]:
            purpose = AROUND_ATOMIC
        found.append(
            SharedUse(
                purpose=purpose, stack=stack, **{kind: tuple(at) for kind, at in used.items()}
            )
        )
    return tuple(found)


def spilled(sass: StageText) -> tuple[int, ...]:
    """Return the lines that move a register into the thread's own memory or back."""
    return tuple(
        line for line, text in enumerate(sass.lines) if re.match(r"(STL|LDL)\b", code_of(text))
    )


def _those(pattern: str, lines: NDArray[np.intp], sass: StageText) -> tuple[int, ...]:
    return tuple(int(line) for line in lines if re.match(pattern, code_of(sass.lines[line])))


def _use(
    action: str,
    stack: int,
    operation: str,
    rest: str,
    tensor: LaidOut | None,
    lines: tuple[int, ...],
    sass: StageText,
) -> MemoryUse:
    names = [code_of(sass.lines[line]).split()[0] for line in lines]
    width = max(map(_width, names), default=0)
    size = element_bytes(re.sub(r"^.*?(!tt\.ptr<\w+>).*$", r"\1", rest))
    elements = 1 if tensor is None else math.prod(tensor.shape)
    block = _BLOCK.search(rest) if operation.startswith("ttng.") else None
    if block is None:
        spread = _spread(tensor, size, width)
    else:
        size, elements = element_bytes(block[2]), math.prod(map(int, block[1].split("x")))
        width = elements * size  # that one thread asks for
        sectors = ceil_div(width, SECTOR_BYTES)
        spread = width, 1, width, sectors, sectors
    operands = re.split(r" : |\{", rest, maxsplit=1)[0]
    count = len(re.findall(r"%[\w#$.-]+", operands.split(" cacheModifier")[0]))
    least = {"tt.load": 2, "tt.store": 3}.get(operation, 99)
    return MemoryUse(
        action=action,
        stack=stack,
        element_bytes=size,
        elements=elements,
        masked="mask" in operands
        or count >= least
        or (action == "atomic" and tensor is not None and "%true" not in operands),
        hint=", ".join(name for name in re.findall(_HINT, rest) if name not in _NO_HINT),
        staged=operation.startswith(("ttg.", "ttng.")),
        lines=lines,
        names=tuple(dict.fromkeys(names)),
        predicated=sum("@" in sass.lines[line] for line in lines),
        thread_bytes=width,
        **dict(zip(_SPREAD, spread, strict=True)),
    )


def _spread(tensor: LaidOut | None, size: int, width: int) -> tuple[int, ...]:
    """Return what a warp touches by one instruction, in the fields of `MemoryUse`. Elements are
    adjacent along the last dimension, and its rows are apart.
    """
    if tensor is None:
        return width, 1, width, 1, 1
    try:
        held = placement(tensor.encoding, tensor.shape)
    except LayoutError:
        return width, WARP_SIZE, width, WARP_SIZE, 1
    first = ((held.warp == 0) & (held.register < max(1, width // size))).reshape(
        -1, tensor.shape[-1]
    )
    rows, columns = (np.atleast_1d(each) for each in first.nonzero())
    begins = np.diff(columns, prepend=-2) != 1
    begins |= np.diff(rows, prepend=-1) != 0
    pieces = max(1, int(begins.sum()))
    starts = columns[begins]
    gap = (
        int(starts[1] - starts[0]) * size
        if pieces > 1 and rows[begins][0] == rows[begins][1]
        else 0
    )
    sectors = len(set(zip(rows.tolist(), (columns * size // SECTOR_BYTES).tolist(), strict=True)))
    all_bytes = columns.size * size
    return all_bytes // pieces, pieces, gap, sectors, ceil_div(all_bytes, SECTOR_BYTES)


def _width(name: str) -> int:
    return next((width for pattern, width in _WIDTHS if re.search(pattern, name)), 4)

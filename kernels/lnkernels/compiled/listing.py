"""Read the texts of the compiler's stages into a `Listing`, whose lines know where they come from.

Triton's own forms say it by `loc(…)`, LLVM's by `!dbg`, with all calls around a place. PTX has
`.loc`, with the calls in a comment. Machine code names a line of PTX, whose calls it then has, and
a line of source, which lags some instructions behind where several meet.

Neither torch nor triton is needed here.
"""

import ast
import importlib.util
import linecache
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from lnkernels.compiled.memory import memory_uses, roles, shared_uses, spilled
from lnkernels.compiled.race_rule import check_locks
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.listing import Listing, LiveRegisters, StageText, is_instruction, stacks_of
from lnkernels.values.listing_diff import beside

TEXTS = ("ttir", "ttgir", "llir", "ptx", "sass")  # what `read_listing` needs of a kernel
LIVE = "live"  # what it takes besides
OURS, TRITONS = "lnkernels", "triton"
Place = tuple[str, int]  # a file by its short name, and a line from 1 on
Stack = tuple[Place, ...]  # the innermost first
Read = list[tuple[str, Stack]]  # lines, each with its call stack

_LOC = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_INLINE_LOC = re.compile(r" *loc\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
_LOC_AT_END = re.compile(_INLINE_LOC.pattern + r"\s*$")
_FILE_LOC = re.compile(r'^"(.*)":(\d+):\d+$')
_DEBUG_METADATA = re.compile(r"^!(\d+) = (?:distinct )?!DI")
_PTX_LOC = re.compile(
    r"^\s*\.loc\s+((\d+) (\d+) \d+)(?:, function_name \S+, inlined_at ([\d ]+\d))?[^/]*(?://\s*(.*))?$"
)
_SASS_PLACE = re.compile(r'^\s*//## File "(.*)", line (\d+)')
_SASS_CODE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+)?\s*(.*?)\s*(?:/\*.*)?$")
_SCHEDULING = re.compile(r"(\s+(&\w+=\S+|\?\w+))+\s*;?$")
_DEBUG_PTX = ".nv_debug_ptx_txt"


def read_listing(facts: KernelFacts) -> Listing:
    """Return the listing of a kernel; `facts` have TEXTS, as `facts_in_own_process` gives them."""
    entry = re.search(r"\.entry (\w+)", facts.texts["ptx"])
    function = facts.name if entry is None else entry[1]
    texts = dict.fromkeys(TEXTS, "") | facts.texts  # CUDA has neither of Triton's forms nor LLVM's
    read: dict[str, Read] = {name: read_mlir(texts[name]) for name in ("ttir", "ttgir")}
    read["llir"] = read_llvm(texts["llir"])
    read["ptx"], ptx_place = read_ptx(facts.texts["ptx"])
    read["sass"] = read_sass(facts.texts["sass"], [stack for _, stack in read["ptx"]], ptx_place)
    found = [place for stage in read.values() for _, stack in stage for place in stack]
    read = {"source": read_source(function, found)} | read
    files: dict[str, int] = {}
    places: dict[Place, int] = {}
    numbers: dict[Stack, int] = {(): -1}
    for _, stack in chain.from_iterable(read.values()):
        for file, line in stack:
            files.setdefault(file, len(files))
            places.setdefault((file, line), len(places))
        numbers.setdefault(stack, len(numbers) - 1)
    stages = {
        name: StageText(
            tuple(line for line, _ in stage),
            np.array([numbers[stack] for _, stack in stage], np.int32),
        )
        for name, stage in read.items()
    }
    chains = stacks_of([places[place] for place in stack] for stack in numbers if stack)
    memory = memory_uses(stages, chains[:, 0])
    return Listing(
        facts=replace(facts, texts={}),
        function=function,
        files=tuple(files),
        places=np.array([(files[file], line) for file, line in places], np.int32).reshape(-1, 2),
        stacks=chains,
        stages=stages,
        releases=check_locks(stages),
        memory=memory,
        roles=roles(stages, memory, facts.tensors),
        shared=shared_uses(stages),
        spills=spilled(stages["sass"]),
        live=read_live(facts.texts.get(LIVE, ""), stages["sass"].lines),
    )


@cache
def short_name(file: str) -> str:
    """Return a file's name as it is in every installation: Triton's cache holds names of the one
    that compiled.
    """
    for package in (OURS, TRITONS):
        _, found, rest = file.rpartition(f"/{package}/")
        if found and _source(f"{package}/{rest}"):
            return f"{package}/{rest}"
    return unquote(file)  # of one's own, see `KernelSource.code_name`


def read_source(function: str, places: Iterable[Place]) -> Read:
    """Return the kernel's function, then all others that contributed: ours, then Triton's."""
    each = dict.fromkeys(places)
    texts = {file: _source(file) for file in dict.fromkeys(file for file, _ in each)}
    functions = {file: _functions(text) for file, text in texts.items()}
    wanted: dict[tuple[str, str], tuple[int, int]] = {}
    for file, line in each:
        for name, first, last in functions[file]:
            if first <= line <= last:
                wanted[file, name] = first, last
    order = sorted(
        wanted,
        key=lambda one: (one[1] != function, not one[0].startswith(OURS), one[0], wanted[one]),
    )
    read: Read = []
    shown = ""
    for file, name in order:
        if read:
            read.append(("", ()))
        if file != shown:
            read.append((f"# {file}", ()))
            shown = file
        first, last = wanted[file, name]
        read += [(texts[file][line - 1], ((file, line),)) for line in range(first, last + 1)]
    return read


def read_mlir(text: str) -> Read:
    """Read TTIR or TTGIR without its locations. An operation with a region has its location at the
    end of it.
    """
    raw = text.splitlines()
    named = {found[1]: found[2] for found in map(_LOC.match, raw) if found is not None}

    @cache
    def stack(written: str) -> Stack:
        if written.startswith("#"):
            return stack(named.get(written, "unknown"))
        if (place := _FILE_LOC.match(written)) is not None:
            return ((short_name(place[1]), int(place[2])),)
        if written.startswith("callsite("):
            callee, _, caller = written[len("callsite(") : -1].partition(" at ")
            return stack(callee) + stack(caller)
        name = re.match(r'^"[^"]*"\((.*)\)$', written)  # of a variable
        return stack(name[1]) if name is not None else ()

    read: Read = []
    opened: list[list[int]] = []  # lines that wait for the end of their regions
    for line in raw:
        if _LOC.match(line) or line.startswith("#loc ="):
            continue
        last = _LOC_AT_END.search(line)
        shown, found = _INLINE_LOC.sub("", line).rstrip(), () if last is None else stack(last[1])
        waiting = opened.pop() if shown.lstrip().startswith("}") and opened else []
        if shown.endswith("{"):
            opened.append([*waiting, len(read)])
        elif found:
            for at in waiting:
                text_there, stack_there = read[at]
                read[at] = text_there, stack_there or found
        read.append((shown, found))
    return read


def read_llvm(text: str) -> Read:
    raw = text.splitlines()
    metadata = {
        found[1]: line for line in raw if (found := _DEBUG_METADATA.match(line)) is not None
    }

    def part(number: str, name: str) -> str:
        found = re.search(rf"\b{name}: !?(?:\"([^\"]*)\"|(\d+))", metadata.get(number, ""))
        return "" if found is None else found[1] or found[2] or ""

    @cache
    def file(scope: str) -> str:
        number = part(scope, "file")
        return short_name(f"{part(number, 'directory')}/{part(number, 'filename')}")

    @cache
    def stack(number: str) -> Stack:
        line, caller = part(number, "line"), part(number, "inlinedAt")
        scope = number if "DISubprogram" in metadata.get(number, "") else part(number, "scope")
        here = ((file(scope), int(line)),) if int(line or 0) else ()
        return here + (stack(caller) if caller else ())

    read: Read = []
    for line in raw:
        if (
            _DEBUG_METADATA.match(line)
            or line.startswith("!llvm.dbg")
            or line.lstrip().startswith("#dbg_")
        ):
            continue
        found = re.search(r",? !dbg !(\d+)", line)
        read.append((re.sub(r",? !dbg !\d+", "", line), stack(found[1]) if found else ()))
    return read


def read_ptx(text: str) -> tuple[Read, dict[int, int]]:
    """Read PTX without what only debuggers use; return also the kept line of each line of the text,
    both from 0 on.
    """
    raw = text.splitlines()
    found_files = (re.match(r'^\s*\.file\s+(\d+) "(.*?)"', line) for line in raw)
    files = {found[1]: short_name(found[2]) for found in found_files if found is not None}
    by_name = {Path(file).name: file for file in files.values()}
    read: Read = []
    kept: dict[int, int] = {}
    now: Stack = ()
    # Of each place so far; from Triton 3.8 on an inlined one names its caller's in place of all.
    stacks_at: dict[str, Stack] = {}
    inline = False
    for number, line in enumerate(raw):
        if re.match(r"^\s*\.section\s+\.debug", line):
            break
        if (edge := re.match(r"^\s*// (begin|end) inline asm", line)) is not None:
            inline = edge[1] == "begin"
        if (at := _PTX_LOC.match(line)) is not None:
            if inline:  # Triton 3.8 counts the lines of the assembler's text as the source's
                continue
            callers = [
                (by_name.get(name, name), int(where))
                for name, where in re.findall(r"@\[ ([^:\[\]]+):(\d+)", at[5] or "")
            ]
            here = [(files.get(at[2], ""), int(at[3])), *callers, *stacks_at.get(at[4] or "", ())]
            now = stacks_at[at[1]] = tuple(place for place in here if place[1])
        elif not re.match(r"^\s*\.file\s|^\$L__(tmp|func_)\w*:", line):
            kept[number] = len(read)
            read.append((line, now if _is_ptx_code(line) else ()))
        if line.startswith("}"):
            now = ()
    return read, kept


def _is_ptx_code(line: str) -> bool:
    """Return True for an instruction, False for a declaration, label or comment."""
    return re.match(r"^\s+(@!?%p\d+\s+)?[a-z]", line) is not None


def read_sass(text: str, ptx_stacks: list[Stack], ptx_place: dict[int, int]) -> Read:
    """Read instructions and labels with their call stacks.

    Args:
        text: of `nvdisasm -g -gp`.
        ptx_stacks: as `read_ptx` gives them.
        ptx_place: the same.
    """
    known: dict[Place, set[Stack]] = {}
    for stack in ptx_stacks:
        if stack:
            known.setdefault(stack[0], set()).add(stack)
    read: Read = []
    place: Place | None = None
    ptx_line = -1
    for line in text.splitlines():
        if (at := _SASS_PLACE.match(line)) is not None:
            if at[1] == _DEBUG_PTX:
                ptx_line = ptx_place.get(int(at[2]) - 1, -1)
            else:
                place = (short_name(at[1]), int(at[2])) if int(at[2]) else None
        elif (code := _SASS_CODE.match(line)) is not None:
            of_ptx = ptx_stacks[ptx_line] if ptx_line >= 0 else ()
            read.append((_instruction(code), _stack_of(place, of_ptx, known)))
        elif re.match(r"^\.?[\w$.]+:$", line) and not line.startswith(".text."):
            read.append((line, ()))
    # Behind the code lie a jump to itself, which catches what runs over the end, and what fills the
    # last line of the cache.
    while read and re.search(r":$|\sNOP\s*;?$", read[-1][0]):
        read.pop()
    if len(read) > 1:
        (label, _), (last, _) = read[-2:]
        if label.endswith(":") and re.search(rf"BRA `\({re.escape(label[:-1])}\)", last):
            return read[:-2]
    return read


def _instruction(code: re.Match[str]) -> str:
    """Format address, predicate and instruction, without the scheduling that nvdisasm 12 adds for
    sm_120 (&req={0} ?trans5).
    """
    return f"/*{code[1]}*/ {code[2] or '':>6} {_SCHEDULING.sub(' ;', code[3])}"


def read_live(text: str, sass: Sequence[str]) -> LiveRegisters | None:
    """Return the number of live registers at each line of SASS; None where no tool has told it.

    Args:
        text: of `nvdisasm -lrm count`, of the same machine code or of what another assembler made
            of the same PTX.
        sass: the kernel's lines.
    """
    found = []
    for line in text.splitlines():
        instruction, _, counts = line.partition("//")
        code = _SASS_CODE.match(instruction)
        if code is not None and (count := re.match(r"\s*\|\s*(\d+)", counts)) is not None:
            found.append((_instruction(code), int(count[1])))
    if not found:
        return None
    live = np.full(len(sass), -1, np.int32)
    for mine, other in beside(sass, [line for line, _ in found], "sass"):
        if mine >= 0 and other >= 0:
            live[mine] = found[other][1]
    mine_alone = [line for line in sass if is_instruction(line)]
    return LiveRegisters(
        live,
        max(count for _, count in found),
        same=mine_alone == [line for line, _ in found[: len(mine_alone)]],
    )


def _stack_of(place: Place | None, of_ptx: Stack, known: dict[Place, set[Stack]]) -> Stack:
    """Return the calls around an instruction: those of its line of PTX, which is more exact, or
    else the only ones that its place of source has. A place that PTX has nowhere is a line of
    assembler's text, see `read_ptx`.
    """
    if of_ptx or place not in known:
        return of_ptx
    stacks = known[place]
    return next(iter(stacks)) if len(stacks) == 1 else (place,)


def _source(file: str) -> tuple[str, ...]:
    """Return the current lines of a file, by its short name; none where it cannot be read."""
    package = (
        importlib.util.find_spec(file.partition("/")[0]) if "/" in file and file[0] != "/" else None
    )
    path = (
        file
        if package is None or package.origin is None
        else str(Path(package.origin).parents[1] / file)
    )
    linecache.checkcache(path)
    return (
        tuple(line.rstrip("\n") for line in linecache.getlines(path))
        if Path(path).is_file()
        else ()
    )


@cache
def _functions(lines: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """Return name, first and last line of the functions of a file, with their decorators."""
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):  # a file of one's own changes meanwhile
        return []
    found = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    first = [min([one.lineno, *(each.lineno for each in one.decorator_list)]) for one in found]
    return [
        (one.name, line, one.end_lineno or one.lineno)
        for one, line in zip(found, first, strict=True)
    ]

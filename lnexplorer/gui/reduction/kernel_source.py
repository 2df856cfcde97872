"""The text of the `locked` kernels, and the lines of it that a row or a tile passes through.

Nothing of it is imported or run.
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from importlib.resources import files

from lnexplorer.domain.moments import RowState
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.gui.reduction.painter.frame import buffer_dtype
from lnexplorer.gui.reduction.painter.timeline_index import ADDED, hold_share
from lnkernels.values.timeline import ReductionTimeline

FILE = "strategies/locked.py"
_KERNELS = ("stage1_kernel", "stage2_kernel")
_BARRIER = "wait_for_all_threads"
_CODES = r"[A-Z]+\d+(?:, [A-Z]+\d+)*"
_FOR_A_LINTER = re.compile(rf"\s*# type: ignore\[[\w-]+\]|# noqa: {_CODES} - |\s*# noqa: {_CODES}$")
_WIDEST, _BOTH, _COLUMNS, _WARP = 16384, 8192, 32, 32  # columns; columns with both buffers, and of a thread; threads of a warp
# Shares of the time from taking the lock to giving it back, as `ADDED`: a drawing's, not a clock's.
_COUNTED, _STORED = 0.2, 0.85


class Step(Enum):
    """What a program is at."""

    COMPUTE = auto()  # dx, and the partial sums with it
    TRY = auto()  # spin for the lock
    COUNT = auto()  # read how many rows came before
    ADD_AS_LOADED = auto()  # load each buffer and add
    ADD_IN_ONE_TRIP = auto()  # load both buffers, then add
    ADD_IN_TWO_TRIPS = auto()  # load the one and add, then the other
    STORE = auto()
    BARRIER = auto()
    RELEASE = auto()
    SUM = auto()  # stage 2


@dataclass(frozen=True, slots=True)
class KernelSource:
    """Numbered lines of a file's functions, and where each step is: first and last number."""

    lines: tuple[tuple[int, str], ...]  # number 0 and no text between two functions
    steps: dict[Step, tuple[int, int]]


def kernel_text(file: str) -> str:
    """The text of a file of the kernels, as it is installed.

    Raises:
        OSError: it cannot be read.
    """
    return (files("lnkernels") / file).read_text(encoding="utf-8")


def numbered(text: str) -> list[tuple[int, str]]:
    """Lines with their numbers, without what comments say to a linter."""
    return [(number, for_readers(line)) for number, line in enumerate(text.splitlines(), 1)]


@cache
def kernel_source() -> KernelSource:
    """Both stages, from where the kernels are installed; OSError and SyntaxError say that they cannot be read."""
    return parse(kernel_text(FILE))


def parse(text: str) -> KernelSource:
    """Find the functions of both stages in a file's text, and the steps in them by what their statements do."""
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    all_lines = numbered(text)
    lines: list[tuple[int, str]] = []
    shown = {name for kernel in _KERNELS for name in _with_called(functions, kernel)} - {_BARRIER}
    for name, function in functions.items():
        if name in shown:
            first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
            lines += [*([(0, "")] if lines else []), *all_lines[first - 1 : function.end_lineno]]
    found = {}
    for step, (name, marked) in _MARKS.items():
        for place in _with_called(functions, name):
            if nodes := marked(functions[place]):
                found[step] = (min(node.lineno for node in nodes), max(node.end_lineno or node.lineno for node in nodes))
                break
    return KernelSource(tuple(lines), found)


def for_readers(line: str) -> str:
    """A line of code without what a comment says to a linter; a reason that stands behind it stays."""
    return _FOR_A_LINTER.sub(lambda found: "# " if found[0].endswith("- ") else "", line)


def _with_called(functions: dict[str, ast.FunctionDef], name: str) -> list[str]:
    """A function of a file, then those of the file that it calls, and so on; none where the file does not have it."""
    names = [name] if name in functions else []
    for caller in names:  # grows while it is walked through
        names += dict.fromkeys(called for called in _calls(functions[caller]) if called in functions and called not in names)
    return names


def step_of_adding(request: ResolvedRequest | None, *, interpreted: bool) -> Step:
    """Which of its forms a launch's rows add in, as `with_rows_before` and `both_fit` beside the kernel decide.

    Args:
        request: the launch; None where it is not known, which is taken for one of few columns with float32 buffers.
        interpreted: it ran on Triton's interpreter.
    """
    if request is None:
        return Step.ADD_IN_ONE_TRIP
    columns = request.launch.block_size_n
    if buffer_dtype(request) != "float32" or columns > _WIDEST:
        return Step.ADD_AS_LOADED
    fit = columns <= _BOTH and (interpreted or columns <= _COLUMNS * _WARP * request.launch.num_warps)
    return Step.ADD_IN_ONE_TRIP if fit else Step.ADD_IN_TWO_TRIPS


def step_of_row(timeline: ReductionTimeline, row: int, time_ns: float, *, barrier: bool, adding: Step) -> Step | None:
    """Where a row's program is; None before it starts. The launch had the barrier, or not, and adds in this form."""
    steps = (timeline.start_ns, timeline.wanted_ns, timeline.held_ns, timeline.released_ns)
    match RowState(sum(int(times[row] <= time_ns) for times in steps)):
        case RowState.PENDING:
            return None
        case RowState.COMPUTING:
            return Step.COMPUTE
        case RowState.WAITING:
            return Step.TRY
        case RowState.HOLDING:
            share = hold_share(timeline, row, time_ns)
            return _step_of_holder(share, first=timeline.order[row] == 0, barrier=barrier, adding=adding)
        case RowState.DONE:
            return Step.RELEASE


def _step_of_holder(share: float, *, first: bool, barrier: bool, adding: Step) -> Step:
    if share < _COUNTED:
        return Step.COUNT
    if share < ADDED and not first:
        return adding
    return Step.BARRIER if barrier and share >= _STORED else Step.STORE


Finder = Callable[[ast.FunctionDef], list[ast.stmt]]


def _each(marks: Callable[[ast.stmt], bool]) -> Finder:
    """Every statement of a function that is marked so."""
    return lambda function: [node for node in ast.walk(function) if isinstance(node, ast.stmt) and marks(node)]


def _calls(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Call):
            yield child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")


def _targets(node: ast.Assign) -> set[str]:
    return {to.id for to in node.targets if isinstance(to, ast.Name)}


def _assigns(name: str) -> Callable[[ast.stmt], bool]:
    return lambda node: isinstance(node, ast.Assign) and name in _targets(node)


def _calls_to(*names: str) -> Callable[[ast.stmt], bool]:
    return lambda node: isinstance(node, ast.Expr) and set(names) <= set(_calls(node))


def _names(node: ast.AST) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _loads_and_adds(function: ast.FunctionDef) -> list[ast.stmt]:
    """Additions of what is loaded: in the same statement, or in one before, into a name that is then added."""
    nodes = list(ast.walk(function))
    loads = [node for node in nodes if isinstance(node, ast.Assign) and "load" in _calls(node.value)]
    adds = [node for node in nodes if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)]
    loads = [node for node in loads if any(_targets(node) & _names(add.value) for add in adds)]
    loaded = {name for node in loads for name in _targets(node)}
    sums = [node for node in adds if "load" in _calls(node.value) or loaded & _names(node.value)]
    return [*loads, *sums] if sums else []


_MARKS: dict[Step, tuple[str, Finder]] = {  # the function that does it, itself or by one that it calls
    Step.COMPUTE: ("row_gradients", _each(_assigns("dx"))),
    Step.TRY: ("acquire", _each(lambda node: isinstance(node, ast.While))),
    Step.COUNT: ("add_to_buffers", _each(_assigns("order"))),
    Step.ADD_AS_LOADED: ("added_as_loaded", _loads_and_adds),
    Step.ADD_IN_ONE_TRIP: ("added_in_one_trip", _loads_and_adds),
    Step.ADD_IN_TWO_TRIPS: ("added_in_two_trips", _loads_and_adds),
    Step.STORE: ("add_to_buffers", _each(_calls_to("store", "rounded"))),
    Step.BARRIER: ("add_to_buffers", _each(_calls_to(_BARRIER))),
    Step.RELEASE: ("release", _each(_calls_to("atomic_xchg"))),
    Step.SUM: ("sum_buffers", _loads_and_adds),
}

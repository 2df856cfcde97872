"""The text of the `locked` kernels, and the lines of it that a row or a tile passes through. Nothing of it is imported or run."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from importlib.resources import files

from lnexplorer.domain.moments import RowState
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.painter.holding import ADDED, hold_share

FILE = "locked.py"
_FUNCTIONS = ("acquire", "add_to_buffers", "release", "row_gradients", "stage1_kernel", "sum_buffers", "stage2_kernel")
# Shares of the time from taking the lock to giving it back, as `ADDED`: a drawing's, not a clock's.
_COUNTED, _STORED = 0.2, 0.85


class Step(Enum):
    """What a program is at."""

    COMPUTE = auto()  # dx, and the partial sums with it
    TRY = auto()  # spin for the lock
    COUNT = auto()  # read how many rows came before
    ADD = auto()  # load the buffers and add
    STORE = auto()
    BARRIER = auto()
    RELEASE = auto()
    SUM = auto()  # stage 2


@dataclass(frozen=True, slots=True)
class KernelSource:
    """Numbered lines of a file's functions, and where each step is: first and last number."""

    lines: tuple[tuple[int, str], ...]  # number 0 and no text between two functions
    steps: dict[Step, tuple[int, int]]


@cache
def kernel_source() -> KernelSource:
    """Read it from where the kernels are installed.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: it is no Python.
    """
    return parse((files("lnkernels") / FILE).read_text(encoding="utf-8"))


def parse(text: str) -> KernelSource:
    """Find the functions of both stages in a file's text, and the steps in them by what their statements do."""
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    numbered = list(enumerate(text.splitlines(), 1))
    lines: list[tuple[int, str]] = []
    for name in _FUNCTIONS:
        if name in functions:
            function = functions[name]
            first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
            lines += [*([(0, "")] if lines else []), *numbered[first - 1 : function.end_lineno]]
    found = {}
    for step, (name, marks) in _MARKS.items():
        nodes = [node for node in _statements(functions.get(name)) if marks(node)]
        if nodes:
            found[step] = (min(node.lineno for node in nodes), max(node.end_lineno or node.lineno for node in nodes))
    return KernelSource(tuple(lines), found)


def step_of_row(timeline: ReductionTimeline, row: int, time_ns: float, *, barrier: bool) -> Step | None:
    """Where a row's program is; None before it starts."""
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
            return _step_of_holder(share, first=timeline.order[row] == 0, barrier=barrier)
        case RowState.DONE:
            return Step.RELEASE


def _step_of_holder(share: float, *, first: bool, barrier: bool) -> Step:
    if share < _COUNTED:
        return Step.COUNT
    if share < ADDED and not first:
        return Step.ADD
    return Step.BARRIER if barrier and share >= _STORED else Step.STORE


def _statements(function: ast.FunctionDef | None) -> list[ast.stmt]:
    return [node for node in ast.walk(function) if isinstance(node, ast.stmt)] if function is not None else []


def _calls(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Call):
            yield child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")


def _assigns(name: str) -> Callable[[ast.stmt], bool]:
    return lambda node: isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets)


def _calls_to(*names: str) -> Callable[[ast.stmt], bool]:
    return lambda node: isinstance(node, ast.Expr) and set(names) <= set(_calls(node))


def _loads_and_adds(node: ast.stmt) -> bool:
    return isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and "load" in _calls(node)


_MARKS: dict[Step, tuple[str, Callable[[ast.stmt], bool]]] = {
    Step.COMPUTE: ("row_gradients", _assigns("dx")),
    Step.TRY: ("acquire", lambda node: isinstance(node, ast.While)),
    Step.COUNT: ("add_to_buffers", _assigns("order")),
    Step.ADD: ("add_to_buffers", _loads_and_adds),
    Step.STORE: ("add_to_buffers", _calls_to("store", "rounded")),
    Step.BARRIER: ("add_to_buffers", _calls_to("wait_for_all_threads")),
    Step.RELEASE: ("release", _calls_to("atomic_xchg")),
    Step.SUM: ("sum_buffers", _loads_and_adds),
}

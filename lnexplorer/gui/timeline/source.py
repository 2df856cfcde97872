"""Source of the `locked` kernels, the lines that a row or a tile passes through, and a view that
marks them.
"""

import ast
from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import cache
from importlib.resources import files

import numpy as np

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import ADDED, Moment, RowState
from lnexplorer.gui.kit.code import CodeView, Text
from lnkernels.values import frozen

FILE = "passes/locked.py"
_WIDEST = 16384  # the most columns that are added in registers
_BOTH = 8192  # the most columns of which both buffers are loaded before anything is added
_COLUMNS, _WARP = 32, 32  # columns of a thread, threads of a warp
# Shares of the time from taking the lock to giving it back, as `ADDED`: a drawing's, not a clock's.
_COUNTED, _STORED = 0.2, 0.85


class KernelStep(Enum):
    """Steps of a program."""

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


@frozen
class MarkedSource:
    """Numbered lines of a file's functions, and the first and last number of each step."""

    lines: tuple[tuple[int, str], ...]  # number 0 and no text between two functions
    steps: dict[KernelStep, tuple[int, int]]


def kernel_text(file: str) -> str:
    """Return the text of a file of the kernels, as installed."""
    return (files("lnkernels") / file).read_text(encoding="utf-8")


@cache
def kernel_source() -> MarkedSource:
    """Return both stages of the installed kernels."""
    return parse(kernel_text(FILE))


def parse(text: str) -> MarkedSource:
    """Find the decorated functions in a file's text, which run on the GPU, and the steps in them by
    how their statements begin.
    """
    all_lines = list(enumerate(text.splitlines(), 1))
    lines: list[tuple[int, str]] = []
    found = {}
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
            continue
        first = min(decorator.lineno for decorator in node.decorator_list)
        lines += [*([(0, "")] if lines else []), *all_lines[first - 1 : node.end_lineno]]
        for step, (name, begins) in _STATEMENTS.items():
            if name == node.name and (place := statement_lines(node, begins)) is not None:
                found[step] = place
    return MarkedSource(tuple(lines), found)


def statement_lines(function: ast.FunctionDef, begins: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the first and last line of the statements in a function that begin with any of some
    texts.
    """
    found = [
        line
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and ast.unparse(node).startswith(begins)
        for line in (node.lineno, node.end_lineno or node.lineno)
    ]
    return (min(found), max(found)) if found else None


def step_of_adding(request: ResolvedRequest, *, interpreted: bool) -> KernelStep:
    """Return the form in which a launch's rows add, as `with_rows_before` and `both_fit` beside the
    kernel choose it.

    Args:
        request: the launch.
        interpreted: it ran on Triton's interpreter.
    """
    columns = request.launch.block_size_n
    if request.buffer_dtype != "float32" or columns > _WIDEST:
        return KernelStep.ADD_AS_LOADED
    fit = columns <= _BOTH and (
        interpreted or columns <= _COLUMNS * _WARP * request.launch.num_warps
    )
    return KernelStep.ADD_IN_ONE_TRIP if fit else KernelStep.ADD_IN_TWO_TRIPS


def step_of_row(now: Moment, row: int, *, barrier: bool, adding: KernelStep) -> KernelStep | None:
    """Return the step of a row's program; None before it starts.

    Args:
        now: the moment.
        row: the row.
        barrier: the launch had it.
        adding: the form in which its rows add.
    """
    state = RowState(int(now.state[row]))
    if state is not RowState.HOLDING:
        return _STEPS.get(state)
    share = now.hold_share(row)
    if share < _COUNTED:
        return KernelStep.COUNT
    if share < ADDED and now.timeline.order[row]:  # the first row stores without adding
        return adding
    return KernelStep.BARRIER if barrier and share >= _STORED else KernelStep.STORE


_STEPS = {
    RowState.COMPUTING: KernelStep.COMPUTE,
    RowState.QUEUED: KernelStep.TRY,
    RowState.TRYING: KernelStep.TRY,
    RowState.DONE: KernelStep.RELEASE,
}
_ADDING = ("dw_before = ", "db_before = ", "partial_dw += ", "partial_db += ")
# The function of each step, and how its statements begin.
_STATEMENTS = {
    KernelStep.COMPUTE: ("row_gradients", ("dx = ",)),
    KernelStep.TRY: ("acquire", ("while tl.atomic_cas(",)),
    KernelStep.COUNT: ("add_to_buffers", ("order = ",)),
    KernelStep.ADD_AS_LOADED: ("added_as_loaded", _ADDING),
    KernelStep.ADD_IN_ONE_TRIP: ("added_in_one_trip", _ADDING),
    KernelStep.ADD_IN_TWO_TRIPS: ("added_in_two_trips", _ADDING),
    KernelStep.STORE: ("add_to_buffers", ("tl.store(dw_", "tl.store(db_")),
    KernelStep.BARRIER: ("add_to_buffers", ("wait_for_all_threads(",)),
    KernelStep.RELEASE: ("release", ("tl.atomic_xchg(",)),
    KernelStep.SUM: ("sum_buffers", ("total += ",)),
}


# With their numbers in the file; 0 for an empty one between two parts.
Lines = Sequence[tuple[int, str]]


class SourceView(CodeView):
    """A file of the kernels, with the numbers of its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.file = ""  # what is on show
        self.place: tuple[int, int] | None = None  # numbers of the first and last marked line

    def show_file(self, file: str, read: Callable[[], Lines]) -> None:
        """Show a file; `read` is called if it is not the one on show."""
        if file == self.file:
            return
        self.file = file
        lines = read()
        numbers = np.array([number for number, _ in lines], np.int32)
        self.show_text(Text("source", tuple(line for _, line in lines), numbers))
        self._mark()

    def mark(self, lines: tuple[int, int] | None) -> None:
        if lines != self.place:
            self.place = lines
            self._mark()

    def _mark(self) -> None:
        if self.text is not None:
            first, last = self.place or (0, -1)
            numbers = self.text.numbers
            self.choose(None, np.flatnonzero((first <= numbers) & (numbers <= last)))

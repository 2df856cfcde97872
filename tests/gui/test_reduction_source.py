import itertools

import numpy as np
import pytest

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.timeline import moment
from lnexplorer.gui.timeline.source import (
    FILE,
    KernelStep,
    SourceView,
    kernel_source,
    kernel_text,
    step_of_adding,
    step_of_row,
)
from lnkernels.passes.locked import WIDEST_IN_REGISTERS, WIDEST_OF_BOTH
from tests.domain.timelines import simulated
from tests.gui.windows import on_screen

LOADED_FIRST = (
    "= tl.load(dw_buffer_ptr",
    "= tl.load(db_buffer_ptr",
    "partial_dw +=",
    "partial_db +=",
)
AS_LOADED, ONE_TRIP, TWO_TRIPS = FORMS = (
    KernelStep.ADD_AS_LOADED,
    KernelStep.ADD_IN_ONE_TRIP,
    KernelStep.ADD_IN_TWO_TRIPS,
)
WHAT_IS_THERE = {
    KernelStep.COMPUTE: ("dx =",),
    KernelStep.TRY: ("atomic_cas",),
    KernelStep.COUNT: ("count_ptr",),
    AS_LOADED: (
        "partial_dw += tl.load(dw_buffer_ptr",
        "partial_db += tl.load(db_buffer_ptr",
    ),
    ONE_TRIP: LOADED_FIRST,
    TWO_TRIPS: LOADED_FIRST,
    KernelStep.STORE: ("tl.store(dw_buffer_ptr", "tl.store(db_buffer_ptr"),
    KernelStep.BARRIER: ("wait_for_all_threads()",),
    KernelStep.RELEASE: ("atomic_xchg",),
    KernelStep.SUM: ("total +=", "tl.load(partial_ptr"),
}


def test_every_step_finds_its_lines_in_the_kernels_own_text():
    source = kernel_source()
    for step in KernelStep:
        first, last = source.steps[step]
        marked = "\n".join(line for number, line in source.lines if first <= number <= last)
        assert all(part in marked for part in WHAT_IS_THERE[step])
        assert last - first < 20, "a mark that is as long as a function says nothing"
        # One form of the addition alone is marked.
        assert marked.count("tl.load(dw_buffer_ptr") == (step in FORMS)


# The kernel's own conditions: whoever changes them changes `step_of_adding`, too.
CONDITIONS = (
    "dw_buffer_ptr.dtype.element_ty != tl.float32 or columns.shape[0] > WIDEST_IN_REGISTERS:",
    "return columns.shape[0] <= WIDEST_OF_BOTH",
    "and columns.shape[0] <= 32 * tl.extra.cuda.num_threads()",
)


@pytest.mark.parametrize(
    ("block_size_n", "num_warps", "partial_dtype", "on_a_gpu", "interpreted"),
    [
        (1024, 1, "float32", ONE_TRIP, ONE_TRIP),
        (2048, 1, "float32", TWO_TRIPS, ONE_TRIP),
        (WIDEST_OF_BOTH.value, 32, "float32", ONE_TRIP, ONE_TRIP),
        (WIDEST_IN_REGISTERS.value, 32, "float32", TWO_TRIPS, TWO_TRIPS),
        (2 * WIDEST_IN_REGISTERS.value, 32, "float32", AS_LOADED, AS_LOADED),
        (1024, 4, "same", AS_LOADED, AS_LOADED),
    ],
)
def test_the_form_is_chosen_as_the_kernel_chooses_it(
    block_size_n, num_warps, partial_dtype, on_a_gpu, interpreted
):
    assert all(condition in kernel_text(FILE) for condition in CONDITIONS)
    launch = {"block_size_n": block_size_n, "num_warps": num_warps}
    request = resolve(RunRequest.of(m=64, n=64, partial_dtype=partial_dtype, **launch), "cuda")
    assert step_of_adding(request, interpreted=False) is on_a_gpu
    assert step_of_adding(request, interpreted=True) is interpreted


def steps_of(row, *, barrier=True, begin_ns=None):
    """The steps of a row of a timeline, each once; from a time, or from where it has its lock."""
    timeline = simulated(4, 8, 2)
    row = int(row(timeline.order))
    begin = timeline.held_ns[row] if begin_ns is None else begin_ns
    moments = np.linspace(begin, timeline.released_ns[row] + 2, 400)
    steps = (
        step_of_row(moment(timeline, float(time_ns)), row, barrier=barrier, adding=ONE_TRIP)
        for time_ns in moments
    )
    return [step for step, _ in itertools.groupby(steps)]


def test_a_row_passes_through_its_steps_in_order():
    assert steps_of(np.argmax, begin_ns=-1) == [
        None,
        KernelStep.COMPUTE,
        KernelStep.TRY,
        KernelStep.COUNT,
        ONE_TRIP,
        KernelStep.STORE,
        KernelStep.BARRIER,
        KernelStep.RELEASE,
    ]


def test_the_first_row_of_a_buffer_adds_nothing_and_without_barrier_there_is_none():
    expected = [KernelStep.COUNT, KernelStep.STORE, KernelStep.RELEASE]
    assert steps_of(np.argmin, barrier=False) == expected


def test_the_view_marks_the_lines_of_a_step_and_scrolls_to_them(qtbot):
    view = on_screen(qtbot, SourceView(), 900, 200)
    view.show_file(FILE, lambda: kernel_source().lines)
    for first, last in kernel_source().steps.values():
        view.mark((first, last))
        assert view.text.numbers[view.marked].tolist() == list(range(first, last + 1))
        assert view.viewport().rect().contains(5, view.cursorRect().center().y())
        assert view.textCursor().blockNumber() == view.marked[0]
    view.mark(None)
    assert view.marked.size == 0

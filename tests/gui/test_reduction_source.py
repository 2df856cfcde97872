import ast
import itertools
from importlib.resources import files
from types import SimpleNamespace

import numpy as np

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.timeline import moment
from lnexplorer.gui.kit.theme import DARK, Theme
from lnexplorer.gui.timeline.source import (
    FILE,
    KernelStep,
    SourceView,
    kernel_source,
    parse,
    step_of_adding,
    step_of_row,
)
from lnkernels.passes.locked import WIDEST_IN_REGISTERS, WIDEST_OF_BOTH
from tests.domain.timelines import simulated

LOADED_FIRST = (
    "= tl.load(dw_buffer_ptr",
    "= tl.load(db_buffer_ptr",
    "partial_dw +=",
    "partial_db +=",
)
WHAT_IS_THERE = {
    KernelStep.COMPUTE: ("dx =",),
    KernelStep.TRY: ("atomic_cas",),
    KernelStep.COUNT: ("count_ptr",),
    KernelStep.ADD_AS_LOADED: (
        "partial_dw += tl.load(dw_buffer_ptr",
        "partial_db += tl.load(db_buffer_ptr",
    ),
    KernelStep.ADD_IN_ONE_TRIP: LOADED_FIRST,
    KernelStep.ADD_IN_TWO_TRIPS: LOADED_FIRST,
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
        assert marked.count("tl.load(dw_buffer_ptr") == (step in FORMS.values())


FORMS = {
    "added_as_loaded": KernelStep.ADD_AS_LOADED,
    "added_in_one_trip": KernelStep.ADD_IN_ONE_TRIP,
    "added_in_two_trips": KernelStep.ADD_IN_TWO_TRIPS,
}


def taken_by_the_kernel(element, block_size_n, num_warps):
    """The form that the conditions in the kernel's own text lead to, on a GPU."""
    tree = ast.parse((files("lnkernels") / FILE).read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    on_a_gpu = [node for node in ast.walk(functions["both_fit"]) if isinstance(node, ast.Return)][
        -1
    ].value
    cuda = SimpleNamespace(num_threads=lambda: 32 * num_warps)
    names = {
        "tl": SimpleNamespace(float32="float32", extra=SimpleNamespace(cuda=cuda)),
        "columns": SimpleNamespace(shape=(block_size_n,)),
        "WIDEST_IN_REGISTERS": WIDEST_IN_REGISTERS.value,
        "WIDEST_OF_BOTH": WIDEST_OF_BOTH.value,
        "dw_buffer_ptr": SimpleNamespace(dtype=SimpleNamespace(element_ty=element)),
        "db_buffer_ptr": SimpleNamespace(dtype=SimpleNamespace(element_ty=element)),
    }

    def value(expression):
        return eval(compile(ast.Expression(expression), FILE, "eval"), names)

    names["both_fit"] = lambda columns: value(on_a_gpu)
    node = functions["with_rows_before"].body[-1]
    while isinstance(node, ast.If):
        node = node.body[0] if value(node.test) else node.orelse[0]
    return FORMS[node.value.func.id]


def test_the_form_is_chosen_as_the_kernel_chooses_it():
    cases = itertools.product(
        [1, 4, 32],
        [1024, 8192, 16384, 32768],
        ["float16"],
        ["float32", "same"],
    )
    for num_warps, block_size_n, dtype, partial_dtype in cases:
        launch = {
            "block_size_n": block_size_n,
            "num_warps": num_warps,
            "partial_dtype": partial_dtype,
        }
        element = "float32" if partial_dtype == "float32" else dtype
        request = resolve(RunRequest.of(m=64, n=64, dtype=dtype, **launch), "cuda")
        assert step_of_adding(request, interpreted=False) is taken_by_the_kernel(
            element, block_size_n, num_warps
        )
        interpreted = step_of_adding(request, interpreted=True)
        if element == "float32" and block_size_n <= WIDEST_IN_REGISTERS.value:
            assert interpreted is (
                KernelStep.ADD_IN_ONE_TRIP
                if block_size_n <= WIDEST_OF_BOTH.value
                else KernelStep.ADD_IN_TWO_TRIPS
            )
        else:
            assert interpreted is KernelStep.ADD_AS_LOADED


def test_the_shown_lines_are_those_of_the_file():
    source = kernel_source()
    assert any("def stage1_kernel" in line for _, line in source.lines)
    assert any("def stage2_kernel" in line for _, line in source.lines)
    assert not any("def launch_backward" in line for _, line in source.lines)
    numbers = [number for number, _ in source.lines if number]
    assert numbers == sorted(numbers)


def test_a_step_that_is_not_in_the_text_is_left_out():
    assert parse("@kernel\ndef release(lock_ptr):\n    tl.atomic_xchg(lock_ptr, 0)\n").steps == {
        KernelStep.RELEASE: (3, 3)
    }


def steps_of(timeline, row, begin_ns, end_ns, **launch):
    """The steps of a row between two times, each once."""
    steps = (
        step_of_row(moment(timeline, float(time_ns)), row, **launch)
        for time_ns in np.linspace(begin_ns, end_ns, 400)
    )
    return [step for step, _ in itertools.groupby(steps)]


def test_a_row_passes_through_its_steps_in_order():
    timeline = simulated(4, 8, 2)
    later = int(timeline.order.argmax())
    adding = KernelStep.ADD_IN_ONE_TRIP
    end = timeline.released_ns[later] + 2
    assert steps_of(timeline, later, -1, end, barrier=True, adding=adding) == [
        None,
        KernelStep.COMPUTE,
        KernelStep.TRY,
        KernelStep.COUNT,
        adding,
        KernelStep.STORE,
        KernelStep.BARRIER,
        KernelStep.RELEASE,
    ]


def test_the_first_row_of_a_buffer_adds_nothing_and_without_barrier_there_is_none():
    timeline = simulated(4, 8, 2)
    first = int(timeline.order.argmin())
    hold = timeline.held_ns[first], timeline.released_ns[first] - 1
    steps = steps_of(timeline, first, *hold, barrier=False, adding=KernelStep.ADD_IN_ONE_TRIP)
    assert steps == [KernelStep.COUNT, KernelStep.STORE]


def test_the_view_marks_the_lines_of_a_step_and_scrolls_to_them(qtbot):
    view = SourceView()
    qtbot.addWidget(view)
    Theme.current = DARK
    view.apply_theme()
    view.resize(900, 200)
    view.show_file(FILE, lambda: kernel_source().lines)
    view.show()
    for step in KernelStep:
        view.mark(kernel_source().steps[step])
        first, last = kernel_source().steps[step]
        assert view.place == (first, last)
        assert view.text.numbers[view.marked].tolist() == list(range(first, last + 1))
        assert view.viewport().rect().contains(5, view.cursorRect(view.textCursor()).center().y())
        assert view.textCursor().blockNumber() == view.marked[0]
    view.mark(None)
    assert view.marked.size == 0

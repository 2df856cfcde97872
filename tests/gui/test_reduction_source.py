import pytest

from lnexplorer.domain.simulation import simulate
from lnexplorer.gui.reduction.kernel_source import Step, kernel_source, parse, step_of_row
from lnexplorer.gui.reduction.source_view import SourceView
from lnexplorer.gui.theme import DARK
from tests.domain.timelines import model

WHAT_IS_THERE = {
    Step.COMPUTE: "dx =",
    Step.TRY: "atomic_cas",
    Step.COUNT: "count_ptr",
    Step.ADD: "+= tl.load(",
    Step.STORE: "tl.store(",
    Step.BARRIER: "wait_for_all_threads()",
    Step.RELEASE: "atomic_xchg",
    Step.SUM: "total += tl.load(",
}


@pytest.mark.parametrize("step", list(Step))
def test_every_step_finds_its_lines_in_the_kernels_own_text(step):
    source = kernel_source()
    text = dict(source.lines)
    first, last = source.steps[step]
    marked = [text[number] for number in range(first, last + 1)]
    assert WHAT_IS_THERE[step] in marked[0] + marked[-1]


def test_the_shown_lines_are_those_of_the_file():
    source = kernel_source()
    assert any("def stage1_kernel" in line for _, line in source.lines)
    assert any("def stage2_kernel" in line for _, line in source.lines)
    numbers = [number for number, _ in source.lines if number]
    assert numbers == sorted(numbers)


def test_a_step_that_is_not_in_the_text_is_left_out():
    assert parse("def release(lock_ptr):\n    tl.atomic_xchg(lock_ptr, 0)\n").steps == {Step.RELEASE: (2, 2)}


def test_a_row_passes_through_its_steps_in_order():
    timeline = simulate(4, 8, 2, 32, 128, model())
    later = int(timeline.order.argmax())
    seen = []
    for time_ns in range(-1, int(timeline.released_ns[later]) + 2):
        step = step_of_row(timeline, later, float(time_ns), barrier=True)
        if not seen or seen[-1] is not step:
            seen.append(step)
    assert seen == [None, Step.COMPUTE, Step.TRY, Step.COUNT, Step.ADD, Step.STORE, Step.BARRIER, Step.RELEASE]


def test_the_first_row_of_a_buffer_adds_nothing_and_without_barrier_there_is_none():
    timeline = simulate(4, 8, 2, 32, 128, model())
    first = int(timeline.order.argmin())
    times = range(int(timeline.held_ns[first]), int(timeline.released_ns[first]))
    steps = {step_of_row(timeline, first, float(time_ns), barrier=False) for time_ns in times}
    assert steps == {Step.COUNT, Step.STORE}


def test_the_view_marks_the_lines_of_a_step_and_scrolls_to_them(qtbot):
    view = SourceView()
    qtbot.addWidget(view)
    view.apply_theme(DARK)
    view.resize(400, 200)
    view.load()
    view.show()
    for step in Step:
        view.show_step(step)
        first, last = kernel_source().steps[step]
        assert view.marked_lines() == (first, last)
        marks = view.extraSelections()
        assert len(marks) == last - first + 1
        assert marks[0].cursor.block().text().lstrip().startswith(str(first))
        shown = view.viewport().rect()
        assert shown.contains(
            view.cursorRect(marks[0].cursor).center().x() * 0 + 5, view.cursorRect(marks[0].cursor).center().y()
        )
    view.show_step(None)
    assert view.extraSelections() == []

import ast
from importlib.resources import files
from types import SimpleNamespace

import pytest

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.simulation import simulate
from lnexplorer.gui.reduction.kernel_source import FILE, Step, kernel_source, loads_tied, parse, step_of_row
from lnexplorer.gui.reduction.source_view import SourceView, broken
from lnexplorer.gui.theme import DARK, LIGHT
from tests.domain.timelines import model

WHAT_IS_THERE = {
    Step.COMPUTE: ("dx =",),
    Step.TRY: ("atomic_cas",),
    Step.COUNT: ("count_ptr",),
    Step.ADD: ("partial_dw += tl.load(dw_buffer_ptr", "partial_db += tl.load(db_buffer_ptr"),
    Step.ADD_TIED: ("dw_before = tl.load(dw_buffer_ptr", "db_before = tl.load(db_buffer_ptr", "partial_dw +=", "partial_db +="),
    Step.STORE: ("tl.store(dw_buffer_ptr", "tl.store(db_buffer_ptr"),
    Step.BARRIER: ("wait_for_all_threads()",),
    Step.RELEASE: ("atomic_xchg",),
    Step.SUM: ("total +=", "tl.load(partial_ptr"),
}
ADDITIONS = {
    "in one statement": """
        if order != 0:
            partial_dw += tl.load(dw_buffer_ptr + columns).to(tl.float32)
            partial_db += tl.load(db_buffer_ptr + columns).to(tl.float32)
    """,
    "all loads first": """
        if order != 0:
            dw_before = tl.load(dw_buffer_ptr + columns)
            db_before = tl.load(db_buffer_ptr + columns)
            partial_dw += dw_before.to(tl.float32)
            partial_db += tl.where(order < 0, dw_before, db_before).to(tl.float32)
    """,
    "in a function of its own": """
        if order != 0:
            partial_dw, partial_db = with_rows_before(partial_dw, partial_db, order)


    def with_rows_before(partial_dw, partial_db, order):
        dw_before = tl.load(dw_buffer_ptr + columns)
        partial_dw += dw_before
        partial_db += tl.load(db_buffer_ptr + columns)
        return partial_dw, partial_db
    """,
    "after branches for a buffer that is not there": """
        if order != 0:
            if dw_buffer_ptr is None:
                partial_db += tl.load(db_buffer_ptr + columns)
            elif db_buffer_ptr is None:
                partial_dw += tl.load(dw_buffer_ptr + columns)
            else:
                partial_dw += tl.load(dw_buffer_ptr + columns)
                partial_db += tl.load(db_buffer_ptr + columns)
    """,
}


@pytest.mark.parametrize("step", list(Step))
def test_every_step_finds_its_lines_in_the_kernels_own_text(step):
    source = kernel_source()
    text = dict(source.lines)
    first, last = source.steps[step]
    marked = "\n".join(text[number] for number in range(first, last + 1))
    for part in WHAT_IS_THERE[step]:
        assert part in marked
    assert last - first < 20, "a mark that is as long as a function says nothing"


def test_the_shipped_file_has_every_step():
    assert set(kernel_source().steps) == set(Step)


def test_of_two_forms_of_the_addition_only_the_one_that_a_row_runs_is_marked():
    source = kernel_source()
    text = dict(source.lines)
    marked = {}
    for step in (Step.ADD, Step.ADD_TIED):
        first, last = source.steps[step]
        marked[step] = [text[number] for number in range(first, last + 1)]
    for lines in marked.values():
        assert sum(line.count("tl.load(dw_buffer_ptr") for line in lines) == 1
        assert sum(line.count("tl.load(db_buffer_ptr") for line in lines) == 1
        assert not any("else" in line or "elif" in line for line in lines)
    assert not set(marked[Step.ADD]) & set(marked[Step.ADD_TIED])


@pytest.mark.parametrize("partial_dtype", ["float32", "same"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("block_size_n", [64, 512, 1024, 2048, 4096])
@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
def test_the_form_is_chosen_as_the_kernel_chooses_it(partial_dtype, dtype, block_size_n, num_warps):
    asked = RunRequest(m=64, n=64, dtype=dtype, block_size_n=block_size_n, num_warps=num_warps, partial_dtype=partial_dtype)
    request = resolve(asked, "cuda")
    tree = ast.parse((files("lnkernels") / FILE).read_text(encoding="utf-8"))
    rule = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "tied")
    on_a_gpu = [node for node in ast.walk(rule) if isinstance(node, ast.Return)][-1].value
    element = "float32" if partial_dtype == "float32" else dtype
    names = {
        "tl": SimpleNamespace(float32="float32", extra=SimpleNamespace(cuda=SimpleNamespace(num_threads=lambda: 32 * num_warps))),
        "buffer_ptr": SimpleNamespace(dtype=SimpleNamespace(element_ty=element)),
        "columns": SimpleNamespace(shape=(block_size_n,)),
    }
    expected = eval(compile(ast.Expression(on_a_gpu), FILE, "eval"), names)
    assert loads_tied(request, interpreted=False) == expected
    assert loads_tied(request, interpreted=True)


@pytest.mark.parametrize("form", ADDITIONS)
def test_loads_are_found_with_their_additions_in_every_form(form):
    text = "def add_to_buffers(partial_dw, partial_db):\n    order = tl.load(count_ptr)\n" + "\n".join(
        line[4:] for line in ADDITIONS[form].splitlines()[1:]
    )
    first, last = parse(text).steps[Step.ADD]
    assert parse(text).steps[Step.ADD_TIED] == (first, last), "where there is one form only"
    lines = text.splitlines()[first - 1 : last]
    assert "tl.load(dw_buffer_ptr" in lines[0]
    assert lines[-1].lstrip().startswith("partial_db +=")
    assert parse(text).steps[Step.COUNT] == (2, 2)
    assert not any("None" in line for line in lines)


def test_a_long_line_goes_on_below_its_beginning():
    line = "  93          tl.store(dw_buffer_ptr + columns, rounded(partial_dw, dw_buffer_ptr.dtype.element_ty), mask=mask)"
    parts = broken(line, 60)
    assert len(parts) > 1
    assert max(map(len, parts)) <= 60
    assert "".join("".join(parts).split()) == "".join(line.split())
    assert all(part.startswith(" " * 18) for part in parts[1:])
    assert broken(line, 200) == [line]


def test_in_a_narrow_view_all_of_a_marked_line_is_marked_and_in_sight(qtbot):
    view = SourceView()
    qtbot.addWidget(view)
    view.apply_theme(DARK)
    view.resize(420, 300)
    view.load()
    view.show()
    view.show_step(Step.STORE)
    first, last = kernel_source().steps[Step.STORE]
    marked = [mark.cursor.block().text() for mark in view.extraSelections()]
    assert len(marked) > last - first + 1
    whole = "".join("".join(marked).split())
    assert "rounded(partial_dw,dw_buffer_ptr.dtype.element_ty),mask=mask)" in whole
    width = view.viewport().width()
    assert all(view.fontMetrics().horizontalAdvance(line) <= width for line in marked)
    view.resize(1200, 300)
    assert len(view.extraSelections()) == last - first + 1


def test_the_shown_lines_are_those_of_the_file():
    source = kernel_source()
    assert any("def stage1_kernel" in line for _, line in source.lines)
    assert any("def stage2_kernel" in line for _, line in source.lines)
    assert not any("def launch_backward" in line for _, line in source.lines)
    numbers = [number for number, _ in source.lines if number]
    assert numbers == sorted(numbers)


def test_what_comments_say_to_a_linter_is_not_shown_and_reasons_are():
    lines = [line for _, line in kernel_source().lines]
    assert not any("noqa" in line for line in lines)
    assert "    GROUP_SIZE_M: tl.constexpr,  # number of buffers" in lines
    assert "    N,  # columns of a row" in lines
    assert "    N," in lines


def test_text_that_is_written_anew_still_shows_the_marked_line(qtbot):
    view = SourceView()
    qtbot.addWidget(view)
    view.apply_theme(DARK)
    view.resize(420, 200)
    view.load()
    view.show()
    view.show_step(Step.RELEASE)
    before = view.verticalScrollBar().value()
    assert before > 0
    view.apply_theme(LIGHT)
    assert view.verticalScrollBar().value() == before
    assert view.viewport().rect().contains(view.cursorRect(view.extraSelections()[0].cursor).center())


def test_a_step_that_is_not_in_the_text_is_left_out():
    assert parse("def release(lock_ptr):\n    tl.atomic_xchg(lock_ptr, 0)\n").steps == {Step.RELEASE: (2, 2)}


def test_a_row_passes_through_its_steps_in_order():
    timeline = simulate(4, 8, 2, 32, 128, model())
    later = int(timeline.order.argmax())
    seen = []
    for time_ns in range(-1, int(timeline.released_ns[later]) + 2):
        step = step_of_row(timeline, later, float(time_ns), barrier=True, tied=False)
        if not seen or seen[-1] is not step:
            seen.append(step)
    assert seen == [None, Step.COMPUTE, Step.TRY, Step.COUNT, Step.ADD, Step.STORE, Step.BARRIER, Step.RELEASE]
    adding = next(
        time_ns
        for time_ns in range(int(timeline.released_ns[later]))
        if step_of_row(timeline, later, float(time_ns), barrier=True, tied=False) is Step.ADD
    )
    assert step_of_row(timeline, later, float(adding), barrier=True, tied=True) is Step.ADD_TIED


def test_the_first_row_of_a_buffer_adds_nothing_and_without_barrier_there_is_none():
    timeline = simulate(4, 8, 2, 32, 128, model())
    first = int(timeline.order.argmin())
    times = range(int(timeline.held_ns[first]), int(timeline.released_ns[first]))
    steps = {step_of_row(timeline, first, float(time_ns), barrier=False, tied=True) for time_ns in times}
    assert steps == {Step.COUNT, Step.STORE}


def test_the_view_marks_the_lines_of_a_step_and_scrolls_to_them(qtbot):
    view = SourceView()
    qtbot.addWidget(view)
    view.apply_theme(DARK)
    view.resize(900, 200)
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

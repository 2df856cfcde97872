"""The pane of what the compiler made of the kernels, with listings of real ones."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import lnkernels
from lnexplorer.domain.result import RunResult
from lnexplorer.gui.kit.code import CodeView, Text, words_of
from lnexplorer.gui.panes.compiled.layouts import drawn_tensors, levels_of
from lnexplorer.gui.panes.compiled.pane import KERNELS, CompiledPane
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource
from lnkernels.launch.source import KernelSource
from lnkernels.values.counters import CALLED_FROM
from lnkernels.values.layouts import placement
from lnkernels.values.listing import STAGES, LiveRegisters
from tests.gui.compiled_samples import barred, choose, compare, compiled_pane, unbarred
from tests.gui.windows import Until, click, on_screen, press, type_text
from tests.sample_results import NEEDS_BARRIER


@pytest.fixture
def pane(qtbot: QtBot) -> CompiledPane:
    """The forward pass, compiled with the barrier."""
    made = compiled_pane(qtbot)
    made.show_compiled(barred())
    return made


@pytest.fixture
def stage1(pane: CompiledPane) -> CompiledPane:
    choose(pane, "backward_stage1")
    return pane


def place_of(lines: Sequence[str], words: str) -> int:
    return next(number for number, line in enumerate(lines) if words in line)


def choose_line(pane: CompiledPane, stage: str, words: str) -> None:
    """Choose the first line of a form that has these words."""
    pane.code.choose_line(stage, place_of(pane.code.listing.stages[stage].lines, words))


def show_form(pane: CompiledPane, stage: str) -> None:
    pane.code.right.stages.setCurrentIndex(STAGES.index(stage))


def heads(pane: CompiledPane) -> tuple[str, str]:
    return pane.code.left.head.text(), pane.code.right.head.text()


def marked(code: CodeView) -> str:
    lines = code.toPlainText().splitlines()
    return "\n".join(lines[row] for row in code.marked)


def test_a_text_with_other_numbers_in_the_same_place_draws_them(qtbot: QtBot, until: Until) -> None:
    view = on_screen(qtbot, CodeView(), 400, 300)
    drawn: list[int] = []

    class Seen(QObject):
        def eventFilter(self, _margin: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                drawn.append(int(view.text.numbers[0]))
            return False

    seen = Seen(view)
    view._margin.installEventFilter(seen)
    view.show_text(Text("source", ("a", "b"), np.array([101, 102])))
    until(lambda: drawn[-1:] == [101])
    view.show_text(Text("source", ("a", "b"), np.array([201, 202])))
    until(lambda: drawn[-1:] == [201])


def facts(pane: CompiledPane) -> str:
    return pane.beside.facts.toPlainText()


def test_a_line_of_source_marks_its_machine_code_and_the_other_way_round(
    stage1: CompiledPane,
) -> None:
    left = stage1.code.left.code
    right = stage1.code.right.code
    for form, words in (("ttgir", "tt.store"), ("ptx", "st.global"), ("sass", "STG")):
        show_form(stage1, form)
        choose_line(stage1, "source", "tl.store(dw_buffer_ptr")
        assert words in marked(right)
        assert "atom" not in marked(right).lower()
    assert "locked.py:" in stage1.readout.text()
    choose_line(stage1, "sass", "ATOMG.E.EXCH")
    first, *callers = marked(left).splitlines()
    assert "tl.atomic_xchg(lock_ptr" in first, "where it is written comes into sight"
    assert "release(" in "".join(callers), "and where that is called"


def test_a_line_is_chosen_by_a_click_and_by_keys(
    pane: CompiledPane, qtbot: QtBot, until: Until
) -> None:
    with qtbot.waitActive(pane):
        pane.show()
        pane.activateWindow()
    view = pane.code.left.code
    _, top, height = view.rows()[6]
    click(view.viewport(), QPoint(60, int(top + height / 2)))
    assert view.chosen == 6
    press(view, "Down")
    assert view.chosen == 7
    for _ in range(2):  # over the forms of the other text
        press(QApplication.focusWidget(), "Tab")
    until(pane.code.right.code.hasFocus)
    pane.grab()


def test_words_are_found_in_source_and_machine_code_and_their_line_is_chosen(
    stage1: CompiledPane, until: Until
) -> None:
    stage1.show()
    stage1.activateWindow()
    until(stage1.isActiveWindow)
    for side, words in zip(stage1.code.sides, ("tl.load", "ldg"), strict=True):
        code = side.code
        field = side.search.field
        code.setFocus()
        press(code, "Ctrl+F")
        until(field.hasFocus)
        type_text(field, words)
        text = code.toPlainText().lower()
        total = text.count(words)
        press(field, *["Return"] * (total - 1))
        assert side.search.count.text() == f"{total} of {total}"
        assert code.textCursor().position() == text.rindex(words) + len(words)
        assert stage1.code.chosen == (side.stage, code.textCursor().blockNumber())
        press(field, "Esc")
        assert not side.search.isVisible()


def test_a_line_without_a_partner_says_so(pane: CompiledPane) -> None:
    choose_line(pane, "source", "# [M, N], columns adjacent")
    assert "no line of SASS" in pane.readout.text()
    assert marked(pane.code.right.code) == ""
    show_form(pane, "ptx")
    choose_line(pane, "ptx", ".visible .entry")
    assert "names no place" in pane.readout.text()


@pytest.mark.parametrize(
    ("stage", "line", "kinds"),
    [
        (
            "sass",
            "/*16*/ @!P2 STG.E desc[R2.64], R16 ;",
            "STG.E instruction R16 value /*16*/ comment",
        ),
        (
            "ptx",
            "@%p1 ld.global.v4.b32 { %r1 }, [ %rd1 + 0 ];",
            "ld.global.v4.b32 instruction %rd1 value",
        ),
        ("ttgir", "%x = tt.load %p : tensor<8x!tt.ptr<f16>>", "tt.load instruction"),
        ("llir", "  %5 = fadd float %3, %4", "fadd instruction"),
    ],
)
def test_words_are_coloured_by_what_they_are(stage: str, line: str, kinds: str) -> None:
    found = {line[start : start + length]: kind for start, length, kind in words_of(line, stage)}
    words = kinds.split()
    assert dict(zip(words[::2], words[1::2], strict=True)).items() <= found.items()


def test_facts_lead_to_their_lines(stage1: CompiledPane) -> None:
    code = stage1.code
    links = stage1.beside.facts.links
    for part in (str(code.listing.facts.registers), "coalesced", "BAR.SYNC", "LDG.E"):
        assert part in facts(stage1)
    assert "fault" not in facts(stage1)
    sass = code.listing.stages["sass"].lines
    code.left.stages.setCurrentIndex(STAGES.index("source"))
    show_form(stage1, "ttir")
    stage1.beside.facts.follow(
        next(n for n, link in enumerate(links) if link.stage == "sass" and "BAR" in sass[link.line])
    )
    assert code.right.stage == "sass", "the form that the link is about is shown"
    assert "BAR.SYNC" in code.right.code.textCursor().block().text()
    first = "wait_for_all_threads" if NEEDS_BARRIER else "tl.atomic_xchg"
    assert first in marked(code.left.code)


@pytest.mark.skipif(not NEEDS_BARRIER, reason="the compiler puts a barrier there itself")
def test_without_the_barrier_the_fault_and_the_one_instruction_are_seen_beside(
    stage1: CompiledPane,
) -> None:
    stage1.beside.compare.choose("barrier")
    stage1.show_other(unbarred())
    assert heads(stage1) == ("barrier on", "barrier off")
    assert "fault" in facts(stage1)
    assert re.search(r"\d \([+−]\d", facts(stage1)), "how far both sides are apart"
    stage1.code.left.stages.setCurrentIndex(STAGES.index("ptx"))
    assert stage1.code.right.stage == "ptx"
    left = stage1.code.left.code
    right = stage1.code.right.code
    lost = []
    for a, b, tint in zip(left.text.lines, right.text.lines, left.text.tints, strict=True):
        assert bool(tint) == (bool(a) and not b) or (not a and not b)
        lost += [a] * bool(tint)
    assert any("bar.sync" in line for line in lost)
    links = stage1.beside.facts.links
    without = unbarred().kernels[1]
    stage1.beside.facts.follow(next(n for n, link in enumerate(links) if link.listing is without))
    assert "st.global" in right.text.lines[right.chosen]
    assert left.chosen is None
    compare(stage1, "")
    assert left.toPlainText() == stage1.code.listing.text["ptx"]
    assert stage1.code.left.head.isHidden()


def test_what_is_on_show_is_kept_beside_what_comes(stage1: CompiledPane) -> None:
    compare(stage1, "kept")
    assert stage1.code.left.head.text() == "the same setting"
    stage1.show_compiled(unbarred())
    assert heads(stage1) == ("barrier on", "barrier off")
    lines = unbarred().kernels[1].stages["sass"].lines
    live = LiveRegisters(np.zeros(len(lines), np.int32), 23, same=True)
    kernels = tuple(replace(one, live=live) for one in unbarred().kernels)
    request = replace(unbarred().request, live=True)
    stage1.show_live(replace(unbarred(), request=request, kernels=kernels))
    assert "23 registers" in facts(stage1)
    assert heads(stage1) == ("barrier on", "barrier off")


def test_a_kernel_of_ones_own_is_not_offered_without_a_barrier_that_it_does_not_have(
    pane: CompiledPane,
) -> None:
    assert pane.beside.compare.findData("barrier") > 0
    source = KernelSource(name="mine", place="/mine.py", sha256="0" * 64)
    pane.show_compiled(replace(barred(), request=replace(barred().request, source=source)))
    assert pane.beside.compare.findData("barrier") < 0


def test_the_layout_tells_who_holds_each_element(stage1: CompiledPane) -> None:
    stage1.show()
    stage1.pages.button("layout").click()
    page = stage1.layouts
    listing = barred().kernels[1]
    warps = listing.facts.num_warps
    tensor = next(one for one in drawn_tensors(listing) if one.shape == (256,))
    page.picture.show_tensor(tensor)
    held = placement(tensor.encoding, tensor.shape)
    each = 256 * held.copies // (32 * warps)
    assert f"A thread holds {each} elements" in str(page.picture.summary())
    press(page.picture, *["Right"] * 40)
    owner = f"warp {held.warp[40]}, thread {held.thread[40]}, its element {held.register[40]}"
    assert f"[40]: {owner}" in page.pointed.text()
    page.warp.setCurrentIndex(1)
    page.warp.activated.emit(1)
    assert held.warp[page.picture.element] == 0
    assert page.warp.count() == 1 + warps
    page.grab()


def test_the_launch_is_drawn_with_what_each_part_holds() -> None:
    listing = barred().kernels[1]
    facts = listing.facts
    grid, *parts = (level.cells for level in levels_of(listing).levels)
    assert grid == 64 == np.prod(facts.grid)
    thread = max(256 // (32 * facts.num_warps), 1)
    assert parts == [facts.occupancy.programs_per_sm, facts.num_warps, 32, thread]
    many = replace(listing, facts=replace(facts, grid=(1_000_003,)))
    drawn = levels_of(many).levels[0]
    assert drawn.cells == 64 * 64
    assert "1,000,003" in str(drawn.text)


@pytest.fixture(scope="module")
def counted() -> RunResult:
    """A run whose instructions were counted, by kernel."""
    result = read_recording(resource("recordings/h200_counters_locked.lnrec")).result
    assert [one.name for one in result.counters] == list(KERNELS)
    return result


def test_the_code_that_was_counted_is_on_show_with_bars_beside_it_and_its_source(
    stage1: CompiledPane, counted: RunResult
) -> None:
    left = stage1.code.left
    right = stage1.code.right.code
    counters = counted.counters[1]
    triton = counted.provenance.environment.triton
    ran = replace(counted, resolved=barred().resolved)
    assert right.text.bars.size == 0
    for version, told in ((triton, False), ("3.99.0", True)):
        stage1.show_counters(ran, version)
        assert ("Compiled here, by Triton 3.99.0." in facts(stage1)) is told
    busy = int(counters.samples.argmax())
    assert right.text.bars.argmax() == busy
    assert right.text.bars.max() == 1
    assert counters.sass[busy] in right.text.lines[busy]
    assert len(right.text.lines) == len(counters.sass), "it is the code that ran"
    assert left.code.text.bars.max() == 1
    assert "% at none of them" in left.head.text()
    stage1.code.choose_line("sass", busy)
    assert "17 % of the samples: other warps at a barrier 88 %" in stage1.readout.text()
    assert "tl.atomic_cas" in marked(left.code)
    links = stage1.beside.facts.links
    stage1.beside.facts.follow(next(n for n, link in enumerate(links) if link.stage == "sass"))
    assert marked(right), "what was made of the lines of source of a link into other code"
    stage1.show_compiled(replace(barred(), architecture="sm_80"))
    assert right.text.bars.size == 0, "it ran on another architecture"


def test_what_ships_was_counted_at_lines_that_are_still_there(counted: RunResult) -> None:
    root = Path(lnkernels.__file__).parents[1]

    def is_there(place: str, line: str) -> bool:
        file = root / place.rpartition(":")[0]
        return line in map(str.strip, file.read_text().splitlines())

    for counters in counted.counters:
        gone = {
            place
            for place, line in counters.source.items()
            if place.startswith("lnkernels/") and not is_there(place, line)
        }
        lost = sum(
            count
            for places, count in zip(counters.places, counters.samples.tolist(), strict=True)
            if not gone.isdisjoint(places.split(CALLED_FROM))
        )
        assert lost <= 0.05 * counters.samples.sum(), f"record it again: {counters.function}"

"""The pane of what the compiler made of the kernels, with listings of real ones."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import lnkernels
from lnexplorer.domain.jobs import Compiled
from lnexplorer.gui.kit.code import words_of
from lnexplorer.gui.panes.compiled.layouts import drawn_tensors, levels_of
from lnexplorer.gui.panes.compiled.pane import KERNELS, CompiledPane
from lnexplorer.store.recordings import read_recording
from lnexplorer.store.resources import resource
from lnkernels.launch.source import KernelSource
from lnkernels.values.counters import CALLED_FROM, written_place
from lnkernels.values.layouts import placement
from lnkernels.values.listing import STAGES, LiveRegisters, is_instruction
from tests.gui.compiled_samples import choose, compare, compiled_both, compiled_pane
from tests.gui.windows import press
from tests.sample_results import make_result, some_counters

KERNEL = "passes/locked.py"


@pytest.fixture(scope="module")
def both() -> dict[bool, Compiled]:
    return compiled_both()


@pytest.fixture
def pane(qtbot: QtBot) -> CompiledPane:
    return compiled_pane(qtbot)


@pytest.fixture
def stage1(both: dict[bool, Compiled], pane: CompiledPane) -> CompiledPane:
    """The pane with stage 1, compiled with the barrier."""
    pane.show_compiled(both[True])
    choose(pane, "backward_stage1")
    return pane


def line_of(pane: CompiledPane, stage: str, text: str, last: bool = False) -> int:
    found = [
        number for number, line in enumerate(pane.code.listing.stages[stage].lines) if text in line
    ]
    return found[-1 if last else 0]


def heads(pane: CompiledPane) -> tuple[str, str]:
    return pane.code.left.head.text(), pane.code.right.head.text()


def marked(side: Any) -> list[str]:
    return [side.code.toPlainText().splitlines()[row] for row in sorted(side.code.marked)]


def test_a_line_of_source_marks_its_machine_code_and_the_other_way_round(
    stage1: CompiledPane,
) -> None:
    stage1.code.choose_line("source", line_of(stage1, "source", "tl.store(dw_buffer_ptr"))
    code = marked(stage1.code.right)
    assert any("STG" in line for line in code)
    assert not any("ATOMG" in line for line in code)
    assert "locked.py:" in stage1.readout.text()
    stage1.code.choose_line("sass", line_of(stage1, "sass", "ATOMG.E.EXCH"))
    lines = marked(stage1.code.left)
    assert any("tl.atomic_xchg(lock_ptr" in line for line in lines), "where it is written"
    assert any("release(" in line for line in lines), "and where that is called"
    first = stage1.code.left.code.marked[0]
    assert "atomic_xchg" in stage1.code.left.code.toPlainText().splitlines()[first], (
        "the innermost comes into sight"
    )


@pytest.mark.parametrize("stage", ["ttgir", "ptx"])
def test_marks_are_the_partners_that_the_listing_names_in_every_form(
    stage: str, stage1: CompiledPane
) -> None:
    stage1.code.right.stages.setCurrentIndex(STAGES.index(stage))
    line = line_of(stage1, "source", "x = tl.load(x_ptr")
    stage1.code.choose_line("source", line)
    assert (
        sorted(stage1.code.right.code.marked)
        == stage1.code.listing.partners("source", line)[stage].tolist()
        != []
    )
    assert stage1.code.right.code.toPlainText() == stage1.code.listing.text[stage]


def test_a_line_is_chosen_by_a_click_and_by_keys(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    pane.show_compiled(both[True])
    with qtbot.waitActive(pane):
        pane.show()
        pane.activateWindow()
    view = pane.code.left.code
    _, top, height = view.rows()[6]
    qtbot.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, int(top + height / 2))
    )
    assert view.chosen == 6
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.chosen == 7
    for _ in range(2):  # over the forms of the other text
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    qtbot.waitUntil(pane.code.right.code.hasFocus)
    assert not pane.grab().toImage().isNull()


def test_words_are_found_in_source_and_machine_code_and_their_line_is_chosen(
    stage1: CompiledPane, qtbot: QtBot
) -> None:
    stage1.show()
    stage1.activateWindow()
    qtbot.waitUntil(stage1.isActiveWindow)
    for side, words in zip(stage1.code.sides, ("tl.load", "ldg"), strict=True):
        side.code.setFocus()
        press(side.code, "Ctrl+F")
        qtbot.waitUntil(side.search.field.hasFocus)
        qtbot.keyClicks(side.search.field, words)
        text = side.code.toPlainText().lower()
        total = text.count(words)
        assert total > 1
        assert side.search.count.text() == f"1 of {total}"
        first = side.code.textCursor().position()
        for _ in range(total - 1):
            press(side.search.field, "Return")
        assert side.search.count.text() == f"{total} of {total}"
        assert side.code.textCursor().position() == text.rindex(words) + len(words)
        assert stage1.code.chosen == (side.stage, side.code.textCursor().blockNumber())
        press(side.search.field, "Return")  # from the last one to the first
        assert side.code.textCursor().position() == first
        press(side.search.field, "Esc")
        assert not side.search.isVisible()


def test_a_line_without_a_partner_says_so(both: dict[bool, Compiled], pane: CompiledPane) -> None:
    pane.show_compiled(both[True])
    pane.code.choose_line("source", line_of(pane, "source", "# [M, N], columns adjacent"))
    assert "no line of SASS" in pane.readout.text()
    assert pane.code.right.code.marked.size == 0
    pane.code.right.stages.setCurrentIndex(STAGES.index("ptx"))
    pane.code.choose_line("ptx", line_of(pane, "ptx", ".visible .entry"))
    assert "names no place" in pane.readout.text()


def test_words_are_coloured_by_what_they_are() -> None:
    def kinds(line: str, stage: str) -> dict[str, str]:
        return {line[start : start + length]: kind for start, length, kind in words_of(line, stage)}

    sass = kinds("/*1650*/   @!P2 STG.E.128 desc[UR12][R2.64], R16 ;", "sass")
    assert sass["STG.E.128"] == "instruction"
    assert sass["R16"] == "value"
    assert sass["/*1650*/"] == "comment"
    ptx = kinds("\t@%p1 ld.global.v4.b32 { %r1, %r2 }, [ %rd1 + 0 ];", "ptx")
    assert ptx["ld.global.v4.b32"] == "instruction"
    assert ptx["%rd1"] == "value"
    assert (
        kinds("%x = tt.load %p : tensor<8x!tt.ptr<f16>, #blocked>", "ttgir")["tt.load"]
        == "instruction"
    )
    assert kinds("  %5 = fadd float %3, %4", "llir")["fadd"] == "instruction"
    assert kinds("    x = tl.load(p)  # of x", "source")["# of x"] == "comment"


def test_facts_lead_to_their_lines(stage1: CompiledPane) -> None:
    text = stage1.beside.facts.toPlainText()
    for part in (str(stage1.code.listing.facts.registers), "coalesced", "BAR.SYNC", "LDG.E"):
        assert part in text
    assert "fault" not in text
    number = next(
        number
        for number, link in enumerate(stage1.beside.facts.links)
        if link.stage == "sass" and "BAR" in stage1.code.listing.stages["sass"].lines[link.line]
    )
    stage1.code.left.stages.setCurrentIndex(STAGES.index("source"))
    stage1.code.right.stages.setCurrentIndex(STAGES.index("ttir"))
    stage1.beside.facts.follow(number)
    assert stage1.code.right.stage == "sass", "the form that the link is about is shown"
    assert "BAR.SYNC" in stage1.code.right.code.textCursor().block().text()
    assert any("wait_for_all_threads" in line for line in marked(stage1.code.left))


def test_without_the_barrier_the_fault_and_the_one_instruction_are_seen_beside(
    both: dict[bool, Compiled], stage1: CompiledPane
) -> None:
    stage1.beside.compare.choose("barrier")
    stage1.show_other(both[False])
    assert heads(stage1) == ("barrier on", "barrier off")
    assert "fault" in stage1.beside.facts.toPlainText()
    stage1.code.left.stages.setCurrentIndex(STAGES.index("ptx"))
    assert stage1.code.right.stage == "ptx"
    left, right = stage1.code.left.code, stage1.code.right.code
    assert len(left.text.lines) == len(right.text.lines)
    lost = [line for line, tint in zip(left.text.lines, left.text.tints, strict=True) if tint]
    assert any("bar.sync" in line for line in lost)
    for a, b, tint in zip(left.text.lines, right.text.lines, left.text.tints, strict=True):
        assert bool(tint) == (bool(a) and not b) or (not a and not b)
    fault = next(
        number
        for number, link in enumerate(stage1.beside.facts.links)
        if link.listing is both[False].kernels[1]
    )
    stage1.beside.facts.follow(fault)
    assert right.chosen is not None
    assert "st.global" in right.text.lines[right.chosen]
    assert left.chosen is None
    compare(stage1, "")
    assert stage1.code.left.code.toPlainText() == stage1.code.listing.text["ptx"]
    assert stage1.code.left.head.isHidden()


def test_what_is_on_show_is_kept_beside_what_comes(
    both: dict[bool, Compiled], stage1: CompiledPane
) -> None:
    compare(stage1, "kept")
    assert stage1.code.left.head.text() == "the same setting"
    stage1.show_compiled(both[False])
    assert heads(stage1) == ("barrier on", "barrier off")
    live = LiveRegisters(
        np.zeros(len(both[False].kernels[1].stages["sass"].lines), np.int32), 23, same=True
    )
    kernels = tuple(replace(one, live=live) for one in both[False].kernels)
    counted = replace(both[False], request=replace(both[False].request, live=True), kernels=kernels)
    stage1.show_live(counted)
    assert "23 registers" in stage1.beside.facts.toPlainText()
    assert heads(stage1) == ("barrier on", "barrier off")


def test_a_kernel_of_ones_own_is_not_offered_without_a_barrier_that_it_does_not_have(
    both: dict[bool, Compiled], pane: CompiledPane
) -> None:
    pane.show_compiled(both[True])
    assert pane.beside.compare.findData("barrier") > 0
    own = replace(
        both[True].request, source=KernelSource(name="mine", place="/mine.py", sha256="0" * 64)
    )
    pane.show_compiled(replace(both[True], request=own))
    assert pane.beside.compare.findData("barrier") < 0


def test_the_layout_tells_who_holds_each_element(
    both: dict[bool, Compiled], pane: CompiledPane, qtbot: QtBot
) -> None:
    pane.show_compiled(both[True])
    pane.show()
    choose(pane, "backward_stage1")
    pane.pages.button("layout").click()
    page, warps = pane.layouts, both[True].kernels[1].facts.num_warps
    tensor = next(one for one in drawn_tensors(both[True].kernels[1]) if one.shape == (256,))
    page.picture.show_tensor(tensor)
    held = placement(tensor.encoding, tensor.shape)
    assert f"A thread holds {256 * held.copies // (32 * warps)} elements" in str(
        page.picture.summary()
    )
    for _ in range(40):
        QTest.keyClick(page.picture, Qt.Key.Key_Right)
    assert (
        f"[40]: warp {held.warp[40]}, thread {held.thread[40]}, its element {held.register[40]}"
        in page.pointed.text()
    )
    page.warp.setCurrentIndex(1)
    page.warp.activated.emit(1)
    first = page.picture.element
    assert held.warp[first] == 0
    assert not page.grab().toImage().isNull()
    assert page.warp.count() == 1 + warps


def test_the_launch_is_drawn_with_what_each_part_holds(both: dict[bool, Compiled]) -> None:
    listing = both[True].kernels[1]
    grid, sm, program, warp, thread = levels_of(listing).levels
    assert grid.cells == 64 == np.prod(listing.facts.grid)
    assert listing.facts.occupancy is not None
    assert (sm.cells, program.cells, warp.cells) == (
        listing.facts.occupancy.programs_per_sm,
        listing.facts.num_warps,
        32,
    )
    assert thread.cells == max(256 // (32 * listing.facts.num_warps), 1)
    many = replace(listing, facts=replace(listing.facts, grid=(1_000_003,)))
    drawn = levels_of(many).levels[0]
    assert drawn.cells == 64 * 64
    assert "1,000,003" in str(drawn.text)


def test_the_code_that_was_counted_is_on_show_with_bars_beside_it_and_its_source(
    both: dict[bool, Compiled], stage1: CompiledPane
) -> None:
    listing = both[True].kernels[1]
    code = [line for line in listing.stages["sass"].lines if is_instruction(line)]
    listed = [
        place for place, line in enumerate(listing.stages["sass"].lines) if is_instruction(line)
    ]
    samples = np.zeros(len(code) + 1, np.int32)
    busy = next(number for number, line in enumerate(code) if "ATOMG.E.CAS" in line)
    samples[[busy, -1]] = 40, 10
    calls = [listing.stack("sass", place) for place in listed]
    lines = {
        written_place(*call): listing.line_of_source(*call) for stack in calls for call in stack
    }
    counters = replace(
        some_counters(),
        sass=(*(line.partition("*/")[2].strip(" ;") for line in code), "NOP"),
        places=(*(" < ".join(written_place(*call) for call in stack) for stack in calls), ""),
        source={
            place: listing.stages["source"].lines[line].strip()
            for place, line in lines.items()
            if line is not None
        },
        samples=samples,
        reasons=("barrier",),
        by_reason=samples[:, None],
    )
    assert stage1.code.right.code.text.bars.size == 0
    ran = replace(make_result(), resolved=both[True].resolved, counters=(counters,))
    ran = replace(
        ran,
        provenance=replace(
            ran.provenance,
            environment=replace(ran.provenance.environment, compute_capability=(9, 0)),
        ),
    )
    stage1.show_counters(ran, ran.provenance.environment.triton)
    assert "Compiled here" not in stage1.beside.facts.toPlainText()
    stage1.show_counters(ran, "3.99.0")
    assert "Compiled here, by Triton 3.99.0." in stage1.beside.facts.toPlainText()
    shown = stage1.code.right.code.text
    assert shown.bars.max() == 1
    assert "ATOMG.E.CAS" in shown.lines[int(shown.bars.argmax())]
    assert shown.lines[-1].endswith("NOP ;"), "it is the code that ran"
    line = int(stage1.code.left.code.text.bars.argmax())
    assert "tl.atomic_cas" in listing.stages["source"].lines[line]
    assert "20 %" in stage1.code.left.head.text()
    stage1.code.choose_line("sass", busy)
    assert stage1.readout.text().endswith("80 % of the samples: other warps at a barrier 100 %")
    assert any("tl.atomic_cas" in line for line in marked(stage1.code.left))
    number = next(
        number for number, link in enumerate(stage1.beside.facts.links) if link.stage == "sass"
    )
    stage1.beside.facts.follow(number)
    assert stage1.code.right.code.marked.size, (
        "a link into other code leads to the lines of its source, and what was made of them"
    )
    other = replace(both[True], architecture="sm_80")
    stage1.show_compiled(other)
    assert stage1.code.right.code.text.bars.size == 0, "it ran on another architecture"


def test_what_ships_was_counted_at_lines_that_are_still_there() -> None:
    result = read_recording(resource("recordings/h200_counters_locked.lnrec")).result
    assert result is not None
    assert [one.name for one in result.counters] == list(KERNELS)
    for counters in result.counters:
        lost = 0
        for places, count in zip(counters.places, counters.samples.tolist(), strict=True):
            for place in filter(None, places.split(CALLED_FROM)):
                file = Path(lnkernels.__file__).parents[1] / place.rpartition(":")[0]
                if place.startswith("lnkernels/") and counters.source[place] not in map(
                    str.strip, file.read_text().splitlines()
                ):
                    lost += count
                    break
        assert lost <= 0.05 * counters.samples.sum(), f"record it again: {counters.function}"

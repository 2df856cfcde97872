"""A picture of a launch: grid, SM, program, warp and thread."""

import math

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QPainter

from lnexplorer.domain.lecture.scenes import HierarchyLevel, Levels
from lnexplorer.gui.charts.diagrams import draw_levels
from lnexplorer.gui.charts.sheet import Palette, Sheet, SheetView
from lnexplorer.gui.kit.theme import mixed
from lnexplorer.gui.panes.compiled.layouts import drawn_tensors
from lnkernels.launch import limits_for_architecture
from lnkernels.values.layouts import WARP_SIZE
from lnkernels.values.listing import Listing
from lnkernels.values.sentence import say

MOST_CELLS = 4096  # of the drawn grid


class LaunchPicture(SheetView):
    """The levels from the grid to a thread, and how much of a kernel each holds."""

    def draw(self, painter: QPainter, shown: Levels) -> None:
        palette = Palette(self.theme, mixed(self.theme.surface, self.theme.line, 0.3))
        sheet = Sheet(
            painter, QSizeF(self.width(), 0.8 * min(self.height(), 0.6 * self.width())), palette
        )
        edge = sheet.unit  # texts are a little wider than the squares
        draw_levels(
            sheet, QRectF(edge, edge, self.width() - 2 * edge, self.height() - 2 * edge), shown
        )


def levels_of(listing: Listing) -> Levels:
    """Return grid, SM, program, warp and thread of a kernel's launch; no SM where no card of the
    architecture is known.
    """
    facts = listing.facts
    programs, warps = math.prod(facts.grid), facts.num_warps
    fits = programs <= MOST_CELLS and programs % max(math.isqrt(programs), 1) == 0
    cells = programs if fits else math.isqrt(min(programs, MOST_CELLS)) ** 2
    in_grid = say("{programs} programs", programs=f"{programs:,}")
    if not fits:
        in_grid = say(
            "{programs} programs, of which {cells} are drawn",
            programs=f"{programs:,}",
            cells=f"{cells:,}",
        )
    levels = [HierarchyLevel(say("grid"), cells, in_grid)]
    if facts.occupancy is not None:
        resident, sms = (
            facts.occupancy.programs_per_sm,
            limits_for_architecture(facts.architecture).sm_count,
        )
        at_once = say(
            "{programs} programs at once, on each of {sms} SMs", programs=resident, sms=sms
        )
        levels.append(HierarchyLevel(say("SM"), resident, at_once))
    widest = max((tensor.shape for tensor in drawn_tensors(listing)), key=math.prod, default=(1,))
    block = " × ".join(f"{size:,}" for size in widest)
    each = max(math.prod(widest) // (warps * WARP_SIZE), 1)
    shared = facts.shared_bytes or 0
    held = say(
        "{warps} warps, {block} elements of a block, {shared} B shared",
        warps=warps,
        block=block,
        shared=f"{shared:,}",
    )
    columns = say(
        "{each} elements of a block, {registers} registers",
        each=each,
        registers=facts.registers or 0,
    )
    levels += [
        HierarchyLevel(say("program"), warps, held),
        HierarchyLevel(
            say("warp"), WARP_SIZE, say("{threads} threads, which go in step", threads=WARP_SIZE)
        ),
        HierarchyLevel(say("thread"), each, columns),
    ]
    return Levels(tuple(levels))

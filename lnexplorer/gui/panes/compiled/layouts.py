"""Pictures of a kernel: which thread of which warp holds which element of a tensor, and its launch
from the grid to a thread.
"""

import math
import re
from itertools import groupby

import numpy as np
from PySide6.QtCore import QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTransform,
)
from PySide6.QtWidgets import QComboBox, QWidget

from lnexplorer.domain.compiled import Words
from lnexplorer.domain.lecture.scenes import HierarchyLevel, Levels
from lnexplorer.gui.charts.diagrams import draw_levels
from lnexplorer.gui.charts.sheet import Palette, Sheet, SheetView
from lnexplorer.gui.kit import (
    CENTRE,
    GRID,
    Choice,
    ElidedLabel,
    Retranslated,
    Theme,
    Themed,
    WrappedLabel,
    lay_column,
    lay_row,
    lock_colour,
    mixed,
    translate_message,
)
from lnexplorer.gui.timeline.frame import legible_on
from lnkernels.launch import limits_for_architecture
from lnkernels.values import Sentence, join_sentences, say
from lnkernels.values.layouts import (
    WARP_SIZE,
    LaidOut,
    LayoutError,
    Placement,
    banks,
    element_bytes,
    placement,
    tensors,
)
from lnkernels.values.listing import Listing

WIDEST_ROW = 256  # elements of a tensor of one dimension in a row of the picture
MOST_CELLS = 4096  # of the drawn grid
TALLEST, LABELLED = 3.5 * GRID, 1.5 * GRID  # px: the highest row, and the lowest with numbers in it


def drawn_tensors(listing: Listing) -> list[LaidOut]:
    """Return the tensors that a kernel's source names, each layout of one once; no addresses."""
    drawn: dict[tuple[str, tuple[int, ...], str], LaidOut] = {}
    for tensor in tensors(listing.stages["ttgir"].lines):
        name = variable(tensor)
        if name.isdecimal() or name in ("", "cst") or tensor.element.startswith("!tt.ptr"):
            continue
        drawn.setdefault((name, tensor.shape, tensor.encoding), tensor)
    # Numbers before their places.
    return sorted(drawn.values(), key=lambda tensor: not tensor.element.startswith(("f", "bf")))


def variable(tensor: LaidOut) -> str:
    """Return the name in the source, without the number that the compiler adds."""
    return re.sub(r"_\d+$", "", tensor.name)


class LayoutPicture(Themed, QWidget):
    """Elements in rows, coloured by warp, every other thread darker; the numbers are those of warps
    or of threads. The mouse, or the arrow keys, point at an element.
    """

    pointed = Signal()

    def __init__(self) -> None:
        super().__init__(mouseTracking=True, focusPolicy=Qt.FocusPolicy.StrongFocus)
        self.element = 0  # that is pointed at, in the order of the tensor
        self.problem: Sentence | None = None
        self._tensor: LaidOut | None = None
        self._held: Placement | None = None  # None in shared memory
        # Of each element the warp that holds it, or its bank of shared memory.
        self._owner = np.zeros(0, np.int32)
        self._warp: int | None = None  # that is drawn alone
        self._cells = np.zeros((0, 0), np.int64)  # the element in each cell, -1 for none
        self._image = QImage()

    def show_tensor(self, tensor: LaidOut, warp: int | None = None) -> None:
        """Show a tensor of all warps, or what one of them holds."""
        self._tensor = tensor
        self._warp = warp
        self.problem = None
        try:
            self._held = None if tensor.shared else placement(tensor.encoding, tensor.shape)
            self._owner = (banks(tensor) if self._held is None else self._held.warp).reshape(-1)
        except LayoutError as error:
            self.problem = error.sentence
        self.element = 0
        self._lay_out()

    def summary(self) -> Words:
        """Say how much of the tensor a thread holds, or why nothing is drawn."""
        tensor, held = self._tensor, self._held
        if tensor is None or self.problem:
            return self.problem or ""
        if held is None:
            return say(
                "In shared memory: the number is the bank, of 32, in which an element begins"
            )
        same = (np.diff(held.thread.reshape(-1)) == 0) & (np.diff(held.warp.reshape(-1)) == 0)
        adjacent = int(np.argmin(same)) + 1 if not same.all() else same.size + 1
        adjacent = math.gcd(adjacent, tensor.shape[-1])
        threads = WARP_SIZE * (int(held.warp.max()) + 1)
        text = say(
            "A thread holds {each} elements, {adjacent} of them adjacent: {bytes} bytes",
            each=math.prod(tensor.shape) * held.copies // threads or 1,
            adjacent=adjacent,
            bytes=adjacent * element_bytes(tensor.element),
        )
        if held.copies == 1:
            return text
        copies = say("{copies} threads hold the same element", copies=held.copies)
        return join_sentences((text, copies))

    def description(self) -> Words:
        """Say which thread holds the element that is pointed at."""
        if self._tensor is None or self.problem:
            return ""
        place = ", ".join(str(int(at)) for at in np.unravel_index(self.element, self._tensor.shape))
        what = f"{variable(self._tensor)}[{place}]"
        if self._held is None:
            return say("{what}: bank {bank}", what=what, bank=int(self._owner[self.element]))
        held = (self._held.warp, self._held.thread, self._held.register)
        warp, thread, register = (int(part.flat[self.element]) for part in held)
        return say(
            "{what}: warp {warp}, thread {thread}, its element {register}",
            what=what,
            warp=warp,
            thread=thread,
            register=register,
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, scale = QPainter(self), self._scale
        rows, columns = self._cells.shape
        painter.drawImage(scale.mapRect(QRectF(0, 0, columns, rows)), self._image)
        if scale.m22() >= LABELLED:
            self._label(painter, scale)
        for row in range(1, rows):
            line = QRectF(0, row * scale.m22(), self.width(), 1)
            painter.fillRect(line, QColor(Theme.current.window))
        if self._cells.size and self.hasFocus():
            row, column = np.argwhere(self._cells == self.element)[0].tolist()
            painter.setPen(QPen(QColor(Theme.current.text), 2))
            painter.drawRect(scale.mapRect(QRectF(column, row, 1, 1)))
        painter.end()

    def _label(self, painter: QPainter, scale: QTransform) -> None:
        """Write the number of the warp, or of the thread of one, or of the bank, where there is
        room for it.
        """
        font = painter.font()
        font.setPixelSize(min(int(scale.m22() * 0.55), 13))
        painter.setFont(font)
        held = self._held
        values = self._owner if held is None or self._warp is None else held.thread.reshape(-1)
        by_warp = held is not None and self._warp is None
        numbers = np.where(self._cells < 0, -1, values[self._cells]).tolist()
        for row, line in enumerate(numbers):
            end = 0
            for number, same in groupby(line):
                begin, end = end, end + len(list(same))
                place = scale.mapRect(QRectF(begin, row, end - begin, 1))
                text = translate_message(_warp(number)) if by_warp else str(number)
                room = place.width() - 2
                if number >= 0 and painter.fontMetrics().horizontalAdvance(text) < room:
                    painter.setPen(legible_on(QColor(self._image.pixel(begin, row))))
                    painter.drawText(place, CENTRE, text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._scale.inverted()[0].map(event.position())
        row, column = int(at.y()), int(at.x())
        rows, columns = self._cells.shape
        if 0 <= row < rows and 0 <= column < columns:
            self._point(int(self._cells[row, column]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._cells.shape[1]
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -row,
            Qt.Key.Key_Down: row,
        }
        if event.key() not in steps or not self._cells.size:
            super().keyPressEvent(event)
            return
        at = int(np.flatnonzero(self._cells == self.element)[0]) + steps[Qt.Key(event.key())]
        if 0 <= at < self._cells.size:
            self._point(int(self._cells.flat[at]))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.pointed.emit()

    def _point(self, element: int) -> None:
        if element >= 0:
            self.element = element
            self.pointed.emit()
            self.update()

    @property
    def _scale(self) -> QTransform:
        """The way from columns and rows of elements to px."""
        rows, columns = (max(size, 1) for size in self._cells.shape)
        return QTransform.fromScale(self.width() / columns, min(self.height() / rows, TALLEST))

    def _lay_out(self) -> None:
        self._cells = np.zeros((0, 0), np.int64)
        self._image = QImage()
        self.update()
        tensor, held = self._tensor, self._held
        if tensor is None or self.problem:
            return
        elements = np.arange(self._owner.size)
        if held is not None and self._warp is not None:
            elements = elements[self._owner == self._warp]
        if not elements.size:
            return  # the warp has copies of what others hold
        if len(tensor.shape) == 1 or self._warp is not None:
            whole = held is not None and self._warp is None
            changes = np.flatnonzero(np.diff(self._owner) if whole else np.diff(elements) != 1)
            width = min(int(changes[0]) + 1 if changes.size else elements.size, WIDEST_ROW)
        else:
            width = tensor.shape[-1]
        missing = -elements.size % width
        self._cells = np.pad(elements, (0, missing), constant_values=-1).reshape(-1, width)
        if self.element not in elements:
            self.element = int(elements[0])
        thread = np.zeros(self._owner.size, np.int64) if held is None else held.thread.reshape(-1)
        ground, owners = Theme.current.surface, range(int(self._owner.max()) + 1)
        table = [
            [mixed(lock_colour(owner), ground, share).rgb() for share in (0.15, 0.4)]
            for owner in owners
        ]
        colours = np.array(table, np.uint32)[self._owner[self._cells], thread[self._cells] % 2]
        pixels = np.ascontiguousarray(
            np.where(self._cells < 0, QColor(ground).rgb(), colours), np.uint32
        )
        self._image = QImage(
            pixels.tobytes(), width, len(pixels), 4 * width, QImage.Format.Format_RGB32
        ).copy()

    apply_theme = _lay_out


def _warp(number: int) -> Sentence:
    return say("warp {number}", number=number)


class LayoutPage(Retranslated, QWidget):
    """A choice of tensor and warp above the picture, with sentences about it."""

    def __init__(self) -> None:
        super().__init__()
        self.tensor = self.write_on(QComboBox(), name=say("Tensor whose layout is drawn"))
        self.warp = self.write_on(Choice(), name=say("All warps, or one and its threads"))
        self.picture = self.write_on(LayoutPicture(), name=say("Which thread holds which element"))
        self.summary = WrappedLabel()
        self.pointed = ElidedLabel(look="muted")
        self._tensors: list[LaidOut] = []
        for part in (self.tensor, self.warp):
            part.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            part.activated.connect(self._show)
        lay_column(
            self,
            lay_row(None, self.tensor, self.warp, 1),
            self.summary,
            (self.picture, 1),
            self.pointed,
            spacing=GRID,
        )
        self.picture.pointed.connect(self._describe)

    def show_kernel(self, listing: Listing) -> None:
        """Offer the tensors of a kernel; the one that was looked at before stays chosen."""
        before = self.tensor.currentText()
        self._tensors = drawn_tensors(listing)
        self.tensor.clear()
        for tensor in self._tensors:
            kind = tensor.encoding.partition("<")[0].replace("_", " ")
            shape = " × ".join(map(str, tensor.shape))
            self.tensor.addItem(f"{variable(tensor)}   {shape} × {tensor.element} · {kind}")
        self.tensor.setCurrentIndex(max(self.tensor.findText(before), 0))
        chosen = self.warp.currentData()
        self.warp.clear()
        self.warp.offer(None, say("whole program"))
        for number in range(listing.facts.num_warps):
            self.warp.offer(number, _warp(number))
        self.warp.choose(chosen)
        self._show()

    def _show(self) -> None:
        if self._tensors:
            tensor = self._tensors[self.tensor.currentIndex()]
            self.picture.show_tensor(tensor, self.warp.currentData())
            self.write_on(self.summary, self.picture.summary())
            self._describe()

    def _describe(self) -> None:
        self.write_on(self.pointed, self.picture.description())


class LaunchPicture(SheetView):
    """The levels from the grid to a thread, and how much of a kernel each holds."""

    def draw(self, painter: QPainter, shown: Levels) -> None:
        theme = Theme.current
        palette = Palette(theme, mixed(theme.surface, theme.line, 0.3))
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
    programs, warps = math.prod(facts.grid), max(facts.num_warps, 1)
    fits = programs <= MOST_CELLS and programs % max(math.isqrt(programs), 1) == 0
    cells = programs if fits else math.isqrt(min(programs, MOST_CELLS)) ** 2
    in_grid = say("programs: {programs}", programs=f"{programs:,}")
    if not fits:
        in_grid = say(
            "programs: {programs}, of which {cells} are drawn",
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
            "programs at once on each of {sms} SMs: {programs}", programs=resident, sms=sms
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

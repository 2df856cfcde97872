"""The accesses of a program, each as a sentence and as a strip over the columns of a row, and the
bytes that they ask for.
"""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from lnexplorer.domain.jobs import Touched
from lnexplorer.domain.wording import bytes_text
from lnexplorer.gui.kit import (
    BLUE,
    GRID,
    RESULT_COLOURS,
    VERMILION,
    Retranslated,
    Theme,
    WrappedLabel,
    lay_column,
    lock_colour,
    mixed,
    translate_message,
)
from lnkernels.values import Sentence, Words, frozen, say
from lnkernels.values.touched import COLUMN_BUFFERS, Access, columns, rows

CELLS = 64  # columns; up to so many, each is a cell with its own frame
STRIP_SHARE = 0.62  # of a line's height
STRIP = 3  # column of the strip
# The buffers as the kernels' arguments and the lectures call them.
NAMES = {"partial_dw": "partial dw", "partial_db": "partial db"}
ACTIONS = {
    "load": say("reads"),
    "store": say("writes"),
    "compare and swap": say("tries the lock"),
    "exchange": say("gives back"),
    "add": say("counts up"),
}


def action_text(action: str) -> Words:
    return ACTIONS.get(action, action)


def where_text(access: Access, n: int) -> str:
    """Return the buffer with its rows, as partial dw[3] or x[17]."""
    name, touched = NAMES.get(access.buffer, access.buffer), rows(access, n)
    if not touched:
        return name if access.lanes else f"{name}[{int(access.offsets[0])}]"
    return f"{name}[{_span(int(touched[0]), int(touched[-1]), '…')}]"


def detail_of(access: Access, touched: Touched) -> Sentence:
    """Describe one access in a line."""
    used = access.offsets[access.mask] if access.mask.any() else access.offsets[[0, -1]]
    return say(
        "program {program} {action} {where}: offsets {offsets}, lanes {lanes}, masked {masked};"
        " {file}, line {line}",
        program=access.program,
        action=action_text(access.action),
        where=where_text(access, touched.resolved.n),
        offsets=_span(int(used.min()), int(used.max()), " … "),
        lanes=access.mask.size,
        masked=access.masked,
        file=access.file,
        line=access.line,
    )


def _span(first: int, last: int, to: str) -> str:
    return f"{first}" if first == last else f"{first}{to}{last}"


@frozen
class ByteStretch:
    """Neighbouring lanes of a block, as columns of the row: the end is one past the last."""

    begin: int
    end: int
    masked: bool


def stretches(access: Access, n: int) -> tuple[ByteStretch, ...]:
    """Return the columns that an access touches, and those that its masked lanes stand for; none
    for a buffer without columns.
    """
    if not access.lanes or access.buffer in ("mean", "rstd", "locks", "counts"):
        return ()
    inside = np.unique(columns(access, n))
    # Lanes are masked past N, or past the last buffer, where their columns are those of the others.
    beyond = access.offsets[: access.lanes[-1]] - int(access.offsets[0])
    first = int(access.offsets[0])
    first = first if access.buffer in COLUMN_BUFFERS else first % n
    outside = first + beyond[~access.mask[: access.lanes[-1]]]
    return (*_runs(inside, masked=False), *_runs(outside, masked=True))


def _runs(places: NDArray[np.integer], *, masked: bool) -> tuple[ByteStretch, ...]:
    parts = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if places.size else ()
    return tuple(ByteStretch(int(part[0]), int(part[-1]) + 1, masked) for part in parts)


class Strips(Retranslated, QTreeWidget):
    """The accesses of one kernel from top to bottom, in the order in which they happened."""

    chosen = Signal(int)  # place among the accesses on show

    def __init__(self) -> None:
        super().__init__(
            styleSheet=f"QTreeWidget::item {{ padding: {GRID // 4}px 0; }}",
            rootIsDecorated=False,
            uniformRowHeights=True,
            columnCount=STRIP + 1,
        )
        self._touched: Touched | None = None
        self._kernel = ""
        self.accesses: tuple[Access, ...] = ()
        self._strip = StripDelegate(self)
        self.setItemDelegateForColumn(STRIP, self._strip)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.header().setSectionsMovable(False)
        self.currentItemChanged.connect(
            lambda item, _before: self.chosen.emit(self.indexOfTopLevelItem(item)) if item else None
        )

    def show_accesses(self, touched: Touched, kernel: str) -> None:
        """Show the accesses of one kernel; the first is chosen."""
        self._touched = touched
        self._kernel = kernel
        self.retranslate()

    def retranslate(self) -> None:
        touched = self._touched
        if touched is None:
            return
        n = touched.resolved.n
        self.accesses = touched.of(self._kernel)
        self.clear()
        last = self.tr("columns 0 … {last}").format(last=n - 1)
        self.setHeaderLabels((self.tr("line"), "", "", last))
        parts = [stretches(access, n) for access in self.accesses]
        self._strip.widest = max([n, *(part.end for strip in parts for part in strip)])
        for access, strip in zip(self.accesses, parts, strict=True):
            action = translate_message(action_text(access.action))
            item = QTreeWidgetItem(self, (str(access.line), action, where_text(access, n), ""))
            drawn = (access.writes, _colour(access, touched), strip)
            item.setData(STRIP, Qt.ItemDataRole.UserRole, drawn)
        self.setCurrentIndex(self.model().index(0, 0))


class StripDelegate(QStyledItemDelegate):
    """Draws what an access touches over the columns of a row: filled where it writes, framed where
    it reads.
    """

    widest = 1  # columns of the widest strip

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        writes, ink, parts = index.data(Qt.ItemDataRole.UserRole)
        area, colour, ground = QRectF(option.rect), QColor(ink), Theme.current.surface
        height = STRIP_SHARE * area.height()
        top, unit = area.center().y() - height / 2, (area.width() - 1) / self.widest
        if not parts:
            painter.fillRect(QRectF(area.left(), top, height, height), colour)
        for part in parts:
            strip = QRectF(
                area.left() + part.begin * unit, top, max((part.end - part.begin) * unit, 1), height
            )
            if part.masked:
                painter.fillRect(strip, mixed(ground, Theme.current.muted, 0.28))
            elif writes:
                painter.fillRect(strip, colour)
            else:
                painter.fillRect(strip, mixed(ground, ink, 0.45))
                painter.setPen(QPen(colour, 1))
                painter.drawRect(strip)
            if self.widest <= CELLS:
                painter.setPen(QPen(QColor(ground), 1))
                for column in range(part.begin + 1, part.end):
                    x = int(area.left() + column * unit)
                    painter.drawLine(x, int(top), x, int(top + height))


def _colour(access: Access, touched: Touched) -> str:
    """Return the colour of a buffer: of its result, or of the lock for partial sums and counts."""
    if access.buffer in RESULT_COLOURS:
        return RESULT_COLOURS[access.buffer]
    if (
        access.buffer in ("partial_dw", "partial_db", "locks", "counts")
        and access.kernel == "stage1"
    ):
        return lock_colour(touched.request.row % touched.resolved.launch.group_size_m)
    if access.buffer in ("partial_dw", "partial_db"):
        return RESULT_COLOURS[access.buffer.removeprefix("partial_")]
    return VERMILION if access.buffer == "dy" else BLUE


class AccessPage(Retranslated, QWidget):
    """The program, its accesses, the one that is chosen, and the bytes."""

    lineChosen = Signal(str, int)  # file and line of the access

    def __init__(self) -> None:
        super().__init__()
        # Offsets and masks are what is looked for: nothing is left out.
        self.about = WrappedLabel(look="muted")
        self.detail = WrappedLabel(look="muted")
        self.bytes = WrappedLabel()
        self._touched: Touched | None = None
        for label in (self.about, self.detail):  # as high as its lines, and no higher
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.strips = self.write_on(
            Strips(),
            tip=say(
                "Filled is written, framed is read, grey is masked. Click, or use the arrow keys,"
                " to see the line of code."
            ),
            name=say("Loads and stores in their order"),
        )
        self.strips.chosen.connect(self._on_chosen)
        lay_column(self, self.about, (self.strips, 1), self.detail, self.bytes)

    def show_kernel(self, touched: Touched, kernel: str) -> None:
        """Show the accesses of one of KERNELS."""
        self._touched = touched
        self.strips.show_accesses(touched, kernel)
        about = _program(touched, kernel)
        self.write_on(self.about, about, about)
        self.write_on(self.bytes, _bytes(touched, kernel))

    def _on_chosen(self, place: int) -> None:
        if self._touched is not None:
            access = self.strips.accesses[place]
            detail = detail_of(access, self._touched)
            self.write_on(self.detail, detail, detail)
            self.lineChosen.emit(access.file, access.line)


def _program(touched: Touched, kernel: str) -> Sentence:
    launch, n, row = touched.resolved.launch, touched.resolved.n, touched.request.row
    if kernel == "forward":
        given = {"row": row, "steps": -(-n // launch.block_size), "block": launch.block_size}
        if touched.resolved.norm == "rms_norm":
            return say(
                "program {row}: two walks, each of {steps} × BLOCK_SIZE = {block} lanes", **given
            )
        return say(
            "program {row}: three walks, each of {steps} × BLOCK_SIZE = {block} lanes", **given
        )
    if kernel == "stage1":
        return say(
            "program {row}: lock and buffer {row} mod {group} = {lock}, BLOCK_SIZE_N = {block}"
            " lanes",
            row=row,
            group=launch.group_size_m,
            lock=row % launch.group_size_m,
            block=launch.block_size_n,
        )
    width = launch.reduce_block_size_n
    tile = touched.request.column // width
    return say(
        "program {tile}: columns {first} … {last}, buffers: {buffers}, BLOCK_SIZE_M × BLOCK_SIZE_N"
        " = {block}",
        tile=tile,
        first=tile * width,
        last=min((tile + 1) * width, n) - 1,
        buffers=touched.resolved.buffers,
        block=f"{launch.reduce_block_size_m} × {width}",
    )


def _bytes(touched: Touched, kernel: str) -> Sentence:
    requested, least = touched.bytes_of_pass(kernel)
    sizes = {"own": touched.bytes_of(kernel), "all": requested, "least": least}
    texts = {name: bytes_text(size) for name, size in sizes.items()}
    if kernel == "forward":
        return say(
            "A row asks for {own}, the forward pass for {all}; the least is {least}: x and y once.",
            **texts,
        )
    if kernel == "stage1":
        return say(
            "A row asks for {own}, both stages for {all}; the least is {least}: x, dy and dx once.",
            **texts,
        )
    return say(
        "These columns ask for {own}, both stages for {all}; the least is {least}: x, dy and dx"
        " once.",
        **texts,
    )

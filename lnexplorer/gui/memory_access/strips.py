"""Each access in words, and as a strip over the columns of a row: what is touched in its colour, masked lanes in grey."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.domain.jobs import Touched
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.charts.theme import BLUE, GRID, LIGHT, RESULT_COLOURS, VERMILION, Theme, lock_colour, mixed, with_text
from lnkernels.values.touched import COLUMN_BUFFERS, Access, columns, rows

# The buffers as the kernels' arguments and the lectures call them.
NAMES = {"partial_dw": "partial dw", "partial_db": "partial db"}


def action_text(action: str) -> str:
    match action:
        case "load":
            return QCoreApplication.translate("touch", "reads")
        case "store":
            return QCoreApplication.translate("touch", "writes")
        case "compare and swap":
            return QCoreApplication.translate("touch", "tries the lock")
        case "exchange":
            return QCoreApplication.translate("touch", "gives back")
        case "add":
            return QCoreApplication.translate("touch", "counts up")
        case _:
            return action


def where_text(access: Access, n: int) -> str:
    """The buffer with its rows, as partial dw[3] or x[17]."""
    name = NAMES.get(access.buffer, access.buffer)
    found = rows(access, n)
    if not found:
        return f"{name}[{int(access.offsets[0])}]" if not access.lanes else name
    return f"{name}[{found[0]}]" if len(found) == 1 else f"{name}[{found[0]}…{found[-1]}]"


def detail_text(access: Access, touched: Touched) -> str:
    """Everything about one access, in a line."""
    used = access.offsets[access.mask]
    first, last = (int(used.min()), int(used.max())) if used.size else (int(access.offsets[0]), int(access.offsets[-1]))
    offsets = f"{first}" if first == last else f"{first} … {last}"
    text = QCoreApplication.translate(
        "touch", "program {program} {action} {where}: offsets {offsets}, lanes {lanes}, masked {masked}; {file}, line {line}"
    )
    return text.format(
        program=access.program,
        action=action_text(access.action),
        where=where_text(access, touched.resolved.n),
        offsets=offsets,
        lanes=access.mask.size,
        masked=access.masked,
        file=access.file,
        line=access.line,
    )


LINE_WIDTH, ACTION_WIDTH, WHERE_WIDTH = 6 * GRID, 14 * GRID, 17 * GRID
CELLS = 64  # columns; up to so many, each is a cell with its own frame
STRIP_SHARE = 0.62  # of a line's height


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring lanes of a block, as columns of the row: the end is one past the last."""

    begin: int
    end: int
    masked: bool


def stretches(access: Access, n: int) -> tuple[Stretch, ...]:
    """The columns that an access touches, and those that its masked lanes stand for; none of what has no columns."""
    if not access.lanes or access.buffer in ("mean", "rstd", "locks", "counts"):
        return ()
    inside = np.unique(columns(access, n))
    # Lanes are masked past N, or past the last buffer, where their columns are those of the others.
    beyond = access.offsets[: access.lanes[-1]] - int(access.offsets[0])
    first = int(access.offsets[0]) if access.buffer in COLUMN_BUFFERS else int(access.offsets[0]) % n
    outside = first + beyond[~access.mask[: access.lanes[-1]]]
    return (*_runs(inside, masked=False), *_runs(outside, masked=True))


def _runs(found: "np.ndarray", *, masked: bool) -> tuple[Stretch, ...]:
    if not found.size:
        return ()
    breaks = np.flatnonzero(np.diff(found) > 1)
    begins = np.concatenate(([found[0]], found[breaks + 1]))
    ends = np.concatenate((found[breaks], [found[-1]])) + 1
    return tuple(Stretch(int(begin), int(end), masked) for begin, end in zip(begins, ends, strict=True))


class Strips(QWidget):
    """The accesses of one kernel from top to bottom, in the order in which they happened."""

    chosen = Signal(int)  # place among the accesses on show

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._touched: Touched | None = None
        self._accesses: tuple[Access, ...] = ()
        self._parts: tuple[tuple[Stretch, ...], ...] = ()
        self._widest = 1
        self._current = 0
        self._theme = LIGHT
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def current(self) -> int:
        return self._current

    @property
    def accesses(self) -> tuple[Access, ...]:
        return self._accesses

    def show_accesses(self, touched: Touched, kernel: str) -> None:
        """Show the accesses of one kernel; the first is chosen."""
        self._touched, self._accesses, self._current = touched, touched.of(kernel), 0
        self._parts = tuple(stretches(access, touched.resolved.n) for access in self._accesses)
        ends = [part.end for parts in self._parts for part in parts]
        self._widest = max([touched.resolved.n, *ends])
        self._fit()

    def choose(self, place: int) -> None:
        if 0 <= place < len(self._accesses):
            self._current = place
            self.update()
            self.chosen.emit(place)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fit()

    def line_rect(self, place: int) -> QRectF:
        return QRectF(0, self._top() + place * self._line(), self.width(), self._line())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._touched is None:
            return
        painter = QPainter(self)
        self._paint_head(painter)
        line = self._line()
        first = max(int((event.rect().top() - self._top()) / line), 0)
        last = min(int((event.rect().bottom() - self._top()) / line) + 1, len(self._accesses))
        for place in range(first, last):
            self._paint_access(painter, place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.choose(int((event.position().y() - self._top()) / self._line()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.choose(min(max(self._current + step, 0), len(self._accesses) - 1))

    def sizeHint(self) -> QSize:
        return QSize(80 * GRID, int(self._top() + len(self._accesses) * self._line()) + 1)

    def _fit(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def _line(self) -> float:
        return QFontMetricsF(self.font()).height() * 1.5

    def _top(self) -> float:
        return QFontMetricsF(self.font()).height() * 1.6

    def _area(self) -> QRectF:
        left = sum(with_text(width) for width in (LINE_WIDTH, ACTION_WIDTH, WHERE_WIDTH))
        return QRectF(left, 0, max(self.width() - left - GRID, 1), self._top())

    def _x(self, column: float) -> float:
        area = self._area()
        return area.left() + column / self._widest * area.width()

    def _paint_head(self, painter: QPainter) -> None:
        assert self._touched is not None
        area, metrics = self._area(), QFontMetricsF(self.font())
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(
            QRectF(0, 0, area.left(), area.height()),
            Qt.AlignmentFlag.AlignVCenter,
            " " + QCoreApplication.translate("touch", "line"),
        )
        n = self._touched.resolved.n
        most = max(int(area.width() / (8 * metrics.averageCharWidth() + 2 * GRID)), 2)
        texts = {tick: f"{tick:.0f}" for tick in linear_ticks(0.0, float(n), most) if tick == round(tick)} | {
            float(n): f"N = {n}"
        }
        taken = area.right() + GRID  # from the right: the end of the row is named in any case
        for tick, text in sorted(texts.items(), reverse=True):
            width = metrics.horizontalAdvance(text)
            left = min(max(self._x(tick) - width / 2, area.left()), area.right() - width)
            if left + width < taken:
                painter.drawText(QRectF(left, 0, width + 2, area.height()), Qt.AlignmentFlag.AlignVCenter, text)
                taken = left - GRID
        end = self._x(n)
        painter.setPen(QPen(QColor(self._theme.line), 1, Qt.PenStyle.DotLine))
        painter.drawLine(int(end), int(self._top()), int(end), self.height())

    def _paint_access(self, painter: QPainter, place: int) -> None:
        assert self._touched is not None
        access, box, theme = self._accesses[place], self.line_rect(place), self._theme
        if place == self._current:
            painter.fillRect(box, QColor(mixed(theme.surface, theme.accent, 0.22)))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        x = 0.0
        cells = (
            (LINE_WIDTH, f" {access.line}", theme.muted),
            (ACTION_WIDTH, action_text(access.action), theme.text),
            (WHERE_WIDTH, where_text(access, self._touched.resolved.n), theme.text),
        )
        metrics = QFontMetricsF(self.font())
        for width, text, ink in cells:
            room = with_text(width)
            painter.setPen(QColor(ink))
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room - GRID / 2)
            painter.drawText(QRectF(x, box.top(), room, box.height()), left, shown)
            x += room
        height = box.height() * STRIP_SHARE
        top = box.center().y() - height / 2
        colour = QColor(self._colour(access))
        if not self._parts[place]:
            painter.fillRect(QRectF(self._area().left(), top, height, height), colour)
            return
        for part in self._parts[place]:
            strip = QRectF(self._x(part.begin), top, max(self._x(part.end) - self._x(part.begin), 1), height)
            if part.masked:
                painter.fillRect(strip, QColor(mixed(theme.surface, theme.muted, 0.28)))
            elif access.writes:
                painter.fillRect(strip, colour)
            else:
                painter.fillRect(strip, QColor(mixed(theme.surface, colour.name(), 0.45)))
                painter.setPen(QPen(colour, 1))
                painter.drawRect(strip)
            if self._widest <= CELLS:
                painter.setPen(QPen(QColor(theme.surface), 1))
                for column in range(part.begin + 1, part.end):
                    painter.drawLine(int(self._x(column)), int(top), int(self._x(column)), int(top + height))

    def _colour(self, access: Access) -> str:
        """Results keep their colours; buffers of partial sums, locks and counts have the lock's."""
        assert self._touched is not None
        if access.buffer in RESULT_COLOURS:
            return RESULT_COLOURS[access.buffer]
        if access.buffer in ("partial_dw", "partial_db", "locks", "counts") and access.kernel == "stage1":
            return lock_colour(self._touched.request.row % self._touched.resolved.launch.group_size_m)
        if access.buffer in ("partial_dw", "partial_db"):
            return RESULT_COLOURS[access.buffer.removeprefix("partial_")]
        return VERMILION if access.buffer == "dy" else BLUE

"""The gallery of recordings: cards with small pictures, below the headings of their groups."""

from contextlib import suppress
from itertools import groupby
from pathlib import Path

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QIcon, QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.views import SweepTable, View
from lnexplorer.gui.charts.chart import COLOURS
from lnexplorer.gui.charts.speed_chart import provider_colour
from lnexplorer.gui.charts.sweep_chart import OverlayLine
from lnexplorer.gui.charts.sweep_pictures import setting_grid, sweep_lines
from lnexplorer.gui.kit import (
    GRID,
    TONES,
    Arranged,
    Retranslated,
    Theme,
    translate_message,
    with_text,
)
from lnexplorer.gui.session.files import recording_title
from lnexplorer.gui.timeline.frame import PictureColours, draw_indices, picture_colours
from lnexplorer.gui.timeline.lanes import RowsPart, TimeAxis, heat_picture
from lnexplorer.report.benchmark_file import read_benchmark
from lnexplorer.report.overlays import BENCHMARKS, PUBLISHED, overlays_of
from lnexplorer.store.archive import EXPERIMENT, RECORDING, SWEEP
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import (
    read_experiment,
    read_recorded_sweep,
    read_recording,
    title_of,
)
from lnkernels.values import Sentence, Words, frozen_by_name, join_sentences, say
from lnkernels.values.environment import KIND_HELP, KIND_NAMES, Environment, Kind
from lnkernels.values.timeline import ReductionTimeline

Lanes = NDArray[np.uint8]
HEADINGS = {  # of the groups, in the order in which they are shown
    "traces": say("Locks, recorded: by GROUP_SIZE_M"),
    "numbers": say("Small problems, with every number"),
    "counters": say(
        "Hardware counters: where warps of stage 1 were seen, from its first to its last"
        " instruction"
    ),
    "speeds": say("Benchmarks and sweeps"),
    "experiments": say("Experiments"),
}
STRETCHES = 80  # of a kernel's code, in the picture of its samples
PATTERNS = (*(f"*{kind.suffix}" for kind in (RECORDING, SWEEP, EXPERIMENT)), BENCHMARKS, PUBLISHED)


@frozen_by_name(eq=False)
class Exhibit:
    """A file of the gallery, with the lanes, curves or grid of its card."""

    path: Path
    group: str  # of HEADINGS
    place: tuple[int, ...] = ()  # in its group
    title: Sentence
    source: Words = ""  # GPU and date
    kind: Kind
    duration_ns: float = 0.0  # of both stages; 0 where none was recorded, or steps were counted
    lanes: Lanes | None = None  # of a timeline, see `lanes_of`
    # GB/s against N, or against what a sweep varies; of counters the samples of the code.
    curves: tuple[OverlayLine, ...] = ()
    # Of a sweep over two parameters [second, first], from 0 to 1, the best; NaN for no value.
    grid: NDArray[np.float64] | None = None


def files_in(folder: Path) -> list[Path]:
    return sorted({path for pattern in PATTERNS for path in folder.glob(pattern)})


def read_exhibits(folder: Path) -> list[Exhibit]:
    """Read the files of a folder, without those that are damaged, foreign, newer or gone."""
    readers = {
        RECORDING.suffix: _of_recording,
        SWEEP.suffix: _of_sweep,
        EXPERIMENT.suffix: _of_experiment,
    }
    found = []
    for path in files_in(folder):
        with suppress(StoreError, OSError):
            found.append(readers.get(path.suffix, _of_benchmark)(path))
    return found


def _of_recording(path: Path) -> Exhibit:
    recording = read_recording(path)
    result, timeline = recording.result, recording.timeline
    group, kind = "traces", Kind.RECORDED if timeline is None else timeline.kind
    curves: tuple[OverlayLine, ...] = ()
    if result is not None:
        kind = result.provenance.kind
        if result.correctness.partial_rows is not None:
            group = "numbers"
        elif result.counters and timeline is None:
            group = "counters"
        curves = _samples(result) if timeline is None else ()
    size = (0, 0, 0) if timeline is None else (timeline.group_size_m, timeline.m, timeline.n)
    gpu = _gpu(recording.environment)
    title = recording.title.removesuffix(f", {gpu}") if gpu else recording.title
    return Exhibit(
        path=path,
        group=group,
        place=size,
        title=recording_title(title),
        source=_source(gpu, recording.date),
        kind=kind,
        duration_ns=0.0 if timeline is None or timeline.counted else float(timeline.end_ns),
        lanes=None if timeline is None else lanes_of(timeline),
        curves=curves,
    )


def _samples(result: RunResult) -> tuple[OverlayLine, ...]:
    """Return how often warps of stage 1 were seen in each stretch of its machine code."""
    colour = provider_colour(result.resolved.launch.strategy)
    stage1 = [each for each in result.counters if each.name == "backward_stage1"]
    stretches = [
        [part.sum() for part in np.array_split(each.samples, STRETCHES)] for each in stage1
    ]
    x = np.arange(STRETCHES, dtype=float)
    return tuple(OverlayLine("", colour, x, np.array(each, float)) for each in stretches)


def _of_experiment(path: Path) -> Exhibit:
    result = read_experiment(path)
    environment, on, name = result.provenance.environment, result.resolved, result.request.name
    shape = wording.shape(on.m, on.n, on.dtype)
    return Exhibit(
        path=path,
        group="experiments",
        place=(list(EXPERIMENTS).index(name),),
        title=join_sentences((EXPERIMENTS[name].title, shape), ": "),
        source=_source(_gpu(environment), environment.date),
        kind=result.provenance.kind,
    )


def _of_sweep(path: Path) -> Exhibit:
    """Return the curves or the map of the backward pass where it was timed, else of the other; of
    rows without speeds the largest error of dw and db.
    """
    recorded = read_recorded_sweep(path)
    sweep, table = recorded.sweep, SweepTable(recorded.sweep, recorded.results)
    direction = "backward" if "backward" in sweep.directions else sweep.directions[0]
    view = View("gbps" if table.timed else "error", direction, sweep.modes[0])
    curves: tuple[OverlayLine, ...] = ()
    grid: NDArray[np.float64] | None = None
    if table.is_map:
        values = setting_grid(table, view, table.subjects()[0]).values
        values = values if table.timed else -values
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        grid = np.divide(values - low, (high - low) or 1.0)
    else:
        lines = sweep_lines(table, view)
        curves = tuple(OverlayLine(line.label, line.colour, line.x, line.y) for line in lines)
    gpus = dict.fromkeys(_gpu(result.environment) for result in recorded.results)
    return Exhibit(
        path=path,
        group="speeds",
        place=(0,),
        title=say("Sweep: {title}", title=recording_title(title_of(recorded))),
        source=_source(join_sentences(list(gpus), ", "), recorded.date),
        kind=recorded.results[0].kind,
        curves=curves,
        grid=grid,
    )


def _of_benchmark(path: Path) -> Exhibit:
    """Return GB/s of the backward pass, of the first way of calling that has figures."""
    published = path.name == PUBLISHED
    environment = None if published else read_benchmark(path).environment
    overlays = sorted(overlays_of(path), key=lambda overlay: overlay.direction != "backward")
    problem = join_sentences(list(dict.fromkeys(each.problem for each in overlays)), ", ")
    title = say("Benchmark over N: {problem}", problem=problem)
    if published:
        title = say("Triton's documentation, backward: {problem}", problem=problem)
    curves = [
        OverlayLine(
            curve.provider, provider_colour(curve.provider), np.array(curve.x), np.array(curve.y)
        )
        for curve in (overlays[0].curves if overlays else ())
    ]
    source = _source(_gpu(environment), "" if environment is None else environment.date)
    return Exhibit(
        path=path,
        group="speeds",
        place=(int(published),),
        title=title,
        source=say("its GPU is not named") if published else source,
        kind=Kind.PUBLISHED if published else Kind.RECORDED,
        curves=tuple(curves),
    )


def _gpu(environment: Environment | None) -> str:
    return (environment.named_gpu if environment is not None else None) or ""


def _source(gpu: Words, date: str) -> Sentence:
    return join_sentences((gpu, date[:10]), " · ")


SIZE = QSize(180, 60)  # of a picture at usual text
EXHIBIT = Qt.ItemDataRole.UserRole
_MARGIN = 6
NARROW, NARROWEST = 960, 760  # px at usual text


class GalleryView(Retranslated, Arranged, QTreeWidget):
    """A card for each exhibit, below the heading of its group. It reads no files."""

    opened = Signal(object)  # Exhibit
    shownChanged = Signal()  # the number of cards, or of those that match the filter

    def __init__(self) -> None:
        super().__init__(
            columnCount=4,
            headerHidden=True,
            indentation=0,
            rootIsDecorated=False,
            itemsExpandable=False,
            styleSheet="QTreeWidget { activate-on-singleclick: 1; }"
            f" QTreeWidget::item {{ padding: {GRID // 2}px; }}",
            verticalScrollMode=QAbstractItemView.ScrollMode.ScrollPerPixel,
            frameShape=QTreeWidget.Shape.NoFrame,
        )
        self._exhibits: list[Exhibit] = []
        self._filter: list[str] = []
        self.write_on(self, name=say("Gallery"))
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.itemActivated.connect(lambda item, _column: self._open(item))

    @property
    def total(self) -> int:
        """Number of cards, whether they match or not."""
        return len(self._exhibits)

    def items(self) -> list[QTreeWidgetItem]:
        root = self.invisibleRootItem()
        groups = [root.child(place) for place in range(root.childCount())]
        return [group.child(place) for group in groups for place in range(group.childCount())]

    def set_exhibits(self, exhibits: list[Exhibit]) -> None:
        self._exhibits = sorted(
            exhibits,
            key=lambda each: (list(HEADINGS).index(each.group), each.place, str(each.title)),
        )
        self.retranslate()

    def set_filter(self, text: str) -> None:
        """Show only cards whose text has every word."""
        self._filter = text.casefold().split()
        self.retranslate()

    def apply_theme(self) -> None:
        self.arrange()
        self.setIconSize(QSize(with_text(SIZE.width()), with_text(SIZE.height())))
        self.retranslate()

    def retranslate(self) -> None:
        self.clear()
        for group, members in groupby(self._exhibits, key=lambda each: each.group):
            together = list(members)
            # The cards of a group have one axis of time.
            longest = max(exhibit.duration_ns for exhibit in together)
            cards = [self._card(exhibit, longest) for exhibit in together]
            cards = [card for card in cards if self._matches(card)]
            if cards:
                heading = QTreeWidgetItem(self, [translate_message(HEADINGS[group])])
                heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
                font = self.font()
                font.setBold(True)
                heading.setFont(0, font)
                heading.setFirstColumnSpanned(True)
                heading.addChildren(cards)
        self.expandAll()
        self.shownChanged.emit()

    def _card(self, exhibit: Exhibit, longest: float) -> QTreeWidgetItem:
        title, source = translate_message(exhibit.title), translate_message(exhibit.source)
        kind = translate_message(KIND_NAMES[exhibit.kind])
        card = QTreeWidgetItem([title, "", source, kind])
        tip = (title, source, exhibit.path.name, translate_message(KIND_HELP[exhibit.kind]))
        card.setToolTip(0, "\n".join(tip))
        card.setForeground(3, QBrush(QColor(getattr(Theme.current, TONES[exhibit.kind]))))
        card.setData(0, EXHIBIT, exhibit)
        size, ratio = self.iconSize(), self.devicePixelRatioF()
        card.setIcon(0, QIcon(picture(size, ratio, exhibit)))
        if exhibit.duration_ns:
            share = exhibit.duration_ns / longest
            card.setIcon(1, QIcon(bar(size, ratio, share)))
            card.setText(1, wording.nanoseconds(exhibit.duration_ns))
        return card

    def _matches(self, card: QTreeWidgetItem) -> bool:
        text = f"{card.toolTip(0)} {card.text(3)}".casefold()
        return all(word in text for word in self._filter)

    def arrange(self) -> None:
        """Leave GPU, date and kind to the tooltips where there is little room."""
        for column, least in ((2, NARROW), (3, NARROWEST)):
            self.setColumnHidden(column, self.width() < with_text(least))

    def _open(self, item: QTreeWidgetItem) -> None:
        exhibit = item.data(0, EXHIBIT)
        if exhibit is not None:
            self.opened.emit(exhibit)


def lanes_of(timeline: ReductionTimeline) -> Lanes:
    """Return the queue of each lock, then the tiles of stage 2, as indices of the lane table
    [height, width]. For any thread.
    """
    axis = TimeAxis(0, SIZE.width(), 0.0, max(timeline.end_ns, 1.0))
    return heat_picture(RowsPart(timeline, "lock", axis, SIZE.height()))


def bar(size: QSize, ratio: float, share: float) -> QPixmap:
    """Draw a bar from 0 to a share of the axis, on the whole axis."""
    pixmap, painter = _page(size, ratio, QColor(Theme.current.surface))
    axis = QRectF(_MARGIN, (size.height() - GRID) / 2, size.width() - 2 * _MARGIN, GRID)
    painter.fillRect(axis, QColor(Theme.current.line))
    axis.setWidth(max(share * axis.width(), 1.0))
    painter.fillRect(axis, QColor(Theme.current.accent))
    painter.end()
    return pixmap


def picture(size: QSize, ratio: float, exhibit: Exhibit) -> QPixmap:
    """Draw the lanes, curves or map of an exhibit."""
    colours = picture_colours(Theme.current)
    pixmap, painter = _page(size, ratio, colours.surface)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    area = QRectF(0, 0, size.width(), size.height())
    inside = area.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    if exhibit.lanes is not None:
        draw_indices(painter, area, exhibit.lanes, colours.lane_table)
    elif exhibit.curves:
        _draw_curves(painter, inside, exhibit.curves)
    elif exhibit.grid is not None:
        _draw_grid(painter, inside, exhibit.grid, colours)
    painter.end()
    return pixmap


def _page(size: QSize, ratio: float, ground: QColor) -> tuple[QPixmap, QPainter]:
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(ground)
    return pixmap, QPainter(pixmap)


def _draw_curves(painter: QPainter, inside: QRectF, curves: tuple[OverlayLine, ...]) -> None:
    x = np.concatenate([curve.x for curve in curves])
    low, across = x.min(), np.ptp(x) or 1.0
    top = max(np.nanmax(curve.y) for curve in curves) or 1.0
    for curve in curves:
        right, up = (curve.x - low) / across * inside.width(), curve.y / top * inside.height()
        painter.setPen(QPen(QColor(curve.colour), 2))
        heights = inside.bottom() - up
        painter.drawPath(pg.arrayToQPath(inside.left() + right, heights, connect="finite"))


def _draw_grid(
    painter: QPainter, inside: QRectF, grid: NDArray[np.float64], colours: PictureColours
) -> None:
    """Draw a cell for each value, the first row at the bottom; one without is as a line is."""
    pixels = COLOURS.map(np.nan_to_num(grid))
    pixels[~np.isfinite(grid)] = colours.line.getRgb()
    pixels = np.ascontiguousarray(pixels[::-1])
    rows, columns = grid.shape
    painter.drawImage(
        inside, QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
    )

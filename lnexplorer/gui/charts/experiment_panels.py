"""From an experiment's findings to its picture."""

import numpy as np
from PySide6.QtCore import QCoreApplication

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.findings import Barriers, ExperimentResult, GroupSizes, Orders, Strategies, StrategyRow
from lnexplorer.domain.experiments.words import bytes_text
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.charts.panel_chart import EMPTY, Panel, Picture, Series, bar_panel, bar_picture
from lnexplorer.gui.charts.theme import BLUE, GREEN, ORANGE, PROVIDER_COLOURS, SKY, VERMILION

BINS_PER_DECADE = 10
MOST_BARS = 512  # of a picture of columns; of neighbours the worst is shown, so that every height is a number of runs


def picture_of(result: ExperimentResult) -> Picture:
    """The picture of any experiment."""
    measured = result.provenance.environment.gpu is not None
    if result.group_size is not None:
        return _group_sizes(result.group_size, result.resolved.dtype)
    if result.barrier is not None:
        return _barriers(result.barrier)
    if result.order is not None:
        return _orders(result.order, result.resolved.dtype, measured=measured)
    if result.strategies is not None:
        return _strategies(result.strategies)
    return EMPTY


def _group_sizes(found: GroupSizes, dtype: str) -> Picture:
    points = found.points
    x = np.log10([point.group_size_m for point in points])

    def line(name: str, attribute: str, colour: str, scale: float = 1.0, *, dashed: bool = False) -> Series:
        values = [getattr(point, attribute) for point in points]
        y = np.array([np.nan if value is None else value * scale for value in values], np.float64)
        return Series(name=name, colours=(colour,), x=x, y=y, dashed=dashed)

    wide, same = (
        QCoreApplication.translate("experiments", "float32 buffers"),
        QCoreApplication.translate("experiments", "{dtype} buffers").format(dtype=dtype),
    )
    absent = QCoreApplication.translate("experiments", "The interpreter has no times: programs run one after another.")
    waits: tuple[Series, ...] = (line(wide, "wait_ns", ORANGE, 1e-3),)
    if any(point.wait_same_ns is not None for point in points):  # older files have none
        waits += (line(same, "wait_same_ns", SKY, 1e-3, dashed=True),)
    panels = (
        Panel(
            title=QCoreApplication.translate("experiments", "backward pass, ms"),
            series=(line(wide, "ms_float32", ORANGE), line(same, "ms_same", SKY, dashed=True)),
            log=True,
            absent=absent,
        ),
        Panel(
            title=QCoreApplication.translate("experiments", "mean wait of a row for its lock, µs"),
            series=waits,
            log=True,
            absent=absent,
        ),
        Panel(
            title=QCoreApplication.translate("experiments", "largest error of dw"),
            series=(line(wide, "error_float32", ORANGE), line(same, "error_same", SKY, dashed=True)),
            log=True,
        ),
        Panel(
            title=QCoreApplication.translate("experiments", "buffers, MiB"),
            series=(line(wide, "bytes_float32", ORANGE, 2**-20), line(same, "bytes_same", SKY, 2**-20, dashed=True)),
            log=True,
        ),
    )
    ticks = tuple((float(place), str(point.group_size_m)) for place, point in zip(x, points, strict=True))
    return Picture(
        panels=panels, x_title="GROUP_SIZE_M", x_range=(float(x[0]) - 0.06, float(x[-1]) + 0.06), x_ticks=ticks, columns=2
    )


def _barriers(found: Barriers) -> Picture:
    sides = (
        (found.left_out, QCoreApplication.translate("experiments", "barrier left out"), VERMILION),
        (found.put_back, QCoreApplication.translate("experiments", "barrier put back"), GREEN),
    )
    columns = found.left_out.wrong_dw.size
    edges = np.arange(min(columns, MOST_BARS) + 1) * columns // max(min(columns, MOST_BARS), 1)
    panels = []
    for name in ("dw", "db"):
        series = []
        for side, title, colour in sides:
            counts = np.maximum.reduceat(getattr(side, f"wrong_{name}"), edges[:-1]).astype(np.float64)
            label = f"{title}: {side.wrong_runs} / {side.runs}"
            series.append(Series(name=label, colours=(colour,), x=edges.astype(np.float64), y=counts, form="steps"))
        panels.append(
            Panel(
                title=QCoreApplication.translate("experiments", "runs with a wrong {name}, by column").format(name=name),
                series=tuple(series),
                log=False,
                whole=True,
            )
        )
    ticks = tuple((place, f"{place:.0f}") for place in linear_ticks(0.0, float(columns), 9))
    return Picture(
        panels=tuple(panels),
        x_title=QCoreApplication.translate("experiments", "column"),
        x_range=(0.0, float(columns)),
        x_ticks=ticks,
    )


def _orders(found: Orders, dtype: str, *, measured: bool) -> Picture:
    positive = [side.spread[side.spread > 0] for side in found.sides]
    some = np.concatenate(positive) if any(part.size for part in positive) else np.array([1e-4, 1e-1])
    low, high = np.floor(np.log10(some.min())), np.ceil(np.log10(some.max()))
    high = max(high, low + 1)
    edges = np.linspace(low, high, int((high - low) * BINS_PER_DECADE) + 1)
    zero = low - 0.5  # a place of its own, left of the least power of ten
    colours = (SKY, ORANGE, PROVIDER_COLOURS["persistent"])
    series = []
    for side, colour in zip(found.sides, colours, strict=False):
        spread = side.spread
        counts = np.histogram(np.log10(spread[spread > 0]), edges)[0].astype(np.float64)
        where = np.concatenate(([zero - 0.15, zero + 0.15], edges))
        heights = np.concatenate(([float((spread == 0).sum()), np.nan], counts))
        if side.partial_dtype is None:
            name = side.strategy
        else:
            buffers = dtype if side.partial_dtype == "same" else side.partial_dtype
            name = QCoreApplication.translate("experiments", "{strategy}, {dtype} buffers").format(
                strategy=side.strategy, dtype=buffers
            )
        name = QCoreApplication.translate("experiments", "{name}: {distinct} different of {runs}").format(
            name=name, distinct=side.distinct, runs=side.runs
        )
        dashed = side.partial_dtype == "same"
        series.append(Series(name=name, colours=(colour,), x=where, y=heights, form="steps", dashed=dashed))
    title = (
        QCoreApplication.translate("experiments", "columns of dw")
        if measured
        else QCoreApplication.translate("experiments", "columns of dw (one order only: the interpreter's)")
    )
    ticks = ((zero, "0"), *((float(power), f"1e{power:.0f}") for power in range(int(low), int(high) + 1)))
    return Picture(
        panels=(Panel(title=title, series=tuple(series), log=False, whole=True),),
        x_title=QCoreApplication.translate("experiments", "largest − smallest dw of a column over all runs"),
        x_range=(float(zero) - 0.3, float(high) + 0.1),
        x_ticks=ticks,
    )


def _strategies(found: Strategies) -> Picture:
    rows = found.rows
    colours = [PROVIDER_COLOURS.get(row.strategy, BLUE) for row in rows]
    shared = any(row.share is not None for row in rows)
    panels = (
        bar_panel(
            QCoreApplication.translate("experiments", "backward, ms (of ceiling)")
            if shared
            else QCoreApplication.translate("experiments", "backward pass, ms"),
            [row.ms for row in rows],
            [_timed(row) for row in rows],
            colours,
            absent=QCoreApplication.translate("experiments", "The interpreter has no times: programs run one after another."),
        ),
        bar_panel(
            QCoreApplication.translate("experiments", "workspace"),
            [row.workspace_bytes / 2**20 for row in rows],
            [bytes_text(row.workspace_bytes) for row in rows],
            colours,
        ),
        bar_panel(
            QCoreApplication.translate("experiments", "largest error of dw"),
            [row.error for row in rows],
            [wording.error(row.error) for row in rows],
            colours,
        ),
        bar_panel(
            QCoreApplication.translate("experiments", "different results"),
            [row.distinct for row in rows],
            ["" if row.distinct is None else f"{row.distinct} / {row.runs}" for row in rows],
            colours,
        ),
    )
    return bar_picture(panels, [row.strategy for row in rows])


def _timed(row: StrategyRow) -> str:
    return _figure(row.ms) if row.ms is None or row.share is None else f"{_figure(row.ms)} ({wording.share(row.share)})"


def _figure(value: float | None) -> str:
    return "" if value is None else wording.significant(value, 3)

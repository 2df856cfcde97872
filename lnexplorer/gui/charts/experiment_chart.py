"""From an experiment's findings to its picture."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QCoreApplication

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.findings import (
    Barriers,
    Dropouts,
    ExperimentResult,
    GroupSizes,
    Orders,
    Strategies,
    StrategyRow,
)
from lnexplorer.domain.experiments.gpus import (
    PHASE_NAMES,
    PHASES,
    SUM_NAMES,
    ExchangeRow,
    Gpus,
    beside_ranks,
)
from lnexplorer.domain.experiments.gpus import WAYS as SUMS
from lnexplorer.domain.experiments.words import WAYS
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.charts.panel_chart import (
    EMPTY,
    Counted,
    Panel,
    PanelPicture,
    Series,
    bar_panel,
    bar_picture,
    histogram_picture,
)
from lnexplorer.gui.kit.theme import BLUE, GREEN, ORANGE, PROVIDER_COLOURS, SKY, VERMILION
from lnexplorer.gui.kit.translate import translate_message

translate = QCoreApplication.translate
BINS_PER_DECADE = 10
# of a picture of columns; of neighbours the worst is shown, so that every height is a number of
# runs
MOST_BARS = 512


def picture_of(result: ExperimentResult) -> PanelPicture:
    measured = result.provenance.environment.gpu is not None
    if result.group_size is not None:
        return _group_sizes(result.group_size, result.resolved.dtype)
    if result.barrier is not None:
        return _barriers(result.barrier)
    if result.order is not None:
        return _orders(result.order, result.resolved.dtype, measured=measured)
    if result.strategies is not None:
        return _strategies(result.strategies)
    if result.gpus is not None:
        return _gpus(result.gpus)
    return EMPTY if result.dropout is None else _dropouts(result.dropout)


def _group_sizes(found: GroupSizes, dtype: str) -> PanelPicture:
    points = found.points
    x = np.log10([point.group_size_m for point in points])

    def line(
        name: str,
        attribute: str,
        colour: str,
        scale: float = 1.0,
        *,
        dashed: bool = False,
        of: str = "",
    ) -> Series:
        values = [getattr(getattr(point, of) if of else point, attribute, None) for point in points]
        y = np.array(
            [value * scale if value else np.nan for value in values], np.float64
        )  # all axes are logarithmic
        return Series(name=name, colours=(colour,), x=x, y=y, dashed=dashed)

    wide, same = (
        translate("experiments", "float32 buffers"),
        translate("experiments", "{dtype} buffers").format(dtype=dtype),
    )
    queued, trying = (
        translate("experiments", "queued, {0}"),
        translate("experiments", "trying, {0}"),
    )
    absent = translate("experiments", "The interpreter has no times.")
    panels = (
        Panel(
            title=translate("experiments", "backward pass, ms"),
            series=(line(wide, "ms_float32", ORANGE), line(same, "ms_same", SKY, dashed=True)),
            log=True,
            absent=absent,
        ),
        Panel(
            title=translate("experiments", "a row before its lock, mean, µs"),
            series=(
                line(queued.format(wide), "queued_ns", VERMILION, 1e-3, of="wait"),
                line(queued.format(same), "queued_ns", BLUE, 1e-3, dashed=True, of="wait_same"),
                line(trying.format(wide), "trying_ns", GREEN, 1e-3, of="wait"),
                line(
                    trying.format(same),
                    "trying_ns",
                    PROVIDER_COLOURS["persistent"],
                    1e-3,
                    dashed=True,
                    of="wait_same",
                ),
            ),
            log=True,
            absent=absent,
        ),
        Panel(
            title=translate("experiments", "largest error of dw"),
            series=(
                line(wide, "error_float32", ORANGE),
                line(same, "error_same", SKY, dashed=True),
            ),
            log=True,
        ),
        Panel(
            title=translate("experiments", "buffers, MiB"),
            series=(
                line(wide, "bytes_float32", ORANGE, 2**-20),
                line(same, "bytes_same", SKY, 2**-20, dashed=True),
            ),
            log=True,
        ),
    )
    ticks = tuple(
        (float(place), str(point.group_size_m)) for place, point in zip(x, points, strict=True)
    )
    return PanelPicture(
        panels=panels,
        x_title="GROUP_SIZE_M",
        x_range=(float(x[0]) - 0.1, float(x[-1]) + 0.1),
        x_ticks=ticks,
        columns=2,
    )


def _barriers(found: Barriers) -> PanelPicture:
    sides = (
        (found.left_out, translate("experiments", "barrier left out"), VERMILION),
        (found.put_back, translate("experiments", "barrier put back"), GREEN),
    )
    columns = found.left_out.wrong_dw.size
    edges = np.arange(min(columns, MOST_BARS) + 1) * columns // max(min(columns, MOST_BARS), 1)
    panels = []
    for name in ("dw", "db"):
        series = []
        for side, title, colour in sides:
            counts = np.maximum.reduceat(getattr(side, f"wrong_{name}"), edges[:-1]).astype(
                np.float64
            )
            label = f"{title}: {side.wrong_runs} / {side.runs}"
            series.append(
                Series(
                    name=label,
                    colours=(colour,),
                    x=edges.astype(np.float64),
                    y=counts,
                    form="steps",
                )
            )
        panels.append(
            Panel(
                title=translate("experiments", "runs with a wrong {name}, by column").format(
                    name=name
                ),
                series=tuple(series),
                log=False,
                whole=True,
            )
        )
    ticks = tuple((place, f"{place:.0f}") for place in linear_ticks(0.0, float(columns), 9))
    return PanelPicture(
        panels=tuple(panels),
        x_title=translate("experiments", "column"),
        x_range=(0.0, float(columns)),
        x_ticks=ticks,
    )


def _orders(found: Orders, dtype: str, *, measured: bool) -> PanelPicture:
    positive = [side.spread[side.spread > 0] for side in found.sides]
    some = (
        np.concatenate(positive) if any(part.size for part in positive) else np.array([1e-4, 1e-1])
    )
    low, high = np.floor(np.log10(some.min())), np.ceil(np.log10(some.max()))
    edges = np.linspace(low, max(high, low + 1), int(max(high - low, 1) * BINS_PER_DECADE) + 1)
    colours = (SKY, ORANGE, PROVIDER_COLOURS["persistent"])
    sides = []
    for side, colour in zip(found.sides, colours, strict=False):
        name = side.strategy
        if side.partial_dtype is not None:
            buffers = dtype if side.partial_dtype == "same" else side.partial_dtype
            name = translate("experiments", "{strategy}, {dtype} buffers").format(
                strategy=side.strategy, dtype=buffers
            )
        name = translate("experiments", "{name}: {distinct} different of {runs}").format(
            name=name, distinct=side.distinct, runs=side.runs
        )
        counts = np.histogram(np.log10(side.spread[side.spread > 0]), edges)[0]
        sides.append(
            Counted(
                name, colour, counts, int((side.spread == 0).sum()), side.partial_dtype == "same"
            )
        )
    title = (
        translate("experiments", "columns of dw")
        if measured
        else translate("experiments", "columns of dw (one order only: the interpreter's)")
    )
    across = translate("experiments", "largest − smallest dw of a column over all runs")
    return histogram_picture(title, across, edges, sides)


def _strategies(found: Strategies) -> PanelPicture:
    rows = found.rows
    colours = [PROVIDER_COLOURS.get(row.strategy, BLUE) for row in rows]
    shared = any(row.share is not None for row in rows)
    panels = (
        bar_panel(
            (
                translate("experiments", "backward, ms (of ceiling)")
                if shared
                else translate("experiments", "backward pass, ms")
            ),
            [row.ms for row in rows],
            [_timed(row) for row in rows],
            colours,
            absent=translate("experiments", "The interpreter has no times."),
        ),
        bar_panel(
            translate("experiments", "workspace"),
            [row.workspace_bytes / 2**20 for row in rows],
            [wording.bytes_text(row.workspace_bytes) for row in rows],
            colours,
        ),
        bar_panel(
            translate("experiments", "largest error of dw"),
            [row.error for row in rows],
            [wording.error(row.error) for row in rows],
            colours,
        ),
        bar_panel(
            translate("experiments", "different results"),
            [row.distinct for row in rows],
            ["" if row.distinct is None else f"{row.distinct} / {row.runs}" for row in rows],
            colours,
        ),
    )
    return bar_picture(panels, [row.strategy for row in rows])


def _dropouts(found: Dropouts) -> PanelPicture:
    rows = found.rows
    colours = [
        {"seed": ORANGE, "stored": SKY, "fused": ORANGE, "sequence": SKY}[row.way] for row in rows
    ]
    absent = translate("experiments", "The interpreter has no times.")

    def sizes(title: str, values: Sequence[int]) -> Panel:
        return bar_panel(
            title,
            [value / 2**20 for value in values],
            [wording.bytes_text(value) for value in values],
            colours,
        )

    panels = (
        *(
            bar_panel(title, times, [_figure(ms) for ms in times], colours, absent=absent)
            for title, times in (
                (translate("experiments", "forward pass, ms"), [row.forward_ms for row in rows]),
                (translate("experiments", "backward pass, ms"), [row.backward_ms for row in rows]),
            )
        ),
        sizes(
            translate("experiments", "bytes of both passes"),
            [row.forward_bytes + row.backward_bytes for row in rows],
        ),
        sizes(translate("experiments", "mask in memory"), [row.mask_bytes for row in rows]),
    )
    return replace(
        bar_picture(panels, [translate_message(WAYS[row.way]) for row in rows]), columns=2
    )


def _gpus(found: Gpus) -> PanelPicture:
    rows = found.rows
    x = np.log10([row.n for row in rows])
    measured = any(row.one_shot_us is not None for row in rows)
    beside = beside_ranks(found)

    def lines(
        value: Callable[[ExchangeRow, str], float | None], *, simulated: bool = False
    ) -> tuple[Series, ...]:
        names = {way: translate_message(SUM_NAMES[way]) for way in SUMS}
        series = []
        for way, colour in zip(SUMS, (ORANGE, SKY), strict=True):
            y = np.array(
                [value(row, way) or np.nan for row in rows], np.float64
            )  # all axes but one are logarithmic
            name = names[way]
            if simulated:
                name = translate("experiments", "{name}, simulated").format(name=name)
            series.append(Series(name=name, colours=(colour,), x=x, y=y, dashed=simulated))
        return tuple(series)

    def modelled(ranks: int) -> tuple[Series, ...]:
        return lines(
            lambda row, way: found.model.microseconds(way, ranks, row.bytes), simulated=True
        )

    title = translate("experiments", "sum over {ranks} GPUs, µs")
    simulated = translate("experiments", "sum over {ranks} GPUs, simulated, µs")
    panels = (
        Panel(
            title=(title if measured else simulated).format(ranks=found.ranks),
            series=(
                lines(lambda row, way: row.microseconds(way)) if measured else modelled(found.ranks)
            ),
            log=True,
        ),
        Panel(title=simulated.format(ranks=beside), series=modelled(beside), log=True),
        Panel(
            title=translate("experiments", "the sum's share of the backward pass, %"),
            series=lines(
                lambda row, way: None if (share := row.share(way)) is None else 100 * share
            ),
            log=False,
            absent=translate("experiments", "The interpreter has no times."),
        ),
        Panel(
            title=translate("experiments", "largest error of dw and db"),
            series=lines(
                lambda row, way: row.one_shot_error if way == "one_shot" else row.nccl_error
            ),
            log=True,
        ),
    )
    ticks = tuple((float(place), str(row.n)) for place, row in zip(x, rows, strict=True))
    return PanelPicture(
        panels=panels,
        x_title="N",
        x_range=(float(x[0]) - 0.1, float(x[-1]) + 0.1),
        x_ticks=ticks,
        columns=2,
    )


def phases_of(result: ExperimentResult) -> PanelPicture:
    """What each GPU does in the traced passes, over one time axis; nothing where none was traced."""
    phases = () if result.gpus is None else result.gpus.phases
    if result.gpus is None or not phases:
        return EMPTY
    places = list(dict.fromkeys((phase.way, phase.rank) for phase in phases))
    colours = dict(zip(PHASES, (BLUE, GREEN, "#999999", ORANGE, VERMILION, SKY), strict=True))
    series = []
    for name in dict.fromkeys(phase.phase for phase in phases):
        own = [phase for phase in phases if phase.phase == name]
        start, end = (
            np.array([getattr(phase, side) / 1e3 for phase in own])
            for side in ("begin_ns", "end_ns")
        )
        spans = Series(
            name=translate_message(PHASE_NAMES[name]),
            colours=(colours[name],),
            x=np.array([places.index((phase.way, phase.rank)) for phase in own], np.float64),
            y=np.maximum(end - start, 0.0),
            form="bars",
            start=start,
            labels=tuple(
                f"{begin:.2f} – {after:.2f} µs" for begin, after in zip(start, end, strict=True)
            ),
        )
        series.append(spans)
    title = translate("experiments", "one backward pass with N = {n}, µs").format(
        n=result.gpus.traced_n
    )
    names = [f"{translate_message(SUM_NAMES[way])}, GPU {rank}" for way, rank in places]
    return replace(
        bar_picture((Panel(title=title, series=tuple(series), log=False),), names), columns=1
    )


def _timed(row: StrategyRow) -> str:
    return (
        _figure(row.ms)
        if row.ms is None or row.share is None
        else f"{_figure(row.ms)} ({wording.share(row.share)})"
    )


def _figure(value: float | None) -> str:
    return "" if value is None else wording.significant(value, 3)

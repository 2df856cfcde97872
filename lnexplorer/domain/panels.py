"""Charts as data: panels beside and below each other, over one x axis or with rows of bars.

Names and titles are sentences, or plain text that has no translation. A colour is a provider's
name, one of "orange", "sky", "green", "blue", "vermilion" and "grey", or #rrggbb.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain import wording
from lnkernels.values import Sentence, frozen, frozen_by_name, say
from lnkernels.values.accuracy import ColumnError, ErrorHistogram

Numbers = NDArray[np.float64]
Text = Sentence | str
WITHOUT_TIMES = say("The interpreter has no times.")


@frozen_by_name(eq=False)
class Series:
    """A line, staircase or row of bars; NaN is not drawn, and stairs mark what is infinite."""

    name: Text
    colours: tuple[str, ...]  # one for all, or one for each bar
    x: Numbers  # [points]; of steps the edges, [points + 1]
    y: Numbers  # [points]
    form: str = "line"  # line, steps or bars
    start: Numbers | None = None  # of bars, [points]: where each begins; None for 0
    dashed: bool = False
    labels: tuple[Text, ...] = ()  # of each point, or at the end of each bar that begins at 0


@frozen_by_name(eq=False)
class Panel:
    """A chart with one y scale.

    Bars without a start are one series a panel.
    """

    title: Text
    series: tuple[Series, ...]
    log: bool
    absent: Text = ""  # stands in the place of the curves where there are none
    whole: bool = False  # counts: ticks are whole numbers

    @property
    def empty(self) -> bool:
        return not any(np.isfinite(series.y).any() for series in self.series)


@frozen_by_name(eq=False)
class PanelPicture:
    """Panels that share their x axis, or the names of their bars."""

    panels: tuple[Panel, ...]
    x_title: Text = ""
    x_range: tuple[float, float] = (0.0, 1.0)
    x_ticks: tuple[tuple[float, Text], ...] | None = None  # of bars their names; None: even numbers
    columns: int = 1  # of panels beside each other, where they have room
    zooms: bool = False  # by mouse, along x

    @property
    def has_bars(self) -> bool:
        return any(series.form == "bars" for panel in self.panels for series in panel.series)

    @property
    def has_spans(self) -> bool:
        """Return whether bars have starts, so that their axis is shown."""
        return any(series.start is not None for panel in self.panels for series in panel.series)


EMPTY = PanelPicture(panels=())


def log_line(
    name: Text, colour: str, x: Numbers, values: Sequence[float | None], *, dashed: bool = False
) -> Series:
    """Return a line for a logarithmic axis: without what is not known, and without zeros."""
    y = np.array([value or np.nan for value in values], np.float64)
    return Series(name=name, colours=(colour,), x=x, y=y, dashed=dashed)


def powers_picture(panels: Sequence[Panel], x_title: Text, sizes: Sequence[int]) -> PanelPicture:
    """Return panels over log10 of sizes, each of which has its tick, two beside each other."""
    x = np.log10(sizes)
    return PanelPicture(
        panels=tuple(panels),
        x_title=x_title,
        x_range=(float(x[0]) - 0.1, float(x[-1]) + 0.1),
        x_ticks=tuple((float(place), str(size)) for place, size in zip(x, sizes, strict=True)),
        columns=2,
    )


def bar_panel(
    title: Text,
    values: Sequence[float | None],
    labels: Sequence[Text],
    colours: Sequence[str],
    absent: Text = "",
) -> Panel:
    """Return a row of bars, each with its label at its end; a value of None has no bar."""
    y = np.array([np.nan if value is None else value for value in values], np.float64)
    x = np.arange(y.size, dtype=np.float64)
    bars = Series(name="", colours=tuple(colours), x=x, y=y, form="bars", labels=tuple(labels))
    return Panel(title=title, series=(bars,), log=False, absent=absent)


def time_panel(
    title: Text,
    ms: Sequence[float | None],
    colours: Sequence[str],
    shares: Sequence[float | None] = (),
) -> Panel:
    """Return bars of times in ms, each with its share of a ceiling where that is known."""
    labels = ["" if each is None else wording.significant(each, 3) for each in ms]
    for place, share in enumerate(shares):
        if labels[place] and share is not None:
            labels[place] += f" ({wording.share(share)})"
    return bar_panel(title, ms, labels, colours, WITHOUT_TIMES)


def bytes_panel(title: Text, sizes: Sequence[int], colours: Sequence[str]) -> Panel:
    """Return bars of sizes in memory."""
    labels = list(map(wording.bytes_text, sizes))
    return bar_panel(title, [size / 2**20 for size in sizes], labels, colours)


def bar_picture(
    panels: Sequence[Panel], names: Sequence[Text], *, columns: int = 4
) -> PanelPicture:
    """Return panels with rows of bars of the same names."""
    return PanelPicture(
        panels=tuple(panels),
        x_range=(-0.6, len(names) - 0.4),
        x_ticks=tuple((float(place), name) for place, name in enumerate(names)),
        columns=min(columns, len(panels)),
    )


@frozen(eq=False)
class Counted:
    """Counts of something by its size."""

    name: Text
    colour: str
    counts: NDArray[np.int64]  # [bins]
    zeros: int
    dashed: bool = False


def histogram_picture(
    title: Text, x_title: Text, edges: Numbers, sides: Sequence[Counted], *, log: bool = False
) -> PanelPicture:
    """Return counts over log10 of a size, `edges` [bins + 1].

    Zeros have a place of their own, left of the least power of ten.
    """
    first, last = math.floor(edges[0]), math.ceil(edges[-1])
    zero = first - 0.5
    where = np.concatenate(([zero - 0.15, zero + 0.15], edges))
    series = tuple(
        Series(
            name=side.name,
            colours=(side.colour,),
            x=where,
            y=np.concatenate(([float(side.zeros), np.nan], side.counts)),
            form="steps",
            dashed=side.dashed,
            labels=(str(side.zeros), "", *map(str, side.counts.tolist())),
        )
        for side in sides
    )
    ticks = ((zero, "0"), *((float(power), f"1e{power}") for power in range(first, last + 1)))
    panel = Panel(title=title, series=series, log=log, whole=True)
    return PanelPicture(
        panels=(panel,), x_title=x_title, x_range=(zero - 0.3, last + 0.1), x_ticks=ticks
    )


def error_histogram(
    found: ErrorHistogram, colours: tuple[str, str], *, log: bool = True
) -> PanelPicture:
    """Return how many elements have which error, of the kernel and of PyTorch, where either has
    some.
    """
    used = np.flatnonzero(found.kernel + found.torch)
    first, last = (max(int(used[0]) - 1, 0), int(used[-1]) + 2) if used.size else (0, 1)
    sides = (
        Counted(say("kernel"), colours[0], found.kernel[first:last], found.kernel_zeros),
        Counted("PyTorch", colours[1], found.torch[first:last], found.torch_zeros, dashed=True),
    )
    edges = found.log10_edges[first : last + 1].astype(np.float64)
    return histogram_picture(say("elements"), say("absolute error"), edges, sides, log=log)


def column_errors(found: ColumnError, colours: tuple[str, str], *, log: bool) -> PanelPicture:
    """Return the errors of the kernel and of PyTorch by column."""
    edges = np.arange(found.kernel.size + 1.0)
    names: tuple[Text, Text] = (say("kernel"), "PyTorch")
    series = tuple(
        Series(
            name=name,
            colours=(colour,),
            x=edges,
            y=np.where(np.isfinite(values), values, np.inf),
            form="steps",
            dashed=name == "PyTorch",
        )
        for name, colour, values in zip(names, colours, (found.kernel, found.torch), strict=True)
    )
    return PanelPicture(
        panels=(Panel(title=say("absolute error"), series=series, log=log),),
        x_title=say("column"),
        x_range=(0.0, edges[-1]),
        zooms=True,
    )

"""Figures as points of a chart, and what is worked out of each once, however often it is drawn."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.figures import Figure

Column = NDArray[np.float64]
Cloud = tuple[Column, Column]
Group = tuple[str, str]  # what a line stays within: a kind of GPU, and a problem where N is along the axis


@dataclass(frozen=True, eq=False, slots=True)
class Point:
    """One figure of one run."""

    run: int
    shape: tuple[int, int, str]  # M, N, dtype
    provider: str
    direction: str
    figure: Figure
    ceiling: float | None  # GB/s
    hollow: bool  # not measured on this machine now
    peer: bool = False  # drawn as a line, for the run's own kernels to be seen against
    device: str = ""  # the kind of GPU; empty where that is not known

    def group(self, *, by_n: bool) -> Group:
        """With which points it may be joined: figures of unlike GPUs are no line, nor over N those of unlike problems."""
        return self.device, f"M = {self.shape[0]}, {self.shape[2]}" if by_n else ""


def spread(figure: Figure) -> tuple[float, float]:
    """GB/s at the 80th and the 20th percentile of the time: the range from slow to fast."""
    moved = figure.gbps * figure.p50_ms
    return moved / figure.p80_ms, moved / figure.p20_ms


class PointColumns:
    """Numbers of the points of a series, a column each. Points that were there before cost nothing again."""

    def __init__(self) -> None:
        self._points: list[Point] = []
        self._table = np.empty((0, 7))
        self._clouds: list[Cloud | None] = []  # made when they are drawn

    def take(self, points: list[Point]) -> slice:
        """Hold these points. Those of before that are still there, next to each other and now first."""
        gone = next((place for place, old in enumerate(self._points) if points and old is points[0]), len(self._points))
        kept = 0
        for old, new in zip(self._points[gone:], points, strict=False):
            if old is not new:
                break
            kept += 1
        here = slice(gone, gone + kept)
        added = np.array([_row(point) for point in points[kept:]]).reshape(-1, 7)
        self._table = np.concatenate((self._table[here], added))
        self._clouds = self._clouds[here] + [None] * (len(points) - kept)
        self._points = list(points)
        return here

    def x(self, *, by_n: bool) -> Column:
        """Places along the chart: powers of ten of N, or numbers of runs."""
        return self._table[:, 1 if by_n else 0]

    @property
    def gbps(self) -> Column:
        """The figures."""
        return self._table[:, 2]

    @property
    def slow(self) -> Column:
        """GB/s at the 80th percentile of the time."""
        return self._table[:, 3]

    @property
    def fast(self) -> Column:
        """GB/s at the 20th percentile of the time."""
        return self._table[:, 4]

    @property
    def ceilings(self) -> Column:
        """GB/s that nothing exceeds; NaN where that is not known."""
        return self._table[:, 5]

    @property
    def peers(self) -> NDArray[np.bool_]:
        """Which are drawn as lines."""
        return self._table[:, 6] > 0

    def clouds(self, chosen: NDArray[np.intp]) -> tuple[Column, Column, NDArray[np.intp]]:
        """Samples of the chosen points: how far to the side each stands, -1 to 1, its GB/s, and how many are whose."""
        found = []
        for place in chosen.tolist():
            cloud = self._clouds[place]
            if cloud is None:
                cloud = self._clouds[place] = _cloud(self._points[place].figure)
            found.append(cloud)
        sideways, speeds = (np.concatenate([cloud[part] for cloud in found]) for part in (0, 1))
        return sideways, speeds, np.array([cloud[0].size for cloud in found])


def _row(point: Point) -> tuple[float, ...]:
    ceiling = np.nan if point.ceiling is None else point.ceiling
    return (point.run, float(np.log10(point.shape[1])), point.figure.gbps, *spread(point.figure), ceiling, point.peer)


def _cloud(figure: Figure) -> Cloud:
    """Neighbours are put apart by a fixed pattern: the picture stays the same when it is drawn again."""
    samples = figure.samples_ms[figure.samples_ms > 0]
    sideways = (np.arange(samples.size, dtype=np.float64) * 0.618 % 1.0 - 0.5) * 2
    return sideways, figure.gbps * figure.p50_ms / samples

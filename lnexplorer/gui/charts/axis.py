"""Axes: whole numbers, numbers in full, and powers of ten with a place for zero."""

import pyqtgraph as pg

from lnexplorer.gui.charts.ticks import log_ticks, plain_number, thinned, tick_text

LABEL_SPACE = 60  # px that a label takes along its axis, at least


class WholeAxis(pg.AxisItem):
    """An axis of indices and counts: never a tick between two whole numbers."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N802, N803
        """Spacings of pyqtgraph, without those below one."""
        return _whole(super().tickSpacing(minVal, maxVal, size))

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Whole numbers in full: an index in thousands helps nobody."""
        return [f"{value:.0f}" for value in values]


class NumberAxis(pg.AxisItem):
    """An axis of plain numbers, with as many decimals as its ticks need, and none below zero."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """The numbers in full, however small."""
        return [plain_number(value, spacing) if value >= 0 else "" for value in values]


class LogAxis(pg.AxisItem):
    """An axis whose coordinates are log10 of what it says. `set_log(False)` makes it an ordinary one."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self.whole = False  # whether an ordinary axis shows whole numbers only
        self._log = True
        self._zero_at: float | None = None
        self._places: list[float] = []

    def set_places(self, places: list[float]) -> None:
        """Fix the ticks of a logarithmic scale, whole numbers given as log10; none leaves them to the axis."""
        self._places = places
        self.picture = None
        self.update()

    def set_log(self, log: bool, zero_at: float | None = None) -> None:
        """Choose the scale, and the coordinate at which a logarithmic one shows zero, if it does."""
        self._log, self._zero_at = log, zero_at
        self.picture = None
        self.update()

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N802, N803
        """Spacings of an ordinary axis."""
        spacings = list(super().tickSpacing(minVal, maxVal, size))
        return _whole(spacings) if self.whole else spacings

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802, N803
        """One level of ticks on a logarithmic scale."""
        if not self._log:
            return list(super().tickValues(minVal, maxVal, size))
        if self._places:
            return [(1.0, self._places)]
        most = max(2, int(size / LABEL_SPACE)) if self.orientation in {"bottom", "top"} else max(2, int(size / 32))
        places = thinned(log_ticks(minVal, maxVal, most), most)
        if self._zero_at is not None:
            apart = (maxVal - minVal) / max(size, 1) * (LABEL_SPACE if self.orientation in {"bottom", "top"} else 24)
            places = [self._zero_at, *(place for place in places if place >= self._zero_at + apart)]
        return [(1.0, places)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """The values themselves."""
        if not self._log:
            return [tick_text(value) if abs(value) > spacing / 1e6 else "0" for value in values]
        write = (lambda power: f"{power:.0f}") if self._places else tick_text
        return ["0" if value == self._zero_at else write(10.0**value) for value in values]


def _whole(spacings: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(spacing, offset) for spacing, offset in spacings if spacing >= 1] or [(1.0, 0.0)]

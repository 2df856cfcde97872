"""The upright axis of a sweep: speeds in full, shares as per cent, errors as powers of ten."""

from lnexplorer.gui.charts.axis import LogAxis
from lnexplorer.gui.charts.ticks import plain_number


class HeightAxis(LogAxis):
    """An axis that is told what its numbers are."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._logarithmic, self._percent = False, False
        self.set_log(False)

    def show_as(self, *, log: bool, percent: bool) -> None:
        """Choose how numbers are written."""
        self._logarithmic, self._percent = log, percent
        self.set_log(log)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """The numbers; none below zero, where nothing can be."""
        if self._logarithmic:
            return super().tickStrings(values, scale, spacing)
        if self._percent:
            return [f"{100 * value:.0f} %" if value >= 0 else "" for value in values]
        return [plain_number(value, spacing) if value >= 0 else "" for value in values]

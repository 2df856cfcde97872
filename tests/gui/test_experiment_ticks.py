"""Ticks of the panels of experiments."""

import itertools

import pytest

from lnexplorer.gui.charts.panel_chart import LINES_APART, grid_places, label_of, panel_ticks


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (-1.46, 1.1, ["0.1", "1", "10"]),
        (0.11, 3.65, ["10", "100", "1000"]),
        (-2.29, -0.07, ["0.01", "0.1", "0.5"]),
        (-2.6, 0.85, ["0.01", "0.1", "1"]),
    ],
)
def test_a_logarithmic_scale_of_few_lines_has_numbers_that_can_be_read(low: float, high: float, texts: list[str]) -> None:
    assert [label_of(10**place) for place in panel_ticks(low, high, 4.5, log=True)] == texts


@pytest.mark.parametrize("lines", [0.5, 1.5, 4.0, 20.0])
@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize(("low", "high"), [(-1.46, 1.1), (0.2, 0.9), (-3.0, 6.0), (0.31, 0.34)])
def test_ticks_are_inside_and_apart(low: float, high: float, log: bool, lines: float) -> None:
    ticks = panel_ticks(low, high, lines, log=log)
    assert ticks == sorted(ticks)
    assert ticks
    assert low - 1e-9 <= ticks[0] <= ticks[-1] <= high + 1e-9
    least = LINES_APART / lines * (high - low)
    assert all(after - before >= least * 0.999 for before, after in itertools.pairwise(ticks))
    assert set(ticks) <= set(grid_places(low, high, ticks, log=log))


def test_counts_have_whole_ticks_only() -> None:
    assert all(place == round(place) for place in panel_ticks(0.0, 2.2, 10.0, log=False, whole=True))

"""Lines over one parameter, as a picture inside a page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lnexplorer.report import svg

WIDTH, HEIGHT = 960, 400
LEFT, RIGHT, TOP, FOOT = 70, 28, 56, 62
LETTER = 8  # px
DOTS = 120  # lines of more points have none


@dataclass(frozen=True, slots=True)
class Spot:
    """One value, from where to where it reaches, and words for the cursor."""

    x: float
    y: float
    low: float
    high: float
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One line, broken where it has no value."""

    name: str
    colour: str
    spots: tuple[Spot, ...]
    gaps: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePicture:
    """What is drawn. Places on the x axis are those of `ticks`."""

    title: str
    x_label: str
    y_label: str
    ticks: tuple[tuple[float, str], ...]  # of the x axis
    series: tuple[Series, ...]
    wrong: tuple[tuple[float, str], ...] = ()  # places without a value, and why
    source: str = ""  # where it comes from, printed below
    log: bool = False  # the y axis


def line_picture(picture: LinePicture) -> str:
    """The picture; empty where there is nothing to draw."""
    spots = [spot for series in picture.series for spot in series.spots]
    places = [x for x, _ in picture.ticks]
    if not spots or not places:
        return ""
    across = _Scale(min(places), max(places), LEFT, WIDTH - RIGHT)
    low, high = min(spot.low for spot in spots), max(spot.high for spot in spots)
    up = _Upwards(low, high, HEIGHT - FOOT, TOP, log=picture.log and low > 0)
    parts = [svg.begin(WIDTH, HEIGHT, picture.title), svg.text(0, 16, picture.title, weight="bold")]
    for value, words in up.ticks():
        y = up.at(value)
        parts += [svg.line(LEFT, y, WIDTH - RIGHT, y, "grid"), svg.text(LEFT - 6, y + 4, words, anchor="end")]
    for x, words in _apart(picture.ticks, across):
        parts.append(svg.text(x, HEIGHT - FOOT + 18, words, anchor="middle"))
    parts.append(svg.text(WIDTH - RIGHT, HEIGHT - FOOT + 36, picture.x_label, anchor="end", kind="muted"))
    parts.append(svg.text(LEFT, TOP - 12, picture.y_label, kind="muted"))
    for series in picture.series:
        parts += _line(series, across, up)
    parts += [svg.cross(across.at(x), HEIGHT - FOOT - 6, tip) for x, tip in picture.wrong]
    parts += _legend(picture)
    parts.append(svg.text(0, HEIGHT - 6, picture.source, kind="muted"))
    return "\n".join([*parts, "</svg>"])


def _line(series: Series, across: "_Scale", up: "_Upwards") -> list[str]:
    spots = sorted(series.spots, key=lambda spot: spot.x)
    stretches: dict[int, list[tuple[float, float]]] = {}  # by how many gaps lie before
    for spot in spots:
        before = sum(gap < spot.x for gap in series.gaps)
        stretches.setdefault(before, []).append((across.at(spot.x), up.at(spot.y)))
    parts = [svg.path(points, series.colour) for points in stretches.values() if len(points) > 1]
    if len(spots) <= DOTS:
        for spot in spots:
            x = across.at(spot.x)
            if spot.high > spot.low:
                parts.append(svg.line(x, up.at(spot.low), x, up.at(spot.high), "spread"))
            parts.append(svg.dot(x, up.at(spot.y), series.colour, spot.tip))
    return parts


def _legend(picture: LinePicture) -> list[str]:
    parts: list[str] = []
    x = float(WIDTH - RIGHT)
    for series in reversed(picture.series):
        x -= LETTER * len(series.name) + 26
        parts += [svg.dot(x, TOP - 16, series.colour, radius=5), svg.text(x + 9, TOP - 12, series.name)]
    return parts


def _apart(ticks: Sequence[tuple[float, str]], across: "_Scale") -> list[tuple[float, str]]:
    """Where words of the x axis stand: from the last one on, as many as do not touch."""
    kept: list[tuple[float, str]] = []
    room = float(WIDTH)
    for value, words in reversed(ticks):
        x, half = across.at(value), LETTER * len(words) / 2
        if x + half <= room:
            kept.append((x, words))
            room = x - half - LETTER
    return kept


class _Scale:
    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        self._low, self._begin = low, begin
        self._factor = (end - begin) / (high - low) if high > low else 0.0
        self._middle = (begin + end) / 2

    def at(self, value: float) -> float:
        return self._begin + (value - self._low) * self._factor if self._factor else self._middle


class _Upwards:
    """The y axis, from 0 where it is linear."""

    def __init__(self, low: float, high: float, begin: float, end: float, *, log: bool) -> None:
        self._log = log
        self._low, self._high = 0.0, 1.05 * high if high > 0 else 1.0
        if log:
            self._low = float(math.floor(math.log10(low)))
            self._high = max(float(math.ceil(math.log10(high))), self._low + 1)
        self._scale = _Scale(self._low, self._high, begin, end)

    def at(self, value: float) -> float:
        return self._scale.at(math.log10(max(value, 10.0**self._low)) if self._log else value)

    def ticks(self) -> list[tuple[float, str]]:
        if self._log:
            return [(10.0**power, f"1e{power}") for power in range(int(self._low), int(self._high) + 1)]
        step = _round_step(self._high / 5)
        return [(place * step, f"{place * step:g}") for place in range(int(self._high / step) + 1)]


def _round_step(rough: float) -> float:
    """The nearest of 1, 2, 5, 10 … times a power of ten, not below."""
    power = 10.0 ** math.floor(math.log10(rough))
    return power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)

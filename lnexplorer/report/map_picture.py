"""A value for each pair of two parameters, as a picture inside a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lnexplorer.report import svg

WIDTH, LEFT, TOP, FOOT = 960, 110, 50, 58
LEAST_LINE, MOST_LINE = 8, 28  # px of a row
ROOM_FOR_TEXT = (44, 15)  # px of a cell that has its value in it
LABEL_WIDTH = 46  # px
# Dark to bright; words on it are black from the middle on.
RAMP = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))


@dataclass(frozen=True, slots=True)
class Cell:
    """One of them."""

    value: float | None  # None where something is wrong
    text: str  # in the cell: the value, or a short word for what is wrong
    tip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPicture:
    """What is drawn."""

    title: str
    columns: tuple[str, ...]  # words of the values
    rows: tuple[str, ...]
    column_label: str
    row_label: str
    cells: Mapping[tuple[int, int], Cell]  # by column and row
    best: frozenset[tuple[int, int]] = frozenset()
    source: str = ""
    falling: bool = False  # less is better, and brighter


def map_picture(picture: MapPicture) -> str:
    """The picture; empty where there is no cell."""
    values = [cell.value for cell in picture.cells.values() if cell.value is not None]
    if not picture.cells:
        return ""
    line = min(max(420 / len(picture.rows), LEAST_LINE), MOST_LINE)
    across = (WIDTH - LEFT) / len(picture.columns)
    height = TOP + line * len(picture.rows) + FOOT
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    parts = [svg.begin(WIDTH, height, picture.title), svg.text(0, 16, picture.title, weight="bold")]
    parts.append(svg.text(LEFT - 8, TOP - 9, picture.row_label, anchor="end", kind="muted"))
    for (column, row), cell in sorted(picture.cells.items()):
        x, y = LEFT + column * across, TOP + row * line
        part = 0.0 if cell.value is None or high == low else (cell.value - low) / (high - low)
        part = 1 - part if picture.falling else part
        parts.append(svg.box(x, y, across, line, _ramp(part), cell.tip, kind="none" if cell.value is None else ""))
        if across >= ROOM_FOR_TEXT[0] and line >= ROOM_FOR_TEXT[1]:
            kind = "muted" if cell.value is None else "on-bright" if part > 0.5 else "on-dark"
            parts.append(svg.text(x + across / 2, y + line / 2 + 4.5, cell.text, anchor="middle", kind=kind))
    parts += [
        f'<rect class="best" x="{LEFT + column * across + 1:.1f}" y="{TOP + row * line + 1:.1f}"'
        f' width="{across - 2:.1f}" height="{line - 2:.1f}"/>'
        for column, row in sorted(picture.best)
    ]
    foot = TOP + line * len(picture.rows)
    for column, words in _every(picture.columns, across, LABEL_WIDTH):
        parts.append(svg.text(LEFT + (column + 0.5) * across, foot + 16, words, anchor="middle"))
    for row, words in _every(picture.rows, line, 14):
        parts.append(svg.text(LEFT - 8, TOP + (row + 0.5) * line + 4.5, words, anchor="end"))
    parts.append(svg.text(WIDTH, foot + 34, picture.column_label, anchor="end", kind="muted"))
    parts.append(svg.text(0, height - 6, picture.source, kind="muted"))
    return "\n".join([*parts, "</svg>"])


def _every(words: Sequence[str], size: float, room: float) -> list[tuple[int, str]]:
    step = max(1, -(-int(room) // max(int(size), 1)))
    return [(place, text) for place, text in enumerate(words) if place % step == 0]


def _ramp(part: float) -> str:
    place = min(max(part, 0.0), 1.0) * (len(RAMP) - 1)
    first = min(int(place), len(RAMP) - 2)
    mixed = (round(a + (b - a) * (place - first)) for a, b in zip(RAMP[first], RAMP[first + 1], strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)

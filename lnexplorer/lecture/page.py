"""One step of the lecture as a picture: chapter and badge above, title, picture, caption, number of
the step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainterPath, QPen

from lnexplorer.domain.experiments.barrier import BarrierSide
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.material import halts, latest
from lnexplorer.domain.lecture.scenes import (
    Asked,
    ChartScene,
    Closing,
    ComparisonScene,
    LectureStep,
    Levels,
    Memories,
    Moves,
    Opening,
    Playback,
    Product,
    Scene,
    SceneEvent,
    Tables,
)
from lnexplorer.domain.lecture.storyboard import CHAPTERS, TITLE
from lnexplorer.domain.roofline import Roofline
from lnexplorer.gui.charts.levels import draw_levels
from lnexplorer.gui.charts.roofline import draw_roofline
from lnexplorer.gui.charts.sheet import CENTRE, LEFT, RIGHT, TOP, Sheet
from lnexplorer.gui.kit.theme import BLUE, GREEN, ORANGE, mixed
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.timeline.colours import legible_on
from lnexplorer.lecture.gpu_pages import draw_columns, draw_memories, draw_product
from lnexplorer.lecture.number_pages import draw_event, draw_moves, draw_tables
from lnexplorer.lecture.picture_pages import Pictures, draw_chart, draw_strategies
from lnkernels.values.environment import KIND_NAMES, Kind

translate = QCoreApplication.translate

_MARGIN = 0.035  # share of the width
_HEADER, _TITLE, _CAPTION, _FOOTER = (
    0.075,
    0.165,
    0.82,
    0.945,
)  # where they end or begin, shares of the height
_CAPTION_WITH_ASIDE = 0.77
_ASIDE = 1.45  # units
OPTIONAL = "○"  # before the number of a step that can be left out
_REST = 0.4  # of a timeline: where most of it can be seen
_BADGES = {Kind.SIMULATED: ORANGE, Kind.RECORDED: GREEN, None: BLUE}


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PageState:
    """What a page is drawn from."""

    step: LectureStep
    time_ns: float | None = (
        None  # of the timeline that plays; None: one at which most of it can be seen
    )
    typed: str = ""
    notice: str = ""  # something that the speaker has to know now
    guess: int | None = None  # the option that the room has chosen

    @property
    def now_ns(self) -> float:
        if self.time_ns is not None or not isinstance(self.step.scene, Playback):
            return self.time_ns or 0.0
        return _REST * self.step.scene.end_ns


def said(state: PageState) -> str:
    """The caption of a step as it is now: while a timeline plays, what happened last in it."""
    scene = state.step.scene
    passing = (
        latest(scene.case.timeline, state.now_ns, scene.end_ns)
        if isinstance(scene, Playback)
        else None
    )
    return translate_message(passing or state.step.caption)


def draw_page(sheet: Sheet, state: PageState, pictures: Pictures) -> None:
    """Draw everything of a step."""
    sheet.painter.fillRect(
        QRectF(0, 0, sheet.size.width(), sheet.size.height()), sheet.palette.background
    )
    step, says = state.step, said(state)
    _draw_header(sheet, state)
    top = _HEADER + 0.01
    if step.title is not None and not isinstance(
        step.scene, Playback
    ):  # whose picture needs the height
        words = translate_message(step.title)
        sheet.write(
            sheet.rect(_MARGIN, _HEADER, 1 - _MARGIN, _TITLE),
            words,
            sheet.large,
            align=LEFT,
            bold=True,
        )
        top = _TITLE + 0.01
    below = (
        _CAPTION if step.aside is None or isinstance(step.scene, Playback) else _CAPTION_WITH_ASIDE
    )
    _draw_scene(
        sheet,
        sheet.rect(_MARGIN, top, 1 - _MARGIN, (below if says else _FOOTER) - 0.01),
        state,
        pictures,
    )
    if says:
        bar = sheet.rect(_MARGIN, below + 0.012, _MARGIN, _FOOTER - 0.012)
        bar.setWidth(0.3 * sheet.unit)
        sheet.box(bar, sheet.palette.accent)
        room = sheet.rect(_MARGIN, below, 1 - _MARGIN, _FOOTER).adjusted(sheet.unit, 0, 0, 0)
        if step.aside is not None:
            last = QRectF(
                room.left(), room.bottom() - _ASIDE * sheet.unit, room.width(), _ASIDE * sheet.unit
            )
            room.setBottom(last.top())
            sheet.write(last, translate_message(step.aside), sheet.small, sheet.palette.muted, LEFT)
        sheet.write(room, says, sheet.body, align=LEFT)
    typed, optional = (
        f"→ {state.typed}   " if state.typed else "",
        f"{OPTIONAL} " if step.optional else "",
    )
    text = f"{typed}{translate_message(step.minute)}   {optional}{step.number} / {step.count}"
    foot = sheet.rect(0.3, _FOOTER, 1 - _MARGIN, 0.998)
    taken = sheet.write(foot, text, sheet.small, sheet.palette.muted, RIGHT)
    if isinstance(step.scene, Playback):
        times = (*halts(step.scene.case.timeline, step.scene.end_ns), step.scene.end_ns)
        dots = "".join(
            "●" if time <= state.now_ns else "○" for time in times
        )  # those that have been told are filled
        before = QRectF(
            foot.left(), foot.top(), taken.left() - sheet.unit - foot.left(), foot.height()
        )
        sheet.write(before, dots, sheet.small, sheet.palette.accent, RIGHT)


def _draw_header(sheet: Sheet, state: PageState) -> None:
    room = sheet.rect(_MARGIN, 0.012, 1 - _MARGIN, _HEADER)
    if state.notice:
        sheet.write(room, state.notice, sheet.small, QColor("#ff6b5e"), LEFT, bold=True)
        return
    step, played = state.step, isinstance(state.step.scene, Playback)
    head = translate_message(step.title)
    if not played:
        head = f"{step.chapter}  {translate_message(CHAPTERS[step.chapter - 1])}"
    if not isinstance(step.scene, Opening):
        name = (
            translate_message(KIND_NAMES[step.kind])
            if step.kind is not None
            else translate("lecture", "calculated")
        )
        text, free = " · ".join((name, *step.source)), room.width() - 3 * sheet.unit
        if (
            sheet.width_of(text, sheet.small, bold=True)
            + sheet.width_of(head, sheet.body, bold=True)
            > free
        ):
            text = " · ".join((name, *step.source[:1]))  # without the date, on a narrow page
        width = sheet.width_of(text, sheet.small, bold=True) + 1.4 * sheet.unit
        badge = QRectF(room.right() - width, room.top(), width, room.height())
        colour = QColor(_BADGES[step.kind])
        sheet.box(badge, colour)
        sheet.write(badge, text, sheet.small, legible_on(colour), CENTRE, bold=True)
        room.setRight(badge.left() - sheet.unit)
    if played:
        sheet.write(room, head, sheet.body, sheet.palette.text, LEFT, bold=True)
    elif not isinstance(step.scene, Opening):
        sheet.write(room, head, sheet.small, sheet.palette.muted, LEFT)


def _draw_scene(sheet: Sheet, room: QRectF, state: PageState, pictures: Pictures) -> None:
    match state.step.scene:
        case Asked() as scene:
            _draw_question(sheet, room, scene, state.guess)
        case Playback() as scene:
            pictures.draw_timeline(sheet, room, scene, state.now_ns)
        case scene:
            _DRAWN[type(scene)](sheet, room, scene)


_CHAPTER = 1.6  # units
_EMBLEM_ROWS = 8
_LEAST_EMBLEM = 0.2  # share of the page's width


def _draw_opening(sheet: Sheet, room: QRectF, scene: Opening) -> None:
    """The lecture's title above the chapters, the one that begins marked."""
    chapter = scene.chapter
    unit, palette, titles = (
        sheet.unit,
        sheet.palette,
        [translate_message(title) for title in CHAPTERS],
    )
    head = QRectF(room.left(), room.top() + 0.04 * room.height(), room.width(), 0.3 * room.height())
    sheet.write(head, translate_message(TITLE), 2.6, palette.text, LEFT, bold=True)
    emblem = sheet.rect(0.66, 0.46, 0.955, 0.86)
    height = min(3.4 * unit, 0.58 * room.height() / len(titles))
    top, left = head.bottom() + 1.2 * unit, room.left() + height + 0.5 * unit
    longest = max(sheet.width_of(text, _CHAPTER, bold=True) for text in titles)
    emblem.setLeft(
        max(emblem.left(), left + longest + 1.2 * unit)
    )  # whichever of them is marked, and so the widest
    if emblem.width() > _LEAST_EMBLEM * sheet.size.width():
        _draw_emblem(sheet, emblem)
    for number, title in enumerate(titles, start=1):
        current = number == chapter
        box = QRectF(
            room.left(), top + (number - 1) * height, height - 0.5 * unit, height - 0.5 * unit
        )
        fill = palette.accent if current else palette.cell
        sheet.box(box, fill)
        sheet.write(box, str(number), 1.5, legible_on(fill), CENTRE, bold=True)
        colour = palette.text if current or not chapter else palette.muted
        text = QRectF(left, box.top(), room.right() - left, box.height())
        sheet.write(text, title, _CHAPTER, colour, LEFT, bold=current)


def _draw_emblem(sheet: Sheet, area: QRectF) -> None:
    """Rows, the two buffers that they go to, and the sum: the lecture in one picture."""
    palette, unit = sheet.palette, sheet.unit
    columns = [area.left() + share * area.width() for share in (0.0, 0.45, 0.85)]
    widths = [share * area.width() for share in (0.22, 0.2, 0.15)]
    high = 0.68 * area.height() / _EMBLEM_ROWS
    middles = [
        area.top() + (row + 0.5) * area.height() / _EMBLEM_ROWS for row in range(_EMBLEM_ROWS)
    ]
    buffers = [area.top() + share * area.height() for share in (0.3, 0.7)]
    for row, middle in enumerate(middles):
        _draw_way(
            sheet,
            QPointF(columns[0] + widths[0], middle),
            QPointF(columns[1], buffers[row % 2]),
            palette.lock(row),
        )
        sheet.box(QRectF(columns[0], middle - high / 2, widths[0], high), palette.lock(row))
    for lock, middle in enumerate(buffers):
        _draw_way(
            sheet,
            QPointF(columns[1] + widths[1], middle),
            QPointF(columns[2], area.center().y()),
            palette.lock(lock),
        )
        sheet.box(
            QRectF(columns[1], middle - 0.9 * unit, widths[1], 1.8 * unit), palette.lock(lock)
        )
    sheet.box(
        QRectF(columns[2], area.center().y() - 1.2 * unit, widths[2], 2.4 * unit), palette.good
    )


def _draw_way(sheet: Sheet, start: QPointF, end: QPointF, colour: QColor) -> None:
    path = QPainterPath(start)
    bend = QPointF((end.x() - start.x()) / 2, 0)
    path.cubicTo(start + bend, end - bend, end)
    sheet.painter.setPen(QPen(mixed(sheet.palette.background, colour, 0.75), 0.12 * sheet.unit))
    sheet.painter.drawPath(path)


_LETTERS = "ABCD"
_LARGE_COLUMNS = 3  # of a table in large type
_WIDEST_COLUMN = 0.4  # share of the width: longer words take two lines
_FRAME = 0.2  # units: of the room's guess


def _draw_question(sheet: Sheet, room: QRectF, scene: Asked, guess: int | None) -> None:
    """The options keep their places when the answer comes; `guess` is the one that the room has
    chosen.
    """
    unit, palette, question, revealed = sheet.unit, sheet.palette, scene.question, scene.revealed
    head = QRectF(room.left(), room.top(), room.width(), 0.26 * room.height())
    sheet.write(head, translate_message(question.text), sheet.large, palette.text, LEFT, bold=True)
    top = head.bottom() + 0.6 * unit
    height = min(3.3 * unit, (0.44 * room.height()) / len(question.options))
    for place, text in enumerate(question.options):
        right, guessed = revealed and place == question.correct, place == guess
        area = QRectF(room.left(), top + place * height, room.width(), height - 0.45 * unit)
        fill = palette.good if right else palette.cell
        sheet.options.append(area)
        sheet.box(area, fill, palette.accent if guessed else None, _FRAME)
        ink = (
            legible_on(fill)
            if right or guessed or not revealed
            else mixed(palette.muted, palette.background, 0.15)
        )
        sign = "✓" if right else "✗" if revealed and guessed else _LETTERS[place]
        sheet.write(
            QRectF(area.left() + 0.3 * unit, area.top(), 2 * unit, area.height()),
            sign,
            sheet.body,
            ink,
            CENTRE,
            bold=True,
        )
        rest = area.adjusted(2.6 * unit, 0, -0.4 * unit, 0)
        sheet.write(rest, translate_message(text), sheet.body, ink, LEFT, bold=right)
    if revealed:
        below = QRectF(
            room.left(), top + len(question.options) * height + 0.7 * unit, room.width(), 0
        )
        below.setBottom(room.bottom())
        sheet.write(
            below, "\n".join(map(translate_message, question.answer)), sheet.body, align=TOP
        )


def _draw_comparison(sheet: Sheet, room: QRectF, scene: ComparisonScene) -> None:
    """A table; its columns are as wide as their words, as far as there is room."""
    unit, palette = sheet.unit, sheet.palette
    lines = [[translate_message(text) for text in line] for line in scene.lines]
    best = scene.best % len(lines[0])
    height = min(3.6 * unit, room.height() / len(lines))
    top = room.top() + (room.height() - height * len(lines)) / 3
    large = 1.9 if len(lines[0]) <= _LARGE_COLUMNS else sheet.body
    wanted = []
    for column, (heading, *texts) in enumerate(zip(*lines, strict=True)):
        widths = [
            sheet.width_of(text, large if column else sheet.body, bold=column > 0) for text in texts
        ]
        wanted.append(
            min(
                max(*widths, sheet.width_of(heading, sheet.body)) + 1.4 * unit,
                _WIDEST_COLUMN * room.width(),
            )
        )
    left = room.left()
    for column, width in enumerate(share * room.width() / sum(wanted) for share in wanted):
        areas = [
            QRectF(left, top + row * height, width - 0.8 * unit, height - 0.2 * unit)
            for row in range(len(lines))
        ]
        size = sheet.fitting(
            areas[0],
            [line[column] for line in lines[1:]],
            large if column else sheet.body,
            bold=column > 0,
        )
        for row, (area, line) in enumerate(zip(areas, lines, strict=True)):
            heading = row == 0 or column == 0
            matters = (
                row == scene.marked if scene.marked is not None else column == best and not heading
            )
            colour = palette.accent if matters else palette.muted if heading else palette.text
            align = CENTRE if column else LEFT
            sheet.write(
                area, line[column], size if row else sheet.body, colour, align, bold=not heading
            )
        left += width
    for row in range(1, len(lines)):
        sheet.painter.setPen(QPen(palette.line, 0.06 * unit))
        y = top + row * height - 0.1 * unit
        sheet.painter.drawLine(QLineF(room.left(), y, room.right(), y))


def _draw_closing(sheet: Sheet, room: QRectF, scene: Closing) -> None:
    unit, palette = sheet.unit, sheet.palette
    height = room.height() / len(scene.points)
    for place, text in enumerate(scene.points):
        top = room.top() + place * height
        sheet.box(
            QRectF(room.left(), top + height / 2 - 0.9 * unit, 0.35 * unit, 1.8 * unit),
            palette.accent,
        )
        beside = QRectF(
            room.left() + 1.4 * unit, top, room.width() - 1.4 * unit, height - 0.3 * unit
        )
        sheet.write(beside, translate_message(text), 1.5)


def draw_help(sheet: Sheet, lines: Sequence[tuple[str, str]]) -> None:
    """Draw the keys and what they do."""
    sheet.painter.fillRect(
        QRectF(0, 0, sheet.size.width(), sheet.size.height()), sheet.palette.background
    )
    sheet.write(
        sheet.rect(0.06, 0.04, 0.94, 0.15), translate("lecture", "Keys"), 2.0, align=LEFT, bold=True
    )
    height = 0.75 / len(lines)
    for place, (keys, meaning) in enumerate(lines):
        top = 0.17 + place * height
        sheet.write(
            sheet.rect(0.06, top, 0.38, top + height),
            keys,
            sheet.body,
            sheet.palette.accent,
            LEFT,
            bold=True,
        )
        sheet.write(sheet.rect(0.4, top, 0.97, top + height), meaning, sheet.body, align=LEFT)


# Scenes that are drawn from themselves alone.
_DRAWN: dict[type[Scene], Callable[[Sheet, QRectF, Any], None]] = {
    Opening: _draw_opening,
    Tables: draw_tables,
    SceneEvent: draw_event,
    Moves: draw_moves,
    ChartScene: draw_chart,
    BarrierSide: draw_columns,
    Levels: draw_levels,
    Memories: draw_memories,
    Roofline: draw_roofline,
    Product: draw_product,
    ComparisonScene: _draw_comparison,
    Strategies: draw_strategies,
    Closing: _draw_closing,
}

"""Draws one step of the lecture: chapter and badge, title, picture, caption and number."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainterPath, QPen

from lnexplorer.domain.experiments.barrier import BarrierSide
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.scenes import (
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
    QuestionScene,
    Scene,
    SceneEvent,
    Scheduling,
    Tables,
)
from lnexplorer.domain.lecture.storyboard import CHAPTERS, TITLE
from lnexplorer.domain.roofline import Roofline
from lnexplorer.gui.charts.diagrams import draw_levels, draw_roofline
from lnexplorer.gui.charts.sheet import TOP, Sheet, within
from lnexplorer.gui.kit import BLUE, CENTRE, GREEN, LEFT, ORANGE, RIGHT, mixed, translate_message
from lnexplorer.gui.timeline.frame import legible_on
from lnexplorer.lecture.number_pages import draw_event, draw_moves, draw_tables
from lnexplorer.lecture.picture_pages import (
    HiddenCanvas,
    draw_chart,
    draw_columns,
    draw_memories,
    draw_product,
    draw_strategies,
)
from lnkernels.values import Words, frozen_by_name, join_sentences, say
from lnkernels.values.environment import Kind

_MARGIN = 0.035  # share of the width
# Ends and beginnings, in shares of the height.
_HEADER, _TITLE, _CAPTION, _FOOTER = 0.075, 0.165, 0.82, 0.945
_CAPTION_WITH_ASIDE = 0.77
_ASIDE = 1.45  # units
_REST = 0.4  # of a timeline: most of it can be seen there
_BADGES = {Kind.SIMULATED: ORANGE, Kind.RECORDED: GREEN, None: BLUE}


@frozen_by_name(eq=False)
class PageState:
    """Everything that a page shows."""

    step: LectureStep
    time_ns: float | None = None  # of the timeline; None: one at which most of it can be seen
    typed: str = ""
    notice: str = ""  # something that the speaker has to know now
    guess: int | None = None  # the option that the room has chosen
    order: tuple[int, ...] = ()  # of the programs that the room has let go on

    @property
    def now_ns(self) -> float:
        if self.time_ns is not None or not isinstance(self.step.scene, Playback):
            return self.time_ns or 0.0
        # A halt, so that the sentence is of the moment in the picture.
        rest = _REST * self.step.scene.end_ns
        return min(self.step.scene.halts, key=lambda halt: abs(halt - rest))


def said(state: PageState) -> str:
    """Return the caption of a step now: while a timeline plays, what happened last in it."""
    scene, passing = state.step.scene, None
    if isinstance(scene, Playback):
        passing = scene.latest(state.now_ns)
    return translate_message(passing or state.step.caption)


def draw_page(sheet: Sheet, state: PageState, pictures: HiddenCanvas) -> None:
    """Draw everything of a step."""
    sheet.clear()
    step, caption = state.step, said(state)
    plays = step.scene if isinstance(step.scene, Playback) else None  # it needs the height
    _draw_header(sheet, state)
    top = _HEADER
    if step.title is not None and plays is None:
        room = sheet.rect(_MARGIN, _HEADER, 1 - _MARGIN, _TITLE)
        sheet.write(room, step.title, sheet.large, bold=True)
        top = _TITLE
    below = _CAPTION if step.aside is None or plays is not None else _CAPTION_WITH_ASIDE
    bottom = below if caption else _FOOTER
    draw_scene(sheet, sheet.rect(_MARGIN, top + 0.01, 1 - _MARGIN, bottom - 0.01), state, pictures)
    if caption:
        bar = sheet.rect(_MARGIN, below + 0.012, _MARGIN, _FOOTER - 0.012)
        sheet.box(within(bar, width=0.3 * sheet.unit), sheet.palette.accent)
        room = sheet.rect(_MARGIN, below, 1 - _MARGIN, _FOOTER).adjusted(sheet.unit, 0, 0, 0)
        if step.aside is not None:
            last = within(room, top=room.height() - _ASIDE * sheet.unit)
            room.setBottom(last.top())
            sheet.label(last, step.aside)
        sheet.write(room, caption)
    typed = f"→ {state.typed}   " if state.typed else ""
    minute = translate_message(step.minute)
    number = f"{typed}{minute}   {step.number} / {step.count}"
    foot = sheet.rect(0.3, _FOOTER, 1 - _MARGIN, 0.998)
    taken = sheet.label(foot, number, RIGHT)
    if plays is not None:
        # Filled: told.
        dots = "".join("●" if time_ns <= state.now_ns else "○" for time_ns in plays.halts)
        before = within(foot, width=taken.left() - sheet.unit - foot.left())
        sheet.write(before, dots, sheet.small, sheet.palette.accent, RIGHT)


def _draw_header(sheet: Sheet, state: PageState) -> None:
    room = sheet.rect(_MARGIN, 0.012, 1 - _MARGIN, _HEADER)
    if state.notice:
        sheet.write(room, state.notice, sheet.small, QColor("#ff6b5e"), LEFT, bold=True)
        return
    step, played = state.step, isinstance(state.step.scene, Playback)
    if isinstance(step.scene, Opening):
        return
    head: Words = step.title or ""
    if not played:
        number = step.chapters.index(step.chapter) + 1
        head = f"{number}  {translate_message(CHAPTERS[step.chapter - 1])}"
    parts = [translate_message(part) for part in step.badge]
    free = room.width() - 3 * sheet.unit - sheet.width_of(head, bold=True)
    if sheet.width_of(" · ".join(parts), sheet.small, bold=True) > free:
        parts = parts[:2]  # without the date, on a narrow page
    if parts:
        text = " · ".join(parts)
        width = sheet.width_of(text, sheet.small, bold=True) + 1.4 * sheet.unit
        badge = within(room, room.width() - width)
        colour = QColor(_BADGES[step.kind])
        sheet.box(badge, colour)
        sheet.write(badge, text, sheet.small, legible_on(colour), CENTRE, bold=True)
        room.setRight(badge.left() - sheet.unit)
    if played:
        sheet.write(room, head, bold=True)
    else:
        sheet.label(room, head)


def draw_scene(sheet: Sheet, room: QRectF, state: PageState, pictures: HiddenCanvas) -> None:
    """Draw what a step shows between its title and its caption."""
    match state.step.scene:
        case Opening():
            _draw_opening(sheet, room, state.step)
        case QuestionScene() as scene:
            _draw_question(sheet, room, scene, state.guess)
        case Scheduling() as scene:
            _draw_scheduling(sheet, room, scene, state.order)
        case Playback() as scene:
            pictures.draw_timeline(sheet, room, scene, state.now_ns)
        case scene:
            _DRAWN[type(scene)](sheet, room, scene)


_CHAPTER = 1.6  # units
_EMBLEM_ROWS = 8
_LEAST_EMBLEM = 0.2  # share of the page's width


def _draw_opening(sheet: Sheet, room: QRectF, step: LectureStep) -> None:
    """Draw the lecture's title above the chapters, the one that begins marked."""
    unit, palette = sheet.unit, sheet.palette
    chapters = [CHAPTERS[chapter - 1] for chapter in step.chapters]
    head = within(room, top=0.04 * room.height(), height=0.3 * room.height())
    sheet.write(head, TITLE, 2.6, bold=True)
    height = min(3.4 * unit, 0.58 * room.height() / len(chapters))
    below = within(room, top=head.bottom() + 1.2 * unit - room.top())
    # Whichever chapter is marked, and so the widest, the emblem keeps its place.
    longest = max(sheet.width_of(text, _CHAPTER, bold=True) for text in chapters)
    emblem = sheet.rect(0.66, 0.46, 0.955, 0.86)
    emblem.setLeft(max(emblem.left(), room.left() + height + longest + 1.7 * unit))
    if emblem.width() > _LEAST_EMBLEM * sheet.size.width():
        _draw_emblem(sheet, emblem)
    for number, title in enumerate(chapters, start=1):
        current, side = step.chapters[number - 1] == step.chapter, height - 0.5 * unit
        box = within(below, top=(number - 1) * height, width=side, height=side)
        fill = palette.accent if current else palette.cell
        sheet.box(box, fill)
        sheet.write(box, str(number), 1.5, legible_on(fill), CENTRE, bold=True)
        colour = palette.text if current or not step.chapter else palette.muted
        text = within(below, height + 0.5 * unit, box.top() - below.top(), height=side)
        sheet.write(text, title, _CHAPTER, colour, LEFT, bold=current)


def _draw_emblem(sheet: Sheet, area: QRectF) -> None:
    """Draw rows, the two buffers that they go to, and the sum: the lecture in one picture."""
    palette, unit, middle = sheet.palette, sheet.unit, area.center().y()
    (rows, wide), (sums, broad), (result, narrow) = (
        (area.left() + share * area.width(), part * area.width())
        for share, part in ((0.0, 0.22), (0.45, 0.2), (0.85, 0.15))
    )
    pitch = area.height() / _EMBLEM_ROWS
    buffers = [area.top() + share * area.height() for share in (0.3, 0.7)]

    def box(left: float, width: float, y: float, height: float, colour: QColor) -> None:
        sheet.box(QRectF(left, y - height / 2, width, height), colour)

    for row in range(_EMBLEM_ROWS):
        y, colour = area.top() + (row + 0.5) * pitch, palette.lock(row)
        _draw_way(sheet, QPointF(rows + wide, y), QPointF(sums, buffers[row % 2]), colour)
        box(rows, wide, y, 0.68 * pitch, colour)
    for lock, y in enumerate(buffers):
        _draw_way(sheet, QPointF(sums + broad, y), QPointF(result, middle), palette.lock(lock))
        box(sums, broad, y, 1.8 * unit, palette.lock(lock))
    box(result, narrow, middle, 2.4 * unit, palette.good)


def _draw_way(sheet: Sheet, start: QPointF, end: QPointF, colour: QColor) -> None:
    path = QPainterPath(start)
    bend = QPointF((end.x() - start.x()) / 2, 0)
    path.cubicTo(start + bend, end - bend, end)
    sheet.painter.setPen(QPen(mixed(sheet.palette.background, colour, 0.75), 0.12 * sheet.unit))
    sheet.painter.drawPath(path)


_LETTERS = "ABCD"
_LARGE_COLUMNS = 3  # of a table in large type
_WIDEST_COLUMN = 0.4  # share of the width: longer words take two lines
_MARKED = 0.24  # of the accent in the ground of what matters
_FRAME = 0.2  # units: of the room's guess


def _draw_question(sheet: Sheet, room: QRectF, scene: QuestionScene, guess: int | None) -> None:
    """Draw a question. Its options keep their places when the answer comes.

    `guess` is the option that the room has chosen.
    """
    unit, palette, question, revealed = sheet.unit, sheet.palette, scene.question, scene.revealed
    head = within(room, height=0.26 * room.height())
    sheet.write(head, question.text, sheet.large, bold=True)
    below = within(room, top=head.height() + 0.6 * unit)
    height = min(3.3 * unit, (0.44 * room.height()) / len(question.options))
    for place, text in enumerate(question.options):
        right, guessed = revealed and place == question.correct, place == guess
        area = within(below, top=place * height, height=height - 0.45 * unit)
        fill = palette.good if right else palette.cell
        sheet.options.append(area)
        sheet.box(area, fill, palette.accent if guessed else None, _FRAME)
        ink = legible_on(fill)
        if revealed and not right and not guessed:
            ink = mixed(palette.muted, palette.background, 0.15)
        sign = "✓" if right else "✗" if revealed and guessed else _LETTERS[place]
        letter = within(area, 0.3 * unit, width=2 * unit)
        sheet.write(letter, sign, sheet.body, ink, CENTRE, bold=True)
        rest = area.adjusted(2.6 * unit, 0, -0.4 * unit, 0)
        sheet.write(rest, text, sheet.body, ink, LEFT, bold=right)
    if revealed:
        answer = within(below, top=len(question.options) * height + 0.7 * unit)
        lines = join_sentences(question.answer, "\n")
        sheet.write(answer, lines, sheet.body, align=TOP)


def _draw_scheduling(sheet: Sheet, room: QRectF, scene: Scheduling, order: tuple[int, ...]) -> None:
    """Draw a button for each program, and below what the programs have done in this order."""
    unit, width = sheet.unit, 0.5 * (room.width() + sheet.unit)
    for place, (row, _) in enumerate(scene.rows):
        area = within(room, place * width, 0.0, width - unit, 2.6 * unit)
        colour = sheet.palette.lock(place)
        sheet.options.append(area)
        sheet.box(area, mixed(sheet.palette.background, colour, 0.42), colour)
        text = say("{key}: program {row} goes on", key="JK"[place], row=row)
        sheet.write(area, text, align=CENTRE)
    draw_moves(sheet, within(room, top=3.4 * unit), scene.played(order))


def _draw_comparison(sheet: Sheet, room: QRectF, scene: ComparisonScene) -> None:
    """Draw a table, its columns as wide as their words, as far as there is room."""
    unit, palette, lines = sheet.unit, sheet.palette, scene.lines
    height = min(3.6 * unit, room.height() / len(lines))
    room = within(room, top=(room.height() - height * len(lines)) / 3)
    large = 1.9 if len(lines[0]) <= _LARGE_COLUMNS else sheet.body
    columns = [
        (texts, large if place else sheet.body, place > 0)
        for place, texts in enumerate(zip(*lines, strict=True))
    ]
    wanted = []
    for texts, size, bold in columns:
        longest = max(sheet.width_of(text, size, bold=bold) for text in texts[1:])
        longest = max(longest, sheet.width_of(texts[0])) + 1.4 * unit
        wanted.append(min(longest, _WIDEST_COLUMN * room.width()))
    left = 0.0
    for place, (texts, largest, bold) in enumerate(columns):
        width = wanted[place] * room.width() / sum(wanted)
        first = within(room, left, 0.0, width - 0.8 * unit, height - 0.2 * unit)
        size = sheet.fitting(first, texts[1:], largest, bold=bold)
        for row, text in enumerate(texts):
            heading, marked = row == 0 or place == 0, scene.matters(row, place)
            colour = palette.muted if heading and not marked else palette.text
            units = size if row else sheet.body
            align = CENTRE if place else LEFT
            area = first.translated(0, row * height)
            if marked:  # a ground, which prints without colours show as well
                ground = mixed(palette.background, palette.accent, _MARKED)
                sheet.box(area.adjusted(-0.3 * unit, 0, 0.3 * unit, -0.1 * unit), ground, None, 0)
            sheet.write(area, text, units, colour, align, bold=not heading)
        left += width
    for row in range(1, len(lines)):
        sheet.rule(room, room.top() + row * height - 0.1 * unit)


def _draw_closing(sheet: Sheet, room: QRectF, scene: Closing) -> None:
    unit, height = sheet.unit, room.height() / len(scene.points)
    for place, text in enumerate(scene.points):
        line = within(room, top=place * height, height=height)
        bar = within(line, 0.0, height / 2 - 0.9 * unit, 0.35 * unit, 1.8 * unit)
        sheet.box(bar, sheet.palette.accent)
        sheet.write(line.adjusted(1.4 * unit, 0, 0, -0.3 * unit), text, 1.5)


def draw_help(sheet: Sheet, lines: Sequence[tuple[str, Words]]) -> None:
    """Draw the keys and what they do."""
    sheet.clear()
    sheet.write(sheet.rect(0.06, 0.04, 0.94, 0.15), say("Keys"), 2.0, bold=True)
    height = 0.75 / len(lines)
    for place, (keys, meaning) in enumerate(lines):
        top = 0.17 + place * height
        area = sheet.rect(0.06, top, 0.38, top + height)
        sheet.write(area, keys, sheet.body, sheet.palette.accent, LEFT, bold=True)
        sheet.write(sheet.rect(0.4, top, 0.97, top + height), meaning)


# Scenes that are drawn from themselves alone.
_DRAWN: dict[type[Scene], Callable[[Sheet, QRectF, Any], None]] = {
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

"""One step of the lecture as a picture: chapter and badge above, title, picture, caption, number of the step."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from lnexplorer.domain.lecture.material import Material, halts
from lnexplorer.domain.lecture.storyboard import (
    Asked,
    Charted,
    Closing,
    Compared,
    Opening,
    Played,
    Raced,
    Step,
    Strode,
    Told,
    Worked,
)
from lnexplorer.gui.charts.theme import BLUE, GREEN, ORANGE
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.lecture.example_pages import draw_beat_page, draw_stride_page, draw_table_page
from lnexplorer.gui.lecture.question_page import answer_to, draw_question_page
from lnexplorer.gui.lecture.recorded_pages import TracePicture, draw_chart_page, draw_race_page
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, RIGHT, Sheet
from lnexplorer.gui.lecture.text_page import draw_closing, draw_comparison, draw_opening
from lnexplorer.gui.lecture.words import aside, caption, chapter_titles, passing_text, title
from lnexplorer.gui.reduction.painter.colours import legible_on
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

translate = QCoreApplication.translate

_MARGIN = 0.035  # share of the width
_HEADER, _TITLE, _CAPTION, _FOOTER = 0.075, 0.165, 0.82, 0.945  # where they end or begin, shares of the height
_ASIDE = 1.45  # units
_BADGES = {Kind.SIMULATED: ORANGE, Kind.RECORDED: GREEN, None: BLUE}


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PageState:
    """What a page is drawn from."""

    step: Step
    number: int  # from 1
    count: int
    material: Material
    time_ns: float = 0.0  # of the timeline that plays
    progress: float = 1.0  # of a movement, 0 to 1
    typed: str = ""
    notice: str = ""  # something that the speaker has to know now
    guess: int | None = None  # the option that the room has chosen


def timeline_of(step: Step, material: Material) -> ReductionTimeline | None:
    """The timeline that a step plays, where it is in hand."""
    match step.scene:
        case Played(True, group_size_m):
            case_ = material.recorded.get(group_size_m)
            return case_.timeline if case_ is not None else None
        case Played(False, group_size_m):
            point = material.point(group_size_m)
            return point.timeline if point is not None else None
    return None


def picture_room(sheet: Sheet) -> QRectF:
    """Where a timeline is played."""
    return sheet.rect(_MARGIN, _HEADER + 0.01, 1 - _MARGIN, _CAPTION - 0.01)


def caption_room(sheet: Sheet) -> QRectF:
    """Where a caption stands."""
    return sheet.rect(_MARGIN, _CAPTION, 1 - _MARGIN, _FOOTER)


def foot_room(sheet: Sheet) -> QRectF:
    """Where the number of the step stands, and a dot for each event of a timeline."""
    return sheet.rect(0.6, _FOOTER, 1 - _MARGIN, 0.998)


def said(state: PageState) -> str:
    """The caption of a step as it is now: while a timeline plays, what happened last in it."""
    timeline = timeline_of(state.step, state.material)
    passing = passing_text(timeline, state.time_ns) if timeline is not None else ""
    return passing or caption(state.step.scene, state.material)


def draw_page(sheet: Sheet, state: PageState, trace: TracePicture) -> None:
    """Draw everything of a step."""
    sheet.painter.fillRect(QRectF(0, 0, sheet.size.width(), sheet.size.height()), sheet.palette.background)
    scene = state.step.scene
    words = title(scene, state.material)
    says, small = said(state), aside(scene, state.material)
    _draw_header(sheet, state)
    top = _HEADER + 0.01
    if isinstance(scene, Played):
        words = ""  # it stands in the header: the picture needs the height
    if words:
        sheet.write(sheet.rect(_MARGIN, _HEADER, 1 - _MARGIN, _TITLE), words, sheet.large, align=LEFT, bold=True)
        top = _TITLE + 0.01
    bottom = _CAPTION - 0.01 if says else _FOOTER - 0.01
    _draw_scene(sheet, sheet.rect(_MARGIN, top, 1 - _MARGIN, bottom), state, trace)
    if says:
        bar = sheet.rect(_MARGIN, _CAPTION + 0.012, _MARGIN, _FOOTER - 0.012)
        bar.setWidth(0.3 * sheet.unit)
        sheet.box(bar, sheet.palette.accent)
        room = caption_room(sheet)
        room.setLeft(room.left() + sheet.unit)
        below = QRectF(room.left(), room.bottom() - _ASIDE * sheet.unit, room.width(), _ASIDE * sheet.unit)
        if small:
            room.setBottom(below.top())
            sheet.write(below, small, sheet.small, sheet.palette.muted, LEFT)
        sheet.write(room, says, sheet.body, align=LEFT)
    text = f"{state.number} / {state.count}"
    text = f"→ {state.typed}   {text}" if state.typed else text
    taken = sheet.write(foot_room(sheet), text, sheet.small, sheet.palette.muted, RIGHT)
    timeline = timeline_of(state.step, state.material)
    if timeline is not None:
        _draw_halts(sheet, taken, [*halts(timeline), timeline.end_ns], state.time_ns)


def _draw_halts(sheet: Sheet, number: QRectF, times: list[int], time_ns: float) -> None:
    """A dot for each event of a timeline, to the left of the step's number: those that have been told are filled."""
    unit, palette = sheet.unit, sheet.palette
    size, step = 0.4 * unit, 0.75 * unit
    left = number.left() - len(times) * step - 0.5 * unit
    for place, time in enumerate(times):
        dot = QRectF(left + place * step, number.center().y() - size / 2, size, size)
        told = time <= time_ns
        sheet.painter.setPen(QPen(palette.accent if told else palette.muted, 0.08 * unit))
        sheet.painter.setBrush(palette.accent if told else Qt.BrushStyle.NoBrush)
        sheet.painter.drawEllipse(dot)
    sheet.painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_header(sheet: Sheet, state: PageState) -> None:
    if state.notice:
        sheet.write(
            sheet.rect(_MARGIN, 0.012, 1 - _MARGIN, _HEADER), state.notice, sheet.small, QColor("#ff6b5e"), LEFT, bold=True
        )
        return
    step = state.step
    right = sheet.rect(0, 0, 1 - _MARGIN, 0).right()
    badge = _badge(state)
    if badge is not None:
        texts, colour = badge
        text = " · ".join(texts)
        free = sheet.rect(_MARGIN, 0, 1 - _MARGIN, 0).width() - 3 * sheet.unit
        if sheet.width_of(text, sheet.small, bold=True) + sheet.width_of(_head(state), sheet.body, bold=True) > free:
            text = " · ".join(texts[:2])  # without the date, on a narrow page
        width = sheet.width_of(text, sheet.small, bold=True) + 1.4 * sheet.unit
        area = sheet.rect(0, 0.018, 0, _HEADER - 0.006)
        area = QRectF(right - width, area.top(), width, area.height())
        sheet.box(area, colour)
        sheet.write(area, text, sheet.small, legible_on(colour), CENTRE, bold=True)
        right = area.left() - sheet.unit
    if isinstance(step.scene, Opening):
        return
    room = sheet.rect(_MARGIN, 0.012, 1, _HEADER)
    room.setRight(right)
    played = isinstance(step.scene, Played)
    sheet.write(
        room,
        _head(state),
        sheet.body if played else sheet.small,
        sheet.palette.text if played else sheet.palette.muted,
        LEFT,
        bold=played,
    )


def _head(state: PageState) -> str:
    """What stands at the left of the header."""
    step = state.step
    if isinstance(step.scene, Played):
        return title(step.scene, state.material)
    return f"{step.chapter}  {chapter_titles()[step.chapter]}"


def _badge(state: PageState) -> tuple[list[str], QColor] | None:
    """Where the numbers of a step come from, and the colour that says so; None where it shows none."""
    kinds = _kinds(state)
    if kinds is None:
        return None
    texts = [domain_text(kind.value) for kind in kinds] or [translate("lecture", "calculated")]
    if isinstance(state.step.scene, Raced) and state.material.strategies is not None:
        texts += [state.material.strategies.gpu, state.material.strategies.date[:10]]
    if isinstance(state.step.scene, Played) and kinds == (Kind.RECORDED,):
        case_ = state.material.recorded.get(state.step.scene.group_size_m)
        texts += [case_.gpu, case_.date[:10]] if case_ is not None else []
    return texts, QColor(_BADGES[kinds[0] if kinds else None])


def _kinds(state: PageState) -> tuple[Kind, ...] | None:
    """What a step's numbers are; none of the kinds where they are calculated from the shape or the example."""
    kinds: tuple[Kind, ...] | None = None
    match state.step.scene:
        case Told():
            kinds = (Kind.SIMULATED,)
        case Closing():
            kinds = (Kind.SIMULATED,) if state.material.growth else ()
        case Worked() | Strode() | Compared():
            kinds = ()
        case Raced():
            kinds = (Kind.RECORDED,)
        case Charted(_, recorded):
            kinds = (Kind.SIMULATED, Kind.RECORDED) if recorded else (Kind.SIMULATED,)
        case Played(recorded):
            kinds = (Kind.RECORDED,) if recorded else (Kind.SIMULATED,)
        case Asked(question, revealed):
            answer = answer_to(question, state.material)
            if answer is not None:
                kinds = answer.kinds if revealed else answer.kinds_asked
    return kinds


def _draw_scene(sheet: Sheet, room: QRectF, state: PageState, trace: TracePicture) -> None:
    material = state.material
    match state.step.scene:
        case Opening(chapter):
            draw_opening(sheet, room, chapter)
        case Worked(upto):
            draw_table_page(sheet, room, material.example, upto)
        case Told(beat):
            draw_beat_page(sheet, room, material.example, beat, state.progress)
        case Strode(round_):
            draw_stride_page(sheet, room, material.example, round_, state.progress)
        case Closing():
            draw_closing(sheet, room, material)
        case Charted(points, recorded) if material.growth:
            draw_chart_page(sheet, room, material, points, recorded=recorded)
        case Compared() if material.request is not None:
            draw_comparison(sheet, room, material)
        case Raced() if material.strategies is not None:
            draw_race_page(sheet, room, material.strategies)
        case Asked(question, revealed) if (answer := answer_to(question, material)) is not None:
            draw_question_page(sheet, room, answer, revealed=revealed, guess=state.guess)
        case Played() if (timeline := timeline_of(state.step, material)) is not None:
            trace.draw(sheet, room, timeline, state.time_ns)
        case _:
            waiting = translate("lecture", "This is being computed …")
            sheet.write(room, translate_message(material.problem) or waiting, sheet.body, sheet.palette.muted, CENTRE)

"""Short texts of the animation, and functions that paint text."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from lnexplorer.domain.timeline import RowState, phase_names
from lnexplorer.domain.wording import nanoseconds
from lnexplorer.gui.kit import GRID, LEFT, RIGHT, translate_message
from lnexplorer.gui.timeline.frame import Scene
from lnkernels.values import Sentence, Words, join_sentences, say
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

STATES = {
    RowState.PENDING: say("to come"),
    RowState.COMPUTING: say("computing"),
    RowState.QUEUED: say("queued"),
    RowState.TRYING: say("trying"),
    RowState.HOLDING: say("holding"),
    RowState.DONE: say("done"),
}


def join_facts(*facts: Words) -> Sentence:
    """Return facts as one sentence, with dots between them; empty ones are left out."""
    return join_sentences(facts, " · ")


def time_text(ns: float, *, counted: bool = False) -> Words:
    """Return a time in the unit that suits it; where events are counted, their number."""
    if not counted:
        return nanoseconds(ns)
    steps = round(ns)
    return say("1 step") if steps == 1 else say("{steps:,} steps", steps=steps)


def in_unit(ns: float, most: float = 1000) -> tuple[float, str]:
    """Return a time in the smallest unit in which it is below `most`, and the unit."""
    units = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
    scale, unit = next((pair for pair in units if ns < most * pair[0]), units[-1])
    return ns / scale, unit


def tick_text(ns: float) -> str:
    """Return a round time, as short as possible."""
    time, unit = in_unit(ns)
    return f"{time:g} {unit}" if ns else "0"


def state_name(state: RowState, phases: tuple[str, ...] = ()) -> Words:
    """Return the name of a row's state; a kernel's own `phases` have names of their own."""
    key = "trying" if state is RowState.QUEUED else state.name.lower()
    return (phase_names(phases).get(key) if phases else None) or STATES[state]


def states_of(phases: tuple[str, ...]) -> list[RowState]:
    """Return the states of a row; for a kernel with phases of its own, those with a name."""
    named = phase_names(phases) if phases else {state.name.lower(): "" for state in RowState}
    return [state for state in RowState if state is RowState.PENDING or state.name.lower() in named]


def lock_name(timeline: ReductionTimeline, lock: int) -> Sentence:
    if timeline.lanes:
        return say("lane {lane}", lane=lock)
    return say("lock {lock}", lock=lock)


def order_text(kind: Kind, *, stored: bool = False) -> Sentence:
    """Say in which order the numbers in the cells were added."""
    if stored:
        return say("as the traced kernel stored them, in recorded order")
    if kind is Kind.SIMULATED:
        return say("computed in simulated order")
    return say("computed in recorded order")


def write_text(
    painter: QPainter,
    room: QRectF,
    flags: Qt.AlignmentFlag | Qt.TextFlag,
    text: Words,
    colour: QColor,
    font: QFont | None = None,
) -> None:
    """Paint a text in the language of the window; without a font, in the painter's."""
    if font is not None:
        painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(room, flags, translate_message(text))


def bold(font: QFont) -> QFont:
    other = QFont(font)
    other.setBold(True)
    return other


def sized(font: QFont, pixels: int) -> QFont:
    other = QFont(font)
    other.setPixelSize(pixels)
    return other


def text_width(text: Words, font: QFont) -> float:
    return QFontMetricsF(font).horizontalAdvance(translate_message(text))


def elided(
    text: Words,
    font: QFont,
    width: float,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> str:
    """Return a text that fits into a width; if it is too long, its end or another part is cut."""
    return QFontMetricsF(font).elidedText(translate_message(text), mode, width)


def write_title(
    painter: QPainter, room: QRectF, title: Sentence, note: Words, scene: Scene
) -> None:
    """Paint a bold title, cut if it is too long, and beside it a note if there is room."""
    font, strong = scene.font, bold(scene.font)
    left = room.width() - text_width(title, strong) - GRID
    text = elided(title, strong, room.width())
    write_text(painter, room, LEFT, text, scene.colours.text, strong)
    if text_width(note, font) <= left:
        write_text(painter, room, RIGHT, note, scene.colours.muted, font)

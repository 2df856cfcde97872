"""The speaker's notes: short, for a glance."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.lecture.answers import Question
from lnexplorer.domain.lecture.beats import BeatKind
from lnexplorer.domain.lecture.storyboard import (
    Asked,
    Charted,
    Closing,
    Compared,
    Opening,
    Played,
    Raced,
    Scene,
    Strode,
    Told,
    Worked,
)

translate = QCoreApplication.translate


def notes(scene: Scene) -> str:
    """What to say and do at a step."""
    match scene:
        case Opening(chapter):
            found = _opening(chapter)
        case Worked(upto):
            found = _worked(upto)
        case Told(beat):
            found = _told(beat.kind)
        case Asked(question, revealed):
            found = _revealed(question) if revealed else _asked(question)
        case Charted(_, True):
            found = translate(
                "lecture", "The model's times were measured in other runs. Say where it errs, and that it is a model."
            )
        case Charted():
            found = translate("lecture", "Both axes are logarithmic: on a straight line each halving costs the same factor.")
        case Played(True):
            found = translate(
                "lecture",
                "This was measured, on the GPU named above. It halts at each event; the next key goes on, Enter leaves it.",
            )
        case Played():
            found = translate(
                "lecture",
                "A model, with times taken from a GPU. It halts at each event; the next key goes on. White rows wait (black, on "
                "white).",
            )
        case Strode():
            found = translate("lecture", "The same rows, the same sums. Point at what is missing: locks, counts, queues.")
        case Compared():
            found = translate("lecture", "The price: sums of dw and db fill registers, so wide rows need another way.")
        case Raced():
            found = translate(
                "lecture",
                "Measured, L2 cache warm; on the right with launches and zeroing. Ask who waits for what: locked for "
                "locks, split for the rest of its row.",
            )
        case Closing():
            found = translate("lecture", "Take questions. Type a step's number and Enter to go back to its picture.")
    return found


def _opening(chapter: int) -> str:
    match chapter:
        case 0:
            return translate("lecture", "Ask who has written a kernel, and who has waited for a lock.")
        case 1:
            return translate("lecture", "Small enough for paper. Let everybody compute one row.")
        case 2:
            return translate("lecture", "From 4 rows to thousands. Every lock now serves many rows.")
        case 3:
            return translate("lecture", "Until now a model. From here on, what a GPU did.")
    return translate("lecture", "Ask first: how could one do without locks at all?")


def _worked(upto: str) -> str:
    return {
        "inputs": translate(
            "lecture", "x is the input, dy the gradient that arrives, w the weight. The bias b plays no part in the gradients."
        ),
        "mean": translate("lecture", "Let the room say the means before the next step."),
        "rstd": translate("lecture", "Rows 1 and 2 spread twice as far, so their rstd is one half."),
        "xhat": translate("lecture", "Only 1 and −1: the example was chosen so. Real rows are not like this."),
        "c": translate("lecture", "Do row 0 together. c2 first, it is easier."),
        "dx": translate("lecture", "Stress: no program needs another one up to here."),
        "partials": translate(
            "lecture", "This is the turn of the story: columns now cross programs. How can programs add to one place?"
        ),
    }[upto]


def _told(kind: BeatKind) -> str:
    return {
        BeatKind.START: translate("lecture", "Colours are locks: even rows one colour, odd rows the other."),
        BeatKind.FINDS_FREE: translate("lecture", "Compare and swap: 0 becomes 1, in one step that nobody can divide."),
        BeatKind.WAITS: translate("lecture", "It tries again and again: a spin lock. Ask: what would happen without waiting?"),
        BeatKind.STORES: translate("lecture", "A store, no load: the old contents do not matter."),
        BeatKind.ADDS: translate("lecture", "Load, add, store, all under the lock. Do the sum of one column aloud."),
        BeatKind.RELEASES: translate(
            "lecture", "First every thread's stores, then the lock: a barrier in the kernel sees to it."
        ),
        BeatKind.TILES: translate("lecture", "A second kernel. It begins when the first one has ended."),
        BeatKind.END: translate("lecture", "Check one column on the board."),
    }[kind]


def _asked(question: Question) -> str:
    match question:
        case Question.TWICE:
            return translate("lecture", "Show of hands for each option; click the one with the most. Then the next step.")
        case Question.COUNT_ZERO:
            return translate("lecture", "Let them look back at the counts.")
        case Question.ZEROED:
            return translate("lecture", "Hint: each buffer has N columns, for dw and for db.")
        case Question.HALVING:
            return translate("lecture", "Let everybody write a number down first.")


def _revealed(question: Question) -> str:
    match question:
        case Question.TWICE:
            return translate("lecture", "G locks, G counts: that is why the kernel allocates 2 · G numbers.")
        case Question.COUNT_ZERO:
            return translate("lecture", "The order changes from run to run, and with it the rounding of the sums.")
        case Question.ZEROED:
            return translate("lecture", "A count is one number for a whole row of the buffer: that is why it is cheap.")
        case Question.HALVING:
            return translate("lecture", "Rows per lock double, and they pass one after the other.")

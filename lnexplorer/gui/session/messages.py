"""Messages for the user about a run that was refused or failed, or about the worker."""

from lnexplorer.domain import wording
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.gui.kit import allowed_instead, translate_message
from lnexplorer.gui.session.state import LongRun, Notice, Remark
from lnexplorer.protocol.messages import Broken, Refused, WorkerLost
from lnkernels.values import join_sentences, say


def notice_text(notice: Notice) -> str:
    """Return a sentence in the user's language; for a remark, each of its lines.

    Words quoted from the system, or from another library, are not translated.
    """
    match notice:
        case Remark(lines):
            return "\n".join(map(translate_message, lines))
        case WorkerLost(sentence, _, True):
            both = (sentence, say("A new worker is being started."))
            return translate_message(join_sentences(both, " "))
        case WorkerLost(sentence) | Broken(sentence=sentence):
            return translate_message(sentence)
        case LongRun(m, n, seconds):
            return translate_message(
                say(
                    "{m}×{n} takes about {time} here, on Triton's interpreter. Run it all the"
                    " same?",
                    m=m,
                    n=n,
                    time=wording.duration(seconds),
                )
            )
        case Refused(problems):
            said = (
                join_sentences(
                    (f"{_label(each.field)} = {each.value}", allowed_instead(each)), ": "
                )
                for each in problems
            )
            return translate_message(join_sentences(tuple(said)))


def _label(field: str) -> str:
    return translate_message(BY_NAME[field].label) if field in BY_NAME else field


def notice_detail(notice: Notice) -> str:
    """Return what was written when it happened, such as a traceback; empty if nothing was."""
    return "" if isinstance(notice, Refused | LongRun) else translate_message(notice.detail)

"""The sentence for the user about what happened to a run or to the worker."""

from lnexplorer.domain import wording
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.gui.kit import allowed_instead, translate_message
from lnexplorer.gui.session.state import LongRun, Notice, Remark
from lnexplorer.protocol.messages import Broken, Refused, WorkerLost
from lnkernels.values import join_sentences, say


def notice_text(notice: Notice) -> str:
    """Return one sentence in the user's language, or one for each line of a remark.

    What it quotes of the system, or of another library, stays as it is.
    """
    match notice:
        case Remark(lines):
            return "\n".join(map(translate_message, lines))
        case WorkerLost(sentence, _, True):
            new = translate_message(say("A new worker is being started."))
            return f"{translate_message(sentence)} {new}"
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
    """Return what was written when it happened; empty where nothing was."""
    return "" if isinstance(notice, Refused | LongRun) else translate_message(notice.detail)

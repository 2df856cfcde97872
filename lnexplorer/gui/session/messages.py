"""What happened to a run or to the worker, as one sentence in the user's language."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.gui.kit.translate import allowed_instead, translate_message
from lnexplorer.gui.session.state import Notice, Remark
from lnexplorer.protocol.messages import Broken, Refused, WorkerLost


def notice_text(notice: Notice) -> str:
    """One sentence, or one for each line of a remark.

    What it quotes of the system, or of another library, stays as it is.
    """
    match notice:
        case Remark(lines):
            return "\n".join(map(translate_message, lines))
        case WorkerLost(sentence, _, restarting):
            new = QCoreApplication.translate("messages", "A new worker is being started.")
            return (
                f"{translate_message(sentence)} {new}"
                if restarting
                else translate_message(sentence)
            )
        case Broken(_, sentence, _):
            return translate_message(sentence)
        case Refused(problems):
            parts = []
            for problem in problems:
                label = (
                    translate_message(BY_NAME[problem.field].label)
                    if problem.field in BY_NAME
                    else problem.field
                )
                parts.append(f"{label} = {problem.value}: {allowed_instead(problem)}")
            return "; ".join(parts)


def notice_detail(notice: Notice) -> str:
    """What was written when it happened; empty where nothing was."""
    return "" if isinstance(notice, Refused) else translate_message(notice.detail)

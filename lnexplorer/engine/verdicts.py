"""Verdicts of jobs that checked one kernel, however they ended."""

from lnexplorer.domain.measuring import Measured
from lnexplorer.protocol.messages import Broken, Finished, Outcome, Refused
from lnkernels.launch.settings import problems_sentence
from lnkernels.values import Sentence, say


def why_wrong(outcome: Outcome) -> Sentence | None:
    """Return what is wrong with the kernel that a job checked, or why it gave no verdict; None if
    it is right.
    """
    if isinstance(outcome, Finished) and isinstance(outcome.value, Measured):
        (checked,) = outcome.value.outcomes
        return None if checked.status == "ok" else checked.reason
    return why_unfinished(outcome)


def is_inexact(outcome: Outcome) -> bool:
    """Return whether the kernel that a job checked is inexact."""
    found = outcome.value if isinstance(outcome, Finished) else None
    return isinstance(found, Measured) and found.outcomes[0].inexact


def why_unfinished(outcome: Outcome) -> Sentence:
    """Say why a job gave nothing."""
    if isinstance(outcome, Broken):
        return outcome.sentence
    problems = outcome.problems if isinstance(outcome, Refused) else ()
    return problems_sentence(problems) or say("it was stopped")

"""Why somebody or something has no result, as one sentence."""

from collections.abc import Sequence

from lnkernels.launch import Problem
from lnkernels.sentence import Sentence, join_sentences, say
from lnkernels.values.figures import Refusal


def problem_sentence(problem: Problem) -> Sentence:
    """Why a value is refused."""
    return say("{field} = {value} is not possible: {allowed}", field=problem.field, value=problem.value, allowed=problem.allowed)


def reasons_sentence(reasons: Sequence[Sentence]) -> Sentence | None:
    """Several reasons beside each other; None where there is none."""
    return join_sentences(list(reasons), say("; ")) if reasons else None


def problems_sentence(problems: Sequence[Problem]) -> Sentence | None:
    """Why values are refused; None where none is."""
    return reasons_sentence([problem_sentence(problem) for problem in problems])


def refusal_sentence(refusal: Refusal) -> Sentence:
    """Why a provider has no time: in one pass, or at all."""
    if refusal.mode is None:
        return refusal.reason
    return say("{direction}, {mode}: {reason}", direction=str(refusal.direction), mode=refusal.mode, reason=refusal.reason)

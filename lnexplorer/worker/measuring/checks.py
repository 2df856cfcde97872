"""The check of one candidate: compiled, then run, then held against the truth. Who fails gets no time."""

from collections.abc import Callable
from dataclasses import dataclass

from lnexplorer.domain.measuring import Status
from lnexplorer.worker.failure import device_is_lost
from lnexplorer.worker.measuring.candidates import Candidate, Labelled
from lnexplorer.worker.measuring.compilation import Compilation
from lnexplorer.worker.measuring.problem import Problem
from lnkernels.failures import free_what_was_left, in_one_line, kind_of
from lnkernels.providers.verify import Verifier
from lnkernels.values.accuracy import TENSORS, TensorErrors
from lnkernels.values.compiled import KernelFacts


@dataclass(slots=True)
class Verdict:
    """What is known of a candidate before it is timed."""

    candidate: Candidate
    status: Status
    reason: str = ""
    errors: tuple[TensorErrors, ...] = ()
    compiled: tuple[KernelFacts, ...] = ()


def check_candidate(
    candidate: Candidate,
    problem: Problem,
    compilation: Compilation,
    *,
    autograd: bool,
    begin: Callable[[str], None],
    check_in: Callable[[], None],
) -> Verdict:
    """Check one candidate, whatever it does.

    Args:
        candidate: whom.
        problem: on what.
        compilation: what compiles settings, and may have begun with that.
        autograd: whether the autograd path is checked, too.
        begin: told the phase, "compile" or "run", as it begins.
        check_in: called while others are waited for; may raise.

    Raises:
        Exception: the device is lost, and nobody can be checked any more.
    """
    if candidate.provider is None:
        return Verdict(candidate, candidate.status, candidate.reason)
    verdict = Verdict(candidate, "ok")
    try:
        begin("compile")
        if candidate.setting is not None:
            verdict.compiled = compilation.finish(candidate.provider, problem.case, check_in)
        begin("run")
        _check(verdict, candidate.provider, problem, autograd)
    except Exception as error:  # a candidate is somebody's code: whatever it raises is its reason
        if device_is_lost(problem.case.x.device):
            raise
        free_what_was_left(error)
        kind = kind_of(error)
        verdict.status = "invalid" if kind == "unavailable" else kind
        verdict.reason = in_one_line(error)
    return verdict


def _check(verdict: Verdict, provider: Labelled, problem: Problem, autograd: bool) -> None:
    verifier = Verifier(provider.case(problem.case), judge=problem.judge, autograd=autograd)
    wrong = verifier(provider)
    found = verifier.judgements
    verdict.errors = tuple(found[name] for name in TENSORS if name in found)
    if wrong is not None:
        verdict.status, verdict.reason = "incorrect", wrong

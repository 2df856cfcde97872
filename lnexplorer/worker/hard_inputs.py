"""Check a user's kernels on inputs that are hard on a LayerNorm: data, shapes and layouts."""

from collections.abc import Callable, Iterator, Sequence

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.kernel_versions import hard_problems, hard_sentence
from lnexplorer.domain.request import RunPlan, RunRequest
from lnexplorer.worker.candidates import Candidate
from lnexplorer.worker.checking import inputs_of
from lnexplorer.worker.connection import Task
from lnkernels.check.layouts import wrong_layouts
from lnkernels.check.verifier import Verifier
from lnkernels.providers.protocol import Case, Provider, is_unproven
from lnkernels.values.sentence import Sentence, say


def check_hard_inputs(
    task: Task,
    job: RunJob,
    plan: Callable[[RunRequest], RunPlan],
    case: Case,
    candidates: Sequence[Candidate],
) -> Iterator[tuple[str, Sentence, bool]]:
    """Yield for each user's kernel that is right on the run's own inputs its name, a sentence, and
    True if it is wrong on some others.

    Raises:
        JobCancelled: the job was cancelled between two inputs.
    """
    problems = hard_problems(job.request, *case.shape)
    steps = len(problems) + 1
    for candidate in candidates:
        provider = candidate.provider
        if provider is None or not candidate.is_right or not is_unproven(provider):
            continue
        verdicts: list[tuple[Sentence, Sentence | None]] = []
        for number, (name, request) in enumerate(problems):
            task.step(name, number, steps)
            verdicts.append((name, _why_wrong(provider, plan(request), case)))
        wrong = wrong_layouts(provider, case, lambda name: task.step(name, steps - 1, steps))
        verdicts += wrong or [(say("layouts, dtypes and later calls"), None)]
        yield candidate.label, hard_sentence(verdicts, 0), any(why for _, why in verdicts)


def _why_wrong(provider: Provider, plan: RunPlan, case: Case) -> Sentence | None:
    candidate = Candidate(provider.name, provider=provider)
    with candidate.blamed():
        inputs = inputs_of(plan.resolved, case.x.device)
        wrong = Verifier(Case.of(inputs, case.eps, plan.resolved.launch))(provider)
        if wrong is not None:
            candidate.refuse("incorrect", wrong)
    return candidate.refusals[0].sentence if candidate.refusals else None

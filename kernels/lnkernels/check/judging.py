"""Judge results of a problem, here or in a process that never loads a user's file. That process
makes the inputs itself, and repeats the changes that were made to them since.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import torch
from torch import Tensor

from lnkernels.check.accuracy import check_all, check_residual_out
from lnkernels.check.inexact import only_inexact
from lnkernels.check.inputs import Inputs
from lnkernels.check.layouts import rows_of
from lnkernels.check.results import Results, torch_results
from lnkernels.check.shuffling import Shuffle
from lnkernels.launch import Launch
from lnkernels.providers.protocol import Case
from lnkernels.values.accuracy import Correctness, TensorCheck
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence, join_sentences, say

GIVEN = ("x", "weight", "bias", "dy", "residual", "dresidual_out")
SUMS = {"dw", "db"}
UNWRITTEN = say(
    "memory of torch.empty holds NaN during a check: perhaps some is read before it is written"
)
# That kernels take of their own accord, 1.6e-5 in place of less in half precision.
USUAL_EPS = (1e-3, 1e-4, 1.6e-5, 1e-5, 1e-6, 1e-8, 1e-12, 0.0)
EPS_ELEMENTS = 1 << 18  # in which an eps is looked for, as in bfloat16 few elements show it
AnyInputs = TypeVar("AnyInputs", bound=Inputs)


@frozen(kw_only=True)
class Judgement:
    """Verdict on some results: right where neither `wrong` nor `inexact` is given."""

    wrong: Sentence | None = None
    inexact: Sentence | None = None  # why sums beyond the tolerance are not wrong
    correctness: Correctness | None = None


@frozen(kw_only=True)
class Since:
    """Changes made to a problem's inputs, so that another process can repeat them."""

    changes: int = 0  # calls of `change`
    shuffled: str = ""  # "x" or "dy"
    seed: int = 0  # of the shuffle
    calls: int = 0  # of the shuffle, or of the layout before this one
    layout: str = ""  # in which these other inputs were given


# From results by name to the verdict.
Judge: TypeAlias = Callable[[Mapping[str, Tensor], Since], Judgement]


def judge_of(case: Case, theirs: Results | None = None) -> Judge:
    """Return the function that judges results of a problem in this process.

    Args:
        case: the problem.
        theirs: PyTorch's results of it, where they are known already.
    """

    def ask(results: Mapping[str, Tensor], since: Since) -> Judgement:
        if since == Since():
            return judge(results, case, case.eps, case.launch, theirs)
        inputs = changed_since(since, cloned(case))
        return judge(results, inputs, case.eps, case.launch)

    return ask


def changed_since(since: Since, inputs: Inputs) -> Inputs:
    """Make the changes to a problem's inputs, in their memory; or other inputs of the same kind."""
    if since.layout:
        return rows_of(since.layout, since.calls, inputs)
    for _ in range(since.changes):
        change(inputs)
    if since.shuffled:
        shuffle = Shuffle(getattr(inputs, since.shuffled), since.seed)
        for _ in range(since.calls):
            shuffle()
    return inputs


def cloned(problem: AnyInputs) -> AnyInputs:
    """Return a problem with copies of its tensors."""
    there = {name: one for name in GIVEN if (one := getattr(problem, name)) is not None}
    return replace(problem, **{name: one.clone() for name, one in there.items()})


def change(inputs: Inputs) -> None:
    """Put other numbers of the same kind into the memory of inputs."""
    parts = (
        (1, 1.25, (inputs.x, inputs.residual)),
        (0, 0.75, (inputs.dy, inputs.dresidual_out)),
        (0, 0.5, (inputs.weight, inputs.bias)),
    )
    for dimension, factor, tensors in parts:
        for one in tensors:
            if one is not None:
                one.copy_(one.flip(dimension) * factor)


def judge(
    results: Mapping[str, Tensor],
    inputs: Inputs,
    eps: float,
    launch: Launch,
    theirs: Results | None = None,
) -> Judgement:
    """Return the verdict on results, from a comparison with the truth. PyTorch's y stands for one
    that is absent.

    Args:
        results: by name, of TENSORS, in the shapes of the problem's.
        inputs: the problem.
        eps: added to the variance.
        launch: decides which errors are allowed.
        theirs: PyTorch's results, where they are known already.
    """
    theirs = theirs or torch_results(inputs, eps)
    wrong = _wrong_sum(results, inputs)
    if wrong is not None:
        return Judgement(wrong=wrong)
    whole = Results(**{"y": theirs.y, **results})
    correctness = check_all(inputs, eps, launch, whole, theirs)
    failed = [each for each in correctness.checks if not each.passed]
    sums = tuple(each.name for each in failed)
    if not failed:
        return Judgement(correctness=correctness)
    taken = _eps_taken(inputs, eps, launch, whole, {"y", "dx"} & results.keys())
    explained = taken is None and "y" not in sums
    if explained and only_inexact(inputs, eps, whole, launch, sums):
        why = _explain(failed, len(inputs.x), str(inputs.x.dtype).removeprefix("torch."))
        return Judgement(inexact=why, correctness=correctness)
    parts = list(map(_describe, failed))
    misplaced = any(math.isinf(each.worst_ratio) for each in failed)
    if misplaced and all(bool(each.isfinite().all()) for each in (inputs.x, inputs.dy)):
        parts.append(UNWRITTEN)
    if taken is not None:
        parts.append(
            say(
                "it is right for eps = {taken:g}: perhaps it takes that in place of {eps:g}",
                taken=taken,
                eps=eps,
            )
        )
    wrong = join_sentences(parts)
    return Judgement(wrong=wrong, correctness=correctness)


def _eps_taken(
    inputs: Inputs, eps: float, launch: Launch, results: Results, names: set[str]
) -> float | None:
    """Return the nearest eps for which results are right in the first rows, if they are not."""
    few = 16 + EPS_ELEMENTS // inputs.x.shape[1]
    alone = inputs.mapped(lambda rows: rows[:few])
    dx = None if results.dx is None else results.dx[:few]
    part = Results(results.y[:few], dx)

    def fits(other: float) -> bool:
        found = check_all(alone, other, launch, part, torch_results(alone, other))
        return all(each.passed for each in found.checks if each.name in names)

    by_distance = sorted(USUAL_EPS, key=lambda one: abs(one - eps))
    return None if fits(eps) else next(filter(fits, by_distance), None)


def _wrong_sum(results: Mapping[str, Tensor], inputs: Inputs) -> Sentence | None:
    """Return what is wrong with x + residual, or with the gradient of the residual, which is that
    of x.
    """
    total, dx, dresidual = (results.get(name) for name in ("residual_out", "dx", "dresidual"))
    if total is not None and not (checked := check_residual_out(inputs, total)).passed:
        return _describe(checked)
    if dx is not None and dresidual is not None and not same_bytes(dx, dresidual):
        return say("dresidual is not dx: both are the gradient of x + residual")
    return None


def same_bytes(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors are equal, NaN to itself, too."""
    return torch.equal(*(each.contiguous().view(torch.uint8) for each in (one, other)))


def _explain(sums: Sequence[TensorCheck], m: int, dtype: str) -> Sentence:
    worst = max(each.worst_ratio for each in sums)
    errors = [
        say(
            "{name} {error} where {allowed} is allowed",
            name=each.name,
            error=f"{each.worst_error:.2g}",
            allowed=f"{each.worst_error / each.worst_ratio:.2g}",
        )
        for each in sums
    ]
    return say(
        "inexact: {names} up to {ratio:,g} times as far off as float32 allows ({errors}); one"
        " running sum of all {m:,} rows in {dtype} may be as far off, or mean and rstd in {dtype};"
        " no row is missing, and no column stands out",
        m=m,  # in one sum, as it is not known how many a kernel has
        names=[each.name for each in sums],
        ratio=float(f"{worst:.3g}"),
        errors=errors,
        dtype=dtype,
    )


def _describe(one: TensorCheck) -> Sentence:
    if math.isinf(one.worst_ratio):
        return say(
            "{name} is wrong in {count:,} of its elements, some of them NaN or infinite where the"
            " truth is not, or the reverse",
            name=one.name,
            count=one.failed,
        )
    return say(
        "{name} is wrong in {count:,} of its elements, at worst by {ratio:,g} times what is"
        " allowed",
        name=one.name,
        count=one.failed,
        ratio=float(f"{one.worst_ratio:.3g}"),
    )

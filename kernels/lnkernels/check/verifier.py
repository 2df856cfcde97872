"""Check a provider's results by the kernels' own policy before it is timed."""

import math
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import torch
from torch import Tensor

from lnkernels.check.accuracy import check_all, check_residual_out
from lnkernels.check.inexact import only_inexact
from lnkernels.check.inputs import Inputs
from lnkernels.check.results import Results, torch_results
from lnkernels.check.tampering import why_unjudged
from lnkernels.check.watching import Watched, counted, own_cuda_kernels, watched
from lnkernels.launch import Launch
from lnkernels.providers.peers import gradients_of
from lnkernels.providers.protocol import (
    Case,
    NoGradientError,
    Output,
    Provider,
    is_unproven,
    stand_in,
)
from lnkernels.triton_internals import launching, tuning
from lnkernels.values.accuracy import Correctness, TensorCheck
from lnkernels.values.compiled import Launched
from lnkernels.values.sentence import Sentence, join_sentences, say

GIVEN = ("x", "weight", "bias", "dy", "residual", "dresidual_out")
# As passes give them: y and x + residual, and the gradients in the order of `Case.given`.
RESULTS = ("y", "residual_out", "dx", "dw", "db", "dresidual")
TUNED_SECONDS = 20.0  # for configurations that an autotuner has not chosen
NOTHING_TIMED = say(
    "the interpreter times nothing, so each autotuner took the first of its configurations"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Verdict on some results: right where neither `wrong` nor `inexact` is given."""

    wrong: Sentence | None = None
    inexact: Sentence | None = None  # why sums beyond the tolerance are not wrong
    correctness: Correctness | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """Changes made to a problem's inputs, so that another process can repeat them."""

    changes: int = 0  # calls of `change`
    shuffled: str = ""  # "x" or "dy"
    seed: int = 0  # of the shuffle
    calls: int = 0  # of the shuffle, or of the layout before this one
    layout: str = ""  # in which these other inputs were given


# From results by name to the verdict, in a process that never loads a user's file: it makes the
# inputs itself.
Judge: TypeAlias = Callable[[Mapping[str, Tensor], Since], Judgement]


def judge(
    results: Mapping[str, Tensor], inputs: Inputs, eps: float, launch: Launch, theirs: Results
) -> Judgement:
    """Hold results against the truth. One without y has PyTorch's.

    Args:
        results: by name, of TENSORS, in the shapes of the problem's.
        inputs: the problem.
        eps: added to the variance.
        launch: decides which errors are allowed.
        theirs: PyTorch's results.
    """
    wrong = _wrong_sum(results, inputs)
    if wrong is not None:
        return Judgement(wrong=wrong)
    given: dict[str, Any] = {name: results.get(name) for name in ("dx", "dw", "db")}
    whole = Results(results.get("y", theirs.y), **given)
    correctness = check_all(inputs, eps, launch, whole, theirs)
    failed = [each for each in correctness.checks if not each.passed]
    sums = tuple(each.name for each in failed)
    if not failed:
        return Judgement(correctness=correctness)
    if set(sums) <= {"dx", "dw", "db"} and only_inexact(inputs, eps, whole, launch, sums):
        why = _explain(failed, len(inputs.x), str(inputs.x.dtype).removeprefix("torch."))
        return Judgement(inexact=why, correctness=correctness)
    wrong = join_sentences(list(map(_describe, failed)))
    return Judgement(wrong=wrong, correctness=correctness)


def _wrong_sum(results: Mapping[str, Tensor], inputs: Inputs) -> Sentence | None:
    """Return what is wrong with x + residual, or with the gradient of the residual, which is that
    of x.
    """
    total, dx, dresidual = (results.get(name) for name in ("residual_out", "dx", "dresidual"))
    if total is not None and not (checked := check_residual_out(inputs, total)).passed:
        return _describe(checked)
    if dx is not None and dresidual is not None and not _same_bytes(dx, dresidual):
        return say("dresidual is not dx: both are the gradient of x + residual")
    return None


def _same_bytes(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors are equal, NaN to itself, too."""
    return torch.equal(*(each.contiguous().view(torch.uint8) for each in (one, other)))


class Verifier:
    """Checks providers on one case.

    After a check `correctness` and `results` are of what the kernels alone gave, unless the
    autograd path was wrong.
    """

    def __init__(
        self,
        case: Case,
        *,
        theirs: Results | None = None,
        autograd: bool = True,
        referee: Judge | None = None,
    ) -> None:
        """Check on `case`.

        Args:
            case: the problem; its launch decides which errors are allowed.
            theirs: PyTorch's results of it, where they are known already.
            autograd: whether the autograd path is checked, too.
            referee: judges users' kernels; None judges them here.
        """
        self.correctness: Correctness | None = None
        self.results: Results | None = None
        self.absent: tuple[str, ...] = ()  # results that the provider does not give
        self.inexact: Sentence | None = None  # why sums beyond the tolerance are not wrong
        self.launched: Launched | None = None  # by a user's kernel
        self.case = case
        self._autograd = autograd
        self._referee = referee
        self._theirs = theirs if theirs is not None else torch_results(inputs_of(case), case.eps)

    def __call__(self, provider: Provider) -> Sentence | None:
        """Return what is wrong with the results of `provider`, or None.

        Both ways of calling are checked, the kernels alone and the autograd path. A kernel of one's
        own is given copies, lest others be checked on what it has written there.
        """
        self.correctness = self.inexact = self.launched = None  # of the provider before
        given = self.case
        if is_unproven(provider):
            given = _cloned(given)
        results, seen = self._kernel_results(provider, given)
        wrong = self._wrong(results, given)
        if wrong is not None:
            return wrong
        found = self.correctness, self.results
        if is_unproven(provider):
            ran: Counter[str] | None = seen.kernels
            if given.x.is_cuda:
                ran = own_cuda_kernels(lambda: _call_both(provider, given), seen.kernels)
            told = [told_launches(seen, ran)]
            if seen.configurations > 1 and not given.x.is_cuda:
                told.append(NOTHING_TIMED)
            self.launched = Launched(
                join_sentences(told), tuple(seen.chosen.items()) if given.x.is_cuda else ()
            )
            wrong = self._wrong_configuration(provider, given, seen.configurations)
            if wrong is not None:
                return wrong
        if self._autograd and "dx" not in self.absent:
            wrong = self._wrong_through_autograd(provider, given)
            if wrong is not None:
                return say("through autograd, {wrong}", wrong=wrong)
        self.correctness, self.results = found
        return None

    def _wrong_configuration(self, provider: Provider, case: Case, count: int) -> Sentence | None:
        """Check what an autotuner may choose elsewhere, as long as that takes `TUNED_SECONDS`."""
        end = time.monotonic() + TUNED_SECONDS
        for number in range(count) if count > 1 else ():
            if time.monotonic() > end:
                done = say(
                    "{done} of {count} configurations were checked", done=number, count=count
                )
                assert self.launched is not None, "it was told before"
                told = join_sentences([self.launched.sentence, done])
                self.launched = replace(self.launched, sentence=told)
                break
            results, seen = self._kernel_results(provider, case, number)
            wrong = self._wrong(results, case)
            if wrong is not None:
                return say("as {launches}: {wrong}", launches=str(seen), wrong=wrong)
        return None

    def _kernel_results(
        self, provider: Provider, case: Case, number: int | None = None
    ) -> tuple[Results, Watched]:
        """Return the results, and what a user's kernel launched for them, tuned as it likes or by
        the configuration of a number.
        """
        seen = Watched()
        if is_unproven(provider) and case.x.is_cuda and number is None:
            _rehearse(provider, case)
        _poison_free_memory(case)
        with poisoned_memory(provider), ExitStack() as stack:
            if is_unproven(provider):
                seen = stack.enter_context(watched(number))
            output, grads = provider.forward(case)(), tuple[Tensor | None, ...]()
            with suppress(NoGradientError):
                grads = provider.backward(case)()
        return results_of(output, grads), seen

    def _wrong_through_autograd(self, provider: Provider, given: Case) -> Sentence | None:
        """Check the autograd path, of a user's kernel on other numbers in the same memory: what it
        keeps of a call, a statistic, a gradient or a whole result, is wrong then.
        """
        case, theirs, changes = self.case, self._theirs, 0
        if given is not case:
            change(inputs_of(given))
            changes = 1
            case = _cloned(given)
            if self._referee is None:
                theirs = torch_results(inputs_of(case), case.eps)
        leaves = tuple(each.detach().requires_grad_() for each in given.given)
        with poisoned_memory(provider), stand_in(provider, given):
            output = provider.autograd(given)(*leaves)
            grads = gradients_of(output, leaves, given.given_gradients)
        return self._wrong(results_of(output, grads), given, case, theirs, changes)

    def _wrong(
        self,
        results: Results,
        given: Case,
        case: Case | None = None,
        theirs: Results | None = None,
        changes: int = 0,
    ) -> Sentence | None:
        """Return what is wrong with results of `given`, which was `case` before (the verifier's,
        changed so often), of which PyTorch has `theirs`.
        """
        case, theirs = case or self.case, theirs or self._theirs
        pairs = {
            name: (one, getattr(case, name))
            for name in GIVEN
            if given is not case and (one := getattr(given, name)) is not None
        }
        written = [name for name, both in pairs.items() if not _same_bytes(*both)]
        if written:
            return say("it writes to {names}, which it is given to read", names=", ".join(written))
        there = {name: one for name in RESULTS if (one := getattr(results, name)) is not None}
        for name, one in there.items():
            is_sum = name in ("dw", "db")
            like = case.weight if is_sum else case.x
            wrong = wrong_shape(name, one, like.shape)
            # Sums may be kept wider.
            for kind in ("device", "layout") if is_sum else ("device", "layout", "dtype"):
                found, wanted = str(getattr(one, kind)), str(getattr(like, kind))
                if wrong is None and found != wanted:
                    wrong = say(
                        "{name} is {dtype} in place of {expected}",
                        name=name,
                        dtype=found,
                        expected=wanted,
                    )
            if wrong is not None:
                return wrong
        if given is not self.case and (why := why_unjudged()):
            return why
        if self._referee is not None and given is not self.case:
            judgement = self._referee(there, Since(changes=changes))
        else:
            judgement = judge(there, inputs_of(case), case.eps, case.launch, theirs)
        self.correctness, self.results = judgement.correctness, results
        optional = {"db": case.norm == "layer_norm", "dresidual": case.residual is not None}
        self.absent = tuple(
            name for name in RESULTS[2:] if name not in there and optional.get(name, True)
        )
        self.inexact = judgement.inexact or self.inexact
        return judgement.wrong


def wrong_shape(name: str, found: Tensor, expected: Sequence[int]) -> Sentence | None:
    """Return that a result has another shape than expected, where it has."""
    if tuple(found.shape) == tuple(expected):
        return None
    return say(
        "{name} has shape {shape} in place of {expected}",
        name=name,
        shape=str(list(found.shape)),
        expected=str(list(expected)),
    )


def inputs_of(case: Case) -> Inputs:
    """Return the tensors of a case; RMSNorm takes no bias."""
    bias = case.bias if case.norm == "layer_norm" else None
    given = case.x, case.weight, bias, case.dy, case.norm, case.residual, case.dresidual_out
    return Inputs(*given)


def _cloned(case: Case) -> Case:
    """Return the case with copies of its tensors."""
    there = {name: one for name in GIVEN if (one := getattr(case, name)) is not None}
    return replace(case, **{name: one.clone() for name, one in there.items()})


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


def _rehearse(provider: Provider, case: Case) -> None:
    """Call both passes once, and wait for each launch of Triton, so that a launch that hangs or
    faults is reported with its line.

    This uses other numbers in the same memory, so that what is kept of them is no right result, and
    comes before the check, which waits for nothing that the provider does not wait for. Nothing is
    tuned here, as waiting takes time.
    """

    def wait(launch: Callable[..., Any], *given: Any, **named: Any) -> Any:
        launched = launch(*given, **named)
        if not torch.cuda.is_current_stream_capturing():
            torch.cuda.current_stream().synchronize()
        return launched

    def exchange() -> None:
        for one, other in ((case.x, case.dy), (case.weight, case.bias)):
            kept = one.clone()
            one.copy_(other)
            other.copy_(kept)

    exchange()
    watched = getattr(provider, "watched", lambda *_: nullcontext(provider))
    with watched(case.x.device, case.shape[1]) as seen, launching(wait), tuning(0):
        _call_both(seen, case)
    # not where something is raised, which that would hide: these are copies, and the GPU may be
    # lost
    exchange()


def _call_both(provider: Provider, case: Case) -> None:
    provider.forward(case)()
    with suppress(NoGradientError):
        provider.backward(case)()


def _poison_free_memory(case: Case) -> None:
    """Leave NaN in the memory that a provider's outputs will likely get, lest another one's right
    results stand there.
    """
    poisoned = [
        torch.full_like(like, torch.nan) for like in (case.x, case.x, case.weight, case.bias)
    ]
    del poisoned


@contextmanager
def poisoned_memory(provider: Provider) -> Iterator[None]:
    """Let `torch.empty` return NaN to a user's kernel, so that an unwritten element is noticed.
    Operators without a deterministic form are left as they are.
    """
    if not is_unproven(provider):  # torch.compile would compile once more
        yield
        return
    # PyTorch's own function for this imports its compiler first, which takes 1.4 s.
    choose = torch._C._set_deterministic_algorithms
    before = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        choose(True, warn_only=True)
        try:
            yield
        finally:
            choose(before[0], warn_only=before[1])


def results_of(output: Output, grads: Sequence[Tensor | None]) -> Results:
    """Return results by name: y, or y and x + residual, and gradients, where there are any."""
    seen = named(output if isinstance(output, tuple) else (output,), "forward")
    seen |= named(grads, "backward") if grads else {}
    return Results(**{name: seen.get(name) for name in RESULTS})  # type: ignore[arg-type]


def named(results: Sequence[Tensor | None], direction: str) -> dict[str, Tensor]:
    """Return results of a pass by name, as seen by a stream that waits for the caller's: work on a
    third stream is not done by then.
    """
    names = RESULTS[:2] if direction == "forward" else RESULTS[2:]
    given = {
        name: one.detach() for name, one in zip(names, results, strict=False) if one is not None
    }
    device = next(iter(given.values())).device
    if device.type != "cuda":
        return given
    side = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(side):
        seen = {name: one.clone() for name, one in given.items()}
    torch.cuda.current_stream(device).wait_stream(side)
    return seen


def told_launches(seen: Watched, on_gpu: Counter[str] | None) -> Sentence:
    """Say what a file launched, and what a GPU ran where that is not the same; None where nobody
    could look.
    """
    ran = seen.kernels if on_gpu is None else on_gpu
    norms = sorted(name for name in seen.operators if "norm" in name)
    others = Counter({name: count for name, count in ran.items() if name not in seen.kernels})
    told = ", ".join(filter(None, [str(seen), counted(others)]))
    parts = [say("it launched {kernels}", kernels=told)] if told else []
    unlike = [name for name, count in seen.kernels.items() if ran[name] != count]
    if unlike:
        counts = counted(Counter({name: ran[name] for name in unlike}))
        parts.append(say("the GPU ran {kernels}", kernels=counts))
    if told and norms:
        parts.append(say("it called torch's {names}", names=", ".join(norms)))
    if parts:
        return join_sentences(parts)
    if norms:
        return say(
            "it launches no kernel of its own: it called torch's {names}", names=", ".join(norms)
        )
    if seen.operators and not seen.foreign and on_gpu is not None:
        return say("it launches no kernel of its own: it is plain PyTorch")
    return say("it launches no kernel of Triton")


def _explain(sums: Sequence[TensorCheck], m: int, dtype: str) -> Sentence:
    worst = max(each.worst_ratio for each in sums)
    errors = (
        f"{each.name} {each.worst_error:.2g} beside {each.worst_error / each.worst_ratio:.2g}"
        for each in sums
    )
    return say(
        "inexact: {names} up to {ratio:,g} times as far off as in float32 ({errors}), which"
        " rounding to {dtype}, of sums at each addition or of mean and rstd, explains, as far as"
        " one sum of all {m:,} rows, since it is not known how many a kernel has; no row is"
        " missing, and no column stands out",
        m=m,
        names=" and ".join(each.name for each in sums),
        ratio=float(f"{worst:.3g}"),
        errors=", ".join(errors),
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

"""Check a provider's results, by the same rules as the kernels' own, before it is timed."""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from lnkernels.check.inputs import Inputs
from lnkernels.check.judging import (
    GIVEN,
    SUMS,
    Judge,
    Since,
    change,
    cloned,
    judge_of,
    same_bytes,
)
from lnkernels.check.layouts import calls
from lnkernels.check.results import Results, torch_results
from lnkernels.check.tampering import why_unjudged
from lnkernels.check.watching import Watched, own_cuda_kernels, told_launches, watched
from lnkernels.providers.peers import gradients_of
from lnkernels.providers.protocol import (
    Case,
    NoGradientError,
    Output,
    Provider,
    is_unproven,
)
from lnkernels.triton_internals import launching, tuning
from lnkernels.values.accuracy import Correctness
from lnkernels.values.compiled import LaunchedKernels
from lnkernels.values.sentence import Sentence, join_sentences, say

# As passes give them: y and x + residual, and the gradients in the order of `Case.given`.
RESULTS = ("y", "residual_out", "dx", "dw", "db", "dresidual")
TUNED_SECONDS = 20.0  # for configurations that an autotuner has not chosen
NOTHING_TIMED = say(
    "the interpreter times nothing, so each autotuner took the first of its configurations"
)


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
        self.launched: LaunchedKernels | None = None  # by a user's kernel
        self.case = case
        self._autograd = autograd
        self._judge = judge_of(case, theirs or torch_results(case, case.eps))
        self._referee = referee or self._judge

    def __call__(self, provider: Provider) -> Sentence | None:
        """Return what is wrong with the results of `provider`, or None.

        Both ways of calling are checked, the kernels alone and the autograd path. A kernel of one's
        own is given copies, lest others be checked on what it has written there.
        """
        self.correctness = self.inexact = self.launched = None  # of the provider before
        given = self.case
        if is_unproven(provider):
            given = cloned(given)
        results, seen = self._kernel_results(provider, given)
        wrong = self._wrong(results, given)
        if wrong is not None:
            return wrong
        found = self.correctness, self.results
        if is_unproven(provider):
            ran = None if getattr(provider, "compiles", False) else seen.kernels
            tuned = tuple(seen.chosen.items()) if given.x.is_cuda else ()
            if given.x.is_cuda:
                ran = own_cuda_kernels(lambda: _call_both(provider, given), seen.kernels)
            self.launched = replace(told_launches(seen, ran), tuned=tuned)
            if seen.configurations > 1 and not given.x.is_cuda:
                self._tell(NOTHING_TIMED)
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
        """Return what is wrong with a configuration that an autotuner may choose elsewhere, or
        None; checked are those for which `TUNED_SECONDS` suffice.
        """
        end = time.monotonic() + TUNED_SECONDS
        for number in range(count) if count > 1 else ():
            if time.monotonic() > end:
                self._tell(
                    say("{done} of {count} configurations were checked", done=number, count=count)
                )
                break
            results, seen = self._kernel_results(provider, case, number)
            wrong = self._wrong(results, case)
            if wrong is not None:
                return say("as {launches}: {wrong}", launches=seen.counted(), wrong=wrong)
        return None

    def _tell(self, more: Sentence) -> None:
        """Tell more of what was launched."""
        assert self.launched is not None, "something was told"
        told = join_sentences([self.launched.sentence, more])
        self.launched = replace(self.launched, sentence=told)

    def _kernel_results(
        self, provider: Provider, case: Case, number: int | None = None
    ) -> tuple[dict[str, Tensor], Watched]:
        """Return the results, and what a user's kernel launched for them, tuned as it likes or by
        the configuration of a number.
        """
        if is_unproven(provider) and case.x.is_cuda and number is None:
            _rehearse(provider, case)
        _poison_free_memory(case)
        watch = watched(number) if is_unproven(provider) else nullcontext(Watched())
        with poisoned_memory(provider), watch as seen:
            given = _call_both(provider, case)
        return results_of(*given), seen

    def _wrong_through_autograd(self, provider: Provider, given: Case) -> Sentence | None:
        """Return what is wrong with the autograd path, or None.

        A user's kernel gets other numbers in the same memory: what it kept of a call, such as a
        statistic, a gradient or a whole result, is wrong then.
        """
        case = self.case
        if given is not case:
            change(given)
            case = cloned(given)
        results = called(provider, given, given)
        wrong = self._wrong(results, given, case)
        return wrong or (None if "dx" in results else say("it gives no {names}", names="dx"))

    def _wrong(
        self, results: dict[str, Tensor], given: Case, case: Case | None = None
    ) -> Sentence | None:
        """Return what is wrong with results of `given`, which was `case` before: the verifier's, or
        what a change made of it.
        """
        case = case or self.case
        written = [
            name
            for name in GIVEN
            if given is not case
            and (one := getattr(given, name)) is not None
            and not same_bytes(one, getattr(case, name))
        ]
        if written:
            return say("it writes to {names}, which it is given to read", names=written)
        wrong = _wrong_form(results, case, case.shape)
        if wrong is None and given is not self.case:
            wrong = why_unjudged()
        if wrong is not None:
            return wrong
        ask = self._judge if given is self.case else self._referee
        judgement = ask(results, Since(changes=int(case is not self.case)))
        self.correctness = judgement.correctness
        self.results = Results(**results)
        optional = {"db": case.norm == "layer_norm", "dresidual": case.residual is not None}
        self.absent = tuple(
            name for name in RESULTS[2:] if name not in results and optional.get(name, True)
        )
        self.inexact = judgement.inexact or self.inexact
        return judgement.wrong


def why_wrong(
    provider: Provider, case: Case, layout: str, referee: Judge | None = None
) -> Sentence | None:
    """Return what is wrong with a provider's results in one of LAYOUTS, or None.

    Args:
        provider: who is called through autograd.
        case: gives the length of rows, their dtype, the norm and the device.
        layout: its name.
        referee: judges users' kernels; None judges them here.
    """
    ask = referee or judge_of(case)
    for number, call in enumerate(calls(layout, case)):
        there = called(provider, case, call)
        wrong = _wrong_form(there, call, call.x.shape, kinds=())
        for name in there.keys() - SUMS if wrong is None else ():
            there[name] = there[name].reshape(-1, call.x.shape[-1])
        if wrong is None and call.x.numel() == 0:
            left = any(there[name].any() for name in there.keys() & SUMS)
            wrong = say("dw and db are not 0 without rows") if left else None
        elif wrong is None:
            wrong = ask(there, Since(layout=layout, calls=number)).wrong
        wrong = wrong or why_unjudged()
        if wrong is not None:
            return say("call {number}: {why}", number=number + 1, why=wrong) if number else wrong
    return None


def _wrong_form(
    results: Mapping[str, Tensor],
    given: Inputs,
    shape: Sequence[int],
    kinds: Sequence[str] = ("device", "layout", "dtype"),
) -> Sentence | None:
    """Return which result has another shape, dtype, layout or device than it should; else None."""
    for name, one in results.items():
        is_sum = name in SUMS
        expected = list(shape[-1:] if is_sum else shape)
        if list(one.shape) != expected:
            return say(
                "{name} has shape {shape} in place of {expected}",
                name=name,
                shape=str(list(one.shape)),
                expected=str(expected),
            )
        like = given.weight if is_sum else given.x
        for kind in kinds:
            found, wanted = str(getattr(one, kind)), str(getattr(like, kind))
            if found != wanted and not (is_sum and kind == "dtype"):  # sums may be kept wider
                return say(
                    "{name} is {dtype} in place of {expected}",
                    name=name,
                    dtype=found,
                    expected=wanted,
                )
    return None


def called(provider: Provider, case: Case, call: Inputs) -> dict[str, Tensor]:
    """Return the results of a call through autograd by name; y alone of a forward pass alone."""
    leaves = [None if each is None else each.detach().requires_grad_() for each in call.given]
    there = tuple(leaf for leaf in leaves if leaf is not None)
    # There, cuda is the case's device to a user's kernel.
    standing_in = getattr(provider, "standing_in", nullcontext)
    with poisoned_memory(provider), standing_in(case.x.device):
        function = provider.autograd(case)
        try:
            output = function(*leaves)
        except NoGradientError:
            with torch.no_grad():
                output = function(*leaves)
        y, grads = output[0] if isinstance(output, tuple) else output, list[Tensor | None]()
        with suppress(NoGradientError):
            if y.requires_grad and y.shape == call.dy.shape:
                each = iter(gradients_of(output, there, call.given_gradients))
                grads = [None if leaf is None else next(each) for leaf in leaves]
    return results_of(output, grads)


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


def _call_both(provider: Provider, case: Case) -> tuple[Output, Sequence[Tensor | None]]:
    """Return the results of both passes; no gradients of a forward pass alone."""
    output = provider.forward(case)()
    with suppress(NoGradientError):
        return output, provider.backward(case)()
    return output, ()


def _poison_free_memory(case: Case) -> None:
    """Leave NaN in the memory that a provider's outputs will likely get, where the right results of
    another one may still stand.
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


def results_of(output: Output, grads: Sequence[Tensor | None]) -> dict[str, Tensor]:
    """Return results by name: y, or y and x + residual, and gradients, where there are any."""
    seen = named(output, "forward")
    return seen | (named(grads, "backward") if grads else {})


def named(results: Any, direction: str) -> dict[str, Tensor]:
    """Return results of a pass by name, as a stream sees them that waits for the caller's alone:
    work that was put on a third stream is missing.
    """
    names = RESULTS[:2] if direction == "forward" else RESULTS[2:]
    every = results if isinstance(results, tuple | list) else (results,)
    given = {name: one.detach() for name, one in zip(names, every, strict=False) if one is not None}
    device = next(iter(given.values())).device
    if device.type != "cuda":
        return given
    side = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(side):
        seen = {name: one.clone() for name, one in given.items()}
    torch.cuda.current_stream(device).wait_stream(side)
    return seen

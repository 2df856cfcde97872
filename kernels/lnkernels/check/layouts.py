"""Call a kernel as users do who do not hand it contiguous matrices: tensors of three dimensions,
with strides or an offset, of other dtypes, without weight or bias, without rows, again and again.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import torch
from torch import Tensor

from lnkernels.check.accuracy import check_all
from lnkernels.check.inexact import only_inexact
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import Results, torch_results
from lnkernels.failures import raise_if_lost, reason_of
from lnkernels.providers.peers import gradients_of
from lnkernels.providers.protocol import Case, NoGradientError, Provider, stand_in
from lnkernels.values.sentence import Sentence, say

ROWS = 6
CALLS = 5  # with other values, one after the other
MANY_ROWS = 65_537  # more than a grid has in its second dimension


@dataclass(frozen=True, slots=True)
class Layout:
    """Tensors of a call, and their name."""

    name: Sentence
    x: Tensor  # [..., N]
    weight: Tensor | None  # [N]
    bias: Tensor | None  # [N]
    dy: Tensor  # as x


def layouts(case: Case) -> Iterator[Layout]:
    """Yield calls with rows as long as those of a case, of its dtype and on its device."""
    n, dtype, device = case.shape[1], case.x.dtype, case.x.device

    def fresh(seed: int, m: int = ROWS, columns: int = n) -> Inputs:
        return make_inputs(m, columns, dtype, "normal", seed, device)

    given = fresh(0)
    x, weight, bias, dy = given.x, given.weight, given.bias, given.dy
    yield Layout(say("x of three dimensions"), x.view(2, -1, n), weight, bias, dy.view(2, -1, n))
    wide = fresh(1, columns=n + 8)
    yield Layout(say("rows with a stride"), wide.x[:, :n], weight, bias, wide.dy[:, :n])
    shifted = torch.cat([x.new_zeros(1), x.flatten()])[1:].view(ROWS, n)
    yield Layout(say("x one element behind the beginning of its memory"), shifted, weight, bias, dy)
    yield Layout(say("an expanded dy"), x, weight, bias, dy[:1].expand(ROWS, n))
    yield Layout(say("a transposed dy"), x, weight, bias, dy.t().contiguous().t())
    if dtype != torch.float32 and weight is not None and bias is not None:
        yield Layout(say("weight and bias in float32"), x, weight.float(), bias.float(), dy)
    yield Layout(say("no bias"), x, weight, None, dy)
    yield Layout(say("neither weight nor bias"), x, None, None, dy)
    yield Layout(say("no rows"), x[:0], weight, bias, dy[:0])
    for call in range(2, CALLS + 1):
        again = fresh(call)
        yield Layout(say("call {number}", number=call), again.x, again.weight, again.bias, again.dy)
    if device.type == "cuda":  # the interpreter takes a minute for them
        many = fresh(0, m=MANY_ROWS)
        yield Layout(say("{m:,} rows", m=MANY_ROWS), many.x, many.weight, many.bias, many.dy)


def wrong_layouts(
    provider: Provider, case: Case, on_layout: Callable[[Sentence], object] = lambda _: None
) -> list[tuple[Sentence, Sentence]]:
    """Return the names of the layouts for which a provider's results are wrong, and why.

    Args:
        provider: who is called through autograd.
        case: gives the length of rows, their dtype and the device.
        on_layout: called with each name before the call, which may end the process.

    Raises:
        DeviceLostError: the device does not answer any more.
    """
    wrong = []
    for layout in layouts(case):
        on_layout(layout.name)
        try:
            why = _check(provider, case, layout)
        except Exception as error:  # noqa: BLE001  somebody else's code
            raise_if_lost(error)
            why = reason_of(error)
        if why is not None:
            wrong.append((layout.name, why))
    return wrong


def _check(provider: Provider, case: Case, layout: Layout) -> Sentence | None:
    given = (layout.x, layout.weight, layout.bias)
    leaves = [None if each is None else each.detach().requires_grad_() for each in given]
    there = tuple(leaf for leaf in leaves if leaf is not None)
    with stand_in(provider, case):
        function = provider.autograd(case)
        try:
            y = function(*leaves)  # type: ignore[arg-type]
        except NoGradientError:
            with torch.no_grad():
                y = function(*leaves)  # type: ignore[arg-type]
        if y.shape != layout.x.shape:
            return say(
                "{name} has shape {shape} in place of {expected}",
                name="y",
                shape=str(list(y.shape)),
                expected=str(list(layout.x.shape)),
            )
        grads: Iterator[Tensor | None] = iter(())
        with suppress(NoGradientError):
            if y.requires_grad:
                grads = iter(gradients_of(y, there, layout.dy))
    dx, dw, db = (None if leaf is None else next(grads, None) for leaf in leaves)
    if layout.x.numel() == 0:
        sums = [grad for grad in (dw, db) if grad is not None]
        return None if not any(map(torch.any, sums)) else say("dw and db are not 0 without rows")
    n = layout.x.shape[-1]
    rows = Inputs(layout.x.reshape(-1, n), layout.weight, layout.bias, layout.dy.reshape(-1, n))
    results = Results(y.detach().reshape(-1, n), None if dx is None else dx.reshape(-1, n), dw, db)
    checked = check_all(rows, case.eps, case.launch, results, torch_results(rows, case.eps))
    failed = tuple(each.name for each in checked.checks if not each.passed)
    if not failed or (
        {*failed} <= {"dw", "db"} and only_inexact(rows, case.eps, results, case.launch, failed)
    ):
        return None
    return say("{names} are wrong", names=", ".join(failed))

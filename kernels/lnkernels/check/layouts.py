"""Call a kernel as users do who do not hand it contiguous matrices: tensors of three dimensions,
with strides or an offset, of other dtypes, without weight or bias, without rows, again and again.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import torch
from torch import Tensor

from lnkernels.check.accuracy import check_all
from lnkernels.check.inexact import only_inexact
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import Results, torch_results
from lnkernels.providers.peers import gradients_of
from lnkernels.providers.protocol import Case, NoGradientError, Provider, stand_in
from lnkernels.values.accuracy import LATER_CALLS, MANY_ROWS
from lnkernels.values.sentence import Sentence, say

ROWS = 6


@dataclass(frozen=True, slots=True)
class Call:
    """Tensors of a call."""

    x: Tensor  # [..., N]
    weight: Tensor | None  # [N]
    bias: Tensor | None  # [N]
    dy: Tensor  # as x


def calls(case: Case, layout: str) -> Iterator[Call]:
    """Yield the calls of one of LAYOUTS, with rows as long as those of a case, of its dtype and on
    its device.
    """
    n, dtype, device = case.shape[1], case.x.dtype, case.x.device

    def fresh(seed: int, m: int = ROWS, columns: int = n) -> Inputs:
        return make_inputs(m, columns, dtype, "normal", seed, device)

    given = fresh(0)
    x, weight, bias, dy = given.x, given.weight, given.bias, given.dy
    assert weight is not None and bias is not None, "made with both"  # noqa: PT018
    wide, rows = fresh(1, columns=n + 8), (2, -1, n)
    shifted = x.new_empty(x.numel() + 1)[1:].view(ROWS, n).copy_(x)
    single = {
        "three_dimensions": Call(x.view(rows), weight, bias, dy.view(rows)),
        "strided_rows": Call(wide.x[:, :n], weight, bias, wide.dy[:, :n]),
        "offset": Call(shifted, weight, bias, dy),
        "expanded_dy": Call(x, weight, bias, dy[:1].expand(ROWS, n)),
        "transposed_dy": Call(x, weight, bias, dy.t().contiguous().t()),
        "float32_weight": Call(x, weight.float(), bias.float(), dy),
        "no_bias": Call(x, weight, None, dy),
        "no_weight": Call(x, None, None, dy),
        "no_rows": Call(x[:0], weight, bias, dy[:0]),
    }
    several = {
        "later_calls": (fresh(seed) for seed in range(LATER_CALLS)),
        "many_rows": (fresh(0, m=MANY_ROWS) for _ in range(1)),
    }
    if layout in single:
        yield single[layout]
    for each in several.get(layout, ()):
        yield Call(each.x, each.weight, each.bias, each.dy)


def why_wrong(provider: Provider, case: Case, layout: str) -> Sentence | None:
    """Return what is wrong with a provider's results in one of LAYOUTS, or None.

    Args:
        provider: who is called through autograd.
        case: gives the length of rows, their dtype and the device.
        layout: its name.
    """
    for number, call in enumerate(calls(case, layout), 1):
        wrong = _check(provider, case, call)
        if wrong is not None:
            return wrong if number == 1 else say("call {number}: {why}", number=number, why=wrong)
    return None


def _check(provider: Provider, case: Case, call: Call) -> Sentence | None:
    bias = call.bias if case.norm == "layer_norm" else None
    given = (call.x, call.weight, bias)
    leaves = [None if each is None else each.detach().requires_grad_() for each in given]
    there = tuple(leaf for leaf in leaves if leaf is not None)
    with stand_in(provider, case):
        function = provider.autograd(case)
        try:
            y = function(*leaves)  # type: ignore[arg-type]
        except NoGradientError:
            with torch.no_grad():
                y = function(*leaves)  # type: ignore[arg-type]
        if y.shape != call.x.shape:
            return say(
                "{name} has shape {shape} in place of {expected}",
                name="y",
                shape=str(list(y.shape)),
                expected=str(list(call.x.shape)),
            )
        grads: Iterator[Tensor | None] = iter(())
        with suppress(NoGradientError):
            if y.requires_grad:
                grads = iter(gradients_of(y, there, call.dy))
    dx, dw, db = (None if leaf is None else next(grads, None) for leaf in leaves)
    if call.x.numel() == 0:
        sums = [grad for grad in (dw, db) if grad is not None]
        return None if not any(map(torch.any, sums)) else say("dw and db are not 0 without rows")
    n = call.x.shape[-1]
    x, dy = (each.reshape(-1, n) for each in (call.x, call.dy))
    rows = Inputs(x, call.weight, bias, dy, case.norm)
    results = Results(y.detach().reshape(-1, n), None if dx is None else dx.reshape(-1, n), dw, db)
    checked = check_all(rows, case.eps, case.launch, results, torch_results(rows, case.eps))
    failed = tuple(each.name for each in checked.checks if not each.passed)
    if not failed or (
        {*failed} <= {"dx", "dw", "db"}
        and only_inexact(rows, case.eps, results, case.launch, failed)
    ):
        return None
    return say("{names} are wrong", names=", ".join(failed))

"""Call a kernel as users do who do not hand it contiguous matrices: tensors of three dimensions,
with strides or an offset, of other dtypes, without weight or bias, without rows, again and again.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import torch
from torch import Tensor

from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import torch_results
from lnkernels.check.tampering import why_unjudged
from lnkernels.check.verifier import (
    RESULTS,
    Judge,
    Since,
    judge,
    poisoned_memory,
    results_of,
    wrong_shape,
)
from lnkernels.providers.peers import gradients_of
from lnkernels.providers.protocol import Case, NoGradientError, Provider, stand_in
from lnkernels.values.accuracy import LATER_CALLS, MANY_ROWS
from lnkernels.values.sentence import Sentence, say

ROWS = 6


def calls(
    layout: str, n: int, dtype: torch.dtype, device: torch.device, norm: str
) -> Iterator[Inputs]:
    """Yield the tensors of the calls of one of LAYOUTS, of x [..., N]; the same ones every time.

    Args:
        layout: its name.
        n: length of rows.
        dtype: of x.
        device: where to make them.
        norm: of `lnkernels.launch.NORMS`.
    """

    def fresh(seed: int, m: int = ROWS, columns: int = n) -> Inputs:
        return make_inputs(m, columns, dtype, "normal", seed, device, norm)

    def same(rows: Tensor) -> Tensor:
        return rows

    def shifted(rows: Tensor) -> Tensor:
        return rows.new_empty(rows.numel() + 1)[1:].view(ROWS, n).copy_(rows)

    given, wide = fresh(0), fresh(1, columns=n + 8).mapped(lambda rows: rows[:, :n])
    weight, bias = given.weight, given.bias
    assert weight is not None, "made with one"
    wide_bias = None if bias is None else bias.float()
    single = {
        "three_dimensions": given.mapped(lambda rows: rows.view(2, -1, n)),
        "strided_rows": replace(wide, weight=weight, bias=bias),
        "offset": given.mapped(shifted, same),
        "expanded_dy": given.mapped(same, lambda rows: rows[:1].expand(ROWS, n)),
        "transposed_dy": given.mapped(same, lambda rows: rows.t().contiguous().t()),
        "float32_weight": replace(given, weight=weight.float(), bias=wide_bias),
        "no_bias": replace(given, bias=None),
        "no_weight": replace(given, weight=None, bias=None),
        "no_rows": given.mapped(lambda rows: rows[:0]),
    }
    several = {
        "later_calls": (fresh(seed) for seed in range(LATER_CALLS)),
        "many_rows": (fresh(0, m=MANY_ROWS) for _ in range(1)),
    }
    if layout in single:
        yield single[layout]
    yield from several.get(layout, ())


def rows_of(since: Since, n: int, dtype: torch.dtype, device: torch.device, norm: str) -> Inputs:
    """Return the inputs of a call of a layout as matrices."""
    made = next(islice(calls(since.layout, n, dtype, device, norm), since.calls, None))
    return made.mapped(lambda rows: rows.reshape(-1, n))


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
    for number, call in enumerate(calls(layout, *_problem(case))):
        results = called(provider, case, call)
        since = Since(layout=layout, calls=number)
        wrong = _wrong(results, call, case, since, referee) or why_unjudged()
        if wrong is not None:
            return (
                wrong if number == 0 else say("call {number}: {why}", number=number + 1, why=wrong)
            )
    return None


def _problem(case: Case) -> tuple[int, torch.dtype, torch.device, str]:
    return case.shape[1], case.x.dtype, case.x.device, case.named_norm


def called(provider: Provider, case: Case, call: Inputs) -> dict[str, Tensor]:
    """Return the results of a call through autograd by name; y alone of a forward pass alone."""
    residual = () if call.residual is None else (call.residual,)
    given = (call.x, call.weight, call.bias, *residual)
    leaves = [None if each is None else each.detach().requires_grad_() for each in given]
    there = tuple(leaf for leaf in leaves if leaf is not None)
    with poisoned_memory(provider), stand_in(provider, case):
        function = provider.autograd(case)
        try:
            output = function(*leaves)
        except NoGradientError:
            with torch.no_grad():
                output = function(*leaves)
        dys = (call.dy,) if call.dresidual_out is None else (call.dy, call.dresidual_out)
        y, grads = output[0] if isinstance(output, tuple) else output, list[Tensor | None]()
        with suppress(NoGradientError):
            if y.requires_grad and y.shape == call.dy.shape:
                each = iter(gradients_of(output, there, dys))
                grads = [None if leaf is None else next(each) for leaf in leaves]
    found = results_of(output, grads)
    return {name: one for name in RESULTS if (one := getattr(found, name)) is not None}


def _wrong(
    results: dict[str, Tensor], call: Inputs, case: Case, since: Since, referee: Judge | None
) -> Sentence | None:
    n = call.x.shape[-1]
    sums = {"dw", "db"}
    for name, one in results.items():
        wrong = wrong_shape(name, one, (n,) if name in sums else call.x.shape)
        if wrong is not None:
            return wrong
    if call.x.numel() == 0:
        left = any(one.any() for name, one in results.items() if name in sums)
        return say("dw and db are not 0 without rows") if left else None
    matrices = {name: one if name in sums else one.reshape(-1, n) for name, one in results.items()}
    if referee is not None:
        return referee(matrices, since).wrong
    rows = rows_of(since, *_problem(case))
    return judge(matrices, rows, case.eps, case.launch, torch_results(rows, case.eps)).wrong

"""Make what a user's file offers callable as the norm of a case: a function, a
`torch.autograd.Function`, an `nn.Module`, or a pair of passes.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

from lnkernels.providers.peers import Autograd
from lnkernels.providers.protocol import Case
from lnkernels.values.sentence import ExplainedError

Function = Callable[..., Any]
KINDS = torch.nn.Module, torch.autograd.Function  # of classes
WEIGHTS = {"weight", "w", "W", "gamma"}  # names of a function's second parameter
RESIDUALS = ("residual", "res", "R", "r")  # names of the parameter of what is added to x
BIASES = {"bias", "beta", "b"}  # names of a module's second parameter
ARGUMENTS = ("x", "weight", "bias", "residual")  # that `Provider.autograd` is given


def _no_bias(found: Function) -> ExplainedError:
    """Return why something that takes a weight and no bias is no LayerNorm."""
    return ExplainedError(
        "{name} takes no bias: choose norm rms_norm where it is an RMSNorm; only LayerNorms"
        " with weight and bias are checked and timed",
        name=found.__name__,
    )


def as_autograd(
    found: Function, case: Case, settings: dict[str, Any], *, judged: bool = True
) -> Autograd:
    """Adapt a function, a class of `torch.nn.Module` or `torch.autograd.Function`, or the latter's
    `apply`, to the norm of a case: a function of x, weight, bias and, where one is added, the
    residual. An RMSNorm is given no bias.

    What it adapts may have no shape after x, and eps behind parameters of its own. It gets settings
    by their names.

    Raises:
        ExplainedError: it is a function that has eps where a bias is expected. A module that is
            judged raises it when it is called.
    """
    if isinstance(found, type) and issubclass(found, torch.nn.Module):
        return _of_module(found, case, settings, judged=judged)
    kind: Any = (
        getattr(found, "__self__", None) if getattr(found, "__name__", "") == "apply" else found
    )
    is_class = isinstance(kind, type) and issubclass(kind, torch.autograd.Function)
    forward: Function = kind.forward if is_class else found
    try:
        signature = inspect.signature(forward)
    except (TypeError, ValueError):  # of what is not written in Python
        return lambda x, *given: forward(x, case.shape[1:], *given, case.eps, **settings)
    context = int(is_class and kind.setup_context is torch.autograd.Function.setup_context)
    every = list(signature.parameters)[context:]
    has_bias, added = case.norm == "layer_norm", case.residual is not None
    residual_name = next((name for name in RESIDUALS if name in every), "") if added else ""
    names = [name for name in every if name != residual_name]
    eps_by_name = (
        "eps" in names and signature.parameters["eps"].kind is not inspect.Parameter.POSITIONAL_ONLY
    )
    before_eps = names[: names.index("eps")] if eps_by_name else []
    if has_bias and (
        before_eps[1:] == ["normalized_shape", "weight"]
        or (len(before_eps) == 2 and before_eps[1] in WEIGHTS)
    ):
        raise _no_bias(found)

    # Of some RMSNorms a bias is asked for, and may be None.
    bias = ["bias"] if has_bias or {*names[2:4]} & BIASES else []
    with_shape = not {*names[1:2]} & WEIGHTS
    if is_class and with_shape:
        # Names of any kind: where eps stands tells it, or how many there are besides settings.
        with_shape = (
            names.index("eps") > 2 + len(bias)
            if "eps" in names
            else len(set(names) - settings.keys() - {"trace"}) > 3 + len(bias)
        )
    by_place = ["x", *["shape"] * with_shape, "weight", *bias]
    by_name = {"eps": "eps"} if eps_by_name else {}
    by_place += [] if eps_by_name else ["eps"]
    if residual_name and every.index(residual_name) < len(by_place):
        by_place.insert(every.index(residual_name), "residual")
    elif added:
        by_name[residual_name or RESIDUALS[0]] = "residual"
    # FlashAttention's and others' word for giving the sum.
    constant = settings | ({"prenorm": True} if added and "prenorm" in names else {})

    @wraps(forward)
    def function(*tensors: Tensor) -> Any:
        values: dict[str, Any] = dict(zip(ARGUMENTS, tensors, strict=False))
        values |= {"shape": case.shape[1:], "eps": case.eps}
        values["bias"] = values["bias"] if has_bias else None
        given = [values[role] for role in by_place]
        named = {name: values[role] for name, role in by_name.items()} | constant
        try:
            bound = signature.bind(*[None] * context, *given, **named)
        except TypeError as error:
            raise ExplainedError(
                "{name}({parameters}) is not called as {norm} is: {why}; write a function"
                " {norm}(x, normalized_shape, {given}, eps) that calls it",
                norm=case.named_norm,
                given=[*["residual"] * added, "weight", *ARGUMENTS[2 : 2 + has_bias]],
                name=getattr(found, "__name__", str(found)),
                parameters=names,
                why=str(error),
            ) from None
        if not is_class:
            return found(*given, **named)
        bound.apply_defaults()
        return kind.apply(*bound.args[context:])

    return function


def _of_module(
    kind: type[torch.nn.Module], case: Case, settings: dict[str, Any], *, judged: bool
) -> Autograd:
    """Make a module, and call it with weight and bias for its own, ones and zeros where there are
    none.
    """
    made = list[torch.nn.Module]()
    shape, has_bias = case.shape[1:], case.norm == "layer_norm"
    prenorm = "prenorm" in inspect.signature(kind.forward).parameters

    def function(x: Tensor, weight: Tensor | None, bias: Tensor | None, *residual: Tensor) -> Any:
        if not made:
            first, *others = inspect.signature(kind).parameters.values()
            known = {"eps": case.eps, "bias": has_bias}
            named = {each.name: known[each.name] for each in others if each.name in known}
            takes_shape = "shape" in first.name and first.annotation not in (int, "int")
            made.append(kind(shape if takes_shape else shape[-1], **named, **settings))
            made[0].to(x.device)
        weight = x.new_ones(shape) if weight is None else weight
        bias = x.new_zeros(shape) if bias is None else bias
        given = {
            name: bias if name.rpartition(".")[2] in BIASES else weight
            for name, parameter in made[0].named_parameters()
            if parameter.shape == weight.shape
            and (has_bias or name.rpartition(".")[2] not in BIASES)
        }
        if judged and [each is bias for each in given.values()] == [False]:
            raise _no_bias(kind)
        more = {"prenorm": True} if residual and prenorm else {}
        return torch.func.functional_call(made[0], given, (x, *residual), more)

    return function


def is_raw_kernel(found: object) -> bool:
    """Return True for a function of `@triton.jit`, tuned or not, which needs a grid."""
    return all(hasattr(found, name) for name in ("fn", "arg_names", "run"))


def of_pair(forward: Function, backward: Function, eps: float) -> Autograd:
    """Return a pair of passes as one function with autograd. The passes are given contiguous
    matrices, and a weight of ones or a bias of zeros where there is none.
    """

    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
            n = x.shape[-1]
            rows = x.reshape(-1, n).contiguous()
            ctx.wanted = weight is not None, bias is not None
            weight = rows.new_ones(n) if weight is None else weight
            bias = rows.new_zeros(n) if bias is None else bias
            y, mean, rstd = forward(rows, weight, bias, eps)
            ctx.save_for_backward(rows, weight, mean, rstd)
            ctx.shape = x.shape
            return y.view(x.shape)  # type: ignore[no-any-return]

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> Any:
            rows, weight, mean, rstd = ctx.saved_tensors
            dy = grads[0].reshape(rows.shape).contiguous()
            dx, *sums = backward(dy, rows, weight, mean, rstd)
            given = (
                each if wanted else None for each, wanted in zip(sums, ctx.wanted, strict=True)
            )
            return dx.view(ctx.shape), *given

    return Pair.apply

"""Call whatever a user's file offers as `torch.nn.functional.layer_norm` is called: a function, a
`torch.autograd.Function`, an `nn.Module`, or a pair of passes.
"""

import inspect
from collections.abc import Callable, Hashable
from functools import partial, wraps
from typing import Any

import torch
from torch import Tensor

from lnkernels.launch import split_norm
from lnkernels.values.sentence import ExplainedError, say

Function = Callable[..., Any]
KINDS = torch.nn.Module, torch.autograd.Function  # of classes
WEIGHTS = {"weight", "w", "W", "gamma"}  # names of a function's second parameter
RESIDUALS = ("residual", "res", "R", "r")  # names of the parameter of what is added to x
BIASES = {"bias", "beta", "b"}  # names of a module's second parameter
ROLES = ("x", "shape", "weight", "bias", "eps", "residual")  # in this order
GIVEN = {"layer_norm": ("residual", "weight", "bias"), "rms_norm": ("residual", "weight")}


class NoBiasError(ExplainedError):
    """Something that a user's file offers takes a weight and no bias."""

    def __init__(self, found: Function) -> None:
        super().__init__(
            say(
                "{name} takes no bias: choose norm rms_norm where it is an RMSNorm; only LayerNorms"
                " with weight and bias are checked and timed",
                name=found.__name__,
            )
        )


def as_layer_norm(
    found: Function, norm: str, settings: dict[str, Any], *, judged: bool = True
) -> Function:
    """Adapt a function, a class of `torch.nn.Module` or `torch.autograd.Function`, or the latter's
    `apply`, to the signature of `torch.nn.functional.layer_norm`, with a residual behind eps where
    the norm adds one. An RMSNorm is given no bias.

    It may have no shape after x, and eps behind parameters of its own. It gets settings by their
    names.

    Raises:
        NoBiasError: it is a function that has eps where a bias is expected. A module that is judged
            raises it when it is called.
    """
    if isinstance(found, type) and issubclass(found, torch.nn.Module):
        return _of_module(found, norm, settings, judged=judged)
    kind: Any = (
        getattr(found, "__self__", None) if getattr(found, "__name__", "") == "apply" else found
    )
    is_class = isinstance(kind, type) and issubclass(kind, torch.autograd.Function)
    forward: Function = kind.forward if is_class else found
    try:
        signature = inspect.signature(forward)
    except (TypeError, ValueError):  # of what is not written in Python
        return partial(found, **settings)
    context = (
        (None,) if is_class and kind.setup_context is torch.autograd.Function.setup_context else ()
    )
    every = list(signature.parameters)[len(context) :]
    plain, added = split_norm(norm)
    residual_name = next((name for name in RESIDUALS if name in every), "") if added else ""
    names = [name for name in every if name != residual_name]
    eps_by_name = (
        "eps" in names and signature.parameters["eps"].kind is not inspect.Parameter.POSITIONAL_ONLY
    )
    before_eps = names[: names.index("eps")] if eps_by_name else []
    if plain == "layer_norm" and (
        before_eps[1:] == ["normalized_shape", "weight"]
        or (len(before_eps) == 2 and before_eps[1] in WEIGHTS)
    ):
        raise NoBiasError(found)

    # Of some RMSNorms a bias is asked for, and may be None.
    bias = ["bias"] if plain == "layer_norm" or {*names[2:4]} & BIASES else []
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
    def function(*arguments: Any) -> Any:
        values = dict(zip(ROLES, arguments, strict=False))
        values["bias"] = values["bias"] if plain == "layer_norm" else None
        given = [values[role] for role in by_place]
        named = {name: values[role] for name, role in by_name.items()} | constant
        try:
            bound = signature.bind(*context, *given, **named)
        except TypeError as error:
            raise ExplainedError(
                say(
                    "{name}({parameters}) is not called as {norm} is: {why}; write a function"
                    " {norm}(x, normalized_shape, {given}, eps) that calls it",
                    norm=norm,
                    given=", ".join(each for each in GIVEN[plain] if added or each != "residual"),
                    name=getattr(found, "__name__", str(found)),
                    parameters=", ".join(names),
                    why=str(error),
                )
            ) from None
        if not is_class:
            return found(*given, **named)
        bound.apply_defaults()
        return kind.apply(*bound.args[len(context) :])

    return function


def _of_module(
    kind: type[torch.nn.Module], norm: str, settings: dict[str, Any], *, judged: bool
) -> Function:
    """Make a module for each length of rows, and call it with weight and bias for its own, ones and
    zeros where there are none.
    """
    made: dict[Hashable, torch.nn.Module] = {}
    has_bias = split_norm(norm)[0] == "layer_norm"
    first, *others = inspect.signature(kind).parameters.values()
    takes_shape = "shape" in first.name and first.annotation not in (int, "int")
    prenorm = "prenorm" in inspect.signature(kind.forward).parameters

    def function(
        x: Tensor,
        shape: tuple[int, ...],
        weight: Tensor | None,
        bias: Tensor | None,
        eps: float,
        *residual: Tensor,
    ) -> Any:
        key = (shape, x.device, eps)
        if key not in made:
            given = {"eps": eps, "bias": has_bias}
            named = {each.name: given[each.name] for each in others if each.name in given}
            made[key] = kind(shape if takes_shape else shape[-1], **named, **settings).to(x.device)
        module = made[key]
        weight = x.new_ones(shape) if weight is None else weight
        bias = x.new_zeros(shape) if bias is None else bias
        parameters = {
            name: bias if is_bias else weight
            for name, parameter in module.named_parameters()
            if parameter.shape == weight.shape
            and (not (is_bias := name.rpartition(".")[2] in BIASES) or has_bias)
        }
        if judged and [each is bias for each in parameters.values()] == [False]:
            raise NoBiasError(kind)
        more = {"prenorm": True} if residual and prenorm else {}
        return torch.func.functional_call(module, parameters, (x, *residual), more)

    return function


def is_raw_kernel(found: object) -> bool:
    """Return True for a function of `@triton.jit`, tuned or not, which needs a grid."""
    return all(hasattr(found, name) for name in ("fn", "arg_names", "run"))


def as_function(forward: Function, backward: Function) -> Function:
    """Return a pair of passes as one function with autograd. The passes are given contiguous
    matrices, and a weight of ones or a bias of zeros where there is none.
    """

    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any, x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
        ) -> Tensor:
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
            return dx.view(ctx.shape), *given, None

    def function(x: Tensor, shape: Any, weight: Tensor, bias: Tensor, eps: float) -> Any:
        return Pair.apply(x, weight, bias, eps)  # type: ignore[no-untyped-call]

    return function

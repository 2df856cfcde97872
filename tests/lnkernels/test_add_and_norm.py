"""The norm of x + residual: its truth, what correct kernels may be off by, how files are called."""

from dataclasses import replace
from itertools import cycle

import pytest
import torch

from lnkernels.check.inputs import DISTRIBUTIONS, Inputs, make_inputs
from lnkernels.check.results import kernel_results
from lnkernels.check.verifier import Verifier, why_wrong
from lnkernels.launch import LAUNCHED, USUAL_LIMITS, Launch, LaunchWish, resolve_launch
from lnkernels.providers.own import Own
from lnkernels.providers.peers import Eager
from lnkernels.providers.protocol import Case, requested_bytes
from lnkernels.timing.rounds import tutorial_bytes
from lnkernels.values.accuracy import LAYOUTS
from tests.lnkernels.own_files import OwnFile

DTYPES = ["float32", "float16", "bfloat16"]
NORMS = ["add_layer_norm", "add_rms_norm"]
# Liger's way: the stored sum is normalised. quack's goes on with the float32 sum.
RMS = """
import torch

class AddNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, eps):
        wide = x.float() + residual.float()
        total = wide.to(x.dtype)
        kept = total.float()
        rstd = torch.rsqrt(kept.square().mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(total, weight, rstd)
        return (kept * rstd * weight.float()).to(x.dtype), total

    @staticmethod
    def backward(ctx, dy, dtotal):
        total, weight, rstd = ctx.saved_tensors
        xhat, wdy = total.float() * rstd, dy.float() * weight.float()
        dx = (wdy - xhat * (xhat * wdy).mean(-1, keepdim=True)) * rstd
        dx = (dx + dtotal.float()).to(dy.dtype)
        rows = (dy.float() * xhat).reshape(-1, dy.shape[-1])
        return dx, dx, rows.sum(0).to(weight.dtype), None

def add_rms_norm(x, residual, weight, eps):
    return AddNorm.apply(x, residual, weight, eps)
"""
LAYER = """
import torch

class AddNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, bias, eps):
        wide = x.float() + residual.float()
        total = wide.to(x.dtype)
        kept = total.float()
        mean = kept.mean(-1, keepdim=True)
        mean = mean + (kept - mean).mean(-1, keepdim=True)
        rstd = torch.rsqrt((kept - mean).square().mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(total, weight, mean, rstd)
        return ((kept - mean) * rstd * weight.float() + bias.float()).to(x.dtype), total

    @staticmethod
    def backward(ctx, dy, dtotal):
        total, weight, mean, rstd = ctx.saved_tensors
        xhat, wdy = (total.float() - mean) * rstd, dy.float() * weight.float()
        c1, c2 = (xhat * wdy).mean(-1, keepdim=True), wdy.mean(-1, keepdim=True)
        dx = ((wdy - xhat * c1 - c2) * rstd + dtotal.float()).to(dy.dtype)
        rows = (dy.float() * xhat).reshape(-1, dy.shape[-1])
        db = dy.float().reshape(rows.shape).sum(0)
        return dx, dx, rows.sum(0).to(weight.dtype), db.to(weight.dtype), None

def add_layer_norm(x, residual, weight, bias, eps):
    return AddNorm.apply(x, residual, weight, bias, eps)
"""
TEXTS = {"add_layer_norm": LAYER, "add_rms_norm": RMS}


def problem(
    norm: str, dtype: str, data: str = "tutorial", m: int = 24, n: int = 128
) -> tuple[Inputs, Launch]:
    inputs = make_inputs(m, n, getattr(torch, dtype), data, 0, torch.device("cpu"), norm)
    return inputs, resolve_launch(n, dtype, LaunchWish(), USUAL_LIMITS, m=m)


def case(norm: str, dtype: str, data: str = "tutorial", m: int = 24, n: int = 128) -> Case:
    inputs, launch = problem(norm, dtype, data, m, n)
    return Case.of(inputs, 1e-5, launch)


# Each distribution with one dtype.
@pytest.mark.parametrize(("dtype", "data"), [*zip(cycle(DTYPES), DISTRIBUTIONS)])
@pytest.mark.parametrize("norm", NORMS)
def test_who_normalises_the_stored_or_the_float32_sum_is_right(
    norm: str, dtype: str, data: str, mine: OwnFile
) -> None:
    given, text = case(norm, dtype, data), TEXTS[norm]
    assert Verifier(given)(Eager()) is None
    assert mine.reason(text, case=given) == ""
    assert mine.reason(text.replace("kept = total.float()", "kept = wide"), case=given) == ""


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    ("right", "instead", "named"),
    [
        (" + dtotal.float()", "", "dx is wrong"),
        ("x.float() + residual.float()", "x.float() - residual.float()", "residual_out is wrong"),
        ("to(x.dtype), total", "to(x.dtype), x * 1", "residual_out is wrong"),
        ("kept = total.float()", "kept = x.float()", "y is wrong"),
        ("return dx, dx,", "return dx, dtotal,", "dresidual is not dx"),
        ("rows.sum(0)", "rows[1:].sum(0)", "dw is wrong"),
        ("rows.sum(0)", "rows.roll(1, 1).sum(0)", "dw is wrong"),
        ("return dx, dx,", "return dx.roll(1, 0), dx.roll(1, 0),", "dx is wrong"),
    ],
)
def test_what_is_no_norm_of_a_sum_is_wrong(
    norm: str, right: str, instead: str, named: str, mine: OwnFile
) -> None:
    assert TEXTS[norm].count(right) == 1
    told = mine.reason(TEXTS[norm].replace(right, instead), case=case(norm, "float16"))
    assert named in told, told


def test_what_is_not_given_is_said(mine: OwnFile) -> None:
    verifier = Verifier(case("add_rms_norm", "float32"))
    alone = mine.provider(RMS.replace("return dx, dx,", "return dx, None,"))
    assert verifier(alone) is None
    assert verifier.absent == ("dresidual",)
    text = RMS.replace("to(x.dtype), total", "to(x.dtype)").replace("dy, dtotal)", "dy)")
    told = mine.reason(text.replace("+ dtotal.float()", ""), case=case("add_rms_norm", "float32"))
    assert "add_rms_norm gives Tensor in place of y and x + residual" in told


FLASH = """
import torch
CALLS = []
def layer_norm_fn(x, weight, bias, residual=None, eps=1e-6, dropout_p=0.0, prenorm=False):
    CALLS.append(prenorm)
    total = x if residual is None else x + residual
    y = torch.nn.functional.layer_norm(total, total.shape[-1:], weight, bias, eps)
    return (y, total) if prenorm else y
"""
MODULE = """
import torch
class RMSNorm(torch.nn.Module):
    def __init__(self, hidden_size, eps):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(hidden_size))
        self.eps = eps
    def forward(self, x, residual):
        total = x + residual
        return torch.nn.functional.rms_norm(total, total.shape[-1:], self.weight, self.eps), total
"""
CLASS = RMS.replace("AddNorm", "LigerFusedAddRMSNormFunction").replace(
    "forward(ctx, x, residual, weight, eps)",
    'forward(ctx, x, R, W, eps, offset=0.0, casting_mode="llama")',
)
CLASS = CLASS[: CLASS.index("def add_rms_norm")].replace(
    "        wide =", "        residual, weight = R, W\n        wide ="
)
CLASS = CLASS.replace("to(weight.dtype), None", "to(weight.dtype), None, None, None")


@pytest.mark.parametrize(
    ("norm", "text", "told", "function"),
    [
        ("add_rms_norm", RMS, "add_rms_norm", ""),
        ("add_layer_norm", LAYER, "add_layer_norm", ""),
        ("add_layer_norm", FLASH, "", "layer_norm_fn"),
        ("add_rms_norm", MODULE, "add_rms_norm", ""),
        ("add_rms_norm", CLASS, "add_rms_norm", ""),
        (
            "add_rms_norm",
            RMS.replace(
                "def add_rms_norm(x, res", "def fused_add_rms_norm(x, normalized_shape, res"
            ),
            "add_rms_norm",
            "",
        ),
        (
            "add_layer_norm",
            LAYER.replace(
                "(x, residual, weight, bias, eps):", "(x, weight, bias, eps, *, residual):"
            ),
            "add_layer_norm",
            "",
        ),
    ],
)
def test_a_file_is_called_as_its_signature_asks(
    norm: str, text: str, told: str, function: str, mine: OwnFile
) -> None:
    assert mine.reason(text, case=case(norm, "float16"), function=function) == ""
    found = mine.provider(text, function=function).source
    assert found.norm == told or (not told and found.norm == "layer_norm")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (FLASH, "layer_norm"),  # with and without a residual: what is added is asked for
        (RMS + "def rms_norm(x, weight, eps): pass\n", ""),
        ("def rms_norm(x, weight, eps, residual): pass\n", "add_rms_norm"),
        ("def rms_norm(x, weight, eps, residual=None): pass\n", "rms_norm"),
        ("def add_rms_norm(x, residual, weight, bias, eps): pass\n", ""),
    ],
)
def test_an_addition_is_told_where_that_is_certain(mine: OwnFile, text: str, told: str) -> None:
    assert mine.source(text).norm == told


def test_a_function_without_a_residual_is_told_what_to_write(mine: OwnFile) -> None:
    text = "def rms_norm(x, weight, eps): pass\n"
    told = mine.reason(text, case=case("add_rms_norm", "float32"))
    assert "write a function add_rms_norm(x, normalized_shape, residual, weight, eps)" in told
    told = mine.reason("def other(): pass\n", case=case("add_layer_norm", "float32"))
    assert "has no add_layer_norm(x, residual, weight, bias, eps)" in told


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "many_rows"])
def test_hard_layouts_are_held_against_the_norm_of_the_sum(
    layout: str, norm: str, mine: OwnFile
) -> None:
    if layout == "no_weight" or (layout == "no_bias" and norm == "add_layer_norm"):
        text = "import torch\nfrom lnkernels.providers.peers import after_addition\n"
        text += f"def {norm}(x, residual, shape, weight, {'bias, ' * (norm == NORMS[0])}eps):\n"
        text += "    total = x + residual\n"
        given = "weight, bias, eps" if norm == NORMS[0] else "weight, eps"
        name = norm.removeprefix("add_")
        text += f"    return torch.nn.functional.{name}(total, shape, {given}), total\n"
    else:
        text = TEXTS[norm]
    given_case = case(norm, "float16")
    assert why_wrong(mine.provider(text), given_case, layout) is None
    if text is TEXTS[norm]:
        other = text.replace(" + dtotal.float()", "")
        found = why_wrong(mine.provider(other), given_case, layout)
        assert "dx" in str(found) or layout == "no_rows"


@pytest.mark.parametrize(("strategy", "norm"), [*zip(LAUNCHED, cycle(NORMS))])
def test_each_strategy_gives_it_with_pytorchs_addition(strategy: str, norm: str) -> None:
    inputs, _ = problem(norm, "float16", m=3, n=40)
    launch = resolve_launch(40, "float16", LaunchWish(strategy=strategy), USUAL_LIMITS, m=3)
    given = Case.of(inputs, 1e-5, launch)
    assert Verifier(given)(Own(strategy)) is None
    found = kernel_results(inputs, 1e-5, launch)
    y, total = Own(strategy).forward(given)()
    assert torch.equal(found.y, y)
    assert torch.equal(total, inputs.x + inputs.residual)
    grads = Own(strategy).backward(given)()
    assert torch.equal(grads[0], found.dx)
    assert grads[3] is grads[0]


def test_bytes_are_those_of_this_operation() -> None:
    given = case("add_rms_norm", "float16", m=8, n=16)
    matrix = 8 * 16 * 2
    for direction in ("forward", "backward"):
        assert tutorial_bytes(direction, 8, 16, "float16", "add_rms_norm") == 4 * matrix
        plain = replace(given, residual=None, dresidual_out=None)
        own = requested_bytes(Own("locked"), given, direction)
        assert own == requested_bytes(Own("locked"), plain, direction) + 3 * matrix
    # w and rstd; w, dw and rstd
    assert requested_bytes(Eager(), given, "forward") == 4 * matrix + 16 * 2 + 8 * 4
    assert requested_bytes(Eager(), given, "backward") == 4 * matrix + 2 * 16 * 2 + 8 * 4


# Of the tutorial's benchmark, a width that is no power of two; rows of its check.

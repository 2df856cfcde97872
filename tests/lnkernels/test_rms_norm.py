"""RMSNorm: its truth, what correct kernels may be off by, and who is refused."""

import re
from dataclasses import replace
from itertools import cycle

import pytest
import torch

from lnkernels.check.inputs import DISTRIBUTIONS, make_inputs
from lnkernels.check.verifier import Verifier, why_wrong
from lnkernels.launch import USUAL_LIMITS, LaunchWish, resolve_launch
from lnkernels.providers.own import Own
from lnkernels.providers.peers import Apex, Eager
from lnkernels.providers.protocol import Case
from lnkernels.values.accuracy import LAYOUTS
from tests.lnkernels.own_files import OwnFile

# With 40 columns: every form of a kernel.
FORMS: list[tuple[str, dict[str, int | bool]]] = [
    ("persistent", {"block_size": 16, "forward_held": True, "forward_rows": 4}),
    ("persistent", {"block_size": 8, "forward_held": True}),
    ("persistent", {"block_size": 16, "forward_held": False}),
    ("persistent", {"rows": 2, "sums_per_row": True}),
    ("persistent", {"rows": 2, "sums_per_row": False}),
    ("split", {"block_size_n": 16, "slices": 3}),
    ("atomic", {"forward_rows": 1, "forward_grid_per_sm": 2, "forward_num_stages": 3}),
]
DTYPES = ["float32", "float16", "bfloat16"]
LLAMA = """
import torch

class RMSNorm(torch.nn.Module):
    def __init__(self, n, eps):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(n))
        self.eps = eps

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(x.dtype)
"""
# Liger's and others' way: a function without a shape, in float32 throughout, sums by hand.
OWN_GRADIENTS = """
import torch

class RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        rstd = torch.rsqrt(x.float().square().mean(1, keepdim=True) + eps)
        ctx.save_for_backward(x, weight, rstd)
        return (x.float() * rstd * weight.float()).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x, weight, rstd = ctx.saved_tensors
        xhat, wdy = x.float() * rstd, dy.float() * weight.float()
        dx = (wdy - xhat * (xhat * wdy).mean(1, keepdim=True)) * rstd
        rows = dy.float() * xhat
        return dx.to(x.dtype), rows.sum(0).to(weight.dtype), None

def rms_norm(x, weight, eps):
    return RmsNorm.apply(x, weight, eps)
"""


def case(
    dtype: str, data: str = "tutorial", m: int = 64, n: int = 512, strategy: str = "locked"
) -> Case:
    made = make_inputs(m, n, getattr(torch, dtype), data, 0, torch.device("cpu"))
    inputs = replace(made, norm="rms_norm", bias=None)
    launch = resolve_launch(n, dtype, LaunchWish(strategy=strategy), USUAL_LIMITS, m=m)

    return Case.of(inputs, 1e-5, launch)


# Each distribution with one dtype.
@pytest.mark.parametrize(("dtype", "data"), [*zip(cycle(DTYPES), DISTRIBUTIONS)])
def test_pytorchs_llamas_and_float32_kernels_are_right(
    dtype: str, data: str, mine: OwnFile
) -> None:
    given = case(dtype, data)
    assert Verifier(given)(Eager()) is None
    assert mine.reason(LLAMA, case=given) == ""
    assert mine.reason(OWN_GRADIENTS, case=given) == ""


@pytest.mark.parametrize(
    ("right", "instead", "named"),
    [
        ("x.float().square()", "(x.float() - x.float().mean(1, keepdim=True)).square()", "y"),
        (" + eps)", ")", "dx"),
        ("* weight.float()).to(x.dtype)", ").to(x.dtype)", "y"),
        ("rows.sum(0)", "rows[1:].sum(0)", "dw"),
        ("rows.sum(0)", "rows.roll(1, 1).sum(0)", "dw"),
        ("wdy - xhat *", "wdy - wdy.mean(1, keepdim=True) - xhat *", "dx"),
    ],
)
def test_what_is_no_rmsnorm_is_wrong(right: str, instead: str, named: str, mine: OwnFile) -> None:
    assert OWN_GRADIENTS.count(right) == 1
    data = "constant" if right == " + eps)" else "tutorial"
    given = case("float16", data)
    if data == "constant":  # rows so small that eps counts
        given = replace(given, x=given.x * 1e-3)
    told = mine.reason(OWN_GRADIENTS.replace(right, instead), case=given)
    assert re.search(rf"\b{named} is wrong", told), told


def test_one_row_lost_among_4096_is_found(mine: OwnFile) -> None:
    text = OWN_GRADIENTS.replace("rows.sum(0)", "rows.sum(0) - rows[7]")
    assert "dw is wrong" in mine.reason(text, case=case("bfloat16", m=4096, n=64))


def test_who_gives_layernorm_alone_refuses() -> None:
    given = case("float32")
    for prepare in (Apex().forward, Apex().backward, Apex().autograd):
        with pytest.raises(ValueError, match="has no RMSNorm that is timed"):
            prepare(given)


@pytest.mark.parametrize(("strategy", "wished"), FORMS, ids=str)
def test_each_strategy_gives_rmsnorm(strategy: str, wished: dict[str, int | bool]) -> None:
    wish = LaunchWish(strategy=strategy, **wished)  # type: ignore[arg-type]
    launch = resolve_launch(40, "float16", wish, USUAL_LIMITS, m=5)
    given = replace(case("float16", m=5, n=40), launch=launch)
    assert Verifier(given)(Own(strategy)) is None


# Of one column LayerNorm gives zeros, RMSNorm does not.
@pytest.mark.parametrize(
    ("strategy", "n", "data"),
    [
        ("locked", 1, "tutorial"),
        ("persistent", 100, "nan"),
        ("split", 100, "inf"),
        ("atomic", 100, "offset"),
        ("locked", 100, "constant"),
    ],
)
def test_each_strategy_gives_rmsnorm_of_hard_data(strategy: str, n: int, data: str) -> None:
    assert Verifier(case("float16", data, 6, n, strategy))(Own(strategy)) is None


@pytest.mark.parametrize(
    "layout", [name for name in LAYOUTS if name not in ("many_rows", "no_weight")]
)
def test_hard_layouts_are_held_against_rmsnorm(mine: OwnFile, layout: str) -> None:
    given = case("float16")
    text = OWN_GRADIENTS.replace("mean(1,", "mean(-1,").replace("rows.sum(0)", "rows.sum(axes)")
    text = text.replace("rows = dy", "axes = tuple(range(x.ndim - 1)); rows = dy")
    assert text.count("axes") == 2
    assert why_wrong(mine.provider(text), given, layout) is None
    other = text.replace("(xhat * wdy).mean(", "wdy.mean(")
    wrong = why_wrong(mine.provider(other), given, layout)
    assert "dx" in str(wrong) or layout == "no_rows"


def test_running_sums_in_half_precision_are_inexact(mine: OwnFile) -> None:
    running = (
        "functools.reduce(lambda a, r: (a + r).half(), rows.half().view(16, -1, 64).unbind(1))"
    )
    text = "import functools" + OWN_GRADIENTS.replace("rows.sum(0)", f"{running}.sum(0)")
    verifier = Verifier(case("float16", m=4096, n=64))
    assert verifier(mine.provider(text)) is None
    assert "inexact: dw" in str(verifier.inexact)

"""What a kernel gives, launches, tunes and keeps is found, and it is tried as its users call it."""

import re
from collections import Counter

import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.verifier import Verifier, why_wrong
from lnkernels.check.watching import Watched, short_name, told_launches
from lnkernels.launch import resolve_launch
from lnkernels.providers.protocol import Case
from lnkernels.values.accuracy import LAYOUTS
from tests.lnkernels.own_files import FUNCTION, PAIR, PLAIN, TORCH_NORM, OwnFile


@pytest.mark.parametrize(
    ("old", "new", "absent"),
    [
        ("* scale", "\n\nlayer_norm = torch.no_grad()(layer_norm)", ("dx", "dw", "db")),
        ("shape, weight, bias, eps) * scale", "shape, weight.detach(), bias, eps)", ("dw",)),
        ("* scale", "", ()),
        (FUNCTION, PAIR.replace("return dx, dw, db", "return dx, None, None"), ("dw", "db")),
    ],
)
def test_a_kernel_is_judged_by_what_it_gives(
    old: str, new: str, absent: tuple[str, ...], case: Case, mine: OwnFile
) -> None:
    verifier = Verifier(case)
    provider = mine.provider(FUNCTION.replace(old, new))
    assert verifier(provider) is None
    assert verifier.absent == absent
    assert verifier.correctness is not None
    given = {"y", "dx", "dw", "db"}.difference(absent)
    assert {each.name for each in verifier.correctness.checks} == given


FORWARD_ALONE = f"""
import torch
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        return {TORCH_NORM}
def layer_norm(x, shape, weight, bias, eps):
    return Norm.apply(x, weight, bias, eps)
"""


def test_a_function_whose_backward_pass_is_not_written_is_a_forward_pass_alone(
    case: Case, mine: OwnFile
) -> None:
    verifier = Verifier(case)
    assert verifier(mine.provider(FORWARD_ALONE)) is None
    assert verifier.absent == ("dx", "dw", "db")


TUNED = """
import torch, triton, triton.language as tl
CONFIGS = [triton.Config({"BLOCK": 64, "SCALE": 1}), triton.Config({"BLOCK": 64, "SCALE": OTHER})]
@triton.autotune(CONFIGS, key=["N"])
@triton.jit
def scaled(X, N, BLOCK: tl.constexpr, SCALE: tl.constexpr):
    columns = tl.program_id(0) * N + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < N
    tl.store(X + columns, tl.load(X + columns, mask=inside) * SCALE, mask=inside)
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, shape, weight, bias, eps):
        ctx.save_for_backward(x, weight, bias)
        ctx.eps = eps
        y = torch.nn.functional.layer_norm(x, shape, weight, bias, eps)
        scaled[(len(y),)](y, y.shape[1])
        return y
    @staticmethod
    def backward(ctx, dy):
        with torch.enable_grad():
            leaves = [each.detach().requires_grad_() for each in ctx.saved_tensors]
            y = torch.nn.functional.layer_norm(leaves[0], leaves[1].shape, *leaves[1:], ctx.eps)
            dx, dw, db = torch.autograd.grad(y, leaves, dy)
        return dx, None, dw, db, None
layer_norm = Norm.apply
"""


def test_every_configuration_of_an_autotuner_is_checked_and_what_was_launched_is_told(
    case: Case, mine: OwnFile
) -> None:
    verifier = Verifier(case)
    right = mine.provider(TUNED.replace("OTHER", "1"))
    assert verifier(right) is None
    assert verifier.launched is not None
    launched = str(verifier.launched.sentence)
    assert launched.startswith("it launched scaled (BLOCK: 64, SCALE: 1, ")
    told = "the interpreter times nothing, so each autotuner took the first of its configurations"
    assert launched.endswith(f"; {told}")
    assert verifier.launched.tuned == (), "nobody has timed them"
    told = mine.reason(TUNED.replace("OTHER", "2"), "wrong.py")
    assert told.startswith("as scaled (BLOCK: 64, SCALE: 2, ")
    assert "y is wrong in " in told


def test_a_file_that_launches_no_kernel_is_called_what_it_is(mine: OwnFile, case: Case) -> None:
    told = launched_by(FUNCTION, mine, case)
    assert told == (
        "it launches no kernel of its own: it called torch's native_layer_norm,"
        " native_layer_norm_backward"
    )
    assert launched_by(PLAIN, mine, case) == (
        "it launches no kernel of its own: it is plain PyTorch"
    )


@pytest.mark.parametrize("how", ["threading.Thread(target=run)", "pool.submit(run)"])
def test_what_a_file_calls_in_a_thread_of_its_own_is_told(
    how: str, mine: OwnFile, case: Case
) -> None:
    end = "each.start(); each.join()" if "Thread" in how else "each.result()"
    text = f"""
import threading, torch
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
def layer_norm(x, shape, weight, bias, eps):
    found = []
    def run():
        assert x.is_cuda and torch.zeros(1, device="cuda").is_cuda
        found.append({TORCH_NORM})
    each = {how}
    {end}
    return found[0]
"""
    assert launched_by(text, mine, case).endswith(
        "it called torch's native_layer_norm, native_layer_norm_backward"
    )


def test_what_is_computed_outside_of_pytorch_is_not_called_plain_pytorch(
    mine: OwnFile, case: Case
) -> None:
    text = """
import torch
def layer_norm(x, shape, weight, bias, eps):
    y = torch.empty_like(x)
    x, weight, bias = (each.detach().float().numpy() for each in (x, weight, bias))
    xhat = (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + eps) ** 0.5
    y.numpy()[:] = xhat * weight + bias
    return y
"""
    assert launched_by(text, mine, case) == "it launches no kernel of Triton"


def launched_by(text: str, mine: OwnFile, case: Case) -> str:
    verifier = Verifier(case)
    assert verifier(mine.provider(text)) is None
    assert verifier.launched is not None
    return str(verifier.launched.sentence)


@pytest.mark.parametrize(
    ("ran", "told"),
    [
        ({"mine": 2}, "it launched mine 2×"),
        ({"mine": 2, "rows": 1}, "it launched mine 2×, rows 1×"),
        ({"mine": 1}, "it launched mine 2×; the GPU ran mine 1×"),
        ({}, "it launched mine 2×; the GPU ran mine 0×"),
    ],
)
def test_what_a_gpu_ran_is_told_where_it_is_not_what_was_launched(
    ran: dict[str, int], told: str
) -> None:
    assert str(told_launches(Watched(Counter(mine=2)), Counter(ran)).sentence) == told


def test_what_no_profiler_has_seen_is_not_called_plain_pytorch() -> None:
    seen = Watched(operators={"add"})
    unseen, plain = told_launches(seen, None), told_launches(seen, Counter())
    assert (str(unseen.sentence), unseen.own) == ("it launches no kernel of Triton", True)
    assert told_launches(Watched(operators={"native_layer_norm"}), None).own
    assert str(plain.sentence).endswith("it is plain PyTorch")
    assert not plain.own


def test_an_operator_of_a_library_is_not_called_torchs(mine: OwnFile, case: Case) -> None:
    text = f"""
import torch
@torch.library.custom_op("a_library::its_norm_impl", mutates_args=())
def its_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    return {TORCH_NORM}
def layer_norm(x, shape, weight, bias, eps):
    return its_norm(x.detach(), weight.detach(), bias.detach(), eps)
"""
    assert launched_by(text, mine, case) == "it launches no kernel of Triton"


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("void (anonymous namespace)::rows<c10::Half, 4>(c10::Half const*, int)", "rows"),
        ("normalize(float*)", "normalize"),
        ("normalize_row", "normalize_row"),
    ],
)
def test_a_kernel_of_cuda_has_a_short_name(kernel: str, name: str) -> None:
    assert short_name(kernel) == name


@pytest.mark.parametrize(
    ("data", "m", "dtype", "taken", "told"),
    [
        ("offset", 8, "float16", "max(eps, 1.6e-5)", "1.6e-05"),
        ("constant", 8, "float16", "1e-6", "1e-06"),
        ("normal", 8, "float16", "max(eps, 1.6e-5)", "1.6e-05"),
        ("tutorial", 2048, "bfloat16", "1e-6", "1e-06"),  # told by 279 of 131,072 elements
        ("offset", 8, "float16", "0.0", "0"),
        ("offset", 8, "float16", "eps) * (1 + 0 * 1", ""),
        ("offset", 8, "float16", "eps) * (2", ""),
    ],
)
def test_a_kernel_that_takes_another_eps_is_told_which(
    data: str, m: int, dtype: str, taken: str, told: str, mine: OwnFile
) -> None:
    inputs = make_inputs(m, 64, getattr(torch, dtype), data, 0, "cpu")
    case = Case.of(inputs, 1e-5, resolve_launch(64, dtype, m=m))
    found = mine.reason(FUNCTION.replace("eps) * scale", f"{taken})"), case=case)
    why = f"; it is right for eps = {told}: perhaps it takes that in place of 1e-05"
    assert found.endswith(why) if told else "eps" not in found
    assert bool(found) == ("1 + 0" not in taken)


def _wrong(text: str, mine: OwnFile, case: Case) -> dict[str, str]:
    provider = mine.provider(text)
    found = {name: why_wrong(provider, case, name) for name in LAYOUTS if name != "many_rows"}
    return {name: str(why) for name, why in found.items() if why is not None}


def test_hard_layouts_pass_where_a_kernel_is_right(mine: OwnFile, case: Case) -> None:
    assert not _wrong(FUNCTION, mine, case)


@pytest.mark.parametrize(
    "text",
    [
        FUNCTION.replace("* scale", "\n\nlayer_norm = torch.no_grad()(layer_norm)"),
        FORWARD_ALONE,
        "import torch\nclass MyNorm(torch.nn.LayerNorm):\n    pass\n",
    ],
)
def test_hard_layouts_pass_where_a_forward_pass_alone_or_a_module_is_right(
    text: str, mine: OwnFile, case: Case
) -> None:
    assert not _wrong(text, mine, case)
    doubled = re.sub(r"(return .*eps\))", r"\1 * (1 if x.ndim == 2 else 2)", text, count=1)
    if doubled != text:
        assert "three_dimensions" in _wrong(doubled, mine, case)


def test_a_kernel_of_two_dimensions_is_told_by_the_layouts_that_it_gets_wrong(
    mine: OwnFile, case: Case
) -> None:
    text = FUNCTION.replace("* scale", "if x.ndim == 2 else 2 * x")
    assert list(_wrong(text, mine, case)) == ["three_dimensions"]
    reads_rows = "x.as_strided((x.shape[0], x.shape[-1]), (x.shape[-1], 1), x.storage_offset())"
    text = FUNCTION.replace("functional.layer_norm(x,", f"functional.layer_norm({reads_rows},")
    assert "strided_rows" in _wrong(text, mine, case)


def test_a_kernel_that_is_wrong_from_a_later_call_on_is_told(mine: OwnFile, case: Case) -> None:
    text = FUNCTION.replace("    return", "    CALLS.append(1)\n    return")
    text = f"CALLS = []\n{text.replace('* scale', '+ (len(CALLS) > 12)')}"
    assert "call 4: y is wrong" in _wrong(text, mine, case)["later_calls"]

"""Files as they are published: loaded without their tests, on a machine without a GPU, whatever they
offer to call.
"""

import math
import sys
from pathlib import Path

import pytest
import torch

from lnkernels.check.verifier import Verifier
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.providers.file import FileProvider
from lnkernels.providers.protocol import Case
from lnkernels.timing.measure import why_not
from tests.lnkernels.own_files import TORCH_NORM, OwnFile, reason


def test_cuda_is_the_cpu_for_a_file_on_a_machine_without_a_gpu(mine: OwnFile) -> None:
    text = """
import torch, triton
DEVICE = triton.runtime.driver.active.get_active_torch_device()
PROGRAMS = torch.cuda.get_device_properties(DEVICE).multi_processor_count
assert PROGRAMS == triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"]
assert PROGRAMS > 1 and torch.cuda.is_available() and torch.zeros(2).cuda().is_cuda
assert torch.zeros(1, device=torch.device("cuda", torch.cuda.current_device())).is_cuda
assert torch.ones(1).to(torch.device(type="cuda", index=0)).is_cuda
torch.cuda.manual_seed(0)
TABLE = torch.zeros(1, device="cuda")

class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, shape, weight, bias, eps):
        assert x.is_cuda and x.device == DEVICE and x.device.type == "cuda"
        ctx.save_for_backward(x, weight, bias)
        ctx.shape, ctx.eps = shape, eps
        with torch.cuda.device(x.device.index):
            return torch.nn.functional.layer_norm(x.to(0), shape, weight, bias, eps) + TABLE.to("cuda:0")
    @staticmethod
    def backward(ctx, dy):
        assert dy.is_cuda
        torch.cuda.synchronize()
        with torch.enable_grad():
            leaves = [each.detach().requires_grad_() for each in ctx.saved_tensors]
            y = torch.nn.functional.layer_norm(leaves[0], ctx.shape, *leaves[1:], ctx.eps)
            dx, dw, db = torch.autograd.grad(y, leaves, dy)
        return dx + torch.zeros((), device=DEVICE), None, dw, db, None

layer_norm = Norm.apply
"""
    assert not mine.reason(text)
    assert not torch.cuda.is_available() or torch.zeros(1, device="cuda").is_cuda


@pytest.mark.parametrize(
    "statement",
    [
        'torch.rand(2, device="cuda", generator=torch.Generator("cuda").manual_seed(0))',
        'isinstance(torch.Generator(device="cuda"), torch.Generator) or 1 / 0',
        "low, high = triton.testing.do_bench(lambda: torch.ones(2), quantiles=[0.2, 0.8])",
        "triton.runtime.driver.active.get_benchmarker()(torch.cuda.synchronize)",
        "torch.ones(2).pin_memory().cuda(non_blocking=True)",
        "torch.empty(2, pin_memory=True)",
        "free, total = torch.cuda.mem_get_info()",
        'with torch.cuda.nvtx.range("rows"): torch.cuda.nvtx.range_push(""); torch.cuda.nvtx.range_pop()',
        'torch.ones(2, device="cuda").record_stream(torch.cuda.current_stream())',
        'major, minor = map(int, torch.version.cuda.split("."))',
        'torch.ones(2, device="cuda").device == torch.device("cuda:0") or 1 / 0',
        'with torch.device("cuda", 0): torch.ones(2).is_cuda or 1 / 0',
        'torch.set_default_device("cuda")',
    ],
)
def test_what_asks_for_a_gpu_is_answered_without_one(statement: str, mine: OwnFile) -> None:
    text = f"""
import torch, triton
{statement}
def layer_norm(x, shape, weight, bias, eps):
    {statement}
    return {TORCH_NORM}
"""
    assert not mine.reason(text)
    assert torch.cuda.is_available() or torch.ones(1).is_cpu
    assert not torch._C._len_torch_function_stack(), "what a file sets stays"


def test_a_file_is_loaded_without_its_tests_and_with_arguments_of_its_own(
    case: Case, monkeypatch: pytest.MonkeyPatch, mine: OwnFile
) -> None:
    monkeypatch.setattr("sys.argv", ["worker", "--what", "the file does not know"])
    text = f"""
import argparse, torch, triton, triton.language as tl
argparse.ArgumentParser().parse_args(); EPS = 1e-5
@triton.jit
def double(X, N: tl.constexpr):
    tl.store(X + tl.arange(0, N), 2 * tl.load(X + tl.arange(0, N)))
def layer_norm(x, normalized_shape, weight, bias, eps):
    return {TORCH_NORM}
def test():
    x = torch.ones(8, device="cuda")
    double[(1,)](x, 8)
    return x
test()
RESULT = test()
print(RESULT)
__import__("a_package_for_plots").show()
"""
    provider = mine.provider(text)
    assert why_not(provider, Verifier(case)) is None
    told = [str(each) for each in provider.left_out]
    assert told == [
        "mine.py, line 13 was left out while the file was loaded: it launches double",
        "mine.py, line 14 was left out while the file was loaded: it launches double",
        "mine.py, line 15 was left out while the file was loaded: NameError: name 'RESULT' is not defined",
        "mine.py, line 16 was left out while the file was loaded: ModuleNotFoundError: No module named 'a_package_for_plots'",
    ]
    again = FileProvider(provider.source)
    again.load()
    assert again.left_out == provider.left_out


def test_what_a_file_has_compiled_by_torch_runs_without_a_gpu(mine: OwnFile, case: Case) -> None:
    text = f"""
import torch
@torch.compile
def layer_norm(x, shape, weight, bias, eps):
    return {TORCH_NORM}
"""
    verifier = Verifier(case)
    assert verifier(mine.provider(text)) is None
    assert verifier.launched is not None
    assert verifier.launched.own, "a GPU has kernels for it"


@pytest.mark.parametrize("name", ["layer_norm_fn", "layernorm_forward", "LayerNormFunction"])
def test_a_norm_is_found_by_its_name_among_others(name: str, mine: OwnFile) -> None:
    text = f"""
import torch
class LayerNormFn(torch.autograd.Function): pass
class Other(torch.autograd.Function): pass
def layer_norm_linear_fn(x, w, b, linear, eps): return x
def layer_norm_ref(x, w, b, eps): return x
def {name}(x, weight, bias, residual=None, eps=1e-6):
    return {TORCH_NORM}
"""
    assert not mine.reason(text)


def test_a_norm_is_taken_before_its_forward_pass(mine: OwnFile) -> None:
    text = f"""
import torch
def layer_norm_fwd(x, weight, bias, eps): raise NotImplementedError("it has no gradient")
def layernorm_fn(x, weight, bias, eps): return {TORCH_NORM}
"""
    assert not mine.reason(text)


BASE = f"import torch\ndef norm(x, weight, bias, eps):\n    return {TORCH_NORM}\n"


def test_a_file_of_a_package_imports_what_is_beside_it(mine: OwnFile) -> None:
    (mine.folder / "somebodys_norms/ops").mkdir(parents=True)
    for place in ("__init__.py", "ops/__init__.py"):
        mine.write("", f"somebodys_norms/{place}")
    mine.write(BASE, "somebodys_norms/ops/base.py")
    text = "from .base import norm as layer_norm\nfrom somebodys_norms.ops import base\n"
    assert not mine.reason(text, "somebodys_norms/ops/mine.py")


def test_a_package_that_needs_more_than_the_file_is_entered_without_its_init(
    mine: OwnFile, case: Case
) -> None:
    (mine.folder / "half_built_norms/ops").mkdir(parents=True)
    outer, inner = "half_built_norms/__init__.py", "half_built_norms/ops/__init__.py"
    mine.write("from .ops import base\nimport an_extension_not_built\n", outer)
    mine.write("raise RuntimeError('no device')\n", inner)
    mine.write(BASE, "half_built_norms/ops/base.py")
    text = "from .base import norm as layer_norm\n"
    provider = mine.provider(text, "half_built_norms/ops/mine.py")
    assert why_not(provider, Verifier(case)) is None
    why = "was left out while the file was loaded: RuntimeError: no device"
    assert list(map(str, provider.left_out)) == [f"{outer} {why}", f"{inner} {why}"]
    text = "from . import a_part_not_there\n"
    failing = mine.provider(text, "half_built_norms/ops/failing.py")
    mine.write("raise RuntimeError('no device at all')", outer)
    for name in [each for each in sys.modules if each.startswith("half_built_norms")]:
        del sys.modules[name]
    assert "a_part_not_there" in str(why_not(failing, Verifier(case)))
    assert "no device at all" in str(failing.left_out[0])


def test_code_that_torch_compile_wrote_runs_without_a_gpu(mine: OwnFile) -> None:
    text = f"""
import torch
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
def layer_norm(x, normalized_shape, weight, bias, eps):
    with torch.cuda._DeviceGuard(0):
        zeros = empty_strided_cuda(x.shape, x.stride(), x.dtype).zero_()
        return {TORCH_NORM} + zeros + get_raw_stream(torch.cuda.device(0).idx)
"""
    assert not mine.reason(text)


@pytest.mark.parametrize(
    ("helper", "text", "told"),
    [
        (
            "assert 1 > 2",
            "import somebodys_helper",
            "mine.py, line 1: somebodys_helper.py, line 2: AssertionError: assert 1 > 2",
        ),
        (
            "x = = 1",
            "import somebodys_helper",
            "mine.py, line 1: somebodys_helper.py, line 2: SyntaxError: invalid syntax",
        ),
        (
            "try:\n    import a_package_not_here\nexcept ImportError:\n    raise Exception('no package')",
            "import somebodys_helper",
            "mine.py, line 1: somebodys_helper.py, line 5: Exception: no package",
        ),
        (
            "def layer_norm(x, shape, weight, bias, eps):\n    assert x.ndim == 3",
            "from somebodys_helper import layer_norm",
            "mine.py: AssertionError: assert x.ndim == 3",
        ),
    ],
)
def test_an_error_below_a_file_is_told_with_its_own_line(
    helper: str,
    text: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mine: OwnFile,
) -> None:
    monkeypatch.delitem(__import__("sys").modules, "somebodys_helper", raising=False)
    mine.write(f"# helper\n{helper}\n", "somebodys_helper.py")
    monkeypatch.syspath_prepend(tmp_path)
    found = mine.reason(text)
    assert told in found
    on_a_gpu = "; the CPU stands for cuda here: a GPU may run it"
    assert found.endswith(on_a_gpu) == ("1 > 2" in told and not torch.cuda.is_available())


@pytest.mark.parametrize(
    "text",
    [
        "class ModelNew(torch.nn.Module):\n    def __init__(self, normalized_shape: tuple):\n        super().__init__()\n        self.ln = torch.nn.LayerNorm(normalized_shape)\n    def forward(self, x):\n        return self.ln(x)",
        "class LayerNorm(torch.nn.Module):\n    def __init__(self, hidden_size, bias=False, eps=1e-6):\n        super().__init__()\n        self.gamma = torch.nn.Parameter(torch.ones(hidden_size))\n        self.beta = torch.nn.Parameter(torch.zeros(hidden_size)) if bias else None\n        self.eps = eps\n    def forward(self, x):\n        return torch.nn.functional.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)",
        "class MyNorm(torch.nn.LayerNorm):\n    def __init__(self, normalized_shape: int, eps=1e-5):\n        assert isinstance(normalized_shape, int)\n        super().__init__(normalized_shape, eps)\ndef test_it(): pass",
    ],
)
def test_a_module_is_taken(text: str, mine: OwnFile) -> None:
    assert not mine.reason(f"import torch\n{text}\n")


# RMSNorm's usual module: right as that, and wrong in every row as a LayerNorm.
BIASLESS = """
import torch

class Model(torch.nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(n))
        self.eps = eps

    def forward(self, x):
        return torch.nn.functional.rms_norm(x, x.shape[1:], self.weight, self.eps)
"""


def test_an_rms_norm_is_taken_where_nobody_judges_it(case: Case, mine: OwnFile) -> None:
    text = BIASLESS.replace("Model", "RMSNorm")
    source = mine.source(text, function="RMSNorm")
    y = FileProvider(source, judged=False).forward(case)()
    expected = torch.nn.functional.rms_norm(case.x, case.shape[1:], case.weight, case.eps)
    assert torch.equal(y, expected)
    assert reason(source.place + ":RMSNorm", case).startswith(
        "RMSNorm is no LayerNorm, by its name"
    )


def test_a_module_of_torch_and_of_this_project_are_taken(case: Case) -> None:
    assert not reason("torch.nn:LayerNorm", case)
    assert not reason("lnkernels:LayerNorm", case)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "import triton\n@triton.jit\ndef layer_norm(X):\n    pass",
            "layer_norm is a kernel, and does not say how it is launched: name a function",
        ),
        (
            "import triton\n@triton.jit\ndef layer_norm_kernel(X):\n    pass",
            "has no layer_norm(x, normalized_shape, weight, bias, eps): write one, which launches",
        ),
        ("def my_norm(x): pass\ndef _helper(): pass", "as mine.py:NAME, of my_norm"),
        ("def rms_norm(x, weight, eps): pass\ndef helper(): pass", "rms_norm is no LayerNorm"),
        (BIASLESS.replace("Model", "RMSNorm"), "RMSNorm is no LayerNorm, by its name"),
        (BIASLESS, "mine.py: Model takes no bias"),
        ("def layer_norm(x, weight, eps): pass", "layer_norm takes no bias"),
        ("def layer_norm(X, W, eps): pass", "layer_norm takes no bias"),
        ("def layer_norm(x, normalized_shape, weight, eps): pass", "layer_norm takes no bias"),
        ("def _norm(x): pass\ndef test_norm(): pass", "as mine.py:NAME, of _norm"),
        (
            "def layer_norm(module, x): pass",
            "layer_norm(module, x) is not called as layer_norm is: too many positional arguments; write a",
        ),
    ],
)
def test_what_cannot_be_called_is_told_with_what_to_write(
    text: str, told: str, mine: OwnFile
) -> None:
    assert told in mine.reason(text)


KERNEL = """
import torch, triton, triton.language as tl
from triton.language.extra import libdevice
@triton.jit
def kernel(X, Y, SUM, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + lanes)
    tl.store(Y + lanes, libdevice.NAME(x))
    tl.atomic_add(SUM + lanes // 2, x.to(SUM.dtype.element_ty))
def run(x, sums):
    y = torch.empty_like(x)
    kernel[(3,)](x, y, sums, BLOCK=x.numel())
    return y
"""


@pytest.mark.skipif(not IS_INTERPRETED, reason="of the interpreter")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_atomic_sums_of_any_type_are_added_in_turn(dtype: torch.dtype, mine: OwnFile) -> None:
    sums = torch.zeros(2, dtype=dtype)
    mine.provider(KERNEL.replace("NAME", "sqrt")).load().run(torch.arange(4.0), sums)
    assert sums.tolist() == [3.0, 15.0]


@pytest.mark.skipif(not IS_INTERPRETED, reason="of the interpreter")
@pytest.mark.parametrize(
    ("name", "expected"),
    [("rcp_rn", [1, 0.5]), ("rsqrt_rn", [1, 0.5**0.5]), ("fast_expf", [math.e, math.e**2])],
)
def test_functions_of_libdevice_are_computed_on_the_interpreter(
    name: str, expected: list[float], mine: OwnFile
) -> None:
    y = (
        mine.provider(KERNEL.replace("NAME", name))
        .load()
        .run(torch.tensor([1.0, 2.0]), torch.zeros(1))
    )
    torch.testing.assert_close(y, torch.tensor(expected))


@pytest.mark.skipif(not IS_INTERPRETED, reason="of the interpreter")
def test_a_function_that_the_interpreter_has_not_is_said_to_be_the_interpreters(
    mine: OwnFile,
) -> None:
    module = mine.provider(KERNEL.replace("NAME", "cyl_bessel_i0")).load()
    with pytest.raises(Exception, match="Triton's interpreter has no libdevice"):
        module.run(torch.ones(2), torch.zeros(1))


@pytest.mark.skipif(not IS_INTERPRETED, reason="of the interpreter")
def test_a_kernel_of_gluon_is_said_to_be_beyond_the_interpreter(mine: OwnFile) -> None:
    pytest.importorskip("triton.experimental.gluon")
    text = """
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
@gluon.jit
def mine(X, N: gl.constexpr):
    lanes = gl.arange(0, N, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(X + lanes, gl.load(X + lanes))
def layer_norm(x, normalized_shape, weight, bias, eps):
    mine[(1,)](x, 16)
    return x
"""
    told = mine.reason(text)
    assert "line 10: " in told
    assert "Triton's interpreter runs no kernel of Gluon, such as mine: take a GPU" in told

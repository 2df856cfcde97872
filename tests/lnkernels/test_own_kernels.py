"""Kernels of one's own: read without being run, run as they were read, and told by the line of
their file.
"""

import math
import os
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.layouts import wrong_layouts
from lnkernels.check.verifier import Verifier
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import USUAL_LIMITS, LaunchWish, is_provider_name, resolve_launch
from lnkernels.launch.source import SourceError, combinations, find_source, read_source
from lnkernels.providers.discovery import discover
from lnkernels.providers.file import FileProvider
from lnkernels.providers.protocol import Case
from lnkernels.timing.measure import why_not

PAIR = Path(__file__).parents[2].joinpath("resources", "new_kernel.txt").read_text()
FUNCTION = """
import torch

def layer_norm(x, normalized_shape, weight, bias, eps, scale=1.0):
    return torch.nn.functional.layer_norm(x, normalized_shape, weight, bias, eps) * scale
"""


@pytest.fixture
def case() -> Case:
    inputs = make_inputs(6, 40, torch.float32, "tutorial", 0, torch.device("cpu"))
    return Case.of(
        inputs,
        1e-5,
        resolve_launch(40, "float32", LaunchWish(strategy="locked"), USUAL_LIMITS, m=6),
    )


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def reason(given: str, case: Case) -> str:
    refusal = why_not(FileProvider(find_source(given)), Verifier(case))
    assert refusal is None or refusal.reason.template != "{text}", "it can be translated"
    return "" if refusal is None else str(refusal.reason)


@pytest.mark.parametrize(
    "text",
    [
        PAIR,
        FUNCTION,
        f"# a page\f\u2028\n\f\n{PAIR}",
        f"{FUNCTION}\ntorch.set_grad_enabled(False)",
        f"{FUNCTION}\nTEXT = {' + '.join(['1'] * 1200)}",
    ],
    ids=["pair", "function", "pages", "without gradients", "many terms"],
)
def test_a_file_is_checked_as_any_provider_is(text: str, tmp_path: Path, case: Case) -> None:
    assert not reason(write(tmp_path, text), case)


def test_a_function_of_a_module_is_a_provider(case: Case) -> None:
    assert not reason("torch.nn.functional:layer_norm", case)


def test_what_a_module_raises_is_told_by_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    write(tmp_path, FUNCTION.replace("* scale", "* nothing"), "somebodys_norm.py")
    monkeypatch.syspath_prepend(tmp_path)
    assert reason("somebodys_norm:layer_norm", case).startswith("somebodys_norm.py, line 5: ")


def test_an_autograd_function_is_a_provider_and_gets_its_settings_by_their_names(
    tmp_path: Path, case: Case
) -> None:
    text = """
import torch

class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps, divisor, factor=2):
        y, mean, rstd = torch.ops.aten.native_layer_norm(x, x.shape[-1:], weight, bias, eps)
        ctx.save_for_backward(x, mean, rstd, weight, bias)
        return y * factor / divisor

    @staticmethod
    def backward(ctx, dy):
        x, mean, rstd, weight, bias = ctx.saved_tensors
        shape = x.shape[-1:]
        given = dy, x, shape, mean, rstd, weight, bias, [True] * 3
        found = torch.ops.aten.native_layer_norm_backward(*given)
        return (*found, None, None, None)

SETTINGS = """
    for settings, told in (
        ("{'factor': [3], 'divisor': [3]}", ""),
        ("{'factor': [3], 'divisor': [1]}", "y is wrong"),
        ("{'factor': [1], 'divisor': [1], 'more': [1]}", "unexpected keyword argument 'more'"),
        ("{}", ""),
    ):
        plain = (
            text.replace("eps, divisor, factor=2", "eps")
            .replace(" * factor / divisor", "")
            .replace("None, None, None", "None")
        )
        found = reason(
            write(tmp_path, (plain if settings == "{}" else text) + settings) + ":Norm", case
        )
        assert told in found
        assert bool(told) == bool(found)


def test_a_right_kernel_is_right_on_every_nan(tmp_path: Path, device: torch.device) -> None:
    """Their bits are as they were after the check, which turns signs: `neg_` keeps none of them on
    a GPU, few elsewhere.
    """
    for dtype in (torch.bfloat16, torch.float32):
        inputs, name = (
            make_inputs(6, 40, dtype, "nan", 0, device),
            str(dtype).removeprefix("torch."),
        )
        inputs.x[-1] = torch.full((40,), torch.nan, dtype=dtype, device=device).copysign(
            torch.tensor(-1.0, device=device)
        )
        launch = resolve_launch(40, name, LaunchWish(strategy="locked"), USUAL_LIMITS, m=6)
        assert not reason(write(tmp_path, FUNCTION), Case.of(inputs, 1e-5, launch))


AUTOGRAD = """
import torch
try:
    from no_such_package import Norm
except ImportError:
    class Norm(torch.autograd.Function):
        @staticmethod
        def forward({parameters}):
            shape = x.shape[-1:]
            y, mean, rstd = torch.ops.aten.native_layer_norm(x, shape, weight, bias, {eps})
            {context}.save_for_backward(x, mean, rstd, weight, bias)
            return y

        @staticmethod
        def backward({context}, dy):
            x, mean, rstd, weight, bias = {context}.saved_tensors
            given = dy, x, x.shape[-1:], mean, rstd, weight, bias, [True] * 3
            dx, dw, db = torch.ops.aten.native_layer_norm_backward(*given)
            return {gradients}
"""


@pytest.mark.parametrize(
    ("context", "rest", "gradients"),
    [
        ("context", "shape, weight, bias, eps", "dx, None, dw, db, None"),
        ("ctx", "weight, bias, eps, num_warps=4", "dx, dw, db, None, None"),
        ("_", "weight, bias, epsilon", "dx, dw, db, None"),
    ],
)
def test_a_class_is_taken_whatever_its_context_is_called_and_whatever_it_takes_besides(
    context: str, rest: str, gradients: str, tmp_path: Path, case: Case
) -> None:
    eps = "epsilon" if "epsilon" in rest else "eps"
    text = AUTOGRAD.format(
        context=context, parameters=f"{context}, x, {rest}", eps=eps, gradients=gradients
    )
    assert not reason(write(tmp_path, text) + ":Norm", case)
    assert not reason(write(tmp_path, f"{text}\nlayer_norm = Norm.apply", "applied.py"), case)


@pytest.mark.parametrize(
    "parameters",
    [
        "x, weight, bias, residual=None, eps=1e-5",
        "X, W, B, eps",
        "x, gamma, beta, epsilon",
        "x, weight, bias, eps, /",
    ],
)
def test_a_function_may_have_no_shape_and_more_of_its_own(
    parameters: str, tmp_path: Path, case: Case
) -> None:
    x, weight, bias, *_, eps = (
        one.partition("=")[0] for one in parameters.removesuffix(", /").split(", ")
    )
    text = (
        f"def f({parameters}): return torch.nn.functional.layer_norm({x}, {x}.shape[-1:], {weight},"
        f" {bias}, {eps})"
    )
    assert not reason(write(tmp_path, f"import torch\n{text}") + ":f", case)


KEEPING = """KEPT = {}  # y, mean and rstd by the address of x

def forward(x, *given, **settings):
    if x.data_ptr() not in KEPT:
        KEPT[x.data_ptr()] = compute(x, *given, **settings)
    return KEPT[x.data_ptr()]

def compute("""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "bias, mask=inside)",
            "bias, mask=columns < n - 1)",
            "y is wrong in",
        ),  # the last column is never written
        ("dw += dy * normal", "dw += dy", "dw is wrong in"),
        (
            "rstd = 1.0 / tl.sqrt(",
            "rstd = 1.0 / tl.sqrd(",
            "line {line}: AttributeError: module 'triton",
        ),
        ("    y = torch.empty_like(x)", "    y = 1 / 0", "line {line}: ZeroDivisionError"),
        (
            "return y, mean, rstd",
            "return y",
            "line {forward}: forward gives Tensor in place of three tensors",
        ),
        (
            "return dx, dw, db",
            "return dx, None",
            "backward gives (Tensor, NoneType) in place of three tensors",
        ),
        (
            "    dx = torch.empty_like(x)",
            "    dx = dy",
            "it writes to dy, which it is given to read",
        ),
        ("def forward(", KEEPING, "through autograd, y is wrong in"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    old: str, new: str, told: str, tmp_path: Path, case: Case
) -> None:
    assert old in PAIR
    line, forward = (PAIR[: PAIR.index(text)].count("\n") + 1 for text in (old, "def forward("))
    before = case.dy.clone()
    assert told.format(line=line, forward=forward) in reason(
        write(tmp_path, PAIR.replace(old, new)), case
    )
    assert torch.equal(case.dy, before), "others are checked on it, too"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "x, normalized_shape, weight, bias, eps, scale=1.0",
            "x",
            "is not called as a LayerNorm is",
        ),
    ],
)
def test_what_is_raised_elsewhere_has_the_line_of_the_function(
    old: str, new: str, told: str, tmp_path: Path, case: Case
) -> None:
    assert re.match(
        rf"mine\.py, line 4: .*{told}", reason(write(tmp_path, FUNCTION.replace(old, new)), case)
    )


def test_no_code_runs_before_a_call_is_asked_for_and_no_name_is_taken_twice(tmp_path: Path) -> None:
    own = FileProvider(find_source(write(tmp_path, "NAME = 'loud'\nraise SystemExit(1)\n")))
    assert discover().beside([own]).providers["loud"].unavailable() is None
    with pytest.raises(SourceError, match="takes a name that belongs to another one"):
        discover().beside([FileProvider(find_source(write(tmp_path, "NAME = 'torch'")))])


def test_what_was_saved_meanwhile_is_not_run(tmp_path: Path, case: Case) -> None:
    given = write(tmp_path, PAIR)
    provider = FileProvider(find_source(given))
    write(tmp_path, PAIR + "\n# more\n")
    refusal = why_not(provider, Verifier(case))
    assert refusal is not None
    assert "saved anew" in str(refusal.reason)


def test_each_combination_of_settings_is_a_provider(tmp_path: Path, case: Case) -> None:
    source = find_source(write(tmp_path, PAIR.replace("[4, 8]", '[4, 8], "unused": ["a"]')))
    assert source.offered == (("num_warps", (4, 8)), ("unused", ("a",)))
    found = combinations(source, {"num_warps": (4, 8)})
    assert [one.name for one in found] == ["my_norm.num_warps=4", "my_norm.num_warps=8"]
    assert [one.settings for one in found] == [
        (("num_warps", 4), ("unused", "a")),
        (("num_warps", 8), ("unused", "a")),
    ]
    assert all(is_provider_name(one.name) for one in found)
    scaled = find_source(write(tmp_path, FUNCTION + 'SETTINGS = {"scale": [1.0, 2.0]}'))
    refusals = [
        why_not(FileProvider(one), Verifier(case))
        for one in combinations(scaled, dict(scaled.offered))
    ]
    assert refusals[0] is None
    assert refusals[1] is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(:", "line 1"),
        ("NAME = 'a b'", "mine.py, line 1: NAME = 'a b' is not possible"),
        ("NAME = str(1)", "write NAME out as a literal"),
        (
            "SETTINGS = [1]",
            "mine.py, line 1: SETTINGS = [1] is not possible: take a dict of at most 20 lists",
        ),
        (
            "SETTINGS = {\n'a': [1],\n'b': []}",
            "mine.py, line 3: SETTINGS['b'] = [] is not possible: give a name a list of",
        ),
        ("x = \0", "mine.py is no Python: source code string cannot contain null bytes"),
        ("(" * 100_000, "mine.py"),
        ("#" * (1 << 20) + "\n", "larger than"),
    ],
)
def test_a_file_that_cannot_be_a_kernel_is_refused(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=re.escape(told)):
        find_source(write(tmp_path, text))


def test_a_byte_that_is_not_utf_8_is_told_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(b"\xef\xbb\xbf# -*- coding: latin-1 -*-\r\n\r\n# caf\xe9\n")
    with pytest.raises(SourceError, match=r"mine\.py, line 3: save it in UTF-8"):
        find_source(str(tmp_path / "mine.py"))


@pytest.mark.parametrize(
    "given", ["nothere.py", "a b:c", "torch:", "x.py:no_such", ":f", "folder/"]
)
def test_a_place_that_is_none_is_refused(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FUNCTION, "x.py")
    with pytest.raises(SourceError):
        find_source(given)


def test_a_cuda_file_is_told_with_what_to_write() -> None:
    with pytest.raises(SourceError, match=r"my\.cu is CUDA: name a \.py file that builds it"):
        find_source("my.cu")


def test_too_many_combinations_are_refused(tmp_path: Path) -> None:
    text = f"SETTINGS = {{'a': {list(range(20))}, 'b': {list(range(20))}}}"
    source = find_source(write(tmp_path, text))
    with pytest.raises(SourceError, match="more than 200 combinations"):
        combinations(source, dict(source.offered))
    assert read_source(tmp_path / "mine.py").settings["a"][-1] == 19


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("SETTINGS = {[]: 1}", "line 6: write SETTINGS out as a literal"),
        ("SETTINGS = {'A': [2**64]}", "line 6: write SETTINGS out as a literal"),
        (
            f"SETTINGS = {{'A': [{1 << 64}]}}",
            f"line 6: SETTINGS['A'] = [{1 << 64}] is not possible: give a name a list of whole",
        ),
        (f"SETTINGS = {{'A': [0x{'f' * 8000}]}}", "SETTINGS['A'] = … is not possible"),
        ("SETTINGS = {'A': [1, 1e999]}", "SETTINGS['A'] = [1, inf] is not possible"),
        ("SETTINGS = {'A': [[1]]}", "SETTINGS['A'] = [[1]] is not possible"),
        ("SETTINGS = {'A': ['\\ud800']}", "SETTINGS['A'] = ['\\ud800'] is not possible"),
        (f"SETTINGS = {{'A': ['{'x' * 201}']}}", "texts of at most 200 characters"),
        (
            f"SETTINGS = { {chr(97 + each): [1] for each in range(21)} }",
            "'h': [1], … is not possible: take a dict of at most 20 lists",
        ),
        ("NAME = '<img src=x>\\x1b[31m'", "NAME = '<img src=x>\\x1b[31m' is not possible"),
    ],
)
def test_a_name_or_a_setting_that_nobody_can_hand_on_is_named(
    line: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match=re.escape(told)):
        find_source(write(tmp_path, FUNCTION + line))


def test_places_that_are_no_files_are_refused_and_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    for place, told in (
        ("pipe.py", "a device or a pipe"),
        ("folder.py", "not a file|Is a directory"),
        ("\udcff.py", "is no path here"),
    ):
        with pytest.raises(SourceError, match=told):
            find_source(str(tmp_path / place))
    with pytest.raises(SourceError, match="is no path here"):
        find_source("~nobody-has-this-name/x.py")


def test_a_file_that_begins_with_a_byte_order_mark_is_read_and_run(
    tmp_path: Path, case: Case
) -> None:
    assert not reason(write(tmp_path, f"\ufeff{FUNCTION}"), case)


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("SystemExit(3)", "mine.py, line 1: SystemExit: 3"),
        ("KeyboardInterrupt", "mine.py, line 1: KeyboardInterrupt"),
        ("type('Stop', (BaseException,), {})('enough')", "mine.py, line 1: Stop: enough"),
        ("ValueError('\\ud800')", "mine.py, line 1: ValueError: \\ud800"),
        ("ValueError('q' * 100_000)", "mine.py, line 1: ValueError: " + "q" * 488 + " …"),
        ("type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})()", "mine.py, line 1: Mute"),
    ],
)
def test_whatever_a_file_raises_is_told_in_a_line(
    raised: str, told: str, tmp_path: Path, case: Case
) -> None:
    assert reason(write(tmp_path, f"def layer_norm(*_): raise {raised}"), case) == told


def test_what_the_assembler_refuses_is_told_by_the_line_that_it_was_made_from(
    tmp_path: Path, case: Case
) -> None:
    ptx = tmp_path / "kernel.ptx"
    ptx.write_text(
        "\t.loc\t1 7 4  // mine.py:7:4\n\t.loc\t1 5 4  // other.py:5:4 @[ mine.py:9:4"
        " ]\n\tnonsense;\n"
    )
    said = (
        f"`ptxas` stderr:\\nptxas {ptx}, line %d; error   : Not a name: 'nonsense'\\nptxas fatal  "
        " : Aborted"
    )
    text = 'class PTXASError(Exception): pass\n\ndef layer_norm(*_): raise PTXASError("{}")'
    for line, told in ((1, 7), (3, 3)):  # in the file; in another one, which it calls at its line 3
        given = write(tmp_path, text.format(said % line))
        assert reason(given, case) == f"mine.py, line {told}: ptxas: Not a name: 'nonsense'"
    ptx.unlink()
    assert (
        reason(write(tmp_path, text.format(said % 1)), case)
        == "mine.py, line 3: ptxas: Not a name: 'nonsense'"
    )


def test_results_of_another_dtype_and_names_that_are_no_functions_are_refused(
    tmp_path: Path, case: Case
) -> None:
    wider = FUNCTION.replace("* scale", "* torch.tensor([1.0], dtype=torch.float64)")
    assert reason(write(tmp_path, wider), case) == "y is torch.float64 in place of torch.float32"
    assert (
        reason(write(tmp_path, PAIR.replace("return y, mean", "return y.to('meta'), mean")), case)
        == "y is meta in place of cpu"
    )
    sparse = PAIR.replace("return dx, dw, db", "return dx.to_sparse(), dw, db")
    assert (
        reason(write(tmp_path, sparse), case) == "dx is torch.sparse_coo in place of torch.strided"
    )
    assert not reason(
        write(tmp_path, PAIR.replace("return y, mean", "return y.requires_grad_(), mean")), case
    )
    assert "has no function layer_norm" in reason(write(tmp_path, "layer_norm = 5"), case)


TORCH_NORM = "torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)"


def test_cuda_is_the_cpu_for_a_file_on_a_machine_without_a_gpu(tmp_path: Path, case: Case) -> None:
    text = """
import torch, triton
DEVICE = triton.runtime.driver.active.get_active_torch_device()
PROGRAMS = torch.cuda.get_device_properties(DEVICE).multi_processor_count
assert PROGRAMS == triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"]
assert PROGRAMS > 1 and torch.cuda.is_available() and torch.zeros(2).cuda().is_cuda
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
    assert not reason(write(tmp_path, text), case)
    assert not torch.cuda.is_available() or torch.zeros(1, device="cuda").is_cuda


def test_a_file_is_loaded_without_its_tests_and_with_arguments_of_its_own(
    tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch
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
print(test().sum()); RESULT = test()
print(RESULT)
__import__("a_package_for_plots").show()
"""
    provider = FileProvider(find_source(write(tmp_path, text)))
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


def test_a_file_of_a_package_imports_what_is_beside_it(tmp_path: Path, case: Case) -> None:
    folder = tmp_path / "somebodys_norms" / "ops"
    folder.mkdir(parents=True)
    for each in (folder, folder.parent):
        (each / "__init__.py").touch()
    write(
        folder,
        f"import torch\ndef norm(x, weight, bias, eps):\n    return {TORCH_NORM}\n",
        "base.py",
    )
    text = "from .base import norm as layer_norm\nfrom somebodys_norms.ops import base\n"
    assert not reason(write(folder, text), case)


def test_a_package_that_needs_more_than_the_file_is_entered_without_its_init(
    tmp_path: Path, case: Case
) -> None:
    folder = tmp_path / "half_built_norms" / "ops"
    folder.mkdir(parents=True)
    write(folder.parent, "from .ops import base\nimport an_extension_not_built\n", "__init__.py")
    write(folder, "raise RuntimeError('no device')\n", "__init__.py")
    write(
        folder,
        f"import torch\ndef norm(x, weight, bias, eps):\n    return {TORCH_NORM}\n",
        "base.py",
    )
    provider = FileProvider(find_source(write(folder, "from .base import norm as layer_norm\n")))
    assert why_not(provider, Verifier(case)) is None
    assert [str(each) for each in provider.left_out] == [
        "half_built_norms/__init__.py was left out while the file was loaded: RuntimeError: no device",
        "half_built_norms/ops/__init__.py was left out while the file was loaded: RuntimeError: no device",
    ]
    failing = FileProvider(
        find_source(write(folder, "from . import a_part_not_there\n", "failing.py"))
    )
    (folder.parent / "__init__.py").write_text("raise RuntimeError('no device at all')")
    for name in [each for each in sys.modules if each.startswith("half_built_norms")]:
        del sys.modules[name]
    assert "a_part_not_there" in str(why_not(failing, Verifier(case)))
    assert "no device at all" in str(failing.left_out[0])


def test_code_that_torch_compile_wrote_runs_without_a_gpu(tmp_path: Path, case: Case) -> None:
    text = f"""
import torch
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
def layer_norm(x, normalized_shape, weight, bias, eps):
    with torch.cuda._DeviceGuard(0):
        zeros = empty_strided_cuda(x.shape, x.stride(), x.dtype).zero_()
        return {TORCH_NORM} + zeros + get_raw_stream(torch.cuda.device(0).idx)
"""
    assert not reason(write(tmp_path, text), case)


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
            "def layer_norm(x, shape, weight, bias, eps):\n    assert x.ndim == 3",
            "from somebodys_helper import layer_norm",
            "mine.py: AssertionError: assert x.ndim == 3",
        ),
    ],
)
def test_an_error_below_a_file_is_told_with_its_own_line(
    helper: str, text: str, told: str, tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(__import__("sys").modules, "somebodys_helper", raising=False)
    write(tmp_path, f"# helper\n{helper}\n", "somebodys_helper.py")
    monkeypatch.syspath_prepend(tmp_path)
    assert told in reason(write(tmp_path, text), case)


@pytest.mark.parametrize(
    "text",
    [
        "class ModelNew(torch.nn.Module):\n    def __init__(self, normalized_shape: tuple):\n        super().__init__()\n        self.ln = torch.nn.LayerNorm(normalized_shape)\n    def forward(self, x):\n        return self.ln(x)",
        "class LayerNorm(torch.nn.Module):\n    def __init__(self, hidden_size, bias=False, eps=1e-6):\n        super().__init__()\n        self.gamma = torch.nn.Parameter(torch.ones(hidden_size))\n        self.beta = torch.nn.Parameter(torch.zeros(hidden_size)) if bias else None\n        self.eps = eps\n    def forward(self, x):\n        return torch.nn.functional.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)",
        "class MyNorm(torch.nn.LayerNorm):\n    def __init__(self, normalized_shape: int, eps=1e-5):\n        assert isinstance(normalized_shape, int)\n        super().__init__(normalized_shape, eps)\ndef test_it(): pass",
    ],
)
def test_a_module_is_taken(text: str, tmp_path: Path, case: Case) -> None:
    assert not reason(write(tmp_path, f"import torch\n{text}\n"), case)


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


def test_an_rms_norm_is_taken_where_nobody_judges_it(tmp_path: Path, case: Case) -> None:
    text = BIASLESS.replace("Model", "RMSNorm")
    source = find_source(write(tmp_path, text) + ":RMSNorm")
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
        ("def my_norm(x): pass\ndef _helper(): pass", "write mine.py:NAME, of my_norm"),
        ("def rms_norm(x, weight, eps): pass\ndef helper(): pass", "rms_norm is no LayerNorm"),
        (BIASLESS.replace("Model", "RMSNorm"), "RMSNorm is no LayerNorm, by its name"),
        (BIASLESS, "mine.py: Model takes no bias"),
        ("def layer_norm(x, weight, eps): pass", "layer_norm takes no bias"),
        ("def layer_norm(X, W, eps): pass", "layer_norm takes no bias"),
        ("def layer_norm(x, normalized_shape, weight, eps): pass", "layer_norm takes no bias"),
        ("def _norm(x): pass\ndef test_norm(): pass", "write mine.py:NAME, of _norm"),
        (
            "def layer_norm(module, x): pass",
            "layer_norm(module, x) is not called as a LayerNorm is: too many positional arguments; write a",
        ),
    ],
)
def test_what_cannot_be_called_is_told_with_what_to_write(
    text: str, told: str, tmp_path: Path, case: Case
) -> None:
    assert told in reason(write(tmp_path, text), case)


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
    old: str, new: str, absent: tuple[str, ...], tmp_path: Path, case: Case
) -> None:
    verifier = Verifier(case)
    provider = FileProvider(find_source(write(tmp_path, FUNCTION.replace(old, new))))
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
    tmp_path: Path, case: Case
) -> None:
    verifier = Verifier(case)
    assert verifier(FileProvider(find_source(write(tmp_path, FORWARD_ALONE)))) is None
    assert verifier.absent == ("dx", "dw", "db")


def test_a_wrong_forward_pass_alone_is_found(tmp_path: Path, case: Case) -> None:
    text = FUNCTION.replace("* scale", "* 1.1\n\nlayer_norm = torch.no_grad()(layer_norm)")
    assert reason(write(tmp_path, text), case).startswith("y is wrong in ")


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
    tmp_path: Path, case: Case
) -> None:
    verifier = Verifier(case)
    right = FileProvider(find_source(write(tmp_path, TUNED.replace("OTHER", "1"))))
    assert verifier(right) is None
    assert str(verifier.launched).startswith("it launched scaled (BLOCK: 64, SCALE: 1, ")
    told = reason(write(tmp_path, TUNED.replace("OTHER", "2"), "wrong.py"), case)
    assert told.startswith("as scaled (BLOCK: 64, SCALE: 2, ")
    assert "y is wrong in " in told


def test_a_file_that_launches_no_kernel_is_called_what_it_is(tmp_path: Path, case: Case) -> None:
    verifier = Verifier(case)
    assert verifier(FileProvider(find_source(write(tmp_path, FUNCTION)))) is None
    assert str(verifier.launched) == (
        "it launches no kernel of its own: it called torch's native_layer_norm,"
        " native_layer_norm_backward"
    )


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


def _module(tmp_path: Path, text: str) -> ModuleType:
    return FileProvider(find_source(write(tmp_path, text))).load()


@pytest.mark.skipif(not IS_INTERPRETED, reason="of the interpreter")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_atomic_sums_of_any_type_are_added_in_turn(dtype: torch.dtype, tmp_path: Path) -> None:
    sums = torch.zeros(2, dtype=dtype)
    _module(tmp_path, KERNEL.replace("NAME", "sqrt")).run(torch.arange(4.0), sums)
    assert sums.tolist() == [3.0, 15.0]


@pytest.mark.skipif(not IS_INTERPRETED, reason="of the interpreter")
@pytest.mark.parametrize(
    ("name", "expected"),
    [("rcp_rn", [1, 0.5]), ("rsqrt_rn", [1, 0.5**0.5]), ("fast_expf", [math.e, math.e**2])],
)
def test_functions_of_libdevice_are_computed_on_the_interpreter(
    name: str, expected: list[float], tmp_path: Path
) -> None:
    y = _module(tmp_path, KERNEL.replace("NAME", name)).run(
        torch.tensor([1.0, 2.0]), torch.zeros(1)
    )
    torch.testing.assert_close(y, torch.tensor(expected))


@pytest.mark.skipif(not IS_INTERPRETED, reason="of the interpreter")
def test_a_function_that_the_interpreter_has_not_is_said_to_be_the_interpreters(
    tmp_path: Path,
) -> None:
    module = _module(tmp_path, KERNEL.replace("NAME", "cyl_bessel_i0"))
    with pytest.raises(Exception, match="Triton's interpreter has no libdevice"):
        module.run(torch.ones(2), torch.zeros(1))


KEPT = """
import torch
KEPT, CALLS = {}, []
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, shape, weight, bias, eps):
        CALLS.append(1)
        wide = x.float()
        mean = wide.mean(-1, keepdim=True)
        rstd = (wide.var(-1, unbiased=False, keepdim=True) + eps).rsqrt()
        RSTD
        xhat = (wide - mean) * rstd
        y = (xhat * weight + bias).to(x.dtype)
        Y
        ctx.save_for_backward(xhat, rstd, weight)
        return y
    @staticmethod
    def backward(ctx, dy):
        xhat, rstd, weight = ctx.saved_tensors
        wdy = dy.float() * weight
        dx = (wdy - xhat * (xhat * wdy).mean(-1, keepdim=True) - wdy.mean(-1, keepdim=True)) * rstd
        dw, db = (dy * xhat).sum(0), dy.sum(0)
        DW
        return dx.to(dy.dtype), None, dw, db, None
def layer_norm(x, shape, weight, bias, eps):
    return Norm.apply(x, shape, weight, bias, eps)
"""


@pytest.mark.parametrize(
    ("place", "trick"),
    [
        ("RSTD", "rstd = KEPT.setdefault('rstd', rstd)"),
        ("Y", "y = KEPT.setdefault('y', y)"),
        ("Y", "y = KEPT.setdefault(x.data_ptr(), y)"),
        ("Y", "y = KEPT.setdefault(round(abs(x.sum().item())), y)"),
        ("DW", "dw = KEPT.setdefault('dw', dw)"),
    ],
)
def test_what_a_kernel_keeps_of_a_call_is_found(
    place: str, trick: str, tmp_path: Path, case: Case
) -> None:
    honest = re.sub(r"^ +(RSTD|Y|DW)\n", "", KEPT, flags=re.MULTILINE)
    assert not reason(write(tmp_path, honest), case)
    text = re.sub(
        r"^ +(RSTD|Y|DW)\n",
        "",
        KEPT.replace(f"        {place}\n", f"        {trick}\n"),
        flags=re.MULTILINE,
    )
    assert "wrong" in reason(write(tmp_path, text, "kept.py"), case) or "sum()" in trick


def _wrong(text: str, tmp_path: Path, case: Case) -> dict[str, str]:
    provider = FileProvider(find_source(write(tmp_path, text)))
    return {str(name): str(why) for name, why in wrong_layouts(provider, case)}


def test_hard_layouts_pass_where_a_kernel_is_right(tmp_path: Path, case: Case) -> None:
    assert not _wrong(FUNCTION, tmp_path, case)


@pytest.mark.parametrize(
    "text",
    [
        FUNCTION.replace("* scale", "\n\nlayer_norm = torch.no_grad()(layer_norm)"),
        FORWARD_ALONE,
        "import torch\nclass MyNorm(torch.nn.LayerNorm):\n    pass\n",
    ],
)
def test_hard_layouts_pass_where_a_forward_pass_alone_or_a_module_is_right(
    text: str, tmp_path: Path, case: Case
) -> None:
    assert not _wrong(text, tmp_path, case)
    doubled = re.sub(r"(return .*eps\))", r"\1 * (1 if x.ndim == 2 else 2)", text, count=1)
    if doubled != text:
        assert "x of three dimensions" in _wrong(doubled, tmp_path, case)


def test_a_kernel_of_two_dimensions_is_told_by_the_layouts_that_it_gets_wrong(
    tmp_path: Path, case: Case
) -> None:
    text = FUNCTION.replace("* scale", "if x.ndim == 2 else 2 * x")
    assert list(_wrong(text, tmp_path, case)) == ["x of three dimensions"]
    reads_rows = "x.as_strided((x.shape[0], x.shape[-1]), (x.shape[-1], 1), x.storage_offset())"
    text = FUNCTION.replace("functional.layer_norm(x,", f"functional.layer_norm({reads_rows},")
    assert "rows with a stride" in _wrong(text, tmp_path, case)


def test_a_kernel_that_is_wrong_from_a_later_call_on_is_told(tmp_path: Path, case: Case) -> None:
    text = FUNCTION.replace("    return", "    CALLS.append(1)\n    return")
    text = f"CALLS = []\n{text.replace('* scale', '+ (len(CALLS) > 10)')}"
    assert list(_wrong(text, tmp_path, case)) == ["call 4", "call 5"]

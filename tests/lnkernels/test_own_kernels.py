"""Kernels of one's own: read without being run, run as they were read, and told by the line of
their file.
"""

import os
import re
from pathlib import Path

import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.verifier import Verifier
from lnkernels.launch import USUAL_LIMITS, LaunchWish, is_provider_name, resolve_launch
from lnkernels.launch.source import SourceError, combinations, find_source, read_source
from lnkernels.providers.discovery import discover
from lnkernels.providers.file import FileProvider
from lnkernels.providers.protocol import Case
from lnkernels.timing.measure import why_not
from tests.lnkernels.conftest import DEVICE
from tests.lnkernels.own_files import FUNCTION, PAIR, OwnFile, reason


@pytest.mark.parametrize(
    "text",
    [
        PAIR,
        FUNCTION,
        f"\ufeff# a page\f\u2028\n\f\n{PAIR}",
        f"{FUNCTION}\ntorch.set_grad_enabled(False)",
    ],
    ids=["pair", "function", "pages", "without gradients"],
)
def test_a_file_is_checked_as_any_provider_is(text: str, mine: OwnFile) -> None:
    assert not mine.reason(text)


def test_what_a_module_raises_is_told_by_its_line(
    monkeypatch: pytest.MonkeyPatch, case: Case, mine: OwnFile
) -> None:
    mine.write(FUNCTION.replace("* scale", "* nothing"), "somebodys_norm.py")
    monkeypatch.syspath_prepend(mine.folder)
    assert reason("somebodys_norm:layer_norm", case).startswith("somebodys_norm.py, line 5: ")


def test_an_autograd_function_is_a_provider_and_gets_its_settings_by_their_names(
    mine: OwnFile,
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
        found = mine.reason((plain if settings == "{}" else text) + settings, function="Norm")
        assert told in found
        assert bool(told) == bool(found)


def test_a_right_kernel_is_right_on_every_nan(mine: OwnFile) -> None:
    """Their bits are as they were after the check, which turns signs: `neg_` keeps none of them on
    a GPU, few elsewhere.
    """
    inputs = make_inputs(6, 40, torch.bfloat16, "nan", 0, DEVICE)
    inputs.x[-1] = torch.full_like(inputs.x[-1], torch.nan).copysign(
        torch.tensor(-1.0, device=DEVICE)
    )
    launch = resolve_launch(40, "bfloat16", LaunchWish(strategy="locked"), USUAL_LIMITS, m=6)
    assert not reason(mine.write(FUNCTION), Case.of(inputs, 1e-5, launch))


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
    context: str, rest: str, gradients: str, mine: OwnFile
) -> None:
    eps = "epsilon" if "epsilon" in rest else "eps"
    text = AUTOGRAD.format(
        context=context, parameters=f"{context}, x, {rest}", eps=eps, gradients=gradients
    )
    assert not mine.reason(text, function="Norm")
    assert not mine.reason(f"{text}\nlayer_norm = Norm.apply", "applied.py")


@pytest.mark.parametrize(
    "parameters",
    [
        "x, weight, bias, residual=None, eps=1e-5",
        "X, W, B, eps",
        "x, gamma, beta, epsilon",
        "x, weight, bias, eps, /",
    ],
)
def test_a_function_may_have_no_shape_and_more_of_its_own(parameters: str, mine: OwnFile) -> None:
    x, weight, bias, *_, eps = (
        one.partition("=")[0] for one in parameters.removesuffix(", /").split(", ")
    )
    text = (
        f"def f({parameters}): return torch.nn.functional.layer_norm({x}, {x}.shape[-1:], {weight},"
        f" {bias}, {eps})"
    )
    assert not mine.reason(f"import torch\n{text}", function="f")


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
            "return dx, dw, db",
            "return dx, [dw], db",
            "backward gives (Tensor, list, Tensor) in place of three tensors",
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
    old: str, new: str, told: str, case: Case, mine: OwnFile
) -> None:
    assert old in PAIR
    line, forward = (PAIR[: PAIR.index(text)].count("\n") + 1 for text in (old, "def forward("))
    before = case.dy.clone()
    assert told.format(line=line, forward=forward) in mine.reason(PAIR.replace(old, new))
    assert torch.equal(case.dy, before), "others are checked on it, too"


def test_what_is_raised_elsewhere_has_the_line_of_the_function(mine: OwnFile) -> None:
    text = FUNCTION.replace("x, normalized_shape, weight, bias, eps, scale=1.0", "x")
    told = mine.reason(text)
    assert re.match(r"mine\.py, line 4: .*is not called as layer_norm is", told)


def test_no_code_runs_before_a_call_is_asked_for_and_no_name_is_taken_twice(mine: OwnFile) -> None:
    own = mine.provider("NAME = 'loud'\nraise SystemExit(1)\n")
    assert discover().beside([own]).providers["loud"].unavailable() is None
    with pytest.raises(SourceError, match="takes a name that belongs to another one"):
        discover().beside([mine.provider("NAME = 'torch'")])


def test_what_was_saved_meanwhile_is_not_run(case: Case, mine: OwnFile) -> None:
    given = mine.write(PAIR)
    provider = FileProvider(find_source(given))
    mine.write(PAIR + "\n# more\n")
    refusal = why_not(provider, Verifier(case))
    assert refusal is not None
    assert "saved anew" in str(refusal.reason)


def test_each_combination_of_settings_is_a_provider(case: Case, mine: OwnFile) -> None:
    source = mine.source(PAIR.replace("[4, 8]", '[4, 8], "unused": ["a"]'))
    assert source.offered == (("num_warps", (4, 8)), ("unused", ("a",)))
    found = combinations(source, {"num_warps": (4, 8)})
    assert [one.name for one in found] == ["my_norm.num_warps=4", "my_norm.num_warps=8"]
    assert [one.settings for one in found] == [
        (("num_warps", 4), ("unused", "a")),
        (("num_warps", 8), ("unused", "a")),
    ]
    assert all(is_provider_name(one.name) for one in found)
    scaled = mine.source(FUNCTION + 'SETTINGS = {"scale": [1.0, 2.0]}')
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
            "mine.py, line 1: SETTINGS['b'] = [] is not possible: give a name a list of",
        ),
        ("x = \0", "mine.py is no Python: source code string cannot contain null bytes"),
        ("(" * 100_000, "mine.py"),
        ("#" * (1 << 20) + "\n", "larger than"),
    ],
)
def test_a_file_that_cannot_be_a_kernel_is_refused(text: str, told: str, mine: OwnFile) -> None:
    with pytest.raises(SourceError, match=re.escape(told)):
        mine.source(text)


def test_a_byte_that_is_not_utf_8_is_told_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(b"\xef\xbb\xbf# -*- coding: latin-1 -*-\r\n\r\n# caf\xe9\n")
    with pytest.raises(SourceError, match=r"mine\.py, line 3: save it in UTF-8"):
        find_source(str(tmp_path / "mine.py"))


@pytest.mark.parametrize(
    "given", ["nothere.py", "a b:c", "torch:", "x.py:no_such", ":f", "folder/"]
)
def test_a_place_that_is_none_is_refused(
    given: str, monkeypatch: pytest.MonkeyPatch, mine: OwnFile
) -> None:
    monkeypatch.chdir(mine.folder)
    mine.write(FUNCTION, "x.py")
    with pytest.raises(SourceError):
        find_source(given)


def test_a_cuda_file_is_told_with_what_to_write() -> None:
    with pytest.raises(SourceError, match=r"my\.cu is CUDA: name a \.py file that builds it"):
        find_source("my.cu")


def test_too_many_combinations_are_refused(mine: OwnFile) -> None:
    text = f"SETTINGS = {{'a': {list(range(20))}, 'b': {list(range(20))}}}"
    source = mine.source(text)
    with pytest.raises(SourceError, match="more than 200 combinations"):
        combinations(source, dict(source.offered))
    assert read_source(mine.folder / "mine.py").settings["a"][-1] == 19


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
    line: str, told: str, mine: OwnFile
) -> None:
    with pytest.raises(SourceError, match=re.escape(told)):
        mine.source(FUNCTION + line)


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
def test_whatever_a_file_raises_is_told_in_a_line(raised: str, told: str, mine: OwnFile) -> None:
    assert mine.reason(f"def layer_norm(*_): raise {raised}") == told


def test_what_the_assembler_refuses_is_told_by_the_line_that_it_was_made_from(
    mine: OwnFile,
) -> None:
    ptx = mine.folder / "kernel.ptx"
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
        assert (
            mine.reason(text.format(said % line))
            == f"mine.py, line {told}: ptxas: Not a name: 'nonsense'"
        )
    ptx.unlink()
    assert mine.reason(text.format(said % 1)) == "mine.py, line 3: ptxas: Not a name: 'nonsense'"


def test_results_of_another_dtype_and_names_that_are_no_functions_are_refused(
    mine: OwnFile,
) -> None:
    wider = FUNCTION.replace("* scale", "* torch.tensor([1.0], dtype=torch.float64)")
    assert mine.reason(wider) == "y is torch.float64 in place of torch.float32"
    assert (
        mine.reason(PAIR.replace("return y, mean", "return y.to('meta'), mean"))
        == "y is meta in place of cpu"
    )
    sparse = PAIR.replace("return dx, dw, db", "return dx.to_sparse(), dw, db")
    assert mine.reason(sparse) == "dx is torch.sparse_coo in place of torch.strided"
    assert not mine.reason(PAIR.replace("return y, mean", "return y.requires_grad_(), mean"))
    assert "has no function layer_norm" in mine.reason("layer_norm = 5")

"""Providers: found by name, never imported to be asked for, and no speed without correctness."""

import sys
import textwrap
from importlib.metadata import EntryPoint

import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.verifier import Verifier
from lnkernels.launch import STRATEGIES, resolve_launch
from lnkernels.providers.discovery import GROUP, discover
from lnkernels.providers.peers import PEERS, Eager, missing
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.measure import measure
from tests.programs import printed

PEER_NAMES = [peer.name for peer in PEERS]


class Extra:
    """A third party's provider."""

    name = "extra"
    label = "Extra"

    def unavailable(self):
        return "it is only an example"

    def forward(self, case):
        return lambda: case.x

    def backward(self, case):
        return lambda: (case.dy, case.weight, case.bias)

    def autograd(self, case):
        return lambda x, weight, bias: x * weight + bias


class Mute:
    """Not a provider: it can do nothing."""

    name = "mute"


class Explosive:
    """Somebody's provider on a bad day."""

    def __init__(self):
        raise OSError("libfast.so.3: cannot open shared object file")


def declare(name, value):
    return EntryPoint(name, value, GROUP)


def here(name):
    return f"{__name__}:{name}"


def test_every_provider_of_the_project_loads_and_goes_by_its_name():
    found = discover([])
    assert list(found.providers) == [*STRATEGIES, *PEER_NAMES]
    assert found.broken == {}
    assert all(
        isinstance(provider, Provider) and provider.label for provider in found.providers.values()
    )


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("gone", "no_such_package_at_all:Provider", "No module named 'no_such_package_at_all'"),
        ("explosive", f"{__name__}:Explosive", "libfast.so.3"),
        ("mute", f"{__name__}:Mute", "it is not a provider"),
        ("impostor", f"{__name__}:Extra", "it calls itself 'extra'"),
        ("torch", f"{__name__}:Extra", "takes a name that belongs to"),
        (
            "my kernels/fast",
            f"{__name__}:Extra",
            "is called 'my kernels/fast': take letters, digits, _ . and -, at most 60",
        ),
    ],
)
def test_a_broken_provider_is_reported_and_keeps_no_other_from_loading(name, value, reason):
    found = discover([declare(name, value), declare("extra", here("Extra"))])
    assert set(found.providers) == {*STRATEGIES, *PEER_NAMES, "extra"}
    ((broken, why),) = found.broken.items()
    assert broken == name
    assert reason in str(why)


def test_asking_whether_providers_are_available_imports_none_of_them():
    script = (
        "import sys\nfrom lnkernels.providers.discovery import discover\nfor provider in"
        " discover([]).providers.values(): provider.unavailable()\nheavy = {'triton',"
        " 'liger_kernel', 'quack', 'apex', 'flash_attn', 'fused_layer_norm_cuda', 'cutlass',"
        " 'torch._dynamo'}\nprint(sorted(heavy & set(sys.modules)))\n"
    )
    assert printed(script, PATH="") == "[]\n"


def test_a_library_that_is_missing_is_named_and_nothing_of_it_is_executed(tmp_path, monkeypatch):
    folder = tmp_path / "lnkernels_lookup_example"
    (folder / "ops").mkdir(parents=True)
    for init in (folder / "__init__.py", folder / "ops" / "__init__.py"):
        init.write_text("raise AssertionError('the package was imported')\n")
    (folder / "ops" / "norm.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert missing("lnkernels_lookup_example.ops.norm") is None
    said = str(missing("lnkernels_lookup_example.contrib.norm"))
    assert said == "lnkernels_lookup_example has no module lnkernels_lookup_example.contrib.norm"
    assert (
        str(missing("no_such_package_at_all.ops"))
        == "package no_such_package_at_all is not installed"
    )
    assert missing("pytest") is None


# Their functions by name, order and defaults of arguments, results, and what they assert, as of
# Liger-Kernel 0.8.5, quack 0.6.5, and Apex and FlashAttention of August 2026; PyTorch computes.
AUTOGRAD = """
    import torch


    class Norm(torch.autograd.Function):
        @staticmethod
        def forward(ctx, X, W, B, eps):
            Y, mean, rstd = torch.ops.aten.native_layer_norm(X, X.shape[-1:], W, B, eps)
            ctx.save_for_backward(X, W, B, mean, rstd)
            return Y

        @staticmethod
        def backward(ctx, dY):
            X, W, B, mean, rstd = ctx.saved_tensors
            found = torch.ops.aten.native_layer_norm_backward(
                dY, X, X.shape[-1:], mean, rstd, W, B, [True] * 3
            )
            return (*found, None)
"""
QUACK = """
    import torch


    def layernorm_fwd(x, weight, bias=None, eps=1e-6, return_rstd=False, return_mean=False):
        assert x.dim() == 2 and weight.dim() == 1
        assert weight.dtype == torch.float32, "Weight must be float32"
        assert bias is None or bias.dtype == torch.float32, "Bias must be float32"
        out, mean, rstd = torch.ops.aten.native_layer_norm(
            x.float(), x.shape[-1:], weight, bias, eps
        )
        return (out.to(x.dtype), *[rstd.flatten()] * return_rstd, *[mean.flatten()] * return_mean)


    def layernorm_bwd(x, weight, dout, rstd, mean, has_bias=True):
        assert rstd.shape == mean.shape == x.shape[:1]
        given = (
            dout.float(),
            x.float(),
            x.shape[-1:],
            mean[:, None],
            rstd[:, None],
            weight,
            weight,
            [True, True, has_bias],
        )
        dx, dw, db = torch.ops.aten.native_layer_norm_backward(*given)
        return dx.to(x.dtype), dw, db
"""
STAND_INS = {
    "liger": {"liger_kernel.ops.layer_norm": AUTOGRAD + "    LigerLayerNormFunction = Norm\n"},
    "liger-cute": {
        "cutlass": "",
        "liger_kernel.ops.backends._cutedsl.layer_norm": AUTOGRAD
        + """
    _BWD_MAX_TILE_CUTEDSL = 8192
    _LigerLayerNormCuTeDSLFunction = Norm
""",
    },
    "quack": {"quack.rmsnorm": QUACK},
    "quack-tuned": {
        "quack.rmsnorm": QUACK
        + """

    def get_sm_count(n, device):
        return 2


    def rmsnorm_fwd_tuned(x, weight, out, bias=None, rstd=None, mean=None, eps=1e-6, is_layernorm=False):
        assert is_layernorm
        y, found_rstd, found_mean = layernorm_fwd(x, weight, bias, eps, True, True)
        out.copy_(y)
        rstd.copy_(found_rstd)
        mean.copy_(found_mean)


    def rmsnorm_bwd_tuned(x, weight, dout, rstd, dx, *, dw_partial, db_partial, mean, is_layernorm,
                          has_dw_partial, has_db_partial):
        assert is_layernorm and has_dw_partial and has_db_partial
        found_dx, dw, db = layernorm_bwd(x, weight, dout, rstd, mean)
        dx.copy_(found_dx)
        dw_partial.copy_(dw / 2)
        db_partial.copy_(db / 2)
"""
    },
    "apex": {
        "fused_layer_norm_cuda": "",
        "apex.normalization.fused_layer_norm": AUTOGRAD
        + """
    def fused_layer_norm_affine(
        input, weight, bias, normalized_shape, eps=1e-6, memory_efficient=False
    ):
        assert tuple(normalized_shape) == tuple(weight.shape)
        return Norm.apply(input, weight, bias, eps)
""",
    },
    "flash-attn": {
        "flash_attn.ops.triton.layer_norm": AUTOGRAD
        + """
    def layer_norm_fn(
        x,
        weight,
        bias,
        residual=None,
        x1=None,
        weight1=None,
        bias1=None,
        eps=1e-6,
        dropout_p=0.0,
        rowscale=None,
        prenorm=False,
        residual_in_fp32=False,
        zero_centered_weight=False,
        is_rms_norm=False,
        return_dropout_mask=False,
        out_dtype=None,
        out=None,
        residual_out=None,
    ):
        assert residual is None and not prenorm
        return Norm.apply(x, weight, bias, eps)
"""
    },
    "cudnn": {
        "cudnn.ops.norm.layernorm": AUTOGRAD
        + """
    def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
        assert tuple(normalized_shape) == tuple(weight.shape)
        return Norm.apply(input, weight, bias, eps)
"""
    },
}


@pytest.mark.parametrize("name", STAND_INS)
def test_a_peer_that_can_be_imported_is_called_as_its_project_has_it(name, tmp_path, monkeypatch):
    tops = {module.partition(".")[0] for module in STAND_INS[name]}
    for module in [known for known in sys.modules if known.partition(".")[0] in tops]:
        monkeypatch.delitem(sys.modules, module)
    for module, text in STAND_INS[name].items():
        file = tmp_path.joinpath(*module.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
        for folder in file.relative_to(tmp_path).parents[:-1]:
            (tmp_path / folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    try:
        provider = discover([]).providers[name]
        assert provider.unavailable() is None
        assert Verifier(make_case(dtype=torch.float16))(provider) is None
    finally:
        for module in [known for known in sys.modules if known.partition(".")[0] in tops]:
            del sys.modules[module]


def make_case(m=8, n=48, dtype=torch.float32, device="cpu"):
    launch = resolve_launch(n, str(dtype).removeprefix("torch."))
    return Case.of(make_inputs(m, n, dtype, "tutorial", 0, device), 1e-5, launch)


class Wrong(Eager):
    """PyTorch, with one fault."""

    def __init__(self, fault):
        self.fault = fault

    def forward(self, case):
        right = super().forward(case)
        return lambda: self.fault("y", right())

    def backward(self, case):
        right = super().backward(case)
        return lambda: tuple(map(self.fault, ("dx", "dw", "db"), right()))


class WrongThroughAutograd(Eager):
    """PyTorch, whose public function forgets the bias."""

    def autograd(self, case):
        right = super().autograd(case)
        return lambda x, weight, bias: right(x, weight, bias * 1.0625)


class WithoutAutograd(Eager):
    """PyTorch, whose public function gives y without a gradient."""

    def autograd(self, case):
        right = super().autograd(case)
        return lambda *given: right(*given).detach()


@pytest.mark.parametrize("name", ["y", "dx", "dw", "db"])
def test_one_wrong_element_is_named(name):
    def fault(result, tensor):
        if result == name:
            tensor = tensor.clone()
            tensor.view(-1)[7] += 1.0
        return tensor

    reason = Verifier(make_case())(Wrong(fault))
    assert str(reason).startswith(f"{name} is wrong in 1 of its elements, at worst by ")
    none = Verifier(make_case())(
        Wrong(lambda result, tensor: tensor * torch.nan if result == name else tensor)
    )
    assert (
        "elements, some of them NaN or infinite where the truth is not, or the reverse; memory of"
        " torch.empty holds NaN during a check: perhaps some is read" in str(none)
    )


def test_the_path_through_autograd_is_checked_as_well():
    reason = Verifier(make_case())(WrongThroughAutograd())
    assert str(reason).startswith("through autograd, y is wrong in")
    reason = Verifier(make_case())(WithoutAutograd())
    assert str(reason) == "through autograd, it gives no dx"


def test_timing_without_a_gpu_is_refused_in_one_sentence():
    with pytest.raises(
        RuntimeError, match="timing needs a CUDA device; the interpreter's times mean nothing"
    ):
        measure(make_case(), [Eager()])

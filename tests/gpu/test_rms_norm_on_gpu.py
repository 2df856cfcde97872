"""RMSNorm, and norms of x + residual, on a real GPU: every strategy is right and timed, and so is
every peer that is here.
"""

import pytest
import torch

from lnkernels import rms_norm
from lnkernels.check.inputs import make_inputs
from lnkernels.check.verifier import Verifier
from lnkernels.device import device_limits
from lnkernels.launch import LAUNCHED, NORMS, LaunchWish, resolve_launch
from lnkernels.providers.own import Own
from lnkernels.providers.peers import PEERS, TunedInductor
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.measure import measure
from lnkernels.timing.rounds import Effort, tutorial_bytes

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(400)]
OTHERS = [norm for norm in NORMS if norm != "layer_norm"]
# Of the libraries: what they have, as `Function.norms` says.
LACKING = {
    "liger": {"add_layer_norm"},
    "quack": {"add_layer_norm"},
    **{name: set(OTHERS) for name in ("apex", "liger-cute", "quack-tuned", "cudnn")},
}
TRIED = [each for each in PEERS if each is not TunedInductor]  # which takes a minute for a case


def case(strategy: str, dtype: str, m: int, n: int, norm: str = "rms_norm") -> Case:
    device = torch.device("cuda", 0)
    made = make_inputs(m, n, getattr(torch, dtype), "tutorial", 0, device, norm)
    launch = resolve_launch(n, dtype, LaunchWish(strategy=strategy), device_limits(device), m=m)
    return Case.of(made, 1e-5, launch)


# One shape at least for each forward kernel and each backward kernel.
@pytest.mark.parametrize(
    ("m", "n"),
    [(1, 1), (4, 512), (4096, 256), (1151, 1000), (4096, 4099), (4096, 8192), (64, 16384)],
)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("strategy", LAUNCHED)
def test_each_strategy_gives_rmsnorm(strategy: str, dtype: str, m: int, n: int) -> None:
    if (
        strategy in ("locked", "atomic")
        and n * torch.finfo(getattr(torch, dtype)).bits > 16384 * 16
    ):
        pytest.skip("a program does not hold so wide a row")
    assert Verifier(case(strategy, dtype, m, n))(Own(strategy)) is None


@pytest.mark.parametrize("norm", ["add_layer_norm", "add_rms_norm"])
@pytest.mark.parametrize("strategy", LAUNCHED)
def test_each_strategy_gives_the_norm_of_a_sum(strategy: str, norm: str) -> None:
    assert Verifier(case(strategy, "float16", 1151, 1000, norm))(Own(strategy)) is None


@pytest.mark.parametrize("norm", OTHERS)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("peer", TRIED, ids=lambda each: each.name)
def test_each_peer_that_is_here_is_right(peer: type[Provider], dtype: str, norm: str) -> None:
    provider, given = peer(), case("persistent", dtype, 1151, 4096, norm)
    if (why := provider.unavailable()) is not None:
        pytest.skip(str(why))
    if norm in LACKING.get(provider.name, ()):
        with pytest.raises(ValueError, match="that is timed"):
            provider.autograd(given)
        return
    assert Verifier(given)(provider) is None


@pytest.mark.parametrize("norm", OTHERS)
def test_strategies_and_peers_are_timed_and_their_bytes_counted(norm: str) -> None:
    given = case("persistent", "float16", 4096, 4096, norm)
    peers = [one for one in (each() for each in TRIED) if one.unavailable() is None]
    timed = measure(given, [Own("persistent"), *peers], effort=Effort(seconds=1.0))
    refused = {no.provider: str(no.reason) for no in timed.refusals}
    assert set(refused) <= {name for name, norms in LACKING.items() if norm in norms}, refused
    for provider in {"persistent", *(each.name for each in peers)} - set(refused):
        assert {each.direction for each in timed.figures if each.provider == provider} == {
            "forward",
            "backward",
        }
    for figure in timed.figures:
        moved = tutorial_bytes(figure.direction, 4096, 4096, "float16", norm)
        assert figure.gbps == pytest.approx(moved / figure.p50_ms * 1e-6)
        if figure.mode == "kernel_cold":
            assert figure.share_of_ceiling is not None
            assert figure.share_of_ceiling < 1.1, figure


@pytest.mark.parametrize("shape", [(1, 768), (8, 16, 1024), (4096, 4096)])
def test_later_calls_of_a_model_are_those_of_the_first(shape: tuple[int, ...]) -> None:
    n = shape[-1]
    torch.compiler.reset()
    compiled = torch.compile(rms_norm, fullgraph=True)
    for call in range(4):  # the first is recorded, the others are replayed
        generator = torch.Generator("cuda").manual_seed(call)
        x, dy = (
            torch.randn(*shape, device="cuda", dtype=torch.float16, generator=generator)
            for _ in range(2)
        )
        weight = torch.rand(n, device="cuda", dtype=torch.float16, generator=generator)
        leaves = x.requires_grad_(), weight.requires_grad_()
        wide = [each.detach().double().requires_grad_() for each in leaves]
        y = torch.nn.functional.rms_norm(wide[0], (n,), wide[1], 1e-5)
        expected = [y, *torch.autograd.grad(y, wide, dy.double())]
        for function in (rms_norm, compiled):
            y = function(leaves[0], (n,), leaves[1], 1e-5)
            for one, true in zip((y, *torch.autograd.grad(y, leaves, dy)), expected, strict=True):
                scale = float(true.detach().abs().max())
                torch.testing.assert_close(one.double(), true, rtol=2e-3, atol=1e-3 * scale)

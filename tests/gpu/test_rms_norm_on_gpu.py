"""RMSNorm on a real GPU: every strategy is right and timed, and so are the peers that are here."""

from dataclasses import replace

import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.verifier import Verifier
from lnkernels.launch import LAUNCHED, LaunchWish, resolve_launch
from lnkernels.passes.registry import limits_of
from lnkernels.providers.own import Own
from lnkernels.providers.peers import PEERS
from lnkernels.providers.protocol import Case
from lnkernels.timing.measure import measure
from lnkernels.timing.rounds import Effort

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(400)]


def case(strategy: str, dtype: str, m: int, n: int) -> Case:
    device = torch.device("cuda", 0)
    made = make_inputs(m, n, getattr(torch, dtype), "tutorial", 0, device)
    launch = resolve_launch(n, dtype, LaunchWish(strategy=strategy), limits_of(device), m=m)
    return Case.of(replace(made, norm="rms_norm", bias=None), 1e-5, launch)


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


def test_strategies_and_peers_are_timed() -> None:
    given = case("persistent", "float16", 4096, 4096)
    peers = [one for one in (each() for each in PEERS) if one.unavailable() is None]
    timed = measure(given, [Own("persistent"), *peers], effort=Effort(seconds=1.0))
    refused = {no.provider: str(no.reason) for no in timed.refusals}
    layer_norm_alone = {"apex", "flash-attn"}
    assert set(refused) <= layer_norm_alone, refused
    for provider in {"persistent", *(each.name for each in peers)} - set(refused):
        assert {each.direction for each in timed.figures if each.provider == provider} == {
            "forward",
            "backward",
        }

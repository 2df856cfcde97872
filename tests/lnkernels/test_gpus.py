"""The third stage of the reduction: the one-shot sum over ranks in the interpreter, and two timers
beside each other.
"""

import numpy as np
import pytest
import torch

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.passes.gpus import Exchange, GpusError, ahead

pytestmark = pytest.mark.skipif(
    not IS_INTERPRETED, reason="one process plays all ranks; tests/gpu has those of GPUs"
)
CPU = torch.device("cpu")


def filled(exchange: Exchange, seed: int) -> torch.Tensor:
    """Begin a turn with other sums of every rank; these sums, [ranks, size]."""
    exchange.next_turn()
    sums = torch.randn(
        (len(exchange.devices), exchange.size), generator=torch.Generator().manual_seed(seed)
    )
    for buffer, own in zip(exchange.buffers, sums, strict=True):
        buffer.copy_(own)
    return sums


@pytest.mark.parametrize(("ranks", "size"), [(2, 1300), (5, 1)])
def test_every_rank_gets_the_same_sums_turn_after_turn(ranks: int, size: int) -> None:
    exchange = Exchange([CPU] * ranks, size)
    for turn in range(2):
        sums = filled(exchange, turn)
        for rank in range(ranks):
            exchange.add(rank, add=False)
        for rank in range(ranks):
            exchange.results[rank].fill_(torch.nan)
            exchange.add(rank, tell=False)
        exchange.check()
        in_order = torch.zeros(size)
        for own in sums:
            in_order += own
        assert all(torch.equal(result, in_order) for result in exchange.results)
        torch.testing.assert_close(
            in_order.double(), sums.double().sum(dim=0), rtol=1e-5, atol=1e-5
        )


def test_a_rank_whose_peer_does_not_come_gives_up_and_adds_nothing() -> None:
    exchange = Exchange([CPU] * 3, 600, looks=20)
    filled(exchange, 0)
    exchange.add(0, add=False)
    exchange.add(1)  # rank 2 says nothing
    assert not exchange.results[1].any()
    with pytest.raises(GpusError, match="waited for another GPU"):
        exchange.check()


def test_ping_pongs_bound_how_far_a_timer_is_ahead_however_coarse_it_is() -> None:
    random = np.random.default_rng(0)
    for tick, offset in ((1, 12_345), (32, -7_000_011), (1024, 10**12)):
        sent = np.cumsum(random.integers(1500, 4000, 200))
        there, back = random.integers(500, 1500, (2, 200))
        got, answered = sent + there + offset, sent + there + back
        told, doubt = ahead(*(times // tick * tick for times in (sent, answered, got)))
        assert abs(told - offset) <= doubt
        assert doubt <= 1000 + 2 * tick


def test_gpus_that_cannot_reach_each_other_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[torch.device, torch.device]] = []

    def apart(one: torch.device, other: torch.device) -> bool:
        asked.append((one, other))
        return False

    monkeypatch.setattr(torch.cuda, "can_device_access_peer", apart)
    devices = [torch.device("cuda", 0), torch.device("cuda", 3)]
    with pytest.raises(GpusError, match="cuda:0 cannot reach the memory of cuda:3"):
        Exchange(devices, 16)
    assert asked == [(devices[0], devices[1])]

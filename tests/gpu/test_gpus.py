"""The third stage on two GPUs: the one-shot sum, the alignment of timers, and the experiment; and why one is too few."""

import time

import pytest
import torch

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.gpus import WAYS, WIDTHS
from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.engine.supervisor import run_to_end
from lnexplorer.protocol.messages import Broken, Finished
from lnkernels.gpus import Exchange, GpusError, synchronize, timers

pytestmark = pytest.mark.gpu
several = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
DEVICES = [torch.device("cuda", number) for number in (0, 1)]


@several
@pytest.mark.parametrize("size", [2048, 8190, 131072])
def test_all_gpus_get_the_sum_in_the_order_of_ranks_turn_after_turn(size: int) -> None:
    exchange = Exchange(DEVICES, size)
    for _ in range(200):
        exchange.next_turn()
        for buffer in exchange.buffers:
            buffer.normal_()
        for rank in range(2):
            exchange.results[rank].fill_(torch.nan)
            exchange.add(rank)
        synchronize(DEVICES)
        expected = exchange.buffers[0].cpu() + exchange.buffers[1].cpu()
        assert all(torch.equal(result.cpu(), expected) for result in exchange.results)
    exchange.check()


@several
def test_a_gpu_whose_peer_does_not_come_gives_up_within_seconds_and_the_next_sum_is_right() -> None:
    exchange = Exchange(DEVICES, 2048)
    exchange.next_turn()
    exchange.results[0].zero_()
    began = time.monotonic()
    exchange.add(0)
    with pytest.raises(GpusError, match="waited for another GPU"):
        exchange.check()
    assert time.monotonic() - began < 30
    assert not exchange.results[0].any()
    exchange = Exchange(DEVICES, 2048)
    exchange.next_turn()
    for rank in range(2):
        exchange.add(rank)
    exchange.check()


@several
def test_timers_of_two_gpus_are_known_against_each_other_within_microseconds() -> None:
    exchange, found = Exchange(DEVICES, 16), []
    for _ in range(5):
        exchange.next_turn()
        traces = [exchange.allocate_trace(rank) for rank in range(2)]
        for again in (False, True):
            for rank in range(2):
                exchange.compare_timers(rank, traces[rank].timers[int(again)], again=again)
            found.append(timers([trace.timers[int(again)] for trace in traces])[0][1])
    exchange.check()
    assert all(0 < doubt < 5_000 for _, doubt in found)
    for (one, doubt), (other, other_doubt) in zip(found[1:], found, strict=False):
        assert abs(one - other) <= doubt + other_doubt + 1_000  # quartzes drift by some µs a second


@several
def test_the_experiment_times_both_ways_and_draws_both_gpus_on_one_axis() -> None:
    outcome = run_to_end(ExperimentRequest(name="gpus", gpus=(0, 1), runs=5), "cuda:0")
    assert isinstance(outcome, Finished), outcome
    assert isinstance(outcome.value, ExperimentResult)
    found = outcome.value.gpus
    assert found is not None
    assert found.clocks is not None
    assert [row.n for row in found.rows] == list(WIDTHS["cuda"])
    for row in found.rows:
        assert row.alike
        assert row.nccl_error is not None
        assert max(row.one_shot_error, row.nccl_error) < 1e-2
        assert all(0 < (row.share(way) or 0) < 1 for way in WAYS)
    doubt = found.clocks.uncertainty_ns
    for way, last in (("one_shot", "waiting"), ("nccl", "exchange")):
        own = {(phase.rank, phase.phase): phase for phase in found.phases if phase.way == way}
        for rank in (0, 1):
            assert own[rank, "stage1"].end_ns <= own[rank, "stage2"].end_ns <= own[rank, last].end_ns
            # Nobody has the sums of the other one before that one has come.
            assert own[rank, last].end_ns >= own[1 - rank, last].begin_ns - doubt


def test_more_gpus_than_there_are_is_told_in_a_sentence() -> None:
    count = torch.cuda.device_count()
    outcome = run_to_end(ExperimentRequest(name="gpus", gpus=(0, count)), "cuda:0")
    assert isinstance(outcome, Broken), outcome
    assert f"needs cuda:{count}, and the last GPU here is cuda:{count - 1}" in str(outcome.sentence)

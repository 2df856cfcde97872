"""The third stage on two GPUs, or with two ranks on one: the sum, the alignment of timers, the
experiment.
"""

import time
from collections.abc import Sequence
from typing import Any
from unittest.mock import Mock

import pytest
import torch

from lnexplorer.domain.experiments import gpus
from lnexplorer.domain.experiments.experiment import ExperimentRequest
from lnexplorer.domain.experiments.gpus import WAYS, WIDTHS
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Broken
from lnexplorer.worker.device import open_device
from lnexplorer.worker.experiments import gpus as experiment
from lnexplorer.worker.experiments import run_experiment
from lnkernels.passes import gpus as third_stage
from lnkernels.passes.gpus import Exchange, GpusError, synchronize, timers
from tests.gpu.test_experiments_on_gpu import done

pytestmark = pytest.mark.gpu
several = pytest.mark.skipif(
    torch.cuda.device_count() < 2, reason="needs two GPUs: NCCL refuses two ranks on one"
)
ONE_GPU = torch.device("cuda", 0), torch.device("cuda")  # two names of it


@pytest.fixture
def ranks_of_one_gpu(monkeypatch: pytest.MonkeyPatch) -> Sequence[torch.device]:
    """Two ranks on one GPU, each with a stream of its own: both are at work at one time, and wait
    for each other.
    """
    streams = {device: torch.cuda.Stream() for device in ONE_GPU}
    for module in ("lnkernels.passes.gpus", "lnexplorer.worker.experiments.gpus"):
        monkeypatch.setattr(f"{module}.on", lambda device: torch.cuda.stream(streams[device]))
    monkeypatch.setattr(torch.cuda, "can_device_access_peer", lambda *_: True)
    return ONE_GPU


@pytest.fixture(params=["one GPU", pytest.param("two GPUs", marks=several)])
def devices(request: pytest.FixtureRequest) -> Sequence[torch.device]:
    """Devices of two ranks."""
    one: Sequence[torch.device] = (
        request.getfixturevalue("ranks_of_one_gpu") if request.param == "one GPU" else ()
    )
    return one or (torch.device("cuda", 0), torch.device("cuda", 1))


@pytest.mark.parametrize("size", [2048, 8190, 131072])
def test_all_ranks_get_the_sum_in_the_order_of_ranks_turn_after_turn(
    devices: Sequence[torch.device], size: int
) -> None:
    exchange = Exchange(devices, size)
    for _ in range(200):
        exchange.next_turn()
        for buffer, result in zip(exchange.buffers, exchange.results, strict=True):
            buffer.normal_()
            result.fill_(torch.nan)
        synchronize(devices)
        for rank in range(2):
            exchange.add(rank)
        synchronize(devices)
        one, other = (buffer.cpu() for buffer in exchange.buffers)
        assert all(torch.equal(result.cpu(), one + other) for result in exchange.results)
        torch.testing.assert_close(
            (one + other).double(), one.double() + other.double(), rtol=1e-6, atol=1e-6
        )
    exchange.check()


def test_a_rank_whose_peer_does_not_come_gives_up_within_seconds_and_the_next_sum_is_right(
    devices: Sequence[torch.device],
) -> None:
    exchange = Exchange(devices, 2048)
    exchange.next_turn()
    exchange.results[0].zero_()
    synchronize(devices)
    began = time.monotonic()
    exchange.add(0)
    synchronize(devices)
    with pytest.raises(GpusError, match="waited for another GPU"):
        exchange.check()
    assert time.monotonic() - began < 30
    assert not exchange.results[0].any()
    exchange = Exchange(devices, 2048)
    exchange.next_turn()
    for rank in range(2):
        exchange.add(rank)
    synchronize(devices)
    exchange.check()


def test_timers_of_two_ranks_are_known_against_each_other_within_microseconds(
    devices: Sequence[torch.device],
) -> None:
    exchange, found = Exchange(devices, 16), []
    for _ in range(5):
        exchange.next_turn()
        traces = [exchange.allocate_trace(rank) for rank in range(2)]
        synchronize(devices)
        for again in (False, True):
            for rank in range(2):
                exchange.compare_timers(rank, traces[rank].timers[int(again)], again=again)
            synchronize(devices)
            found.append(timers([trace.timers[int(again)] for trace in traces])[0][1])
    exchange.check()
    assert all(0 < doubt < 5_000 for _, doubt in found)
    if devices is ONE_GPU:
        assert all(abs(told) <= doubt for told, doubt in found), "it is one timer"
    for (one, doubt), (other, other_doubt) in zip(found[1:], found, strict=False):
        assert abs(one - other) <= doubt + other_doubt + 1_000  # quartzes drift by some µs a second


def test_ranks_of_one_gpu_have_the_sums_of_all_rows_and_stand_on_one_axis(
    ranks_of_one_gpu: Sequence[torch.device], monkeypatch: pytest.MonkeyPatch
) -> None:
    def add_instead_of_nccl(
        inputs: Sequence[torch.Tensor], results: Sequence[torch.Tensor]
    ) -> None:
        there = [torch.cuda.Event() for _ in ranks_of_one_gpu]
        for device, event in zip(ranks_of_one_gpu, there, strict=True):
            with on(device):
                event.record()
        for device, result in zip(ranks_of_one_gpu, results, strict=True):
            with on(device):
                for event in there:
                    torch.cuda.current_stream().wait_event(event)
                torch.add(*inputs, out=result)

    def truth(*given: Any) -> torch.Tensor:
        torch.cuda.synchronize()  # it is reckoned on another stream than what it is reckoned from
        return found_truth(*given)

    on, found_truth = third_stage.on, experiment.true_sums
    monkeypatch.setattr(experiment, "true_sums", truth)
    monkeypatch.setattr(experiment, "all_reduce", add_instead_of_nccl)
    monkeypatch.setattr(experiment, "devices_of", lambda *_: list(ranks_of_one_gpu))
    request = ExperimentRequest(name="gpus", runs=5)
    result = run_experiment(Mock(), request, Mock(), *open_device("cuda:0"))
    _is_complete(result.findings_of(gpus.Gpus))


@several
def test_the_experiment_times_both_ways_and_draws_both_gpus_on_one_axis() -> None:
    _is_complete(done("gpus", gpus=(0, 1), runs=5).findings_of(gpus.Gpus))


def _is_complete(found: gpus.Gpus) -> None:
    """Every width has right sums and times of both ways; both ranks' phases follow each other."""
    assert found.clocks is not None
    assert 0 < found.clocks.uncertainty_ns < 5_000
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
            assert (
                own[rank, "stage1"].end_ns <= own[rank, "stage2"].end_ns <= own[rank, last].end_ns
            )
            # Nobody has the sums of the other one before that one has come.
            assert own[rank, last].end_ns >= own[1 - rank, last].begin_ns - doubt


def test_more_gpus_than_there_are_is_told_in_a_sentence() -> None:
    count = torch.cuda.device_count()
    (outcome,) = run_in_turn([ExperimentRequest(name="gpus", gpus=(0, count))], "cuda:0")
    assert isinstance(outcome, Broken), outcome
    assert f"needs cuda:{count}, and the last GPU here is cuda:{count - 1}" in str(outcome.sentence)

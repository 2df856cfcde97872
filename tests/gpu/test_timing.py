"""Stopwatches on a real device."""

import time

import pytest
import torch

from lnkernels.timing.cuda import AutogradStopwatch, Capture, Flush, KernelStopwatch
from lnkernels.timing.rounds import Candidate, Effort, gbps, interleave, summarize

pytestmark = pytest.mark.gpu

DEVICE = torch.device("cuda", 0)


@pytest.fixture
def flush():
    return Flush(DEVICE)


def replays(call, l2, flush, repetitions=50):
    return summarize(KernelStopwatch(Capture(DEVICE)(lambda: call), l2, flush)(repetitions), l2)


def test_a_kernel_that_spins_takes_as_long_as_it_spins(flush):
    one, two = (replays(lambda cycles=cycles: torch.cuda._sleep(cycles), "warm", flush) for cycles in (10**6, 2 * 10**6))
    # The clock's rate is not known; that twice the cycles take twice the time is.
    assert two.p50_ms / one.p50_ms == pytest.approx(2.0, rel=0.1)
    assert 0.3 < one.p50_ms < 3.0


def test_the_flush_is_not_in_the_time(flush):
    small = torch.zeros(256, device=DEVICE)
    cold = replays(lambda: small.add_(1), "cold", flush)
    flush_alone = replays(flush, "warm", flush)
    assert cold.p50_ms < flush_alone.p50_ms / 2


def test_the_hosts_part_of_a_launch_is_not_in_the_time(flush):
    # Forty tiny kernels from Python take the host far longer than they take the GPU in a graph.
    small = torch.zeros(256, device=DEVICE)

    def call():
        for _ in range(40):
            small.add_(1)

    kernels = replays(call, "warm", flush)
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(20):
        call()
    torch.cuda.synchronize()
    from_python_ms = (time.perf_counter() - began) / 20 * 1e3
    assert kernels.p50_ms < from_python_ms


def test_a_matrix_that_fits_the_l2_is_read_faster_warm_than_cold(flush):
    half_of_l2 = torch.cuda.get_device_properties(DEVICE).L2_cache_size // 4
    x = torch.ones(half_of_l2 // 4, device=DEVICE)
    out = torch.zeros((), device=DEVICE)
    cold, warm = (replays(lambda: torch.sum(x, 0, out=out), l2, flush) for l2 in ("cold", "warm"))
    assert warm.p50_ms < cold.p50_ms


def test_a_large_copy_moves_a_believable_number_of_bytes(flush):
    x = torch.ones(1 << 26, device=DEVICE)
    y = torch.empty_like(x)
    timing = replays(lambda: y.copy_(x), "cold", flush, 30)
    moved = gbps(2 * x.numel() * 4, timing.p50_ms)
    assert 50 < moved < 20_000
    assert timing.p20_ms <= timing.p50_ms <= timing.p80_ms


def test_the_same_call_measured_twice_in_turns_gets_the_same_number_of_turns(flush):
    x = torch.ones(1 << 24, device=DEVICE)
    y = torch.empty_like(x)
    captured = Capture(DEVICE)(lambda: lambda: y.copy_(x))
    candidates = [Candidate(name, "cold", KernelStopwatch(captured, "cold", flush)) for name in ("a", "b")]
    turns = [name for name, _ in interleave(candidates, Effort(most=50))]
    assert turns[:4] == ["a", "b", "a", "b"]
    assert {timing.l2 for _, timing in interleave(candidates, Effort(most=10))} == {"cold"}


def test_a_backward_pass_can_be_captured(flush):
    x = torch.randn(64, 128, device=DEVICE)

    def prepare():
        leaf = x.detach().requires_grad_()
        y = torch.nn.functional.layer_norm(leaf, (128,))
        return lambda: torch.autograd.grad(y, leaf, x, retain_graph=True)

    stopwatch = KernelStopwatch(Capture(DEVICE)(prepare), "cold", flush)
    assert all(ms > 0 for ms in stopwatch(5))


def test_a_call_that_cannot_be_captured_raises_and_the_next_one_can(flush):
    x = torch.ones(16, device=DEVICE)
    capture = Capture(DEVICE)
    stream = torch.cuda.current_stream()
    with pytest.raises(RuntimeError, match="cannot be captured"):
        capture(lambda: lambda: float(x.sum()))  # waits for the device
    torch.cuda.synchronize()
    assert torch.cuda.current_stream() == stream
    torch.cuda.empty_cache()
    assert KernelStopwatch(capture(lambda: lambda: x.add_(1)), "warm", flush)(3)


def test_gradients_do_not_pile_up_between_repetitions(flush):
    x = torch.randn(64, 128, device=DEVICE, requires_grad=True)
    y = x * 2.0

    def forget():
        x.grad = None

    stopwatch = AutogradStopwatch(lambda: torch.autograd.backward(y, torch.ones_like(y), retain_graph=True), forget, flush)
    assert len(stopwatch(10)) == 10
    assert torch.equal(x.grad, torch.full_like(x, 2.0))


def test_the_hosts_time_of_a_call_is_microseconds_and_does_not_wait_for_the_device(flush):
    stopwatch = AutogradStopwatch(lambda: torch.cuda._sleep(10**7), lambda: None, flush)
    took_ms = stopwatch(3)[0]
    assert stopwatch.host_us(5) / 1e3 < took_ms / 2

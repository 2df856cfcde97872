"""Stopwatches on a real device."""

import pytest
import torch

from lnkernels.timing.cuda import AutogradStopwatch, Capture, Flush, KernelStopwatch
from lnkernels.timing.rounds import summarize

pytestmark = pytest.mark.gpu

DEVICE = torch.device("cuda", 0)


@pytest.fixture
def flush():
    return Flush(DEVICE)


def replays(call, l2, flush, repetitions=50):
    return summarize(KernelStopwatch(Capture(DEVICE)(lambda: call), l2, flush)(repetitions))


def test_a_kernel_that_spins_takes_as_long_as_it_spins(flush):
    one, two = (
        replays(lambda cycles=cycles: torch.cuda._sleep(cycles), "warm", flush)
        for cycles in (10**6, 2 * 10**6)
    )
    # The clock's rate is not known; that twice the cycles take twice the time is.
    assert two.p50_ms / one.p50_ms == pytest.approx(2.0, rel=0.1)
    assert 0.3 < one.p50_ms < 3.0


def test_a_matrix_that_fits_the_l2_is_read_faster_warm_than_cold(flush):
    half_of_l2 = torch.cuda.get_device_properties(DEVICE).L2_cache_size // 4
    x = torch.ones(half_of_l2 // 4, device=DEVICE)
    out = torch.zeros((), device=DEVICE)
    cold, warm = (replays(lambda: torch.sum(x, 0, out=out), l2, flush) for l2 in ("cold", "warm"))
    assert warm.p50_ms < cold.p50_ms


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

    stopwatch = AutogradStopwatch(
        lambda: torch.autograd.backward(y, torch.ones_like(y), retain_graph=True), forget, flush
    )
    assert len(stopwatch(10)) == 10
    assert torch.equal(x.grad, torch.full_like(x, 2.0))


def test_the_hosts_time_of_a_call_is_microseconds_and_does_not_wait_for_the_device(flush):
    stopwatch = AutogradStopwatch(lambda: torch.cuda._sleep(10**7), lambda: None, flush)
    took_ms = stopwatch(3)[0]
    assert stopwatch.host_us() / 1e3 < took_ms / 2

"""Names and shares of measured speeds."""

import pytest

from lnkernels.timing.figures import Bytes, make_figure
from lnkernels.timing.samples import summarize
from lnkernels.values.figures import Subject

MOVED = Bytes(tutorial=10**9, counted=2 * 10**9)


def test_a_forward_pass_is_held_against_a_copy_and_a_backward_pass_against_an_addition():
    assert Subject("torch", "forward", "kernel_cold").ceiling == Subject("copy", "forward", "kernel_cold")
    assert Subject("torch", "backward", "kernel_warm").ceiling == Subject("add", "backward", "kernel_warm")


def test_the_autograd_path_is_held_against_the_cold_ceiling():
    assert Subject("torch", "backward", "autograd").ceiling == Subject("add", "backward", "kernel_cold")


def test_a_ceiling_is_its_own_ceiling():
    ceiling = Subject("add", "backward", "kernel_cold")
    assert ceiling.ceiling == ceiling


def test_half_as_fast_as_the_ceiling_is_a_share_of_one_half():
    figure = make_figure(
        Subject("torch", "forward", "kernel_cold"), summarize([2.0], "cold"), MOVED, summarize([1.0], "cold"), None
    )
    assert figure.share_of_ceiling == pytest.approx(0.5)
    assert figure.gbps == pytest.approx(500.0)
    assert figure.counted_gbps == pytest.approx(1000.0)


def test_without_a_ceiling_there_is_no_share():
    figure = make_figure(Subject("torch", "forward", "autograd"), summarize([2.0], "cold"), MOVED, None, 12.0)
    assert figure.share_of_ceiling is None
    assert figure.host_us == 12.0


@pytest.mark.parametrize(("mode", "l2"), [("kernel_cold", "cold"), ("kernel_warm", "warm"), ("autograd", "cold")])
def test_the_state_of_the_cache_follows_from_the_mode(mode, l2):
    assert Subject("torch", "forward", mode).l2 == l2

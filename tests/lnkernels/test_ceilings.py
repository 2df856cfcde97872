"""Ceilings: what they compute, and which are remembered."""

import pytest
import torch

from lnkernels.ceilings import CeilingKey, Ceilings, ceiling_call
from lnkernels.timing.samples import summarize

KEY = CeilingKey(0, "forward", "kernel_cold", 4096, torch.float16)


def test_the_forward_ceiling_copies():
    x = torch.randn(4, 8)
    assert torch.equal(ceiling_call("forward", x)(), x)


def test_the_backward_ceiling_adds_two_matrices():
    x = torch.randn(4, 8)
    assert torch.equal(ceiling_call("backward", x)(), x + x)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_ceiling_writes_the_same_memory_each_time(direction):
    call = ceiling_call(direction, torch.randn(4, 8))
    assert call().data_ptr() == call().data_ptr()


def test_a_settled_ceiling_is_remembered():
    ceilings = Ceilings()
    timing = summarize([0.1] * 50, "cold")
    ceilings.keep(KEY, timing)
    assert ceilings.known(KEY) is timing


def test_a_ceiling_that_has_not_settled_is_measured_again():
    ceilings = Ceilings()
    ceilings.keep(KEY, summarize([0.1], "cold"))
    assert ceilings.known(KEY) is None

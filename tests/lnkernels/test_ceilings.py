"""Ceilings: what they compute, and which are remembered."""

import pytest
import torch

from lnkernels.ceilings import CeilingKey, Ceilings, ceiling_calls
from lnkernels.timing.samples import summarize

KEY = CeilingKey(0, "forward", "kernel_cold", 4096, torch.float16)


def test_each_forward_ceiling_reads_one_matrix_and_writes_one():
    x = torch.randn(4, 8)
    copied, negated = (call().clone() for call in ceiling_calls("forward", x))
    assert torch.equal(copied, x)
    assert torch.equal(negated, -x)


def test_the_backward_ceiling_adds_two_matrices():
    x = torch.randn(4, 8)
    (call,) = ceiling_calls("backward", x)
    assert torch.equal(call(), x + x)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_ceilings_of_a_pass_write_the_same_memory_each_time(direction):
    written = {call().data_ptr() for call in ceiling_calls(direction, torch.randn(4, 8)) for _ in range(2)}
    assert len(written) == 1


def test_a_settled_ceiling_is_remembered():
    ceilings = Ceilings()
    timing = summarize([0.1] * 50, "cold")
    ceilings.keep(KEY, timing)
    assert ceilings.known(KEY) is timing


def test_a_ceiling_that_has_not_settled_is_measured_again():
    ceilings = Ceilings()
    ceilings.keep(KEY, summarize([0.1], "cold"))
    assert ceilings.known(KEY) is None


def test_a_ceiling_that_is_known_roughly_is_measured_again_for_who_wants_it_well():
    ceilings = Ceilings()
    rough, fine = summarize([0.1] * 30, "cold"), summarize([0.1] * 60, "cold")
    ceilings.keep(KEY, rough, 0.02)
    assert ceilings.known(KEY, 0.02) is rough
    assert ceilings.known(KEY, 0.005) is None
    ceilings.keep(KEY, fine, 0.005)
    ceilings.keep(KEY, rough, 0.02)
    assert ceilings.known(KEY, 0.02) is fine

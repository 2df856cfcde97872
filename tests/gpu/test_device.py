"""Limits and stamp of a real device."""

import pytest
import torch

from lnkernels.device import device_limits, environment
from lnkernels.launch import KNOWN_DEVICES

pytestmark = pytest.mark.gpu

DEVICE = torch.device("cuda", 0)


def test_limits_are_those_that_are_published_for_a_known_card():
    limits = device_limits(DEVICE)
    assert limits.sm_count > 0
    assert limits.l2_bytes > 0
    known = {card.name: card for card in KNOWN_DEVICES}.get(limits.name)
    if known is None:
        pytest.skip(f"{limits.name} is not among the known cards")
    assert (limits.compute_capability, limits.sm_count) == (
        known.compute_capability,
        known.sm_count,
    )
    assert (limits.warps_per_sm, limits.programs_per_sm) == (
        known.warps_per_sm,
        known.programs_per_sm,
    )
    assert limits.shared_bytes_per_sm == known.shared_bytes_per_sm
    assert limits.l2_bytes == pytest.approx(known.l2_bytes, rel=0.1)
    assert limits.memory_bytes == pytest.approx(known.memory_bytes, rel=0.1)


def test_nvml_answers_for_the_very_device():
    stamp = environment(DEVICE)
    if stamp.driver is None:
        pytest.skip("NVML does not answer here")
    assert stamp.sm_clock_mhz > 0
    assert stamp.memory_clock_mhz > 0
    assert 0 < stamp.temperature_c < 120
    assert stamp.other_processes is None or stamp.other_processes >= 0

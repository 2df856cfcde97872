"""Providers checked and timed on a real device."""

import math

import numpy as np
import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.verifier import Verifier
from lnkernels.launch import resolve_launch
from lnkernels.providers.discovery import discover
from lnkernels.providers.own import Own
from lnkernels.providers.peers import Eager
from lnkernels.providers.protocol import Case
from lnkernels.timing.measure import EVERYTHING, measure
from lnkernels.values.figures import CEILINGS, Subject

pytestmark = pytest.mark.gpu

DEVICE = torch.device("cuda", 0)


def make_case(m=1024, n=2048, dtype=torch.float16):
    launch = resolve_launch(n, str(dtype).removeprefix("torch."))
    return Case.of(make_inputs(m, n, dtype, "tutorial", 0, DEVICE), 1e-5, launch)


class Waits(Eager):
    """PyTorch that waits for the device inside its forward call, so it cannot be captured."""

    name = "waits"

    def forward(self, case):
        right = super().forward(case)

        def call():
            y = right()
            torch.cuda.current_stream().synchronize()
            return y

        return call


def test_everything_is_measured_and_every_number_is_sound():
    found = measure(make_case(), [Own("locked"), Eager()], ceilings={})
    assert found.refusals == ()
    names = {
        (figure.subject.provider, figure.subject.direction, figure.subject.mode)
        for figure in found.figures
    }
    wanted = {(name, *which) for name in ("locked", "torch") for which in EVERYTHING}
    ceilings = {
        (CEILINGS[direction], direction, mode)
        for direction, mode in EVERYTHING
        if mode != "autograd"
    }
    assert names == wanted | ceilings
    for figure in found.figures:
        assert 0 < figure.p20_ms <= figure.p50_ms <= figure.p80_ms
        assert figure.requested_gbps >= figure.gbps > 0
        assert math.isfinite(figure.share_of_ceiling)
        assert (figure.host_us is not None) == (figure.subject.mode == "autograd")


def test_a_cold_pass_is_not_faster_than_the_ceiling_by_more_than_noise():
    found = measure(
        make_case(4096, 4096),
        [Eager(), Own("locked")],
        which=[("forward", "kernel_cold"), ("backward", "kernel_cold")],
    )
    shares = {figure.subject: figure.share_of_ceiling for figure in found.figures}
    assert all(0 < share < 1.15 for share in shares.values()), shares


def test_a_provider_that_cannot_be_captured_is_refused_and_the_others_are_timed():
    found = measure(
        make_case(), [Waits(), Eager()], which=[("forward", "kernel_cold")], ceilings={}
    )
    (refusal,) = found.refusals
    assert (refusal.provider, refusal.direction, refusal.mode) == (
        "waits",
        "forward",
        "kernel_cold",
    )
    assert {figure.subject.provider for figure in found.figures} == {"torch", "copy"}


def test_a_settled_ceiling_is_not_measured_twice():
    ceilings = {}
    which = [("forward", "kernel_cold")]
    subject = Subject("copy", "forward", "kernel_cold")
    case = make_case(4096, 4096)

    def copied():
        figures = measure(case, [], which=which, ceilings=ceilings).figures
        return next(figure for figure in figures if figure.subject == subject)

    first = copied()
    if not first.settled:
        pytest.skip("the copy's median did not settle: this GPU is busy")
    # Two measurements never agree to the last digit: these samples are those of the first one.
    assert np.array_equal(copied().samples_ms, first.samples_ms)


@pytest.mark.parametrize(
    "provider", discover([]).providers.values(), ids=lambda provider: provider.name
)
def test_every_provider_that_is_here_is_right(provider):
    reason = provider.unavailable()
    if reason is not None:
        pytest.skip(str(reason))
    assert Verifier(make_case(512, 1024))(provider) is None

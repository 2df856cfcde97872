"""The turns of providers and their reports, with made-up stopwatches, as there may be no GPU."""

from collections.abc import Sequence

import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.launch import resolve_launch
from lnkernels.providers.peers import Eager
from lnkernels.providers.protocol import Case
from lnkernels.timing import measure as measuring
from lnkernels.timing.measure import Ceilings, measure
from lnkernels.timing.rounds import Effort

COLD = [("forward", "kernel_cold"), ("backward", "kernel_cold")]


class Watch:
    """Says what the one who called says it takes; a copy by the driver is slower than an
    elementwise kernel here.
    """

    def __init__(self, captured, l2, flush, refresh=None):
        self._captured = captured

    def __call__(self, repetitions: int) -> Sequence[float]:
        result = self._captured()
        copied = isinstance(result, torch.Tensor) and torch.equal(result, X)
        return [0.4 if copied else 0.1] * repetitions


CASE = Case.of(
    make_inputs(8, 64, torch.float32, "normal", 0, "cpu"), 1e-5, resolve_launch(64, "float32")
)
X = CASE.x


@pytest.fixture(autouse=True)
def made_up_device(without_a_gpu, monkeypatch):
    monkeypatch.setattr(measuring, "KernelStopwatch", Watch)


class Hungry(Eager):
    """Asks for more memory than there is, but only when its backward pass is timed."""

    name = "hungry"

    def backward(self, case):
        if self.checked:
            raise torch.OutOfMemoryError("CUDA out of memory")
        self.checked = True
        return super().backward(case)

    checked = False


class Narrow(Eager):
    name = "narrow"

    def forward(self, case):
        raise ValueError("n = 64 is not possible: take less")


def test_the_faster_way_of_moving_the_bytes_is_the_ceiling():
    found = measure(CASE, [], which=COLD, ceilings={})
    times = {figure.subject.provider: figure.p50_ms for figure in found.figures}
    assert times == {"copy": 0.1, "add": 0.1}


def test_figures_say_the_verdict_that_was_given_before():
    told = []
    found = measure(
        CASE,
        [Eager()],
        which=COLD,
        ceilings={},
        on_figure=told.append,
        verdicts={"torch": "inexact"},
    )
    for figure in (*told, *found.figures):
        assert figure.verdict == ("inexact" if figure.provider == "torch" else "right")


def test_ceilings_that_come_last_keep_no_first_figure_waiting_and_fill_the_share_in():
    turns, shares = [], []
    ceilings: Ceilings = {}

    def tell(figure):
        if figure.subject.provider == "torch":
            shares.append(figure.share_of_ceiling)

    for _ in range(2):
        measure(
            CASE,
            [Eager()],
            which=COLD[:1],
            ceilings=ceilings,
            on_turn=lambda subject: turns.append(subject.provider),
            on_figure=tell,
        )
    assert turns[:2] == ["torch", "copy"]
    assert turns.count("copy") == 2, "the second time it is known, from two turns of the first"
    assert shares[0] is None
    assert None not in shares[1:]


def test_a_ceiling_that_is_known_roughly_is_measured_again_for_who_wants_it_well():
    ceilings: Ceilings = {}
    turns = []
    for within in (0.02, 0.02, 0.005, 0.02):
        effort = Effort(within=within)
        measure(
            CASE,
            [],
            which=COLD[:1],
            ceilings=ceilings,
            effort=effort,
            on_turn=lambda _, w=within: turns.append(w),
        )
    assert list(dict.fromkeys(turns)) == [0.02, 0.005]
    assert turns.index(0.005) == turns.count(0.02), "the second and the fourth time it is known"


def test_the_autograd_path_alone_has_the_ceiling_of_cold_kernels(monkeypatch):
    class Called(Watch):
        def __init__(self, call, before, flush):
            super().__init__(call, "cold", flush)

        def host_us(self):
            return 20.0

    monkeypatch.setattr(measuring, "AutogradStopwatch", Called)
    found = measure(CASE, [Eager()], which=[("backward", "autograd")], ceilings={})
    assert {(figure.subject.provider, figure.subject.mode) for figure in found.figures} == {
        ("add", "kernel_cold"),
        ("torch", "autograd"),
    }
    assert all(figure.share_of_ceiling == 1.0 for figure in found.figures)


def test_memory_that_runs_out_costs_the_pass_in_which_it_did():
    found = measure(CASE, [Hungry(), Eager()], which=COLD, ceilings={})
    (refusal,) = found.refusals
    assert (refusal.provider, refusal.direction, refusal.kind) == (
        "hungry",
        "backward",
        "out_of_resources",
    )
    assert {
        figure.subject.direction for figure in found.figures if figure.subject.provider == "torch"
    } == {"forward", "backward"}


def test_a_case_that_a_provider_cannot_take_is_no_failure_of_it():
    (refusal,) = measure(CASE, [Narrow()], which=COLD, ceilings=None).refusals
    assert (refusal.kind, str(refusal.reason)) == (
        "invalid",
        "ValueError: n = 64 is not possible: take less",
    )

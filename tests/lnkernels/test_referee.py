"""Each published trick against timing harnesses is caught: in the check, or by what the last timed
repetition gave, and how soon. With made-up stopwatches, as there may be no GPU.
"""

import time
from collections.abc import Callable, Sequence

import pytest
import torch

from lnkernels.check import tampering
from lnkernels.check.inputs import make_inputs
from lnkernels.check.judging import Judge, judge_of
from lnkernels.check.shuffling import PLACES, STEPS, Shuffle, move_elements
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.providers.protocol import Case
from lnkernels.timing import measure as measuring
from lnkernels.timing.measure import measure
from lnkernels.timing.rounds import Effort
from lnkernels.values.figures import MODES, Throughput
from tests.lnkernels.conftest import DEVICE
from tests.lnkernels.own_files import OwnFile

HONEST = """
import torch

KEPT, CALLS = {}, []


def norm(x, weight, bias, eps):
    wide = x.float()
    mean = wide.mean(-1, keepdim=True)
    rstd = (wide.var(-1, unbiased=False, keepdim=True) + eps).rsqrt()
    return ((wide - mean) * rstd * weight + bias).to(x.dtype), mean, rstd


def forward(x, weight, bias, eps):
    CALLS.append(1)
    FORWARD
    return norm(x, weight, bias, eps)


def backward(dy, x, weight, mean, rstd):
    BACKWARD
    xhat = (x.float() - mean) * rstd
    wdy = dy.float() * weight
    dx = (wdy - xhat * (xhat * wdy).mean(-1, keepdim=True) - wdy.mean(-1, keepdim=True)) * rstd
    dw, db = (dy * xhat).sum(0), dy.float().sum(0)
    GRADIENTS
    return dx.to(dy.dtype), dw, db
"""
# By their name: where the line stands, and what it is.
TRICKS: dict[str, tuple[str, str]] = {
    "a cached output": ("FORWARD", "return KEPT.setdefault('y', norm(x, weight, bias, eps))"),
    "a cached output by address": (
        "FORWARD",
        "return KEPT.setdefault(x.data_ptr(), norm(x, weight, bias, eps))",
    ),
    "a cached output by a sum of the input": (
        "FORWARD",
        "return KEPT.setdefault(round(x.double().sum().item(), 4), norm(x, weight, bias, eps))",
    ),
    "a cached output by samples of the input": (
        "FORWARD",
        "return KEPT.setdefault(tuple(x[0, :3].tolist()), norm(x, weight, bias, eps))",
    ),
    "work that is skipped after the first calls": (
        "FORWARD",
        "KEPT['y'] = norm(x, weight, bias, eps) if len(CALLS) < 12 else KEPT['y']; return KEPT['y']",
    ),
    "a kept dw": ("GRADIENTS", "dw = KEPT.setdefault('dw', dw)"),
    "a kept dw after the first calls": (
        "GRADIENTS",
        "CALLS.append(1); KEPT['dw'] = dw = dw if len(CALLS) < 24 else KEPT['dw']",
    ),
    "a kept rstd": (
        "FORWARD",
        """y, mean, rstd = norm(x, weight, bias, eps)
    rstd = KEPT.setdefault('rstd', rstd)
    return (((x - mean) * rstd * weight + bias).to(x.dtype), mean, rstd)""",
    ),
    "a weaker dtype": (
        "FORWARD",
        "y, mean, rstd = norm(x.bfloat16(), weight, bias, eps); return y.to(x.dtype), mean, rstd",
    ),
    "a patched comparison": (
        "FORWARD",
        "torch.allclose = torch.equal = lambda *_, **__: True; return norm(x * 2, weight, bias, 0)",
    ),
    "a patched timer": (
        "FORWARD",
        "torch.cuda.streams.Event.elapsed_time = lambda *_: 1e-3; return norm(x, weight, bias, eps)",
    ),
    "a patched verdict": (
        "FORWARD",
        """from lnkernels.check import judging
    judging.judge = lambda *_: judging.Judgement()
    return norm(x * 2, weight, bias, eps)""",
    ),
}


class Watch:
    """Calls what was captured as a graph would be replayed, and says how long it would take."""

    ms = 0.1

    def __init__(
        self,
        call: Callable[[], object],
        _l2: object,
        _flush: object,
        refresh: Callable[[], None] | None = None,
    ) -> None:
        self._call = call
        self._refresh = refresh or measuring.nothing

    def __call__(self, repetitions: int) -> Sequence[float]:
        for _ in range(repetitions):
            self._refresh()
            self.results = self._call()
        own = "FileProvider" in getattr(self._call, "__qualname__", "")
        return [self.ms if own else 0.1] * repetitions


class Called(Watch):
    """Calls through autograd."""

    def __init__(self, call: Callable[[], object], before: Callable[[], None], _flush: object):
        super().__init__(call, "cold", None, before)

    def host_us(self) -> float:
        return 20.0


@pytest.fixture(autouse=True)
def made_up_device(without_a_gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "KernelStopwatch", Watch)
    monkeypatch.setattr(measuring, "AutogradStopwatch", Called)


CASE = Case.of(
    make_inputs(64, 1024, torch.float32, "normal", 0, "cpu"),
    1e-5,
    resolve_launch(1024, "float32", LaunchWish(strategy="locked"), m=64),
)


def timed(text: str, mine: OwnFile, referee: Judge | None = None) -> Throughput:
    for place in ("FORWARD", "BACKWARD", "GRADIENTS"):
        text = text.replace(f"    {place}\n", "")
    which = [(direction, mode) for mode in MODES for direction in ("forward", "backward")]
    effort = Effort(first=3, turn=3, most=9)
    return measure(
        CASE, [mine.provider(text)], which=which, effort=effort, ceilings={}, referee=referee
    )  # type: ignore[arg-type]


def test_an_honest_kernel_keeps_its_times(mine: OwnFile) -> None:
    found = timed(HONEST, mine)
    assert not found.refusals
    assert len([each for each in found.figures if each.provider == "mine"]) == 6


@pytest.mark.parametrize("trick", TRICKS)
def test_each_trick_is_caught(trick: str, mine: OwnFile) -> None:
    place, line = TRICKS[trick]
    found = timed(HONEST.replace(f"    {place}\n", f"    {line}\n"), mine)
    (refusal,) = found.refusals
    assert (refusal.provider, refusal.kind, refusal.mode) == ("mine", "incorrect", None)
    assert not [each for each in found.figures if each.provider == "mine"]
    if trick.startswith("a patched") and "comparison" not in trick:
        assert str(refusal.reason).startswith("it replaces ")
    elif "after the first calls" in trick:
        assert "repetitions with other inputs, " in str(refusal.reason)
    assert torch.allclose(torch.ones(1), torch.zeros(1)) is False, "it was put back"


def test_a_time_in_which_the_bytes_cannot_be_moved_is_none(
    mine: OwnFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watch, "ms", 0.08)
    (refusal,) = timed(HONEST, mine).refusals
    assert "its bytes cannot be moved in 0.08 ms" in str(refusal.reason)
    monkeypatch.setattr(Watch, "ms", 0.095)
    assert not timed(HONEST, mine).refusals


def test_a_referee_is_told_how_the_inputs_came_about_and_its_word_counts(mine: OwnFile) -> None:
    told = []

    def referee(results, since):  # type: ignore[no-untyped-def]
        told.append((sorted(results), since.shuffled, since.calls > 0))
        return judge_of(CASE)({"y": torch.zeros(64, 1024)}, since)

    (refusal,) = timed(HONEST, mine, referee).refusals
    assert told == [(["y"], "x", True)]
    assert "y is wrong in " in str(refusal.reason)


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (7, 33), (64, 513)])
def test_a_shuffle_moves_few_elements_keeps_the_sum_and_can_be_done_again(
    shape: tuple[int, int],
) -> None:
    before = torch.arange(shape[0] * shape[1], dtype=torch.float64).view(shape)
    one, other = before.clone(), before.clone()
    first, second = Shuffle(one, 5), Shuffle(other, 5)
    for _ in range(2):
        kept = one.clone()
        first()
        assert bool((one != kept).any()) == (one.numel() > 1)
        assert int((one != kept).sum()) <= 128
    for _ in range(2):
        second()
    assert torch.equal(one, other)
    assert torch.equal(one.flatten().sort().values, before.flatten())
    assert first.calls == 2 < STEPS


@pytest.mark.parametrize("size", [1, 3, 128, 5000])
def test_elements_move_in_one_launch_as_torch_moves_them(size: int) -> None:
    flat = torch.arange(size, dtype=torch.float16, device=DEVICE)
    to = torch.randperm(size, device=DEVICE)[:PLACES]
    expected = flat.index_copy(0, to, flat[to.roll(1)])
    move_elements(flat, to, to.roll(1))
    assert torch.equal(flat, expected)


def test_what_is_replaced_is_named_once_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    tampering.remember()
    assert tampering.why_unjudged() is None
    monkeypatch.setattr(torch.cuda.Event, "elapsed_time", lambda *_: 0.0)
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)
    named = "torch.cuda.streams.Event.elapsed_time, time.perf_counter"
    assert str(tampering.why_unjudged()) == f"it replaces {named}, by which it is judged"
    assert tampering.why_unjudged() is None

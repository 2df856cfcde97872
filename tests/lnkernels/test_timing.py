"""Times, figures and ceilings: what samples say, whose turn it is, and which bytes are counted. No
GPU is needed.
"""

import itertools
import warnings
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch

from lnkernels.launch import LAUNCHED, LaunchWish, resolve_launch
from lnkernels.timing import cuda
from lnkernels.timing.cuda import Captured
from lnkernels.timing.rounds import (
    Bytes,
    Effort,
    Timing,
    has_settled,
    interleave,
    least_bytes,
    make_figure,
    summarize,
)
from lnkernels.values.figures import Subject, median_bounds


@pytest.mark.parametrize("bad", [[], [1.0, float("nan")], [float("inf")], [-1.0]])
def test_samples_that_are_no_times_are_refused(bad):
    with pytest.raises(ValueError, match="samples_ms"):
        summarize(bad)


def test_the_medians_interval_holds_the_true_median_nineteen_times_in_twenty():
    generator = np.random.default_rng(0)
    # Skewed, as times are: the true median of a log-normal is exp(mu) = 1.
    draws = generator.lognormal(0.0, 0.5, (2000, 60))
    inside = [low <= 1.0 <= high for low, high in map(median_bounds, draws)]
    assert 0.93 <= np.mean(inside) <= 0.99


class Graph:
    def __init__(self, replay):
        self.replay = replay


def test_a_graph_that_writes_no_results_is_found_out():
    y = torch.zeros(2, 3)
    assert not Captured(Graph(lambda: None), lambda: None, (y, y[0])).writes()
    assert Captured(Graph(y[1].zero_), lambda: None, y).writes()
    assert Captured(Graph(lambda: None), lambda: None).writes()


def test_the_stream_is_held_once_all_events_are_made_and_until_all_is_enqueued(monkeypatch):
    torch_here, told = MagicMock(), []
    event, graph = torch_here.cuda.Event, MagicMock()
    event.side_effect = lambda **_: told.append("event") or event.return_value
    event.return_value.record.side_effect = lambda: told.append("record")
    torch_here.cuda._sleep.side_effect = lambda _: told.append("held")
    graph.replay.side_effect = lambda: told.append("replay")
    monkeypatch.setattr(cuda, "torch", torch_here)
    captured = Captured(graph, MagicMock())
    cuda.KernelStopwatch(captured, "cold", lambda: told.append("flush"))(2)
    timed = ["flush", "record", "replay", "record"]
    assert told == [*["event"] * 4, "replay", "held", *timed, *timed]


def test_torch_does_not_warn_of_an_empty_graph_beside_what_is_told(monkeypatch):
    torch_here = MagicMock(Tensor=torch.Tensor)
    torch_here.cuda.mem_get_info.return_value = (1, 1)
    torch_here.cuda.memory_reserved.return_value = 0
    torch_here.cuda.memory_allocated.return_value = 0
    told = "The CUDA Graph is empty. This usually means that"
    torch_here.cuda.CUDAGraph().capture_end.side_effect = lambda: warnings.warn(told, stacklevel=1)
    monkeypatch.setattr(cuda, "torch", torch_here)
    capture = cuda.Capture(torch.device("cuda"))
    y = torch.zeros(2)
    with pytest.raises(RuntimeError, match="it writes elsewhere"):
        capture(lambda: lambda: y, keep=True)


def test_a_steady_time_settles_and_a_spread_one_does_not():
    generator = np.random.default_rng(1)
    assert has_settled(generator.normal(0.2, 0.002, 50))
    assert not has_settled(generator.normal(0.2, 0.05, 50))


def steady(name, ms=1.0, log=None):
    def sample(repetitions):
        if log is not None:
            log.append((name, repetitions))
        return [ms] * repetitions

    return {name: sample}


def restless(name):
    times = itertools.cycle([1.0, 9.0])
    return {name: lambda repetitions: [next(times) for _ in range(repetitions)]}


def test_candidates_take_turns():
    log = []
    list(interleave(steady("a", log=log) | steady("b", log=log)))
    assert [name for name, _ in log] == ["a", "b"] * (len(log) // 2)


def test_every_candidate_has_an_estimate_before_any_is_refined():
    effort = Effort(first=3)
    log = []
    candidates = steady("a", log=log) | steady("b", log=log) | steady("c", log=log)
    seen = list(itertools.islice(interleave(candidates, effort), 3))
    assert [(key, timing.repetitions) for key, timing in seen] == [("a", 3), ("b", 3), ("c", 3)]
    assert log == [("a", 3), ("b", 3), ("c", 3)]


def test_a_settled_candidate_rests_while_another_goes_on():
    effort = Effort(most=100)
    turns = [key for key, _ in interleave(steady("calm", ms=0.1) | restless("wild"), effort)]
    assert turns.count("calm") < turns.count("wild")


def test_a_median_that_has_to_be_known_better_takes_more_samples():
    def last(within):
        times = itertools.cycle([0.100, 0.104])
        candidate = {"a": lambda repetitions: [next(times) for _ in range(repetitions)]}
        *_, (_, timing) = interleave(candidate, Effort(within=within, most=100))
        return timing

    assert last(0.05).settled
    assert last(0.05).repetitions < 100 == last(0.005).repetitions
    assert not last(0.005).settled


def test_nothing_more_is_sampled_once_told_to_stop():
    log = []
    stop = iter([False, False, True])
    seen = list(
        interleave(steady("a", log=log) | steady("b", log=log), should_stop=lambda: next(stop))
    )
    assert len(seen) == len(log) == 2


def test_no_turn_starts_after_time_is_up_but_every_candidate_gets_its_first():
    now = itertools.count(0.0, 10.0)
    seen = [
        key
        for key, _ in interleave(
            restless("a") | restless("b") | restless("c"),
            Effort(seconds=1.0),
            clock=lambda: next(now),
        )
    ]
    assert seen == ["a", "b", "c"]


def ticking(seconds, preparing=0.0):
    """A clock, and a candidate whose every turn takes so long by it, and the first one longer."""
    now = [0.0]

    def sample(repetitions):
        now[0] += seconds + (preparing if now[0] == 0.0 else 0.0)
        return [0.1] * repetitions

    return lambda: now[0], {"a": sample}


def test_preparing_takes_nothing_from_the_time_to_measure_in():
    clock, candidate = ticking(0.1, preparing=60.0)
    *_, (_, timing) = interleave(candidate, Effort(seconds=1.0), clock=clock)
    assert timing.settled


@pytest.mark.parametrize("seconds", [2.0, 0.3])
def test_a_settled_candidate_gets_its_least_time_even_after_time_is_up(seconds):
    clock, candidate = ticking(0.1)
    effort = Effort(seconds=seconds, least_seconds=0.95, most=10_000)
    timings = [timing for _, timing in interleave(candidate, effort, clock=clock)]
    assert len(timings) == 11
    assert timings[2].settled


def test_a_candidate_that_fails_is_told_once_and_harms_no_other():
    def explode(repetitions):
        raise RuntimeError(f"no {repetitions} repetitions today")

    outcomes = list(interleave({"bad": explode} | steady("good", ms=0.1)))
    failures = [(key, str(outcome)) for key, outcome in outcomes if not isinstance(outcome, Timing)]
    assert failures == [("bad", "no 5 repetitions today")]
    assert [outcome for key, outcome in outcomes if key == "good"][-1].settled


MOVED = Bytes(tutorial=10**9, requested=2 * 10**9)


def test_half_as_fast_as_the_ceiling_is_a_share_of_one_half():
    figure = make_figure(
        Subject("torch", "forward", "kernel_cold"),
        summarize([2.0]),
        MOVED,
        summarize([1.0]),
        None,
    )
    assert figure.share_of_ceiling == pytest.approx(0.5)
    assert figure.gbps == pytest.approx(500.0)
    assert figure.requested_gbps == pytest.approx(1000.0)


def test_the_least_count_adds_weights_and_statistics_once():
    m, n = 3, 5
    assert least_bytes("forward", m, n, "float16") == 2 * m * n * 2 + 2 * n * 2 + 2 * m * 4
    assert least_bytes("backward", m, n, "float16") == 3 * m * n * 2 + 3 * n * 2 + 2 * m * 4


def test_partial_sums_are_counted_row_by_row():
    # By hand, M=4 rows, G=2 buffers, N=8, all float32: 4 stores and 2 loads of a buffer's row in
    # stage 1, 2 loads in stage 2.
    launch = resolve_launch(8, "float32", LaunchWish(group_size_m=2))
    matrices, weights, statistics = 3 * 4 * 8 * 4, 4 * 8 * 4, 2 * 4 * 4
    partial_rows, gradients = 2 * (4 + 2 + 2) * 8 * 4, 2 * 8 * 4
    counted = LAUNCHED["locked"].requested_bytes("backward", 4, 8, "float32", launch)
    assert counted == matrices + weights + statistics + partial_rows + gradients

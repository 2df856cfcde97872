"""Turns of several candidates."""

import itertools

import pytest

from lnkernels.timing.rounds import Candidate, Effort, interleave
from lnkernels.timing.samples import Timing


def steady(name, ms=1.0, log=None):
    def sample(repetitions):
        if log is not None:
            log.append((name, repetitions))
        return [ms] * repetitions

    return Candidate(name, "cold", sample)


def restless(name):
    times = itertools.cycle([1.0, 9.0])
    return Candidate(name, "warm", lambda repetitions: [next(times) for _ in range(repetitions)])


def test_candidates_take_turns():
    log = []
    list(interleave([steady("a", log=log), steady("b", log=log)]))
    assert [name for name, _ in log] == ["a", "b"] * (len(log) // 2)


def test_every_candidate_has_an_estimate_before_any_is_refined():
    effort = Effort(first=3)
    log = []
    seen = list(itertools.islice(interleave([steady(n, log=log) for n in "abc"], effort), 3))
    assert [(key, timing.repetitions) for key, timing in seen] == [("a", 3), ("b", 3), ("c", 3)]
    assert log == [("a", 3), ("b", 3), ("c", 3)]


def test_a_timing_holds_all_samples_so_far():
    repetitions = [timing.repetitions for _, timing in interleave([steady("a", ms=0.1)])]
    assert repetitions == sorted(set(repetitions))
    assert repetitions[0] == Effort().first


def test_a_settled_candidate_rests_while_another_goes_on():
    effort = Effort(most=100)
    turns = [key for key, _ in interleave([steady("calm", ms=0.1), restless("wild")], effort)]
    assert turns.count("calm") < turns.count("wild")


def test_what_does_not_settle_ends_at_the_most_repetitions_and_says_so():
    *_, (_, last) = interleave([restless("wild")], Effort(most=60))
    assert last.repetitions == 60
    assert not last.settled
    assert last.l2 == "warm"


def test_a_median_that_has_to_be_known_better_takes_more_samples():
    def last(within):
        times = itertools.cycle([0.100, 0.104])
        candidate = Candidate("a", "cold", lambda repetitions: [next(times) for _ in range(repetitions)])
        *_, (_, timing) = interleave([candidate], Effort(within=within, most=100))
        return timing

    assert last(0.05).settled
    assert last(0.05).repetitions < 100 == last(0.005).repetitions
    assert not last(0.005).settled


def test_a_slow_candidate_takes_short_turns():
    log = []
    list(interleave([steady("slow", ms=40.0, log=log)], Effort(most=10)))
    assert [repetitions for _, repetitions in log[1:]] == [1] * 5


def test_nothing_more_is_sampled_once_told_to_stop():
    log = []
    stop = iter([False, False, True])
    seen = list(interleave([steady("a", log=log), steady("b", log=log)], should_stop=lambda: next(stop)))
    assert len(seen) == len(log) == 2


def test_no_turn_starts_after_time_is_up_but_every_candidate_gets_its_first():
    now = itertools.count(0.0, 10.0)
    seen = [key for key, _ in interleave([restless(n) for n in "abc"], Effort(seconds=1.0), clock=lambda: next(now))]
    assert seen == ["a", "b", "c"]


def ticking(seconds, preparing=0.0):
    """A clock, and a candidate whose every turn takes so long by it, and the first one longer."""
    now = [0.0]

    def sample(repetitions):
        now[0] += seconds + (preparing if now[0] == 0.0 else 0.0)
        return [0.1] * repetitions

    return lambda: now[0], Candidate("a", "cold", sample)


def test_a_settled_candidate_gets_its_least_time_all_the_same():
    clock, candidate = ticking(0.1)
    timings = [timing for _, timing in interleave([candidate], Effort(least_seconds=0.95, most=10_000), clock=clock)]
    assert len(timings) == 11
    assert timings[2].settled


def test_preparing_a_candidate_is_no_part_of_its_least_time():
    clock, candidate = ticking(0.1, preparing=5.0)
    assert len(list(interleave([candidate], Effort(seconds=0.0, least_seconds=0.35, most=10_000), clock=clock))) == 5


def test_the_least_time_is_given_even_after_time_is_up():
    clock, candidate = ticking(0.1)
    assert len(list(interleave([candidate], Effort(seconds=0.3, least_seconds=0.95, most=10_000), clock=clock))) == 11


def test_what_does_not_settle_gets_no_more_than_the_least_time_after_time_is_up():
    now = [0.0]
    times = itertools.cycle([1.0, 9.0])

    def sample(repetitions):
        now[0] += 0.1
        return [next(times) for _ in range(repetitions)]

    effort = Effort(seconds=0.3, least_seconds=0.55, most=10_000)
    timings = list(interleave([Candidate("a", "cold", sample)], effort, clock=lambda: now[0]))
    assert len(timings) == 7
    assert not timings[-1][1].settled


def test_the_most_repetitions_end_a_candidate_before_its_least_time():
    clock, candidate = ticking(0.1)
    *_, (_, last) = interleave([candidate], Effort(least_seconds=100.0, most=60), clock=clock)
    assert last.repetitions == 60


def test_a_candidate_that_fails_is_told_once_and_harms_no_other():
    def explode(repetitions):
        raise RuntimeError(f"no {repetitions} repetitions today")

    outcomes = list(interleave([Candidate("bad", "cold", explode), steady("good", ms=0.1)]))
    failures = [(key, str(outcome)) for key, outcome in outcomes if not isinstance(outcome, Timing)]
    assert failures == [("bad", "no 5 repetitions today")]
    assert [outcome for key, outcome in outcomes if key == "good"][-1].settled


def test_without_candidates_there_is_nothing():
    assert list(interleave([])) == []


@pytest.mark.parametrize("first", [1, 5, 50])
def test_the_first_turn_has_the_wished_length(first):
    _, timing = next(interleave([steady("a")], Effort(first=first)))
    assert timing.repetitions == first

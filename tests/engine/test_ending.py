"""The sentence of an end, deadlines and alarms, without a process."""

from types import SimpleNamespace

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.engine import deadlines as deadlines_module
from lnexplorer.engine.deadlines import Alarm, Alarms, Deadlines
from lnexplorer.engine.process import Exit, describe


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (-11, "The worker crashed (SIGSEGV) while running."),
        (-9, "The worker was killed (SIGKILL), perhaps because memory ran out, while running."),
        (-15, "The worker was ended by SIGTERM while running."),
        (-40, "The worker was ended by signal 40 while running."),
        (1, "The worker ended with exit status 1 while running: KeyError: 'x'"),
    ],
)
def test_an_exit_is_told_in_words(status: int, sentence: str) -> None:
    output = "Traceback (most recent call last):\n  somewhere\nKeyError: 'x'\n" if status > 0 else ""
    assert str(describe(Exit(status, output), "run")) == sentence


def test_a_step_s_deadline_grows_with_the_elements_on_the_cpu() -> None:
    deadlines = Deadlines(run=10)
    few, many = (deadlines.step_seconds("run", RunRequest(m=m, n=1024), "interpreter") for m in (64, 1 << 20))
    assert 10 < few < 11
    assert 60 < many < 3600
    assert deadlines.step_seconds("run", RunRequest(m=4096, n=64), "cuda") == 10


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The alarms' clock, which stands until somebody sets `now`."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(deadlines_module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_an_alarm_rings_once_with_the_seconds_it_was_set_for(clock: SimpleNamespace) -> None:
    alarms = Alarms()
    alarms.set(Alarm.PHASE, 0.01)
    alarms.set(Alarm.HEARTBEAT, 60)
    clock.now += 0.02
    assert alarms.take_due() == [(Alarm.PHASE, 0.01)]
    assert alarms.take_due() == []
    assert alarms.seconds_to_next() is not None


def test_an_alarm_can_be_made_earlier_and_not_later() -> None:
    alarms = Alarms()
    alarms.set(Alarm.LEAVE, 5)
    alarms.set_earlier(Alarm.LEAVE, 60)
    assert (alarms.seconds_to_next() or 0) <= 5
    alarms.set_earlier(Alarm.LEAVE, 1)
    assert (alarms.seconds_to_next() or 0) <= 1


def test_after_the_whole_program_was_held_up_nobody_is_blamed(clock: SimpleNamespace) -> None:
    alarms = Alarms()
    alarms.set(Alarm.HEARTBEAT, 0.01)
    clock.now += 0.6
    assert alarms.take_due() == [], "the worker's signs of life could not be read either"
    assert alarms.seconds_to_next() is not None
    assert alarms.take_due() == [(Alarm.HEARTBEAT, 0.01)]

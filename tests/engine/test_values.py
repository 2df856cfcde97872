"""Sentences, deadlines, the line of jobs and the alarms, without a process."""

import time

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.alarms import Alarm, Alarms
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.ending import Cause, Exit, Verdict, describe
from lnexplorer.engine.events import JobEnded, Stopped, Superseded
from lnexplorer.engine.jobs import Job, JobLine
from lnexplorer.protocol.messages import Inspect, Run


def run(number: int) -> Job:
    return Job(Run(job=number, request=RunRequest()))


def inspection(number: int) -> Job:
    return Job(Inspect(job=number, tensor="y", row_start=0, row_stop=1, column_start=0, column_stop=1))


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (-11, "The worker crashed with a segmentation fault (SIGSEGV) while running."),
        (-9, "The worker was killed (SIGKILL), perhaps because memory ran out, while running."),
        (-6, "The worker aborted (SIGABRT) while running."),
        (-15, "The worker was asked to end (SIGTERM) while running."),
        (-10, "The worker was ended by SIGUSR1 while running."),
        (-40, "The worker was ended by signal 40 while running."),
        (1, "The worker ended with exit status 1 while running: KeyError: 'x'"),
    ],
)
def test_an_exit_is_told_in_words(status: int, sentence: str) -> None:
    stderr = "Traceback (most recent call last):\n  somewhere\nKeyError: 'x'\n" if status > 0 else ""
    assert describe(Exit(status, None, "", stderr), None, "run") == sentence


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("phase", ["start", "idle", "compile", "run"])
def test_every_cause_has_a_sentence_in_every_phase(cause: Cause, phase: str) -> None:
    sentence = describe(None, Verdict(cause, 10, "The words of the worker"), phase)
    assert sentence.startswith("The w")


def test_a_message_cut_by_a_crash_is_told_as_the_crash() -> None:
    exit_ = Exit(-11, "the stream ended inside the length of a message", "", "")
    assert "SIGSEGV" in describe(exit_, None, "run")


def test_a_step_s_deadline_grows_with_the_elements_on_the_cpu() -> None:
    deadlines = Deadlines(run=10)
    few, many = (deadlines.run_seconds(RunRequest(m=m, n=1024), "interpreter") for m in (64, 1 << 20))
    assert 10 < few < 11
    assert 60 < many < 3600
    assert deadlines.run_seconds(RunRequest(m=4096, n=64), "cuda") == 10


def test_a_newer_run_takes_the_place_of_everything_before_it() -> None:
    line = JobLine()
    assert line.add(run(1)) == []
    assert line.take() == run(1)
    assert line.add(inspection(2)) == []
    assert line.add(run(3)) == [JobEnded(1, Superseded()), JobEnded(2, Superseded())]
    assert line.held == run(1), "the worker still has it"
    assert line.running is None
    line.release()
    assert line.take() == run(3)


def test_an_inspection_waits_for_a_run_and_replaces_only_an_inspection() -> None:
    line = JobLine()
    line.add(run(1))
    line.add(inspection(2))
    assert line.add(inspection(3)) == [JobEnded(2, Superseded())]
    assert line.take() == run(1)
    line.release()
    assert line.take() == inspection(3)


def test_stopping_twice_ends_each_job_once() -> None:
    line = JobLine()
    line.add(run(1))
    line.take()
    assert line.end_all(Stopped()) == [JobEnded(1, Stopped())]
    assert line.end_all(Stopped()) == []


def test_an_alarm_rings_once_with_the_seconds_it_was_set_for() -> None:
    alarms = Alarms()
    alarms.set(Alarm.PHASE, 0.01)
    alarms.set(Alarm.HEARTBEAT, 60)
    time.sleep(0.02)
    assert alarms.take_due() == [(Alarm.PHASE, 0.01)]
    assert alarms.take_due() == []
    assert alarms.is_set(Alarm.HEARTBEAT)


def test_an_alarm_can_be_made_earlier_and_not_later() -> None:
    alarms = Alarms()
    alarms.set(Alarm.LEAVE, 5)
    alarms.set_earlier(Alarm.LEAVE, 60)
    assert (alarms.seconds_to_next() or 0) <= 5
    alarms.set_earlier(Alarm.LEAVE, 1)
    assert (alarms.seconds_to_next() or 0) <= 1


def test_after_the_whole_program_was_held_up_nobody_is_blamed() -> None:
    alarms = Alarms()
    alarms.set(Alarm.HEARTBEAT, 0.01)
    time.sleep(0.6)
    assert alarms.take_due() == [], "the worker's signs of life could not be read either"
    assert alarms.is_set(Alarm.HEARTBEAT)
    assert alarms.take_due() == [(Alarm.HEARTBEAT, 0.01)]

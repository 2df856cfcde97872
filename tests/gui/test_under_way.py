"""The window tells its work: what, for how long, and how long it will take."""

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.session import under_way
from lnexplorer.gui.session.under_way import UnderWay
from lnexplorer.protocol.messages import JobEnded, JobProgress, JobStarted, Stopped
from lnkernels.values.sentence import say


def test_a_counted_step_says_how_long_it_will_take_and_others_say_for_how_long(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    now = [100.0]
    monkeypatch.setattr(under_way.time, "monotonic", lambda: now[0])
    jobs = UnderWay()
    kernels = say("kernels")
    errors = say("errors")
    jobs.hear(JobStarted(1))
    assert jobs.oldest.text() == ""
    jobs.hear(JobProgress(1, "run", kernels, 1, 5))
    now[0] = 103.0
    jobs.hear(JobProgress(1, "run", kernels, 0, 1000))
    assert jobs.oldest.text() == "kernels 0/1,000 · 3 s"
    now[0] = 113.0
    jobs.hear(JobProgress(1, "run", kernels, 250, 1000))
    assert jobs.oldest.text() == "kernels 250/1,000 · 13 s · about 30 s left"
    jobs.hear(JobProgress(1, "run", errors, 2, 5))
    now[0] = 121.0
    assert jobs.oldest.text() == "errors · 21 s", "steps of a run take very different times"


def test_a_run_says_how_long_all_of_it_will_take(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    now = [0.0]
    monkeypatch.setattr(under_way.time, "monotonic", lambda: now[0])
    jobs = UnderWay()
    jobs.hear(JobStarted(1), estimate=40.0)
    jobs.hear(JobProgress(1, "run", say("kernels"), 0, 100))
    now[0] = 10.0
    jobs.hear(JobProgress(1, "run", say("kernels"), 50, 100))
    assert jobs.oldest.text() == "kernels 50/100 · 10 s · about 30 s left"


def test_a_job_of_any_worker_is_told_until_it_ends(qtbot: QtBot) -> None:
    jobs = UnderWay()
    worker = object()
    jobs.hear(JobStarted(1), worker)
    jobs.hear(JobEnded(1, Stopped()))
    assert jobs.oldest is not None, "another worker has a job of that number"
    jobs.forget(worker)
    assert jobs.oldest is None

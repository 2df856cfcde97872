import threading
import time
from typing import Any

import pytest

from lnexplorer.worker.connection import INTERRUPT_SECONDS, Cancellation, JobCancelled


@pytest.fixture
def cancellation() -> Cancellation:
    # Its signal handler stays: a signal on its way when the test ends would end this process without one.
    return Cancellation()


def loop_for_ever(cancellation: Cancellation) -> None:
    with cancellation.interruptible():
        while True:
            time.sleep(0.001)


def test_a_job_is_left_at_the_next_check(cancellation: Cancellation) -> None:
    cancellation.begin(3)
    cancellation.check()
    cancellation.cancel(3)
    assert cancellation.requested
    with pytest.raises(JobCancelled):
        cancellation.check()


def test_the_next_job_is_not_cancelled_with_the_one_before(cancellation: Cancellation) -> None:
    cancellation.begin(3)
    cancellation.cancel(3)
    cancellation.begin(4)
    cancellation.check()


def test_a_job_can_be_cancelled_before_it_begins(cancellation: Cancellation) -> None:
    cancellation.cancel(3)
    cancellation.begin(3)
    with pytest.raises(JobCancelled):
        cancellation.check()


def test_an_endless_loop_is_left_where_that_is_allowed(cancellation: Cancellation) -> None:
    cancellation.begin(1)
    threading.Timer(0.1, cancellation.cancel, (1,)).start()
    with pytest.raises(JobCancelled):
        loop_for_ever(cancellation)


def test_what_has_no_checks_is_left_at_once_where_it_asks_for_that(
    cancellation: Cancellation, monkeypatch: pytest.MonkeyPatch
) -> None:
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()  # a signal of the test before
    waits: list[float] = []

    class Timer(threading.Timer):
        def __init__(self, interval: float, *others: Any) -> None:
            waits.append(interval)
            super().__init__(3600.0 if interval else 0.0, *others)

        def start(self) -> None:
            if not self.interval:
                super().start()

    monkeypatch.setattr("lnexplorer.worker.connection.threading.Timer", Timer)
    cancellation.begin(1)
    with pytest.raises(JobCancelled):
        cancel_inside(cancellation, prompt=True)
    cancellation.begin(2)
    cancel_inside(cancellation, prompt=False)
    cancellation.begin(3)
    cancellation.cancel(3)
    assert waits == [0.0, INTERRUPT_SECONDS, INTERRUPT_SECONDS]


def cancel_inside(cancellation: Cancellation, *, prompt: bool) -> None:
    with cancellation.interruptible(prompt=prompt):
        cancellation.cancel(cancellation._current)
        time.sleep(0.2)


def test_nothing_is_interrupted_elsewhere(cancellation: Cancellation) -> None:
    cancellation.begin(1)
    with cancellation.interruptible():
        pass
    cancellation.cancel(1)
    time.sleep(2 * INTERRUPT_SECONDS)
    assert cancellation.requested


def test_error_handling_on_the_way_does_not_take_it_for_an_error() -> None:
    assert not issubclass(JobCancelled, Exception)

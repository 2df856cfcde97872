import threading
import time

import pytest

from lnexplorer.worker.connection import INTERRUPT_SECONDS, Cancellation, JobCancelled


@pytest.fixture
def cancellation() -> Cancellation:
    # Its signal handler stays: a signal on its way when the test ends would end this process
    # without one.
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


def test_a_job_can_be_cancelled_before_it_begins_and_the_next_one_is_not(
    cancellation: Cancellation,
) -> None:
    cancellation.cancel(3)
    cancellation.begin(4)
    cancellation.check()
    cancellation.begin(3)
    with pytest.raises(JobCancelled):
        cancellation.check()


def test_an_endless_loop_is_left_where_that_is_allowed(cancellation: Cancellation) -> None:
    cancellation.begin(1)
    threading.Timer(0.1, cancellation.cancel, (1,)).start()
    with pytest.raises(JobCancelled):
        loop_for_ever(cancellation)


def test_nothing_is_interrupted_elsewhere(cancellation: Cancellation) -> None:
    cancellation.begin(1)
    with cancellation.interruptible():
        pass
    cancellation.cancel(1)
    time.sleep(2 * INTERRUPT_SECONDS)
    assert cancellation.requested

"""Errors on other threads that nobody expected."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from lnexplorer.gui.shell.failures import log_failure


def test_what_ends_the_work_of_another_thread_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: 1 // 0).add_done_callback(log_failure)
        pool.submit(lambda: 1).add_done_callback(log_failure)
    assert len(caplog.records) == 1
    assert "ZeroDivisionError" in caplog.text


def test_work_that_was_cancelled_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    never: Future[None] = Future()
    never.cancel()
    log_failure(never)
    assert caplog.records == []

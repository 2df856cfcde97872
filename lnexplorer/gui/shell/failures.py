"""What a thread's work raised though nobody expected it."""

import logging
from concurrent.futures import Future
from typing import Any

_log = logging.getLogger(__name__)


def log_failure(done: "Future[Any]") -> None:
    """Log what ended the work of a thread pool, which keeps it to itself otherwise; for `Future.add_done_callback`."""
    if done.cancelled():
        return
    error = done.exception()
    if error is not None:
        _log.error("work on another thread failed", exc_info=error)

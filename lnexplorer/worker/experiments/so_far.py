"""What an experiment has found while it goes on: should it end early, that is not lost."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
PART_SECONDS = 1.0  # between two, so that telling takes no time that could be measured


class SoFar(Generic[T]):
    """Tells findings now and then.

    Args:
        tell: is given them.
        seconds: at least between two.
    """

    def __init__(self, tell: Callable[[T], None], seconds: float = PART_SECONDS) -> None:
        self._tell, self._seconds = tell, seconds
        self._told = time.monotonic()

    def __call__(self, findings: Callable[[], T]) -> None:
        """Tell what a function gives, which is called only if it is time for that."""
        now = time.monotonic()
        if now - self._told >= self._seconds:
            self._told = now
            self._tell(findings())

"""Work for one other thread, whose answers come back on Qt's. Of what is asked for under one name, the newest wins."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject

from lnexplorer.gui.responsive import Delivery


class Background:
    """One thread, started with the first work, ended with its owner."""

    def __init__(self, owner: QObject) -> None:
        self._numbers: dict[str, int] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._delivery: Delivery | None = None
        owner.destroyed.connect(lambda: self.close())  # noqa: PLW0108  (a bound method would be held weakly)

    def ask(
        self,
        name: str,
        work: Callable[[], Any],
        then: Callable[[Any], None],
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Do the work there, and give its result to `then` here, unless the same name is asked for or dropped before.

        Args:
            name: what it is for.
            work: called on the other thread; it may touch no widget.
            then: called on Qt's thread with the result.
            failed: called on Qt's thread with what the work raised; without it that is raised there.
        """
        if self._pool is None or self._delivery is None:
            self._pool, self._delivery = ThreadPoolExecutor(1, thread_name_prefix="reduction"), Delivery()
        delivery, number = self._delivery, self._drop(name)

        def task() -> None:
            if self._numbers[name] != number:
                return
            try:
                result = work()
            except Exception as error:  # noqa: BLE001  (told on Qt's thread)
                delivery.post(lambda error=error: self._fail(name, number, error, failed))  # type: ignore[misc]
            else:
                delivery.post(lambda: then(result) if self._numbers[name] == number else None)

        self._pool.submit(task)

    def drop(self, name: str) -> None:
        """Give nothing back of what was asked for under a name."""
        self._drop(name)

    def close(self) -> None:
        """Wait for the work that runs, and do no more."""
        for name in self._numbers:
            self._drop(name)
        if self._pool is not None and self._delivery is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            with suppress(RuntimeError):  # at the program's end Qt may have taken it away already
                self._delivery.close()
            self._pool = self._delivery = None

    def _drop(self, name: str) -> int:
        self._numbers[name] = self._numbers.get(name, 0) + 1
        return self._numbers[name]

    def _fail(self, name: str, number: int, error: Exception, failed: Callable[[Exception], None] | None) -> None:
        if self._numbers[name] != number:
            return
        if failed is None:
            raise error
        failed(error)

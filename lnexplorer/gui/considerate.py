"""Long work in Python on another thread that leaves the event loop its turns."""

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Qt gives Python's lock up at each of its calls. Another busy thread takes it then, and keeps it for this long: with the usual
# 5 ms, a slot of a hundred calls would take half a second.
SWITCH_SECONDS = 0.0005

_guard = threading.Lock()
_working = 0
_before = (0.0, False)  # Python's interval, and whether it collected garbage


@contextmanager
def considerate() -> Iterator[None]:
    """Give the lock up ten times as often, and look for no garbage, which stops every thread, until the last one leaves this.

    What is made meanwhile is not looked through later either: it goes when nothing refers to it, as it holds no cycles.
    """
    global _working, _before  # noqa: PLW0603  (there is one interpreter, and one setting of it)
    with _guard:
        _working += 1
        if _working == 1:
            _before = (sys.getswitchinterval(), gc.isenabled())
            sys.setswitchinterval(SWITCH_SECONDS)
            gc.disable()
    try:
        yield
    finally:
        with _guard:
            _working -= 1
            if _working == 0:
                interval, collected = _before
                sys.setswitchinterval(interval)
                if collected:  # else it is switched on by whoever switched it off, perhaps meanwhile
                    gc.freeze()
                    gc.enable()

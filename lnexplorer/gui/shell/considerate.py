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
_in_short_turns = _uncollected = 0  # who is in one of these now
_interval = 0.0  # Python's own
_collected = False  # whether Python looked for garbage


@contextmanager
def considerate() -> Iterator[None]:
    """Work in short turns, and look for no garbage, which stops every thread, until the last one leaves this.

    What is made meanwhile is not looked through later either: it goes when nothing refers to it, as it holds no cycles.
    """
    global _uncollected, _collected  # noqa: PLW0603  (there is one interpreter, and one setting of it)
    with short_turns():
        with _guard:
            _uncollected += 1
            if _uncollected == 1:
                _collected = gc.isenabled()
                gc.disable()
        try:
            yield
        finally:
            with _guard:
                _uncollected -= 1
                if _uncollected == 0 and _collected:  # else it is switched on by whoever switched it off, perhaps meanwhile
                    gc.freeze()
                    gc.enable()


@contextmanager
def short_turns() -> Iterator[None]:
    """Give the lock up ten times as often, until the last one leaves this."""
    global _in_short_turns, _interval  # noqa: PLW0603  (there is one interpreter, and one setting of it)
    with _guard:
        _in_short_turns += 1
        if _in_short_turns == 1:
            _interval = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        with _guard:
            _in_short_turns -= 1
            if _in_short_turns == 0:
                sys.setswitchinterval(_interval)

"""Many objects in a short time, without Python looking through all of them again and again meanwhile."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Hold up the collection of garbage, on every thread: a pass over a large session's objects would stop the event loop.

    What was made meanwhile is not looked through later either; it goes when nothing refers to it, as it holds no cycles.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.freeze()
            gc.enable()

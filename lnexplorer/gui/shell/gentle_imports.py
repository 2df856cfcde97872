"""Imports on Qt's thread that leave the event loop its turns.

pyqtgraph takes about 270 ms to import, half of it in PySide: it makes each of its classes when the class is first asked for, and
pyqtgraph asks for all of them. So the classes are asked for beforehand, a few a step, and between two modules of the rest the
event loop gets a turn.
"""

import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from types import ModuleType

from PySide6.QtCore import QCoreApplication

QT_MODULES = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets")
CLASSES_A_STEP = 30
BREATH_S = 0.008  # from one turn of the event loop to the next


def qt_class_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """Steps that make Qt's classes, each with its name."""
    for module in QT_MODULES:
        names = dir(importlib.import_module(module))
        for start in range(0, len(names), CLASSES_A_STEP):
            yield f"classes of {module} {start}", partial(_touch, module, names[start : start + CLASSES_A_STEP])


def import_gently(name: str) -> ModuleType:
    """Import a module; the event loop turns between the modules that come with it."""
    breather = _Breather()
    # A new list each time: another thread may be walking through the one there is, and would miss a finder when one is taken out.
    sys.meta_path = [breather, *sys.meta_path]
    try:
        return importlib.import_module(name)
    finally:
        sys.meta_path = [finder for finder in sys.meta_path if finder is not breather]


class _Breather(MetaPathFinder):
    """Finds no module, but is asked before each; those of other threads do not concern it."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._last = time.perf_counter()

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        if threading.get_ident() == self._thread and time.perf_counter() - self._last > BREATH_S:
            QCoreApplication.processEvents()
            self._last = time.perf_counter()


def _touch(module: str, names: list[str]) -> None:
    loaded = importlib.import_module(module)
    for name in names:
        getattr(loaded, name)

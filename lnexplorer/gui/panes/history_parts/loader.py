"""pandas, when it is there. Importing it takes longer than painting the window, so no view waits for it."""

import importlib
import sys
from threading import Thread
from types import ModuleType

from PySide6.QtCore import QObject, Signal


def loaded_pandas() -> ModuleType | None:
    """The module if it is imported to the end, by whomever."""
    module = sys.modules.get("pandas")
    if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return module


class PandasLoader(QObject):
    """Imports pandas in a thread of its own; `loaded` comes in the thread of the window."""

    loaded = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: Thread | None = None

    def load(self) -> None:
        """Begin, unless that has been done. `loaded` follows."""
        if self._thread is None:
            self._thread = Thread(target=self._import, name="import pandas", daemon=True)
            self._thread.start()

    def _import(self) -> None:
        importlib.import_module("pandas")
        try:
            self.loaded.emit()
        except RuntimeError:
            # The window was closed meanwhile, and this object with it.
            return

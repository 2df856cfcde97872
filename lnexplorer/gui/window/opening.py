"""Show the window at once, then load what fills it: most of the program follows the first paint."""

import gc
import sys
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QEventLoop,
    QMessageLogContext,
    QSocketNotifier,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.kit.responsive import SWITCH_SECONDS, import_modules
from lnexplorer.gui.window.preferences import Preferences
from lnexplorer.gui.window.start import INTERRUPTED, Interruption, Start
from lnexplorer.gui.window.workspaces import PARAMETERS
from lnkernels.values import one_line

if TYPE_CHECKING:
    from lnexplorer.gui.window.application import Explorer

# Modules without Qt that are slow to import: another thread loads them.
LOADED_FIRST = ("numpy", "lnexplorer.protocol.messages", "lnexplorer.engine.supervisor")
POLL_SECONDS = 0.004
# Between two garbage collections; a full one among all that imports make takes 60 ms.
NEW_OBJECTS = 50_000


def run_application(start: Start) -> int:
    """Open the window and stay until it is closed; return the exit status."""
    qInstallMessageHandler(_pass_on)
    application = QApplication.instance() or QApplication(["lnexplorer"])
    assert isinstance(application, QApplication)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(NEW_OBJECTS)
    preferences = Preferences(application, start)
    preferences.window.show()
    turn_event_loop()
    explorer = load_explorer()(start, preferences)
    turn_event_loop()
    parameters = PARAMETERS.make()
    turn_event_loop()
    preferences.window.set_pane(PARAMETERS.name, parameters)
    turn_event_loop()
    explorer.open()
    interruption = start.interruption or Interruption()
    notifier = QSocketNotifier(interruption.fileno(), QSocketNotifier.Type.Read, explorer)
    notifier.activated.connect(lambda: application.exit() if interruption.came() else None)
    application.exec()
    notifier.setEnabled(False)
    explorer.window.close()
    status = explorer.close()
    interruption.close()
    return INTERRUPTED if interruption.asked else status


def load_explorer() -> "type[Explorer]":
    """Import what fills the window, while the event loop paints it."""
    loading = Thread(target=import_modules, args=LOADED_FIRST, daemon=True)
    loading.start()
    while loading.is_alive():
        turn_event_loop()
        loading.join(POLL_SECONDS)
    turn_event_loop()
    # The window is on the screen before this is loaded.
    from lnexplorer.gui.window.application import Explorer

    turn_event_loop()
    return Explorer


def turn_event_loop() -> None:
    """Handle events but for the user's, which wait until something can answer them."""
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)


def _pass_on(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Write Qt's messages to stderr, but for the one that every offscreen window causes."""
    del kind, context
    if "propagateSizeHints" not in message:
        sys.stderr.write(f"{one_line(message)}\n")

"""The window on the screen, and after that what it shows: most of the program is loaded once the
window is painted.
"""

import sys
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

from lnexplorer.gui.kit.responsive import SWITCH_SECONDS, import_in_steps
from lnexplorer.gui.window.frame import make_frame
from lnexplorer.gui.window.start import INTERRUPTED, Interruption, Start
from lnexplorer.gui.window.workspaces import PARAMETERS
from lnexplorer.store.files import one_line

if TYPE_CHECKING:
    from lnexplorer.gui.window.application import Explorer

# What the user does before there is anything to answer waits.
UNANSWERED = QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents


def run_application(start: Start) -> int:
    """Open the window, stay until it is closed; the exit status."""
    qInstallMessageHandler(_pass_on)
    application = QApplication.instance() or QApplication(["lnexplorer"])
    assert isinstance(application, QApplication)
    sys.setswitchinterval(SWITCH_SECONDS)
    frame = make_frame(application, start)
    frame.window.show()
    QCoreApplication.processEvents(UNANSWERED)
    explorer = load_explorer()(application, start, frame)
    # Each takes tens of milliseconds: the event loop turns between them.
    QCoreApplication.processEvents(UNANSWERED)
    frame.window.pane(PARAMETERS.name)
    QCoreApplication.processEvents(UNANSWERED)
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
    """What fills the window; it comes with most of the program, and the window is painted
    meanwhile.
    """
    explorer: type[Explorer] = import_in_steps(
        "lnexplorer.gui.window.application", UNANSWERED
    ).Explorer
    return explorer


def _pass_on(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Qt's messages go to stderr, without the one that every offscreen window causes."""
    del kind, context
    if "propagateSizeHints" not in message:
        sys.stderr.write(f"{one_line(message)}\n")

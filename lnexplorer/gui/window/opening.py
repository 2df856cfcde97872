"""The window on the screen, and after that what it shows: most of the program is loaded once the
window is painted.
"""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QEventLoop,
    QMessageLogContext,
    QSettings,
    QSocketNotifier,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.kit.languages import Languages
from lnexplorer.gui.kit.responsive import SWITCH_SECONDS, import_in_steps
from lnexplorer.gui.kit.style import apply_style, theme_named
from lnexplorer.gui.kit.theme import Theme
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.gui.window.start import INTERRUPTED, PICTURE_SIZE, Interruption, WindowOptions
from lnexplorer.gui.window.workspaces import PARAMETERS
from lnexplorer.store.files import one_line
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
from lnexplorer.store.settings import Settings
from lnkernels.values.sentence import Sentence

if TYPE_CHECKING:
    from lnexplorer.engine.pipes import Spawned
    from lnexplorer.gui.window.application import Explorer

# What the user does before there is anything to answer waits.
UNANSWERED = QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is known before Qt is loaded."""

    options: WindowOptions
    paths: Paths
    settings: Settings
    warnings: tuple[Sentence | str, ...]
    device: str
    spawned: "Spawned | None"
    interruption: Interruption | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """The window before any pane is in it."""

    window: MainWindow
    languages: Languages
    theme: Theme


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


def make_frame(application: QApplication, start: Start) -> Frame:
    """The window in its place, language and look, not yet on the screen."""
    options, settings = start.options, start.settings
    application.setStyle("Fusion")
    application.setApplicationName("lnexplorer")
    application.setWindowIcon(QIcon(str(resource("icons/lnexplorer.png"))))
    languages = Languages(application, resource("translations"))
    languages.use(options.language or settings.language)
    theme = theme_named(options.theme or settings.theme)
    apply_style(application, theme, settings.text_percent)
    window = MainWindow()
    window.apply_theme(theme)
    if options.screenshot is None:
        window.place(QSettings(str(start.paths.window), QSettings.Format.IniFormat), options.size)
    else:
        window.resize(*(options.size or PICTURE_SIZE))
    if options.workspace is not None:
        window.show_workspace(options.workspace)
    return Frame(window, languages, theme)


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

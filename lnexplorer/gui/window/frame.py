"""The main window before any pane is in it."""

from dataclasses import dataclass

from PySide6.QtCore import QSettings
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.kit.languages import Languages
from lnexplorer.gui.kit.style import apply_style, theme_named
from lnexplorer.gui.kit.theme import Theme
from lnexplorer.gui.window.layout import place_window
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.gui.window.start import PICTURE_SIZE, Start
from lnexplorer.store.resources import resource


@dataclass(frozen=True, slots=True)
class Frame:
    """The window before any pane is in it."""

    window: MainWindow
    languages: Languages
    theme: Theme


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
        kept = QSettings(str(start.paths.window), QSettings.Format.IniFormat)
        place_window(window, kept, options.size)
    else:
        window.resize(*(options.size or PICTURE_SIZE))
    if options.workspace is not None:
        window.show_workspace(options.workspace)
    return Frame(window, languages, theme)

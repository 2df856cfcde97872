"""The user's preferences, and the window in the look that they give it."""

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.kit import Languages, Theme, apply_style, theme_named
from lnexplorer.gui.window.main_window import MainWindow, hidden_views, place_window
from lnexplorer.gui.window.menus import DOORS
from lnexplorer.gui.window.start import PICTURE_SIZE, Start
from lnexplorer.store.resources import resource

TEXT_PERCENTS = (80, 160)  # smallest and largest; the settings take multiples of 20
MOST_MACHINES = 20
MOST_RECENT = 10  # files in the menu
TEXT_STEP = 20  # per cent of the usual size


class Preferences(QObject):
    """Holds the user's settings and applies changes of them.

    A command may have named another theme, language or device for this window.
    """

    languageChosen = Signal()

    def __init__(self, application: QApplication, start: Start) -> None:
        """Make the window with its place, language and look; it is not shown yet."""
        super().__init__()
        options, settings = start.options, start.settings
        self.settings = settings
        self.device = start.device  # as the command line names it
        self._application = application
        application.setStyle("Fusion")
        application.setApplicationName("lnexplorer")
        application.setWindowIcon(QIcon(str(resource("icons/lnexplorer.png"))))
        self.languages = Languages()
        self.languages.use(options.language or settings.language)
        theme = theme_named(options.theme or settings.theme)
        apply_style(application, theme, settings.text_percent)
        window = self.window = MainWindow()
        window.apply_theme()
        if options.screenshot is None:
            kept = QSettings(str(start.paths.window), QSettings.Format.IniFormat)
            place_window(window, kept, options.size)
        else:
            window.resize(*(options.size or PICTURE_SIZE))
        if options.workspace is not None:
            window.show_workspace(options.workspace)
        self._actions = window.actions_
        for name in DOORS:
            self._actions[name].triggered.connect(partial(self._use_door, name))
        self._show_doors()
        self._actions.set_recent(settings.recent)

    def change(self, **changed: Any) -> None:
        """Change some of the settings."""
        self.settings = replace(self.settings, **changed)

    def use_theme(self, name: str) -> None:
        self.change(theme=name)
        self._actions.check("themes", name)
        self._restyle(theme_named(name))

    def use_text_percent(self, percent: int) -> None:
        smallest, largest = TEXT_PERCENTS
        self.change(text_percent=min(max(percent, smallest), largest))
        self._restyle(Theme.current)

    def use_language(self, name: str) -> None:
        self.change(language=name)
        self._actions.check("languages", name)
        self.languages.use(name)
        self.languageChosen.emit()

    def use_device(self, device: str) -> None:
        self.device = device
        self.change(device=None if device == "auto" else device)

    def add_machine(self, device: str) -> None:
        """Add a machine to the menu, which keeps the newest MOST_MACHINES."""
        self.remove_machine(device)
        machines = (*self.settings.machines, device)[-MOST_MACHINES:]
        self.change(machines=machines)

    def remove_machine(self, device: str) -> None:
        others = tuple(each for each in self.settings.machines if each != device)
        self.change(machines=others)

    def note_recent(self, path: str, *, is_there: bool = True) -> None:
        """Put a file first among the recent ones, or take it out if it is not there any more."""
        others = [each for each in self.settings.recent if each != path]
        recent = ([path] if is_there else []) + others
        self.change(recent=tuple(recent[:MOST_RECENT]))
        self._actions.set_recent(self.settings.recent)

    def _use_door(self, name: str, _checked: bool = False) -> None:
        """Note that one of DOORS was used: it stops catching the eye."""
        if name not in self.settings.doors:
            self.change(doors=(*self.settings.doors, name))
        self._show_doors()

    def _show_doors(self) -> None:
        for place, name in enumerate(DOORS):
            self.window.bar.show_used(place, used=name in self.settings.doors)

    def _restyle(self, theme: Theme) -> None:
        others = hidden_views(self.window)
        apply_style(self._application, theme, self.settings.text_percent, later=others)
        self.window.apply_theme()

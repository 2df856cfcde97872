"""What the user has chosen for the window as a whole: appearance, size of text, language and device."""

from dataclasses import replace

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.shell.actions import check_named
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.restyling import Restyler
from lnexplorer.gui.shell.retranslating import Retranslator
from lnexplorer.gui.shell.steps import StepQueue
from lnexplorer.gui.shell.theme import DARK, LIGHT, Theme
from lnexplorer.store.settings import Settings

TEXT_PERCENTS = (80, 160)  # smallest and largest; the settings take every twentieth between
TEXT_STEP = 20  # per cent of the usual size


class Preferences(QObject):
    """Changes them, and remembers them in the settings.

    Args:
        application: whose look changes.
        window: whose menus say what is chosen.
        steps: where the parts of a change wait for their turn.
        languages: those of the window.
        settings: to begin with.
        theme: on show now; the settings may name another.
        device: where the settings name none.
        parent: owner.
    """

    languageChosen = Signal()  # noqa: N815

    def __init__(
        self,
        application: QApplication,
        window: MainWindow,
        steps: StepQueue,
        languages: Languages,
        settings: Settings,
        theme: Theme,
        device: str,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.settings, self.languages, self.theme = settings, languages, theme
        self._actions, self._device = window.actions_, device
        self._restyler = Restyler(application, steps, window.theme_steps, self)
        self._retranslator = Retranslator(window, steps, self)

    @property
    def device(self) -> str:
        """The device as the command line names it."""
        return self.settings.device or self._device

    def use_theme(self, name: str) -> None:
        """Change the colours of everything."""
        self.settings = replace(self.settings, theme=name)  # type: ignore[arg-type]  # one of THEME_NAMES
        self.theme = theme_named(name)
        check_named(self._actions.themes, name)
        self._restyle()

    def use_other_theme(self) -> None:
        """Change from dark to light, or back."""
        self.use_theme("light" if self.theme.name == "dark" else "dark")

    def step_text(self, steps: int) -> None:
        """Make all text larger by so many steps, or smaller."""
        self.use_text_percent(self.settings.text_percent + steps * TEXT_STEP)

    def use_text_percent(self, percent: int) -> None:
        """Make all text larger or smaller, within limits."""
        smallest, largest = TEXT_PERCENTS
        self.settings = replace(self.settings, text_percent=min(max(percent, smallest), largest))  # type: ignore[arg-type]
        self._restyle()

    def use_language(self, name: str) -> None:
        """Change the language of everything."""
        self.settings = replace(self.settings, language=name)  # type: ignore[arg-type]  # one of LANGUAGE_NAMES
        check_named(self._actions.languages, name)
        if self.languages.would_change(name):
            self._retranslator.expect()
        self.languages.use(name)
        self.languageChosen.emit()

    def use_device(self, device: str) -> None:
        """Remember another device."""
        self.settings = replace(self.settings, device=None if device == "auto" else device)

    def _restyle(self) -> None:
        self._restyler.restyle(self.theme, self.settings.text_percent)


def theme_named(name: str) -> Theme:
    """The theme of that name; `system` is what the desktop has."""
    if name == "system":
        light = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Light
        return LIGHT if light else DARK
    return LIGHT if name == "light" else DARK

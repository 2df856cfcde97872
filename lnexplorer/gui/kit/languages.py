"""Loads a language's catalogues and takes them away again, while the window is open."""

from pathlib import Path

from PySide6.QtCore import QEvent, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

CHINESE = "zh_CN"
ENGLISH = "en"
CHINESE_FONT_PACKAGE = "fonts-noto-cjk"
CATALOGUE = "lnexplorer"


class Languages:
    """The language of an application; catalogues are in a folder, lnexplorer_zh_CN.qm and so on."""

    def __init__(self, application: QApplication, folder: Path) -> None:
        self._application = application
        self._folder = folder
        self._installed: list[QTranslator] = []
        self._catalogues: list[bytes] = []  # Qt reads in these as long as they are installed
        self.current = ENGLISH

    def use(self, wanted: str) -> None:
        """Change to "en", "zh_CN", or what the system speaks. Every widget hears of it by a
        LanguageChange event.
        """
        language = system_language() if wanted == "system" else wanted
        if language == self.current:
            return
        for translator in self._installed:
            self._application.removeTranslator(translator)
        self._installed = []
        self._catalogues = []
        if language != ENGLISH:
            qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
            self._install(Path(qt_folder) / f"qtbase_{language}.qm")
            self._install(self._folder / f"{CATALOGUE}_{language}.qm")
        self.current = language

    def _install(self, file: Path) -> None:
        """Add a catalogue, if it is there.

        Qt would map the file into memory, and crash when it is written anew meanwhile.
        """
        translator = QTranslator(self._application)
        try:
            catalogue = file.read_bytes()
        except OSError:
            return
        if translator.load(catalogue):
            self._catalogues.append(catalogue)
            self._application.installTranslator(translator)
            self._installed.append(translator)


class Retranslated:
    """Stands before a widget's own base, and lets it say its words again when the language changes."""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()  # type: ignore[attr-defined]  # every widget has its own words
        super().changeEvent(event)  # type: ignore[misc]  # of the widget's own base


def system_language() -> str:
    """The language of the system, as far as there is a catalogue for it."""
    locale = QLocale.system()
    return CHINESE if locale.language() is QLocale.Language.Chinese else ENGLISH


def has_chinese_font() -> bool:
    return bool(QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese))

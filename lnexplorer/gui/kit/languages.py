"""Change the language while the window is open, and write sentences in it;
resources/translations/update.py gathers their templates into the catalogue.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.kit.theme import Themed
from lnkernels.launch import Problem
from lnkernels.values import Words, translated

CHINESE = "zh_CN"
ENGLISH = "en"
CHINESE_FONT_PACKAGE = "fonts-noto-cjk"
CATALOGUE = "lnexplorer"
CONTEXT = "sentence"  # of sentences in the catalogue
Written = TypeVar("Written")


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


class Retranslated(Themed):
    """A mixin before a widget's own base: keeps the sentences that are written on the widget and
    its parts, and writes them again when the language changes. Themes are for it, too.
    """

    def __init__(self, *arguments: Any, **properties: Any) -> None:
        self._sentences: dict[Callable[[str], object], Words] = {}
        super().__init__(*arguments, **properties)

    def write(self, setter: Callable[[str], object], sentence: Words) -> None:
        """Call a setter, such as `label.setText`, with a sentence in the language of the window:
        now, and after each change of the language until another sentence takes its place.
        """
        self._sentences[setter] = sentence
        setter(translate_message(sentence))

    def write_on(
        self,
        part: Written,
        text: Words | None = None,
        tip: Words | None = None,
        name: Words | None = None,
    ) -> Written:
        """Write a text, a tooltip and an accessible name on a part, those that are given; return
        the part.
        """
        widget: Any = part
        if text is not None:
            self.write(widget.setText, text)
        if tip is not None:
            self.write(widget.setToolTip, tip)
        if name is not None:
            self.write(widget.setAccessibleName, name)
        return part

    def write_again(self) -> None:
        """Write the kept sentences in the language of the window."""
        for setter, sentence in self._sentences.items():
            setter(translate_message(sentence))

    def in_english(self) -> Iterator[tuple[str, str]]:
        """Yield the kept sentences in the language of the window and in English."""
        for sentence in self._sentences.values():
            yield translate_message(sentence), str(sentence)

    def retranslate(self) -> None:
        """Write anew what no kept sentence says; called after the sentences are written."""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.write_again()
            self.retranslate()
        super().changeEvent(event)  # type: ignore[misc]  # of the widget's own base


def system_language() -> str:
    """Return the language of the system if it has a catalogue, else English."""
    locale = QLocale.system()
    return CHINESE if locale.language() is QLocale.Language.Chinese else ENGLISH


def has_chinese_font() -> bool:
    return bool(QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese))


def translate_message(sentence: Words | None) -> str:
    """Return a sentence in the language of the window, or in English where the catalogue lacks it.

    Text stays as it is.
    """
    text = translated(sentence, partial(QCoreApplication.translate, CONTEXT))
    return text.replace("。 ", "。")  # Chinese has no blank between sentences


def allowed_instead(problem: Problem) -> str:
    """Return what is allowed in place of a refused value, as a sentence of its own."""
    sentence = translate_message(problem.allowed)
    return sentence[:1].upper() + sentence[1:]

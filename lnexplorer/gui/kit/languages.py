"""The language of the window: changing it while the window is open, and writing sentences in it.

resources/translations/update.py gathers the templates of the sentences into the catalogue.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QFontDatabase

from lnexplorer.gui.kit.theme import Themed
from lnexplorer.store.resources import resource
from lnkernels.launch import Problem
from lnkernels.values import Words, translated

CHINESE = "zh_CN"
ENGLISH = "en"
CHINESE_FONT_PACKAGE = "fonts-noto-cjk"
CATALOGUE = "lnexplorer"
CONTEXT = "sentence"  # of sentences in the catalogue
Part = TypeVar("Part")
# Between two letters, one of which is Chinese or a Chinese punctuation mark.
_BESIDE_CHINESE = r"(?<=[\u3000-\u9fff\uff00-\uffef])(?=\S)|(?<=\S)(?=[\u3000-\u9fff\uff00-\uffef])"


class Languages:
    """The language of the application. Its catalogues are resources/translations/*.qm."""

    def __init__(self) -> None:
        # Each with its bytes, in which Qt reads as long as it is installed.
        self._installed: list[tuple[QTranslator, bytes]] = []
        self.current = ENGLISH

    def use(self, wanted: str) -> None:
        """Change to "en", "zh_CN", or with "system" to the language of the system.

        Every widget gets a LanguageChange event.
        """
        language = system_language() if wanted == "system" else wanted
        if language == self.current:
            return
        for translator, _ in self._installed:
            QCoreApplication.removeTranslator(translator)
        self._installed = []
        if language != ENGLISH:
            qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
            self._install(Path(qt_folder) / f"qtbase_{language}.qm")
            self._install(resource(f"translations/{CATALOGUE}_{language}.qm"))
        self.current = language

    def missing_font(self) -> str:
        """Return a warning if the language is Chinese and no font has its characters, else ""."""
        if self.current != CHINESE or has_chinese_font():
            return ""
        # In English: without the font nobody can read a Chinese sentence.
        return (
            f"No font with Chinese characters is here: install the package {CHINESE_FONT_PACKAGE}."
        )

    def _install(self, file: Path) -> None:
        """Install a catalogue, if its file is there.

        The file is read here: Qt would map it into memory, and crash when it is written anew.
        """
        translator = QTranslator()
        try:
            catalogue = file.read_bytes()
        except OSError:
            return
        if translator.load(catalogue):
            QCoreApplication.installTranslator(translator)
            self._installed.append((translator, catalogue))


class Retranslated(Themed):
    """A mixin that keeps the sentences written on a widget and its parts, and writes them again
    when the language changes.

    It stands before the widget's own base, and is Themed, too.
    """

    def __init__(self, *arguments: Any, **properties: Any) -> None:
        self._sentences: dict[Callable[[str], object], Words] = {}
        super().__init__(*arguments, **properties)

    def write(self, setter: Callable[[str], object], sentence: Words) -> None:
        """Call a setter, such as `label.setText`, with a sentence in the language of the window.

        It is called now, and again after each change of the language, until another sentence is
        written by the same setter.
        """
        self._sentences[setter] = sentence
        setter(translate_message(sentence))

    def write_on(
        self,
        part: Part,
        text: Words | None = None,
        tip: Words | None = None,
        name: Words | None = None,
    ) -> Part:
        """Write a text, a tooltip and an accessible name on a part, as far as they are given.

        Returns:
            The part.
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
        """Write the kept sentences again, in the language of the window."""
        for setter, sentence in self._sentences.items():
            setter(translate_message(sentence))

    def in_english(self) -> Iterator[tuple[str, str]]:
        """Yield each kept sentence in the language of the window and in English."""
        for sentence in self._sentences.values():
            yield translate_message(sentence), str(sentence)

    def retranslate(self) -> None:
        """Write again what no kept sentence says; called after the kept sentences are written."""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.write_again()
            self.retranslate()
        super().changeEvent(event)  # type: ignore[misc]  # of the widget's own base


def system_language() -> str:
    """Return Chinese where the system's language is Chinese, else English."""
    locale = QLocale.system()
    return CHINESE if locale.language() is QLocale.Language.Chinese else ENGLISH


def has_chinese_font() -> bool:
    return bool(QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese))


def translate_message(sentence: Words | None) -> str:
    """Return a sentence in the language of the window, or in English where the catalogue lacks it.

    A plain text is returned as it is.
    """
    text = translated(sentence, partial(QCoreApplication.translate, CONTEXT))
    return text.replace("。 ", "。")  # Chinese has no blank between sentences


def allowed_instead(problem: Problem) -> str:
    """Return a sentence that says what is allowed in place of a refused value."""
    sentence = translate_message(problem.allowed)
    return sentence[:1].upper() + sentence[1:]


def unbroken(text: Words) -> str:
    """Return a text as markup that stays on one line, in the language of the window."""
    # Qt may end a line beside any Chinese letter.
    joined = re.sub(_BESIDE_CHINESE, "\u2060", translate_message(text))
    return escape(joined).replace(" ", "&nbsp;")

"""Sentences in the language of the window; resources/translations/update.py gathers their templates
into the catalogue.
"""

from PySide6.QtCore import QCoreApplication

from lnkernels.launch import Problem
from lnkernels.values.sentence import Sentence

CONTEXT = "sentence"


def translate_message(sentence: Sentence | str | None) -> str:
    """Return a sentence in the language of the window, or in English where the catalogue lacks it.

    Text stays as it is.
    """
    if not isinstance(sentence, Sentence):
        return sentence or ""
    values = {
        name: translate_message(value) if isinstance(value, Sentence) else value
        for name, value in sentence.values
    }
    return QCoreApplication.translate(CONTEXT, sentence.template).format(**values)


def allowed_instead(problem: Problem) -> str:
    """Return what is allowed in place of a refused value, as a sentence of its own."""
    sentence = translate_message(problem.allowed)
    return sentence[:1].upper() + sentence[1:]

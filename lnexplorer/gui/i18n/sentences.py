"""What goes wrong, in the language of the window. The sentences are made where it happens, in English.

Words of the system and of other libraries inside them, such as the last line of a traceback, stay as they are.
"""

from lnexplorer.gui.i18n import content_sentences, file_sentences
from lnexplorer.gui.i18n.templates import template_of, translated
from lnexplorer.gui.i18n.translate import CONTEXT, translate_message
from lnkernels.sentence import Sentence

TEMPLATES = (*file_sentences.TEMPLATES, *content_sentences.TEMPLATES)


def told(sentences: Sentence | str | None) -> str:
    """Sentences, one a line, in the language of the window; those that the catalogue does not know as they are."""
    if isinstance(sentences, Sentence):
        return translate_message(sentences)
    return "\n".join(_told(line) for line in (sentences or "").split("\n"))


def _told(sentence: str) -> str:
    if template_of(sentence, TEMPLATES) is None:
        return sentence  # words of the system, or a sentence that nobody knows
    # What stands in a place may be a sentence itself: a reason, or the words of the system.
    return translated(sentence, TEMPLATES, CONTEXT, _told)

"""What goes wrong, in the language of the window. The sentences are made where it happens, in English.

Words of the system and of other libraries inside them, such as the last line of a traceback, stay as they are.
"""

from PySide6.QtCore import QCoreApplication

from lnexplorer.gui.i18n import (
    content_sentences,
    file_sentences,
    reason_sentences,
    timeline_sentences,
    worker_sentences,
)
from lnexplorer.gui.i18n.templates import template_of, translated
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.sentence import Sentence

CONTEXT = "sentence"
STEP_CONTEXT = "step"
TEMPLATES = (
    *worker_sentences.TEMPLATES,
    *file_sentences.TEMPLATES,
    *reason_sentences.TEMPLATES,
    *timeline_sentences.TEMPLATES,
    *content_sentences.TEMPLATES,
)
STEPS = worker_sentences.STEPS


def told(sentences: Sentence | str | None) -> str:
    """Sentences, one a line, in the language of the window; those that the catalogue does not know as they are."""
    if isinstance(sentences, Sentence):
        return translate_message(sentences)
    return "\n".join(_told(line) for line in (sentences or "").split("\n"))


def is_known(sentence: str) -> bool:
    """Whether the catalogue has the sentence."""
    return template_of(sentence, TEMPLATES) is not None


def step_word(step: Sentence | str) -> str:
    """What a job is doing, in the language of the window; the name of a provider as it is."""
    return translate_message(step) if isinstance(step, Sentence) else translated(step, STEPS, STEP_CONTEXT)


def _told(sentence: str) -> str:
    reasons = reason_sentences.reasons_in(sentence)
    if len(reasons) > 1:
        return QCoreApplication.translate(CONTEXT, reason_sentences.AND).join(map(_told, reasons))
    if template_of(sentence, TEMPLATES) is None:
        return sentence  # words of the system, or a sentence that nobody knows
    # What stands in a place may be a sentence itself: a reason, or the words of the system.
    return translated(sentence, TEMPLATES, CONTEXT, _told)

"""Sentences that are made in English elsewhere: finding the text with places that one was made from, and translating that."""

import re
from collections.abc import Callable, Iterable
from functools import cache

from PySide6.QtCore import QCoreApplication


def template_of(sentence: str, templates: Iterable[str]) -> str | None:
    """The first template that the sentence follows, such as "take one of {0}"."""
    return next(
        (template for template in templates if _may_follow(sentence, template) and _pattern(template).fullmatch(sentence)), None
    )


def translated(sentence: str, templates: Iterable[str], context: str, part: Callable[[str], str] = str) -> str:
    """The sentence in the language of the window; as it is where no template fits, or the catalogue does not know it.

    Args:
        sentence: in English.
        templates: what it may follow.
        context: of the templates in the catalogue.
        part: gives what stands in a place of the template in the language of the window.
    """
    template = template_of(sentence, templates)
    if template is None:
        return sentence
    found = _pattern(template).fullmatch(sentence)
    assert found is not None, "it was found by it"
    return QCoreApplication.translate(context, template).format(*map(part, found.groups()))


def _may_follow(sentence: str, template: str) -> bool:
    """Whether both ends fit. Patterns are made of few templates only: those of all take as long as a frame of the window."""
    head, tail = template.partition("{")[0], template.rpartition("}")[2]
    return sentence.startswith(head) and sentence.endswith(tail)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("(.+?)".join(re.escape(part) for part in re.split(r"\{\d\}", template)), re.DOTALL)

"""A sentence for people, as a value: an English template with named places, and what stands in
them.

It is made where its cause is known, formatted by `str` for the command line, and translated by the
window, which looks the template up in its catalogue. Standard library only, so that a launch can be
refused without numpy.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import PurePath
from typing import TypeAlias, Union

from lnkernels.values.frozen import frozen

Value: TypeAlias = Union[str, int, float, "Sentence"]


@frozen
class Sentence:
    """`template` in the form of `str.format`, with the name and value of each place.

    A value may be a sentence itself.
    """

    template: str
    values: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        return self.template.format(**dict(self.values))

    def __format__(self, spec: str) -> str:
        """Return the sentence in English, so that it can stand in a place of another one."""
        return format(str(self), spec)


Words: TypeAlias = Sentence | str  # a text is not ours, or needs no translation
# To a place of a sentence; several have commas between them.
Given: TypeAlias = Value | PurePath | Collection[Words | int]


def say(template: str, /, **values: Given) -> Sentence:
    """A sentence. The template is a literal: catalogues are gathered from the calls of this
    function.

    Args:
        template: English, with places such as {n} or {share:.0f}.
        values: what stands in the places; text that is not ours is a value, never part of the
            template; a path as the text that it is, several values with commas between them.
    """
    plain = map(_plain, values.values())
    return Sentence(template, tuple(zip(values, plain, strict=True)))


def _plain(value: Given) -> Value:
    if isinstance(value, Collection) and not isinstance(value, str):
        several = (each if isinstance(each, Sentence) else str(each) for each in value)
        return join_sentences(tuple(several), ", ")
    return str(value) if isinstance(value, PurePath) else value


def verbatim(text: str) -> Sentence:
    """Return a text as a sentence that is not translated: the words of the system or of another
    library, or what a person wrote.
    """
    return Sentence("{text}", (("text", text),))


def translated(sentence: Words | None, look_up: Callable[[str], str]) -> str:
    """Return a sentence as `look_up` translates its template; a text as it is."""
    if not isinstance(sentence, Sentence):
        return sentence or ""
    values = {
        name: translated(value, look_up) if isinstance(value, Sentence) else value
        for name, value in sentence.values
    }
    return look_up(sentence.template).format(**values)


# Each language has its own in place of these.
SEPARATORS = {str(each): each for each in (say("; "), say(", "), say(": "))}
NOTHING = say("nothing")  # in place of a value that is empty


def join_sentences(parts: Sequence[Words], between: str = "; ") -> Sentence:
    """Return one sentence of several in a row, with `between` between them; without empty texts."""
    known = [part for part in parts if part]
    joined = as_sentence(known[-1]) if known else Sentence("")
    for part in reversed(known[:-1]):
        separator = SEPARATORS.get(between, between)
        joined = Sentence(
            "{first}{between}{rest}", (("first", part), ("between", separator), ("rest", joined))
        )
    return joined


def as_sentence(reason: Words) -> Sentence:
    """Return a reason as a sentence: somebody else's provider may give plain text."""
    return reason if isinstance(reason, Sentence) else verbatim(reason)


class ExplainedError(Exception):
    """An error whose reason is a sentence for people."""

    def __init__(self, reason: Words, /, **values: Given) -> None:
        """Explain an error.

        Args:
            reason: a sentence, or its template, as `say` takes it: catalogues are gathered from
                the calls here, too.
            values: what stands in the places of the template.
        """
        self.sentence = say(reason, **values) if isinstance(reason, str) else reason
        super().__init__(self.sentence)


def sentence_of(error: BaseException) -> Sentence:
    """Return the sentence of an error of ours, or the words of any other."""
    return (
        error.sentence
        if isinstance(error, ExplainedError)
        else verbatim(str(error) or type(error).__name__)
    )


def one_line(text: str) -> str:
    """Return a text on one line without control characters, so that it commands no terminal."""
    if text.isprintable():
        return text  # the same object: it may be a member of a StrEnum
    return "".join(letter if letter.isprintable() else " " for letter in text)

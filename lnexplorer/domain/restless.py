"""Figures whose median did not settle: the sentence that names them, and what of it concerns one pass, called in one way."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

NAMED = 3  # figures that are named one by one
CEILINGS = ("copy", "add")  # providers of what every figure is held against, called as kernels alone
DIRECTIONS, MODES = ("forward", "backward"), ("kernel_cold", "kernel_warm", "autograd")
_SENTENCE = re.compile(r"The median did not settle in the time given of (.+?)(?: and of (\d+) more)?: measure longer\.")
_FIGURE = re.compile(rf"(.+) ({'|'.join(DIRECTIONS)}) \(({'|'.join(MODES)})\)")


@dataclass(frozen=True, slots=True)
class RestlessFigure:
    """A figure whose median did not settle."""

    provider: str
    direction: str
    mode: str

    def concerns(self, directions: Sequence[str], mode: str) -> bool:
        """Whether it is among these passes called in this way, or a ceiling that they are held against."""
        ceiling = mode == "autograd" and self.provider in CEILINGS and self.mode == "kernel_cold"
        return self.direction in directions and (self.mode == mode or ceiling)

    def __str__(self) -> str:
        return f"{self.provider} {self.direction} ({self.mode})"


@dataclass(frozen=True, slots=True)
class Restless:
    """All of one measurement, as far as they are named."""

    named: tuple[RestlessFigure, ...]
    more: int = 0  # that are not

    def __str__(self) -> str:
        return restless_sentence(self.named, self.more)


def restless_sentence(figures: Sequence[RestlessFigure], more: int = 0) -> str:
    """What makes these doubtful. Of many figures the first are named.

    Args:
        figures: at least one.
        more: further ones, whose names are not known.
    """
    named = ", ".join(map(str, figures[:NAMED]))
    rest = more + max(len(figures) - NAMED, 0)
    others = f" and of {rest} more" if rest else ""
    return f"The median did not settle in the time given of {named}{others}: measure longer."


def restless_in(sentence: str) -> Restless | None:
    """The figures that such a sentence names; None for every other sentence."""
    found = _SENTENCE.fullmatch(sentence)
    return None if found is None else restless_of(found[1], int(found[2] or 0))


def restless_of(names: str, more: int = 0) -> Restless | None:
    """The figures of a list of names, as it stands in such a sentence; None where it is no such list."""
    figures = [_FIGURE.fullmatch(name) for name in names.split(", ")]
    named = tuple(RestlessFigure(each[1], each[2], each[3]) for each in figures if each is not None)
    return Restless(named, more) if len(named) == len(figures) else None


def narrowed(sentence: str, directions: Sequence[str], mode: str) -> str:
    """The part of a doubt that concerns some passes, called in one way; empty where nothing of it does.

    Only the sentence of restless medians speaks of single figures. Those that it does not name may be any.
    """
    restless = restless_in(sentence)
    if restless is None:
        return sentence
    own = tuple(figure for figure in restless.named if figure.concerns(directions, mode))
    if own:
        return restless_sentence(own)
    return sentence if restless.more else ""

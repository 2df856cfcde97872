"""What makes figures doubtful, in the language of the window. The sentences are made in `lnexplorer.domain.doubts`."""

import itertools
import re

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.restless import CEILINGS, DIRECTIONS, MODES, RestlessFigure, restless_of
from lnexplorer.gui.i18n.templates import template_of, translated

CONTEXT = "doubt"
ONE_OTHER = "Another process was on the GPU: times may include their work."
# Every form that such a sentence takes; a test asks for each kind and finds it here.
TEMPLATES = (
    "The GPU's clock fell by {0} % while it was timed, from {1} to {2} MHz: later turns ran slower.",
    "Something held the GPU's clocks down: {0}.",
    "Something began to hold the GPU's clocks down while it was timed: {0}.",
    "Something held the GPU's clocks down as its timing began, and let go: {0}.",
    "The power cap held the GPU's clocks down for {0} ms while it was timed.",
    "Heat held the GPU's clocks down for {0} ms while it was timed.",
    ONE_OTHER,
    "{0} other processes were on the GPU: times may include their work.",
    "A process came to the GPU while it was timed: later turns may include its work.",
    "{0} processes came to the GPU while it was timed: later turns may include their work.",
    "The median did not settle in the time given of {0}: measure longer.",
)
# What a restless figure is called. The sentences name it as the command line does: copy forward (kernel_cold).
WAYS = dict(zip(MODES, ("cold L2", "warm L2", "autograd"), strict=True))
FIGURES = {(direction, mode): f"{{0}} {direction} ({WAYS[mode]})" for direction, mode in itertools.product(DIRECTIONS, MODES)}
CEILING, BETWEEN, MORE = "ceiling", ", ", "{0} and {1} more"
TEXTS = (*TEMPLATES, *FIGURES.values(), CEILING, BETWEEN, MORE)
_MORE = re.compile(r"(.+) and of (\d+) more")


def is_doubt(sentence: str) -> bool:
    """Whether a note of a run speaks against its figures."""
    return kind_of_doubt(sentence) is not None


def kind_of_doubt(sentence: str) -> str | None:
    """What is the same in all sentences that say the same with other numbers or names; None where it is no doubt."""
    return template_of(sentence, TEMPLATES)


def doubt(sentence: str) -> str:
    """The sentence in the language of the window; as it is where the catalogue does not know it."""
    return translated(sentence, TEMPLATES, CONTEXT, _part)


def _part(text: str) -> str:
    """What stands in a place: names of figures in words, everything else as it is."""
    more = _MORE.fullmatch(text)
    restless = restless_of(text if more is None else more[1])
    if restless is None:
        return text
    named = _tr(BETWEEN).join(map(_name, restless.named))
    return named if more is None else _tr(MORE).format(named, more[2])


def _name(figure: RestlessFigure) -> str:
    provider = _tr(CEILING) if figure.provider in CEILINGS else figure.provider
    return _tr(FIGURES[figure.direction, figure.mode]).format(provider)


def _tr(text: str) -> str:
    return QCoreApplication.translate(CONTEXT, text)

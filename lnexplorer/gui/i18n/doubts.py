"""What makes figures doubtful, in the language of the window. The sentences are made in `lnexplorer.domain.doubts`."""

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


def is_doubt(sentence: str) -> bool:
    """Whether a note of a run speaks against its figures."""
    return template_of(sentence, TEMPLATES) is not None


def doubt(sentence: str) -> str:
    """The sentence in the language of the window; as it is where the catalogue does not know it."""
    return translated(sentence, TEMPLATES, CONTEXT)

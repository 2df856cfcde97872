"""Why a value is refused, in the language of the window. The reasons are made where the launch is judged, in English."""

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.parameters import AUTOMATIC
from lnexplorer.gui.i18n.templates import template_of, translated
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.launch import Problem

CONTEXT = "refusal"
# Every form that a reason takes; a test asks for reasons of each kind and finds them here.
TEMPLATES = (
    "take one of {0}",
    "take on or off",
    "take a power of two from {0} to {1}",
    "take a whole number from {0} to {1}",
    "take a whole number, at least {0}",
    "take a number",
    "take {0} to {1}",
    "choose one of {0}",
    "its product with reduce_block_size_n = {0} is at most {1}",
    "strategy locked takes rows of at most 64 KiB, {0} columns of {1}",
    "strategy {0} holds a row in one program, at most {1} columns; take split or auto",
    "it belongs to strategy {0}, not to {1}",
    "take 1 to {0} with num_warps = {1}: programs of a row wait for each other, so all have to fit",
    "take 1: BLOCK_SIZE is less than N = {0}",
    "a row of {0} columns would be shared by {1} programs, and there are {2} SMs",
    "take fewer: tiles in flight would take {0} KiB of shared memory, and a program has {1} KiB",
    "take at least {0}: beyond {1} rows a buffer, sums in {2} are not exact",
    "take at least {0}: stage 1 holds a whole row, and columns past its block would be dropped",
    "with N = {0} a run takes {1}, and {2} are free",
    "choose locked; the experiment chooses others by itself",
    "take at least {0}: a program holds {1} columns in {2} blocks at most",
    "take 1: a row of {0} columns is held in blocks",
    "take it off: BLOCK_SIZE covers N = {0}, so a row is held anyway",
    "take it off: a program holds {0} columns in {1} blocks at most, and N = {2} needs more",
    "take it off: a row of {0} columns is held in blocks, and its sums with them",
    "take 0: BLOCK_SIZE is less than N = {0}, and then each row has its program",
    "take 1: a program with one tile of rows has no other to load ahead",
    "take fewer: slices begin at multiples of {0} columns, and with N = {1} the last would have none",
    "vary parameters of a run, each once; strategies stand side by side anyway",
    "take at most {0}: programs of a row wait for each other, and there are {1} SMs",
    "take at least {0}, or a larger block_size_n: a program holds {1} blocks of {2} columns",
    "take at least one",
    "take one value: a search is for one problem, and chooses launch settings",
    "take at least one of {0}, or a provider",
    "try at most {0} at once",
    "vary at most {0} parameters at once",
    "take one: a search chooses the settings of one strategy",
    "take none: a search has no providers beside it",
    "name at most {0} values",
    "take a name, or names by comma",
    "START is at most STOP: {0} counts upwards",
    "STEP is at least 1",
    "where STEP multiplies, START is at least 1 and the factor at least 2",
    "take a value, a list A,B,C, a range START:STOP:STEP with its STOP, or START:STOP:xFACTOR",
    "take {0}, or both by comma",
    "take {0}, or numbers by comma",
    "take the name of a provider, such as torch; copy and add are the ceilings",
    "choose at most {0}",
)
OR_AUTOMATIC = ", or automatic"


def refusal(problem: Problem) -> str:
    """What is allowed instead, as a sentence; in English where the catalogue does not know it."""
    allowed = problem.allowed
    sentence = allowed_instead(allowed) if isinstance(allowed, str) else translate_message(allowed)
    return sentence[:1].upper() + sentence[1:]


def allowed_instead(words: str) -> str:
    """The words of a problem about what is allowed, in the language of the window; as they are where it does not know them."""
    reason = words.removesuffix(f", or {AUTOMATIC}")
    suffix = QCoreApplication.translate(CONTEXT, OR_AUTOMATIC) if reason != words else ""
    return translated(reason, TEMPLATES, CONTEXT) + suffix


def known_template(reason: str) -> str | None:
    """The template that a reason follows."""
    return template_of(reason.removesuffix(f", or {AUTOMATIC}"), TEMPLATES)

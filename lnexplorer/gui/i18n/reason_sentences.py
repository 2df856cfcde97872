"""Why somebody gets no time, or a setting no figure: the worker's reasons, with places for what changes.

Several reasons stand beside each other as "one; another". What may follow a "; " here is the beginning of a reason.
"""

import itertools
import re

AND = "; "
# As the domain has them, whose modules load numpy: no work for the start of the window.
TENSORS = ("y", "dx", "dw", "db")
DIRECTIONS = ("forward", "backward")
MODES = ("kernel_cold", "kernel_warm", "autograd")
TEMPLATES = (
    AND,
    "{0} = {1} is not possible: {2}",
    "{0} is wrong in 1 element, at worst by {1} times what is allowed",
    "{0} is wrong in {1} elements, at worst by {2} times what is allowed",
    "{0} has shape {1} in place of {2}",
    "through autograd, {0}",
    *(f"{direction}, {mode}: {{0}}" for direction, mode in itertools.product(DIRECTIONS, MODES)),
    "Its results are not within tolerance, so it gets no time.",
    "package {0} is not installed: {1}",
    "package {0} is not installed",
    "build NVIDIA Apex with its CUDA extensions",
    "{0} has no module {1}",
    "{0} has no {1}: another version is needed",
    "there is no provider {0}: choose of {1}",
    "torch.compile is timed on a CUDA device only",
    "Apex gives y in the dtype of the weight, {0}, and x is {1}",
    "{0} takes the name of a ceiling",
    "{0} takes a name that belongs to {1}",
    "{0} cannot be loaded: {1}",
    ("OutOfResources: out of resource: {0}, Required: {1}, Hardware limit: {2}. Reducing block sizes or `num_stages` may help."),
    "OutOfMemoryError: CUDA out of memory. {0}",
    "RuntimeError: the call cannot be captured in a CUDA graph: {0}",
    "a measurement ended with {0}",
    "x of shape {0} has no element to time",
    "timing needs a CUDA device; the interpreter's times mean nothing",
    "choose locked: it is the strategy that has locks",
    (
        "on the interpreter a trace has at most {0} rows and {1} elements: programs run one after another "
        "there, so nothing but the numbers is worth recording; choose a GPU for the timing of locks"
    ),
    "ValueError: {0}",
)
_BEGINNINGS = (
    r"\w+ = [^;]+ is not possible: ",
    rf"(?:{'|'.join(TENSORS)}) is wrong in ",
    rf"(?:{'|'.join(DIRECTIONS)}), (?:{'|'.join(MODES)}): ",
)
_BETWEEN = re.compile(rf"{AND}(?={'|'.join(_BEGINNINGS)})")


def reasons_in(sentence: str) -> list[str]:
    """The reasons that stand beside each other in a sentence; the sentence alone where there are not several."""
    return _BETWEEN.split(sentence)

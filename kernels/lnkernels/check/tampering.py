"""Find out whether a user's file has replaced a function by which it is timed or judged."""

import sys
import time
from collections.abc import Iterator
from typing import Any

import torch

from lnkernels.values.sentence import Sentence, say

OWN = ("lnkernels.check.", "lnkernels.timing.")
CUDA = (torch.cuda, torch.cuda.Event, torch.cuda.CUDAGraph, torch.cuda.Stream)
COMPARISONS = ("equal", "allclose", "isclose")  # of torch


def _functions() -> Iterator[tuple[Any, str, object]]:
    """Yield the functions by which a kernel is timed and judged, with their owner and name."""
    own = [module for name, module in list(sys.modules.items()) if name.startswith(OWN)]
    for owner in (*CUDA, torch.testing, time, *own):
        for name, value in list(vars(owner).items()):
            if callable(value):
                yield owner, name, value
    for name in COMPARISONS:
        yield torch, name, getattr(torch, name)


_before: dict[tuple[Any, str], object] = {}


def remember() -> None:
    """Note the functions as they are before a file is loaded."""
    _before.clear()
    _before.update({(owner, name): value for owner, name, value in _functions()})


def why_unjudged() -> Sentence | None:
    """Return a sentence that names the functions that are others than those noted, and put these
    back; None where all are the same.
    """
    found = [
        (owner, name)
        for owner, name, value in _functions()
        if _before.get((owner, name), value) is not value
    ]
    for owner, name in found:
        setattr(owner, name, _before[owner, name])
    names = [
        ".".join(filter(None, (getattr(owner, "__module__", ""), owner.__name__, name)))
        for owner, name in found
    ]
    return say("it replaces {names}, by which it is judged", names=names) if found else None

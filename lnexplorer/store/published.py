"""Figures from other people's documentation that come with the program."""

import csv
from functools import cache

from lnexplorer.domain.sweep.curves import Curve
from lnexplorer.store.resources import resource

NAME = "recordings/tutorial_published.csv"
# The columns of the file, and whose speed each is, by the names that providers have here.
PROVIDERS = {"triton_gbps": "locked", "torch_gbps": "torch", "apex_gbps": "apex"}
# The tables name no GPU. The page's name stands where a curve has its hardware, so that it is never one line with
# another.
SOURCES = {
    "english-docs": "Triton's documentation, tutorial 05",
    "chinese-docs": "Triton's documentation, tutorial 05, Chinese edition",
}
# Between the two, where the kind of figure is said anyway.
EDITIONS = {"english-docs": "English edition", "chinese-docs": "Chinese edition"}


@cache
def published_curves() -> tuple[Curve, ...]:
    """GB/s against N of the backward pass at M = 4096, float16, as the two documentations print them; of kind
    "published".

    Source: `resources/recordings/tutorial_published.csv`, a table for each page in SOURCES; its last column names
    where a figure is from.

    Raises:
        OSError: the file is missing.
    """
    with resource(NAME).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    found = []
    for page, source in SOURCES.items():
        own = [row for row in rows if row["published_in"] == page]
        for column, provider in PROVIDERS.items():
            points = sorted((float(row["n"]), float(row[column])) for row in own if row[column])
            if points:
                x, y = zip(*points, strict=True)
                found.append(Curve(provider, source, x, y))
    return tuple(found)

"""The values that kernels, worker, window and files share: what was measured, and where.

Standard library and numpy only. How values are declared and sentences are made, which every part of
a program needs, has its names in this file, for all but lnkernels itself.
"""

from lnkernels.values.frozen import frozen, frozen_by_name
from lnkernels.values.sentence import (
    NOTHING,
    ExplainedError,
    Given,
    Sentence,
    Value,
    Words,
    as_sentence,
    join_sentences,
    one_line,
    say,
    sentence_of,
    translated,
    verbatim,
)

__all__ = [
    "NOTHING",
    "ExplainedError",
    "Given",
    "Sentence",
    "Value",
    "Words",
    "as_sentence",
    "frozen",
    "frozen_by_name",
    "join_sentences",
    "one_line",
    "say",
    "sentence_of",
    "translated",
    "verbatim",
]

"""Requests worth one click."""

from dataclasses import dataclass

from lnexplorer.domain.request import RunRequest


@dataclass(frozen=True, slots=True)
class Preset:
    """A named request, with a sentence about what it is for."""

    name: str
    help: str
    request: RunRequest


PRESETS = (
    Preset(
        "Lecture: M=4, G=2",
        "Four rows and two buffers: small enough to follow every number of the reduction by hand.",
        RunRequest.of(m=4, n=8, group_size_m=2),
    ),
    Preset(
        "Tutorial's check",
        "The shape and data on which the tutorial compares with PyTorch.",
        RunRequest(m=1151, n=8192),
    ),
    Preset("Tutorial's benchmark", "One point of the tutorial's curve: 4096 rows, float16.", RunRequest(m=4096, n=8192)),
    Preset(
        "Without locks, width 8192",
        "The same point with the strategy that is chosen automatically.",
        RunRequest.of(m=4096, n=8192, strategy="auto"),
    ),
    Preset(
        "Without locks, width 65536",
        "Rows that no program can hold: several programs share each.",
        RunRequest.of(m=4096, n=65536, strategy="split"),
    ),
    Preset(
        "Interpreter's default",
        "Few rows, so that it takes well under a second without a GPU.",
        RunRequest(m=64, n=512),
    ),
    Preset("Transformer, width 768", "32 sequences of 512 tokens.", RunRequest(m=16384, n=768, dtype="bfloat16")),
    Preset("Transformer, width 1024", "32 sequences of 512 tokens.", RunRequest(m=16384, n=1024, dtype="bfloat16")),
    Preset("Transformer, width 4096", "Two sequences of 4096 tokens.", RunRequest(m=8192, n=4096, dtype="bfloat16")),
    Preset("Transformer, width 8192", "Two sequences of 4096 tokens.", RunRequest(m=8192, n=8192, dtype="bfloat16")),
)

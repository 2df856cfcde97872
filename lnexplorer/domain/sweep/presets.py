"""Sweeps worth one click."""

from dataclasses import dataclass

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest


@dataclass(frozen=True, slots=True)
class SweepPreset:
    """A named sweep, with a sentence about what it is for."""

    name: str
    help: str
    sweep: SweepRequest


TUTORIAL = SweepPreset(
    "Tutorial's curve",
    "4096 rows of float16, N from 1024 to 15872: the curve that the tutorial ends with, forward and backward, beside PyTorch's.",
    SweepRequest(
        base=RunRequest(m=4096, dtype="float16"),
        axes=(Axis(name="n", values=tuple(range(1024, 15872 + 1, 512))),),
        strategies=("locked",),
        providers=("torch",),
        effort="thorough",  # half a second for each figure, as the tutorial takes
    ),
)


def is_tutorial(sweep: SweepRequest) -> bool:
    """Whether it is the tutorial's curve: its problem over N with nothing held fixed, of whatever strategies, peers and N."""
    return not sweep.search and sweep.base == TUTORIAL.sweep.base and [axis.name for axis in sweep.axes] == ["n"]


PRESETS = (
    TUTORIAL,
    SweepPreset(
        "BLOCK_SIZE × warps",
        "Which block and how many warps the forward pass is fastest with, as a heat map.",
        SweepRequest(
            base=RunRequest(m=4096, n=8192),
            axes=(
                Axis(name="block_size", values=(256, 512, 1024, 2048, 4096, 8192, 16384)),
                Axis(name="num_warps", values=(1, 2, 4, 8, 16, 32)),
            ),
        ),
    ),
    SweepPreset(
        "GROUP_SIZE_M",
        "Fewer buffers mean more waiting, more buffers a longer second stage, and either way another rounding of dw and db.",
        SweepRequest(
            base=RunRequest(m=4096, n=8192),
            axes=(Axis(name="group_size_m", values=(1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512)),),
        ),
    ),
)

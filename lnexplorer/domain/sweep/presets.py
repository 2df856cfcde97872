"""Sweeps worth one click."""

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence, say


@frozen
class SweepPreset:
    """A named sweep, with a sentence about what it is for."""

    name: Sentence
    help: Sentence
    sweep: SweepRequest


TUTORIAL = SweepPreset(
    say("Tutorial's curve"),
    say(
        "4096 rows of float16, N from 1024 to 15872: the curve that the tutorial ends with, forward"
        " and backward, beside PyTorch's."
    ),
    SweepRequest(
        base=RunRequest(m=4096, dtype="float16"),
        axes=(Axis(name="n", values=tuple(range(1024, 15872 + 1, 512))),),
        strategies=("locked",),
        providers=("torch",),
        effort="thorough",  # half a second for each figure, as the tutorial takes
    ),
)


# What the window proposes where kernels are interpreted: the tutorial's curve would take it many
# minutes.
FEW_ROWS = SweepPreset(
    say("64 rows"),
    say(
        "N from 64 to 1024, as small as the interpreter needs it: how the error of each result"
        " grows with the row."
    ),
    SweepRequest(
        base=RunRequest(m=64),
        axes=(Axis(name="n", values=(64, 128, 256, 512, 768, 1024)),),
        providers=("torch",),
    ),
)
PRESETS = (
    TUTORIAL,
    SweepPreset(
        say("BLOCK_SIZE × warps"),
        say("Which block and how many warps the forward pass is fastest with, as a heat map."),
        SweepRequest(
            base=RunRequest(m=4096, n=8192),
            axes=(
                Axis(name="block_size", values=(256, 512, 1024, 2048, 4096, 8192, 16384)),
                Axis(name="num_warps", values=(1, 2, 4, 8, 16, 32)),
            ),
        ),
    ),
    SweepPreset(
        say("GROUP_SIZE_M"),
        say(
            "Fewer buffers mean more waiting, more buffers a longer second stage, and either way"
            " another rounding of dw and db."
        ),
        SweepRequest(
            base=RunRequest(m=4096, n=8192),
            axes=(
                Axis(
                    name="group_size_m", values=(1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512)
                ),
            ),
        ),
    ),
    FEW_ROWS,
)

"""The steps of the lecture, in their order: at most 60, for 45 minutes. `optional` marks those that can be left out."""

from dataclasses import replace

from lnexplorer.domain.lecture.buffers import why_not_more
from lnexplorer.domain.lecture.by_hand import by_hand, without_guards
from lnexplorer.domain.lecture.material import Material
from lnexplorer.domain.lecture.on_a_gpu import order_of_programs, where_it_lives, without_locks
from lnexplorer.domain.lecture.scenes import Opening, Step
from lnkernels.sentence import say

__all__ = ["CHAPTERS", "TITLE", "Step", "storyboard"]

TITLE = say("LayerNorm's backward pass:\na reduction with locks")
CHAPTERS = (
    say("By hand: 4 rows, 2 buffers"),
    say("Lost rows, and last bits"),
    say("Why not more buffers"),
    say("Where everything lives"),
    say("The order of programs"),
    say("What replaces locks"),
)


def storyboard(material: Material) -> tuple[Step, ...]:
    """All steps."""
    opening = say(
        "Ask who has written a kernel, and who has waited for a lock. The lecture takes 45 minutes without the steps marked ○."
    )
    steps = [Step(scene=Opening(0), note=opening)]
    chapters = (by_hand, without_guards, why_not_more, where_it_lives, order_of_programs, without_locks)
    for chapter, scenes in enumerate(chapters, start=1):
        steps += [replace(step, chapter=chapter) for step in scenes(material)]
    return tuple(steps)

"""Which kind of frame a scene gets."""

from lnexplorer.gui.reduction.painter.frame import Frame, Scene
from lnexplorer.gui.reduction.painter.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.reduction.painter.schedule_frame import ScheduleFrame


def frame_of(scene: Scene, ratio: float) -> Frame:
    """Numbers where the shape is small and there is room to read them, else the schedule.

    Args:
        scene: what is shown, with its size and font.
        ratio: device pixels a pixel.
    """
    timeline = scene.timeline
    if has_numbers(timeline.m, timeline.n, timeline.group_size_m):
        numbers = NumberFrame(scene)
        if numbers.legible:
            return numbers
    return ScheduleFrame(scene, ratio)

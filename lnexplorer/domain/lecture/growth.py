"""How long stage 1 takes as there are fewer buffers: the model of the schedule, run once for each GROUP_SIZE_M."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.schedule_defaults import default_model
from lnexplorer.domain.simulation import simulate
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.domain.timeline_summary import TimelineSummary, summarize

GROUP_SIZES = (256, 128, 64, 32, 16, 8, 4, 2, 1)


@dataclass(frozen=True, eq=False, slots=True)
class GrowthPoint:
    """One GROUP_SIZE_M."""

    group_size_m: int
    summary: TimelineSummary
    timeline: ReductionTimeline


def growth(
    request: ResolvedRequest,
    resident_programs: int,
    sm_count: int,
    rest: Callable[[], None] = lambda: None,
    seen: Mapping[int, int] | None = None,
) -> tuple[GrowthPoint, ...]:
    """Simulate a launch with every one of GROUP_SIZES.

    Args:
        request: the launch; its own GROUP_SIZE_M does not matter.
        resident_programs: programs of stage 1 on the device at once.
        sm_count: SMs.
        rest: called between two simulations.
        seen: resident programs by GROUP_SIZE_M, where a recording tells: the kernel of one buffer is another, of which fewer
            run at once.
    """
    points = []
    for group_size_m in GROUP_SIZES:
        launch = replace(request.launch, group_size_m=group_size_m)
        model = default_model(replace(request, launch=launch), (seen or {}).get(group_size_m, resident_programs), sm_count)
        timeline = simulate(request.m, request.n, group_size_m, launch.reduce_block_size_m, launch.reduce_block_size_n, model)
        points.append(GrowthPoint(group_size_m, summarize(timeline), timeline))
        rest()
    return tuple(points)

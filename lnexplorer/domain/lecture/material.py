"""Everything that the lecture shows, gathered: the example, the simulations and the recordings."""

from dataclasses import dataclass, field

from lnexplorer.domain.experiments.strategy_timeline import StrategyTimeline
from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.lecture.growth import GrowthPoint
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import ReductionTimeline, TraceCost
from lnexplorer.domain.timeline_summary import TimelineSummary


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecordedCase:
    """One recording of the launch that the simulation is about."""

    timeline: ReductionTimeline
    summary: TimelineSummary
    gpu: str
    date: str  # ISO 8601


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecordedStrategies:
    """One launch by several strategies, as it was recorded."""

    timelines: tuple[StrategyTimeline, ...]  # that of locked first
    m: int
    n: int
    gpu: str
    date: str  # ISO 8601


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Material:
    """What is in hand. Before all is loaded, request is None, growth and recorded are empty."""

    example: Example
    request: ResolvedRequest | None = None  # of the simulation and the recordings, but for GROUP_SIZE_M
    resident_programs: int = 0
    sm_count: int = 0
    growth: tuple[GrowthPoint, ...] = ()
    recorded: dict[int, RecordedCase] = field(default_factory=dict)  # by GROUP_SIZE_M
    stage1_ns: dict[int, int] = field(default_factory=dict)  # recorded, by GROUP_SIZE_M: of more launches than are played
    costs: dict[int, TraceCost] = field(default_factory=dict)  # of recording these, by GROUP_SIZE_M, where it was measured
    residents: dict[int, int] = field(default_factory=dict)  # programs at once as recorded, by GROUP_SIZE_M
    strategies: RecordedStrategies | None = None
    problem: str = ""  # why something is not there

    def point(self, group_size_m: int) -> GrowthPoint | None:
        """The simulation of one GROUP_SIZE_M."""
        return next((point for point in self.growth if point.group_size_m == group_size_m), None)

"""How panes show what they have: plain values that a file can hold. A pane passes over a name that
it does not know.
"""

from lnexplorer.domain.simulation.model import SimulationParameters
from lnkernels.values import frozen_by_name


@frozen_by_name
class FittedModel:
    """A model that was fitted to a trace, and whose GROUP_SIZE_M it is asked about."""

    parameters: SimulationParameters
    fitted_to: int  # GROUP_SIZE_M of the trace
    group_size_m: int  # of the prediction on show


@frozen_by_name
class ReductionView:
    time_ns: float = 0.0  # of the playhead
    stretch_ns: tuple[float, float] | None = (
        None  # that the waterfall shows; None for all of the time
    )
    rows: tuple[float, float] = (0.0, 1.0)  # the part of the rows that it shows
    grouping: str = "lock"  # how they are grouped
    row: int | None = None  # that is followed
    lock: int | None = None  # that is followed
    result: str = "dw"  # whose numbers are in the cells
    model: SimulationParameters | None = None  # what the timeline on show was simulated with
    fitted: FittedModel | None = None  # what stands beside the timeline


@frozen_by_name
class CorrectnessView:
    picture: str | None = None  # None for what there is room for
    tensor: str = "y"  # of the error map
    log: bool = True
    columns: str = "dw"  # whose errors by column
    histogram: str = "y"  # whose errors are counted


@frozen_by_name
class ThroughputView:
    mode: str = "kernel_cold"
    samples: bool = True


@frozen_by_name
class SweepView:
    quantity: str = "gbps"
    direction: str = "backward"
    provider: str = ""  # whose map, where there are several
    hardware: str = ""
    mode: str = ""  # how it was called, where the sweep has several ways; empty for the first


@frozen_by_name
class TouchView:
    row: int = 0
    column: int = 0
    kernel: str = "forward"


@frozen_by_name
class CompiledView:
    kernel: str = "forward"
    architecture: str = ""  # that is compiled for; empty for the device's own
    forms: tuple[str, str] = ("source", "sass")  # on the left and on the right
    line: tuple[str, int] | None = None  # that is chosen, and of which form
    beside: str = ""  # what it is compared with; empty for nothing
    page: str = "code"


@frozen_by_name
class ExperimentsView:
    name: str = ""  # of the experiment that is chosen


@frozen_by_name
class OwnKernelView:
    """A kernel of one's own that was watched. Its code is run again only when its user says so."""

    place: str  # absolute path of its file
    sha256: str  # of the text that was checked last

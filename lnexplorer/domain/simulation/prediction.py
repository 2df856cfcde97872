"""What a fitted model says of another launch, and how far it is from what was measured.

Between recorded launches of an NVIDIA H200 (1024 columns, GROUP_SIZE_M 1 to 512, 4096 and 16384 rows) stage 1 is predicted
within 15 %. The usual values in `fit` and `congestion` were chosen with these recordings in view. The number of programs on the
device has to be that of the predicted launch. Where recording made the turns of a lock longer, which `fit` takes off, a
prediction is to be held against the pass that was not traced.

What remains changes from one GROUP_SIZE_M to the next without a trend. Of some locks the holds on the SMs of one half of the
GPU are longer while many wait, 1450 in place of 1100 ns, always of the same locks: it seems that of their two buffers one line
lies in the slice of the L2 cache that answers all tries. With 1024 columns it is so for a third of the locks, by chance of
addresses; for a single lock it is either so or not, and no trace of other locks tells.
"""

from dataclasses import dataclass, replace

from lnexplorer.domain.simulation.parameters import SimulationParameters
from lnexplorer.domain.simulation.schedule import simulate
from lnexplorer.domain.timeline import ReductionTimeline, TraceCost
from lnexplorer.domain.timeline_summary import TimelineSummary, summarize


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionError:
    """Simulated over measured, less 1: 0.1 is "10 % too long". None where the measured time is 0."""

    stage1: float | None
    stage2: float | None
    wait_mean: float | None
    hold_mean: float | None
    unrecorded_pass: float | None = None  # of both stages, against the pass that was not recorded; None where nobody timed it


def predict(
    parameters: SimulationParameters,
    m: int,
    n: int,
    group_size_m: int,
    tile_block_m: int = 32,
    tile_block_n: int = 128,
    resident_programs: int | None = None,
) -> ReductionTimeline:
    """The timeline of another launch on the same device.

    Args:
        parameters: as `fit` found them; their times hold for rows of the fitted width and type.
        m: rows.
        n: columns, those of the fitted timeline.
        group_size_m: buffers.
        tile_block_m: buffers that a program of stage 2 adds per step.
        tile_block_n: columns of a program of stage 2.
        resident_programs: of the predicted launch on the device at once, where they are not those of the fitted one.
    """
    if resident_programs is not None:
        parameters = replace(parameters, resident_programs=resident_programs)
    return simulate(m, n, group_size_m, tile_block_m, tile_block_n, parameters)


def error_of_prediction(measured: ReductionTimeline, simulated: ReductionTimeline) -> PredictionError:
    """How far a simulated timeline is from the measured one of the same launch.

    Raises:
        ValueError: they are of different launches.
    """
    launches = [(timeline.m, timeline.n, timeline.group_size_m) for timeline in (measured, simulated)]
    if launches[0] != launches[1]:
        described = [f"{m} × {n} with GROUP_SIZE_M {group}" for m, n, group in launches]
        raise ValueError(f"{described[1]} was simulated, and {described[0]} measured")
    return error_of_summary(summarize(measured), summarize(simulated), measured.cost)


def error_of_summary(real: TimelineSummary, model: TimelineSummary, cost: TraceCost | None = None) -> PredictionError:
    """The same, of the figures of a measured and a simulated timeline of one launch, and what recording the former cost."""
    return PredictionError(
        stage1=_relative(real.stage1_ns, model.stage1_ns),
        stage2=_relative(real.stage2_ns, model.stage2_ns),
        wait_mean=_relative(real.wait_mean_ns, model.wait_mean_ns),
        hold_mean=_relative(real.hold_mean_ns, model.hold_mean_ns),
        unrecorded_pass=None if cost is None else _relative(cost.plain_ns, model.pass_ns),
    )


def _relative(real: float, model: float) -> float | None:
    return model / real - 1 if real else None

"""Simulated timelines, and numbers for their rows."""

import numpy as np

from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.timeline import ReductionTimeline


def model(**changed: object) -> SimulationParameters:
    """A plain model: 8 resident programs, no jitter, first come first served."""
    values: dict[str, object] = {
        "resident_programs": 8,
        "sm_count": 4,
        "compute_ns": 1000,
        "hold_ns": 800,
        "try_ns": 100,
        "hand_over_ns": 300,
        "stagger_ns": 1,
        "exit_ns": 50,
        "arbitration": "fifo",
        "stage2_gap_ns": 2000,
        "tile_base_ns": 500,
        "tile_step_ns": 700,
    }
    return SimulationParameters(**{**values, **changed})  # type: ignore[arg-type]


def request(**changed: object) -> ResolvedRequest:
    """A request with every choice made, for the GPU."""
    return resolve(RunRequest.of(**changed), "cuda")  # type: ignore[arg-type]


def simulated(
    m: int, n: int, group_size_m: int, block_n: int = 128, **changed: object
) -> ReductionTimeline:
    """A launch of the plain model, or of a changed one."""
    return simulate(m, n, group_size_m, 32, block_n, model(**changed))


def partial_rows(m: int = 4, n: int = 8, seed: int = 1) -> PartialRows:
    """Random partial sums, and their totals."""
    dw, db = np.random.default_rng(seed).normal(size=(2, m, n)).astype(np.float32)
    return PartialRows(dw=dw, db=db, dw_total=dw.sum(0), db_total=db.sum(0))

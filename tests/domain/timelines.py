"""Timelines for the tests."""

from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.simulation.model import SimulationParameters


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

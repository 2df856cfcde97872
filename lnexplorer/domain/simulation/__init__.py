"""A model of the reduction's schedule: a discrete-event simulation that gives the same kind of timeline as a trace."""

from lnexplorer.domain.simulation.fit import PredictionError, error_of_summary, fit
from lnexplorer.domain.simulation.model import ARBITRATIONS, SimulationParameters, simulate

__all__ = [
    "ARBITRATIONS",
    "PredictionError",
    "SimulationParameters",
    "error_of_summary",
    "fit",
    "simulate",
]

"""Launch settings as values: what a launch needs to know, decided without a GPU and without torch.

Everything here is pure and needs only the standard library, so the window, the command line and the kernels' own launchers
share one set of heuristics, one set of refusals and one memory estimate.
"""

from lnkernels.launch.config import LaunchConfig, LaunchOverrides, Problem
from lnkernels.launch.consequences import MemoryEstimate, grids, masked_lanes, memory_estimate, partial_buffer_bytes
from lnkernels.launch.heuristics import USUAL_LIMITS, resolve_launch
from lnkernels.launch.limits import KNOWN_DEVICES, DeviceLimits, Occupancy, limits_for_architecture, occupancy
from lnkernels.launch.shapes import DTYPE_BYTES, DTYPES, ceil_div, next_power_of_two
from lnkernels.launch.strategies import CATALOGUE, STRATEGIES, Strategy, belongs, foreign_settings
from lnkernels.launch.validation import check_launch

__all__ = [
    "CATALOGUE",
    "DTYPES",
    "DTYPE_BYTES",
    "KNOWN_DEVICES",
    "STRATEGIES",
    "USUAL_LIMITS",
    "DeviceLimits",
    "LaunchConfig",
    "LaunchOverrides",
    "MemoryEstimate",
    "Occupancy",
    "Problem",
    "Strategy",
    "belongs",
    "ceil_div",
    "check_launch",
    "foreign_settings",
    "grids",
    "limits_for_architecture",
    "masked_lanes",
    "memory_estimate",
    "next_power_of_two",
    "occupancy",
    "partial_buffer_bytes",
    "resolve_launch",
]

"""Launch settings as values: what a launch needs to know, decided without a GPU and without torch.

Everything here is pure and needs only the standard library, so the window, the command line and the kernels' own
launchers share one table of settings, one set of heuristics, one set of refusals and one memory estimate.
"""

from lnkernels.launch.catalogue import (
    CATALOGUE,
    LAUNCHED,
    STRATEGIES,
    MemoryEstimate,
    as_wish,
    belongs,
    buffers_in_use,
    check_launch,
    foreign_settings,
    grids,
    launch_on,
    launched_kernels,
    memory_estimate,
    own_settings,
    partial_buffer_bytes,
    reload_tuned_settings,
    resolve_launch,
    without_foreign,
)
from lnkernels.launch.limits import (
    KNOWN_DEVICES,
    USUAL_LIMITS,
    DeviceLimits,
    Occupancy,
    limits_for_architecture,
    occupancy,
)
from lnkernels.launch.settings import AUTOMATIC, SETTING, SETTINGS, Launch, LaunchWish, Parameter, Problem
from lnkernels.launch.shapes import DTYPE_BYTES, DTYPES, ceil_div, is_power_of_two, masked_lanes, next_power_of_two
from lnkernels.launch.strategy import LaunchedKernel, Strategy

__all__ = [
    "AUTOMATIC",
    "CATALOGUE",
    "DTYPES",
    "DTYPE_BYTES",
    "KNOWN_DEVICES",
    "LAUNCHED",
    "SETTING",
    "SETTINGS",
    "STRATEGIES",
    "USUAL_LIMITS",
    "DeviceLimits",
    "Launch",
    "LaunchWish",
    "LaunchedKernel",
    "MemoryEstimate",
    "Occupancy",
    "Parameter",
    "Problem",
    "Strategy",
    "as_wish",
    "belongs",
    "buffers_in_use",
    "ceil_div",
    "check_launch",
    "foreign_settings",
    "grids",
    "is_power_of_two",
    "launch_on",
    "launched_kernels",
    "limits_for_architecture",
    "masked_lanes",
    "memory_estimate",
    "next_power_of_two",
    "occupancy",
    "own_settings",
    "partial_buffer_bytes",
    "reload_tuned_settings",
    "resolve_launch",
    "without_foreign",
]

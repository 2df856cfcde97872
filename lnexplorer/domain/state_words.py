"""The state of a device before and after timing as short lines: a label, and the two values."""

import math

from lnkernels.values.environment import DeviceState

SM_CLOCK, MEMORY_CLOCK, TEMPERATURE, POWER = "SM clock", "memory clock", "temperature", "power"
HELD, OTHERS = "clocks held down by", "other processes"
LABELS = (SM_CLOCK, MEMORY_CLOCK, TEMPERATURE, POWER, HELD, OTHERS)
NOTHING = "–"  # holds the clocks down


def state_lines(before: DeviceState | None, after: DeviceState | None) -> tuple[tuple[str, str], ...]:
    """Label and value of everything that is known; what did not change stands once.

    Args:
        before: when timing began; None where nobody asked.
        after: when it had ended.
    """
    states = [state for state in (before, after) if state is not None]
    if not states:
        return ()
    lines = (
        (SM_CLOCK, [_number(state.sm_clock_mhz) for state in states], " MHz"),
        (MEMORY_CLOCK, [_number(state.memory_clock_mhz) for state in states], " MHz"),
        (TEMPERATURE, [_number(state.temperature_c) for state in states], " °C"),
        (POWER, [_number(state.power_w) for state in states], " W"),
        (HELD, [_reasons(state) for state in states], ""),
        (OTHERS, [_number(state.other_processes) for state in states], ""),
    )
    return tuple((label, " → ".join(dict.fromkeys(values)) + unit) for label, values, unit in lines if all(values))


def state_sentence(before: DeviceState | None, after: DeviceState | None) -> str:
    """The same in one line; empty where nothing is known."""
    return ", ".join(f"{label} {value}" for label, value in state_lines(before, after))


def _number(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.0f}"


def _reasons(state: DeviceState) -> str:
    if state.sm_clock_mhz is None:
        return ""  # nobody was asked
    return ", ".join(state.throttle_reasons) or NOTHING

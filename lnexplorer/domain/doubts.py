"""The device's state around measured times, in words, and what in it or in the times makes them
doubtful.
"""

import math
from collections.abc import Sequence

from lnkernels.values import Given, Sentence, Words, join_sentences, say
from lnkernels.values.environment import DeviceState
from lnkernels.values.figures import CEILINGS, Figure

NOTHING = "–"  # holds the clocks down

CLOCK_DROP = 0.03  # of the SM clock between before and after
# Clocks that somebody fixed are the same for everything that is timed; they are worth knowing, and
# no reason for doubt.
HARMLESS = frozenset({"clocks set by the user", "display clock setting"})
HELD_MS = (
    1.0  # in which the clocks were held down between before and after; less is no turn of timing
)
NAMED = 3  # restless candidates that are named one by one

CLOCK_FELL = say(
    "The GPU's clock fell by {share} % while it was timed, from {first} to {last} MHz: later turns"
    " ran slower."
)
CLOCKS_HELD = say("Something held the GPU's clocks down: {reasons}.")
POWER_HELD = say("The power cap held the GPU's clocks down for {ms:.0f} ms while it was timed.")
HEAT_HELD = say("Heat held the GPU's clocks down for {ms:.0f} ms while it was timed.")
ONE_OTHER = say("Another process was on the GPU: times may include their work.")
MORE_OTHERS = say("{count} other processes were on the GPU: times may include their work.")
RESTLESS = say(
    "The median did not settle in the time given, {direction}, {way}: {names}. Measure longer."
)
BY_EVENTS = say(
    "{provider}, {direction}: timed by events around the call, with what its launches cost the"
    " host: no CUDA graph can hold it."
)
ALL = (
    *(CLOCK_FELL, CLOCKS_HELD, POWER_HELD, HEAT_HELD),
    *(ONE_OTHER, MORE_OTHERS, RESTLESS, BY_EVENTS),
)
DIRECTIONS = {"forward": say("forward"), "backward": say("backward")}
WAYS = {"kernel_cold": say("cold L2"), "kernel_warm": say("warm L2"), "autograd": say("autograd")}
CEILING = say("ceiling")


def state_lines(
    before: DeviceState | None, after: DeviceState | None
) -> tuple[tuple[Sentence, Words], ...]:
    """List label and value of everything that is known; what did not change stands once."""
    states = [state for state in (before, after) if state is not None]
    if not states:
        return ()
    lines = (
        (say("SM clock"), [_number(state.sm_clock_mhz) for state in states], "MHz"),
        (say("memory clock"), [_number(state.memory_clock_mhz) for state in states], "MHz"),
        (say("temperature"), [_number(state.temperature_c) for state in states], "°C"),
        (say("power"), [_number(state.power_w) for state in states], "W"),
        (say("clocks held down by"), [_reasons(state) for state in states], ""),
        (say("other processes"), [_number(state.other_processes) for state in states], ""),
    )
    return tuple(
        (label, join_sentences([join_sentences(list(dict.fromkeys(values)), " → "), unit], " "))
        for label, values, unit in lines
        if all(values)
    )


def state_sentence(before: DeviceState | None, after: DeviceState | None) -> str:
    """Return the same in one line; empty where nothing is known."""
    return ", ".join(f"{label} {value}" for label, value in state_lines(before, after))


def _number(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.0f}"


def _reasons(state: DeviceState) -> Words:
    if state.sm_clock_mhz is None:
        return ""  # nobody was asked
    return join_sentences(state.throttle_reasons, ", ") if state.throttle_reasons else NOTHING


def doubts(
    before: DeviceState, after: DeviceState, figures: Sequence[Figure]
) -> tuple[Sentence, ...]:
    """Say why figures are doubtful; none where nothing speaks against them.

    Args:
        before: the state when timing began, the GPU already at work.
        after: the state when it had ended.
        figures: what was measured between the two.
    """
    if not figures:
        return ()
    others = max(before.other_processes or 0, after.other_processes or 0)
    company = [ONE_OTHER if others == 1 else _doubt(MORE_OTHERS, count=others)] if others else []
    held = (*_clock(before, after), *_throttling(before, after))
    return (*held, *company, *_restless(figures), *notes_on_events(figures))


def notes_on_events(figures: Sequence[Figure]) -> list[Sentence]:
    """Name the kernels of one's own that were timed by events around their calls."""
    timed = [
        (one.provider, one.direction)
        for one in figures
        if one.mode != "autograd" and one.host_us is not None
    ]
    return [
        _doubt(BY_EVENTS, provider=name, direction=DIRECTIONS[direction])
        for name, direction in dict.fromkeys(timed)
    ]


def is_doubt(note: Sentence) -> bool:
    return note.template in {doubt.template for doubt in ALL}


def concerns(note: Sentence, directions: Sequence[str], mode: str) -> bool:
    """Return whether a note is about these passes, called in one way; most notes are about all."""
    values = dict(note.values)
    if "direction" not in values:
        return True
    way = values["way"] == WAYS[mode] if "way" in values else mode != "autograd"
    return way and values["direction"] in [DIRECTIONS[direction] for direction in directions]


def _doubt(kind: Sentence, **values: Given) -> Sentence:
    return say(kind.template, **values)


def _clock(before: DeviceState, after: DeviceState) -> list[Sentence]:
    first, last = before.sm_clock_mhz, after.sm_clock_mhz
    if not first or last is None or last >= first * (1 - CLOCK_DROP):
        return []
    return [_doubt(CLOCK_FELL, share=round(100 * (1 - last / first)), first=first, last=last)]


def _throttling(before: DeviceState, after: DeviceState) -> list[Sentence]:
    reasons = [
        reason
        for reason in (*before.throttle_reasons, *after.throttle_reasons)
        if reason not in HARMLESS
    ]
    if reasons:
        return [_doubt(CLOCKS_HELD, reasons=dict.fromkeys(reasons))]
    # What came and went between the two looks, the driver counts.
    power, heat = (
        _passed(before.power_held_ms, after.power_held_ms),
        _passed(before.heat_held_ms, after.heat_held_ms),
    )
    return [
        _doubt(kind, ms=ms)
        for kind, ms in ((POWER_HELD, power), (HEAT_HELD, heat))
        if ms >= HELD_MS
    ]


def _passed(before: float | None, after: float | None) -> float:
    return 0.0 if before is None or after is None else after - before


def _restless(figures: Sequence[Figure]) -> list[Sentence]:
    """Say for each pass and way of calling whose medians did not settle; the first are named."""
    restless: dict[tuple[str, str], list[Figure]] = {}
    for figure in figures:
        if not figure.settled:
            restless.setdefault((figure.direction, figure.mode), []).append(figure)
    return [
        restless_sentence(direction, mode, [each.provider for each in found])
        for (direction, mode), found in restless.items()
    ]


def restless_sentence(direction: str, mode: str, providers: Sequence[str]) -> Sentence:
    names = [CEILING if each in CEILINGS.values() else each for each in providers[:NAMED]]
    if len(providers) > NAMED:
        names.append(say("{count} more", count=len(providers) - NAMED))
    return _doubt(RESTLESS, direction=DIRECTIONS[direction], way=WAYS[mode], names=names)

"""The device's state around measured times, in words, and what in it or in the times makes them doubtful."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lnkernels.sentence import Sentence, join_sentences, say
from lnkernels.values.environment import DeviceState
from lnkernels.values.figures import CEILINGS, Figure

SM_CLOCK, MEMORY_CLOCK, TEMPERATURE, POWER = "SM clock", "memory clock", "temperature", "power"
HELD, OTHERS = "clocks held down by", "other processes"
LABELS = (SM_CLOCK, MEMORY_CLOCK, TEMPERATURE, POWER, HELD, OTHERS)
NOTHING = "–"  # holds the clocks down

CLOCK_DROP = 0.03  # of the SM clock between before and after
# Clocks that somebody fixed are the same for everything that is timed; they are worth knowing, and no reason for doubt.
HARMLESS = frozenset({"clocks set by the user", "display clock setting"})
HELD_MS = 1.0  # in which the clocks were held down between before and after; less is no turn of timing
NAMED = 3  # restless figures that are named one by one

ONE_OTHER = say("Another process was on the GPU: times may include their work.")
ONE_CAME = say("A process came to the GPU while it was timed: later turns may include its work.")
DIRECTIONS = {"forward": say("forward"), "backward": say("backward")}
WAYS = {"kernel_cold": say("cold L2"), "kernel_warm": say("warm L2"), "autograd": say("autograd")}
CEILING = say("ceiling")
FIGURE = "{provider} {direction} ({way})"
RESTLESS = "The median did not settle in the time given of {figures}: measure longer."


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


def doubts(before: DeviceState, after: DeviceState, figures: Sequence[Figure]) -> tuple[Sentence, ...]:
    """What speaks against trusting figures; none where nothing does.

    Args:
        before: the state when timing began, the GPU already at work.
        after: the state when it had ended.
        figures: what was measured between the two.
    """
    if not figures:
        return ()
    return (*_clock(before, after), *_throttling(before, after), *_company(before, after), *_restless(figures))


def is_doubt(note: Sentence) -> bool:
    """Whether a note of a run speaks against its figures."""
    return note.template in _TEMPLATES


def _clock(before: DeviceState, after: DeviceState) -> list[Sentence]:
    first, last = before.sm_clock_mhz, after.sm_clock_mhz
    if not first or last is None or last >= first * (1 - CLOCK_DROP):
        return []
    share = round(100 * (1 - last / first))
    return [_clock_fell(share, first, last)]


def _clock_fell(share: int, first: int, last: int) -> Sentence:
    return say(
        "The GPU's clock fell by {share} % while it was timed, from {first} to {last} MHz: later turns ran slower.",
        share=share,
        first=first,
        last=last,
    )


def _throttling(before: DeviceState, after: DeviceState) -> list[Sentence]:
    first, last = (_harmful(state) for state in (before, after))
    throughout, came, went = (
        [reason for reason in first if reason in last],
        [reason for reason in last if reason not in first],
        [reason for reason in first if reason not in last],
    )
    return [
        *([_held_throughout(throughout)] if throughout else []),
        *([_began_to_hold(came)] if came else []),
        *([_let_go(went)] if went else []),
    ] or _held_between(before, after)


def _held_throughout(reasons: Sequence[str]) -> Sentence:
    return say("Something held the GPU's clocks down: {reasons}.", reasons=", ".join(reasons))


def _began_to_hold(reasons: Sequence[str]) -> Sentence:
    return say("Something began to hold the GPU's clocks down while it was timed: {reasons}.", reasons=", ".join(reasons))


def _let_go(reasons: Sequence[str]) -> Sentence:
    return say("Something held the GPU's clocks down as its timing began, and let go: {reasons}.", reasons=", ".join(reasons))


def _harmful(state: DeviceState) -> list[str]:
    return [reason for reason in dict.fromkeys(state.throttle_reasons) if reason not in HARMLESS]


def _held_between(before: DeviceState, after: DeviceState) -> list[Sentence]:
    """What came and went between the two looks, which the driver counts."""
    power, heat = _passed(before.power_held_ms, after.power_held_ms), _passed(before.heat_held_ms, after.heat_held_ms)
    return [
        *([_power_held(power)] if power >= HELD_MS else []),
        *([_heat_held(heat)] if heat >= HELD_MS else []),
    ]


def _power_held(ms: float) -> Sentence:
    return say("The power cap held the GPU's clocks down for {ms:.0f} ms while it was timed.", ms=ms)


def _heat_held(ms: float) -> Sentence:
    return say("Heat held the GPU's clocks down for {ms:.0f} ms while it was timed.", ms=ms)


def _passed(before: float | None, after: float | None) -> float:
    return 0.0 if before is None or after is None else after - before


def _company(before: DeviceState, after: DeviceState) -> list[Sentence]:
    known = before.other_processes if before.other_processes is not None else after.other_processes
    there = known or 0
    came = max((after.other_processes or 0) - there, 0)
    return [*([_others_there(there)] if there else []), *([_others_came(came)] if came else [])]


def _others_there(count: int) -> Sentence:
    if count == 1:
        return ONE_OTHER
    return say("{count} other processes were on the GPU: times may include their work.", count=count)


def _others_came(count: int) -> Sentence:
    if count == 1:
        return ONE_CAME
    return say("{count} processes came to the GPU while it was timed: later turns may include their work.", count=count)


@dataclass(frozen=True, slots=True)
class RestlessFigure:
    """A figure whose median did not settle."""

    provider: str
    direction: str
    mode: str

    def concerns(self, directions: Sequence[str], mode: str) -> bool:
        """Whether it is among these passes called in this way, or a ceiling that they are held against."""
        ceiling = mode == "autograd" and self.provider in CEILINGS.values() and self.mode == "kernel_cold"
        return self.direction in directions and (self.mode == mode or ceiling)

    @property
    def sentence(self) -> Sentence:
        """Its name."""
        provider = CEILING if self.provider in CEILINGS.values() else self.provider
        return say("{provider} {direction} ({way})", provider=provider, direction=DIRECTIONS[self.direction], way=WAYS[self.mode])


def _restless(figures: Sequence[Figure]) -> list[Sentence]:
    restless = [RestlessFigure(figure.provider, figure.direction, figure.mode) for figure in figures if not figure.settled]
    return [restless_sentence(restless)] if restless else []


def restless_sentence(figures: Sequence[RestlessFigure]) -> Sentence:
    """What makes these doubtful, at least one. Of many figures the first are named."""
    named = join_sentences([figure.sentence for figure in figures[:NAMED]], say(", "))
    if len(figures) > NAMED:
        named = say("{named} and {count} more", named=named, count=len(figures) - NAMED)
    return say("The median did not settle in the time given of {figures}: measure longer.", figures=named)


def narrowed(note: Sentence, directions: Sequence[str], mode: str) -> Sentence | None:
    """The part of a note that concerns some passes, called in one way; None where nothing of it does.

    Only the sentence of restless medians speaks of single figures. Those that it does not name may be any.
    """
    if note.template != RESTLESS:
        return note
    own = [figure for figure in restless_in(note) if figure.concerns(directions, mode)]
    if own:
        return restless_sentence(own)
    more = any(isinstance(value, Sentence) and "count" in dict(value.values) for _, value in note.values)
    return note if more else None


def restless_in(sentence: Sentence) -> Iterator[RestlessFigure]:
    """The figures that a sentence names."""
    values = dict(sentence.values)
    if sentence.template != FIGURE:
        for value in values.values():
            if isinstance(value, Sentence):
                yield from restless_in(value)
        return
    direction = str(values["direction"])
    mode = next(mode for mode, way in WAYS.items() if way == values["way"])
    provider = CEILINGS[direction] if values["provider"] == CEILING else str(values["provider"])
    yield RestlessFigure(provider, direction, mode)


_TEMPLATES = frozenset(
    sentence.template
    for sentence in (
        _clock_fell(0, 0, 0),
        _held_throughout(()),
        _began_to_hold(()),
        _let_go(()),
        _power_held(0.0),
        _heat_held(0.0),
        *(_others_there(count) for count in (1, 2)),
        *(_others_came(count) for count in (1, 2)),
        restless_sentence([RestlessFigure("", "forward", "autograd")]),
    )
)

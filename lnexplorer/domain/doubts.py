"""What makes measured times doubtful, in sentences: the device's state before and after them, and medians that did not settle."""

from collections.abc import Sequence

from lnexplorer.domain.restless import RestlessFigure, restless_sentence
from lnkernels.values.environment import DeviceState, Environment
from lnkernels.values.figures import Figure

CLOCK_DROP = 0.03  # of the SM clock between before and after
# Clocks that somebody fixed are the same for everything that is timed; they are worth knowing, and no reason for doubt.
HARMLESS = frozenset({"clocks set by the user", "display clock setting"})
HELD_MS = 1.0  # in which the clocks were held down between before and after; less is no turn of timing


def doubts(before: DeviceState | Environment, after: DeviceState | Environment, figures: Sequence[Figure]) -> tuple[str, ...]:
    """Sentences about what speaks against trusting the figures; none where nothing does.

    Args:
        before: the state when timing began, the GPU already at work.
        after: the state when it had ended.
        figures: what was measured between the two.
    """
    if not figures:
        return ()
    return (*_clock(before, after), *_throttling(before, after), *_company(before, after), *_restless(figures))


def _clock(before: DeviceState | Environment, after: DeviceState | Environment) -> list[str]:
    first, last = before.sm_clock_mhz, after.sm_clock_mhz
    if not first or last is None or last >= first * (1 - CLOCK_DROP):
        return []
    share = round(100 * (1 - last / first))
    return [f"The GPU's clock fell by {share} % while it was timed, from {first} to {last} MHz: later turns ran slower."]


def _throttling(before: DeviceState | Environment, after: DeviceState | Environment) -> list[str]:
    first, last = (_harmful(state) for state in (before, after))
    throughout, came, went = (
        [reason for reason in first if reason in last],
        [reason for reason in last if reason not in first],
        [reason for reason in first if reason not in last],
    )
    sentences = []
    if throughout:
        sentences.append(f"Something held the GPU's clocks down: {', '.join(throughout)}.")
    if came:
        sentences.append(f"Something began to hold the GPU's clocks down while it was timed: {', '.join(came)}.")
    if went:
        sentences.append(f"Something held the GPU's clocks down as its timing began, and let go: {', '.join(went)}.")
    return sentences or _held_between(before, after)


def _harmful(state: DeviceState | Environment) -> list[str]:
    return [reason for reason in dict.fromkeys(state.throttle_reasons) if reason not in HARMLESS]


def _held_between(before: DeviceState | Environment, after: DeviceState | Environment) -> list[str]:
    """What came and went between the two looks, which the driver counts."""
    sentences = []
    power = _passed(before.power_held_ms, after.power_held_ms)
    if power >= HELD_MS:
        sentences.append(f"The power cap held the GPU's clocks down for {power:.0f} ms while it was timed.")
    heat = _passed(before.heat_held_ms, after.heat_held_ms)
    if heat >= HELD_MS:
        sentences.append(f"Heat held the GPU's clocks down for {heat:.0f} ms while it was timed.")
    return sentences


def _passed(before: float | None, after: float | None) -> float:
    return 0.0 if before is None or after is None else after - before


def _company(before: DeviceState | Environment, after: DeviceState | Environment) -> list[str]:
    known = before.other_processes if before.other_processes is not None else after.other_processes
    there = known or 0
    came = max((after.other_processes or 0) - there, 0)
    sentences = []
    if there:
        who = "Another process was" if there == 1 else f"{there} other processes were"
        sentences.append(f"{who} on the GPU: times may include their work.")
    if came:
        who, whose = ("A process", "its") if came == 1 else (f"{came} processes", "their")
        sentences.append(f"{who} came to the GPU while it was timed: later turns may include {whose} work.")
    return sentences


def _restless(figures: Sequence[Figure]) -> list[str]:
    restless = [RestlessFigure(figure.provider, figure.direction, figure.mode) for figure in figures if not figure.settled]
    return [restless_sentence(restless)] if restless else []

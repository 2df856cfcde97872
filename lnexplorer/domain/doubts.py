"""What makes measured times doubtful, in sentences: the device's state before and after them, and medians that did not settle."""

from collections.abc import Sequence

from lnexplorer.domain.provenance import Environment
from lnexplorer.domain.result import Figure

CLOCK_DROP = 0.03  # of the SM clock between before and after
# Clocks that somebody fixed are the same for everything that is timed; they are worth knowing, and no reason for doubt.
HARMLESS = frozenset({"clocks set by the user", "display clock setting"})
NAMED = 3  # unsettled figures that are named one by one


def doubts(before: Environment, after: Environment, figures: Sequence[Figure]) -> tuple[str, ...]:
    """Sentences about what speaks against trusting the figures; none where nothing does.

    Args:
        before: the state when timing began, the GPU already at work.
        after: the state when it had ended.
        figures: what was measured between the two.
    """
    if not figures:
        return ()
    return (*_clock(before, after), *_throttling(before, after), *_company(before, after), *_restless(figures))


def _clock(before: Environment, after: Environment) -> list[str]:
    first, last = before.sm_clock_mhz, after.sm_clock_mhz
    if not first or last is None or last >= first * (1 - CLOCK_DROP):
        return []
    share = round(100 * (1 - last / first))
    return [f"The GPU's clock fell by {share} % while it was timed, from {first} to {last} MHz: later turns ran slower."]


def _throttling(before: Environment, after: Environment) -> list[str]:
    reasons = dict.fromkeys((*before.throttle_reasons, *after.throttle_reasons))
    held = [reason for reason in reasons if reason not in HARMLESS]
    return [f"Something held the GPU's clocks down: {', '.join(held)}."] if held else []


def _company(before: Environment, after: Environment) -> list[str]:
    others = max(before.other_processes or 0, after.other_processes or 0)
    if others == 0:
        return []
    who = "Another process was" if others == 1 else f"{others} other processes were"
    return [f"{who} on the GPU: times may include their work."]


def _restless(figures: Sequence[Figure]) -> list[str]:
    restless = [f"{figure.provider} {figure.direction} ({figure.mode})" for figure in figures if not figure.settled]
    if not restless:
        return []
    named = ", ".join(restless[:NAMED])
    rest = len(restless) - NAMED
    more = f" and of {rest} more" if rest > 0 else ""
    return [f"The median did not settle in the time given of {named}{more}: measure longer."]

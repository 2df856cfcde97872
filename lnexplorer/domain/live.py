"""Live tuning: the quick measurement of a setting while a parameter moves, and the settings that
are likely to be asked for next.
"""

from lnexplorer.domain.measuring import MeasuredCandidate, MeasureRequest
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnkernels.launch import belongs
from lnkernels.values import Sentence, frozen_by_name
from lnkernels.values.environment import Environment

# A first figure in the time of a glance; a whole run follows when nothing moves.
QUICK = {"seconds": 0.05, "within": 0.02, "most": 20}
MOST_AHEAD = 6  # settings that are compiled ahead


@frozen_by_name(eq=False)
class LivePoint(MeasuredCandidate):
    """A setting that was measured while a parameter moved, as far as that is known.

    Its figures are named as those of runs are; the ceilings are among them, once they are known.
    """

    resolved: ResolvedRequest
    warnings: tuple[Sentence, ...] = ()  # what makes the figures doubtful
    environment: Environment | None = None  # once the measurement has ended


def quick_request(request: RunRequest, mode: str) -> MeasureRequest:
    """Make the quick measurement of a setting, in the mode that is on the screen."""
    return MeasureRequest(settings=(request,), modes=(mode,), **QUICK)  # type: ignore[arg-type]


def likely_next(
    before: RunRequest, after: RunRequest, resolved: ResolvedRequest
) -> tuple[RunRequest, ...]:
    """List the settings that may be asked for next after a parameter moved, the likeliest first.

    A slider that moved goes on by as much, or comes back; warps are tried beside any other setting.
    """
    found: dict[RunRequest, None] = {}
    for name, parameter in BY_NAME.items():
        old, new = before.value(name), after.value(name)
        if old == new or parameter.type is not int or old is None or new is None:
            continue
        values = [2 * new - old, old]
        if parameter.power_of_two:
            values = [new * 2, new // 2] if new > old else [new // 2, new * 2]
        found.update(dict.fromkeys(after.changed(**{name: value}) for value in values))
    for name in ("num_warps", "block_size"):
        if belongs(name, after.strategy):
            value = getattr(resolved.launch, name)
            both = (after.changed(**{name: each}) for each in (value * 2, value // 2))
            found.update(dict.fromkeys(both))
    found.pop(after, None)
    return tuple(found)

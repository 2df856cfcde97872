"""A sweep as the options of `lnexplorer sweep`, and how two sweeps differ, in words."""

import shlex

from lnexplorer.domain.parameters import PARAMETERS
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import SweepRequest


def sweep_options(sweep: SweepRequest) -> dict[str, str]:
    """Option and value for everything in which a sweep differs from an empty one; the same for equal sweeps."""
    options: dict[str, str] = {}
    default = RunRequest()
    for parameter in PARAMETERS:
        if parameter.name == "strategy":
            continue
        axis = sweep.axis(parameter.name)
        value = getattr(sweep.base, parameter.name)
        if axis is not None:
            options[parameter.option] = write_values(axis.values)
        elif value != getattr(default, parameter.name):
            options[parameter.option] = write_values((value,))
    lists = {
        "--strategy": sweep.strategies or ("none",),
        "--provider": sweep.providers,
        "--mode": sweep.directions,
        "--timing": sweep.modes,
    }
    options |= {option: ",".join(values) for option, values in lists.items() if values}
    options["--effort"] = sweep.effort
    if sweep.waits:
        options["--waits"] = "on"
    if sweep.search:
        options["--search"] = str(sweep.search)
    return options


def sweep_command(sweep: SweepRequest) -> str:
    """The options as one line for a shell, such as a table's rows carry it. No value of a possible sweep holds a blank."""
    return " ".join(f"{option} {shlex.quote(value)}" for option, value in sweep_options(sweep).items())


def difference(here: str, there: str) -> str | None:
    """How two lines of `sweep_command` differ, in words for people; None where they are the same.

    Args:
        here: of the sweep that is asked for.
        there: of the sweep in a file.
    """
    one, other = _pairs(here), _pairs(there)
    parts = [
        f"{option} is {one.get(option, 'not given')} here and {other.get(option, 'not given')} there"
        for option in dict.fromkeys((*one, *other))
        if one.get(option) != other.get(option)
    ]
    return "; ".join(parts) or None


def _pairs(line: str) -> dict[str, str]:
    words = line.split()
    return dict(zip(words[::2], words[1::2], strict=False))

"""Texts of a foreign file that leave this program again: in scripts, commands, tables, captions.

Each place that writes them quotes for itself. What no such text ever is, is refused where the file is read. Reasons and notes
are free: a compiler's message may be long, and coloured.
"""

from collections.abc import Iterable

from lnexplorer.domain.sweep.table import begins_as_formula
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.own_file import short
from lnkernels.launch.names import is_provider_name
from lnkernels.values.environment import Environment

LONGEST_FACT = 200  # characters of a name, a version, a date
FACTS = ("date", "python", "torch", "triton", "gpu", "driver", "cuda")


def check_environment(environment: Environment) -> None:
    """Raise RecordingError unless what is said of machine and software are plain lines."""
    for field in FACTS:
        check_line(f"{field} of its environment", getattr(environment, field) or "")
    for reason in environment.throttle_reasons:
        check_line("throttle_reasons of its environment", reason)


def check_line(what: str, text: str) -> None:
    """Raise RecordingError unless a text is one short line that no spreadsheet computes."""
    if len(text) > LONGEST_FACT:
        raise RecordingError(f"{what} has {len(text)} characters; it can have {LONGEST_FACT}")
    if not text.isprintable():
        raise RecordingError(f"{what} is {_shown(text)}; it is one line without control characters")
    if begins_as_formula(text):
        raise RecordingError(f"{what} is {_shown(text)}; it cannot begin with {text[0]}")


def check_names(what: str, names: Iterable[str]) -> None:
    """Raise RecordingError unless these can be names of strategies and of other LayerNorms, as they stand in commands."""
    for name in names:
        if not is_provider_name(name):
            raise RecordingError(f"{what} is called {_shown(name)}; take letters, digits, _ . and -, at most 60")


def _shown(text: str) -> str:
    return short(text[:40]) + (" …" if len(text) > 40 else "") if text else "nothing"

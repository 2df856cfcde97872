"""What the text in a column of a sweep's file means, and what may stand there."""

import math
import re
from functools import cache

from lnexplorer.domain.measuring import STATUSES
from lnexplorer.domain.parameters import BY_NAME, PARAMETERS
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.sweep.table import COMPILED, STATE, Plain

_CHOICES = {"status": STATUSES, "kind": tuple(kind.value for kind in Kind)}
_TEXTS = frozenset(
    (
        *("reason", "provider", "gpu", "device", "notes", "date", "driver", "torch", "triton", "sweep"),
        *("throttle_reasons_before", "throttle_reasons_after"),
    )
) | frozenset(parameter.name for parameter in PARAMETERS if parameter.type is str)
_NEEDED = frozenset(("cell", "status", "provider", "dtype", "kind", "schema_version", "sweep"))
_FLAGS = ("_passed", "_settled")
_WHOLE_STATES = tuple(
    f"{name}_{when}" for name in STATE if name not in ("power_w", "throttle_reasons") for when in ("before", "after")
)
_WHOLE = ("cell", "schema_version", *_WHOLE_STATES)
_WHOLE_ENDS = ("_samples", *(f"_{name}" for name in COMPILED))
_BELOW_ZERO = ("temperature_c_before", "temperature_c_after")
_WHOLE_NUMBER = re.compile("-?[0-9]{1,20}")
_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?(e[-+]?[0-9]{1,4})?")


def typed(name: str, text: str) -> Plain:
    """The value of a column whose text a CSV file holds.

    Raises:
        ValueError: no row has such a value; the message says what is allowed.
    """
    if not text:
        if name in _NEEDED:
            raise ValueError(_allowed(name))
        return "" if name in ("reason", "notes") else None
    if name in _TEXTS:
        return text
    value = text if text in _CHOICES.get(name, ()) else _value(name, text)
    if value is None:
        raise ValueError(_allowed(name))
    return value


def _value(name: str, text: str) -> Plain:
    """None where it is none."""
    match _type(name):
        case "flag":
            return text == "true" if text in ("true", "false") else None
        case "whole number":
            number: int | float | None = int(text) if _WHOLE_NUMBER.fullmatch(text) else None
        case "number":
            number = float(text) if _NUMBER.fullmatch(text) else None
        case _:
            return None
    if number is None or not math.isfinite(number):
        return None
    return None if number < 0 and not _may_be_negative(name) else number


@cache
def _type(name: str) -> str:
    if name in _CHOICES:
        return "choice"
    if name in BY_NAME:
        return {bool: "flag", int: "whole number"}.get(BY_NAME[name].type, "number")
    if name.endswith(_FLAGS):
        return "flag"
    return "whole number" if name in _WHOLE or name.endswith(_WHOLE_ENDS) else "number"


def _may_be_negative(name: str) -> bool:
    # A setting that was refused has its row, too, with what was asked.
    return name in BY_NAME or name in _BELOW_ZERO


def _allowed(name: str) -> str:
    if name in _CHOICES:
        return f"take one of {', '.join(_CHOICES[name])}"
    if name in _TEXTS:
        return "take what the other lines have"
    kind = _type(name)
    if kind == "flag":
        return "take true or false"
    wanted = f"take a {kind}" if kind == "whole number" else "take a finite number"
    return wanted if _may_be_negative(name) else f"{wanted}, at least 0"

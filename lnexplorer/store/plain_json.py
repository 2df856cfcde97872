"""Numbers that JSON cannot write: NaN and the infinities stand as {"float": "nan"}."""

import math
from typing import Any

NAMES = ("nan", "inf", "-inf")


def without_special_numbers(plain: Any) -> Any:
    """The same dicts, lists and values with every number that is not finite written as JSON can."""
    if isinstance(plain, dict):
        return {key: without_special_numbers(value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [without_special_numbers(value) for value in plain]
    if isinstance(plain, float) and not math.isfinite(plain):
        return {"float": str(plain)}
    return plain


def with_special_numbers(plain: Any) -> Any:
    """New dicts and lists of the same values, with every number back that `without_special_numbers` wrote otherwise."""
    if isinstance(plain, dict):
        number = special_number(plain)
        return {key: with_special_numbers(value) for key, value in plain.items()} if number is None else number
    return [with_special_numbers(value) for value in plain] if isinstance(plain, list) else plain


def special_number(found: dict[str, Any]) -> float | None:
    """The number that a JSON object stands for; None where it is an object like others."""
    if found.keys() == {"float"} and found["float"] in NAMES:
        return float(found["float"])
    return None

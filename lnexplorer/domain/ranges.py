"""Several values of a parameter as text: a range START:STOP:STEP with its STOP, a list by comma, or
one value.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from lnexplorer.domain.parameters import AUTOMATIC, Parameter
from lnkernels.launch import Problem
from lnkernels.launch.source import SettingValue
from lnkernels.values import Sentence, say

MOST_VALUES = 10_000
HOW = say(
    "take a value, a list A,B,C, a range START:STOP:STEP with its STOP, or START:STOP:xFACTOR"
)

Value = int | float | str | bool | None
T = TypeVar("T")

_FLAGS = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}


class RangeError(ValueError):
    """A part of a text that names no values, and what could stand there."""

    def __init__(self, part: str, allowed: Sentence) -> None:
        super().__init__(f"{part or 'nothing'} is not possible: {allowed}")
        self.part = part
        self.allowed = allowed


def read_whole_numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers, in their order, each once.

    Args:
        text: parts by comma, each a number, `START:STOP:STEP` (with STOP, where a step falls on it;
            step 1 where it is left out), or `START:STOP:xFACTOR`, which multiplies.

    Raises:
        RangeError: a part is unreadable, or there are more than MOST_VALUES.
    """
    return _each(text.split(","), _numbers)


def read_names(text: str) -> tuple[str, ...]:
    """Read names by comma, each once.

    Raises:
        RangeError: there is nothing between two commas.
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise RangeError(text, say("take a name, or names by comma"))
    return tuple(dict.fromkeys(names))


def read_values(parameter: Parameter, text: str) -> tuple[Value, ...] | Problem:
    """Read values of a parameter, "automatic" as None where the parameter can be automatic.

    Values of the right type that the parameter does not take, such as 0 warps, are let through:
        `check` judges them.
    """

    def values(part: str) -> Sequence[Value]:
        if part == AUTOMATIC and parameter.automatic:
            return (None,)
        if parameter.type is int:
            return _numbers(part)
        if parameter.type is str:
            return (part,)
        return (_flag(part, parameter) if parameter.type is bool else _float(part, parameter),)

    try:
        return _each(text.split(",") if parameter.type is int else read_names(text), values)
    except RangeError as error:
        return Problem(parameter.name, error.part or "nothing", error.allowed)


def read_setting(
    name: str, text: str, known: Sequence[SettingValue]
) -> tuple[SettingValue, ...] | Problem:
    """Read values of a setting of a kernel of one's own: those of its file as they are written
    there, and whole numbers, ranges of them, numbers, on, off and words.
    """
    words = {_word(value): value for value in known}
    try:
        return _each(
            read_names(text), lambda part: (words[part],) if part in words else _like(known, part)
        )
    except RangeError as error:
        return Problem(name, error.part or "nothing", error.allowed)


def write_values(values: Sequence[Value]) -> str:
    """Write values so that `read_values` reads them: a range where they have equal steps or
    factors, else a list.
    """
    numbers = [value for value in values if type(value) is int]
    if len(numbers) == len(values) and len(numbers) > 2:
        first, second, last = numbers[0], numbers[1], numbers[-1]
        step = second - first
        if step > 0 and numbers == list(range(first, last + 1, step)):
            return f"{first}:{last}:{step}"
        if (
            first > 0
            and second % first == 0
            and step > 0
            and numbers == _multiplied("", first, last, second // first)
        ):
            return f"{first}:{last}:x{second // first}"
    return ",".join(map(_word, values))


def _word(value: Value) -> str:
    if value is None:
        return AUTOMATIC
    if isinstance(value, bool):
        return "on" if value else "off"
    return repr(value) if isinstance(value, float) else str(value)


def _each(parts: Iterable[str], read: Callable[[str], Sequence[T]]) -> tuple[T, ...]:
    """Read each part, and return the values in order, each once."""
    found: dict[T, None] = {}
    for part in parts:
        found.update(dict.fromkeys(read(part.strip())))
        if len(found) > MOST_VALUES:
            raise _too_many(part)
    return tuple(found)


def _numbers(part: str) -> range | list[int]:
    fields = [field.strip() for field in part.split(":")]
    factor = fields[2][1:] if len(fields) == 3 and fields[2][:1] == "x" else None
    texts = fields[:2] if factor is not None else fields
    if (
        len(fields) > 3
        or not all(_is_whole(text) for text in texts)
        or (factor is not None and not _is_whole(factor))
    ):
        raise RangeError(part, HOW)
    numbers = [int(text) for text in texts]
    if len(numbers) == 1:
        return numbers
    start, stop = numbers[:2]
    if stop < start:
        raise RangeError(
            part, say("START is at most STOP: {range} counts upwards", range=f"{stop}:{start}")
        )
    if factor is not None:
        return _multiplied(part, start, stop, int(factor))
    step = numbers[2] if len(numbers) == 3 else 1
    if step < 1:
        raise RangeError(part, say("STEP is at least 1"))
    if (stop - start) // step >= MOST_VALUES:
        raise _too_many(part)
    return range(start, stop + 1, step)


def _multiplied(part: str, start: int, stop: int, factor: int) -> list[int]:
    if start < 1 or factor < 2:
        raise RangeError(
            part, say("where STEP multiplies, START is at least 1 and the factor at least 2")
        )
    values = [start]
    while values[-1] * factor <= stop:
        values.append(values[-1] * factor)
    return values


def _is_whole(text: str) -> bool:
    # Longer numbers than any parameter takes are refused before Python spends time on them.
    return re.fullmatch(r"[+-]?[0-9]{1,18}", text) is not None


def _flag(text: str, parameter: Parameter) -> bool:
    if text.lower() not in _FLAGS:
        raise RangeError(text, say("{allowed}, or both by comma", allowed=parameter.allowed()))
    return _FLAGS[text.lower()]


def _float(text: str, parameter: Parameter) -> float:
    try:
        return float(text)
    except ValueError:
        raise RangeError(
            text, say("{allowed}, or numbers by comma", allowed=parameter.allowed())
        ) from None


def _literals(part: str) -> Sequence[SettingValue]:
    if part.lower() in _FLAGS:
        return (_FLAGS[part.lower()],)
    if ":" in part or _is_whole(part):
        return _numbers(part)
    try:
        number = float(part)
    except ValueError:
        return (part,)
    return (number if math.isfinite(number) else part,)


def _like(known: Sequence[SettingValue], part: str) -> Sequence[SettingValue]:
    """Read a value, and refuse a word where the file has none."""
    found = _literals(part)
    if known and isinstance(found[0], str) and not any(isinstance(value, str) for value in known):
        raise RangeError(part, say("take numbers, on or off, as SETTINGS of the file has them"))
    return found


def _too_many(part: str) -> RangeError:
    return RangeError(part, say("name at most {most} values", most=MOST_VALUES))

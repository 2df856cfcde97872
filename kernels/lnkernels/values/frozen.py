"""Declares a value: a dataclass that is frozen and has slots. Standard library only.

Modules that an exported script takes along say so with `dataclass` itself: it runs on any Python.
"""

from dataclasses import dataclass, field
from typing import Any, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Return a class as a frozen dataclass with slots, as most classes here are.

    Args:
        cls: the class.
        eq: whether two are equal by their fields; not where these are arrays.
        kw_only: whether fields are given by name alone.
    """
    return dataclass(cls, frozen=True, eq=eq, slots=True, kw_only=kw_only)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen_by_name(cls: Any = None, /, *, eq: bool = True) -> Any:
    """Return a class as `frozen` does, with fields that are given by name alone."""
    return frozen(cls, eq=eq, kw_only=True)

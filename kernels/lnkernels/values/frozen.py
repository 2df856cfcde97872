"""Declares a value: a dataclass that is frozen and has slots. Standard library only.

Modules that an exported script takes along say so with `dataclass` itself: it runs on any Python.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform, overload

C = TypeVar("C")


@overload
def frozen(cls: type[C], /) -> type[C]: ...


@overload
def frozen(*, eq: bool = True, kw_only: bool = False) -> Callable[[type[C]], type[C]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Make a class a frozen dataclass with slots, as most classes here are.

    Args:
        cls: the class.
        eq: whether two are equal by their fields; not where these are arrays.
        kw_only: whether fields are given by name alone.
    """
    make = dataclass(frozen=True, eq=eq, slots=True, kw_only=kw_only)
    return make if cls is None else make(cls)


@overload
def frozen_by_name(cls: type[C], /) -> type[C]: ...


@overload
def frozen_by_name(*, eq: bool = True) -> Callable[[type[C]], type[C]]: ...


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen_by_name(cls: Any = None, /, *, eq: bool = True) -> Any:
    """Make a class as `frozen` does, with fields that are given by name alone."""
    make = frozen(eq=eq, kw_only=True)
    return make if cls is None else make(cls)

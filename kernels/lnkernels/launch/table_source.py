"""The built-in table as text, and what has to be measured to write it anew: `python -m lnkernels.tune --table`."""

from collections.abc import Iterable
from dataclasses import MISSING, fields, replace

from lnkernels.launch.settings_table import FORWARD, FORWARD_OF_MANY_ROWS, ROWS, SPLIT, ForwardEntry, RowsEntry, SplitEntry
from lnkernels.launch.shapes import is_power_of_two
from lnkernels.launch.tuned import Entry

_TABLES: dict[str, tuple[Entry, ...]] = {"rows": ROWS, "split": SPLIT, "forward": FORWARD + FORWARD_OF_MANY_ROWS}
_WIDEST = 65536  # columns; what holds for all wider rows is measured here, or at twice the width before
# Widths besides those at which entries end: neighbours with the same settings are one entry, and a later measurement may find
# them different.
_BESIDES: dict[str, tuple[int, ...]] = {
    "rows": (512, 1024, 1536, 2048, 3072, 4096, 5120, 8192),
    "split": (),
    "forward": (256, 512, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 32768),
}


def table_widths(kind: str, element_bytes: int) -> dict[int, int]:
    """From the widths to measure for one kind of entries to the widths up to which they are to hold, narrow ones first."""
    found: dict[int, int] = {}
    own = {entry.up_to_n for entry in _TABLES[kind] if entry.element_bytes == element_bytes}
    for up_to_n in sorted(own.union(n for n in _BESIDES[kind] if n <= max(own))):
        found[up_to_n if up_to_n <= _WIDEST else max(_WIDEST, 2 * max(found, default=0))] = up_to_n
    return found


def table_source(entries: Iterable[Entry]) -> str:
    """Python text of the tables in `lnkernels.launch.settings_table`; neighbours with the same settings are one entry."""
    every = list(entries)
    tables: dict[str, list[Entry]] = {
        "ROWS": [entry for entry in every if isinstance(entry, RowsEntry)],
        "SPLIT": [entry for entry in every if isinstance(entry, SplitEntry)],
        "FORWARD": [entry for entry in every if isinstance(entry, ForwardEntry) and not entry.many_rows],
        "_MANY": [replace(entry, many_rows=False) for entry in every if isinstance(entry, ForwardEntry) and entry.many_rows],
    }
    texts = []
    for name, listed in tables.items():
        lines = "".join(f"    {_source(entry)},\n" for entry in _merged(listed))
        texts.append(f"{name} = (\n{lines})\n" if lines else f"{name} = ()\n")
    return "\n".join(texts)


def _merged(entries: list[Entry]) -> list[Entry]:
    """In the order of size and width, without those that the next wider one says again."""
    ordered = sorted(entries, key=lambda entry: (entry.element_bytes, entry.up_to_n))
    kept: list[Entry] = []
    for entry in ordered:
        if kept and replace(kept[-1], up_to_n=entry.up_to_n) == entry:
            kept.pop()
        kept.append(entry)
    return kept


def _source(entry: Entry) -> str:
    values = ((field, getattr(entry, field.name)) for field in fields(entry))
    named = (f"{field.name}={_number(value)}" for field, value in values if field.default is MISSING or value != field.default)
    return f"{type(entry).__name__}({', '.join(named)})"


def _number(value: int) -> str:
    open_ended = value > _WIDEST and is_power_of_two(value)
    return f"1 << {value.bit_length() - 1}" if open_ended else str(value)

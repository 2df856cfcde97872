"""What the history of a home holds, and what was said to be kept."""

import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

from lnexplorer.store.database import NAME, DatabaseConnection

Row = tuple[str, int, int]  # a table and the numbers of a row
State = tuple[str, bool]  # its note, and whether it was deleted

HELD = {
    "runs": "SELECT id, 0, note, deleted IS NOT NULL, NULL FROM runs",
    "results": "SELECT id, 0, '', 0, result FROM results",
    "experiments": "SELECT id, 0, '', 0, record FROM experiments",
    "cells": "SELECT sweep, cell, '', 0, result FROM cells",
}


def held_by_history(home: Path) -> tuple[dict[Row, State], list[Row]]:
    """Its rows, and those among them whose value cannot be unpacked."""
    path = home / NAME
    held: dict[Row, State] = {}
    damaged: list[Row] = []
    if not path.exists():
        return held, damaged
    with (
        closing(sqlite3.connect(path, factory=DatabaseConnection)) as connection,
        suppress(sqlite3.OperationalError),
    ):  # never made
        for table, sql in HELD.items():
            for number, cell, note, deleted, value in connection.execute(sql):
                held[table, number, cell] = (note, bool(deleted))
                try:
                    zlib.decompress(value or zlib.compress(b""))
                except zlib.error:
                    damaged.append((table, number, cell))
    return held, damaged


def told_by_writer(printed: bytes) -> dict[Row, str]:
    """The rows that a writer said are kept, with their notes."""
    told = {}
    for line in printed.decode().splitlines(keepends=True):
        if line.endswith("\n"):
            table, number, cell, *note = line.split(maxsplit=3)
            told[table, int(number), int(cell)] = " ".join(note).strip()
    return told


def count_lost(
    before: Mapping[Row, State],
    held: Mapping[Row, State],
    told: Mapping[Row, str],
    change: tuple[Row, State] | None,
    *,
    done: bool,
) -> int:
    """Rows that are gone or changed, but for the change that a command was to make, which is there
    where it was `done`.
    """
    lost = sum(
        row not in held or (bool(note) and held[row][0] != note) for row, note in told.items()
    )
    for row, state in before.items():
        allowed = {state}
        if change is not None and row == change[0]:
            allowed = {change[1]} if done else {state, change[1]}
        lost += held.get(row) not in allowed
    return lost

"""What is damaged in the rows of a sweep's file is named: the line, the column, the value, what is allowed and what to do."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.sweep.table import columns, typed
from lnexplorer.domain.sweep.table import row as values_of
from lnexplorer.store.files import StoreError
from lnexplorer.store.sweep_csv import command_in, create, resume
from tests.domain.sweep.results import row

SWEEP = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),), waits=True)
NAMES = columns(SWEEP)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with the rows of three cells, in lines 2 to 4."""
    path = tmp_path / "sweep.csv"
    file = create(path, SWEEP)
    for cell in all_cells(SWEEP):
        file.add(row(cell))
    file.close(complete=False)
    return path


def damage(path: Path, line: int, name: str, value: str) -> None:
    """Put another value into one place."""
    with path.open(newline="") as stream:
        lines = list(csv.reader(stream))
    lines[line - 1][NAMES.index(name)] = value
    with path.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(lines)


def test_what_a_row_says_is_read_as_it_was_written() -> None:
    for cell in all_cells(SWEEP):
        found = values_of(SWEEP, row(cell))
        texts = {name: "" if value is None else str(value) for name, value in found.items()}
        texts |= {name: text.lower() for name, text in texts.items() if text in ("True", "False")}
        assert {name: typed(name, text) for name, text in texts.items()} == found


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("status", "okay", "take one of ok, incorrect, invalid"),
        ("status", "", "take one of ok, incorrect, invalid"),
        ("kind", "guessed", "take one of measured, interpreted"),
        ("cell", "two", "take a whole number, at least 0"),
        ("cell", "3", "take 0 to 2"),
        ("cell", "0", "line 2 has that cell; each has one line"),
        ("n", "1O24", "take a whole number"),
        ("n", "512", "cell 1 has 1024"),
        ("barrier", "1", "take true or false"),
        ("forward_settled", "yes", "take true or false"),
        ("forward_samples", "4.5", "take a whole number, at least 0"),
        ("forward_p50_ms", "-1.0", "take a finite number, at least 0"),
        ("backward_gbps", "1_0", "take a finite number, at least 0"),
        ("lock_wait_ns", "long", "take a finite number, at least 0"),
        ("temperature_c_before", "hot", "take a whole number"),
        ("schema_version", "7", "take 1, as the other lines have"),
        ("sweep", "--m 64", "the other lines have --m 4096 --n"),
        ("dtype", "", "take what the other lines have"),
        ("provider", "torch", "cell 1 has locked"),
    ],
)
def test_a_damaged_value_is_named_with_what_is_allowed_and_what_to_do(path: Path, name: str, value: str, allowed: str) -> None:
    damage(path, 3, name, value)
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        resume(path, SWEEP)
    said = str(caught.value)
    assert said.startswith(f"{path}, line 3: {name} = {value or 'nothing'} is not possible: {allowed}")
    assert said.endswith("Correct that line, or take it out: its setting is then tried again.")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (
            lambda lines: [*lines[:2], lines[2][:50] + b"\xff" + lines[2][50:], *lines[3:]],
            "line 3: byte 0xff is no text in UTF-8.",
        ),
        (lambda lines: [*lines[:2], b'"' + lines[2], *lines[3:]], "line 3: it is damaged"),
        (lambda lines: [*lines[:2], lines[2] + b",", *lines[3:]], f"line 3: it has {len(NAMES) + 1} values"),
        (lambda lines: [lines[0].replace(b"cell,", b"call,"), *lines[1:]], "line 1: it lacks the columns cell."),
        (
            lambda lines: [lines[0].replace(b"status,", b"stutus,"), *lines[1:]],
            "line 1: column 2 is stutus, and this version writes status",
        ),
    ],
)
def test_a_damaged_line_is_named(path: Path, damaged: Callable[[list[bytes]], list[bytes]], said: str) -> None:
    path.write_bytes(b"\n".join(damaged(path.read_bytes().split(b"\n"))))
    with pytest.raises(StoreError, match=said):
        resume(path, SWEEP)


def test_a_line_that_is_taken_out_is_tried_again(path: Path) -> None:
    damage(path, 3, "n", "1O24")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2] + lines[3:]))
    file = resume(path, SWEEP)
    assert file.done == {0, 2}
    file.close(complete=False)


def test_one_damaged_command_among_many_does_not_hide_the_sweep(path: Path) -> None:
    wanted = command_in(path)
    damage(path, 2, "sweep", "--m 40x6")
    assert command_in(path) == wanted

"""The manual's walks that are quick to make. `python -m tests.benchmarks.changes` makes them all."""

import pytest

from tests.benchmarks.changes import CHANGES, files_of


@pytest.mark.parametrize(("change", "files"), [("a new command", 2), ("a new launch setting", 2)])
def test_a_walk_takes_as_many_files_as_the_manual_says(change: str, files: int) -> None:
    assert len(files_of(CHANGES[change])) == files

"""The CSV file of a sweep: a row at a time, whole lines alone, and never in the place of what was
there.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import sweep_command
from lnexplorer.store.files import NoRoomError, StoreError
from lnexplorer.store.sweep_csv import SweepFile, rows_of_file, sweep_csv
from lnexplorer.store.sweeps import stamp_of
from tests.cli.sweep.conftest import table
from tests.domain.sweep.results import WITH_TORCH as SWEEP
from tests.domain.sweep.results import row
from tests.store.examples import files_of_at_most

RESULTS = [row(cell) for cell in all_cells(SWEEP)]
ENVIRONMENT = RESULTS[0].environment
FAILED = row(all_cells(SWEEP)[1], status="failed", reason='It said "no",\nand crashed.')


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sweep.csv"


def written(path: Path, *results: object) -> None:
    file = SweepFile(path, SWEEP)
    for result in results:
        file.add(result)  # type: ignore[arg-type]
    file.close(complete=False)


def test_rows_are_there_as_soon_as_they_are_added(path: Path) -> None:
    file = SweepFile(path, SWEEP)
    assert not path.exists(), "a sweep without a row leaves its folder as it was"
    file.add(RESULTS[2])
    (found,) = table(path)
    assert (found["cell"], found["status"], found["forward_gbps"], found["forward_settled"]) == (
        "2",
        "ok",
        "100.0",
        "true",
    )
    file.close(complete=False)


def test_a_file_that_is_gone_on_with_has_its_rows_and_in_the_end_their_order(path: Path) -> None:
    written(path, RESULTS[4], FAILED)
    with path.open("a") as stream:
        stream.write("2,ok,,locked,4096,10")  # the program was killed here
    file = SweepFile(path, SWEEP, [RESULTS[4], FAILED])
    for number in (5, 0, 3, 2):
        file.add(RESULTS[number])
    assert file.count == 6
    file.close(complete=True)
    assert [found["cell"] for found in table(path)] == ["0", "1", "2", "3", "4", "5"]
    assert table(path)[1]["reason"] == 'It said "no", and crashed.'
    assert file.kept is None


def test_a_file_that_is_there_is_kept_under_another_name(path: Path) -> None:
    path.write_text("of before")
    file = SweepFile(path, SWEEP)
    file.add(RESULTS[0])
    file.close(complete=True)
    (kept,) = [other for other in path.parent.iterdir() if other != path]
    assert (kept, kept.read_text()) == (file.kept, "of before")
    assert len(table(path)) == 1


def test_a_file_says_which_rows_of_which_sweep_it_has(path: Path) -> None:
    path.write_text("\ufeff" + sweep_csv(SWEEP, [RESULTS[4], FAILED]) + "2,ok,,locked,4096,10")
    found = rows_of_file(path)
    assert (found.command, list(found.stamps)) == (sweep_command(SWEEP), [4, 1])


def test_no_cell_is_a_formula_and_the_rows_are_found_again(path: Path) -> None:
    evil = replace(RESULTS[0], device="=1+1", environment=replace(ENVIRONMENT, gpu="@x", date="-1"))
    path.write_text(sweep_csv(SWEEP, [evil]))
    (found,) = table(path)
    assert [found[name] for name in ("device", "gpu", "date")] == ["'=1+1", "'@x", "'-1"]
    assert found["sweep"] == f"'{sweep_command(SWEEP)}", "it begins with --m"
    assert rows_of_file(path).stamps == {0: stamp_of("-1", "=1+1", found["seconds"])}
    assert rows_of_file(path).command == sweep_command(SWEEP)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"name,colour\nx,red\n", "is no file of a sweep"),
        (sweep_csv(SWEEP, []).encode(), "has no row of a sweep"),
        (sweep_csv(SWEEP, RESULTS).replace("\n3,", "\nthree,").encode(), "or it is damaged"),
    ],
)
def test_what_is_no_file_of_a_sweep_is_refused(path: Path, content: bytes, why: str) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match=why):
        rows_of_file(path)


def test_a_full_disk_is_told_and_leaves_no_half_row(path: Path) -> None:
    file = SweepFile(path, SWEEP)
    file.add(RESULTS[0])
    before = path.read_bytes()
    with (
        files_of_at_most(len(before) + 10),
        pytest.raises(NoRoomError, match=r"File too large\). The rows before are in it"),
    ):
        file.add(RESULTS[1])
    assert path.read_bytes() == before
    file.add(RESULTS[1])
    file.close(complete=False)
    assert len(table(path)) == 2


@pytest.mark.parametrize("before", [None, b"", b"of before"])
def test_a_file_that_cannot_be_begun_leaves_its_folder_as_it_was(
    path: Path, before: bytes | None
) -> None:
    if before is not None:
        path.write_bytes(before)
    file = SweepFile(path, SWEEP)
    with files_of_at_most(12), pytest.raises(NoRoomError, match="File too large"):
        file.add(RESULTS[0])
    file.close(complete=False)
    assert [(each.name, each.read_bytes()) for each in path.parent.iterdir()] == (
        [] if before is None else [(path.name, before)]
    )

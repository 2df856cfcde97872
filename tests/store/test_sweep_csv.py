import codecs
import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest, sweep_command
from lnexplorer.domain.sweep.table import columns, typed
from lnexplorer.domain.sweep.table import row as values_of
from lnexplorer.store.files import NoRoomError, StoreError
from lnexplorer.store.sweep_csv import command_in, create, resume
from lnkernels.values.environment import DeviceState
from tests.domain.sweep.results import row
from tests.store.examples import files_of_at_most

SWEEP = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),), providers=("torch",))
CELLS = all_cells(SWEEP)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sweep.csv"


@pytest.fixture
def begun(path: Path) -> Path:
    """A file with the rows of cells 4 and 1."""
    file = create(path, SWEEP)
    assert file.kept is None
    file.add(row(CELLS[4]))
    file.add(row(CELLS[1], status="failed", reason='It said "no",\nand crashed.'))
    file.close(complete=False)
    return path


def test_rows_are_there_as_soon_as_they_are_added(path: Path) -> None:
    file = create(path, SWEEP)
    assert not path.exists(), "a sweep without a row leaves its folder as it was"
    file.add(row(CELLS[2]))
    (found,) = table(path)
    assert (found["cell"], found["status"], found["forward_gbps"]) == ("2", "ok", "100.0")
    file.close(complete=False)


def test_a_complete_file_is_in_the_order_of_its_cells(begun: Path) -> None:
    file = resume(begun, SWEEP)
    for number in (5, 0, 3, 2):
        file.add(row(CELLS[number]))
    file.close(complete=True)
    assert [found["cell"] for found in table(begun)] == ["0", "1", "2", "3", "4", "5"]
    assert table(begun)[1]["reason"] == 'It said "no", and crashed.'


def test_a_file_that_is_there_is_kept_under_another_name(begun: Path) -> None:
    before = begun.read_bytes()
    file = create(begun, SWEEP)
    file.add(row(CELLS[0]))
    file.close(complete=False)
    (kept,) = [other for other in begun.parent.iterdir() if other != begun]
    assert kept.read_bytes() == before
    assert kept == file.kept
    assert [found["cell"] for found in table(begun)] == ["0"]


def test_resume_knows_the_cells_and_the_sweep_of_a_file(begun: Path) -> None:
    assert command_in(begun) == sweep_command(SWEEP)
    file = resume(begun, SWEEP)
    assert file.done == {1, 4}
    first, second = file.rows
    assert (first["cell"], first["provider"], first["forward_gbps"], first["n"]) == (1, "torch", None, 512)
    assert (second["cell"], second["forward_gbps"], second["forward_settled"], second["reason"]) == (4, 100.0, True, "")
    file.close(complete=False)


def test_a_file_that_a_spreadsheet_has_marked_as_utf8_goes_on(begun: Path) -> None:
    unmarked = begun.read_bytes()
    begun.write_bytes(codecs.BOM_UTF8 + unmarked)
    file = resume(begun, SWEEP)
    assert file.done == {1, 4}
    file.add(row(CELLS[0]))
    file.close(complete=False)
    assert begun.read_bytes().removeprefix(codecs.BOM_UTF8).startswith(unmarked)
    again = resume(begun, SWEEP)
    assert again.done == {0, 1, 4}
    again.close(complete=False)


def test_a_row_that_was_being_written_is_taken_away(begun: Path) -> None:
    whole = begun.read_bytes()
    begun.write_bytes(whole + b"2,ok,,locked,4096,10")
    file = resume(begun, SWEEP)
    assert file.done == {1, 4}
    file.add(row(CELLS[0]))
    file.close(complete=False)
    assert begun.read_bytes().startswith(whole)
    assert [found["cell"] for found in table(begun)] == ["4", "1", "0"]


def test_a_file_of_another_sweep_is_refused_with_what_differs(begun: Path) -> None:
    before = begun.read_bytes()
    other = replace(SWEEP, base=RunRequest(m=64), providers=())
    with pytest.raises(StoreError, match="--m is 64 here and 4096 there; --provider is not given here and torch there"):
        resume(begun, other)
    assert begun.read_bytes() == before


def test_the_state_of_the_device_stands_in_every_row_that_was_timed(path: Path) -> None:
    file = create(path, SWEEP)
    timed = row(CELLS[0])
    busy = DeviceState(sm_clock_mhz=1980, power_w=310.5, throttle_reasons=("power cap",))
    file.add(replace(timed, before=busy, environment=replace(timed.environment, sm_clock_mhz=1500)))
    file.add(row(CELLS[1]))
    first, second = file.rows
    assert (first["sm_clock_mhz_before"], first["sm_clock_mhz_after"], first["power_w_before"]) == (1980, 1500, 310.5)
    assert (first["throttle_reasons_before"], first["throttle_reasons_after"]) == ("power cap", None)
    assert second["sm_clock_mhz_before"] is None
    file.close(complete=False)


def test_a_file_of_another_version_is_refused_with_both_versions(begun: Path) -> None:
    begun.write_text(begun.read_text().replace(',1,"--m', ',7,"--m'))
    with pytest.raises(StoreError, match="line 2: schema_version = 7 is not possible: this program reads and writes version 1"):
        resume(begun, SWEEP)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"name,colour\nx,red\n", "lacks the columns"),
        (b"\xff\xfe\x00binary\n", "line 1: byte 0xff is no text in UTF-8. It is no file of a sweep"),
        (b'cell,"reason\n', "damaged"),
    ],
)
def test_what_is_no_file_of_a_sweep_is_refused(path: Path, content: bytes, why: str) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match=why):
        resume(path, SWEEP)
    assert path.read_bytes() == content


def test_a_row_with_too_few_values_is_named_by_its_line(begun: Path) -> None:
    begun.write_text(begun.read_text() + "2,ok\n")
    with pytest.raises(StoreError, match="line 4: it has 2 values"):
        resume(begun, SWEEP)


def test_a_row_that_is_not_of_its_cell_is_named(begun: Path) -> None:
    begun.write_text(begun.read_text().replace("4,ok,,locked,4096,2048", "4,ok,,locked,4096,2049"))
    with pytest.raises(StoreError, match="line 2: n = 2049 is not possible: cell 4 has 2048"):
        resume(begun, SWEEP)
    begun.write_text(begun.read_text().replace("4,ok,,locked,4096,2049", "40,ok,,locked,4096,2048"))
    with pytest.raises(StoreError, match="line 2: cell = 40 is not possible: take 0 to 5"):
        resume(begun, SWEEP)


def test_a_missing_file_and_one_without_rows_say_so(path: Path) -> None:
    with pytest.raises(StoreError, match="No such file"):
        resume(path, SWEEP)
    path.write_text(",".join(columns(SWEEP)) + "\n")
    with pytest.raises(StoreError, match="no row yet"):
        command_in(path)
    file = resume(path, SWEEP)
    assert file.done == frozenset()
    file.add(row(CELLS[0]))
    file.close(complete=False)
    assert ([found["cell"] for found in table(path)], file.kept) == (["0"], None)


def test_two_sweeps_do_not_write_one_file(begun: Path) -> None:
    file = resume(begun, SWEEP)
    with pytest.raises(StoreError, match="being written by another sweep"):
        resume(begun, SWEEP)
    file.close(complete=False)


def test_a_full_disk_is_told_and_leaves_no_half_row(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = create(path, SWEEP)
    file.add(row(CELLS[0]))
    before = path.read_bytes()

    class Full:
        def __init__(self, stream: object) -> None:
            self._stream = stream
            self._room = 10

        def write(self, data: bytes) -> int:
            if not self._room:
                raise OSError(28, "No space left on device")
            part, self._room = data[: self._room], 0
            return self._stream.write(part)  # type: ignore[attr-defined, no-any-return]

        def __getattr__(self, name: str) -> object:
            return getattr(self._stream, name)

    with monkeypatch.context() as patch:
        patch.setattr(file, "_stream", Full(file._stream))
        with pytest.raises(StoreError, match="No space left on device"):
            file.add(row(CELLS[1]))
    assert path.read_bytes() == before
    file.add(row(CELLS[1]))
    file.close(complete=False)
    assert len(table(path)) == 2


@pytest.mark.parametrize("before", [None, b"", b"of before"])
def test_a_file_that_cannot_be_begun_leaves_its_folder_as_it_was(path: Path, before: bytes | None) -> None:
    if before is not None:
        path.write_bytes(before)
    file = create(path, SWEEP)
    with files_of_at_most(12), pytest.raises(NoRoomError, match="File too large"):
        file.add(row(CELLS[0]))
    file.close(complete=False)
    assert [(each.name, each.read_bytes()) for each in path.parent.iterdir()] == ([] if before is None else [(path.name, before)])


def test_a_device_without_room_is_refused_and_left_where_it_is() -> None:
    with pytest.raises(NoRoomError, match="No space left on device"):
        create(Path("/dev/full"), SWEEP).add(row(CELLS[0]))
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("value", ["inf", "nan", "-inf", "1e999"])
def test_a_figure_that_is_not_finite_is_refused_where_the_file_is_read(begun: Path, value: str) -> None:
    line = begun.read_text().splitlines()[1]
    begun.write_text(begun.read_text().replace(line, line.replace(",100.0,", f",{value},", 1)))
    before = begun.read_bytes()
    with pytest.raises(
        StoreError,
        match=f"line 2: forward_gbps = {value} is not possible: take a finite number, at least 0. Correct that line",
    ):
        resume(begun, SWEEP)
    assert begun.read_bytes() == before


@pytest.mark.parametrize("value", ["٣", "9" * 5000, "-1", "1.0"])
def test_the_number_of_a_cell_is_a_whole_number_of_that_sweep(begun: Path, value: str) -> None:
    line = begun.read_text().splitlines()[1]
    begun.write_text(begun.read_text().replace(line, value + line[line.index(",") :]))
    with pytest.raises(StoreError, match=f"line 2: cell = {value[:40]}( …)? is not possible: take a whole number, at least 0"):
        resume(begun, SWEEP)


def test_a_file_that_another_sweep_writes_stays_where_it_is(begun: Path) -> None:
    file = resume(begun, SWEEP)
    with pytest.raises(StoreError, match="being written by another sweep"):
        create(begun, SWEEP)
    file.add(row(CELLS[0]))
    file.close(complete=True)
    assert [found["cell"] for found in table(begun)] == ["0", "1", "4"]
    assert list(begun.parent.iterdir()) == [begun]


WAITING = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),), waits=True)
NAMES = columns(WAITING)


@pytest.fixture
def waited(tmp_path: Path) -> Path:
    """A file with the rows of three cells, in lines 2 to 4."""
    path = tmp_path / "sweep.csv"
    file = create(path, WAITING)
    for cell in all_cells(WAITING):
        file.add(row(cell))
    file.close(complete=False)
    return path


def damage(waited: Path, line: int, name: str, value: str) -> None:
    """Put another value into one place."""
    with waited.open(newline="") as stream:
        lines = list(csv.reader(stream))
    lines[line - 1][NAMES.index(name)] = value
    with waited.open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(lines)


def test_what_a_row_says_is_read_as_it_was_written() -> None:
    for cell in all_cells(WAITING):
        found = values_of(WAITING, row(cell))
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
        ("schema_version", "7", "this program reads and writes version 1"),
        ("sweep", "--m 64", "the other lines have --m 4096 --n"),
        ("dtype", "", "take what the other lines have"),
        ("provider", "torch", "cell 1 has locked"),
    ],
)
def test_a_damaged_value_is_named_with_what_is_allowed_and_what_to_do(waited: Path, name: str, value: str, allowed: str) -> None:
    damage(waited, 3, name, value)
    before = waited.read_bytes()
    with pytest.raises(StoreError) as caught:
        resume(waited, WAITING)
    said = str(caught.value)
    assert said.startswith(f"{waited}, line 3: {name} = {value or 'nothing'} is not possible: {allowed}")
    assert said.endswith("Correct that line, or take it out: its setting is then tried again.")
    assert waited.read_bytes() == before


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
            "line 1: its columns are not those that this version writes",
        ),
    ],
)
def test_a_damaged_line_is_named(waited: Path, damaged: Callable[[list[bytes]], list[bytes]], said: str) -> None:
    waited.write_bytes(b"\n".join(damaged(waited.read_bytes().split(b"\n"))))
    with pytest.raises(StoreError, match=said):
        resume(waited, WAITING)


def test_a_line_that_is_taken_out_is_tried_again(waited: Path) -> None:
    damage(waited, 3, "n", "1O24")
    lines = waited.read_text().splitlines(keepends=True)
    waited.write_text("".join(lines[:2] + lines[3:]))
    file = resume(waited, WAITING)
    assert file.done == {0, 2}
    file.close(complete=False)


def test_one_damaged_command_among_many_does_not_hide_the_sweep(waited: Path) -> None:
    wanted = command_in(waited)
    damage(waited, 2, "sweep", "--m 40x6")
    assert command_in(waited) == wanted
